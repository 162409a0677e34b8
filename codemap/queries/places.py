# `file.py:LINE[:COL]`: without a column the innermost definition of the line, else every name on it.
from __future__ import annotations

import re
from typing import Any

from codemap.model import facts
from codemap.model.answers import CERTAIN
from codemap.model.facts import Binding
from codemap.queries.matching import Match, Matches
from codemap.resolve.attributes import attribute_of, lookup_dotted
from codemap.resolve.modules import imported
from codemap.resolve.names import lookup_name
from codemap.resolve.naming import definition_of, store_definition
from codemap.resolve.program import Program
from codemap.resolve.records import EXTERNAL, Definition, Found, Reason, Resolution
from codemap.resolve.views import View
from codemap.semantic import expressions as op

_PLACE = r"(?P<file>.+\.pyi?):(?P<line>[0-9]+)(?::(?P<column>[0-9]+))?"


def parse_place(text: str) -> tuple[str, int, int | None] | None:
    """The file, line and column of a NAME that is a place, None when it is not."""
    found = re.fullmatch(_PLACE, text.strip()) if ":" in text else None
    if found is None:
        return None
    column = found["column"]
    return found["file"], int(found["line"]), int(column) if column else None


def match_place(program: Program, file: str, line: int, column: int | None) -> Matches:
    """The definitions that a place means."""
    matches: list[Match] = []
    reasons: list[Reason] = []
    for path in program.modules.paths_matching(file):
        view = program.view(path)
        found, more = _at(program, view, line, column)
        matches += found
        reasons += more
    best = {match.definition: match for match in reversed(matches)}
    rows = sorted(best.values(), key=lambda m: (m.definition.file, m.definition.line, m.definition.column))
    return Matches(tuple(rows), tuple(dict.fromkeys(reasons)))


def _at(program: Program, view: View, line: int, column: int | None) -> tuple[list[Match], list[Reason]]:
    bound = _bound_at(program, view, line, column)
    statements = [match for match in bound if match.definition.scope >= 0]
    if column is None and statements:
        return [max(statements, key=lambda match: match.definition.scope)], []
    if bound and column is not None:
        return bound, []
    bound_by_import, open_ends = _imported_at(program, view, line, column)
    found, reasons = _read_at(program, view, line, column)
    return bound + bound_by_import + found, open_ends + reasons


def _bound_at(program: Program, view: View, line: int, column: int | None) -> list[Match]:
    """Definitions whose own name stands at the place."""
    found: list[Match] = []
    every: list[tuple[int, Binding]] = list(enumerate(view.outline.bindings))
    every += enumerate(program.body(view.path).bindings)
    for number, binding in every:
        header = view.outline.scopes[binding.target].header_line if _is_statement(binding) else binding.line
        if line not in (binding.line, header) or not _covers(binding.name, binding.column, column):
            continue
        if binding.kind not in (facts.DELETE, facts.AUGMENTED, facts.IMPORT):
            found.append(Match(definition_of(view, binding, number), CERTAIN, "place"))
    for number, store in enumerate(view.outline.stores):
        klass = view.enclosing_class(store.scope)
        if (
            store.line == line
            and store.first_parameter
            and klass > 0
            and _covers(store.name, store.column, column)
        ):
            owner = Definition("class", view.qualified(klass), view.path, scope=klass)
            found.append(Match(store_definition(view, owner, number), CERTAIN, "place"))
    return found


def _is_statement(binding: Binding) -> bool:
    return binding.kind in (facts.CLASS_DEF, facts.FUNCTION_DEF) and binding.target >= 0


def _covers(name: str, start: int, column: int | None) -> bool:
    return column is None or start < column <= start + len(name)


def _imported_at(
    program: Program, view: View, line: int, column: int | None
) -> tuple[list[Match], list[Reason]]:
    """What the names of import statements at the place lead to; a part of a dotted module is that module."""
    aliases: dict[int, Binding] = {}
    if column is not None:
        every = (*view.outline.bindings, *program.body(view.path).bindings)
        aliases = {row.target: row for row in every if row.kind == facts.IMPORT}
    found: list[Match] = []
    reasons: list[Reason] = []
    for number, row in enumerate(view.outline.imports):
        alias = aliases.get(number)
        on_alias = bool(row.alias) and alias is not None and alias.line == line
        if row.dynamic or (row.line != line and not on_alias):
            continue
        name = row.bound or row.name
        answer = Resolution()
        if row.name == "*":  # the module that it empties
            answer = imported(program, view, row._replace(name="", alias="_"), "_")
        elif (
            column is None
            or (on_alias and alias is not None and _covers(row.alias, alias.column, column))
            or (row.line == line and row.name and _covers(row.name, row.column, column))
        ):
            answer = imported(program, view, row, name)
        elif row.line == line and not row.name and _covers(row.module, row.column, column):
            end = row.module.find(".", column - row.column - 1)
            module = row.module if end < 0 else row.module[:end]
            answer = imported(program, view, row._replace(module=module, alias="_"), "_")
        else:
            continue
        inside = _matches(answer)
        found += inside
        reasons += [] if inside else answer.reasons
    return found, reasons


def _matches(answer: Resolution) -> list[Match]:
    return [
        Match(item.definition, item.confidence, item.how, item.guard, item.trail)
        for item in answer.found
        if item.definition.kind != EXTERNAL
    ]


def _read_at(program: Program, view: View, line: int, column: int | None) -> tuple[list[Match], list[Reason]]:
    """What the names that are read at the place denote."""
    body = program.body(view.path)
    found: list[Match] = []
    reasons: list[Reason] = []
    for number, row in enumerate(body.expressions):
        if row[1] != line or row[0] not in (op.NAME, op.ATTRIBUTE):
            continue
        name = str(row[3] if row[0] == op.NAME else row[4])
        if not _covers(name, row[2], column):
            continue
        answer = _denoted(program, view, body.expressions, number)
        inside = _matches(answer)
        found += inside
        if not inside:
            text = "; ".join(dict.fromkeys(reason.text for reason in answer.reasons))
            outside = next((item.definition.name for item in answer.found), "")
            reasons.append(
                Reason(outside or name, view.path, line, text or f"nothing known of the name {name}")
            )
    return found, reasons


def _denoted(program: Program, view: View, rows: tuple[tuple[Any, ...], ...], number: int) -> Resolution:
    row = rows[number]
    if row[0] == op.NAME:
        return lookup_name(program, view, scope_at(program, view, number), str(row[3]), number)
    if row[0] == op.ATTRIBUTE:
        inner = _denoted(program, view, rows, row[3])
        return attribute_of(program, inner, str(row[4]), True)
    return Resolution()


def scope_at(program: Program, view: View, expression: int) -> int:
    """The scope whose code holds an expression."""
    from bisect import bisect_right

    spans = program.body(view.path).spans
    position = bisect_right(spans, expression, key=lambda span: span[0])
    return spans[position - 1][1] if position else 0


__all__ = ["Found", "lookup_dotted", "match_place", "parse_place", "scope_at"]
