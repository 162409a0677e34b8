# Where a module is used: the statements that import it, by itself or to take something from it, and the names that
# stand for it.
from __future__ import annotations

import re
from typing import TYPE_CHECKING

from codemap.inference.heads import chain, definitions
from codemap.model import facts
from codemap.queries.lexical import owner_of
from codemap.queries.occurrences import DEFINITION, IMPORT, READ, Occurrence, lines_of
from codemap.resolve.imports import imported_module
from codemap.resolve.records import MODULE, Definition

if TYPE_CHECKING:
    from codemap.inference.engine import Engine
    from codemap.model.facts import Import


def uses_of_module(engine: Engine, module: Definition) -> list[Occurrence]:
    """The module's own file, the imports that name it, the reads of names bound to it."""
    program = engine.program
    found: list[Occurrence] = []
    if module.scope >= 0:
        found.append(Occurrence(module.file, 1, 0, 0, DEFINITION, "", 0, "module"))
    last = module.name.rpartition(".")[2]
    words = {last}
    if module.file.rpartition("/")[2].startswith("__init__."):
        words |= {row.rpartition(".")[2] for row in program.modules.submodules(module.name)}
    files: set[str] = set()
    bound: dict[str, set[str]] = {}
    for word in sorted(words):
        files |= program.mentioning(word, facts.ROLE_IMPORT)
    for path in sorted(files):
        view = program.view(path)
        for row in view.outline.imports:
            if row.dynamic:
                continue
            source = imported_module(program, view, row)
            inside = f"{source}.{row.name}" if row.name not in ("", "*") else source
            place: tuple[int, int] | None = None
            if row.name and inside == module.name and program.modules.exists(inside):
                place = (row.line, row.column)
                bound.setdefault(path, set()).add(row.bound)
            elif source == module.name:
                place = _module_token(engine, path, row, last)
                if not row.name:
                    bound.setdefault(path, set()).add(row.bound)
            elif not row.name and source.startswith(module.name + "."):
                place = _module_token(engine, path, row, last)
                bound.setdefault(path, set()).add(row.bound)
            if place is not None:
                found.append(Occurrence(path, *place, row.scope, IMPORT, "", 0, "import"))
    for path, names in sorted(bound.items()):
        table = engine.table(path)
        for name in sorted(names | {last}):
            for number in table.reads(name):
                if not chain(table, number):
                    continue
                scope, _ = table.place(number)
                row = table.rows[number]
                if any(
                    item.kind == MODULE and item.name == module.name
                    for item in definitions(engine, table, number)
                ):
                    found.append(
                        Occurrence(path, row[1], row[2], scope, READ, READ, 0, "import", expression=number)
                    )
    return found


def _module_token(engine: Engine, path: str, row: Import, last: str) -> tuple[int, int] | None:
    """Where the last part of a module's name stands in an import statement."""
    lines = lines_of(engine, path)
    first = row.statement_line
    for line in range(first, min(first + 3, len(lines)) + 1):
        text = lines[line - 1]
        end = len(text)
        if row.name:
            match = re.search(r"\bimport\b", text)
            end = match.start() if match else end
        hits = [hit.start() for hit in re.finditer(rf"\b{re.escape(last)}\b", text[:end])]
        if not row.name:
            hits = [hit for hit in hits if line > row.line or hit >= row.column] if line == row.line else []
        if hits:
            return line, hits[0] if not row.name else hits[-1]
    return (row.line, row.column) if not row.name else None


__all__ = ["owner_of", "uses_of_module"]
