# `import-graph MODULE...`: what a module imports is read from that module alone; who imports it is known only when
# every module has been read.
from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from codemap.model.answers import AMBIGUOUS, CERTAIN, FOUND
from codemap.queries.call_neighbourhoods import outside
from codemap.queries.imports import imports_of_file, no_such_module
from codemap.queries.neighbourhoods import ASKED, Draft, Neighbourhood, Site, Vertex
from codemap.resolve.naming import module_definition

if TYPE_CHECKING:
    from codemap.resolve.program import Program

Row = dict[str, Any]


def imports_around(
    program: Program, modules: Sequence[str], importers: int = 1, imports: int = 1
) -> Neighbourhood:
    """The imports around some modules: so many steps to who imports them, so many to what they import.

    Raises NoSuchModule when the tree has none of a name.
    """
    status = FOUND
    asked: dict[str, None] = {}
    for module in modules:
        paths = program.modules.paths_matching(module)
        names = sorted({program.modules.module_of(path) for path in paths})
        if not names:
            if module_definition(program, module) is None:
                raise no_such_module(program, module)
            names = [module]
        status = AMBIGUOUS if len(names) > 1 else status
        asked.update(dict.fromkeys(names))
    walk = _Walk(program)
    for name in asked:
        walk.vertex(name, 0, (ASKED,))
    walk.down(list(asked), imports)
    if importers:
        walk.up(list(asked), importers)
    return Neighbourhood(
        "import-graph",
        " ".join(modules),
        program.index.summary(),
        status,
        walk.draft.sorted_vertices(),
        walk.draft.edges(),
    )


class _Walk:
    def __init__(self, program: Program) -> None:
        self.program = program
        self.draft = Draft()

    def down(self, starts: list[str], steps: int) -> None:
        """Follows the imports."""
        level, done = starts, set(starts)
        for distance in range(1, steps + 1):
            found: dict[str, None] = {}
            for module in level:
                for row in self._rows(module):
                    self._edge(module, row, distance)
                    if row["resolved"] and row["module"] not in done:
                        found[row["module"]] = None
            level = sorted(found)
            done.update(level)

    def up(self, starts: list[str], steps: int) -> None:
        """Follows the imports backward."""
        self.program.index.complete()
        importers: dict[str, list[tuple[str, Row]]] = {}
        for path, _ in self.program.index.outlines(self.program.index.files):
            module = self.program.modules.module_of(path)
            for row in imports_of_file(self.program, self.program.view(path))[0]:
                if row["resolved"] and row["module"] != module:
                    importers.setdefault(row["module"], []).append((module, row))
        level, done = starts, set(starts)
        for distance in range(1, steps + 1):
            found: dict[str, None] = {}
            for target in level:
                for module, row in importers.get(target, ()):
                    self.vertex(module, -distance)
                    self.draft.edge(module, target, site_of(row))
                    if module not in done:
                        found[module] = None
            level = sorted(found)
            done.update(level)

    def vertex(self, module: str, distance: int, flags: tuple[str, ...] = ()) -> None:
        """Adds a module of the tree."""
        self.draft.vertex(module_vertex(self.program, module, distance, flags))

    def _rows(self, module: str) -> list[Row]:
        return [
            row
            for path in self.program.modules.files_of(module)[:1]
            for row in imports_of_file(self.program, self.program.view(path))[0]
            if row["module"] != module
        ]

    def _edge(self, module: str, row: Row, distance: int) -> None:
        if row["resolved"]:
            self.vertex(row["module"], distance)
        else:
            self.draft.vertex(outside(row["module"], None, distance))
        self.draft.edge(module, row["module"], site_of(row))


def module_vertex(program: Program, module: str, distance: int = 0, flags: tuple[str, ...] = ()) -> Vertex:
    """A module of the tree as a vertex, grouped by its package."""
    files = program.modules.files_of(module)
    package = module.rpartition(".")[0]
    is_package = program.modules.is_package(module)
    file = files[0] if files else ""
    kind = "package" if is_package else "module"
    return Vertex(module, kind, package, file, 1 if file else 0, distance, flags)


def site_of(row: Row) -> Site:
    """The place of an import."""
    return Site(row["file"], row["line"], row["column"], CERTAIN, row["how"], row["import_kind"])
