# What parameters may be: the receiver of a method, a declared type, a default, and else what calls hand over.
from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.inference.arguments import Arguments, for_parameter
from codemap.inference.stubs import is_stub
from codemap.inference.values import (
    BOUND,
    CERTAIN,
    CLASS,
    FUNCTION,
    INSTANCE,
    LIKELY,
    PARTIAL,
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
            out: Values = {(CLASS, path, owner): CERTAIN}
            for other in engine.subclasses(path, owner):
                join(out, {(CLASS, *other): LIKELY})
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
    known = {value for value in values if value[0] not in ("none", "type variable")}
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
                    from codemap.inference.containers import item, iterate_values

                    inner = arguments.expression(number)
                    join(
                        out,
                        item(engine, inner, key) if key is not None else iterate_values(engine, inner),
                        rank,
                    )
                elif word not in taken and (key is None or key == word):
                    join(out, arguments.expression(number), rank)
    return {value: max(rank, LIKELY) for value, rank in out.items()}


# --- who calls a function ---------------------------------------------------------------------------------------
_MOST_NAMES = 60


def sites(engine: Engine, path: str, scope: int) -> Values:
    """Calls that may call a function: ("site", file, call, bound, given); a decorator's call has call -1 and its values."""
    out: Values = {}
    if is_stub(path):
        return out
    me = (FUNCTION, path, scope)
    for (_, word, file), _ in list(engine.ask("known as", path, scope).items()):
        files = (
            [file]
            if file
            else sorted(
                engine.program.mentioning(word, facts.ROLE_CALL | facts.ROLE_READ | facts.ROLE_ATTRIBUTE)
            )
        )
        for other in files:
            there = engine.table(other)
            for call in there.calls(word):
                _add_site(engine, other, call, me, out)
            _decorated(engine, there, word, me, out)
    for call in engine.table(path).calls(""):
        _add_site(engine, path, call, me, out)
    return out


def _add_site(engine: Engine, file: str, call: int, me: tuple[str, str, int], out: Values) -> None:
    for value, rank in list(engine.ask("callees", file, call).items()):
        if value == me:
            join(out, {("site", file, call, False, ()): rank})
        elif (value[0] == BOUND and value[1] == me) or (
            value[0] == CLASS and _constructor(engine, value) == me
        ):
            join(out, {("site", file, call, True, ()): rank})
        elif value[0] == PARTIAL:
            from codemap.inference.calls import callables

            inner = engine.table(value[1])
            row = inner.rows[value[2]]
            if row[4]:
                for one, how in callables(engine, engine.ask("expression", value[1], row[4][0])).items():
                    if one == me or (one[0] == BOUND and one[1] == me):
                        join(
                            out, {("site", value[1], value[2], one[0] == BOUND, ("partial",)): max(rank, how)}
                        )


def _constructor(engine: Engine, value: Value) -> Value | None:
    from codemap.inference.attributes import _own

    for klass in engine.mro(value[1], value[2]):
        own = _own(engine, klass, "__init__")
        if own:
            for one in own:
                if one[0] == FUNCTION:
                    return one
            return None
    return None


def _decorated(engine: Engine, there: Table, word: str, me: tuple[str, str, int], out: Values) -> None:
    """Decorators call the function with what they decorate."""
    from codemap.inference.calls import callables, decorate
    from codemap.inference.names import decorator_names

    for function in there.view.outline.functions:
        if not function.decorators or not any(
            word in _decorator_tokens(there, one) for one in function.decorator_values
        ):
            continue
        values: Values = {(FUNCTION, there.path, function.scope): CERTAIN}
        for expression, heads in decorator_names(engine, there, function.scope):
            if word in _decorator_tokens(there, expression):
                for one, rank in list(
                    callables(engine, engine.ask("expression", there.path, expression)).items()
                ):
                    inner = one[1] if one[0] == BOUND else one
                    if inner == me or (one[0] == CLASS and _constructor(engine, one) == me):
                        given = tuple(sorted(values.items(), key=repr))
                        join(out, {("site", there.path, -1, one[0] != FUNCTION, (given,)): rank})
            values = decorate(engine, there, expression, values, heads)


def _decorator_tokens(table: Table, expression: int) -> list[str]:
    return table.callee_tokens(expression)


def known_as(engine: Engine, path: str, scope: int) -> Values:
    """The names under which a function may be called: its own, and those that it is handed on under, as
    ("word", name, file); the file is "" for a name that is not local to one."""
    from codemap.inference.hierarchy import aliases

    table = engine.table(path)
    row = table.scope(scope)
    start: list[tuple[str, str]] = []
    if row.kind == facts.LAMBDA:
        number = next(
            (one for one, entry in enumerate(table.rows) if entry[0] == op.LAMBDA and entry[3] == scope), -1
        )
        start = _sinks(engine, table, number) if number >= 0 else []
    elif row.name in ("__init__", "__new__", "__post_init__", "__call__"):
        owner = table.view.enclosing_class(scope)
        start = [(row.name, ""), ("cls", "")]
        if owner >= 0:
            for klass in [(path, owner), *engine.subclasses(path, owner)]:
                name = engine.table(klass[0]).scope(klass[1]).name
                start += [(one, "") for one in sorted(aliases(engine, name))]
    else:
        parent = table.scope(row.parent)
        local = parent.kind in (facts.FUNCTION, facts.LAMBDA)
        start = [(row.name, path if local else "")]
        if not local:
            start += [(one, "") for one in sorted(aliases(engine, row.name))]
    start += _decorator_parameters(engine, table, scope)
    found: dict[tuple[str, str], None] = {}
    work = list(start)
    while work and len(found) < _MOST_NAMES:
        item = work.pop()
        if item in found or not item[0]:
            continue
        found[item] = None
        for sink, _ in list(engine.ask("handed on", *item).items()):
            work.append((sink[1], sink[2]))
    return {("word", word.partition("(")[0], file): CERTAIN for word, file in found}


def _decorator_parameters(engine: Engine, table: Table, scope: int) -> list[tuple[str, str]]:
    """The parameters by which its decorators know a function."""
    from codemap.inference.calls import callables
    from codemap.inference.names import decorator_names

    found: list[tuple[str, str]] = []
    for expression, _ in decorator_names(engine, table, scope):
        for value in list(callables(engine, engine.ask("expression", table.path, expression))):
            shift = 1 if value[0] in (BOUND, CLASS) else 0
            inner = value[1] if value[0] == BOUND else value
            if inner[0] == CLASS:
                inner = _constructor(engine, inner) or inner
            if inner[0] != FUNCTION or is_stub(inner[1]):
                continue
            rows = engine.table(inner[1]).parameters(inner[2])
            if len(rows) > shift:
                found.append((rows[shift].name, inner[1]))
            found += [(row.name, inner[1]) for row in rows if row.kind == "*"]
    return found


def handed_on(engine: Engine, word: str, file: str) -> Values:
    """The names under which what is known by a name is kept or handed on where it is read and not called. What a
    function called `make` gives is known by the word "make()"."""
    out: Values = {}
    name, _, calls = word.partition("(")
    depth = len(calls) // 2 + 1 if calls else 0
    files = (
        [file] if file else sorted(engine.program.mentioning(name, facts.ROLE_READ | facts.ROLE_ATTRIBUTE))
    )
    for other in files[:120]:
        there = engine.table(other)
        for read in there.reads(name):
            number, left = read, depth
            parent = there.parent(number)
            while (
                parent >= 0 and there.rows[parent][0] == op.CALL and there.rows[parent][3] == number and left
            ):
                number, left, parent = parent, left - 1, there.parent(parent)
            if parent >= 0 and there.rows[parent][0] == op.CALL and there.rows[parent][3] == number:
                continue
            for sink in _sinks(engine, there, number):
                rest = left
                text = sink[0]
                if text.startswith("@"):  # a decorator: what it decorates is known by what it gives
                    text, rest = text[1:], max(0, left - 1)
                if text and rest <= _DEEPEST_RESULT:
                    out[("word", text + "()" * rest, sink[1])] = CERTAIN
    return out


_DEEPEST_RESULT = 3


def sinks(engine: Engine, table: Table, number: int) -> list[tuple[str, str]]:
    """The names under which the value of an expression is kept or handed on: (name, file or "")."""
    return [(word.lstrip("@").partition("(")[0], file) for word, file in _sinks(engine, table, number)]


def _sinks(engine: Engine, table: Table, number: int) -> list[tuple[str, str]]:
    """As `sinks`; a function that returns the value stands as "name()", what it decorates as "@name"."""
    out: list[tuple[str, str]] = []
    scopes = table.view.outline.scopes
    for _ in range(12):
        for kind, row in table.holders(number):
            if kind == "binding":
                local = scopes[row.scope].kind not in (facts.MODULE, facts.CLASS)
                out.append((row.name, table.path if local else ""))
            else:
                out.append((table.rows[row][4], ""))
        parent = table.parent(number)
        if parent < 0:
            out += [
                (scopes[flow.scope].name + ("()" if flow.kind == "return" else ""), "")
                for flow in table.body.flows
                if flow.value == number
                and flow.kind in ("return", "yield")
                and scopes[flow.scope].kind == facts.FUNCTION
            ]
            decorated = table.decorated(number)
            if decorated >= 0:
                local = scopes[scopes[decorated].parent].kind not in (facts.MODULE, facts.CLASS)
                out.append(("@" + scopes[decorated].name, table.path if local else ""))
            return out
        row = table.rows[parent]
        if row[0] == op.CALL:
            if row[3] == number:
                return out
            if number in row[6]:
                word = row[5][row[6].index(number)]
                if word != "**":
                    out.append((word, ""))
                for value in list(engine.ask("callees", table.path, parent)):
                    function = value[1] if value[0] == BOUND else value
                    if function[0] == FUNCTION and not is_stub(function[1]):
                        out += [
                            (one.name, function[1])
                            for one in engine.table(function[1]).parameters(function[2])
                            if one.kind == "**"
                        ]
            elif number in row[4]:
                place = row[4].index(number)
                for value in list(engine.ask("callees", table.path, parent)):
                    shift = 1 if value[0] == BOUND else 0
                    function = value[1] if value[0] == BOUND else value
                    if value[0] == CLASS:
                        function, shift = _constructor(engine, value) or value, 1
                    if function[0] != FUNCTION or is_stub(function[1]):
                        if function[0] == PARTIAL or (function[0] == CLASS and is_stub(function[1])):
                            # what a partial or a standard class keeps is called under the result's names
                            for kind, entry in table.holders(parent):
                                if kind == "binding":
                                    local = scopes[entry.scope].kind not in (facts.MODULE, facts.CLASS)
                                    out.append((entry.name, table.path if local else ""))
                                else:
                                    out.append((table.rows[entry][4], ""))
                        continue
                    names = engine.table(function[1]).parameters(function[2])
                    if place + shift < len(names) and names[place + shift].kind not in ("*", "**"):
                        out.append((names[place + shift].name, function[1]))
                    else:
                        out += [(one.name, function[1]) for one in names if one.kind == "*"]
            return out
        if row[0] == op.STORE_SUBSCRIPT:
            out.append((table.token(row[3]), ""))
            return out
        if row[0] == op.STORE_ATTRIBUTE:
            return out
        number = parent
    return out


def constructor_values(engine: Engine, path: str, scope: int, name: str) -> Values:
    """What constructing calls hand over for a declared field."""
    from codemap.inference.fields import fields
    from codemap.inference.hierarchy import aliases

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
