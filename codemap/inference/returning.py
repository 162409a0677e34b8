# What functions return and yield, and how that depends on what they are called with.
from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.inference.arguments import Arguments, for_parameter
from codemap.inference.generics import Environment, environment, substitute, unify
from codemap.inference.stubs import is_stub
from codemap.inference.values import CERTAIN, CLASS, INSTANCE, NONE, TYPE_VARIABLE, Value, Values, join
from codemap.model import facts
from codemap.semantic import expressions as op

if TYPE_CHECKING:
    from codemap.inference.engine import Engine
    from codemap.inference.tables import Table


def bind_result(
    engine: Engine,
    table: Table,
    scope: int,
    receiver: Value | None,
    arguments: Arguments | None,
    values: Values,
) -> Values:
    """Put the call's own arguments and receiver where a function's results speak of its parameters."""
    path = table.path
    out: Values = {}
    open_values: Values = {}
    parameters = table.parameters(scope)
    for value, rank in values.items():
        if value[0] == "passed":
            name = value[1]
            given = None
            if (
                receiver is not None
                and parameters
                and parameters[0].name == name
                and parameters[0].kind != "*"
            ):
                given = {receiver: CERTAIN}
            elif arguments is not None:
                given = for_parameter(arguments, parameters, name, receiver is not None)
                if given is None:
                    default = next((row.default for row in parameters if row.name == name), -1)
                    given = engine.ask("expression", path, default) if default >= 0 else {}
            if given is None:
                given = engine.ask("parameter", path, scope, name)
            join(out, given, rank)
        else:
            open_values[value] = rank
    if any(_has_variables(value) for value in open_values):
        env = Environment()
        if receiver is not None:
            own = receiver
            if own[0] == CLASS:
                env["Self"] = frozenset({(INSTANCE, own[1], own[2], (), False)})
            if own[0] not in (INSTANCE, CLASS):
                for one, rank in engine.as_instances({own: CERTAIN}).items():
                    own = one
                    env.least = max(env.least, rank)
            owner = table.view.enclosing_class(scope)
            if owner >= 0 and own[0] == INSTANCE:
                env.update(environment(engine, own, (path, owner)))
            if parameters and parameters[0].annotation >= 0:
                unify(engine, table, parameters[0].annotation, {receiver: CERTAIN}, env)
        if arguments is not None:
            for row in parameters:
                if row.annotation < 0 or row.kind == "**":
                    continue
                if row.kind == "*":
                    start = [one.name for one in parameters].index(row.name) - (
                        1 if receiver is not None else 0
                    )
                    for position in range(start, min(arguments.count(), start + 8)):
                        given = arguments.at(position)
                        if given:
                            unify(engine, table, row.annotation, given, env)
                    continue
                given = for_parameter(arguments, parameters, row.name, receiver is not None)
                if given:
                    unify(engine, table, row.annotation, given, env)
        open_values = substitute(open_values, env)
        join(out, open_values, env.least)
        return out
    join(out, open_values)
    return out


def _has_variables(value: Value) -> bool:
    return value[0] in (TYPE_VARIABLE, "type of", "tuple") or (value[0] == INSTANCE and bool(value[3]))


def returns(engine: Engine, path: str, scope: int) -> Values:
    """What a function may return: by its annotation, else by its return statements."""
    table = engine.table(path)
    row = table.scope(scope)
    if row.kind == facts.LAMBDA:
        body = table.lambda_body(scope)
        return _returned(engine, table, scope, body) if body >= 0 else {}
    declared: Values = {}
    annotation = table.return_annotation(scope)
    if annotation >= 0:
        declared = dict(engine.ask("annotation", path, annotation))
    if is_stub(path):
        return declared
    enough = declared and all(
        value[0] in (NONE, "tuple")
        or (value[0] == INSTANCE and (is_stub(value[1]) or not engine.subclasses(value[1], value[2])))
        for value in declared
    )
    if enough:
        return declared
    values: Values = {}
    for flow in table.flows(scope):
        if flow.kind == "return" and flow.value >= 0:
            join(values, _returned(engine, table, scope, flow.value))
    if not values:
        return declared
    for value, rank in declared.items():
        if value == (NONE,):
            continue
        if value[0] == INSTANCE and any(
            one[0] == INSTANCE and (value[1], value[2]) in engine.mro(one[1], one[2]) for one in values
        ):
            continue
        join(values, {value: rank})
    return values


def _returned(engine: Engine, table: Table, scope: int, expression: int) -> Values:
    row = table.rows[expression]
    if row[0] == op.NAME:
        rows = table.local_bindings(scope, row[3])
        if len(rows) == 1 and rows[0][1].kind == facts.PARAMETER:
            parameter = next((one for one in table.parameters(scope) if one.name == row[3]), None)
            if parameter is not None and parameter.kind not in ("*", "**"):
                return {("passed", row[3]): CERTAIN}
    if row[0] == op.CONDITIONAL:
        values = _returned(engine, table, scope, row[4])
        join(values, _returned(engine, table, scope, row[5]))
        return values
    if row[0] == op.BOOLEAN:
        values = {}
        for one in row[4]:
            join(values, _returned(engine, table, scope, one))
        return values
    return dict(engine.ask("expression", table.path, expression))


def yields(engine: Engine, path: str, scope: int) -> Values:
    """What a generator function yields."""
    table = engine.table(path)
    values: Values = {}
    for flow in table.flows(scope):
        if flow.kind == "yield" and flow.value >= 0:
            join(values, engine.ask("expression", path, flow.value))
        elif flow.kind == "yield from" and flow.value >= 0:
            join(values, engine.iterate(engine.ask("expression", path, flow.value)))
    annotation = table.return_annotation(scope)
    if annotation >= 0 and not values:
        for value in engine.ask("annotation", path, annotation):
            if value[0] == INSTANCE and value[3]:
                join(values, dict.fromkeys(value[3][0], CERTAIN))
    return values
