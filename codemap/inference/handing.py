# Functions that are handed over to code outside the tree, which calls them: `map(f, xs)`, `Thread(target=f)`,
# `executor.submit(f)`, `sorted(key=f)`. The call that hands them over is the site. The stubs of the standard
# library say which of its parameters are called; of other code outside nothing is known, so there a function that
# is handed over counts, at `likely`, and a class does not.
from __future__ import annotations

from typing import TYPE_CHECKING, Final

from codemap.inference.heads import chain, definitions
from codemap.inference.stubs import is_stub
from codemap.inference.values import (
    BOUND,
    CLASS,
    EXTERNAL,
    FUNCTION,
    LIKELY,
    PARTIAL,
    POSSIBLE,
    Value,
    Values,
    join,
)
from codemap.model.facts import FUNCTION_DEF, Parameter
from codemap.resolve.attributes import binding_of
from codemap.semantic import expressions as op

if TYPE_CHECKING:
    from codemap.inference.engine import Engine
    from codemap.inference.tables import Table

# What only wraps: it is called where the result is.
_WRAPPERS: Final = frozenset({
    "functools.partialmethod", "functools.wraps", "functools.update_wrapper", "builtins.property",
    "builtins.staticmethod", "builtins.classmethod", "functools.lru_cache", "functools.cache", "functools.singledispatch",
    "functools.singledispatchmethod", "functools.cached_property", "contextlib.contextmanager",
    "contextlib.asynccontextmanager", "abc.abstractmethod", "typing.overload", "typing.final", "typing.cast",
    "dataclasses.dataclass", "functools.total_ordering", "dataclasses.field", "inspect.signature",
})  # fmt: skip

_ITERATORS: Final = frozenset({"builtins.map", "builtins.filter"})


def callbacks(engine: Engine, path: str, call: int) -> Values:
    """("edge", callee, "callback") for what a call hands over to be called by code outside the tree."""
    table = engine.table(path)
    row = table.rows[call]
    out: Values = {}
    handed = [(place, "", number) for place, number in enumerate(row[4])]
    handed += [(-1, name, number) for name, number in zip(row[5], row[6], strict=False) if name != "**"]
    targets = list(engine.ask("callees", path, call).items())
    for place, word, number in handed:
        given: Values | None = None
        for value, rank in targets or [((), POSSIBLE)]:
            if not _is_called(engine, value, place, word):
                continue
            if given is None:
                given = engine.callables(engine.ask("expression", path, number))
            for one, sure in given.items():
                if one[0] == EXTERNAL or not _of_tree(one):
                    continue
                if (not value or value[0] == EXTERNAL) and one[0] == CLASS:
                    continue
                how = "partial" if value and _is_partial(engine, value) else "callback"
                join(out, {("edge", one, how): max(rank, sure, LIKELY)})
    return out


def _is_partial(engine: Engine, value: Value) -> bool:
    return bool(value[0] == CLASS and engine.qualified(value[1], value[2]) == "functools.partial")


def _of_tree(value: Value) -> bool:
    inner = value[1] if value[0] == BOUND else value
    return bool(inner[0] == PARTIAL or (inner[0] in (FUNCTION, CLASS) and not is_stub(inner[1])))


def _is_called(engine: Engine, value: Value, place: int, word: str) -> bool:
    """Whether what is handed over at a place, or under a word, is called by the callee, which lies outside."""
    if not value or value[0] == EXTERNAL:
        return True
    function = value[1] if value[0] == BOUND else value
    if function[0] == CLASS and is_stub(function[1]):
        if engine.qualified(function[1], function[2]) in _WRAPPERS:
            return False
        if engine.qualified(function[1], function[2]) in _ITERATORS:
            return not word  # see calls._map on functions at the wrong place
        return any(
            _takes(engine, engine.table(klass[0]), one, place + 1 if place >= 0 else -1, word)
            for klass, one in _initialisers(engine, function)
        )
    if function[0] != FUNCTION or not is_stub(function[1]):
        return False
    if engine.qualified(function[1], function[2]) in _WRAPPERS:
        return False

    shift = 1 if value[0] == BOUND and place >= 0 else 0
    there = engine.table(function[1])
    return any(
        _takes(engine, there, one, place + shift, word) for one in engine.overloads(function[1], function[2])
    )


def _initialisers(engine: Engine, value: Value) -> list[tuple[tuple[str, int], int]]:
    for klass in engine.mro(value[1], value[2]):
        rows = [
            binding.target
            for hook in ("__init__", "__new__")
            for _, binding in engine.table(klass[0]).outer_bindings(klass[1], hook)
            if binding.kind == FUNCTION_DEF
        ]
        if rows:
            return [(klass, one) for one in rows]
    return []


def _takes(engine: Engine, table: Table, scope: int, place: int, word: str) -> bool:
    """Whether a parameter of a stub is something to be called."""
    rows = table.parameters(scope)
    chosen: Parameter | None = None
    if word:
        chosen = next((row for row in rows if row.name == word), None)
    else:
        for number, row in enumerate(rows):
            if row.kind == "*" or (number == place and row.kind in ("positional", "positional-only")):
                chosen = row
                break
    return chosen is not None and is_callable_type(engine, table, chosen.annotation)


def is_callable_type(engine: Engine, table: Table, annotation: int, depth: int = 0) -> bool:
    """Whether an annotation is `Callable[..]`, or a union or an alias with one in it."""
    if annotation < 0 or depth > 4:
        return False
    row = table.rows[annotation]
    if row[0] == op.STRING_ANNOTATION:
        return is_callable_type(engine, table, row[3], depth + 1)
    if row[0] == op.BINARY:
        return any(is_callable_type(engine, table, one, depth + 1) for one in row[4:6])
    if row[0] == op.SUBSCRIPT:
        name = chain(table, row[3]).rpartition(".")[2]
        if name in ("Union", "Optional"):
            index = table.rows[row[4]]
            parts = index[3] if index[0] == op.TUPLE else (row[4],)
            return any(is_callable_type(engine, table, one, depth + 1) for one in parts)
        return is_callable_type(engine, table, row[3], depth + 1)
    if row[0] not in (op.NAME, op.ATTRIBUTE):
        return False
    if chain(table, annotation).rpartition(".")[2] == "Callable":
        return True

    for item in definitions(engine, table, annotation):
        if item.kind == "class":
            continue
        binding = binding_of(engine.program, item)
        if (
            binding is not None
            and binding.value >= 0
            and (item.file, binding.value) != (table.path, annotation)
            and is_callable_type(engine, engine.table(item.file), binding.value, depth + 1)
        ):
            return True
    return False
