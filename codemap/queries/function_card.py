# The card of a function or a method.
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from codemap.inference.values import FUNCTION, INSTANCE, NONE
from codemap.queries.calls import distinct, edges_from, edges_to, row_of
from codemap.queries.targets import Target

if TYPE_CHECKING:
    from codemap.inference.engine import Engine
    from codemap.resolve.records import Definition


def complete_function(engine: Engine, function: Definition, card: dict[str, Any]) -> None:
    """Adds to a function's description what its card has: `callers`, `callees`, `returns`."""
    place = (function.file, function.scope)
    target = Target((FUNCTION, *place), place, function.name)
    card["callers"] = distinct([row_of(engine, edge) for edge in edges_to(engine, target)])
    card["callees"] = distinct([row_of(engine, edge) for edge in edges_from(engine, place)])
    names = set()
    for value in engine.solver.solve("returns", *place):
        if value[0] == INSTANCE:
            names.add(engine.qualified(value[1], value[2]).removeprefix("builtins."))
        elif value == (NONE,):
            names.add("None")
    card["returns"] = sorted(names)
