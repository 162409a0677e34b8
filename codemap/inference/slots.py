# Strong updates of containers in straight-line code: after `d["a"] = f`, `d["a"]` is f and not what was there before.
# `name[key][key]` is taken for a variable of its own, whose bindings are the bindings of the name and the stores
# under the same constant keys, and is decided as any local name is (`reaching`). Where anything else may have
# changed the container (it is handed on, kept elsewhere, changed under a key that is not constant) no such answer
# is given, and the container's elements are all that is known.
from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from codemap.inference.keys import constant_key
from codemap.inference.reaching import reaching
from codemap.inference.values import Value, Values, join
from codemap.model import facts
from codemap.model.facts import Binding
from codemap.semantic import expressions as op

if TYPE_CHECKING:
    from codemap.inference.engine import Engine
    from codemap.inference.tables import Table

# methods that leave their container as it is
_READING = frozenset({"get", "keys", "values", "items", "copy", "index", "count"})


class _Change(NamedTuple):
    """A change of what is kept under keys of a name; `keys` None: somewhere in it, or it may be changed elsewhere."""

    order: int
    block: int
    keys: tuple[Value, ...] | None
    value: int


def stored_under(engine: Engine, table: Table, number: int) -> Values | None:
    """What the SUBSCRIPT expression surely reads by the stores before it; None when they do not say."""
    keys, root = _path(engine, table, number)
    if not keys or table.rows[root][0] != op.NAME:
        return None
    name = table.rows[root][3]
    scope, block = table.place(number)
    owner = table.view.outline.scopes[scope]
    if owner.kind not in (facts.MODULE, facts.FUNCTION) or name in owner.globals or name in owner.nonlocals:
        return None
    rows = table.outer_bindings(0, name) if scope == 0 else table.local_bindings(scope, name)
    if not rows or any(row.within != scope for _, row in rows):
        return None
    changes = _changes(engine, table, name, scope, len(keys))
    if changes is None or any(change.keys is None for change in changes):
        return None
    stores = [one for one in changes if one.keys is not None and keys[: len(one.keys)] == one.keys]
    if not any(one.order < number for one in stores):
        return None
    items: list[tuple[int, Binding]] = list(rows)
    for place, one in enumerate(stores):
        items.append(
            (
                -1 - place,
                Binding(name, facts.ASSIGN, scope, scope, one.block, 0, 0, value=one.value, order=one.order),
            )
        )
    items.sort(key=lambda pair: pair[1].order)
    chosen = reaching(table, items, number, block)
    if not chosen or any(place >= 0 for place, _ in chosen):
        return None

    out: Values = {}
    for place, binding in chosen:
        values = engine.ask("expression", table.path, binding.value)
        for key in keys[len(stores[-1 - place].keys or ()) :]:
            values = engine.item(values, key)
        join(out, values)
    return out or None


def _path(engine: Engine, table: Table, number: int) -> tuple[tuple[Value, ...], int]:
    """The constant keys of `name[a][b]`, outermost first, and the expression of the name; () when one is not constant."""
    keys: list[Value] = []
    row = table.rows[number]
    while row[0] in (op.SUBSCRIPT, op.STORE_SUBSCRIPT, op.DELETE_SUBSCRIPT):
        key = constant_key(engine, table.path, row[4])
        if key is None:
            return (), number
        keys.append(key)
        number = row[3]
        row = table.rows[number]
    return tuple(reversed(keys)), number


def _changes(engine: Engine, table: Table, name: str, scope: int, depth: int) -> list[_Change] | None:
    """The changes of the container under a name, in one scope; None when it may be changed by others."""
    found: list[_Change] = []
    for read in table.reads(name):
        if table.rows[read][0] != op.NAME:
            continue
        here, block = table.place(read)
        top, steps = read, 0
        parent = table.parent(top)
        while parent >= 0 and table.rows[parent][0] == op.SUBSCRIPT and table.rows[parent][3] == top:
            top, steps, parent = parent, steps + 1, table.parent(parent)
        row: Any = table.rows[parent] if parent >= 0 else (-1,)
        if row[0] in (op.STORE_SUBSCRIPT, op.DELETE_SUBSCRIPT) and row[3] == top:
            keys, _ = _path(engine, table, parent)
            value = row[5] if row[0] == op.STORE_SUBSCRIPT else -1
            known = keys and here == scope and value >= 0
            found.append(_Change(parent, block, keys if known else None, value))
        elif row[0] == op.ATTRIBUTE:
            call = table.parent(parent)
            method = row[4]
            if call < 0 or table.rows[call][0] != op.CALL or table.rows[call][3] != parent:
                return None
            if method == "update" and steps == 0 and here == scope:
                found += _updated(engine, table, call, block)
            elif method not in _READING:
                return None
        elif steps < depth and not _only_read(table, top, parent):
            return None
    return found


def _updated(engine: Engine, table: Table, call: int, block: int) -> list[_Change]:
    row = table.rows[call]
    found: list[_Change] = []
    for number in row[4]:
        inner = table.rows[number]
        if inner[0] != op.DICT:
            found.append(_Change(call, block, None, -1))
            continue
        for one, value in zip(inner[3], inner[4], strict=False):
            key = constant_key(engine, table.path, one) if one >= 0 else None
            found.append(_Change(call, block, None if key is None else (key,), value))
    for word, value in zip(row[5], row[6], strict=False):
        found.append(_Change(call, block, None if word == "**" else (("key", word),), value))
    return found


def _only_read(table: Table, number: int, parent: int) -> bool:
    """Whether an expression is used in a way that leaves it as it is and keeps it nowhere."""
    if parent < 0:
        return not table.holders(number) and not any(
            flow.value == number and flow.kind in ("return", "yield", "yield from")
            for flow in table.body.flows
        )
    row = table.rows[parent]
    return (
        row[0] in (op.ITERATE, op.COMPARE, op.FORMATTED)
        or (
            row[0] == op.CALL
            and row[3] != number
            and table.token(row[3]) in ("len", "print", "sorted", "isinstance")
        )
        or (row[0] == op.CALL and row[3] == number)
    )
