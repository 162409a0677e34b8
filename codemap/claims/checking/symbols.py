# Kinds about what is defined where, and what it is.
from __future__ import annotations

from typing import Any, Final

from codemap.claims.checking.context import (
    Context,
    ambiguous,
    clean_path,
    counted,
    ends_with,
    last_part,
    refuted,
    undecided,
    verified,
)
from codemap.claims.statements import Claim, Finding
from codemap.model import facts
from codemap.queries.describe import describe
from codemap.queries.expected import expected_in
from codemap.queries.matching import Match
from codemap.resolve.attributes import lookup_attribute
from codemap.resolve.modules import lookup_attribute_of_module
from codemap.resolve.naming import module_definition
from codemap.resolve.records import CLASS, EXTERNAL, FUNCTION, METHOD, MODULE, Definition

_CODE: Final = (CLASS, FUNCTION, METHOD)
# what people call things -> flags and kinds of `find` that they may be
_NOUNS: Final = {
    "class": ({CLASS}, ()),
    "function": ({FUNCTION, METHOD}, ()),
    "method": ({METHOD}, ()),
    "module": ({MODULE}, ()),
    "attribute": ({"attribute", "constant"}, ()),
    "field": ({"attribute"}, ()),
    "variable": ({"attribute", "constant", "variable"}, ()),
    "constant": ({"constant", "attribute"}, ()),
    "property": ((), ("property",)),
    "cached property": ((), ("cached_property",)),
    "async": ((), ("async",)),
    "async function": ((), ("async",)),
    "async method": ((), ("async",)),
    "coroutine": ((), ("async",)),
    "generator": ((), ("generator",)),
    "dataclass": ((), ("dataclass",)),
    "enum": ((), ("enum",)),
    "enumeration": ((), ("enum",)),
    "namedtuple": ((), ("namedtuple",)),
    "named tuple": ((), ("namedtuple",)),
    "typeddict": ((), ("typeddict",)),
    "typed dict": ((), ("typeddict",)),
    "protocol": ((), ("protocol",)),
    "exception": ((), ("exception",)),
    "abstract": ((), ("abstract",)),
    "abstract class": ((), ("abstract",)),
    "abstract method": ((), ("abstract",)),
    "abc": ((), ("abstract",)),
    "staticmethod": ((), ("staticmethod",)),
    "static method": ((), ("staticmethod",)),
    "static": ((), ("staticmethod",)),
    "classmethod": ((), ("classmethod",)),
    "class method": ((), ("classmethod",)),
    "contextmanager": ((), ("contextmanager",)),
    "context manager": ((), ("contextmanager",)),
    "overload": ((), ("overload",)),
    "singledispatch": ((), ("singledispatch",)),
    "final": ((), ("final",)),
    "override": ((), ("override",)),
    "enum member": ((), ("enum member",)),
    "type alias": ((), ("type alias",)),
    "attrs": ((), ("attrs",)),
}
_BY_SYNTAX: Final = frozenset({"async", "generator"})  # what the statement itself says


def symbol_exists(context: Context, claim: Claim) -> Finding:
    """The symbol table; a name that only functions bind is not enough."""
    found = context.definitions(claim.subject)
    if not found:
        if claim.args.get("mentioned"):
            word = last_part(claim.subject)
            bearing = sorted(context.program.mentioning(word))
            if bearing:
                from codemap.queries.expected import _first_mention

                places = [(path, _first_mention(context.program, word, path)) for path in bearing[:3]]
                lines = context.lines(place for place in places if place[1])
                if lines:
                    return undecided(
                        "mentioned", f"{claim.subject} is mentioned, but not defined as such", lines
                    )
        return context.missing(claim.subject)
    names = ", ".join(f"{one.name} ({one.file}:{one.line})" for one in found[:5])
    return verified("definition", f"defined: {names}", context.lines((one.file, one.line) for one in found))


def defined_in(context: Context, claim: Claim) -> Finding:
    """Definitions, not bindings: a file that only imports the name does not define it."""
    where = str(claim.object)
    found = context.definitions(claim.subject)
    if not found:
        return context.missing(claim.subject)
    files = set(context.files(where))
    folder = "" if files else context.folder(where)
    module = module_definition(context.program, where) if not files and not folder else None
    if not files and not folder and module is None:
        lost = context.no_such_file(where)
        if lost.verdict != "refuted":
            return lost
        told = "; ".join(f"{one.name} is defined at {one.file}:{one.line}" for one in found[:3])
        lines = context.lines((one.file, one.line) for one in found)
        return lost._replace(
            reason=f"{lost.reason}; {told}",
            counter=lines + lost.counter,
            suggestion=f"{found[0].file}:{found[0].line}",
        )

    def check(one: Definition) -> Finding:
        line = [context.at(one)]
        if one.file in files or (folder and one.file.startswith(folder + "/")):
            return verified("definition", f"{one.name} is defined at {one.file}:{one.line}", line)
        told = f"{one.name} is defined at {one.file}:{one.line}"
        places = [(one.file, one.line)]
        for path in sorted(files)[:3]:
            for row in expected_in(context.program, claim.subject, [one], path):
                if row["status"] == "imported":
                    told += f"; {path} imports it at line {row['line']} from {row['from']}"
                elif row["status"] == "mentioned":
                    told += f"; {path} only mentions it, at line {row['line']}"
                else:
                    told += f"; {path} does not have it"
                if row["line"]:
                    places.append((path, row["line"]))
        return refuted("defined elsewhere", told, context.lines(places), f"{one.file}:{one.line}")

    return context.each(found, check, claim.subject)


def symbol_kind(context: Context, claim: Claim) -> Finding:
    """The statement, its decorators, and its bases outside the tree."""
    return _is(context, claim, str(claim.object))


def flags(context: Context, claim: Claim) -> Finding:
    """The `def` and its decorators."""
    return _is(context, claim, str(claim.object))


def _is(context: Context, claim: Claim, word: str) -> Finding:
    plain = word.strip().lower().removeprefix("a ").removeprefix("an ").replace("_", " ").replace("-", " ")
    negated = plain.startswith("not ")
    plain = plain.removeprefix("not ").removeprefix("a ").removeprefix("an ")
    noun = _NOUNS.get(plain) or _NOUNS.get(plain.replace(" ", ""))
    if noun is None:
        return undecided("unknown word", f"{word} is no kind of definition that is known")
    kinds, wanted = noun
    found = list(context.matches(claim.subject))
    if not found:
        return context.missing(claim.subject)
    by_definition: dict[tuple[str, int], Match] = {}
    for match in found:
        by_definition.setdefault((match.definition.file, match.definition.line), match)
    rows = list(by_definition.values())

    def check(definition: Definition) -> Finding:
        match = next(row for row in rows if row.definition == definition)
        card = describe(context.program, match)
        line = [context.at(definition)]
        is_it = definition.kind in kinds if kinds else any(flag in card["flags"] for flag in wanted)
        told = f"{card['name']} is a {card['kind']}"
        if card["flags"]:
            told += f" ({', '.join(card['flags'])})"
        if not is_it and not kinds and not set(wanted) <= _BY_SYNTAX and _opaque(context, definition):
            return undecided("unknown decorator or base", f"{told}, by what is known", line)
        if is_it != negated:
            return verified("definition", told, line)
        return refuted("definition", told, line)

    return context.each([row.definition for row in rows], check, claim.subject)


def _opaque(context: Context, definition: Definition) -> bool:
    """Whether something outside the tree, or unreadable, decorates a definition or stands among its bases."""
    if definition.scope < 0 or definition.kind not in _CODE:
        return False
    view = context.program.view(definition.file)
    if definition.kind == CLASS:
        klass = view.class_facts(definition.scope)
        place = (definition.file, definition.scope)
        return (klass is not None and "" in klass.bases) or bool(
            [one for one in context.engine.outside_bases(*place) if not one.startswith(_KNOWN)]
        )
    function = view.function_facts(definition.scope)
    return function is not None and any(last_part(text) not in _PLAIN for text in function.decorators)


_PLAIN: Final = frozenset(
    {"property", "staticmethod", "classmethod", "abstractmethod", "overload", "override", "final", "setter", "wraps",
     "contextmanager", "asynccontextmanager", "cached_property", "lru_cache", "cache", "singledispatch", "getter"}
)  # fmt: skip
_KNOWN: Final = (
    "typing.",
    "abc.",
    "enum.",
    "builtins.",
    "typing_extensions.",
    "dataclasses.",
    "collections.",
)


def exported_from(context: Context, claim: Claim) -> Finding:
    """The export map: definitions, imports, stars, lazy tables."""
    module = str(claim.object)
    files = context.files(module)
    names = sorted({context.program.modules.module_of(path) for path in files})
    if not names and module_definition(context.program, clean_path(module)) is not None:
        names = [module]
    if not names:
        return context.no_such_file(module)
    last = last_part(claim.subject)
    wanted = context.definitions(claim.subject)
    if not wanted:
        return context.missing(claim.subject)
    findings = [_exported(context, name, last, wanted) for name in names]
    if len({one.verdict for one in findings}) == 1:
        return findings[0]
    lines = [line for one in findings for line in (*one.evidence, *one.counter)]
    return ambiguous("several modules", "; ".join(one.reason for one in findings), lines)


def _exported(context: Context, module: str, last: str, wanted: list[Definition]) -> Finding:
    answer = lookup_attribute_of_module(context.program, module, last)
    home = (context.files(module) or ("",))[0]
    start = [(home, 1)] if home else []
    for item in answer.found:
        if item.definition in wanted or any(_same(item.definition, one) for one in wanted):
            places = [(step.file, step.line) for step in item.trail] or [
                (item.definition.file, item.definition.line)
            ]
            if len(wanted) > 1 and len({(one.file, one.line) for one in wanted}) > 1:
                told = (
                    f"{module}.{last} is {item.definition.name}, one of {counted(len(wanted), 'candidate')}"
                )
            else:
                told = f"{module}.{last} is {item.definition.name}"
            if item.confidence == "possible" or len(answer.found) > 1:
                others = [one for one in answer.found if not any(_same(one.definition, w) for w in wanted)]
                if others:
                    return ambiguous("several bindings", told + ", or something else", context.lines(places))
            return verified("export", told, context.lines(places))
    if answer.found:
        other = answer.found[0].definition
        places = [(step.file, step.line) for step in answer.found[0].trail] or [(other.file, other.line)]
        return refuted("another thing", f"{module}.{last} is {other.name}", context.lines(places or start))
    if answer.reasons:
        rows = context.lines((row.file, row.line) for row in answer.reasons)
        return undecided("not known", f"{module}.{last}: {answer.reasons[0].text}", rows)
    one = wanted[0]
    return context.closed(
        refuted(
            "not exported",
            f"{module} has no {last}; it is defined at {one.file}:{one.line}",
            context.lines([*start, (one.file, one.line)]),
            f"import it from {one.name.rpartition('.')[0]}",
        )
    )


def _same(one: Definition, other: Definition) -> bool:
    return (one.file, one.line, one.name) == (other.file, other.line, other.name)


def resolves_to(context: Context, claim: Claim) -> Finding:
    """The final binding of the name, followed through imports."""
    head, _, last = claim.subject.rpartition(".")
    said = str(claim.object)
    found: list[tuple[str, str, int, list[tuple[str, int]]]] = []
    reasons: list[Any] = []
    owners = context.definitions(head, (MODULE, CLASS)) if head else []
    for owner in owners:
        answer = lookup_attribute(context.program, owner, last)
        reasons += answer.reasons
        for item in answer.found:
            one = item.definition
            way = [(step.file, step.line) for step in item.trail]
            found.append((one.name, one.file, one.line, way))
    if not found:
        found = [(one.name, one.file, one.line, []) for one in context.definitions(claim.subject)]
    if not found:
        if reasons:
            rows = context.lines((row.file, row.line) for row in reasons)
            return undecided("not known", f"{claim.subject}: {reasons[0].text}", rows)
        return context.missing(claim.subject)
    hits = [row for row in found if ends_with(row[0], said) or ends_with(said, row[0])]
    places = [place for _, file, line, way in found for place in (*way, *([(file, line)] if file else []))]
    names = sorted({row[0] for row in found})
    told = f"{claim.subject} is {' or '.join(names[:4])}"
    if len(hits) == len(found):
        return verified("final binding", told, context.lines(places))
    if hits:
        return ambiguous("several bindings", told, context.lines(places))
    if reasons:
        return undecided("not known", f"{told}, as far as is known: {reasons[0].text}", context.lines(places))
    return refuted("final binding", told, context.lines(places), names[0])


def nested(context: Context, claim: Claim) -> Finding:
    """The scope tree: functions and classes within a function."""
    parts = claim.subject.strip().split(".")
    found: list[tuple[str, int]] = []
    for path in sorted(context.program.mentioning(parts[-1], facts.ROLE_DEFINE)):
        view = context.program.view(path)
        for number, scope in enumerate(view.outline.scopes):
            if scope.name == parts[-1] and scope.kind in (facts.CLASS, facts.FUNCTION):
                if ends_with(view.qualified(number), claim.subject.strip()):
                    found.append((path, number))
    if not found:
        return context.missing(claim.subject)
    around = str(claim.object) if claim.object not in (None, "") else ""

    def check(place: tuple[str, int]) -> Finding:
        view = context.program.view(place[0])
        scopes = view.outline.scopes
        line = context.lines([(place[0], scopes[place[1]].header_line)])
        outer = scopes[place[1]].parent
        while outer > 0:
            kind = scopes[outer].kind
            within = view.qualified(outer)
            if around and kind in (facts.CLASS, facts.FUNCTION) and ends_with(within, around):
                return verified("scope", f"{view.qualified(place[1])} is defined inside {within}", line)
            if not around and kind == facts.FUNCTION:
                return verified("scope", f"{view.qualified(place[1])} is defined inside {within}", line)
            outer = scopes[outer].parent
        owner = view.qualified(scopes[place[1]].parent)
        return refuted("scope", f"{view.qualified(place[1])} is defined in {owner}", line, owner)

    places = {
        Definition(
            FUNCTION, context.program.view(path).qualified(number), path,
            context.program.view(path).outline.scopes[number].header_line, scope=number,
        ): (path, number)
        for path, number in found
    }  # fmt: skip
    return context.each(list(places), lambda one: check(places[one]), claim.subject)


__all__ = ["EXTERNAL", "defined_in", "exported_from", "flags", "nested", "resolves_to", "symbol_exists"]
