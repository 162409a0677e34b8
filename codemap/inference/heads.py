# The qualified names of what a name or a chain denotes, as the names layer sees it: "typing.Optional",
# "builtins.property". Annotations and a few callees are told by name and not by what they evaluate to.
from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.resolve.attributes import lookup_dotted
from codemap.resolve.records import Definition
from codemap.semantic import expressions as op

if TYPE_CHECKING:
    from codemap.inference.engine import Engine
    from codemap.inference.tables import Table


def chain(table: Table, expression: int) -> str:
    """The dotted text of a NAME or ATTRIBUTE chain, "" of anything else."""
    parts: list[str] = []
    row = table.rows[expression]
    while row[0] == op.ATTRIBUTE:
        parts.append(row[4])
        row = table.rows[row[3]]
    if row[0] != op.NAME:
        return ""
    parts.append(row[3])
    return ".".join(reversed(parts))


def definitions(engine: Engine, table: Table, expression: int) -> tuple[Definition, ...]:
    """What a chain denotes."""
    key = ("heads", table.path, expression)
    known: tuple[Definition, ...] | None = engine.memo.get(key)
    if known is None:
        dotted = chain(table, expression)
        if dotted:
            scope, _ = table.place(expression)
            answer = lookup_dotted(engine.program, table.view, scope, dotted)
            found = [item.definition for item in answer.found]
            out = []
            for item in found:
                if item.kind == "external" and item.name.startswith("builtins."):
                    from codemap.resolve.modules import lookup_attribute_of_module

                    inner = lookup_attribute_of_module(engine.program, "builtins", item.name[9:])
                    out += [one.definition for one in inner.found]
                else:
                    out.append(item)
            known = tuple(out)
        else:
            known = ()
        engine.memo[key] = known
    return known


def heads(engine: Engine, table: Table, expression: int) -> tuple[str, ...]:
    """Qualified names of what a chain denotes; the text itself where nothing is known of it."""
    return tuple(item.name for item in definitions(engine, table, expression))
