# What `await` and `with` give.
from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.inference.values import COROUTINE, GENERATOR, INSTANCE, Value, Values, join

if TYPE_CHECKING:
    from codemap.inference.engine import Engine


def awaited(engine: Engine, values: Values) -> Values:
    out: Values = {}
    for value, rank in list(values.items()):
        if value[0] == COROUTINE:
            join(out, returned_by(engine, value), rank)
        elif value[0] == INSTANCE:
            for method, how in engine.ask("attribute", value, "__await__").items():
                made = engine.result(method, None)
                for one, sure in made.items():
                    if one[0] == INSTANCE and len(one[3]) == 3:
                        join(out, {inner: max(rank, how, sure) for inner in one[3][2]})
    return out


def returned_by(engine: Engine, value: Value) -> Values:
    """What a coroutine or a generator returns in the end, whatever it was called with."""
    _, path, scope = value
    out: Values = {}
    for one, rank in engine.ask("returns", path, scope).items():
        join(out, engine.ask("parameter", path, scope, one[1]) if one[0] == "passed" else {one: rank}, rank)
    return out


def entered(engine: Engine, values: Values, asynchronous: bool) -> Values:
    """What `with` binds: the result of __enter__, or what a generator of a context manager yields."""

    out: Values = {}
    for value, rank in list(values.items()):
        if value[0] == GENERATOR:
            join(out, engine.ask("yields", value[1], value[2]), rank)
            continue
        if value[0] == COROUTINE:
            continue
        for method, how in engine.ask(
            "attribute", value, "__aenter__" if asynchronous else "__enter__"
        ).items():
            made = engine.result(method, None)
            join(out, awaited(engine, made) if asynchronous else made, max(rank, how))
    return out
