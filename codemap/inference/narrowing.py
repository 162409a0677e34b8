# What tests say about a name or a chain that is read under them: isinstance, `is None`, truth, match classes.
from __future__ import annotations

from typing import TYPE_CHECKING, Final

from codemap.inference.heads import chain
from codemap.inference.values import CLASS, INSTANCE, LIKELY, NONE, Values, join
from codemap.model import facts
from codemap.semantic import expressions as op

if TYPE_CHECKING:
    from codemap.inference.engine import Engine
    from codemap.inference.tables import Table


_DEEPEST: Final = 8  # tuples of classes within tuples


def narrowed(engine: Engine, table: Table, number: int, values: Values) -> Values:
    """The values that the tests around an expression leave."""
    row = table.rows[number]
    text = row[3] if row[0] == op.NAME else chain(table, number)
    spoken_of = _spoken_of(table)
    if text not in spoken_of:
        return values
    tests = spoken_of[text]
    for test, truth in conditions(table, number):
        if test in tests:
            values = _apply(engine, table, test, truth, text, values, number)
    return values


def _spoken_of(table: Table) -> dict[str, set[int]]:
    """The names and chains that tests of a file say something of, each with those tests."""
    known: dict[str, set[int]] | None = table.__dict__.get("_spoken_of")
    if known is None:
        known = table.__dict__.setdefault("_spoken_of", {})
        tests = {row[2] for row in table.body.branches}
        tests.update(row.test for row in table.view.outline.blocks if row.test >= 0)
        tests.update(flow.value for flow in table.body.flows if flow.kind == "assert" and flow.value >= 0)
        for test in tests:
            work = [test]
            while work:
                number = work.pop()
                row = table.rows[number]
                if row[0] in (op.NAME, op.ATTRIBUTE):
                    text = chain(table, number)
                    if text:
                        known.setdefault(text, set()).add(test)
                elif row[0] == op.WALRUS:
                    known.setdefault(row[4], set()).add(test)
                work += op.children(row)
    return known


def conditions(table: Table, number: int) -> list[tuple[int, bool]]:
    """The tests that surely held, or failed, when control comes to an expression."""
    _scope, block = table.place(number)
    cache: dict[int, tuple[list[tuple[int, bool]], list[tuple[int, bool, int]]]]
    cache = table.__dict__.setdefault("_conditions", {})
    known = cache.get(block)
    if known is None:
        known = cache[block] = _of_block(table, block)
    around, before = known
    found = table.tests(number) + around
    for test, truth, order in before:
        if order < number:
            found.append((test, truth))
    return found


def _of_block(table: Table, block: int) -> tuple[list[tuple[int, bool]], list[tuple[int, bool, int]]]:
    """The tests that a block stands under, and those that ended the code before it, with where they stand:
    `if not isinstance(x, T): return` in the same or an outer block, `assert isinstance(x, T)`."""
    blocks = table.view.outline.blocks
    around = table.block_chain(block)
    under = [
        (blocks[one].test, blocks[one].kind == facts.IF)
        for one in around
        if blocks[one].kind in (facts.IF, facts.ELSE) and blocks[one].test >= 0
    ]
    before = [
        (test, truth, order)
        for one in around
        for test, truth, order, inside in _earlier(table, one)
        if inside not in around
    ]
    return under, before


def _earlier(table: Table, parent: int) -> list[tuple[int, bool, int, int]]:
    cache: dict[int, list[tuple[int, bool, int, int]]] | None = table.__dict__.get("_earlier")
    if cache is None:
        cache = table.__dict__.setdefault("_earlier", {})
        blocks = table.view.outline.blocks
        for number, row in enumerate(blocks):
            if row.kind == facts.IF and row.terminates and row.test >= 0:
                cache.setdefault(row.parent, []).append((row.test, False, row.test, number))
        for flows in table.body.flows:
            if flows.kind == "assert" and flows.value >= 0:
                cache.setdefault(flows.block, []).append((flows.value, True, flows.order, -1))
    return cache.get(parent, [])


def _apply(
    engine: Engine, table: Table, test: int, truth: bool, text: str, values: Values, at: int
) -> Values:
    row = table.rows[test]
    if row[0] == op.UNARY and row[3] == "not":
        return _apply(engine, table, row[4], not truth, text, values, at)
    if row[0] == op.BOOLEAN:
        if (row[3] == "and") == truth:
            for one in row[4]:
                values = _apply(engine, table, one, truth, text, values, at)
        return values
    if row[0] == op.WALRUS:
        if row[4] == text and truth:
            return {value: rank for value, rank in values.items() if value != (NONE,)}
        return values
    if row[0] == op.CALL and table.token(row[3]) == "isinstance" and len(row[4]) == 2:
        if chain(table, row[4][0]) != text or _rebound(table, text, test, at):
            return values
        classes = class_set(engine, engine.ask("expression", table.path, row[4][1]))
        if truth:
            return only_instances(engine, values, classes)
        return {
            value: rank
            for value, rank in values.items()
            if not (
                value[0] == INSTANCE
                and not value[4]
                and any(
                    one[0] == CLASS and (one[1], one[2]) in engine.mro(value[1], value[2]) for one in classes
                )
            )
        }
    if row[0] == op.COMPARE and row[3] in ("is", "is-not") and len(row[5]) == 1:
        other = table.rows[row[5][0]]
        if (
            chain(table, row[4]) == text
            and other[0] == op.CONSTANT
            and other[3] == "NoneType"
            and not _rebound(table, text, test, at)
        ):
            if (row[3] == "is") == truth:
                return {value: rank for value, rank in values.items() if value == (NONE,)}
            return {value: rank for value, rank in values.items() if value != (NONE,)}
        return values
    if row[0] in (op.NAME, op.ATTRIBUTE) and truth and chain(table, test) == text:
        return {value: rank for value, rank in values.items() if value != (NONE,)}
    return values


def _rebound(table: Table, text: str, test: int, at: int) -> bool:
    """Whether a name is bound anew between the test and the read."""
    first = text.partition(".")[0]
    scope, _ = table.place(at)
    rows = table.local_bindings(scope, first) or table.outer_bindings(scope, first)
    return any(test < row.order <= at for _, row in rows)


def class_set(engine: Engine, values: Values, depth: int = 0) -> Values:
    """Classes, those within tuples too."""
    out: Values = {}
    for value, rank in list(values.items()):
        if value[0] == CLASS:
            out[value] = rank
        elif value[0] == "display" and depth < _DEEPEST:
            join(out, class_set(engine, engine.ask("elements", value[1], value[2], None), depth + 1))
    return out


def only_instances(engine: Engine, values: Values, classes: Values) -> Values:
    """The values that may be instances of the classes; the classes' own instances where nothing is known."""
    out: Values = {}
    classes = class_set(engine, classes)
    for one in classes:
        if one[0] != CLASS:
            continue
        place = (one[1], one[2])
        hit = False
        for value, rank in values.items():
            if value[0] != INSTANCE:
                continue
            if place in engine.mro(value[1], value[2]):
                out[value] = min(rank, out.get(value, rank))
                hit = True
            elif (value[1], value[2]) in engine.mro(*place) and value[4]:
                join(out, {(INSTANCE, *place, (), True): rank})
                hit = True
        if not hit:
            join(out, {(INSTANCE, *place, (), True): LIKELY if values else 0})
    return out
