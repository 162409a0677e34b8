# Type parameters: what the type variables of classes and functions stand for, learned from arguments and from what
# a class says of its bases, and put in their places.
from __future__ import annotations

from typing import TYPE_CHECKING, Final

from codemap.inference.declared import ALIASES
from codemap.inference.heads import definitions
from codemap.inference.values import (
    CERTAIN,
    CLASS,
    INSTANCE,
    LEVELS,
    NONE,
    TYPE_VARIABLE,
    Value,
    Values,
    join,
    shallow,
)
from codemap.resolve.attributes import binding_of
from codemap.semantic import expressions as op

if TYPE_CHECKING:
    from codemap.inference.engine import Engine
    from codemap.inference.tables import Table


def type_parameters(engine: Engine, path: str, scope: int) -> tuple[str, ...]:
    """The type variables of a class in order: of `Generic[..]`/`Protocol[..]`, else as its bases name them."""
    key = ("type parameters", path, scope)
    known: tuple[str, ...] | None = engine.memo.get(key)
    if known is not None:
        return known
    engine.memo[key] = ()  # for a class whose bases name it
    try:
        result = _parameters_of(engine, path, scope)
    except BaseException:  # the solver stops rules, see there
        del engine.memo[key]
        raise
    engine.memo[key] = result
    return result


def _parameters_of(engine: Engine, path: str, scope: int) -> tuple[str, ...]:
    table = engine.table(path)
    row = table.view.class_facts(scope)
    if row is None:
        return ()
    names: list[str] = []
    if row.type_parameters:
        parent = table.scope(scope).parent
        names = [f"{path}:{parent}:{name.lstrip('*')}" for name in row.type_parameters]
    explicit: list[str] = []
    for base in row.base_values:
        entry = table.rows[base]
        if entry[0] != op.SUBSCRIPT:
            continue
        found: list[str] = []
        _variables(engine, table, entry[4], found)
        heads = [definition.name for definition in definitions(engine, table, entry[3])]
        if any(head in ("typing.Generic", "typing.Protocol", "typing_extensions.Protocol") for head in heads):
            explicit += found
        names += found
    return tuple(dict.fromkeys(explicit or names))


def _variables(engine: Engine, table: Table, expression: int, found: list[str]) -> None:
    row = table.rows[expression]
    if row[0] in (op.NAME, op.ATTRIBUTE):
        values = engine.ask("annotation", table.path, expression)
        found += [value[1] for value in values if value[0] == TYPE_VARIABLE]
        return
    for child in op.children(row):
        _variables(engine, table, child, found)


class Environment(dict[str, frozenset[Value]]):
    """What type variables stand for. Values within types have no rank of their own: `least` is the weakest of those
    that were learned, and what is made of them is no surer."""

    least: int = CERTAIN


def environment(engine: Engine, receiver: Value, owner: tuple[str, int]) -> Environment:
    """What the type variables of `owner`, a class in the receiver's MRO, stand for in the receiver."""
    path, scope, arguments = receiver[1], receiver[2], receiver[3]
    start = Environment(zip(type_parameters(engine, path, scope), arguments, strict=False))
    start["Self"] = frozenset({receiver})
    if (path, scope) == owner:
        return start
    work = [((path, scope), start)]
    seen = {(path, scope)}
    while work:
        klass, env = work.pop(0)
        table = engine.table(klass[0])
        row = table.view.class_facts(klass[1])
        if row is None:
            continue
        for base in row.base_values:
            entry = table.rows[base]
            target, given = (entry[3], entry[4]) if entry[0] == op.SUBSCRIPT else (base, -1)
            for definition in definitions(engine, table, target):
                place = (definition.file, definition.scope)
                if definition.kind != "class":
                    alias = ALIASES.get(definition.name.rpartition(".")[2])
                    other = (
                        engine.stub_class(alias) if alias and definition.name.startswith("typing") else None
                    )
                    if other is None:
                        continue
                    place = other
                if place in seen:
                    continue
                seen.add(place)
                inner = Environment(Self=frozenset({receiver}))
                if given >= 0:
                    index = table.rows[given]
                    ids = index[3] if index[0] == op.TUPLE else (given,)
                    values = [
                        substitute_set(frozenset(engine.ask("annotation", klass[0], one)), env) for one in ids
                    ]
                    inner.update(zip(type_parameters(engine, *place), values, strict=False))
                if place == owner:
                    return inner
                work.append((place, inner))
    return Environment(Self=frozenset({receiver}))


_DEEPEST: Final = 4


def substitute_set(values: frozenset[Value], env: Environment, depth: int = 0) -> frozenset[Value]:
    out: set[Value] = set()
    for value in values:
        out.update(_substitute(value, env, depth))
    return frozenset(out)


def _substitute(value: Value, env: Environment, depth: int) -> frozenset[Value] | set[Value]:
    if value[0] == TYPE_VARIABLE:
        known = env.get(value[1])
        return {value} if known is None else shallow(known, LEVELS - depth)
    if value[0] == "type of":
        known = env.get(value[1][1])
        return {value} if known is None else {(CLASS, one[1], one[2]) for one in known if one[0] == INSTANCE}
    if value[0] == INSTANCE and value[3]:
        if depth >= _DEEPEST:
            return {(INSTANCE, value[1], value[2], (), value[4])}
        return {
            (
                INSTANCE,
                value[1],
                value[2],
                tuple(substitute_set(one, env, depth + 1) for one in value[3]),
                value[4],
            )
        }
    if value[0] == "tuple":
        if depth >= _DEEPEST:
            return set()
        return {("tuple", tuple(substitute_set(one, env, depth + 1) for one in value[1]))}
    return {value}


def substitute(values: Values, env: Environment) -> Values:
    """Put what type variables stand for in their places."""
    if not any(
        value[0] in (TYPE_VARIABLE, "type of", "tuple") or (value[0] == INSTANCE and value[3])
        for value in values
    ):
        return values
    out: Values = {}
    for value, rank in values.items():
        for one in _substitute(value, env, 0):
            join(out, {one: rank})
    return out


def unify(
    engine: Engine, table: Table, expression: int, given: Values, env: Environment, depth: int = 0
) -> None:
    """Learn what the type variables of an annotation stand for from the values that are given for it."""
    if expression < 0 or depth > _DEEPEST or not given:
        return None
    row = table.rows[expression]
    if row[0] == op.STRING_ANNOTATION:
        return unify(engine, table, row[3], given, env, depth)
    if row[0] in (op.NAME, op.ATTRIBUTE):
        for value in engine.ask("annotation", table.path, expression):
            if value[0] == TYPE_VARIABLE:
                real = frozenset(one for one in given if one[0] != TYPE_VARIABLE)
                env[value[1]] = env.get(value[1], frozenset()) | real
                env.least = max([env.least, *(given[one] for one in real)])
        if not any(True for _ in engine.ask("annotation", table.path, expression)):
            _alias(engine, table, expression, given, env, depth)
        return None
    if row[0] == op.BINARY:
        for part in (row[4], row[5]):
            unify(
                engine,
                table,
                part,
                {value: rank for value, rank in given.items() if value != (NONE,)},
                env,
                depth,
            )
        return None
    if row[0] != op.SUBSCRIPT:
        return None
    index = table.rows[row[4]]
    ids = index[3] if index[0] == op.TUPLE else (row[4],)
    names = [definition.name.rpartition(".")[2] for definition in definitions(engine, table, row[3])]
    name = names[0] if names else ""
    if name in ("Optional", "Union", "Annotated", "Final", "ClassVar"):
        some = {value: rank for value, rank in given.items() if value != (NONE,)}
        for one in ids[:1] if name == "Annotated" else ids:
            unify(engine, table, one, some, env, depth)
    elif name in ("Type", "type"):
        unify(
            engine,
            table,
            ids[0],
            {
                (INSTANCE, value[1], value[2], (), False): rank
                for value, rank in given.items()
                if value[0] == CLASS
            },
            env,
            depth + 1,
        )
    elif name == "Callable" and len(ids) > 1:
        out: Values = {}
        for value, rank in list(given.items()):
            join(out, engine.result(value, None), rank)
        unify(engine, table, ids[-1], out, env, depth + 1)
    elif name in ("AbstractContextManager", "ContextManager"):
        unify(engine, table, ids[0], engine.entered(given, False), env, depth + 1)
    elif name in ("AbstractAsyncContextManager", "AsyncContextManager"):
        unify(engine, table, ids[0], engine.entered(given, True), env, depth + 1)
    elif name in ("Awaitable", "Coroutine"):
        unify(engine, table, ids[-1], engine.awaited(given), env, depth + 1)
    else:
        wanted = [value for value in engine.ask("annotation", table.path, expression) if value[0] == INSTANCE]
        if not wanted:
            return None
        owner = (wanted[0][1], wanted[0][2])
        own = type_parameters(engine, *owner)
        protocol = name in (
            "Iterable",
            "Iterator",
            "SupportsNext",
            "SupportsIter",
            "AsyncIterable",
            "Collection",
            "Sequence",
            "Container",
        )
        for value, rank in engine.as_instances(given).items():
            if value[0] != INSTANCE:
                continue
            if owner in engine.mro(value[1], value[2]):
                inner = environment(engine, value, owner)
                for variable, one in zip(own, ids, strict=False):
                    if variable in inner:
                        unify(engine, table, one, dict.fromkeys(inner[variable], rank), env, depth + 1)
            elif protocol and ids:
                unify(engine, table, ids[0], engine.iterate({value: rank}), env, depth + 1)
    return None


def _alias(
    engine: Engine, table: Table, expression: int, given: Values, env: Environment, depth: int
) -> None:
    for definition in definitions(engine, table, expression):
        binding = binding_of(engine.program, definition)
        if (
            binding is not None
            and binding.value >= 0
            and (definition.file, binding.value) != (table.path, expression)
        ):
            unify(engine, engine.table(definition.file), binding.value, given, env, depth + 1)
