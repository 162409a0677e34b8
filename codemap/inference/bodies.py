# What class bodies bind, along the MRO, and what descriptors make of it when it is read on an instance.
from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.inference.values import (
    BOUND,
    CERTAIN,
    CLASS,
    CLASSMETHOD,
    FUNCTION,
    INSTANCE,
    LIKELY,
    POSSIBLE,
    PROPERTY,
    STATIC,
    TYPE_VARIABLE,
    Value,
    Values,
    join,
    weaker,
)
from codemap.model import facts
from codemap.resolve.classes import class_outcome

if TYPE_CHECKING:
    from codemap.inference.engine import Engine
    from codemap.resolve.flow import Entry

from codemap.inference.generics import environment, substitute


def along_mro(
    engine: Engine, order: list[tuple[str, int]], receiver: Value, name: str, bind: bool
) -> tuple[Values, bool]:
    """The first class of an MRO that has the name in its body."""
    for klass in order:
        own = own_values(engine, klass, name)
        if own is not None:
            return (bind_values(engine, own, receiver, klass) if bind else dict(own)), True
    return {}, False


def own_values(engine: Engine, klass: tuple[str, int], name: str) -> Values | None:
    """What a class body itself binds the name to; None when it does not."""
    path, scope = klass
    if not engine.table(path).outer_bindings(scope, name) or not _entries(engine, path, scope, name):
        return None
    return dict(engine.ask("own", path, scope, name))


def _entries(engine: Engine, path: str, scope: int, name: str) -> tuple[Entry, ...]:
    """The bindings that last in a class body."""
    key = ("entries", path, scope, name)
    known: tuple[Entry, ...] | None = engine.memo.get(key)
    if known is None:
        state = class_outcome(engine.table(path).view, scope, name)
        known = engine.memo[key] = state.survivors or state.typing
    return known


def bound_to(engine: Engine, path: str, scope: int, name: str) -> Values:
    """What a class body binds a name to, and what other code puts in its place."""
    klass = (path, scope)
    table = engine.table(path)
    entries = _entries(engine, path, scope, name)
    values: Values = {}
    for entry in entries:
        if entry.number < 0:
            continue
        join(
            values,
            engine.ask("binding", path, entry.number, True),
            CERTAIN if entry.sure or len(entries) == 1 else LIKELY,
        )
    if (
        is_enum(engine, klass)
        and all(
            table.view.outline.bindings[entry.number].kind in (facts.ASSIGN, facts.ANNOTATED)
            for entry in entries
        )
        and not name.startswith("_")
    ):
        return {(INSTANCE, path, scope, (), False): CERTAIN}
    values = dict(values)
    patches = engine.outside_stores((CLASS, path, scope), name)
    if patches:
        values = weaker(values, LIKELY)
        join(values, patches, POSSIBLE)
    return values


def is_enum(engine: Engine, klass: tuple[str, int]) -> bool:
    enum = engine.stub_class("enum.Enum")
    return enum is not None and klass != enum and not klass[0].startswith("<") and enum in engine.mro(*klass)


def bind_values(engine: Engine, values: Values, receiver: Value, owner: tuple[str, int]) -> Values:
    """Descriptors: what an attribute of a class is when read on an instance."""

    out: Values = {}
    env = None
    for value, rank in values.items():
        tag = value[0]
        if tag == FUNCTION:
            join(out, {(BOUND, value, receiver): rank})
        elif tag == STATIC:
            join(out, {value[1]: rank})
        elif tag == CLASSMETHOD:
            join(out, {(BOUND, value[1], (CLASS, receiver[1], receiver[2])): rank})
        elif tag == PROPERTY:
            inner = value[1]
            if inner[0] == FUNCTION:
                join(out, engine.result_of_function(inner, receiver, None), rank)
        elif tag in (TYPE_VARIABLE, "type of") or (tag == INSTANCE and value[3]):
            env = env if env is not None else environment(engine, receiver, owner)
            join(out, substitute({value: rank}, env))
        elif tag == INSTANCE and not value[1].startswith("<"):
            getter, there = along_mro(engine, engine.mro(value[1], value[2]), value, "__get__", True)
            if there:
                for one, how in getter.items():
                    join(out, engine.result(one, None), max(rank, how))
            else:
                join(out, {value: rank})
        else:
            join(out, {value: rank})
    return out
