# What every check shares: one engine over one tree, names looked up by the queries' own matching, lines of the tree
# as evidence, and what is not known of the tree. A check never reads syntax by itself: what it says rests on the
# facts, the names layer, the engine and the queries, so that a verdict and an answer of the command line agree.
from __future__ import annotations

import ast
import os
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final

from codemap.claims.statements import (
    AMBIGUOUS,
    REFUTED,
    UNDECIDED,
    VERIFIED,
    Claim,
    Finding,
    Line,
)
from codemap.model import facts
from codemap.model.answers import CONFIDENCES, LIKELY, UnresolvedSite
from codemap.queries.definitions import matches_of
from codemap.queries.expected import nearest_paths
from codemap.queries.matching import Match
from codemap.queries.occurrences import lines_of
from codemap.resolve.records import CLASS, FUNCTION, METHOD, MODULE, Definition

if TYPE_CHECKING:
    from codemap.inference.engine import Engine
    from codemap.inference.tables import Table
    from codemap.resolve.program import Program

_LONGEST: Final = 200  # characters of a line that are shown
_MOST_LINES: Final = 12
_LAYOUTS: Final = ("python", "src", "lib")  # folders of a checkout that an installed tree has not


class Context:
    """One tree, and what checks ask of it."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.program: Program = engine.names
        self.index = engine.names.index
        self._matches: dict[tuple[str, tuple[str, ...]], tuple[Match, ...]] = {}
        self._broken: tuple[tuple[str, int, str], ...] | None = None

    # -- evidence ------------------------------------------------------------------------------------------------
    def line(self, file: str, line: int) -> Line:
        """A line of the tree."""
        text = ""
        if file in self._files:
            lines = lines_of(self.engine, file)
            text = lines[line - 1].strip()[:_LONGEST] if 0 < line <= len(lines) else ""
        return Line(file, line, text)

    def lines(self, places: Iterable[tuple[str, int]]) -> tuple[Line, ...]:
        """Lines of the tree, each once, as many as anyone reads."""
        return tuple(self.line(*place) for place in list(dict.fromkeys(places))[:_MOST_LINES])

    def at(self, definition: Definition) -> Line:
        """The line of a definition."""
        return self.line(definition.file, definition.line)

    @property
    def _files(self) -> frozenset[str]:
        known: frozenset[str] | None = self.__dict__.get("_file_set")
        if known is None:
            known = self.__dict__["_file_set"] = frozenset(self.index.files)
        return known

    # -- what is not known -----------------------------------------------------------------------------------------
    @property
    def broken(self) -> tuple[tuple[str, int, str], ...]:
        """What does not parse: file, line, message, in the whole tree."""
        if self._broken is None:
            self._broken = tuple(self.index.status().parse_errors)
        return self._broken

    @property
    def broken_files(self) -> tuple[str, ...]:
        """The files that do not parse."""
        return tuple(sorted({row[0] for row in self.broken}))

    def closed(self, finding: Finding) -> Finding:
        """A finding that says that something is not there: undecided where files do not parse or sites are open."""
        if finding.open:
            return finding._replace(
                verdict=UNDECIDED,
                reason=f"{finding.reason}; but {counted(len(finding.open), 'unresolved site')} could be it",
                evidence=finding.evidence + self.lines((one.file, one.line) for one in finding.open),
            )
        if self.broken:
            where = self.lines((file, line) for file, line, _ in self.broken)
            return finding._replace(
                verdict=UNDECIDED,
                reason=f"{finding.reason}; but {counted(len(self.broken_files), 'file')} of the tree do not parse",
                evidence=finding.evidence + where,
            )
        return finding

    # -- names -------------------------------------------------------------------------------------------------------
    def matches(self, name: str, kinds: Sequence[str] = ()) -> tuple[Match, ...]:
        """What a NAME means, without what only accompanies it."""
        key = (name, tuple(kinds))
        known = self._matches.get(key)
        if known is None:
            found = [
                match
                for match in matches_of(self.program, name, kinds).matches
                if match.lead is None and match.shadowed_by is None
            ]
            if not found:
                found = self._nested(name, kinds)
            known = self._matches[key] = tuple(found)
        return known

    def definitions(self, name: str, kinds: Sequence[str] = ()) -> list[Definition]:
        """The definitions that a NAME means; bindings of one variable are one of them."""
        found: dict[tuple[str, str, int], Definition] = {}
        for match in self.matches(name, kinds):
            one = match.definition
            statement = one.kind in (CLASS, FUNCTION, METHOD)
            found.setdefault((one.file, one.name, one.line if statement else 0), one)
        return list(found.values())

    def _nested(self, name: str, kinds: Sequence[str]) -> list[Match]:
        """Functions and classes within functions, which no qualified lookup reaches."""
        parts = name.strip().split(".")
        if not all(part.isidentifier() for part in parts):
            return []
        found: list[Match] = []
        for path in sorted(self.program.mentioning(parts[-1], facts.ROLE_DEFINE)):
            view = self.program.view(path)
            for number, scope in enumerate(view.outline.scopes):
                if scope.name != parts[-1] or scope.kind not in (facts.CLASS, facts.FUNCTION):
                    continue
                kind = CLASS if scope.kind == facts.CLASS else FUNCTION
                qualified = view.qualified(number)
                if qualified.split(".")[-len(parts) :] != parts or (kinds and kind not in kinds):
                    continue
                place = Definition(
                    kind, qualified, path, scope.header_line, scope.column, scope.parent, number
                )
                found.append(Match(place, LIKELY, "nested"))
        return found

    def files(self, text: str) -> tuple[str, ...]:
        """The files that a path, the end of one, or a module's dotted name means."""
        text = clean_path(text)
        if text in self._files:
            return (text,)
        found = tuple(self.program.modules.paths_matching(text)) if text else ()
        if not found and "/" in text and text.partition("/")[0] in _LAYOUTS:
            found = tuple(self.program.modules.paths_matching(text.partition("/")[2]))
        if not found and "." in text and "/" not in text and not text.endswith((".py", ".pyi")):
            return tuple(self.program.modules.paths_matching(text.replace(".", "/") + ".py"))
        return found

    def folder(self, text: str) -> str:
        """The folder of the tree that a path or a package's dotted name means, "" when it means none."""
        text = clean_path(text)
        if text.endswith((".py", ".pyi")) or not text:
            return ""
        for end in (text, text.replace(".", "/")):
            folders = self._folders
            if end in folders:
                return end
            hits = [one for one in folders if one.endswith("/" + end)]
            if len(hits) == 1:
                return hits[0]
        return ""

    @property
    def _folders(self) -> frozenset[str]:
        known: frozenset[str] | None = self.__dict__.get("_folder_set")
        if known is None:
            found: set[str] = set()
            for path in self.index.files:
                folder = path.rpartition("/")[0]
                while folder and folder not in found:
                    found.add(folder)
                    folder = folder.rpartition("/")[0]
            known = self.__dict__["_folder_set"] = frozenset(found)
        return known

    def table(self, path: str) -> Table:
        """A file's expressions."""
        return self.engine.table(path)

    # -- findings that many kinds need ----------------------------------------------------------------------------------
    def missing(self, name: str, kinds: Sequence[str] = (), what: str = "") -> Finding:
        """The finding for a claim about something that the tree does not define."""
        from codemap.queries.suggestions import suggestions

        outside = matches_of(self.program, name, kinds).reasons
        if outside:
            rows = self.lines((row.file, row.line) for row in outside)
            reason = f"{name} is not defined in the tree: {outside[0].name}, {outside[0].text}"
            return Finding(UNDECIDED, "outside the tree", reason, rows)
        last = name.rpartition(".")[2]
        foreign = self._foreign(name)
        if foreign is not None:
            return foreign
        local = self._bound_somewhere(last)
        if local and "." not in name:
            return Finding(UNDECIDED, "local name", f"{last} is only a local name", self.lines(local[:3]))
        near = suggestions(self.program, name, kinds)
        shown: list[tuple[str, int]] = []
        for one in near[:3]:
            shown += [(match.file, match.line) for match in self.definitions(one)[:1]]
        if not shown:
            shown = self._likest(last)
        noun = what or (kinds[0] if len(kinds) == 1 else "definition")
        finding = Finding(
            REFUTED,
            "not in the tree",
            f"there is no {noun} {name} in {self.index.tree.name}",
            (),
            self.lines(shown),
            f"did you mean {', '.join(near[:3])}?" if near else "",
        )
        return self.closed(finding)

    def _foreign(self, name: str) -> Finding | None:
        """Names of the standard library, of packages that the tree imports, of instances as they are often called."""
        import builtins
        import sys

        first, _, rest = name.partition(".")
        if not rest:
            if hasattr(builtins, name):
                return Finding(UNDECIDED, "built in", f"{name} is built into Python, not defined in the tree")
            return None
        if self.definitions(first):
            return None
        for path in sorted(self.program.mentioning(first, facts.ROLE_IMPORT))[:20]:
            for row in self.program.view(path).outline.imports:
                if row.level == 0 and row.module.partition(".")[0] == first and not self.files(first):
                    where = (self.line(path, row.line),)
                    return Finding(UNDECIDED, "outside the tree", f"{first} is not in the tree", where)
        if first in sys.stdlib_module_names:
            return Finding(UNDECIDED, "outside the tree", f"{first} is of the standard library")
        if first[:1].islower() and "." not in rest and not self.files(first):
            found = self.definitions(rest)
            if found:
                told = f"{first} is no module or class of the tree, perhaps an instance"
                return Finding(UNDECIDED, "unknown owner", told, self.lines((o.file, o.line) for o in found[:3]),
                               suggestion=f"{found[0].name}?")  # fmt: skip
        return None

    def _likest(self, word: str) -> list[tuple[str, int]]:
        """The definition with the likest name, so that even a refuted name has a line to look at."""
        from codemap.nearest import nearest

        words = self.index.words(facts.ROLE_DEFINE | facts.ROLE_CLASS)
        for one in nearest(word, words, limit=3, cutoff=0.0):
            found = self.definitions(one)
            if found:
                return [(found[0].file, found[0].line)]
        files = self.index.files
        return [(files[0], 1)] if files else []

    def _bound_somewhere(self, word: str) -> list[tuple[str, int]]:
        """Where functions bind a local name, a parameter or an attribute of something."""
        found: list[tuple[str, int]] = []
        if not word.isidentifier():
            return found
        roles = facts.ROLE_BIND | facts.ROLE_STORE | facts.ROLE_KEYWORD
        for path in sorted(self.program.bearing(word, roles)):
            body = self.program.body(path)
            found += [(path, row.line) for row in body.bindings if row.name == word][:1]
            view = self.program.view(path)
            found += [(path, view.outline.stores[number].line) for number in view.stores(word)][:1]
            if len(found) > 3:
                break
        return found

    def no_such_file(self, text: str) -> Finding:
        """The finding for a claim about a file that is not in the tree."""
        near = nearest_paths(self.program, clean_path(text)) or list(self.index.files[:1])
        return Finding(
            REFUTED,
            "not in the tree",
            f"there is no file {text} in {self.index.tree.name}",
            (),
            self.lines((path, 1) for path in near),
            f"did you mean {near[0]}?" if near else "",
        )

    def each(self, found: Sequence[Definition], check: Callable[[Definition], Finding], what: str) -> Finding:
        """One finding of all candidates of a name: theirs if they agree, else ambiguous with the list of them."""
        findings = [check(one) for one in found[:_MOST_LINES]]
        if len(findings) == 1:
            return findings[0]
        verdicts = {one.verdict for one in findings}
        if len(verdicts) == 1:
            first = findings[0]
            lines = tuple(dict.fromkeys(line for one in findings for line in one.evidence))[:_MOST_LINES]
            counter = tuple(dict.fromkeys(line for one in findings for line in one.counter))[:_MOST_LINES]
            sites = tuple(dict.fromkeys(site for one in findings for site in one.open))
            return first._replace(
                reason=f"of all {len(findings)} candidates for {what}: {first.reason}",
                evidence=lines,
                counter=counter,
                open=sites,
            )
        told = "; ".join(
            f"{definition.name} ({definition.file}:{definition.line}): {one.verdict}"
            for definition, one in zip(found, findings, strict=False)
        )
        return Finding(
            AMBIGUOUS,
            "several candidates",
            f"{what} may be {counted(len(findings), 'thing')}: {told}",
            self.lines((one.file, one.line) for one in found),
            suggestion=f"write {found[0].name}",
        )

    def about(
        self,
        claim: Claim,
        kinds: Sequence[str],
        check: Callable[[Definition], Finding],
        name: str = "",
        what: str = "",
    ) -> Finding:
        """The finding on the definitions of some kinds that the subject means; other kinds only if there are none."""
        name = name or claim.subject
        found = self.definitions(name, kinds)
        if not found:
            other = self.definitions(name)
            if other and kinds:
                words = " or ".join(kinds)
                return Finding(
                    REFUTED,
                    "another kind",
                    f"{name} is a {other[0].kind}, no {words}",
                    (),
                    self.lines((one.file, one.line) for one in other),
                )
            return self.missing(name, kinds, what)
        return self.each(found, check, name)


# --- small things ------------------------------------------------------------------------------------------------------
def counted(number: int, noun: str) -> str:
    """ "1 file", "2 files"."""
    if number == 1:
        return f"1 {noun}"
    if noun.endswith("s"):
        return f"{number} {noun}es"
    return f"{number} {noun}s"


def clean_path(text: str) -> str:
    """A path as the tree writes paths: `/` between parts, no `./` before and no `/` behind."""
    text = text.strip().replace("\\", "/")
    while text.startswith("./"):
        text = text[2:]
    return os.path.normpath(text).replace("\\", "/") if text and ".." in text else text.rstrip("/")


def looks_like_path(text: str) -> bool:
    """Whether a text is a path and no name."""
    return "/" in text or text.endswith((".py", ".pyi"))


def listed(value: Any) -> list[str]:
    """A field as a list of texts."""
    if value is None:
        return []
    if isinstance(value, list | tuple):
        return [str(one) for one in value]
    return [str(value)]


def sure_enough(confidence: str, least: str) -> bool:
    """Whether a confidence is at least another one."""
    return CONFIDENCES.index(confidence) <= CONFIDENCES.index(least)


def least_of(claim: Claim) -> str:
    """How sure an answer must be for the claim."""
    return claim.min_confidence or LIKELY


def last_part(name: str) -> str:
    """`c` of `a.b.c`."""
    return name.rpartition(".")[2]


def ends_with(qualified: str, end: str) -> bool:
    """Whether a dotted name is another one's end, by whole parts."""
    return qualified == end or qualified.endswith("." + end)


def literal(text: str) -> tuple[bool, Any]:
    """Whether a text is a literal of Python, and which."""
    try:
        return True, ast.literal_eval(text.strip())
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        return False, None


def verified(rule: str, reason: str, evidence: Iterable[Line], **more: Any) -> Finding:
    """A finding that the claim holds."""
    return Finding(VERIFIED, rule, reason, tuple(evidence), **more)


def refuted(rule: str, reason: str, counter: Iterable[Line], suggestion: str = "", **more: Any) -> Finding:
    """A finding that the claim does not hold."""
    return Finding(REFUTED, rule, reason, (), tuple(counter), suggestion, **more)


def undecided(rule: str, reason: str, evidence: Iterable[Line] = (), **more: Any) -> Finding:
    """A finding that nobody can know."""
    return Finding(UNDECIDED, rule, reason, tuple(evidence), **more)


def ambiguous(rule: str, reason: str, evidence: Iterable[Line] = (), **more: Any) -> Finding:
    """A finding that it depends on what is meant."""
    return Finding(AMBIGUOUS, rule, reason, tuple(evidence), **more)


def site_lines(context: Context, rows: Iterable[dict[str, Any]]) -> tuple[Line, ...]:
    """Results of a query as lines of evidence."""
    return context.lines((row["file"], row["line"]) for row in rows)


__all__ = ["MODULE", "Context", "UnresolvedSite"]
