# Calls that no parentheses show: special methods behind operators, iteration, `with`, subscripts, attribute access
# through properties and descriptors, formatting, and what builtins like `len` call. One rule, "implicit", by the
# op of the expression; what a definition runs (decorators, `__init_subclass__`, `__set_name__`) is in `defining`.
from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from codemap.inference.descriptors import accessors
from codemap.inference.evaluated import evaluated
from codemap.inference.expressions import operator_methods
from codemap.inference.stubs import is_stub
from codemap.inference.values import (
    BOUND,
    CLASS,
    FUNCTION,
    INSTANCE,
    Value,
    Values,
    join,
)
from codemap.semantic import expressions as op

if TYPE_CHECKING:
    from codemap.inference.engine import Engine
    from codemap.inference.tables import Table

Row = tuple[Any, ...]
_TRUTH: Final = ("__bool__", "__len__")


def implicit(engine: Engine, path: str, expression: int) -> Values:
    """("edge", callee, how) for each special method of the tree that an expression runs."""
    table = engine.table(path)
    row = table.rows[expression]
    handler = _HANDLERS.get(row[0])
    out = handler(engine, table, expression, row) if handler is not None else {}
    use = table.uses(expression)
    if use == "raise":
        for value, rank in engine.ask("expression", path, expression).items():
            if value[0] == CLASS and not is_stub(value[1]):
                join(out, {("edge", value, "raise"): rank})
    elif use == "test":
        join(out, _methods(engine, engine.ask("expression", path, expression), _TRUTH, "truth"))
    return out


def _methods(engine: Engine, values: Values, names: tuple[str, ...], how: str) -> Values:
    """Edges to the first of the special methods that each value has, where it is the tree's own."""
    out: Values = {}
    for value, rank in list(values.items()):
        for name in names:
            found = special_method(engine, value, name)
            for one, sure in found.items():
                if _of_tree(one):
                    join(out, {("edge", one, how): max(rank, sure)})
            if found:
                break
    return out


def special_method(engine: Engine, value: Value, name: str) -> Values:
    """A special method of an instance; of a class, the one that its metaclass has."""
    if value[0] == INSTANCE and not is_stub(value[1]):
        return {one: rank for one, rank in engine.ask("attribute", value, name).items() if one[0] == BOUND}
    return {}


def _of_tree(value: Value) -> bool:
    function = value[1] if value[0] == BOUND else value
    return bool(function[0] in (FUNCTION, CLASS) and not is_stub(function[1]))


def _attribute(engine: Engine, table: Table, number: int, row: Row) -> Values:
    out: Values = {}
    for value, rank in list(engine.ask("expression", table.path, row[3]).items()):
        for one, sure in accessors(engine, value, row[4], "get").items():
            join(out, {("edge", one, "property"): max(rank, sure)})
    return out


def _store_attribute(engine: Engine, table: Table, number: int, row: Row) -> Values:
    out: Values = {}
    if row[5] < 0:
        return out
    for value, rank in list(engine.ask("expression", table.path, row[3]).items()):
        for one, sure in accessors(engine, value, row[4], "set").items():
            join(out, {("edge", one, "property"): max(rank, sure)})
    return out


def _delete_attribute(engine: Engine, table: Table, number: int, row: Row) -> Values:
    out: Values = {}
    for value, rank in list(engine.ask("expression", table.path, row[3]).items()):
        for one, sure in accessors(engine, value, row[4], "delete").items():
            join(out, {("edge", one, "property"): max(rank, sure)})
    return out


def _binary(engine: Engine, table: Table, number: int, row: Row) -> Values:
    return {
        ("edge", one, "operator"): rank
        for one, rank in operator_methods(engine, table, row)
        if one[0] == BOUND and _of_tree(one)
    }


_UNARY: Final = {"-": ("__neg__",), "+": ("__pos__",), "~": ("__invert__",), "not": ("__bool__", "__len__")}


def _unary(engine: Engine, table: Table, number: int, row: Row) -> Values:
    return _methods(engine, engine.ask("expression", table.path, row[4]), _UNARY[row[3]], "operator")


_COMPARE: Final = {
    "<": ("__lt__", "__gt__"), ">": ("__gt__", "__lt__"), "<=": ("__le__", "__ge__"), ">=": ("__ge__", "__le__"),
    "==": ("__eq__", "__eq__"), "!=": ("__ne__", "__ne__"),
}  # fmt: skip


def _compare(engine: Engine, table: Table, number: int, row: Row) -> Values:
    out: Values = {}
    left = row[4]
    for word, right in zip(row[3].split(" "), row[5], strict=False):
        mine = engine.ask("expression", table.path, left)
        theirs = engine.ask("expression", table.path, right)
        if word in ("in", "not-in"):
            join(out, _methods(engine, theirs, ("__contains__", "__iter__", "__getitem__"), "operator"))
        elif word in _COMPARE:
            here, there = _COMPARE[word]
            found = _methods(engine, mine, (here, "__eq__") if word == "!=" else (here,), "operator")
            join(
                out,
                found
                or _methods(engine, theirs, (there, "__eq__") if word == "!=" else (there,), "operator"),
            )
        left = right
    return out


def _subscript(engine: Engine, table: Table, number: int, row: Row) -> Values:
    name = {
        op.SUBSCRIPT: "__getitem__",
        op.STORE_SUBSCRIPT: "__setitem__",
        op.DELETE_SUBSCRIPT: "__delitem__",
    }
    return _methods(engine, engine.ask("expression", table.path, row[3]), (name[row[0]],), "subscript")


def iteration(engine: Engine, values: Values, asynchronous: bool = False, steps: bool = True) -> Values:
    """Edges to the methods that iterating over values runs."""
    first, second = ("__aiter__", "__anext__") if asynchronous else ("__iter__", "__next__")
    out: Values = {}
    for value, rank in list(values.items()):
        if value[0] != INSTANCE or is_stub(value[1]):
            continue
        found = special_method(engine, value, first)
        for one, sure in found.items():
            if _of_tree(one):
                join(out, {("edge", one, "iteration"): max(rank, sure)})
            if not steps:
                continue
            for iterator, how in engine.as_instances(engine.result(one, None)).items():
                for step, more in special_method(engine, iterator, second).items():
                    if _of_tree(step):
                        join(out, {("edge", step, "iteration"): max(rank, sure, how, more)})
        if not found and not asynchronous:
            join(out, _methods(engine, {value: rank}, ("__getitem__",), "iteration"))
    return out


def _iterate(engine: Engine, table: Table, number: int, row: Row) -> Values:
    return iteration(engine, engine.ask("expression", table.path, row[3]), bool(row[4]))


def _unpack(engine: Engine, table: Table, number: int, row: Row) -> Values:
    return iteration(engine, engine.ask("expression", table.path, row[3]))


def _enter(engine: Engine, table: Table, number: int, row: Row) -> Values:
    values = engine.ask("expression", table.path, row[3])
    out: Values = {}
    for name in ("__aenter__", "__aexit__") if row[4] else ("__enter__", "__exit__"):
        join(out, _methods(engine, values, (name,), "with"))
    return out


def _await(engine: Engine, table: Table, number: int, row: Row) -> Values:
    return _methods(engine, engine.ask("expression", table.path, row[3]), ("__await__",), "await")


def _formatted(engine: Engine, table: Table, number: int, row: Row) -> Values:
    names = {"r": ("__repr__",), "a": ("__repr__",), "s": ("__str__", "__repr__")}.get(
        row[4], ("__format__", "__str__", "__repr__")
    )
    return shown(engine, engine.ask("expression", table.path, row[3]), names)


def shown(engine: Engine, values: Values, names: tuple[str, ...]) -> Values:
    """Edges to the tree's own of the methods that make text; `object` has all of them, so only the tree's count."""
    out: Values = {}
    for value, rank in list(values.items()):
        for name in names:
            found = {one: sure for one, sure in special_method(engine, value, name).items() if _of_tree(one)}
            for one, sure in found.items():
                join(out, {("edge", one, "format"): max(rank, sure)})
            if found:
                break
    return out


def _boolean(engine: Engine, table: Table, number: int, row: Row) -> Values:
    out: Values = {}
    for one in row[4][:-1]:
        join(out, _methods(engine, engine.ask("expression", table.path, one), _TRUTH, "truth"))
    return out


def _conditional(engine: Engine, table: Table, number: int, row: Row) -> Values:
    return _methods(engine, engine.ask("expression", table.path, row[3]), _TRUTH, "truth")


_BUILTINS: Final[dict[str, tuple[str, ...]]] = {
    "len": ("__len__",), "str": ("__str__", "__repr__"), "repr": ("__repr__",), "bool": ("__bool__", "__len__"),
    "hash": ("__hash__",), "int": ("__int__", "__index__"), "float": ("__float__", "__index__"),
    "abs": ("__abs__",), "round": ("__round__",), "next": ("__next__",), "anext": ("__anext__",),
    "reversed": ("__reversed__",), "format": ("__format__", "__str__"), "print": ("__str__", "__repr__"),
    "bytes": ("__bytes__",), "complex": ("__complex__",), "divmod": ("__divmod__",), "pow": ("__pow__",),
    "dir": ("__dir__",), "ascii": ("__repr__",),
}  # fmt: skip
_ITERATING: Final = frozenset({
    "list", "tuple", "set", "frozenset", "dict", "sorted", "sum", "min", "max", "any", "all", "enumerate", "zip",
    "map", "filter", "iter", "aiter",
})  # fmt: skip


def _call(engine: Engine, table: Table, number: int, row: Row) -> Values:
    """What builtins call on their arguments; the special methods of a class that is called."""
    out: Values = {}
    for value, rank in list(engine.ask("callees", table.path, number).items()):
        function = value[1] if value[0] == BOUND else value
        if value[0] == CLASS and not is_stub(value[1]):
            join(out, engine.ask("making", value[1], value[2]), rank)
            continue
        if function[0] not in (FUNCTION, CLASS) or not is_stub(function[1]):
            continue
        module, _, name = engine.qualified(function[1], function[2]).rpartition(".")
        if module != "builtins" or not row[4]:
            continue
        if name in ("eval", "exec"):
            join(out, evaluated(engine, table, number, row[4][0]))
        elif name in _BUILTINS:
            given = row[4] if name == "print" else row[4][:1]
            for one in given:
                values = engine.ask("expression", table.path, one)
                join(out, shown(engine, values, _BUILTINS[name]), rank)
        elif name in _ITERATING:
            given = row[4][1:] if name in ("map", "filter") else row[4] if name == "zip" else row[4][:1]
            for one in given:
                values = engine.ask("expression", table.path, one)
                join(out, iteration(engine, values, name == "aiter", name not in ("iter", "aiter")), rank)
    return out


_HANDLERS: Final[dict[int, Callable[[Engine, Table, int, Row], Values]]] = {
    op.ATTRIBUTE: _attribute, op.STORE_ATTRIBUTE: _store_attribute, op.DELETE_ATTRIBUTE: _delete_attribute,
    op.BINARY: _binary, op.UNARY: _unary, op.COMPARE: _compare, op.SUBSCRIPT: _subscript,
    op.STORE_SUBSCRIPT: _subscript, op.DELETE_SUBSCRIPT: _subscript, op.ITERATE: _iterate, op.ELEMENT: _unpack,
    op.REST: _unpack, op.STARRED: _unpack, op.YIELD_FROM: _unpack, op.ENTER: _enter, op.AWAIT: _await,
    op.FORMATTED: _formatted, op.BOOLEAN: _boolean, op.CONDITIONAL: _conditional, op.CALL: _call,
    op.MATCH_ATTRIBUTE: _attribute,
}  # fmt: skip
IMPLICIT_OPS: Final = frozenset(_HANDLERS)
