# What parameters may be: the receiver of a method, a declared type, a default, and else what calls hand over.
from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.inference.arguments import Arguments, for_parameter
from codemap.inference.fields import fields
from codemap.inference.hierarchy import aliases
from codemap.inference.names import decorator_names
from codemap.inference.stubs import is_stub
from codemap.inference.values import (
    BOUND,
    CERTAIN,
    CLASS,
    FUNCTION,
    INSTANCE,
    LIKELY,
    PARTIAL,
    POSSIBLE,
    VARIADIC,
    Value,
    Values,
    join,
)
from codemap.model import facts
from codemap.semantic import expressions as op

if TYPE_CHECKING:
    from codemap.inference.engine import Engine
    from codemap.inference.tables import Table

_CLASS_METHODS = ("__new__", "__init_subclass__", "__class_getitem__")


def parameter(engine: Engine, path: str, scope: int, name: str) -> Values:
    """What a parameter may be."""
    table = engine.table(path)
    rows = table.parameters(scope)
    row = next((one for one in rows if one.name == name), None)
    if row is None:
        return {}
    if row.kind in ("*", "**"):
        return {(VARIADIC, path, scope, name): CERTAIN}
    values: Values = {}
    owner = table.scope(scope).parent
    scopes = table.view.outline.scopes
    if scopes[owner].kind == facts.TYPE_PARAMETERS:
        owner = scopes[owner].parent
    in_class = scopes[owner].kind == facts.CLASS and scopes[scope].kind == facts.FUNCTION
    function = table.view.function_facts(scope)
    decorators = [text.rpartition(".")[2] for text in (function.decorators if function else ())]
    if in_class and rows[0].name == name and "staticmethod" not in decorators:
        if "classmethod" in decorators or scopes[scope].name in _CLASS_METHODS:
            below = engine.subclasses(path, owner)
            if scopes[scope].name == "__init_subclass__":  # runs for those that derive from it only
                return {(CLASS, *other): LIKELY for other in below}
            out: Values = {(CLASS, path, owner): LIKELY if below else CERTAIN}
            for other in below:
                join(out, {(CLASS, *other): POSSIBLE})
            return out
        values = {(INSTANCE, path, owner, (), True): CERTAIN}
        if row.annotation >= 0:
            declared = engine.ask("annotation", path, row.annotation)
            for value, rank in declared.items():
                if value[0] == INSTANCE and (value[1], value[2]) != (path, owner):
                    # `self: Host` in a mixin: the host, whose MRO has the mixin in it, says all
                    if (path, owner) in engine.mro(value[1], value[2]):
                        return dict(declared)
                    join(values, {value: rank})
        return values
    if row.annotation >= 0:
        values = dict(engine.ask("annotation", path, row.annotation))
    if is_stub(path):
        return values
    if row.default >= 0:
        for value, rank in engine.ask("expression", path, row.default).items():
            if not values or value[0] != "none":
                join(values, {value: max(rank, LIKELY) if row.annotation < 0 else rank})
    known = {value for value in values if value[0] not in ("none", "type variable", "type of")}
    if not known or row.annotation < 0:
        join(values, _handed(engine, table, scope, name), LIKELY)
    return values


def _handed(engine: Engine, table: Table, scope: int, name: str) -> Values:
    out: Values = {}
    rows = table.parameters(scope)
    for (_, file, call, bound, given), rank in list(engine.ask("sites", table.path, scope).items()):
        caller = engine.table(file) if file else None
        if call == -1:
            arguments = Arguments(engine, None, -1, tuple(dict(one) for one in given))
        elif isinstance(given, tuple) and given and given[0] == "partial":
            arguments = Arguments(engine, caller, call, (), 1)
        else:
            arguments = Arguments(engine, caller, call)
        values = for_parameter(arguments, rows, name, bound)
        if values:
            join(out, values, rank)
    return out


def variadic(engine: Engine, path: str, scope: int, name: str, key: str | int | None) -> Values:
    """What calls hand over in `*args` or `**kwargs`."""
    table = engine.table(path)
    rows = table.parameters(scope)
    place = next((number for number, row in enumerate(rows) if row.name == name), -1)
    if place < 0:
        return {}
    row = rows[place]
    if row.annotation >= 0:
        declared = engine.ask("annotation", path, row.annotation)
        if declared:
            return dict(declared)
    out: Values = {}
    taken = {one.name for one in rows if one.kind in ("positional", "keyword-only")}
    for (_, file, call, bound, given), rank in list(engine.ask("sites", path, scope).items()):
        caller = engine.table(file) if file else None
        arguments = (
            Arguments(engine, None, -1, tuple(dict(one) for one in given))
            if call == -1
            else Arguments(engine, caller, call, (), 1 if given else 0)
        )
        if row.kind == "*":
            start = place - (1 if bound and place else 0)
            for position in range(start, arguments.count()):
                if isinstance(key, int) and position - start != key:
                    continue
                values = arguments.at(position)
                if values:
                    join(out, values, rank)
        else:
            for word, number in zip(arguments.names, arguments.values, strict=False):
                if word == "**":
                    inner = arguments.expression(number)
                    join(
                        out,
                        engine.item(inner, key) if key is not None else engine.iterate_values(inner),
                        rank,
                    )
                elif word not in taken and (key is None or key == word):
                    join(out, arguments.expression(number), rank)
    return {value: max(rank, LIKELY) for value, rank in out.items()}


# In a tree of more files than SMALL_TREE, a function whose name is called in more than MOST_FILES of them is not
# asked what its callers hand over: to decide which of so many calls are its own is to infer the whole tree. Such a
# parameter is unknown, for that reason (see docs/decisions/inference-call-sites.md for what it costs and saves).
SMALL_TREE = 120
MOST_FILES = 8


# --- who calls a function ---------------------------------------------------------------------------------------
def sites(engine: Engine, path: str, scope: int) -> Values:
    """Calls that call a function: ("site", file, call, bound, given); a decorator's call has call -1 and its values."""
    out: Values = {}
    if is_stub(path):
        return out
    table = engine.table(path)
    me: Value = (FUNCTION, path, scope)
    called_as = _called_as(engine, path, scope)
    if len(engine.files) > SMALL_TREE and any(len(files) > MOST_FILES for _, files in called_as):
        engine.too_wide.add((path, scope))
        return out
    for word, files in called_as:
        for other in files:
            for call in engine.table(other).calls(word):
                _add_site(engine, other, call, me, out)
    owner = _constructed(engine, path, scope)
    for klass in [owner] if owner is not None else []:
        for at in list(engine.ask("carried", *klass)):
            _at(engine, at[1], at[2], me, out)
    if table.scope(scope).kind != facts.MODULE:
        for at in list(engine.ask("carried", path, scope)):
            _at(engine, at[1], at[2], me, out)
    return out


def _at(engine: Engine, file: str, number: int, me: Value, out: Values) -> None:
    """The call, or the decoration, that a place with the function leads to."""
    table = engine.table(file)
    parent = table.parent(number)
    if parent >= 0:
        row = table.rows[parent]
        if row[0] == op.CALL and row[3] == number:
            _add_site(engine, file, parent, me, out)
        return
    if table.decorated(number) >= 0:
        _decorated(engine, table, table.decorated(number), number, me, out)


def _constructed(engine: Engine, path: str, scope: int) -> tuple[str, int] | None:
    """The class whose construction runs the function."""
    table = engine.table(path)
    if table.scope(scope).name not in _BY_CONSTRUCTION:
        return None
    owner = table.view.enclosing_class(scope)
    return (path, owner) if owner >= 0 else None


_BY_CONSTRUCTION = ("__init__", "__new__", "__post_init__", "__attrs_post_init__")
_OF_OWN_CLASS = ("cls", "__class__", "type")


def _called_as(engine: Engine, path: str, scope: int) -> list[tuple[str, list[str]]]:
    """The words that calls of a function bear, each with the files to look at."""

    table = engine.table(path)
    row = table.scope(scope)
    if row.kind == facts.LAMBDA:
        return [("", [path])]
    klass = _constructed(engine, path, scope)
    found: list[tuple[str, list[str]]] = []
    if klass is not None:
        family = [klass, *engine.subclasses(*klass)]
        files = sorted({one[0] for one in family})
        found = [(row.name, files)] + [(word, files) for word in _OF_OWN_CLASS]
        names = {engine.table(one[0]).scope(one[1]).name for one in family}
        words = sorted({word for name in names for word in aliases(engine, name)})
    elif row.name == "__call__":
        return [("", [path])]
    elif table.scope(row.parent).kind in (facts.FUNCTION, facts.LAMBDA):
        return [(row.name, [path])]
    else:
        words = sorted(aliases(engine, row.name))
    for word in words:
        found.append((word, sorted(engine.program.mentioning(word, facts.ROLE_CALL))))
    return found


def _add_site(engine: Engine, file: str, call: int, me: tuple[str, str, int], out: Values) -> None:
    for value, rank in list(engine.ask("callees", file, call).items()):
        if value == me:
            join(out, {("site", file, call, False, ()): rank})
        elif (value[0] == BOUND and value[1] == me) or (
            value[0] == CLASS and constructor(engine, value) == me
        ):
            join(out, {("site", file, call, True, ()): rank})
        elif value[0] == PARTIAL:
            inner = engine.table(value[1])
            row = inner.rows[value[2]]
            if row[4]:
                for one, how in engine.callables(engine.ask("expression", value[1], row[4][0])).items():
                    if one == me or (one[0] == BOUND and one[1] == me):
                        join(
                            out, {("site", value[1], value[2], one[0] == BOUND, ("partial",)): max(rank, how)}
                        )


def constructor(engine: Engine, value: Value) -> Value | None:
    """The `__init__` of the tree that constructing a class runs."""

    for klass in engine.mro(value[1], value[2]):
        own = engine.own_values(klass, "__init__")
        if own:
            for one in own:
                if one[0] == FUNCTION:
                    return one
            return None
    return None


def _decorated(engine: Engine, there: Table, scope: int, decorator: int, me: Value, out: Values) -> None:
    """A decorator calls the function with what it decorates, as the decorators below leave it."""

    kind = CLASS if there.scope(scope).kind == facts.CLASS else FUNCTION
    values: Values = {(kind, there.path, scope): CERTAIN}
    for expression, heads in decorator_names(engine, there, scope):
        if expression == decorator:
            for one, rank in list(engine.callables(engine.ask("expression", there.path, expression)).items()):
                inner = one[1] if one[0] == BOUND else one
                if inner == me or (one[0] == CLASS and constructor(engine, one) == me):
                    given = tuple(sorted(values.items(), key=repr))
                    join(out, {("site", there.path, -1, one[0] != FUNCTION, (given,)): rank})
            return
        values = engine.decorate(there, expression, values, heads)


def constructor_values(engine: Engine, path: str, scope: int, name: str) -> Values:
    """What constructing calls hand over for a declared field."""

    declared = fields(engine, path, scope)
    place = next((number for number, item in enumerate(declared) if item[0] == name), -1)
    if place < 0:
        return {}
    out: Values = {}
    binding, klass = declared[place][1], declared[place][2]
    if binding.annotation_value >= 0 and engine.ask("annotation", klass[0], binding.annotation_value):
        return {}
    words = {engine.table(path).scope(scope).name}
    for word in sorted(words | aliases(engine, engine.table(path).scope(scope).name)):
        for file in sorted(engine.program.mentioning(word, facts.ROLE_CALL)):
            table = engine.table(file)
            for call in table.calls(word):
                if (CLASS, path, scope) in engine.ask("callees", file, call):
                    arguments = Arguments(engine, table, call)
                    values = arguments.keyword(name) or arguments.at(place)
                    if values:
                        join(out, values)
    return out
