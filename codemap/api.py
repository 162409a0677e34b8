# The library's front door, and the command line's too: both ask through `Map`, so they cannot differ. Imports are
# inside the methods because `import codemap` is part of every question's start-up.
from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Self

from codemap.errors import NoSuchModule
from codemap.model.answers import FOUND, NOT_FOUND, POSSIBLE, Answer

if TYPE_CHECKING:
    from codemap.index.build import Index
    from codemap.index.progress import Progress
    from codemap.inference.engine import Engine
    from codemap.model.graphs import CallGraph
    from codemap.queries.neighbourhoods import Neighbourhood


class Map:
    """A tree that can be asked. Made by `open_map`; use it from one thread, and close it (or use `with`).

    A map answers for the tree as it was when it was opened; open another one after files changed: that costs
    little, what did not change is not read again.
    """

    def __init__(self, index: Index) -> None:
        from codemap.resolve.program import Program

        self._index = index
        self._program = Program(index)
        self._inference: Engine | None = None

    @property
    def _engine(self) -> Engine:
        """What questions about values ask; made for the first of them."""
        if self._inference is None:
            from codemap.inference.engine import Engine

            self._inference = Engine(self._index, beside=self._program)
        return self._inference

    def find_class(self, name: str, *, expected_in: Sequence[str] = ()) -> Answer:
        """Where a class is defined, how it is re-exported, and what each file of `expected_in` has to do with it.

        `name` is a qualified name, an unambiguous end of one, or `file.py:LINE`; `expected_in` are paths, or ends
        of paths. `answer.extra["expected_in"]` has one entry for each file that fits.
        """
        from codemap.queries.definitions import find_class

        return find_class(self._program, name, tuple(expected_in))

    def find(self, name: str, *, kinds: Sequence[str] = ()) -> Answer:
        """Where a name is defined; `kinds` keeps some of class, function, method, attribute, module, constant."""
        from codemap.queries.definitions import find

        return find(self._program, name, tuple(kinds))

    def consumers(self, name: str) -> Answer:
        """Who reads `CLASS.ATTR`, or `MODULE.NAME` of a module's global.

        Each result has `name` (the function, method or module that does it), `attribute` (qualified by the class
        that declares it), `receiver` (class) and `access`; `answer.unresolved` are the sites that bear the name
        and could not be decided.
        """
        from codemap.queries.attributes import consumers

        return consumers(self._engine, name)

    def producers(self, name: str) -> Answer:
        """Who writes `CLASS.ATTR` or `MODULE.NAME`: constructor arguments, `replace`, `setattr` and `del` included."""
        from codemap.queries.attributes import producers

        return producers(self._engine, name)

    def refs(self, name: str) -> Answer:
        """Every reference of a name with its `role`, the definition included; `file.py:LINE[:COL]` asks for a place."""
        from codemap.queries.references import refs

        return refs(self._engine, name)

    def subclasses(self, name: str) -> Answer:
        """The subclasses of a class, direct and indirect, registered and structural ones included."""
        from codemap.queries.hierarchy import subclasses

        return subclasses(self._engine, name)

    def overrides(self, name: str) -> Answer:
        """The methods of subclasses that override `CLASS.METHOD`."""
        from codemap.queries.hierarchy import overrides

        return overrides(self._engine, name)

    def show(self, name: str) -> Answer:
        """The interface card of a class, function or attribute: one result with fields, methods and their users."""
        from codemap.queries.interface import show

        return show(self._engine, name)

    def callers(self, name: str) -> Answer:
        """The call sites of a function, method or class, with who calls, how sure that is and by which rule.

        `name` is a qualified name, an end of one, or `file.py:LINE`; several definitions that fit are all answered
        for. Sites that bear the name and could not be decided are in `answer.unresolved`.
        """
        from codemap.queries.calls import callers

        return callers(self._engine, name)

    def callees(self, name: str) -> Answer:
        """What a function, a method, a class body or the code of a module calls, in line order."""
        from codemap.queries.calls import callees

        return callees(self._engine, name)

    def path(self, start: str, end: str, *, min_confidence: str = POSSIBLE) -> Answer:
        """The shortest ways of calls from one function to another, over edges that are at least so sure."""
        from codemap.queries.paths import path

        return path(self._engine, start, end, min_confidence)

    def call_graph(
        self, *, min_confidence: str = POSSIBLE, as_pycg: bool = False, progress: Progress | None = None
    ) -> CallGraph:
        """Every call of the tree that is at least so sure; the whole tree is indexed first.

        `as_pycg` names vertices as PyCG does: `<builtin>.len`, `main.<lambda1>`, `main.C.__init__` for a call of C.
        """
        from codemap.queries.graphs import call_graph

        return call_graph(self._engine, min_confidence, progress, as_pycg=as_pycg)

    def calls_around(
        self, names: Sequence[str], *, callers: int = 1, callees: int = 1, min_confidence: str = POSSIBLE
    ) -> Neighbourhood:
        """The calls around names, so many steps each way: a `Neighbourhood` of vertices and edges, to be drawn."""
        from codemap.queries.call_neighbourhoods import calls_around

        return calls_around(self._engine, tuple(names), callers, callees, min_confidence)

    def import_graph(self, modules: Sequence[str], *, importers: int = 1, imports: int = 1) -> Neighbourhood:
        """The imports around modules, so many steps each way."""
        from codemap.queries.import_neighbourhoods import imports_around
        from codemap.queries.neighbourhoods import Neighbourhood

        try:
            return imports_around(self._program, tuple(modules), importers, imports)
        except NoSuchModule as error:
            return Neighbourhood(
                "import-graph",
                " ".join(modules),
                self._index.summary(),
                NOT_FOUND,
                suggestions=error.nearest,
                missing=error.message.split(" ")[2],
            )

    def class_graph(
        self,
        names: Sequence[str],
        *,
        bases: int | None = None,
        subclasses: int | None = None,
        min_confidence: str = POSSIBLE,
    ) -> Neighbourhood:
        """The bases and subclasses of classes, so many steps each way, None for all."""
        from codemap.queries.class_neighbourhoods import classes_around

        return classes_around(self._engine, tuple(names), bases, subclasses, min_confidence)

    def drawn(self, answer: Answer) -> Neighbourhood:
        """An answer of `path` or `cycles` as a graph, to be drawn."""
        from codemap.queries.answer_neighbourhoods import cycles_drawn, paths_drawn

        return (cycles_drawn if answer.command == "cycles" else paths_drawn)(self._program, answer)

    def imports(self, module: str) -> Answer:
        """What a module imports, and whether at run time, for type checkers only, lazily or where it can.

        `module` is a dotted name, the end of one, or a file's path; one that the tree does not have is "not_found".
        """
        from codemap.queries.imports import imports

        try:
            return imports(self._program, module)
        except NoSuchModule as error:
            return Answer("imports", module, self._index.summary(), NOT_FOUND, suggestions=error.nearest)

    def cycles(self) -> Answer:
        """Import cycles: those that happen at import time apart from those that only type checkers see."""
        from codemap.queries.imports import cycles

        return cycles(self._program)

    def status(self) -> Answer:
        """Files with their lines, parse errors, skipped files and sizes; indexes the whole tree first."""
        from codemap.queries.status import status

        return status(self._program)

    def index(self) -> Answer:
        """Indexes the whole tree now, so that no question has to; `answer.tree` says what is in it."""
        self._index.complete()
        status = self._index.status()
        tree = self._index.summary()._replace(parse_errors=len({file for file, _, _ in status.parse_errors}))
        return Answer("index", self._index.tree.spec, tree, FOUND)

    def close(self) -> None:
        """Lets the cache go."""
        self._index.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def open_map(
    tree: str | os.PathLike[str] | None = None,
    *,
    roots: Sequence[str] = (),
    python: str | None = None,
    exclude: Sequence[str] = (),
    cache: str | os.PathLike[str] | None = None,
    jobs: int | None = None,
    progress: Progress | None = None,
    say: Callable[[str], None] | None = None,
) -> Map:
    """A map of a tree: a folder, an installed distribution, a wheel or sdist, or `pypi:NAME==VERSION`.

    tree: as after `--tree`; None is the current folder. Its code is read, never imported.
    roots: folders where module names begin, where the layout does not tell.
    python: interpreter, or folder of an environment, in which an installed distribution is looked up.
    exclude: globs of paths to leave out.
    cache: folder for fetched archives and for the index; None is CODEMAP_CACHE_DIR or the user's cache folder.
    jobs: worker processes for indexing; None is one for each processor.
    progress: told about long work (`start(total)`, `advance(count)`, `finish()`).
    say: told a line about what takes long (a download) or was put right (a damaged cache); None is silence.

    Raises TreeError (NoSuchTree, EmptyTree, ArchiveError, FetchError) and CacheError.
    """
    from codemap.config import default_cache
    from codemap.index.build import open_index
    from codemap.source.trees import open_tree

    if cache is None:
        cache = os.environ.get("CODEMAP_CACHE_DIR") or default_cache(os.environ)
    folder = Path(os.path.abspath(os.path.expanduser(cache)))
    heard = say or (lambda line: None)
    spec = None if tree is None else os.fspath(tree)
    opened = open_tree(
        spec, roots=tuple(roots), python=python, exclude=tuple(exclude), cache=folder, say=heard
    )
    return Map(open_index(opened, cache=folder, jobs=jobs, progress=progress, say=heard))
