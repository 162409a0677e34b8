# Edges of the call graph: who calls whom, where, how sure that is and by which rule. The commands on calls and
# the call graph are built on this module alone, so that they can never disagree. What is called is decided by
# the rules of the engine ("callees", "callbacks", "implicit"); here they are only asked, named and put in order.
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from codemap.inference.defining import defining
from codemap.inference.handing import callbacks
from codemap.inference.implicit import IMPLICIT_OPS, implicit
from codemap.inference.reasons import how_called, why_unknown
from codemap.inference.stubs import is_stub
from codemap.inference.values import (
    BOUND,
    CLASS,
    CLASSMETHOD,
    EXTERNAL,
    FUNCTION,
    PARTIAL,
    STATIC,
    Value,
    Values,
)
from codemap.model import facts
from codemap.semantic import expressions as op

if TYPE_CHECKING:
    from codemap.inference.engine import Engine
    from codemap.inference.tables import Table

CALL: Final = "call"
CALLBACK: Final = "callback"
IMPLICIT: Final = "implicit"
_SITES: Final = IMPLICIT_OPS | {op.CALL}


class Edge(NamedTuple):
    """One call that may happen. `callee` is a value FUNCTION, CLASS or EXTERNAL (bound methods and partials are
    taken apart); a call of a class has an edge to the class and one to each constructor that it runs.

    `caller_scope` is the scope whose code calls, with comprehensions and annotation scopes folded into the scope
    around them: a function, a lambda, a class body, or 0 for the module. `line` counts from 1, `column` from 0,
    as in facts. `rank` is CERTAIN, LIKELY or POSSIBLE of `values`. `how` is a word for the rule that decided,
    `kind` is "call", "callback" (handed to code outside the tree) or "implicit". `expression` is the site's id.
    """

    caller_scope: int
    file: str
    line: int
    column: int
    callee: Value
    rank: int
    how: str
    kind: str
    expression: int


class Unresolved(NamedTuple):
    """A call whose callee is not known, or not wholly: `name` is the callee's own token ("" where it has none)."""

    caller_scope: int
    file: str
    line: int
    column: int
    name: str
    reason: str
    expression: int


def edges_of(engine: Engine, path: str) -> list[Edge]:
    """All edges whose site is in a file, in the order of the text."""
    table = engine.table(path)
    found: list[Edge] = []
    uses = table.all_uses()
    for number, row in enumerate(table.rows):
        if row[0] in _SITES or number in uses:
            found += _edges_at(engine, table, number, row)
    found += definition_edges(engine, path)
    return sorted(set(found), key=_order)


def edges_at(engine: Engine, path: str, expression: int) -> list[Edge]:
    """The edges of one expression: of a call, of what it hands over, of the special methods that it runs."""
    table = engine.table(path)
    return sorted(set(_edges_at(engine, table, expression, table.rows[expression])), key=_order)


# Nobody else asks the rules "callbacks" and "implicit" of a site, and what they ask is settled one by one: so they are
# run as they are, and leave no sub-question behind for each of a tree's attributes and operators.
def _edges_at(engine: Engine, table: Table, expression: int, row: tuple[Any, ...]) -> list[Edge]:
    found: list[Edge] = []
    if row[0] == op.CALL:
        found += _calls(engine, table, expression)
        _add(engine, table, row, expression, callbacks(engine, table.path, expression), CALLBACK, found)
    if row[0] in IMPLICIT_OPS or table.uses(expression):
        _add(engine, table, row, expression, implicit(engine, table.path, expression), IMPLICIT, found)
    return found


def definition_edges(engine: Engine, path: str) -> list[Edge]:
    """What runs where functions and classes are defined: decorators, `__init_subclass__`, `__set_name__`."""
    found: list[Edge] = []
    for number, scope in enumerate(engine.table(path).view.outline.scopes):
        if scope.kind in (facts.CLASS, facts.FUNCTION):
            found += definition_edges_at(engine, path, number)
    return sorted(set(found), key=_order)


def definition_edges_at(engine: Engine, path: str, scope: int) -> list[Edge]:
    """What runs where one function or class is defined."""
    table = engine.table(path)
    caller = code_scope(table, table.scope(scope).parent)
    found: list[Edge] = []
    for (_, callee, how, line, column, site), rank in defining(engine, path, scope).items():
        found += _spread(engine, Edge(caller, path, line, column, callee, rank, how, IMPLICIT, site))
    return sorted(set(found), key=_order)


def _order(edge: Edge) -> tuple[object, ...]:
    return (edge.line, edge.column, edge.expression, edge.kind, repr(edge.callee), edge.rank, edge.how)


def code_scope(table: Table, scope: int) -> int:
    """The scope whose code object runs: comprehensions and annotation scopes belong to the scope around them."""
    scopes = table.view.outline.scopes
    while scope > 0 and scopes[scope].kind in (facts.COMPREHENSION, facts.TYPE_PARAMETERS):
        scope = scopes[scope].parent
    return scope


def named_scope(table: Table, scope: int) -> int:
    """The innermost function, method, class or module with a name at or around a scope."""
    scopes = table.view.outline.scopes
    while scope > 0 and scopes[scope].kind not in (facts.FUNCTION, facts.CLASS):
        scope = scopes[scope].parent
    return scope


def _calls(engine: Engine, table: Table, call: int) -> list[Edge]:
    path = table.path
    row = table.rows[call]
    scope, _ = table.place(call)
    caller = code_scope(table, scope)
    found: list[Edge] = []
    for value, rank in engine.solver.solve("callees", path, call).items():
        how = how_called(engine, table, row[3], value)
        found += _spread(engine, Edge(caller, path, row[1], row[2], value, rank, how, CALL, call))
    return found


def _add(
    engine: Engine,
    table: Table,
    row: tuple[Any, ...],
    expression: int,
    values: Values,
    kind: str,
    found: list[Edge],
) -> None:
    """Add the edges of a rule that gives ("edge", callee, how)."""
    if not values:
        return
    scope, _ = table.place(expression)
    caller = code_scope(table, scope)
    for (_, callee, how), rank in values.items():
        found += _spread(
            engine, Edge(caller, table.path, row[1], row[2], callee, rank, how, kind, expression)
        )


def _spread(engine: Engine, edge: Edge) -> list[Edge]:
    """An edge to a value as edges to definitions: a partial's function, a class and its constructors."""
    out: list[Edge] = []
    for callee, rank, how in definitions_called(engine, edge.callee):
        out.append(edge._replace(callee=callee, rank=max(edge.rank, rank), how=how or edge.how))
    return out


def definitions_called(engine: Engine, value: Value) -> list[tuple[Value, int, str]]:
    """The definitions that calling a value runs: (FUNCTION | CLASS | EXTERNAL, rank, word or "")."""
    tag = value[0]
    if tag in (FUNCTION, EXTERNAL):
        return [(value, 0, "")]
    if tag in (BOUND, STATIC, CLASSMETHOD):
        return definitions_called(engine, value[1])
    if tag == CLASS:
        out: list[tuple[Value, int, str]] = [(value, 0, "")]
        if not is_stub(value[1]):
            for (_, function), rank in engine.solver.solve("constructors", value[1], value[2]).items():
                out.append((function, rank, ""))
        return out
    if tag == PARTIAL:
        return [
            (one, max(rank, how), "partial")
            for inner, rank in sorted(engine.solver.solve("partial of", value).items(), key=repr)
            for one, how, _ in definitions_called(engine, inner)
        ]
    return []


def unresolved_of(engine: Engine, path: str) -> list[Unresolved]:
    """The calls of a file whose callee is unknown, with the reason, in the order of the text."""
    table = engine.table(path)
    found = [one for call in table.all_calls() for one in unresolved_at(engine, path, call)]
    return sorted(found, key=lambda item: (item.line, item.column, item.expression))


def unresolved_at(engine: Engine, path: str, call: int) -> list[Unresolved]:
    """Why a call has no callee; empty when it has one in the tree or in the standard library."""

    table = engine.table(path)
    row = table.rows[call]
    if row[0] != op.CALL:
        return []
    values = engine.solver.solve("callees", path, call)
    if values and not all(value[0] == EXTERNAL for value in values):
        return []
    scope, _ = table.place(call)
    reason = why_unknown(engine, table, row[3], values)
    return [Unresolved(code_scope(table, scope), path, row[1], row[2], table.token(row[3]), reason, call)]
