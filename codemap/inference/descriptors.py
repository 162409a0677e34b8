# The functions that run when an attribute is read, written or deleted: accessors of properties, `__get__` and its
# kin of descriptors of the tree, and the hooks `__getattr__`, `__setattr__`, `__delattr__`.
from __future__ import annotations

from typing import TYPE_CHECKING, Final

from codemap.inference.stubs import is_stub
from codemap.inference.values import (
    BOUND,
    FUNCTION,
    INSTANCE,
    LIKELY,
    POSSIBLE,
    PROPERTY,
    SUPER,
    Value,
    Values,
    join,
)
from codemap.model import facts

if TYPE_CHECKING:
    from codemap.inference.engine import Engine

_HOOKS: Final = {"get": "__get__", "set": "__set__", "delete": "__delete__"}
_WORDS: Final = {"set": "setter", "delete": "deleter"}
_FALLBACKS: Final = {"get": "__getattr__", "set": "__setattr__", "delete": "__delattr__"}


def accessors(engine: Engine, receiver: Value, name: str, access: str) -> Values:
    """The tree's own functions that an access (`get`, `set`, `delete`) to an attribute of a value runs."""
    if receiver[0] == SUPER and receiver[3][0] == INSTANCE:
        order = engine.mro(receiver[3][1], receiver[3][2])
        own = (receiver[1], receiver[2])
        rest = order[order.index(own) + 1 :] if own in order else []
        return _first(engine, rest, receiver[3], name, access) or {}
    if receiver[0] != INSTANCE or is_stub(receiver[1]):
        return {}
    path, scope = receiver[1], receiver[2]
    order = engine.mro(path, scope)
    here = _first(engine, order, receiver, name, access)
    out: Values = dict(here or {})
    if receiver[4]:
        for other in engine.subclasses(path, scope):
            more = _first(engine, [other], (INSTANCE, *other, (), False), name, access)
            if more:
                join(out, more, POSSIBLE if here is not None else LIKELY)
    if not out and here is None:
        stored = access == "get" and engine.ask("instance attribute", path, scope, name)
        if access != "get" or (not stored and not (name.startswith("__") and name.endswith("__"))):
            hook = _FALLBACKS[access]
            found, _ = engine.along_mro([one for one in order if not is_stub(one[0])], receiver, hook, True)
            join(
                out,
                {
                    one: max(rank, POSSIBLE if _keeps(engine, one) else LIKELY)
                    for one, rank in found.items()
                    if one[0] == BOUND
                },
            )
    return out


def _keeps(engine: Engine, method: Value) -> bool:
    """Whether a `__getattr__` sets what it makes, so that it is not called again for the same name."""
    _, path, scope = method[1]
    table = engine.table(path)
    for call in table.calls("setattr"):
        row = table.rows[call]
        if table.place(call)[0] == scope and row[4]:
            return table.token(row[4][0]) == next((one.name for one in table.parameters(scope)), "")
    return False


def _first(
    engine: Engine, order: list[tuple[str, int]], receiver: Value, name: str, access: str
) -> Values | None:
    """What runs by the first class of an MRO that has the name; None when none has it."""
    for klass in order:
        own = engine.own_values(klass, name)
        if own is None:
            continue
        out: Values = {}
        for value, rank in own.items():
            if value[0] == PROPERTY and value[1][0] == FUNCTION and not is_stub(value[1][1]):
                if access == "get":
                    join(out, {(BOUND, value[1], receiver): rank})
                else:
                    for function in _decorated(engine, klass, name, _WORDS[access]):
                        join(out, {(BOUND, function, receiver): rank})
            elif value[0] == INSTANCE and not is_stub(value[1]):
                found, there = engine.along_mro(engine.mro(value[1], value[2]), value, _HOOKS[access], True)
                if there:
                    join(out, {one: max(rank, how) for one, how in found.items() if one[0] == BOUND})
        return out
    return None


def _decorated(engine: Engine, klass: tuple[str, int], name: str, word: str) -> list[Value]:
    """The functions of a class body decorated with `@name.setter` or `@name.deleter`."""
    table = engine.table(klass[0])
    return [
        (FUNCTION, klass[0], binding.target)
        for _, binding in table.outer_bindings(klass[1], name)
        if binding.kind == facts.FUNCTION_DEF
        and any(text.rpartition(".")[2] == word for text in table.view.decorators(binding))
    ]
