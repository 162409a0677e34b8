# What is in a display: what it is written with, and what code puts into it later, by whatever name it knows it.
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from codemap.inference.keys import constant_key
from codemap.inference.made import elements_of_call
from codemap.inference.values import BOUND, DISPLAY, LIKELY, POSSIBLE, Value, Values, join
from codemap.model import facts
from codemap.semantic import expressions as op

if TYPE_CHECKING:
    from codemap.inference.engine import Engine

from codemap.inference.tables import ADDERS, SPLICERS


def elements(engine: Engine, path: str, expression: int, key: Value | None) -> Values:
    """What is in a display: all of it (key None), under a constant key, or its keys (("keys",))."""
    table = engine.table(path)
    row = table.rows[expression]
    out: Values = {}
    if row[0] in (op.LIST, op.TUPLE, op.SET):
        for place, number in enumerate(row[3]):
            if table.rows[number][0] == op.STARRED:
                join(out, engine.iterate(engine.ask("expression", path, table.rows[number][3])))
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
                join(out, engine.item(inner, key) if key is not None else engine.iterate_values(inner))
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
    elif row[0] == op.CALL:
        join(out, elements_of_call(engine, path, expression, key))
    if row[0] != op.TUPLE and not (row[0] == op.COMPREHENSION and row[3] == "generator"):
        join(out, _put(engine, path, expression, key), LIKELY)
    return out


# what a display may stand within so that it is reached through the names of what is around it
_AROUND: Final = frozenset(
    {op.DICT, op.LIST, op.TUPLE, op.SET, op.KEYWORD, op.CALL, op.BOOLEAN, op.CONDITIONAL}
)
_DEEPEST: Final = 6


def _put(engine: Engine, path: str, expression: int, key: Value | None) -> Values:
    """What code puts into the container that an expression makes, found by the names that it is kept under."""

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
                        join(out, engine.iterate(engine.ask("expression", other, row[5])), POSSIBLE)
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
                    join(out, engine.iterate(engine.ask("expression", other, row[5])), POSSIBLE)
                elif method in SPLICERS:
                    for one in row[4]:
                        given = engine.ask("expression", other, one)
                        join(
                            out,
                            engine.item(given, key)
                            if key is not None
                            else (
                                engine.iterate_values(given) if method == "update" else engine.iterate(given)
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
    places = [expression]
    while True:  # a container within another is reached through the names of that one
        place = places[-1]
        for kind, row in table.holders(place):
            if kind == "binding":
                local = scopes[row.scope].kind not in (facts.MODULE, facts.CLASS)
                out.append((path if local else "", row.name))
            else:
                out.append(("", table.rows[row][4]))
        around = table.parent(place)
        entry: Any = table.rows[around] if around >= 0 else (-1,)
        if entry[0] == op.STORE_SUBSCRIPT and entry[5] == place:
            out.append(("", table.root_token(entry[3])))
        elif entry[0] == op.CALL and entry[3] != place:
            callee = table.rows[entry[3]]
            if callee[0] == op.ATTRIBUTE and callee[4] in ADDERS:
                out.append(("", table.root_token(callee[3])))
        if entry[0] not in _AROUND or (entry[0] == op.CALL and entry[3] == place) or len(places) > _DEEPEST:
            break
        places.append(around)
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


def length(engine: Engine, value: Value) -> int | None:
    """How many elements a display has, when it says so itself."""
    if value[0] != DISPLAY:
        return None
    table = engine.table(value[1])
    row = table.rows[value[2]]
    if row[0] not in (op.LIST, op.TUPLE) or any(table.rows[one][0] == op.STARRED for one in row[3]):
        return None
    return len(row[3])
