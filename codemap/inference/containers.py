# What is in containers: displays with what is put into them later, generators, typed containers.
from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.inference.arguments import Arguments
from codemap.inference.fields import fields, is_named_tuple
from codemap.inference.keys import constant_key
from codemap.inference.made import is_mapping
from codemap.inference.slots import stored_under
from codemap.inference.values import (
    CERTAIN,
    CLASS,
    DISPLAY,
    GENERATOR,
    INSTANCE,
    LIKELY,
    NUMBER,
    PATTERN,
    POSSIBLE,
    SLICE,
    TEXT,
    VARIADIC,
    Value,
    Values,
    join,
)
from codemap.semantic import expressions as op

if TYPE_CHECKING:
    from codemap.inference.engine import Engine


def iterated(engine: Engine, value: Value) -> Values:
    """An element obtained by iterating over the value."""
    tag = value[0]
    if tag == DISPLAY:
        keys = is_mapping(engine, value)
        return dict(engine.ask("elements", value[1], value[2], ("keys",) if keys else None))
    if tag == GENERATOR:
        return dict(engine.ask("yields", value[1], value[2]))
    if tag == VARIADIC:
        return iterate_variadic(engine, value, None)
    if tag == "tuple":
        return {one: CERTAIN for part in value[1] for one in part}
    if tag == SLICE:
        _, whole, first, last = value
        size = engine.length(whole)
        if size is None:
            return dict(engine.ask("iterated", whole))
        sliced: Values = {}
        for index in range(*slice(first, last).indices(size)):
            join(sliced, element(engine, {whole: CERTAIN}, index))
        return sliced
    if tag == CLASS:
        if engine.is_enum((value[1], value[2])):
            return {(INSTANCE, value[1], value[2], (), False): CERTAIN}
        return {}
    if tag in (INSTANCE, TEXT, PATTERN):
        out: Values = {}
        for one, rank in engine.as_instances({value: CERTAIN}).items():
            for method, how in engine.ask("attribute", one, "__iter__").items():
                for iterator, sure in engine.as_instances(engine.result(method, None)).items():
                    if iterator[0] == INSTANCE:
                        for step, more in engine.ask("attribute", iterator, "__next__").items():
                            join(out, engine.result(step, None), max(rank, how, sure, more))
                    elif iterator[0] == GENERATOR:
                        join(out, engine.ask("yields", iterator[1], iterator[2]), max(rank, how))
            if not out:
                for method, how in engine.ask("attribute", one, "__getitem__").items():
                    if not str(one[1]).startswith("<"):
                        join(out, engine.result(method, None), max(rank, how, LIKELY))
        return out
    return {}


def iterate(engine: Engine, values: Values) -> Values:
    out: Values = {}
    for value, rank in list(values.items()):
        join(out, engine.ask("iterated", value), rank)
    return out


def iterate_values(engine: Engine, values: Values) -> Values:
    """The values of mappings."""
    out: Values = {}
    for value, rank in list(values.items()):
        if value[0] == DISPLAY:
            join(out, engine.ask("elements", value[1], value[2], None), rank)
        elif value[0] == VARIADIC:
            join(out, iterate_variadic(engine, value, None), rank)
        elif value[0] == INSTANCE and len(value[3]) == 2:
            join(out, dict.fromkeys(value[3][1], rank))
        elif value[0] == INSTANCE:
            join(out, iterate(engine, {value: rank}))
    return out


def iterate_variadic(engine: Engine, value: Value, key: str | int | None) -> Values:
    """What callers hand over in `*args` / `**kwargs`: all of it, at a position, or under a name."""
    return engine.ask("variadic", value[1], value[2], value[3], key)


def element(engine: Engine, values: Values, index: int) -> Values:
    """The element at a constant position."""
    out: Values = {}
    for value, rank in list(values.items()):
        if value[0] == DISPLAY:
            row = engine.table(value[1]).rows[value[2]]
            if row[0] in (op.LIST, op.TUPLE):
                join(out, engine.ask("elements", value[1], value[2], ("index", index)), rank)
            else:
                join(out, engine.ask("iterated", value), rank)
        elif value[0] == "tuple":
            if -len(value[1]) <= index < len(value[1]):
                join(out, dict.fromkeys(value[1][index], rank))
        elif value[0] == VARIADIC:
            join(out, iterate_variadic(engine, value, index), rank)
        elif value[0] == INSTANCE and field_at(engine, value, index):
            join(out, engine.ask("attribute", value, field_at(engine, value, index)), rank)
        elif value[0] == SLICE:
            _, whole, first, last = value
            size = engine.length(whole)
            if size is None:
                join(
                    out,
                    element(engine, {whole: CERTAIN}, index + (first or 0))
                    if index >= 0 and (first or 0) >= 0
                    else engine.ask("iterated", whole),
                    rank,
                )
            else:
                places = range(*slice(first, last).indices(size))
                if -len(places) <= index < len(places):
                    join(out, element(engine, {whole: CERTAIN}, places[index]), rank)
        else:
            join(out, engine.ask("iterated", value), rank)
    return out


def field_at(engine: Engine, value: Value, index: int) -> str:
    """The field at a position of a named tuple, "" where there is none."""
    if value[1].startswith("<") or not is_named_tuple(engine, value[1], value[2]):
        return ""
    declared = fields(engine, value[1], value[2])
    return declared[index][0] if -len(declared) <= index < len(declared) else ""


def item(engine: Engine, values: Values, key: object) -> Values:
    """What is under a constant key of a mapping (a text, or a key as `elements` takes it)."""
    if isinstance(key, str):
        key = ("key", key)
    out: Values = {}
    for value, rank in list(values.items()):
        if value[0] == DISPLAY:
            join(out, engine.ask("elements", value[1], value[2], key), rank)
        elif value[0] == VARIADIC:
            name = key[1] if isinstance(key, tuple) and key[0] == "key" else None
            join(out, iterate_variadic(engine, value, name), rank)
        else:
            join(out, iterate_values(engine, {value: rank}))
    return out


def subscript(engine: Engine, path: str, number: int) -> Values:
    """What the SUBSCRIPT expression gives."""

    table = engine.table(path)
    surely = stored_under(engine, table, number)
    if surely is not None:
        return surely
    _, _, _, container, index = table.rows[number]
    values = engine.ask("expression", path, container)
    out: Values = {}
    row = table.rows[index]
    key = None if row[0] == op.SLICE else constant_key(engine, path, index)
    for value, rank in list(values.items()):
        if row[0] == op.SLICE and value[0] in (DISPLAY, VARIADIC, SLICE):
            join(out, {_sliced(engine, path, value, row): rank})
        elif row[0] == op.SLICE and value[0] in (TEXT, PATTERN):
            join(out, engine.stub_instance("builtins.str"), rank)
        elif value[0] == SLICE:
            join(
                out,
                element(engine, {value: rank}, key[1])
                if key is not None and key[0] == "index"
                else engine.ask("iterated", value),
                rank,
            )
        elif value[0] == DISPLAY:
            kind = engine.table(value[1]).rows[value[2]][0]
            found = engine.ask("elements", value[1], value[2], key)
            several = len(found) > 1 and key is None
            join(out, found, max(rank, POSSIBLE if several else CERTAIN))
            if kind == op.COMPREHENSION and key is not None:
                join(out, engine.ask("elements", value[1], value[2], None), rank)
        elif value[0] == VARIADIC:
            join(out, iterate_variadic(engine, value, key[1] if key is not None else None), rank)
        elif value[0] == "tuple":
            if key is not None and key[0] == "index" and -len(value[1]) <= key[1] < len(value[1]):
                join(out, dict.fromkeys(value[1][key[1]], rank))
            else:
                join(out, {one: rank for part in value[1] for one in part})
        elif value[0] == CLASS:
            if engine.is_enum((value[1], value[2])):
                join(out, {(INSTANCE, value[1], value[2], (), False): rank})
            else:
                join(out, {value: rank})  # Generic[int]
        elif (
            value[0] == INSTANCE and key is not None and key[0] == "index" and field_at(engine, value, key[1])
        ):
            join(out, element(engine, {value: rank}, key[1]))
        elif value[0] in (INSTANCE, TEXT, PATTERN, NUMBER):
            given = Arguments(engine, None, -1, (engine.ask("expression", path, index),))
            for one, how in engine.ask("attribute", value, "__getitem__").items():
                join(out, engine.result(one, given), max(rank, how))
        elif value[0] == "external":
            join(out, {value: rank})
    return out


def _sliced(engine: Engine, path: str, value: Value, row: tuple[object, ...]) -> Value:
    bounds = []
    for place in (3, 4, 5):
        one: int = row[place]  # type: ignore[assignment]
        key = constant_key(engine, path, one) if one >= 0 else None
        bounds.append(key[1] if key is not None and key[0] == "index" else None if one < 0 else "?")
    if "?" in bounds or bounds[2] is not None or value[0] == SLICE:
        return value
    return (SLICE, value, bounds[0], bounds[1])
