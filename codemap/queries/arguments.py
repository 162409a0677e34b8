# Keyword arguments name parameters: `f(x=1)` has to do with the parameter `x` of f.
from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.inference.values import BOUND, CLASS, FUNCTION
from codemap.model import facts
from codemap.queries.occurrences import WRITE, Occurrence, keyword_place
from codemap.resolve.records import Definition

if TYPE_CHECKING:
    from codemap.inference.engine import Engine


def keywords_for(engine: Engine, parameter: Definition, name: str) -> list[Occurrence]:
    """The calls that hand a parameter its value by keyword."""
    program = engine.program
    me = (FUNCTION, parameter.file, parameter.owner)
    scopes = program.view(parameter.file).outline.scopes
    if scopes[parameter.owner].kind != facts.FUNCTION:
        return []
    found: list[Occurrence] = []
    for path in sorted(program.mentioning(name, facts.ROLE_KEYWORD)):
        table = engine.table(path)
        for number in table.all_calls():
            row = table.rows[number]
            if name not in row[5]:
                continue
            for value, rank in sorted(engine.solver.solve("callees", path, number).items(), key=repr):
                inner = value[1] if value[0] == BOUND else value
                if value[0] == CLASS and not value[1].startswith("<"):
                    inner = next(
                        (
                            one[1]
                            for one in engine.solver.solve(
                                "attribute", (*("instance",), *value[1:], (), False), "__init__"
                            )
                            if one[0] == BOUND
                        ),
                        value,
                    )
                if inner == me:
                    line, column = keyword_place(engine, table, number, name, row[6][row[5].index(name)])
                    scope, _ = table.place(number)
                    found.append(
                        Occurrence(
                            path,
                            line,
                            column,
                            scope,
                            WRITE,
                            WRITE,
                            rank,
                            "keyword-argument",
                            expression=number,
                        )
                    )
                    break
    return found
