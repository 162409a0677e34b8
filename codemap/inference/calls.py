# Calls: what a callee may be, and what calling it gives.
from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.inference.arguments import Arguments, fits
from codemap.inference.overloading import of_several, types_fit
from codemap.inference.stubs import is_stub
from codemap.inference.taking import taken_from
from codemap.inference.texts import method_result
from codemap.inference.values import (
    BOUND,
    CERTAIN,
    CLASS,
    CLASSMETHOD,
    COROUTINE,
    DISPLAY,
    EXTERNAL,
    FUNCTION,
    GENERATOR,
    INSTANCE,
    LIKELY,
    PARTIAL,
    PATTERN,
    POSSIBLE,
    STATIC,
    TEXT,
    Value,
    Values,
    external_result,
    join,
)

if TYPE_CHECKING:
    from codemap.inference.engine import Engine
    from codemap.inference.tables import Table


def callables(engine: Engine, values: Values) -> Values:
    """What is really called where these values are: `__call__` of instances, what descriptors wrap."""
    out: Values = {}
    for value, rank in values.items():
        tag = value[0]
        if tag in (FUNCTION, BOUND, CLASS, EXTERNAL, PARTIAL):
            join(out, {value: rank})
        elif tag in (STATIC, CLASSMETHOD):
            join(out, {value[1]: rank})
        elif tag == INSTANCE:
            join(
                out,
                {
                    one: how
                    for one, how in engine.ask("attribute", value, "__call__").items()
                    if one[0] in (BOUND, FUNCTION)
                },
                rank,
            )
        elif tag == PATTERN:
            continue
        elif tag == "type of":
            for one, how in engine.bound_of(value[1]).items():
                if one[0] == INSTANCE:
                    join(out, {(CLASS, one[1], one[2]): how}, max(rank, LIKELY))
    return out


def callees(engine: Engine, path: str, call: int) -> Values:
    """What a CALL expression may call."""
    row = engine.table(path).rows[call]
    out = callables(engine, engine.ask("expression", path, row[3]))
    for value in list(out):
        function = value[1] if value[0] == BOUND else value
        if function[0] == FUNCTION and not is_stub(function[1]):
            for one in engine.registered(function[1], function[2]):
                join(out, {(BOUND, one, value[2]) if value[0] == BOUND else one: POSSIBLE})
    return out


def result_of_call(engine: Engine, path: str, call: int) -> Values:
    """What a CALL expression may give."""
    table = engine.table(path)
    out: Values = {}
    arguments = Arguments(engine, table, call)
    for value, rank in list(engine.ask("callees", path, call).items()):
        join(out, result(engine, value, arguments, (table, call)), rank)
    return out


Site = tuple["Table", int]


def result(engine: Engine, value: Value, arguments: Arguments | None, site: Site | None = None) -> Values:
    """What calling a value gives."""
    tag = value[0]
    if tag == FUNCTION:
        return result_of_function(engine, value, None, arguments, site)
    if tag == BOUND:
        inner = value[1]
        if inner[0] == FUNCTION:
            return result_of_function(engine, inner, value[2], arguments, site)
        return result(engine, inner, arguments, site)
    if tag == CLASS:
        return engine.construct(value, arguments, site)
    if tag == PARTIAL:
        return dict(engine.ask("result of partial", value[1], value[2]))
    if tag == EXTERNAL:
        return {external_result(value[1]): POSSIBLE}
    if tag in (STATIC, CLASSMETHOD):
        return result(engine, value[1], arguments, site)
    if tag == INSTANCE:
        out: Values = {}
        for one, rank in callables(engine, {value: CERTAIN}).items():
            join(out, result(engine, one, arguments, site), rank)
        return out
    return {}


def result_of_partial(engine: Engine, path: str, call: int) -> Values:
    """What calling what a call of functools.partial gave gives."""
    table = engine.table(path)
    row = table.rows[call]
    if not row[4]:
        return {}
    out: Values = {}
    joined = Arguments(engine, table, call, (), 1)
    for one, rank in callables(engine, engine.ask("expression", path, row[4][0])).items():
        join(out, result(engine, one, joined), rank)
    return out


def partial_of(engine: Engine, value: Value) -> Values:
    """What a partial calls."""
    _, path, call = value
    row = engine.table(path).rows[call]
    return callables(engine, engine.ask("expression", path, row[4][0])) if row[4] else {}


def result_of_function(
    engine: Engine,
    function: Value,
    receiver: Value | None,
    arguments: Arguments | None,
    site: Site | None = None,
) -> Values:
    """What calling a function, perhaps bound to a receiver, gives."""
    _, path, scope = function
    if is_stub(path) and receiver is not None and receiver[0] in (TEXT, PATTERN):
        text = method_result(receiver, engine.table(path).scope(scope).name)
        if text is not None:
            return text
    if is_stub(path) and receiver is not None and receiver[0] == DISPLAY and arguments is not None:
        taken = taken_from(engine, receiver, engine.table(path).scope(scope).name, arguments)
        if taken is not None:
            return taken
    special = engine.library_result(engine.qualified(path, scope), arguments, site) if is_stub(path) else None
    if special is not None:
        return special
    table = engine.table(path)
    scopes = engine.overloads(path, scope) if arguments is not None else [scope]
    if len(scopes) > 1 and arguments is not None:
        fitting = [one for one in scopes if fits(arguments, table.parameters(one), receiver is not None)]
        scopes = fitting or scopes
        if len(scopes) > 1:
            typed = [one for one in scopes if types_fit(engine, arguments, table, one, receiver is not None)]
            scopes = typed or scopes
    results = [_one_result(engine, table, one, receiver, arguments) for one in scopes]
    if is_stub(path) or len(results) == 1:
        out: Values = {}
        for made in results:
            join(out, made)
        return out
    return of_several(results, arguments is not None and arguments.starred())


def _one_result(
    engine: Engine, table: Table, scope: int, receiver: Value | None, arguments: Arguments | None
) -> Values:
    path = table.path
    function = table.view.function_facts(scope)
    flags = function.flags if function is not None else ()
    if "generator" in flags and not is_stub(path):
        return {(GENERATOR, path, scope): CERTAIN}
    if "async" in flags:
        return {(COROUTINE, path, scope): CERTAIN}
    values = engine.ask("returns", path, scope)
    return engine.bind_result(table, scope, receiver, arguments, values)
