# Which of several bodies or declarations of a function a call means: `@overload`, `singledispatch`.
from __future__ import annotations

from typing import TYPE_CHECKING, Final

from codemap.inference.arguments import Arguments, for_parameter
from codemap.inference.values import FUNCTION, INSTANCE, LIKELY, NONE, POSSIBLE, Value, Values, join
from codemap.model import facts

if TYPE_CHECKING:
    from codemap.inference.engine import Engine
    from codemap.inference.tables import Table

from codemap.inference.names import decorator_names

_DISPATCHERS: Final = frozenset({"functools.singledispatch", "functools.singledispatchmethod"})


def registered(engine: Engine, path: str, scope: int) -> list[Value]:
    """The implementations that `@function.register` enters for a function under `singledispatch`."""

    key = ("registered", path, scope)
    known: list[Value] | None = engine.memo.get(key)
    if known is None:
        known = []
        table = engine.table(path)
        if any(name in _DISPATCHERS for _, names in decorator_names(engine, table, scope) for name in names):
            word = table.scope(scope).name
            for other in sorted(engine.program.mentioning(word, facts.ROLE_READ | facts.ROLE_ATTRIBUTE)):
                there = engine.table(other)
                known += [
                    (FUNCTION, other, row.scope)
                    for row in there.view.outline.functions
                    if any(text.endswith(f"{word}.register") for text in row.decorators)
                    and (other, row.scope) != (path, scope)
                ]
        engine.memo[key] = known
    return known


def overloads(engine: Engine, path: str, scope: int) -> list[int]:
    """The overload stubs that share a function's name, which say all of it to callers; itself when there are none."""
    key = ("overloads", path, scope)
    known: list[int] | None = engine.memo.get(key)
    if known is None:
        table = engine.table(path)
        row = table.scope(scope)
        rows = [
            item[1]
            for item in table.outer_bindings(row.parent, row.name)
            if item[1].kind == facts.FUNCTION_DEF
        ]
        same = [
            one.target
            for one in rows
            if any(text.rpartition(".")[2] == "overload" for text in table.view.decorators(one))
        ]
        known = same or [scope]
        engine.memo[key] = known
    return known


def of_several(results: list[Values], starred: bool) -> Values:
    """What overloads that all fit give: what every one of them gives is sure, else the first one comes first."""
    out: Values = {}
    for place, made in enumerate(results):
        for value, rank in made.items():
            if not all(value in other for other in results):
                rank = max(rank, POSSIBLE if place or starred else LIKELY)
            join(out, {value: rank})
    return out


def types_fit(engine: Engine, arguments: Arguments, table: Table, scope: int, bound: bool) -> bool:
    """Whether what is handed over may be of the types that an overload declares."""

    parameters = table.parameters(scope)
    for row in parameters[1 if bound else 0 :]:
        if row.annotation < 0 or row.kind in ("*", "**"):
            continue
        given = for_parameter(arguments, parameters, row.name, bound)
        if not given:
            continue
        declared = engine.ask("annotation", table.path, row.annotation)
        handed = engine.as_instances(given)
        if not declared or not all(value[0] in (INSTANCE, NONE) for value in (*declared, *handed)):
            continue
        wanted = {(value[1], value[2]) for value in declared if value[0] == INSTANCE}
        if not any(
            value in declared if value[0] == NONE else not wanted.isdisjoint(engine.mro(value[1], value[2]))
            for value in handed
        ):
            return False
    return True
