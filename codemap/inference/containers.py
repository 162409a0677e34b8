# What is in containers: displays with what is put into them later, generators, typed containers.
from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.inference.fields import fields, is_named_tuple
from codemap.inference.keys import constant_key
from codemap.inference.values import (
    BOUND,
    CERTAIN,
    CLASS,
    COROUTINE,
    DISPLAY,
    GENERATOR,
    INSTANCE,
    LIKELY,
    NUMBER,
    PATTERN,
    POSSIBLE,
    SLICE,
    TEXT,
    TYPE_VARIABLE,
    VARIADIC,
    Value,
    Values,
    join,
)
from codemap.model import facts
from codemap.semantic import expressions as op

if TYPE_CHECKING:
    from codemap.inference.engine import Engine

_KINDS = {
    op.LIST: "builtins.list", op.TUPLE: "builtins.tuple", op.SET: "builtins.set", op.DICT: "builtins.dict",
}  # fmt: skip
_COMPREHENSIONS = {
    "list": "builtins.list",
    "set": "builtins.set",
    "dict": "builtins.dict",
    "generator": "typing.Generator",
}


def as_instances(engine: Engine, values: Values) -> Values:
    """Values with displays, generators, strings as instances of their classes, which have methods."""
    out: Values = {}
    for value, rank in values.items():
        tag = value[0]
        if tag == DISPLAY:
            row = engine.table(value[1]).rows[value[2]]
            name = _COMPREHENSIONS[row[3]] if row[0] == op.COMPREHENSION else _KINDS[row[0]]
            held = engine.ask("elements", value[1], value[2], None)
            inside = frozenset(held)
            rank = max(rank, *held.values()) if held else rank
            if name == "builtins.dict":
                keys = frozenset(engine.ask("elements", value[1], value[2], ("keys",)))
                join(out, engine.stub_instance(name, keys, inside), rank)
            else:
                join(out, engine.stub_instance(name, inside), rank)
        elif tag == VARIADIC:
            table = engine.table(value[1])
            kind = next((row.kind for row in table.parameters(value[2]) if row.name == value[3]), "*")
            inside = frozenset(iterate_variadic(engine, value, None))
            if kind == "*":
                join(out, engine.stub_instance("builtins.tuple", inside), rank)
            else:
                join(
                    out,
                    engine.stub_instance(
                        "builtins.dict", frozenset(engine.stub_instance("builtins.str")), inside
                    ),
                    rank,
                )
        elif tag == "tuple":
            inside = frozenset(one for part in value[1] for one in part)
            join(out, engine.stub_instance("builtins.tuple", inside), rank)
        elif tag in (TEXT, PATTERN):
            join(out, engine.stub_instance("builtins.str"), rank)
        elif tag == NUMBER:
            join(out, engine.stub_instance("builtins.int"), rank)
        elif tag == SLICE:
            join(
                out, engine.stub_instance("builtins.list", frozenset(iterate(engine, {value: CERTAIN}))), rank
            )
        elif tag == GENERATOR:
            join(
                out,
                engine.stub_instance("typing.Generator", frozenset(engine.ask("yields", value[1], value[2]))),
                rank,
            )
        elif tag == COROUTINE:
            join(
                out,
                engine.stub_instance(
                    "typing.Coroutine",
                    frozenset(),
                    frozenset(),
                    frozenset(engine.ask("returns", value[1], value[2])),
                ),
                rank,
            )
        else:
            join(out, {value: rank})
    return out


def bound_of(engine: Engine, value: Value) -> Values:
    """What a type variable that nothing has bound may stand for: its bound, or its constraints."""
    name = value[1]
    if ":" in name or name == "Self":
        return {}
    module, _, last = name.rpartition(".")
    for path in engine.program.modules.files_of(module)[:1]:
        table = engine.table(path)
        for _, binding in table.outer_bindings(0, last):
            if binding.value < 0:
                continue
            row = table.rows[binding.value]
            if row[0] != op.CALL:
                continue
            out: Values = {}
            for key, number in zip(row[5], row[6], strict=False):
                if key == "bound":
                    join(out, engine.ask("annotation", path, number))
            for number in row[4][1:]:
                join(out, engine.ask("annotation", path, number), LIKELY)
            return out
    return {}


# --- displays ------------------------------------------------------------------------------------------------------
def elements(engine: Engine, path: str, expression: int, key: Value | None) -> Values:
    """What is in a display: all of it (key None), under a constant key, or its keys (("keys",))."""
    table = engine.table(path)
    row = table.rows[expression]
    out: Values = {}
    if row[0] in (op.LIST, op.TUPLE, op.SET):
        for place, number in enumerate(row[3]):
            if table.rows[number][0] == op.STARRED:
                join(out, iterate(engine, engine.ask("expression", path, table.rows[number][3])))
            elif (
                key is None
                or key == ("index", place)
                or key == ("index", place - len(row[3]))
                or any(table.rows[one][0] == op.STARRED for one in row[3][: place + 1])
            ):
                join(out, engine.ask("expression", path, number))
    elif row[0] == op.DICT:
        for one, number in zip(row[3], row[4], strict=False):
            if one < 0:
                inner = engine.ask("expression", path, number)
                join(out, item(engine, inner, key) if key is not None else iterate_values(engine, inner))
            elif key == ("keys",):
                join(out, engine.ask("expression", path, one))
            elif key is None or constant_key(engine, path, one) in (None, key):
                join(out, engine.ask("expression", path, number))
    elif row[0] == op.COMPREHENSION:
        inside = row[6]
        if row[3] == "dict" and len(inside) == 2:
            join(out, engine.ask("expression", path, inside[0] if key == ("keys",) else inside[1]))
        else:
            for number in inside:
                join(out, engine.ask("expression", path, number))
    if row[0] != op.TUPLE and not (row[0] == op.COMPREHENSION and row[3] == "generator"):
        join(out, _put(engine, path, expression, key), LIKELY)
    return out


def _put(engine: Engine, path: str, expression: int, key: Value | None) -> Values:
    """What code puts into the container that an expression makes, found by the names that it is kept under."""
    from codemap.inference.tables import ADDERS, SPLICERS

    out: Values = {}
    display = (DISPLAY, path, expression)
    for file, name in _kept_under(engine, path, expression):
        files = (
            [file]
            if file
            else sorted(engine.program.mentioning(name, facts.ROLE_READ | facts.ROLE_ATTRIBUTE))
        )
        for other in files:
            table = engine.table(other)
            for number in table.mutations(name):
                row = table.rows[number]
                if row[0] == op.CALL:
                    callee = table.rows[row[3]]
                    receiver, method = callee[3], callee[4]
                elif row[0] == op.BINARY:
                    receiver, method = row[4], row[3]
                else:
                    receiver, method = row[3], "="
                if display not in engine.ask("expression", other, receiver):
                    continue
                if method == "=" and table.rows[row[4]][0] == op.SLICE:
                    if row[5] >= 0 and key != ("keys",):
                        join(out, iterate(engine, engine.ask("expression", other, row[5])), POSSIBLE)
                elif method == "=":
                    where = constant_key(engine, other, row[4])
                    if key == ("keys",):
                        join(out, engine.ask("expression", other, row[4]), POSSIBLE)
                    elif (key is None or where is None or where == key) and row[5] >= 0:
                        join(
                            out,
                            engine.ask("expression", other, row[5]),
                            POSSIBLE if where is None or key is None else LIKELY,
                        )
                elif row[0] == op.BINARY:
                    join(out, iterate(engine, engine.ask("expression", other, row[5])), POSSIBLE)
                elif method in SPLICERS:
                    for one in row[4]:
                        given = engine.ask("expression", other, one)
                        join(
                            out,
                            item(engine, given, key)
                            if key is not None
                            else (
                                iterate_values(engine, given)
                                if method == "update"
                                else iterate(engine, given)
                            ),
                            POSSIBLE,
                        )
                    for one in row[6]:
                        join(out, engine.ask("expression", other, one), POSSIBLE)
                else:
                    position = ADDERS[method]
                    if len(row[4]) > position:
                        join(out, engine.ask("expression", other, row[4][position]), POSSIBLE)
    return out


def _kept_under(engine: Engine, path: str, expression: int) -> list[tuple[str, str]]:
    """The names that hold the value of an expression: (file, name) for locals, ("", name) for what all may see."""
    table = engine.table(path)
    out = []
    scopes = table.view.outline.scopes
    for kind, row in table.holders(expression):
        if kind == "binding":
            local = scopes[row.scope].kind not in (facts.MODULE, facts.CLASS)
            out.append((path if local else "", row.name))
        else:
            out.append(("", table.rows[row][4]))
    parent = table.parent(expression)
    if (
        parent >= 0 and table.rows[parent][0] == op.CALL
    ):  # handed to a function: known there by the parameter's name
        call = table.rows[parent]
        for value in list(engine.ask("callees", path, parent)):
            function = value[1] if value[0] == BOUND else value
            if function[0] != "function":
                continue
            other = engine.table(function[1])
            names = other.parameters(function[2])
            if expression in call[4]:
                place = call[4].index(expression) + (1 if value[0] == BOUND else 0)
                if place < len(names):
                    out.append((function[1], names[place].name))
            else:
                out.append((function[1], call[5][call[6].index(expression)]))
    # a name that holds it may be handed on to a function which knows it by a parameter
    for file, name in list(out):
        if file != path:
            continue
        for read in table.reads(name):
            call_at = table.parent(read)
            if call_at < 0 or table.rows[call_at][0] != op.CALL or read == table.rows[call_at][3]:
                continue
            call = table.rows[call_at]
            for value in list(engine.ask("callees", path, call_at)):
                function = value[1] if value[0] == BOUND else value
                if function[0] != "function" or str(function[1]).startswith("<"):
                    continue
                names = engine.table(function[1]).parameters(function[2])
                if read in call[4]:
                    place = call[4].index(read) + (1 if value[0] == BOUND else 0)
                    if place < len(names):
                        out.append((function[1], names[place].name))
                elif read in call[6]:
                    out.append((function[1], call[5][call[6].index(read)]))
    return sorted(set(out))


# --- reading from containers --------------------------------------------------------------------------------------
def iterated(engine: Engine, value: Value) -> Values:
    """An element obtained by iterating over the value."""
    tag = value[0]
    if tag == DISPLAY:
        row = engine.table(value[1]).rows[value[2]]
        keys = row[0] == op.DICT or (row[0] == op.COMPREHENSION and row[3] == "dict")
        return dict(engine.ask("elements", value[1], value[2], ("keys",) if keys else None))
    if tag == GENERATOR:
        return dict(engine.ask("yields", value[1], value[2]))
    if tag == VARIADIC:
        return iterate_variadic(engine, value, None)
    if tag == "tuple":
        return {one: CERTAIN for part in value[1] for one in part}
    if tag == SLICE:
        _, whole, first, last = value
        size = _length(engine, whole)
        if size is None:
            return dict(engine.ask("iterated", whole))
        sliced: Values = {}
        for index in range(*slice(first, last).indices(size)):
            join(sliced, element(engine, {whole: CERTAIN}, index))
        return sliced
    if tag == CLASS:
        from codemap.inference.attributes import _is_enum

        if _is_enum(engine, (value[1], value[2])):
            return {(INSTANCE, value[1], value[2], (), False): CERTAIN}
        return {}
    if tag in (INSTANCE, TEXT, PATTERN):
        from codemap.inference.calls import result

        out: Values = {}
        for one, rank in as_instances(engine, {value: CERTAIN}).items():
            for method, how in engine.ask("attribute", one, "__iter__").items():
                for iterator, sure in as_instances(engine, result(engine, method, None)).items():
                    if iterator[0] == INSTANCE:
                        for step, more in engine.ask("attribute", iterator, "__next__").items():
                            join(out, result(engine, step, None), max(rank, how, sure, more))
                    elif iterator[0] == GENERATOR:
                        join(out, engine.ask("yields", iterator[1], iterator[2]), max(rank, how))
            if not out:
                for method, how in engine.ask("attribute", one, "__getitem__").items():
                    if not str(one[1]).startswith("<"):
                        join(out, result(engine, method, None), max(rank, how, LIKELY))
        return out
    return {}


def _length(engine: Engine, value: Value) -> int | None:
    """How many elements a display has, when it says so itself."""
    if value[0] != DISPLAY:
        return None
    table = engine.table(value[1])
    row = table.rows[value[2]]
    if row[0] not in (op.LIST, op.TUPLE) or any(table.rows[one][0] == op.STARRED for one in row[3]):
        return None
    return len(row[3])


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
            size = _length(engine, whole)
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
    from codemap.inference.slots import stored_under

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
            from codemap.inference.attributes import _is_enum

            if _is_enum(engine, (value[1], value[2])):
                join(out, {(INSTANCE, value[1], value[2], (), False): rank})
            else:
                join(out, {value: rank})  # Generic[int]
        elif (
            value[0] == INSTANCE and key is not None and key[0] == "index" and field_at(engine, value, key[1])
        ):
            join(out, element(engine, {value: rank}, key[1]))
        elif value[0] in (INSTANCE, TEXT, PATTERN, NUMBER):
            from codemap.inference.arguments import Arguments
            from codemap.inference.calls import result

            given = Arguments(engine, None, -1, (engine.ask("expression", path, index),))
            for one, how in engine.ask("attribute", value, "__getitem__").items():
                join(out, result(engine, one, given), max(rank, how))
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


def awaited(engine: Engine, values: Values) -> Values:
    out: Values = {}
    for value, rank in list(values.items()):
        if value[0] == COROUTINE:
            join(out, returned_by(engine, value), rank)
        elif value[0] == INSTANCE:
            from codemap.inference.calls import result

            for method, how in engine.ask("attribute", value, "__await__").items():
                made = result(engine, method, None)
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
    from codemap.inference.calls import result

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
            made = result(engine, method, None)
            join(out, awaited(engine, made) if asynchronous else made, max(rank, how))
    return out


__all__ = [
    "TYPE_VARIABLE",
    "as_instances",
    "awaited",
    "element",
    "elements",
    "entered",
    "item",
    "iterate",
    "subscript",
]
