# What calling a class gives: an instance, whose type parameters are learned from the arguments.
from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.inference.arguments import Arguments, fits, for_parameter
from codemap.inference.generics import Environment, type_parameters, unify
from codemap.inference.made import class_of_display
from codemap.inference.stubs import is_stub
from codemap.inference.values import CERTAIN, DISPLAY, INSTANCE, LEVELS, Value, Values, shallow
from codemap.model import facts

if TYPE_CHECKING:
    from codemap.inference.calls import Site
    from codemap.inference.engine import Engine


def construct(engine: Engine, value: Value, arguments: Arguments | None, site: Site | None) -> Values:
    _, path, scope = value
    if is_stub(path):
        special = engine.library_result(engine.qualified(path, scope), arguments, site)
        if special is not None:
            return special
        if site is not None and not is_stub(site[0].path):
            name = class_of_display(engine, site[0].path, site[1])
            if name and name == engine.qualified(path, scope):
                return {(DISPLAY, site[0].path, site[1]): CERTAIN}
    given: tuple[frozenset[Value], ...] = ()
    least = CERTAIN
    names = type_parameters(engine, path, scope)
    if names and arguments is not None:
        env = Environment()
        for hook in ("__init__", "__new__"):
            for klass in engine.mro(path, scope):
                table = engine.table(klass[0])
                rows = [
                    item[1]
                    for item in table.outer_bindings(klass[1], hook)
                    if item[1].kind == facts.FUNCTION_DEF
                ]
                if not rows:
                    continue
                fitting = [one.target for one in rows if fits(arguments, table.parameters(one.target), True)]
                for one in fitting:
                    parameters = table.parameters(one)
                    for row in parameters[1:]:
                        if row.annotation < 0:
                            continue
                        values = for_parameter(arguments, parameters, row.name, True)
                        if values:
                            unify(engine, table, row.annotation, values, env)
                break
        if any(env.get(name) for name in names):
            given = tuple(shallow(env.get(name, ()), LEVELS - 1) for name in names)
            least = env.least
    return {(INSTANCE, path, scope, given, False): least}
