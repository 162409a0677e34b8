# A place whose name nothing in the tree defines: a module that is missing, a global that is never bound. Its uses
# within the file are known all the same.
from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.queries.lexical import Lexical, owner_of
from codemap.queries.occurrences import Occurrence
from codemap.queries.places import parse_place
from codemap.semantic import expressions as op

if TYPE_CHECKING:
    from codemap.inference.engine import Engine


def uses_of_place(engine: Engine, text: str) -> list[Occurrence]:
    """The occurrences of the names that stand at a place, by their scope alone."""
    place = parse_place(text)
    if place is None:
        return []
    file, line, column = place
    found: list[Occurrence] = []
    for path in engine.names.modules.paths_matching(file):
        table = engine.table(path)
        wanted: set[tuple[int, str]] = set()
        for number, row in enumerate(table.rows):
            if row[0] == op.NAME and row[1] == line and _covers(row[3], row[2], column):
                scope, _ = table.place(number)
                wanted.add((owner_of(table, scope, row[3]), row[3]))
        for binding in (*table.view.outline.bindings, *table.body.bindings):
            if binding.line == line and _covers(binding.name, binding.column, column):
                wanted.add((binding.scope, binding.name))
        for scope, name in sorted(wanted):
            lexical = Lexical(engine, path, scope, name)
            lexical.collect()
            found += lexical.found
    return found


def _covers(name: str, start: int, column: int | None) -> bool:
    return column is None or start < column <= start + len(name)
