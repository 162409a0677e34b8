# Containers that a call makes (`list()`, `deque()`, `defaultdict(list)`) are displays as `[]` is one: what is put into
# them later is known. A display is named by the expression that makes it: a literal, a comprehension, such a call, or
# the factory that a `defaultdict` is given, which stands for all that it makes.
from __future__ import annotations

from typing import TYPE_CHECKING, Final

from codemap.inference.heads import heads
from codemap.inference.values import DISPLAY, TEXT, Value, Values, join
from codemap.semantic import expressions as op

if TYPE_CHECKING:
    from codemap.inference.engine import Engine

_LITERALS: Final = {
    op.LIST: "builtins.list", op.TUPLE: "builtins.tuple", op.SET: "builtins.set", op.DICT: "builtins.dict",
}  # fmt: skip
_COMPREHENSIONS: Final = {
    "list": "builtins.list",
    "set": "builtins.set",
    "dict": "builtins.dict",
    "generator": "typing.Generator",
}
_MAPPINGS: Final = frozenset({"builtins.dict", "collections.defaultdict", "collections.OrderedDict"})
CONTAINERS: Final = _MAPPINGS | {"builtins.list", "builtins.set", "collections.deque"}


def class_of_display(engine: Engine, path: str, expression: int) -> str:
    """The qualified name of the class of a display; "" for an expression that makes none."""
    table = engine.table(path)
    row = table.rows[expression]
    if row[0] in _LITERALS:
        return _LITERALS[row[0]]
    if row[0] == op.COMPREHENSION:
        return _COMPREHENSIONS[row[3]]
    named = heads(engine, table, row[3] if row[0] == op.CALL else expression)
    return next((name for name in named if name in CONTAINERS), "")


def is_mapping(engine: Engine, display: Value) -> bool:
    """Whether a display is iterated over by its keys."""
    return class_of_display(engine, display[1], display[2]) in _MAPPINGS


def elements_of_call(engine: Engine, path: str, call: int, key: Value | None) -> Values:
    """What is in the container that a call makes, by its arguments."""
    table = engine.table(path)
    row = table.rows[call]
    name = class_of_display(engine, path, call)
    out: Values = {}
    given = list(row[4])
    if name == "collections.defaultdict" and given:
        factory = given.pop(0)
        if key != ("keys",):
            join(out, _made_by(engine, path, factory))
    for number in given:
        values = engine.ask("expression", path, number)
        if name not in _MAPPINGS or key == ("keys",):
            join(out, engine.iterate(values))
        elif key is None:
            join(out, engine.iterate_values(values))
        else:
            join(out, engine.item(values, key))
    for word, number in zip(row[5], row[6], strict=False):
        if key == ("keys",):
            out[TEXT, word] = 0
        elif name in _MAPPINGS and (key is None or key == ("key", word)):
            join(out, engine.ask("expression", path, number))
    return out


def _made_by(engine: Engine, path: str, factory: int) -> Values:
    """What a factory gives; a container of the standard library is named by the factory."""
    out: Values = {}
    if class_of_display(engine, path, factory) and engine.table(path).rows[factory][0] != op.CALL:
        return {(DISPLAY, path, factory): 0}
    for value, rank in engine.callables(engine.ask("expression", path, factory)).items():
        join(out, engine.result(value, None), rank)
    return out
