# Kinds about one function and one attribute, on the answers of `consumers` and `producers`.
from __future__ import annotations

from typing import Any

from codemap.claims.checking.calling import Code, codes_of, line_of
from codemap.claims.checking.context import (
    Context,
    ambiguous,
    last_part,
    least_of,
    refuted,
    site_lines,
    sure_enough,
    undecided,
    verified,
)
from codemap.claims.statements import Claim, Finding
from codemap.model.answers import LIKELY, UnresolvedSite
from codemap.queries.attributes import consumers, producers
from codemap.semantic import expressions as op


def reads(context: Context, claim: Claim) -> Finding:
    """A reader of the attribute in the function's own code or in what is defined inside it."""
    return _accesses(context, claim, writing=False)


def writes(context: Context, claim: Claim) -> Finding:
    """A writer: assignments, constructor keywords, replace, setattr, del."""
    return _accesses(context, claim, writing=True)


def _accesses(context: Context, claim: Claim, *, writing: bool) -> Finding:
    subject = codes_of(context, claim.subject)
    if subject.lost is not None:
        return subject.lost
    name = str(claim.object).strip()
    if "." not in name:
        return subject.each(context, lambda codes: _bare(context, codes, name, writing))
    answer = (producers if writing else consumers)(context.engine, name)
    if answer.status == "not_found" and not answer.results:
        return context.missing(name)
    if answer.status == "ambiguous" and len({row["attribute"] for row in answer.results}) > 1:
        several = sorted({row["attribute"] for row in answer.results})
    else:
        several = []

    def check(codes: list[Code]) -> Finding:
        rows = _within(context, codes, answer.results)
        verb = "writes" if writing else "reads"
        who = context.engine.qualified(*codes[0])
        good = [row for row in rows if sure_enough(row["confidence"], least_of(claim))]
        if good:
            told = f"{who} {verb} {good[0]['attribute']} ({good[0]['confidence']}: {good[0]['how']})"
            if several and {row["attribute"] for row in good} != set(several):
                return ambiguous("several attributes", f"{told}; {name} may be {', '.join(several[:4])}",
                                 site_lines(context, good))  # fmt: skip
            return verified("access", told, site_lines(context, good))
        if rows:
            return ambiguous("possible access", f"{who} may {verb[:-1]} {name}", site_lines(context, rows))
        sites = tuple(site for site in answer.unresolved if _is_in(context, codes, site))
        sites += tuple(_by_computed_names(context, codes, writing))
        here = context.line(codes[0][0], line_of(context, codes[0]))
        other = _bare(context, codes, last_part(name), writing)
        counter = [here]
        if other.verdict == "verified":
            counter += other.evidence
        told = f"{who} does not {verb[:-1]} {name}"
        if other.verdict == "verified":
            told += f", but another {last_part(name)}"
        return context.closed(refuted("no access", told, counter, open=sites))

    return subject.each(context, check)


def _within(context: Context, codes: list[Code], rows: Any) -> list[dict[str, Any]]:
    names = {context.engine.qualified(*code) for code in codes}
    files = {code[0] for code in codes}
    return [row for row in rows if row["file"] in files and row["name"] in names]


def _is_in(context: Context, codes: list[Code], site: UnresolvedSite) -> bool:
    for path, scope in codes:
        row = context.table(path).scope(scope)
        if path == site.file and (scope == 0 or row.start_line <= site.line <= row.end_line):
            return True
    return False


def _by_computed_names(context: Context, codes: list[Code], writing: bool) -> list[UnresolvedSite]:
    """`getattr(o, name)` and `setattr(o, name, v)` of which the name is not known."""
    scopes = set(codes)
    found: list[UnresolvedSite] = []
    for path in sorted({code[0] for code in codes}):
        table = context.table(path)
        for word in ("setattr", "delattr") if writing else ("getattr",):
            for call in table.calls(word):
                row = table.rows[call]
                if (path, table.place(call)[0]) in scopes and len(row[4]) > 1:
                    if table.rows[row[4][1]][0] != op.CONSTANT:
                        found.append(UnresolvedSite(word, path, row[1], "the attribute's name is computed"))
    return found


def _bare(context: Context, codes: list[Code], name: str, writing: bool) -> Finding:
    """An attribute by its name alone: whatever has it."""
    scopes = set(codes)
    places: list[tuple[str, int]] = []
    plain: list[tuple[str, int]] = []
    for path in sorted({code[0] for code in codes}):
        table = context.table(path)
        augmented = {
            (table.rows[row[4]][1], table.rows[row[4]][2])
            for row in table.rows
            if row[0] == op.BINARY and row[3].endswith("=") and row[3] not in ("==", "!=", "<=", ">=")
        }
        for number, row in enumerate(table.rows):
            here = (path, table.place(number)[0]) in scopes or _folded(table, number, path, scopes)
            if not here:
                continue
            if writing and row[0] in (op.STORE_ATTRIBUTE, op.DELETE_ATTRIBUTE) and row[4] == name:
                places.append((path, row[1]))
            elif writing and row[0] == op.CALL and name in row[5]:
                plain.append((path, row[1]))
            elif not writing and row[0] == op.ATTRIBUTE and row[4] == name:
                if (row[1], row[2]) not in augmented:
                    places.append((path, row[1]))
            elif not writing and row[0] == op.NAME and row[3] == name:
                plain.append((path, row[1]))
    verb = "writes" if writing else "reads"
    who = context.engine.qualified(*codes[0])
    here_line = context.line(codes[0][0], line_of(context, codes[0]))
    if places:
        return verified("attribute", f"{who} {verb} an attribute {name}", context.lines(places))
    if plain:
        return ambiguous("local name", f"{who} has only a name {name}", context.lines(plain))
    sites = _by_computed_names(context, codes, writing)
    if sites:
        lines = context.lines((site.file, site.line) for site in sites)
        return undecided("computed name", f"{who} uses attributes by computed names", lines)
    defined = context.definitions(name)
    told = f"{who} does not {verb[:-1]} {name}"
    if not defined:
        lost = context.missing(name)
        if lost.verdict == "undecided" and lost.rule != "local name":
            return lost
    return context.closed(refuted("no access", told, [here_line]))


def _folded(table: Any, number: int, path: str, scopes: set[Code]) -> bool:
    """Whether an expression stands in a lambda or comprehension of the code."""
    from codemap.inference.edges import named_scope

    return (path, named_scope(table, table.place(number)[0])) in scopes


__all__ = ["LIKELY", "reads", "writes"]
