# `call-graph NAME...`: callers against the calls, callees along them. The edges are those of `callers` and `callees`;
# a class that a call constructs is not followed further, for its body has run long before, its constructors are.
from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

from codemap.inference.edges import Edge as Call
from codemap.inference.edges import named_scope
from codemap.inference.stubs import is_stub
from codemap.inference.values import CLASS, EXTERNAL, FUNCTION, Value
from codemap.model import facts
from codemap.model.answers import AMBIGUOUS, CONFIDENCES, FOUND, NOT_FOUND, POSSIBLE, UnresolvedSite
from codemap.queries.calls import edges_from, edges_to, unresolved_from
from codemap.queries.neighbourhoods import ASKED, OUTSIDE, STDLIB, Draft, Neighbourhood, Site, Vertex
from codemap.queries.targets import Place, Target, name_of, targets_of

if TYPE_CHECKING:
    from codemap.inference.engine import Engine

MOST_WALKED: Final = 1000  # vertices after which no further step is taken


def calls_around(
    engine: Engine, names: Sequence[str], callers: int = 1, callees: int = 1, min_confidence: str = POSSIBLE
) -> Neighbourhood:
    """The calls around some names: so many steps to who calls, so many to what is called.

    A name that means nothing makes the answer "not_found", with `missing` and suggestions.
    """
    asked: dict[Place, Target] = {}
    status = FOUND
    for name in names:
        wanted = targets_of(engine, name)
        if wanted.status == NOT_FOUND:
            summary = engine.names.index.summary()
            return Neighbourhood(
                "call-graph",
                " ".join(names),
                summary,
                NOT_FOUND,
                suggestions=wanted.suggestions,
                missing=name,
            )
        status = AMBIGUOUS if wanted.status == AMBIGUOUS else status
        for target in wanted.targets:
            asked.setdefault(target.code, target)
    walk = _Walk(engine, CONFIDENCES.index(min_confidence))
    starts = walk.start(asked.values())
    walk.down(starts, callees)
    walk.up(starts, asked, callers)
    return Neighbourhood(
        "call-graph",
        " ".join(names),
        engine.names.index.summary(),
        status,
        walk.draft.sorted_vertices(),
        walk.draft.edges(),
        notes=tuple(walk.notes),
    )


class _Walk:
    """Vertices are places of code; a step is what `callees` or `callers` answer for one."""

    def __init__(self, engine: Engine, weakest: int) -> None:
        self.engine = engine
        self.weakest = weakest
        self.draft = Draft()
        self.notes: list[str] = []

    def start(self, asked: Iterable[Target]) -> list[Place]:
        """The vertices that were asked for; a class is asked for with its constructors."""
        places: dict[Place, None] = {}
        for target in asked:
            places[target.code] = None
            self._vertex(target.code, 0, (ASKED,))
            if target.value[0] == CLASS:
                for _, function in sorted(self.engine.solver.solve("constructors", *target.code), key=repr):
                    place = (function[1], function[2]) if function[0] == FUNCTION else ("<", 0)
                    if not is_stub(place[0]) and self._owner(place) == target.code:
                        places[place] = None
                        self._vertex(place, 0, (ASKED,))
        return list(places)

    def down(self, starts: list[Place], steps: int) -> None:
        """Follows the calls."""
        level, done = starts, set(starts)
        for distance in range(1, steps + 1):
            if self._is_too_far(distance, "callees"):
                return
            found: dict[Place, None] = {}
            for place in level:
                for call in edges_from(self.engine, place):
                    callee = self._note(place, call, distance)
                    if callee is not None and callee not in done and not self._is_class(callee):
                        found[callee] = None
                self._undecided(place)
            level = sorted(found)
            done.update(level)

    def up(self, starts: list[Place], asked: dict[Place, Target], steps: int) -> None:
        """Follows the calls backward."""
        level, done = starts, set(starts)
        for distance in range(1, steps + 1):
            if self._is_too_far(distance, "callers"):
                return
            found: dict[Place, None] = {}
            for place in level:
                target = asked.get(place) or self._target(place)
                if target is None or target.value[0] not in (FUNCTION, CLASS):
                    continue
                for call in edges_to(self.engine, target):
                    if call.rank > self.weakest:
                        continue
                    table = self.engine.table(call.file)
                    caller = (call.file, named_scope(table, call.caller_scope))
                    self._vertex(caller, -distance)
                    self._edge(caller, self._name(place), call)
                    if caller not in done:
                        found[caller] = None
            level = sorted(found)
            done.update(level)

    def _is_too_far(self, distance: int, what: str) -> bool:
        if distance > 1 and len(self.draft.vertices) > MOST_WALKED:
            self.notes.append(f"{what} beyond {distance - 1} steps were not followed: the graph is too large")
            return True
        return False

    def _note(self, caller: Place, call: Call, distance: int) -> Place | None:
        """Adds a call; the place of its callee, None for one outside the tree."""
        if call.rank > self.weakest:
            return None
        value = call.callee
        if value[0] == EXTERNAL or is_stub(value[1]):
            name = name_of(self.engine, value)
            if name:
                self.draft.vertex(outside(name, value, distance))
                self._edge(caller, name, call)
            return None
        callee = (value[1], named_scope(self.engine.table(value[1]), value[2]))
        self._vertex(callee, distance)
        self._edge(caller, self._name(callee), call)
        return callee

    def _edge(self, caller: Place, callee: str, call: Call) -> None:
        site = Site(call.file, call.line, call.column + 1, CONFIDENCES[call.rank], call.how, call.kind)
        self.draft.edge(self._name(caller), callee, site)

    def _undecided(self, place: Place) -> None:
        sites = {
            UnresolvedSite(site.name, site.file, site.line, site.reason)
            for site in unresolved_from(self.engine, place)
        }
        known = self.draft.vertices[self._name(place)]
        merged = {*known.undecided, *sites}
        ordered = tuple(sorted(merged, key=lambda site: (site.file, site.line, site.name, site.reason)))
        self.draft.vertices[known.name] = known._replace(undecided=ordered)

    def _vertex(self, place: Place, distance: int, flags: tuple[str, ...] = ()) -> None:
        table = self.engine.table(place[0])
        line = 1 if place[1] == 0 else table.scope(place[1]).header_line
        self.draft.vertex(
            Vertex(self._name(place), self._kind(place), table.view.module, place[0], line, distance, flags)
        )

    def _name(self, place: Place) -> str:
        return self.engine.table(place[0]).view.qualified(place[1])

    def _kind(self, place: Place) -> str:
        kind = self.engine.table(place[0]).scope(place[1]).kind
        if kind == facts.FUNCTION and self._owner(place) is not None:
            return "method"
        return str(kind)

    def _owner(self, place: Place) -> Place | None:
        """The class in whose body a function is defined."""
        table = self.engine.table(place[0])
        parent = table.scope(place[1]).parent
        if parent >= 0 and table.scope(parent).kind == facts.TYPE_PARAMETERS:
            parent = table.scope(parent).parent
        return (place[0], parent) if parent > 0 and table.scope(parent).kind == facts.CLASS else None

    def _is_class(self, place: Place) -> bool:
        return self._kind(place) == facts.CLASS

    def _target(self, place: Place) -> Target | None:
        """A caller as something that is called in turn; None for the code of a module."""
        if place[1] == 0:
            return None
        tag = CLASS if self._is_class(place) else FUNCTION
        return Target((tag, *place), place, self._name(place))


def outside(name: str, value: Value | None, distance: int) -> Vertex:
    """A vertex for something that is not in the tree."""
    import sys

    package = name.partition(".")[0].partition("(")[0]
    known = (value is not None and value[0] != EXTERNAL) or package in sys.stdlib_module_names
    flags = (OUTSIDE, STDLIB) if known else (OUTSIDE,)
    return Vertex(name, OUTSIDE, package, distance=distance, flags=flags)
