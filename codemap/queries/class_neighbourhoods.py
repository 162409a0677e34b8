# `class-graph NAME...`: bases upward, subclasses downward; an edge goes from the class to its base.
from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from codemap.inference.stubs import is_stub
from codemap.model.answers import AMBIGUOUS, CERTAIN, CONFIDENCES, FOUND, LIKELY, NOT_FOUND, POSSIBLE
from codemap.queries.call_neighbourhoods import outside
from codemap.queries.definitions import matches_of, status_of
from codemap.queries.hierarchy import below
from codemap.queries.neighbourhoods import ASKED, Draft, Neighbourhood, Site, Vertex
from codemap.resolve.attributes import bases_of
from codemap.resolve.records import CLASS

if TYPE_CHECKING:
    from codemap.inference.engine import Engine
    from codemap.inference.values import Value
    from codemap.queries.targets import Place


def classes_around(
    engine: Engine,
    names: Sequence[str],
    bases: int | None = None,
    subclasses: int | None = None,
    min_confidence: str = POSSIBLE,
) -> Neighbourhood:
    """The classes above and below some classes: so many steps, None is as far as they go.

    A name that means no class makes the answer "not_found", with `missing` and suggestions.
    """
    asked: dict[Place, None] = {}
    status = FOUND
    for name in names:
        matches = matches_of(engine.names, name, (CLASS,)).matches
        found = [(m.definition.file, m.definition.scope) for m in matches if m.definition.scope > 0]
        if not found:
            from codemap.queries.suggestions import suggestions

            near = suggestions(engine.names, name, (CLASS,))
            summary = engine.names.index.summary()
            target = " ".join(names)
            return Neighbourhood("class-graph", target, summary, NOT_FOUND, suggestions=near, missing=name)
        status = AMBIGUOUS if status_of(matches) == AMBIGUOUS else status
        asked.update(dict.fromkeys(found))
    walk = _Walk(engine, CONFIDENCES.index(min_confidence))
    for place in asked:
        walk.vertex(place, 0, (ASKED,))
    walk.up(list(asked), bases)
    walk.down(list(asked), subclasses)
    return Neighbourhood(
        "class-graph",
        " ".join(names),
        engine.names.index.summary(),
        status,
        walk.draft.sorted_vertices(),
        walk.draft.edges(),
    )


class _Walk:
    """Distances: bases stand behind a class (1, 2, ...), subclasses before it (-1, -2, ...)."""

    def __init__(self, engine: Engine, weakest: int) -> None:
        self.engine = engine
        self.weakest = weakest
        self.draft = Draft()

    def up(self, starts: list[Place], steps: int | None) -> None:
        """Follows the bases."""
        level, done, distance = starts, set(starts), 0
        while level and (steps is None or distance < steps):
            distance += 1
            found: dict[Place, None] = {}
            for place in level:
                known = bases_of(self.engine.program, self.engine.class_definition(*place))
                for alternatives in known.places:
                    if len(alternatives) > 1 and self.weakest < CONFIDENCES.index(LIKELY):
                        continue
                    for base in alternatives:
                        if base.file and base.scope > 0 and is_stub(base.file):
                            name = self.engine.qualified(base.file, base.scope)
                            self._outside(place, name, (CLASS, base.file, base.scope), distance)
                        elif base.file and base.scope > 0:
                            above = (base.file, base.scope)
                            self.vertex(above, distance)
                            sure = CERTAIN if len(alternatives) == 1 else LIKELY
                            self._edge(place, self.engine.qualified(*above), sure, "base")
                            if above not in done:
                                found[above] = None
                for name in known.outside:
                    self._outside(place, name, None, distance)
            level = sorted(found)
            done.update(level)

    def down(self, starts: list[Place], steps: int | None) -> None:
        """Follows the subclasses."""
        level, done, distance = starts, set(starts), 0
        while level and (steps is None or distance < steps):
            distance += 1
            found: dict[Place, None] = {}
            for place in level:
                for heir, (rank, how, direct) in below(self.engine, place).items():
                    if not direct or rank > self.weakest:
                        continue
                    self.vertex(heir, -distance)
                    self._edge(heir, self.engine.qualified(*place), CONFIDENCES[rank], how)
                    if heir not in done:
                        found[heir] = None
            level = sorted(found)
            done.update(level)

    def vertex(self, place: Place, distance: int, flags: tuple[str, ...] = ()) -> None:
        """Adds a class of the tree."""
        table = self.engine.table(place[0])
        name = self.engine.qualified(*place)
        line = table.scope(place[1]).header_line
        self.draft.vertex(Vertex(name, CLASS, table.view.module, place[0], line, distance, flags))

    def _outside(self, heir: Place, name: str, value: Value | None, distance: int) -> None:
        vertex = outside(name, value, distance)
        self.draft.vertex(vertex._replace(module=name.rpartition(".")[0] or name))
        self._edge(heir, name, CERTAIN, "base")

    def _edge(self, heir: Place, base: str, confidence: str, how: str) -> None:
        row = self.engine.table(heir[0]).scope(heir[1])
        kind = "base" if how == "base" else how
        site = Site(heir[0], row.header_line, row.column + 1, confidence, how, kind)
        self.draft.edge(self.engine.qualified(*heir), base, site)
