# A place whose name nothing in the tree defines: a module that is missing, a global that is never bound. Its uses
# within the file are known all the same.
from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.inference.stubs import is_stub
from codemap.inference.values import CLASS, INSTANCE
from codemap.queries.lexical import Lexical, owner_of
from codemap.queries.occurrences import Occurrence
from codemap.queries.places import parse_place
from codemap.queries.subjects import Subject
from codemap.resolve.attributes import members_of_class
from codemap.semantic import expressions as op

_ATTRIBUTES = (op.ATTRIBUTE, op.STORE_ATTRIBUTE, op.DELETE_ATTRIBUTE, op.MATCH_ATTRIBUTE)

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


def members_at(engine: Engine, text: str) -> list[Subject]:
    """The attributes that stand behind a dot at a place, or before its `=`: of the classes that the receiver may be."""
    place = parse_place(text)
    if place is None:
        return []
    file, line, column = place
    found: dict[tuple[str, int, str], Subject] = {}
    for path in engine.names.modules.paths_matching(file):
        table = engine.table(path)
        for row in table.rows:
            if row[0] not in _ATTRIBUTES or row[1] != line or not _covers(row[4], row[2], column):
                continue
            for value in sorted(engine.solver.solve("expression", path, row[3]), key=repr):
                if value[0] not in (INSTANCE, CLASS) or is_stub(value[1]):
                    continue
                klass = engine.class_definition(value[1], value[2])
                members = members_of_class(engine.program, klass, row[4]).found
                definition = members[0].definition if members else None
                if definition is None or not definition.file or is_stub(definition.file):
                    definition = klass._replace(kind="attribute", scope=-1, binding=-1, owner=klass.scope)
                    definition = definition._replace(name=f"{klass.name}.{row[4]}")
                    found.setdefault((klass.file, klass.scope, row[4]), Subject(klass, row[4], definition))
                    continue
                owner = engine.class_definition(definition.file, definition.owner)
                found.setdefault((owner.file, owner.scope, row[4]), Subject(owner, row[4], definition))
    return list(found.values())


def _covers(name: str, start: int, column: int | None) -> bool:
    return column is None or start < column <= start + len(name)
