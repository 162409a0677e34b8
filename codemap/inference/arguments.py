# What a call hands to which parameter.
from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.inference.values import LIKELY, Values, join
from codemap.model.facts import Parameter
from codemap.semantic import expressions as op

if TYPE_CHECKING:
    from codemap.inference.engine import Engine
    from codemap.inference.tables import Table


class Arguments:
    """The arguments of a call expression, or values that are handed over without one (a decorator's function)."""

    __slots__ = ("engine", "first", "given", "names", "positional", "table", "values")

    def __init__(
        self, engine: Engine, table: Table | None, call: int, given: tuple[Values, ...] = (), skip: int = 0
    ) -> None:
        self.engine = engine
        self.table = table
        self.given = given  # come before the written ones
        if table is None or call < 0:
            self.positional: tuple[int, ...] = ()
            self.names: tuple[str, ...] = ()
            self.values: tuple[int, ...] = ()
        else:
            row = table.rows[call]
            self.positional, self.names, self.values = row[4][skip:], row[5], row[6]

    def expression(self, number: int) -> Values:
        assert self.table is not None
        return self.engine.ask("expression", self.table.path, number)

    def at(self, position: int) -> Values | None:
        """The value at a position; None when nothing is handed there."""
        if position < len(self.given):
            return self.given[position]
        position -= len(self.given)
        if self.table is None:
            return None
        for place, number in enumerate(self.positional):
            row = self.table.rows[number]
            if row[0] == op.STARRED:
                whole = self.expression(row[3])
                values: Values = {}
                for value, rank in whole.items():
                    one = self.engine.element({value: rank}, position - place)
                    join(values, one or self.engine.iterate({value: rank}))
                return values
            if place == position:
                return self.expression(number)
        return None

    def keyword(self, name: str) -> Values | None:
        for key, number in zip(self.names, self.values, strict=False):
            if key == name:
                return self.expression(number)
        if "**" in self.names:
            values: Values = {}
            for key, number in zip(self.names, self.values, strict=False):
                if key == "**":
                    join(values, self.engine.item(self.expression(number), name), LIKELY)
            return values or None
        return None

    def count(self) -> int:
        return len(self.given) + len(self.positional)

    def starred(self) -> bool:
        table = self.table
        if table is None:
            return False
        return "**" in self.names or any(table.rows[number][0] == op.STARRED for number in self.positional)


def for_parameter(arguments: Arguments, parameters: list[Parameter], name: str, bound: bool) -> Values | None:
    """What the call hands to the parameter of that name; None when it hands nothing."""
    position = -1 if bound else 0
    if bound and parameters and parameters[0].kind == "*":
        position = 0
    for place, row in enumerate(parameters):
        if row.kind == "*":
            if row.name == name:
                return None
            break
        if row.kind not in ("positional", "positional-only"):
            break
        if row.name == name:
            index = place + position if not (bound and parameters[0].kind == "*") else place
            if index >= 0:
                found = arguments.at(index)
                if found is not None:
                    return found
            break
    return arguments.keyword(name)


def fits(arguments: Arguments, parameters: list[Parameter], bound: bool) -> bool:
    """Whether the number and names of arguments fit the parameters."""
    if arguments.table is not None and arguments.starred():
        return True
    usable = parameters[1:] if bound and parameters and parameters[0].kind != "*" else parameters
    positional = [row for row in usable if row.kind in ("positional", "positional-only")]
    variadic = any(row.kind == "*" for row in usable)
    if arguments.count() > len(positional) and not variadic:
        return False
    names = {row.name for row in usable if row.kind in ("positional", "keyword-only")}
    if any(name not in names for name in arguments.names if name != "**") and not any(
        row.kind == "**" for row in usable
    ):
        return False
    for place, row in enumerate(positional):
        if row.default == -1 and place >= arguments.count() and row.name not in arguments.names:
            return False
    return all(
        row.default != -1 or row.name in arguments.names for row in usable if row.kind == "keyword-only"
    )
