# Values as instances of their classes, which have methods: displays, texts, generators; bounds of type variables.
from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.inference.made import class_of_display, is_mapping
from codemap.inference.values import (
    CERTAIN,
    COROUTINE,
    DISPLAY,
    GENERATOR,
    LIKELY,
    NUMBER,
    PATTERN,
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


def as_instances(engine: Engine, values: Values) -> Values:
    """Values with displays, generators, strings as instances of their classes, which have methods."""
    out: Values = {}
    for value, rank in values.items():
        tag = value[0]
        if tag == DISPLAY:
            name = class_of_display(engine, value[1], value[2])
            held = engine.ask("elements", value[1], value[2], None)
            inside = frozenset(held)
            rank = max(rank, *held.values()) if held else rank
            if is_mapping(engine, value):
                keys = frozenset(engine.ask("elements", value[1], value[2], ("keys",)))
                join(out, engine.stub_instance(name, keys, inside), rank)
            else:
                join(out, engine.stub_instance(name, inside), rank)
        elif tag == VARIADIC:
            table = engine.table(value[1])
            kind = next((row.kind for row in table.parameters(value[2]) if row.name == value[3]), "*")
            inside = frozenset(engine.iterate_variadic(value, None))
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
                out, engine.stub_instance("builtins.list", frozenset(engine.iterate({value: CERTAIN}))), rank
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
