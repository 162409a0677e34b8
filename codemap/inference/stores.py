# What is stored under attributes: by `self.x = value` in a class and its kin, from outside, by `setattr`.
from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.inference.values import CERTAIN, CLASS, INSTANCE, LIKELY, TEXT, Value, Values, join
from codemap.model import facts
from codemap.semantic import expressions as op

if TYPE_CHECKING:
    from codemap.inference.engine import Engine
    from codemap.inference.tables import Table
    from codemap.resolve.views import View

from codemap.inference.parameters import constructor_values


def stored(engine: Engine, path: str, scope: int, name: str) -> Values:
    """What any code of the tree stores under `name` on instances of the class, its bases and its subclasses."""
    if path.startswith("<"):
        return {}
    values: Values = {}
    family = engine.mro(path, scope)
    below = engine.subclasses(path, scope)
    inside = {*family, *below}
    for klass in below:  # mixins: stores in the other parents of a common host
        inside.update(engine.mro(*klass))
    rows = []
    bearing = engine.program.bearing(name, facts.ROLE_STORE)
    for klass in sorted(inside):
        if klass[0] not in bearing:
            continue
        table = engine.table(klass[0])
        for number in table.view.stores(name):
            store = table.view.outline.stores[number]
            if (
                store.first_parameter
                and table.view.enclosing_class(store.scope) == klass[1]
                and store.kind != facts.DELETE
            ):
                rows.append((klass[0], store))
    for file, store in rows:
        if store.value >= 0:
            values_here = engine.ask("expression", file, store.value)
            join(values, values_here)
        if store.annotation_value >= 0:
            exact = {value for value in values if value[0] == INSTANCE}
            for value, rank in engine.ask("annotation", file, store.annotation_value).items():
                if value[0] == INSTANCE and any(
                    (value[1], value[2]) in engine.mro(one[1], one[2]) for one in exact
                ):
                    continue
                join(values, {value: rank})
    real = {value for value in values if value != ("none",)}
    if len(rows) > 1 and len(real) > 1:
        values = {value: max(rank, LIKELY) for value, rank in values.items()}
    join(values, outside_stores(engine, (INSTANCE, path, scope, (), False), name), LIKELY)

    if not real:
        join(values, constructor_values(engine, path, scope, name), LIKELY)
    return values


def outside_stores(engine: Engine, owner: Value, name: str) -> Values:
    """What code elsewhere stores by `x.name = value` where x may be the owner (monkey patches among it)."""
    if owner[0] == INSTANCE and str(owner[1]).startswith("<"):
        return {}
    values: Values = {}
    bearing = engine.program.bearing(name, facts.ROLE_STORE)
    bearing |= setting_by_name(engine, name)
    of_class = owner[0] == CLASS
    for path in sorted(bearing):
        for _, receiver, number, first in list(engine.ask("stored as", path, name)):
            if (of_class or not first) and _same(engine, receiver, owner):
                join(values, engine.ask("expression", path, number))
    return values


def setting_by_name(engine: Engine, name: str) -> frozenset[str]:
    """The files that have a `setattr` and write the name as a string of its own: its bytes between quotation marks."""
    setting = engine.program.bearing("setattr", facts.ROLE_CALL)
    if not setting:
        return setting
    key = ("setting", name)
    known: frozenset[str] | None = engine.memo.get(key)
    if known is None:
        exact = [quote + name.encode("utf-8", "surrogatepass") + quote for quote in (b'"', b"'")]
        known = engine.memo[key] = frozenset(
            path
            for path in setting & engine.program.bearing(name, facts.ROLE_STRING)
            if any(text in engine.program.index.source(path) for text in exact)
        )
    return known


def stored_as(engine: Engine, path: str, name: str) -> Values:
    """("store", receiver, value, first) for what a file stores under a name by `x.name = value` and by `setattr`;
    first: x is the first parameter of a method, which may be a class."""
    out: Values = {}
    view = engine.program.view(path)
    for number in view.stores(name):
        store = view.outline.stores[number]
        if store.value < 0 or (store.first_parameter and not _may_be_class(view, store)):
            continue
        row = engine.table(path).rows[store.target]
        for receiver in engine.ask("expression", path, row[3]):
            out["store", receiver, row[5], store.first_parameter] = CERTAIN
    if path in setting_by_name(engine, name):
        table = engine.table(path)
        for call in table.calls("setattr"):
            row = table.rows[call]
            if len(row[4]) == 3 and _is_text(engine, table, row[4][1], name):
                for receiver in engine.ask("expression", path, row[4][0]):
                    out["store", receiver, row[4][2], False] = CERTAIN
    return out


def _may_be_class(view: View, store: facts.AttributeStore) -> bool:
    """Whether the first parameter of a method may be a class, and not an instance."""
    scopes = view.outline.scopes
    scope = store.scope
    while scope > 0 and scopes[scopes[scope].parent].kind != facts.CLASS:
        scope = scopes[scope].parent
    function = view.function_facts(scope)
    return (
        function is None
        or bool(function.decorators)
        or scopes[scope].name in ("__new__", "__init_subclass__", "__class_getitem__")
    )


def _is_text(engine: Engine, table: Table, expression: int, name: str) -> bool:
    """Whether an expression may be the text; evaluated only where the file itself writes the text somewhere."""
    row = table.rows[expression]
    if row[0] == op.CONSTANT:
        return bool(row[4] == name)
    if name not in table.texts():
        return False
    return (TEXT, name) in engine.ask("expression", table.path, expression)


def _same(engine: Engine, receiver: Value, owner: Value) -> bool:
    if receiver == owner:
        return True
    if owner[0] == INSTANCE and receiver[0] == INSTANCE:
        one, other = (receiver[1], receiver[2]), (owner[1], owner[2])
        return one == other or other in engine.mro(*one) or one in engine.mro(*other)
    return False
