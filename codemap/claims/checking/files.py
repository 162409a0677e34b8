# Kinds about files and their lines.
from __future__ import annotations

import re
from typing import Final

from codemap.claims.checking.context import (
    Context,
    ambiguous,
    clean_path,
    counted,
    last_part,
    looks_like_path,
    refuted,
    undecided,
    verified,
)
from codemap.claims.statements import Claim, Finding
from codemap.model import facts
from codemap.queries.occurrences import lines_of

_ABOUT: Final = 0.05  # what "about n lines" allows
_VARIABLES: Final = (facts.ASSIGN, facts.ANNOTATED, facts.DECLARED, facts.TYPE_ALIAS)
_POINTER: Final = re.compile(r"(?P<file>.+?)(?::|#L)(?P<first>\d+)(?:(?:-L?|:)(?P<last>\d+))?$")


def path_exists(context: Context, claim: Claim) -> Finding:
    """The file table decides; a folder exists when a file is in it."""
    text = clean_path(claim.subject)
    found = context.files(text)
    if len(found) > 1 and text not in found:
        reason = f"{counted(len(found), 'path')} end in {text}: {', '.join(found[:5])}"
        return ambiguous("several paths", reason, context.lines((path, 1) for path in found))
    if found:
        pointer = parse_pointer(claim.at) if claim.at else None
        if pointer is not None:
            total = context.program.view(found[0]).outline.lines
            if not 1 <= pointer[1] <= total:
                end = context.lines([(found[0], max(total, 1))])
                return refuted("past the end", f"{found[0]} has only {counted(total, 'line')}", end)
        line = pointer[1] if pointer is not None else 1
        return verified("file table", f"{found[0]} is in the tree", context.lines([(found[0], line)]))
    folder = context.folder(text)
    if folder:
        inside = next(path for path in context.index.files if path.startswith(folder + "/"))
        return verified("folder", f"{folder}/ holds Python files", context.lines([(inside, 1)]))
    if not text.endswith((".py", ".pyi")):
        base = re.split(r"[^\w.]", text)[-1]
        if "." in base and not text.replace(".", "").isidentifier():
            return undecided("other file", f"{text} is no Python file, and only those are in the index")
    return context.no_such_file(text)


def line_count(context: Context, claim: Claim) -> Finding:
    """Lines as Python counts them; "about" allows 5%."""
    try:
        wanted = int(str(claim.object).replace(",", "").replace("_", ""))
    except ValueError:
        return undecided("no number", f"{claim.object} is no number of lines")
    found = context.files(claim.subject)
    if not found:
        return context.no_such_file(claim.subject)
    about = bool(claim.args.get("about"))
    counts = {path: context.program.view(path).outline.lines for path in found}
    fits = [
        path
        for path, lines in counts.items()
        if lines == wanted or (about and abs(lines - wanted) <= _ABOUT * max(lines, 1))
    ]
    told = ", ".join(f"{path} has {counted(lines, 'line')}" for path, lines in list(counts.items())[:5])
    lines = context.lines((path, max(counts[path], 1)) for path in found)
    if len(fits) == len(found):
        return verified("line count", told, lines)
    if fits:
        return ambiguous("several files", told, lines)
    return refuted("line count", told, lines, f"{counts[found[0]]} lines")


def parse_pointer(text: str) -> tuple[str, int, int] | None:
    """File, first and last line of `file:10`, `file:10-20`, `file#L10-L20`; None for anything else."""
    match = _POINTER.match(text.strip())
    if match is None or len(match["first"]) > 9 or len(match["last"] or "") > 9:
        return None
    first = int(match["first"])
    return match["file"], first, max(first, int(match["last"] or first))


def line_shows(context: Context, claim: Claim) -> Finding:
    """The text of the line, or the header of the definition on it."""
    pointer = parse_pointer(claim.at or claim.subject)
    if pointer is None:
        return undecided("no place", f"{claim.at or claim.subject} is no file:line")
    text, first, last = pointer
    found = context.files(text)
    if not found:
        return context.no_such_file(text)
    shown = str(claim.object).strip()
    defines = bool(claim.args.get("defines")) or bool(
        re.search(r"\bdefin(?:es|ed|ition)\b", claim.text) and re.fullmatch(r"[\w.]+", shown)
    )
    within = bool(claim.args.get("within"))
    findings = [_shows(context, path, first, last, shown, defines, within) for path in found]
    if len({one.verdict for one in findings}) == 1:
        return findings[0]
    reason = f"{counted(len(found), 'file')} end in {text}: " + "; ".join(one.reason for one in findings[:5])
    lines = [line for one in findings for line in (*one.evidence, *one.counter)]
    return ambiguous("several files", reason, lines)


def _shows(
    context: Context, path: str, first: int, last: int, shown: str, defines: bool, within: bool
) -> Finding:
    view = context.program.view(path)
    total = view.outline.lines
    if first < 1 or first > total:
        lines = context.lines([(path, max(total, 1))])
        return refuted("past the end", f"{path} has only {counted(total, 'line')}", lines)
    spans = _definitions(context, path, shown)
    if any(start <= last and first <= header for start, header in spans):
        return verified("definition", f"{path}:{first} defines {shown}", context.lines([(path, first)]))
    if within and not defines:
        for start, end in _spans(context, path, shown):
            if start <= first <= end:
                told = f"{path}:{first} lies within {shown}"
                return verified("within", told, context.lines([(path, first), (path, start)]))
    texts = lines_of(context.engine, path)
    word = _pattern(shown)
    if not defines:
        hits = [n for n in range(first, min(last, total) + 1) if word.search(texts[n - 1])]
        if hits:
            return verified(
                "text of the line", f"{path}:{hits[0]} shows it", context.lines([(path, hits[0])])
            )
    if spans:
        real = min(spans, key=lambda span: abs(span[0] - first))[1]
        return refuted(
            "moved",
            f"{shown} is defined at {path}:{real}, not at line {first}",
            context.lines([(path, first), (path, real)]),
            f"{path}:{real}",
        )
    elsewhere = [n for n, line in enumerate(texts, 1) if word.search(line)]
    if defines:
        homes = [one for one in context.definitions(shown) if one.file != path]
        where = f"; it is defined at {homes[0].file}:{homes[0].line}" if homes else ""
        shown_lines = [(path, first), *((one.file, one.line) for one in homes[:3])]
        return refuted(
            "defined elsewhere" if homes else "not there",
            f"{path} does not define {shown}{where}",
            context.lines(shown_lines),
            f"{homes[0].file}:{homes[0].line}" if homes else "",
        )
    if elsewhere:
        near = min(elsewhere, key=lambda number: abs(number - first))
        return refuted(
            "moved",
            f"{path}:{first} does not show it, line {near} does",
            context.lines([(path, first), (path, near)]),
            f"{path}:{near}",
        )
    return refuted("not there", f"{path} does not show {shown}", context.lines([(path, first)]))


def _pattern(shown: str) -> re.Pattern[str]:
    """A text as it may stand on a line: whole words, any blanks between."""
    text = r"\s+".join(re.escape(part) for part in shown.split())
    before = r"(?<!\w)" if shown[:1].isalnum() or shown[:1] == "_" else ""
    after = r"(?!\w)" if shown[-1:].isalnum() or shown[-1:] == "_" else ""
    return re.compile(before + text + after)


def _spans(context: Context, path: str, shown: str) -> list[tuple[int, int]]:
    """First and last line of the functions and classes of a file with a name."""
    view = context.program.view(path)
    return [
        (scope.start_line, scope.end_line)
        for number, scope in enumerate(view.outline.scopes)
        if scope.name == last_part(shown) and scope.kind in (facts.CLASS, facts.FUNCTION)
        and f".{view.qualified(number)}".endswith("." + shown)
    ]  # fmt: skip


def _definitions(context: Context, path: str, shown: str) -> list[tuple[int, int]]:
    """First line (of the decorators) and line of the header of what is defined in a file under a name."""
    if not re.fullmatch(r"[A-Za-z_][\w.]*", shown):
        return []
    view = context.program.view(path)
    name = last_part(shown)
    spans: list[tuple[int, int]] = []
    for number, scope in enumerate(view.outline.scopes):
        if scope.name == name and scope.kind in (facts.CLASS, facts.FUNCTION):
            if f".{view.qualified(number)}".endswith("." + shown):
                spans.append((scope.start_line, scope.header_line))
    for row in view.outline.bindings:
        if row.name == name and row.kind in _VARIABLES:
            if f".{view.qualified(row.scope)}.{name}".endswith("." + shown):
                spans.append((row.line, row.line))
    return spans


__all__ = ["line_count", "line_shows", "looks_like_path", "parse_pointer", "path_exists"]
