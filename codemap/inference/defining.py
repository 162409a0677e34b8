# What runs because a function or a class is defined or made: decorators, `__init_subclass__`, `__set_name__`,
# metaclasses; and which constructors a call of a class runs.
from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.inference.names import decorator_names
from codemap.inference.stubs import is_stub
from codemap.inference.values import (
    BOUND,
    CLASS,
    CLASSMETHOD,
    EXTERNAL,
    FUNCTION,
    INSTANCE,
    LIKELY,
    STATIC,
    Value,
    Values,
    join,
)
from codemap.model import facts

if TYPE_CHECKING:
    from codemap.inference.engine import Engine
    from codemap.inference.tables import Table


_NO_CONSTRUCTOR = ("builtins.object", "typing.Generic", "typing.Protocol", "abc.ABC")


def defining(engine: Engine, path: str, scope: int) -> Values:
    """("edge", callee, how, line, column, expression) for what a `def` or a `class` statement runs."""
    table = engine.table(path)
    row = table.scope(scope)
    out: Values = {}
    if row.kind == facts.FUNCTION:
        expressions = [item[0] for item in decorator_names(engine, table, scope)]
    else:
        klass = table.view.class_facts(scope)
        expressions = list(klass.decorator_values) if klass is not None else []
    for expression in expressions:
        if expression < 0:
            continue
        entry = table.rows[expression]
        for value, rank in engine.callables(engine.ask("expression", path, expression)).items():
            if _is_wrapper(engine, value):
                continue
            join(out, {("edge", value, "decorator", entry[1], entry[2], expression): rank})
    if row.kind == facts.CLASS:
        for value, rank in _class_hooks(engine, path, scope).items():
            join(out, {("edge", value[0], value[1], row.line, row.column, -1): rank})
    return out


def _is_wrapper(engine: Engine, value: Value) -> bool:
    """Builtin decorators change what a name is; they are no calls that anyone asks about."""
    inner = value[1] if value[0] == BOUND else value
    return (
        inner[0] in (CLASS, FUNCTION)
        and is_stub(inner[1])
        and engine.qualified(inner[1], inner[2])
        in ("builtins.staticmethod", "builtins.classmethod", "builtins.property")
    )


def _class_hooks(engine: Engine, path: str, scope: int) -> Values:
    out: Values = {}
    value = (CLASS, path, scope)
    above = [one for one in engine.mro(path, scope)[1:] if not is_stub(one[0])]
    for klass in above:
        own = engine.own_values(klass, "__init_subclass__")
        if own:
            for one, rank in own.items():
                inner = one[1] if one[0] in (CLASSMETHOD, STATIC) else one
                if inner[0] == FUNCTION:
                    join(out, {((BOUND, inner, value), "init-subclass"): rank})
            break
    table = engine.table(path)
    for binding in table.view.outline.bindings:
        if binding.scope != scope or binding.kind not in (facts.ASSIGN, facts.ANNOTATED) or binding.value < 0:
            continue
        for one, rank in list(engine.ask("expression", path, binding.value).items()):
            if one[0] == INSTANCE and not is_stub(one[1]):
                found, _ = engine.along_mro(engine.mro(one[1], one[2]), one, "__set_name__", True)
                for method, sure in found.items():
                    if method[0] == BOUND:
                        join(out, {(method, "set-name"): max(rank, sure)})
    meta = metaclass(engine, path, scope)
    if meta is not None:
        for name in ("__prepare__", "__new__", "__init__"):
            join(out, _first_function(engine, meta, name, "metaclass"))
    return out


def metaclass(engine: Engine, path: str, scope: int) -> tuple[str, int] | None:
    """The tree's own class that a class is an instance of."""
    for klass in engine.mro(path, scope):
        if is_stub(klass[0]):
            continue
        table = engine.table(klass[0])
        row = table.view.class_facts(klass[1])
        if row is None:
            continue
        for (word, _), number in zip(row.keywords, row.keyword_values, strict=False):
            if word != "metaclass":
                continue
            for value in engine.ask("expression", klass[0], number):
                if value[0] == CLASS and not is_stub(value[1]):
                    return (value[1], value[2])
    return None


def _first_function(engine: Engine, klass: tuple[str, int], name: str, how: str) -> Values:
    for one in engine.mro(*klass):
        own = engine.own_values(one, name)
        if own is None:
            continue
        out: Values = {}
        for value, rank in own.items():
            inner = value[1] if value[0] in (CLASSMETHOD, STATIC) else value
            if inner[0] == FUNCTION and not is_stub(inner[1]):
                join(out, {(inner, how): rank})
        return out
    return {}


def constructors(engine: Engine, path: str, scope: int) -> Values:
    """("constructor", function) for the `__new__` and `__init__` of the tree that a call of the class runs; where a
    base lies outside the tree and none of the tree's classes has one, that base's `__init__`."""
    out: Values = {}
    for name in ("__new__", "__init__"):
        for one, rank in _first_function(engine, (path, scope), name, "").items():
            join(out, {("constructor", one[0]): rank})
    outside = [base for base in engine.outside_bases(path, scope) if base not in _NO_CONSTRUCTOR]
    if not out and outside:
        out["constructor", (EXTERNAL, f"{outside[0]}.__init__")] = LIKELY
    return out


def making(engine: Engine, path: str, scope: int) -> Values:
    """("edge", callee, how) for what else a call of a class runs: `__post_init__`, a metaclass' `__call__`."""
    out: Values = {}
    value: Value = (INSTANCE, path, scope, (), False)
    if any(_is_dataclass(engine, one) for one in engine.mro(path, scope)):
        found, _ = engine.along_mro(engine.mro(path, scope), value, "__post_init__", True)
        for one, rank in found.items():
            if one[0] == BOUND and not is_stub(one[1][1]):
                join(out, {("edge", one, "post-init"): rank})
    meta = metaclass(engine, path, scope)
    if meta is not None:
        for one, rank in _first_function(engine, meta, "__call__", "metaclass").items():
            join(out, {("edge", *one): rank})
    return out


def _is_dataclass(engine: Engine, klass: tuple[str, int]) -> bool:
    if is_stub(klass[0]):
        return False
    table: Table = engine.table(klass[0])
    row = table.view.class_facts(klass[1])
    return row is not None and any(
        text.rpartition(".")[2] in ("dataclass", "define", "frozen", "mutable", "attrs", "s")
        for text in row.decorators
    )
