# What an expression may give, by its op.
from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from codemap.inference import containers, texts
from codemap.inference.arguments import Arguments
from codemap.inference.calls import result_of_call
from codemap.inference.fields import fields
from codemap.inference.keys import constant_key
from codemap.inference.names import name_at
from codemap.inference.narrowing import narrowed, only_instances
from codemap.inference.values import (
    CERTAIN,
    CLASS,
    DISPLAY,
    FUNCTION,
    INSTANCE,
    LIKELY,
    NONE,
    NUMBER,
    SLICE,
    TEXT,
    Value,
    Values,
    join,
)
from codemap.semantic import expressions as op

if TYPE_CHECKING:
    from codemap.inference.engine import Engine
    from codemap.inference.tables import Table

Row = tuple[Any, ...]


def expression(engine: Engine, path: str, number: int) -> Values:
    """What an expression may give, narrowed by the tests it stands under."""
    if number < 0:
        return {}
    table = engine.table(path)
    row = table.rows[number]
    handler = _HANDLERS.get(row[0])
    if handler is None:
        return {}
    values = handler(engine, table, number, row)
    if row[0] in (op.NAME, op.ATTRIBUTE) and values:
        values = narrowed(engine, table, number, values)
    return values


def _name(engine: Engine, table: Table, number: int, row: Row) -> Values:
    return name_at(engine, table.path, number)


def _attribute(engine: Engine, table: Table, number: int, row: Row) -> Values:
    out: Values = {}
    for value, rank in list(engine.ask("expression", table.path, row[3]).items()):
        join(out, engine.ask("attribute", value, row[4]), rank)
    return out


def _call(engine: Engine, table: Table, number: int, row: Row) -> Values:
    return result_of_call(engine, table.path, number)


def _subscript(engine: Engine, table: Table, number: int, row: Row) -> Values:
    return containers.subscript(engine, table.path, number)


def _constant(engine: Engine, table: Table, number: int, row: Row) -> Values:
    kind = row[3]
    if kind == "NoneType":
        return {(NONE,): CERTAIN}
    if kind == "str" and row[4] is not None:
        return {(TEXT, row[4]): CERTAIN}
    if kind == "int" and row[4] is not None:
        return {(NUMBER, row[4]): CERTAIN}
    if kind == "ellipsis":
        return {}
    return engine.stub_instance(f"builtins.{kind}")


def _display(engine: Engine, table: Table, number: int, row: Row) -> Values:
    return {(DISPLAY, table.path, number): CERTAIN}


def _lambda(engine: Engine, table: Table, number: int, row: Row) -> Values:
    return {(FUNCTION, table.path, row[3]): CERTAIN}


_DUNDERS: Final = {
    "+": "add", "-": "sub", "*": "mul", "@": "matmul", "/": "truediv", "//": "floordiv", "%": "mod", "**": "pow",
    "<<": "lshift", ">>": "rshift", "&": "and", "|": "or", "^": "xor",
}  # fmt: skip


def operator_methods(engine: Engine, table: Table, row: Row) -> list[tuple[Value, int]]:
    """The special methods of the tree that an operator calls."""
    out: dict[Value, int] = {}
    if row[0] == op.BINARY:
        name = row[3].rstrip("=") if row[3].endswith("=") else row[3]
        word = _DUNDERS.get(name)
        if word is None:
            return []
        tries = [(row[4], f"__{word}__"), (row[5], f"__r{word}__")]
        if row[3].endswith("="):
            tries.insert(0, (row[4], f"__i{word}__"))
        for operand, method in tries:
            found: dict[Value, int] = {}
            for value, rank in engine.ask("expression", table.path, operand).items():
                if value[0] in (INSTANCE, DISPLAY, TEXT):
                    for one, how in engine.ask("attribute", value, method).items():
                        found[one] = max(rank, how)
            if found:
                out.update(found)
                break
    return sorted(out.items(), key=repr)


def _binary(engine: Engine, table: Table, number: int, row: Row) -> Values:

    if row[3] == "%":
        text = texts.percent(engine.ask("expression", table.path, row[4]))
        if text:
            return text
    if row[3] in ("+", "+="):
        left = engine.ask("expression", table.path, row[4])
        text = texts.added(left, engine.ask("expression", table.path, row[5]))
        if text:
            return text
        if any(value[0] == DISPLAY for value in left):
            out: Values = dict(left)
            join(out, engine.ask("expression", table.path, row[5]))
            return out
    out = {}
    for method, rank in operator_methods(engine, table, row):
        join(
            out,
            engine.result(
                method, Arguments(engine, None, -1, (engine.ask("expression", table.path, row[5]),))
            ),
            rank,
        )
    return out


def _unary(engine: Engine, table: Table, number: int, row: Row) -> Values:
    if row[3] == "not":
        return engine.stub_instance("builtins.bool")

    word = {"-": "__neg__", "+": "__pos__", "~": "__invert__"}[row[3]]
    out: Values = {}
    for value, rank in list(engine.ask("expression", table.path, row[4]).items()):
        for method, how in engine.ask("attribute", value, word).items():
            join(out, engine.result(method, None), max(rank, how))
    return out


def _boolean(engine: Engine, table: Table, number: int, row: Row) -> Values:
    out: Values = {}
    for place, one in enumerate(row[4]):
        values = engine.ask("expression", table.path, one)
        if row[3] == "or" and place + 1 < len(row[4]):
            values = {value: rank for value, rank in values.items() if value != (NONE,)}
        join(out, values)
    return out


def _compare(engine: Engine, table: Table, number: int, row: Row) -> Values:
    return engine.stub_instance("builtins.bool")


def _conditional(engine: Engine, table: Table, number: int, row: Row) -> Values:
    out: Values = {}
    join(out, engine.ask("expression", table.path, row[4]))
    join(out, engine.ask("expression", table.path, row[5]))
    if len([value for value in out if value != (NONE,)]) > 1:
        out = {value: max(rank, LIKELY) for value, rank in out.items()}
    return out


def _await(engine: Engine, table: Table, number: int, row: Row) -> Values:
    return engine.awaited(engine.ask("expression", table.path, row[3]))


def _yield_from(engine: Engine, table: Table, number: int, row: Row) -> Values:
    out: Values = {}
    for value, rank in engine.ask("expression", table.path, row[3]).items():
        if value[0] == "generator":
            join(out, engine.returned_by(value), rank)
    return out


def _starred(engine: Engine, table: Table, number: int, row: Row) -> Values:
    return engine.ask("expression", table.path, row[3])


def _text(engine: Engine, table: Table, number: int, row: Row) -> Values:
    return texts.formatted(engine, table, row)


def _walrus(engine: Engine, table: Table, number: int, row: Row) -> Values:
    return engine.ask("expression", table.path, row[3])


def _iterate(engine: Engine, table: Table, number: int, row: Row) -> Values:
    values = engine.ask("expression", table.path, row[3])
    if row[4]:
        out: Values = {}
        for value, rank in list(values.items()):
            if value[0] == "generator":
                join(out, engine.ask("yields", value[1], value[2]), rank)
                continue
            for method, how in engine.ask("attribute", value, "__aiter__").items():
                for iterator in engine.result(method, None):
                    if iterator[0] == "generator":
                        join(out, engine.ask("yields", iterator[1], iterator[2]), max(rank, how))
                        continue
                    for step, sure in engine.ask("attribute", iterator, "__anext__").items():
                        join(out, engine.awaited(engine.result(step, None)), max(rank, how, sure))
        return out
    return engine.iterate(values)


def _element(engine: Engine, table: Table, number: int, row: Row) -> Values:
    return engine.element(engine.ask("expression", table.path, row[3]), row[4])


def _rest(engine: Engine, table: Table, number: int, row: Row) -> Values:
    return {
        ((SLICE, value, row[4], row[5] or None) if value[0] in (DISPLAY, "variadic") else value): rank
        for value, rank in engine.ask("expression", table.path, row[3]).items()
    }


def _enter(engine: Engine, table: Table, number: int, row: Row) -> Values:
    return engine.entered(engine.ask("expression", table.path, row[3]), bool(row[4]))


def _caught(engine: Engine, table: Table, number: int, row: Row) -> Values:
    out: Values = {}
    for value, rank in list(engine.ask("expression", table.path, row[3]).items()):
        if value[0] == CLASS:
            join(out, {(INSTANCE, value[1], value[2], (), True): rank})
        elif value[0] == DISPLAY:
            for one, how in engine.ask("elements", value[1], value[2], None).items():
                if one[0] == CLASS:
                    join(out, {(INSTANCE, one[1], one[2], (), True): max(rank, how)})
    return out


def _match_class(engine: Engine, table: Table, number: int, row: Row) -> Values:

    classes = engine.ask("expression", table.path, row[4])
    return only_instances(engine, engine.ask("expression", table.path, row[3]), classes)


def _subject(engine: Engine, table: Table, number: int, row: Row) -> Values:
    return engine.ask("expression", table.path, row[3])


def _match_attribute(engine: Engine, table: Table, number: int, row: Row) -> Values:
    return _attribute(engine, table, number, row)


def _match_positional(engine: Engine, table: Table, number: int, row: Row) -> Values:
    out: Values = {}
    for value, rank in list(engine.ask("expression", table.path, row[3]).items()):
        if value[0] != INSTANCE:
            continue
        names: list[str] = []
        for match in engine.ask("attribute", (CLASS, value[1], value[2]), "__match_args__"):
            if match[0] == DISPLAY:
                names = [
                    one[1]
                    for one in (
                        next(iter(engine.ask("elements", match[1], match[2], ("index", row[4]))), None),
                    )
                    if one and one[0] == TEXT
                ]
                if names:
                    join(out, engine.ask("attribute", value, names[0]), rank)
        if not names:
            declared = fields(engine, value[1], value[2])
            if row[4] < len(declared):
                join(out, engine.ask("attribute", value, declared[row[4]][0]), rank)
    return out


def _match_item(engine: Engine, table: Table, number: int, row: Row) -> Values:
    return engine.item(engine.ask("expression", table.path, row[3]), constant_key(engine, table.path, row[4]))


def _match_or(engine: Engine, table: Table, number: int, row: Row) -> Values:
    out: Values = {}
    for one in row[4]:
        join(out, engine.ask("expression", table.path, one), LIKELY)
    return out


_HANDLERS: Final[dict[int, Callable[[Engine, Table, int, Row], Values]]] = {
    op.NAME: _name, op.ATTRIBUTE: _attribute, op.CALL: _call, op.SUBSCRIPT: _subscript, op.CONSTANT: _constant,
    op.TUPLE: _display, op.LIST: _display, op.SET: _display, op.DICT: _display, op.COMPREHENSION: _display,
    op.LAMBDA: _lambda, op.BINARY: _binary, op.UNARY: _unary, op.BOOLEAN: _boolean, op.COMPARE: _compare,
    op.CONDITIONAL: _conditional, op.AWAIT: _await, op.YIELD_FROM: _yield_from, op.STARRED: _starred,
    op.FSTRING: _text, op.WALRUS: _walrus, op.ITERATE: _iterate, op.ELEMENT: _element, op.REST: _rest,
    op.ENTER: _enter, op.CAUGHT: _caught, op.MATCH_CLASS: _match_class, op.MATCH_VALUE: _subject,
    op.MATCH_SEQUENCE: _subject, op.MATCH_MAPPING: _subject, op.MATCH_REST: _subject,
    op.MATCH_ATTRIBUTE: _match_attribute, op.MATCH_POSITIONAL: _match_positional, op.MATCH_ITEM: _match_item,
    op.MATCH_OR: _match_or,
}  # fmt: skip
