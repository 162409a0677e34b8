# Annotations: the instances that a declared type allows (PEP 484, 585, 604, 593, 673, 695).
from __future__ import annotations

from typing import TYPE_CHECKING, Final

from codemap.inference.heads import definitions
from codemap.inference.stubs import is_stub
from codemap.inference.values import (
    CERTAIN,
    CLASS,
    EXTERNAL,
    INSTANCE,
    NONE,
    POSSIBLE,
    TYPE_VARIABLE,
    Value,
    Values,
    join,
)
from codemap.model import facts
from codemap.resolve.attributes import binding_of
from codemap.semantic import expressions as op

if TYPE_CHECKING:
    from codemap.inference.engine import Engine
    from codemap.inference.tables import Table

ALIASES: Final = {
    "List": "builtins.list", "Dict": "builtins.dict", "Set": "builtins.set", "FrozenSet": "builtins.frozenset",
    "Tuple": "builtins.tuple", "Type": "builtins.type", "DefaultDict": "collections.defaultdict",
    "OrderedDict": "collections.OrderedDict", "Counter": "collections.Counter", "ChainMap": "collections.ChainMap",
    "Deque": "collections.deque", "Text": "builtins.str",
}  # fmt: skip
_WRAPPERS: Final = frozenset({
    "Optional", "Union", "ClassVar", "Final", "Annotated", "Required", "NotRequired", "ReadOnly", "InitVar", "Unpack",
})  # fmt: skip
_TYPING: Final = ("typing", "typing_extensions", "dataclasses", "builtins", "_typeshed", "types")
_VARIABLES: Final = frozenset({"TypeVar", "ParamSpec", "TypeVarTuple"})


def annotation(engine: Engine, path: str, expression: int) -> Values:
    """The instances that an annotation allows; `Type[X]` gives classes, a type variable itself."""
    table = engine.table(path)
    row = table.rows[expression]
    kind = row[0]
    if kind == op.STRING_ANNOTATION:
        return dict(engine.ask("annotation", path, row[3])) if row[3] >= 0 else {}
    if kind == op.CONSTANT:
        return {(NONE,): CERTAIN} if row[3] == "NoneType" else {}
    if kind == op.BINARY and row[3] == "|":
        values = dict(engine.ask("annotation", path, row[4]))
        join(values, engine.ask("annotation", path, row[5]))
        return values
    if kind == op.STARRED:
        return dict(engine.ask("annotation", path, row[3]))
    if kind in (op.NAME, op.ATTRIBUTE):
        return _named(engine, table, expression, ())
    if kind == op.SUBSCRIPT:
        index = table.rows[row[4]]
        arguments = index[3] if index[0] == op.TUPLE else (row[4],)
        return _named(engine, table, row[3], tuple(arguments))
    return {}


def _named(engine: Engine, table: Table, expression: int, arguments: tuple[int, ...]) -> Values:
    values: Values = {}
    found = definitions(engine, table, expression)
    for definition in found:
        module, _, name = definition.name.rpartition(".")
        if module in _TYPING and (definition.kind != "class" or name in _WRAPPERS or name == "Type"):
            special = _special(engine, table, name, arguments)
            if special is not None:
                join(values, special)
                continue
        if definition.kind == "class" and definition.scope >= 0:
            join(
                values, _class(engine, table, (definition.file, definition.scope), definition.name, arguments)
            )
            continue
        if definition.kind == "external":
            # an instance of something outside: nothing more is known of it, but that much is
            values[EXTERNAL, f"{definition.name}()"] = CERTAIN
            continue
        binding = binding_of(engine.program, definition)
        if binding is None:
            continue
        if binding.kind == facts.TYPE_PARAMETER:
            values[TYPE_VARIABLE, f"{definition.file}:{binding.scope}:{binding.name}"] = CERTAIN
        elif binding.callee.rpartition(".")[2] in _VARIABLES:
            values[TYPE_VARIABLE, definition.name] = CERTAIN
        elif binding.callee.rpartition(".")[2] == "NewType":
            call = engine.table(definition.file).rows[binding.value]
            if call[0] == op.CALL and len(call[4]) > 1:
                join(values, engine.ask("annotation", definition.file, call[4][1]))
        elif binding.kind == facts.IMPORT:
            continue
        elif binding.value >= 0 and (definition.file, binding.value) != (table.path, expression):
            join(values, engine.ask("annotation", definition.file, binding.value))
    if not found:
        _scope, _ = table.place(expression)
        row = table.rows[expression]
        if row[0] == op.NAME:  # a type parameter of an annotation scope
            for value, rank in engine.ask("name", table.path, expression).items():
                if value[0] == TYPE_VARIABLE:
                    values[value] = rank
    return values


def _special(engine: Engine, table: Table, name: str, arguments: tuple[int, ...]) -> Values | None:
    values: Values = {}
    if name in ("Optional", "Union"):
        for argument in arguments:
            join(values, engine.ask("annotation", table.path, argument))
        if name == "Optional":
            values[(NONE,)] = CERTAIN
        return values
    if name in _WRAPPERS:
        if arguments:
            join(values, engine.ask("annotation", table.path, arguments[0]))
        return values
    if name in (
        "Any",
        "Callable",
        "NoReturn",
        "Never",
        "Generic",
        "Protocol",
        "TypeAlias",
        "Incomplete",
        "Unused",
        "MaybeNone",
    ):
        return values
    if name in ("Literal", "LiteralString"):
        return engine.stub_instance("builtins.str")
    if name == "Self":
        _scope, _ = table.place(arguments[0] if arguments else 0)
        return {(TYPE_VARIABLE, "Self"): CERTAIN}
    if name in ALIASES:
        klass = engine.stub_class(ALIASES[name])
        if klass is not None:
            return _class(engine, table, klass, ALIASES[name], arguments)
        return values
    return None


def _class(
    engine: Engine, table: Table, klass: tuple[str, int], name: str, arguments: tuple[int, ...]
) -> Values:
    if name == "builtins.type":
        values: Values = {}
        for argument in arguments:
            for value, rank in engine.ask("annotation", table.path, argument).items():
                if value[0] == INSTANCE:
                    join(values, {(CLASS, value[1], value[2]): rank})
                    for other in engine.subclasses(value[1], value[2]) if not is_stub(value[1]) else ():
                        join(values, {(CLASS, *other): POSSIBLE})
                elif value[0] == TYPE_VARIABLE:
                    join(values, {("type of", value): rank})
        return values
    if name == "builtins.object":
        return {}
    given: list[frozenset[Value]] = []
    for argument in arguments:
        if table.rows[argument][0] == op.CONSTANT and table.rows[argument][3] == "ellipsis":
            continue
        given.append(frozenset(engine.ask("annotation", table.path, argument)))
    if name == "builtins.tuple" and len(given) > 1:
        return {("tuple", tuple(given)): CERTAIN}
    if name == "typing.Generator" or name == "typing.Iterator":
        pass
    return {(INSTANCE, *klass, tuple(given), True): CERTAIN}
