# Calls: what a callee may be, and what calling it gives.
from __future__ import annotations

from typing import TYPE_CHECKING, Final

from codemap.inference.arguments import Arguments, fits, for_parameter
from codemap.inference.declared import Environment, environment, substitute, type_parameters, unify
from codemap.inference.heads import heads
from codemap.inference.stubs import is_stub
from codemap.inference.taking import taken_from
from codemap.inference.texts import fits as fits_pattern
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
    LEVELS,
    LIKELY,
    MODULE,
    NONE,
    PARTIAL,
    PATTERN,
    POSSIBLE,
    PROPERTY,
    STATIC,
    SUPER,
    TEXT,
    TYPE_VARIABLE,
    Value,
    Values,
    external_result,
    join,
    shallow,
)
from codemap.model import facts
from codemap.semantic import expressions as op

if TYPE_CHECKING:
    from codemap.inference.engine import Engine
    from codemap.inference.tables import Table

_SAME: Final = frozenset({
    "functools.wraps", "functools.lru_cache", "functools.cache", "functools.singledispatch", "contextlib.contextmanager",
    "contextlib.asynccontextmanager", "abc.abstractmethod", "typing.overload", "typing.final", "typing.no_type_check",
    "typing.runtime_checkable", "typing_extensions.override", "typing.override", "functools.total_ordering",
    "dataclasses.dataclass", "functools.singledispatchmethod", "functools.partialmethod",
    "warnings.deprecated", "typing_extensions.deprecated", "atexit.register",
})  # fmt: skip


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
            from codemap.inference.containers import bound_of

            for one, how in bound_of(engine, value[1]).items():
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
            for one in registered(engine, function[1], function[2]):
                join(out, {(BOUND, one, value[2]) if value[0] == BOUND else one: POSSIBLE})
    return out


_DISPATCHERS: Final = frozenset({"functools.singledispatch", "functools.singledispatchmethod"})


def registered(engine: Engine, path: str, scope: int) -> list[Value]:
    """The implementations that `@function.register` enters for a function under `singledispatch`."""
    from codemap.inference.names import decorator_names

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
        return _construct(engine, value, arguments, site)
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
    special = _special(engine, engine.qualified(path, scope), arguments, site) if is_stub(path) else None
    if special is not None:
        return special
    table = engine.table(path)
    scopes = overloads(engine, path, scope) if arguments is not None else [scope]
    if len(scopes) > 1 and arguments is not None:
        fitting = [one for one in scopes if fits(arguments, table.parameters(one), receiver is not None)]
        scopes = fitting or scopes
        if len(scopes) > 1:
            typed = [one for one in scopes if _types_fit(engine, arguments, table, one, receiver is not None)]
            scopes = typed or scopes
    results = [_one_result(engine, table, one, receiver, arguments) for one in scopes]
    if is_stub(path) or len(results) == 1:
        out: Values = {}
        for made in results:
            join(out, made)
        return out
    return _of_several(results, arguments is not None and arguments.starred())


def _of_several(results: list[Values], starred: bool) -> Values:
    """What overloads that all fit give: what every one of them gives is sure, else the first one comes first."""
    out: Values = {}
    for place, made in enumerate(results):
        for value, rank in made.items():
            if not all(value in other for other in results):
                rank = max(rank, POSSIBLE if place or starred else LIKELY)
            join(out, {value: rank})
    return out


def _types_fit(engine: Engine, arguments: Arguments, table: Table, scope: int, bound: bool) -> bool:
    """Whether what is handed over may be of the types that an overload declares."""
    from codemap.inference.containers import as_instances

    parameters = table.parameters(scope)
    for row in parameters[1 if bound else 0 :]:
        if row.annotation < 0 or row.kind in ("*", "**"):
            continue
        given = for_parameter(arguments, parameters, row.name, bound)
        if not given:
            continue
        declared = engine.ask("annotation", table.path, row.annotation)
        handed = as_instances(engine, given)
        if not declared or not all(value[0] in (INSTANCE, NONE) for value in (*declared, *handed)):
            continue
        wanted = {(value[1], value[2]) for value in declared if value[0] == INSTANCE}
        if not any(
            value in declared if value[0] == NONE else not wanted.isdisjoint(engine.mro(value[1], value[2]))
            for value in handed
        ):
            return False
    return True


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
    return bind_result(engine, table, scope, receiver, arguments, values)


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
                from codemap.inference.containers import as_instances

                for one, rank in as_instances(engine, {own: CERTAIN}).items():
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
        value[0] in (NONE, TYPE_VARIABLE, "tuple")
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
            from codemap.inference.containers import iterate

            join(values, iterate(engine, engine.ask("expression", path, flow.value)))
    annotation = table.return_annotation(scope)
    if annotation >= 0 and not values:
        for value in engine.ask("annotation", path, annotation):
            if value[0] == INSTANCE and value[3]:
                join(values, dict.fromkeys(value[3][0], CERTAIN))
    return values


# --- constructing -----------------------------------------------------------------------------------------------
def _construct(engine: Engine, value: Value, arguments: Arguments | None, site: Site | None) -> Values:
    _, path, scope = value
    if is_stub(path):
        special = _special(engine, engine.qualified(path, scope), arguments, site)
        if special is not None:
            return special
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


# --- what the standard library does that its stubs do not say -------------------------------------------------------
def _special(engine: Engine, name: str, arguments: Arguments | None, site: Site | None) -> Values | None:
    if name in _SAME:
        if arguments is None:
            return None
        if name == "functools.wraps":
            return {("identity",): CERTAIN}
        first = arguments.at(0)
        if first is None or not callables(engine, first):
            return {("identity",): CERTAIN}
        return dict(first)
    handler = _SPECIAL.get(name)
    return handler(engine, arguments, site) if handler is not None and arguments is not None else None


def _super(engine: Engine, arguments: Arguments, site: Site | None) -> Values | None:
    if site is None:
        return {}
    table, call = site
    scope, _ = table.place(call)
    if arguments.count() >= 2:
        out: Values = {}
        for klass in arguments.at(0) or {}:
            for given in arguments.at(1) or {}:
                if klass[0] == CLASS:
                    join(out, {(SUPER, klass[1], klass[2], given): CERTAIN})
        return out
    owner = table.view.enclosing_class(scope)
    if owner < 0:
        return {}
    method = scope
    scopes = table.view.outline.scopes
    while method > 0 and scopes[scopes[method].parent].kind != facts.CLASS:
        method = scopes[method].parent
    receiver: Value = (INSTANCE, table.path, owner, (), True)
    function = table.view.function_facts(method)
    decorators = function.decorators if function is not None else ()
    if "classmethod" in decorators or scopes[method].name in (
        "__new__",
        "__init_subclass__",
        "__class_getitem__",
    ):
        receiver = (CLASS, table.path, owner)
    return {(SUPER, table.path, owner, receiver): CERTAIN}


def _type(engine: Engine, arguments: Arguments, site: Site | None) -> Values | None:
    if arguments.count() != 1:
        return None
    out: Values = {}
    for value, rank in (arguments.at(0) or {}).items():
        if value[0] == INSTANCE:
            join(out, {(CLASS, value[1], value[2]): rank})
            if value[4]:
                for other in engine.subclasses(value[1], value[2]):
                    join(out, {(CLASS, *other): POSSIBLE})
    return out


def _partial(engine: Engine, arguments: Arguments, site: Site | None) -> Values | None:
    return {(PARTIAL, site[0].path, site[1]): CERTAIN} if site is not None else {}


def _getattr(engine: Engine, arguments: Arguments, site: Site | None) -> Values | None:
    out: Values = {}
    for text in arguments.at(1) or {}:
        if text[0] == TEXT:
            for value, rank in (arguments.at(0) or {}).items():
                join(out, engine.ask("attribute", value, text[1]), rank)
        elif text[0] == PATTERN:
            for value, rank in (arguments.at(0) or {}).items():
                for name in _names_of(engine, value):
                    if fits_pattern(text, name):
                        join(out, engine.ask("attribute", value, name), max(rank, POSSIBLE))
    default = arguments.at(2)
    if default:
        join(out, {value: rank for value, rank in default.items() if value[0] != NONE}, LIKELY)
    return out


def _names_of(engine: Engine, value: Value) -> list[str]:
    """The names that the classes of the tree along a value's MRO, or a module, bind."""
    if value[0] == MODULE:
        files = engine.program.modules.files_of(value[1])
        return [] if not files or is_stub(files[0]) else sorted(engine.table(files[0]).view.names(0))
    if value[0] not in (INSTANCE, CLASS):
        return []
    places = engine.mro(value[1], value[2])
    if value[0] == INSTANCE and value[4]:
        places += engine.subclasses(value[1], value[2])
    return sorted(
        {name for path, scope in places if not is_stub(path) for name in engine.table(path).view.names(scope)}
    )


def _cast(engine: Engine, arguments: Arguments, site: Site | None) -> Values | None:
    if site is None:
        return {}
    table, call = site
    row = table.rows[call]
    return dict(engine.ask("annotation", table.path, row[4][0])) if row[4] else {}


def _import_module(engine: Engine, arguments: Arguments, site: Site | None) -> Values | None:
    out: Values = {}
    for value in arguments.at(0) or {}:
        if value[0] == TEXT and engine.program.modules.exists(value[1]):
            out[MODULE, value[1]] = CERTAIN
    return out


def _static(engine: Engine, arguments: Arguments, site: Site | None) -> Values | None:
    return {(STATIC, value): rank for value, rank in (arguments.at(0) or {}).items()}


def _classmethod(engine: Engine, arguments: Arguments, site: Site | None) -> Values | None:
    return {(CLASSMETHOD, value): rank for value, rank in (arguments.at(0) or {}).items()}


def _property(engine: Engine, arguments: Arguments, site: Site | None) -> Values | None:
    return {(PROPERTY, value): rank for value, rank in (arguments.at(0) or {}).items()}


def _map(engine: Engine, arguments: Arguments, site: Site | None) -> Values | None:
    """An iterator over what the function gives. A function is no iterable: where it is handed over at another place
    than the first one, the order of the arguments was mistaken, and the function is meant all the same."""
    out: Values = {}
    for position in range(arguments.count()):
        for value, rank in callables(engine, arguments.at(position) or {}).items():
            if position == 0 or value[0] in (FUNCTION, BOUND):
                join(out, result(engine, value, None), rank)
    return engine.stub_instance("builtins.map", frozenset(out))


def _zip(engine: Engine, arguments: Arguments, site: Site | None) -> Values | None:
    """An iterator over tuples, each place of which is known by itself."""
    from codemap.inference.containers import iterate

    if arguments.starred():
        return None
    parts = [iterate(engine, arguments.at(position) or {}) for position in range(arguments.count())]
    least = max((rank for part in parts for rank in part.values()), default=CERTAIN)
    pair = ("tuple", tuple(frozenset(part) for part in parts))
    return dict.fromkeys(engine.stub_instance("builtins.zip", frozenset({pair})), least)


def _first(engine: Engine, arguments: Arguments, site: Site | None) -> Values | None:
    return dict(arguments.at(0) or {})


_SPECIAL: Final = {
    "builtins.super": _super,
    "builtins.type": _type,
    "functools.partial": _partial,
    "builtins.getattr": _getattr,
    "typing.cast": _cast,
    "builtins.map": _map,
    "builtins.zip": _zip,
    "importlib.import_module": _import_module,
    "builtins.__import__": _import_module,
    "builtins.staticmethod": _static,
    "builtins.classmethod": _classmethod,
    "builtins.property": _property,
    "functools.cached_property": _property,
    "dataclasses.replace": _first,
    "copy.copy": _first,
    "copy.deepcopy": _first,
    "functools.update_wrapper": _first,
}


# --- decorators ------------------------------------------------------------------------------------------------------
def decorate(engine: Engine, table: Table, expression: int, values: Values, names: tuple[str, ...]) -> Values:
    """What a decorator makes of what it is given."""
    if any(name in _SAME for name in names):
        return values
    out: Values = {}
    arguments = Arguments(engine, None, -1, (values,))
    callers = callables(engine, engine.ask("expression", table.path, expression))
    if ("identity",) in engine.ask("expression", table.path, expression):
        return values
    for value, rank in callers.items():
        if value[0] == EXTERNAL:
            join(out, values, LIKELY)
            continue
        made = result(engine, value, arguments)
        if ("identity",) in made:
            return values
        join(out, made, rank)
    return out or values


__all__ = ["callables", "callees", "decorate", "heads", "result", "returns", "yields"]
