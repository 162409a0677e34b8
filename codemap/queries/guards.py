# What a reader of an optional attribute does about None: tests it, reads it where a test has held, uses it all the
# same, or hands it on.
from __future__ import annotations

from typing import TYPE_CHECKING, Final

from codemap.inference.heads import chain
from codemap.inference.narrowing import _apply, conditions
from codemap.inference.values import NONE, Values
from codemap.semantic import expressions as op

if TYPE_CHECKING:
    from codemap.inference.engine import Engine
    from codemap.inference.tables import Table

TESTS: Final = "tests"  # the read is itself a test for None or for truth
GUARDED: Final = "guarded"  # a test on the way has shown that it is not None
UNGUARDED: Final = "unguarded"  # something of it is used, and no test is on the way
PASSED_ON: Final = "passed on"  # kept, returned or handed over as it is

_USES: Final = (
    op.ATTRIBUTE,
    op.STORE_ATTRIBUTE,
    op.SUBSCRIPT,
    op.STORE_SUBSCRIPT,
    op.ITERATE,
    op.ELEMENT,
    op.BINARY,
    op.UNARY,
)


def none_check(engine: Engine, table: Table, read: int) -> str:
    """How the read of an attribute that may be None deals with it."""
    if _is_test(table, read):
        return TESTS
    if _shown(engine, table, read, chain(table, read)):
        return GUARDED
    if _used(table, read):
        return UNGUARDED
    return _through_name(engine, table, read)


def _is_test(table: Table, read: int) -> bool:
    parent = table.parent(read)
    if parent >= 0:
        row = table.rows[parent]
        if row[0] == op.COMPARE:
            others = [row[4], *row[5]]
            return any(
                table.rows[one][0] == op.CONSTANT and table.rows[one][3] == "NoneType" for one in others
            )
        if row[0] == op.UNARY and row[3] == "not":
            return True
        if row[0] == op.BOOLEAN:
            return read != row[4][-1] or _is_test(table, parent)
        if row[0] == op.CONDITIONAL:
            return bool(row[3] == read)
        if row[0] == op.CALL and table.token(row[3]) == "isinstance":
            return bool(row[4]) and row[4][0] == read
        return False
    tests: set[int] | None = table.__dict__.get("_tests_of_blocks")
    if tests is None:
        tests = {block.test for block in table.view.outline.blocks if block.test >= 0}
        tests |= {flow.value for flow in table.body.flows if flow.kind == "assert"}
        tests |= {branch[2] for branch in table.body.branches}
        table.__dict__["_tests_of_blocks"] = tests
    return read in tests


def _shown(engine: Engine, table: Table, number: int, text: str) -> bool:
    """Whether the tests before an expression leave no None for the chain that it is."""
    if not text:
        return False
    values: Values = {(NONE,): 0, ("any",): 0}
    for test, truth in conditions(table, number):
        values = _apply(engine, table, test, truth, text, values, number)
    return (NONE,) not in values


def _used(table: Table, read: int) -> bool:
    parent = table.parent(read)
    if parent < 0:
        return False
    row = table.rows[parent]
    if row[0] == op.CALL:
        return bool(row[3] == read)
    if row[0] in (op.STORE_ATTRIBUTE, op.STORE_SUBSCRIPT):
        return bool(row[3] == read)
    if row[0] == op.SUBSCRIPT:
        return bool(row[3] == read)
    return row[0] in _USES and not (row[0] == op.UNARY and row[3] == "not")


def _through_name(engine: Engine, table: Table, read: int) -> str:
    """What is done with the local that keeps the value."""
    for name in _kept_as(table, read):
        scope, _ = table.place(read)
        uses = [
            number
            for number in table.reads(name)
            if number > read and table.rows[number][0] == op.NAME and table.place(number)[0] == scope
        ]
        used = [number for number in uses if _used(table, number)]
        if any(not _shown(engine, table, number, name) for number in used):
            return UNGUARDED
        if used:
            return GUARDED
        if any(_is_test(table, number) for number in uses):
            return TESTS
    return PASSED_ON


def _kept_as(table: Table, read: int) -> list[str]:
    """The names bound to the value: `v = o.x`, `v, w = o.x, o.y`."""
    names = [row.name for kind, row in table.holders(read) if kind == "binding"]
    parent = table.parent(read)
    if parent >= 0 and table.rows[parent][0] in (op.TUPLE, op.LIST):
        place = table.rows[parent][3].index(read)
        for row in (*table.view.outline.bindings, *table.body.bindings):
            entry = table.rows[row.value] if row.value >= 0 else None
            if entry is not None and entry[0] == op.ELEMENT and entry[3] == parent and entry[4] == place:
                names.append(row.name)
    return names
