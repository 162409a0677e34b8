# `path FROM TO`: breadth-first from both ends, whichever side has fewer vertices waiting. A step forward reads the
# callees of one function, a step backward asks who calls it, which costs more: it counts as several.
from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from codemap.inference.edges import Edge, named_scope
from codemap.inference.stubs import is_stub
from codemap.inference.values import CLASS, FUNCTION
from codemap.model.answers import AMBIGUOUS, CONFIDENCES, FOUND, NOT_FOUND, POSSIBLE, Answer
from codemap.queries.calls import Row, edges_from, edges_to, row_of
from codemap.queries.targets import Place, Target, Targets, targets_of

if TYPE_CHECKING:
    from codemap.inference.engine import Engine

_MOST_PATHS: Final = 20
_BACKWARD: Final = 6  # what a step backward costs, in steps forward


def path(engine: Engine, start: str, end: str, min_confidence: str = POSSIBLE) -> Answer:
    """The shortest ways, by number of calls, from a function to another over edges that are at least so sure."""
    first, last = targets_of(engine, start), targets_of(engine, end)
    target = f"{start} -> {end}"
    summary = engine.names.index.summary()
    if not first.targets or not last.targets:
        missing = first if not first.targets else last
        which = start if not first.targets else end
        extra: dict[str, Any] = {"missing": which} if NOT_FOUND in (first.status, last.status) else {}
        status = NOT_FOUND if NOT_FOUND in (first.status, last.status) else FOUND
        return Answer("path", target, summary, status, (), (), missing.suggestions, extra)
    search = _Search(engine, CONFIDENCES.index(min_confidence))
    ways = search.shortest(_starts(engine, first), [(one.code, one) for one in last.targets])
    rows = [_result(engine, way) for way in ways[:_MOST_PATHS]]
    status = AMBIGUOUS if AMBIGUOUS in (first.status, last.status) else FOUND
    extra = {"more_paths": True} if len(ways) > _MOST_PATHS else {}
    return Answer("path", target, summary, status, tuple(rows), (), (), extra)


def _starts(engine: Engine, wanted: Targets) -> list[Place]:
    """Where ways begin: a class begins in its body and in its constructors."""
    found: dict[Place, None] = {}
    for target in wanted.targets:
        found[target.code] = None
        if target.value[0] == CLASS:
            for _, function in sorted(engine.solver.solve("constructors", *target.code), key=repr):
                if function[0] == FUNCTION and not is_stub(function[1]):
                    found[function[1], function[2]] = None
    return list(found)


class _Search:
    """Vertices are places of code; a step is the surest edge between two of them."""

    def __init__(self, engine: Engine, weakest: int) -> None:
        self.engine = engine
        self.weakest = weakest
        self.steps: dict[tuple[Place, Place], Edge] = {}
        self._after: dict[Place, tuple[Place, ...]] = {}
        self._before: dict[Place, tuple[Place, ...]] = {}

    def shortest(self, starts: Iterable[Place], ends: Iterable[tuple[Place, Target]]) -> list[list[Edge]]:
        """All shortest ways, as edges, in the order of their names; one more than are shown when there are more."""
        targets = dict(ends)
        ahead = dict.fromkeys(starts, 0)
        behind = dict.fromkeys(targets, 0)
        from_start, from_end = list(ahead), list(behind)
        depth = back = 0
        if any(place in behind for place in ahead):  # from a function to itself: a circle, from both sides
            depth, back = 1, 1
            from_end = self._widen(from_end, behind, back, lambda place: self.before(place, targets))
            from_start = self._widen(from_start, ahead, depth, self.after)
            own = [[self.steps[place, place]] for place in sorted(targets) if (place, place) in self.steps]
            if own:
                return own
        while from_start and from_end:
            # a way has at least one call, even from a function to itself
            if (depth or back) and any(place in behind and ahead[place] + behind[place] for place in ahead):
                break
            if len(from_start) <= len(from_end) * _BACKWARD:
                depth += 1
                from_start = self._widen(from_start, ahead, depth, self.after)
            else:
                back += 1
                from_end = self._widen(from_end, behind, back, lambda place: self.before(place, targets))
        return self._ways(ahead, behind)

    def _widen(self, edge_of: list[Place], known: dict[Place, int], depth: int, step: Any) -> list[Place]:
        found: dict[Place, None] = {}
        for place in edge_of:
            for other in step(place):
                if other not in known:
                    known[other] = depth
                    found[other] = None
        return sorted(found)

    def after(self, place: Place) -> tuple[Place, ...]:
        """What code calls."""
        known = self._after.get(place)
        if known is None:
            found: dict[Place, None] = {}
            if not self._is_class(place) or place not in self._before:
                for edge in edges_from(self.engine, place):
                    other = self._note(place, edge)
                    if other is not None:
                        found[other] = None
            known = self._after[place] = tuple(sorted(found))
        return known

    def before(self, place: Place, targets: dict[Place, Target]) -> tuple[Place, ...]:
        """Who calls code."""
        known = self._before.get(place)
        if known is None:
            found: dict[Place, None] = {}
            target = targets.get(place)
            if target is None and place[1] > 0:
                tag = CLASS if self._is_class(place) else FUNCTION
                target = Target((tag, *place), place, "")
            if target is not None and target.value[0] in (CLASS, FUNCTION):
                for edge in edges_to(self.engine, target):
                    table = self.engine.table(edge.file)
                    caller = (edge.file, named_scope(table, edge.caller_scope))
                    if self._note(caller, edge) is not None:
                        found[caller] = None
            known = self._before[place] = tuple(sorted(found))
        return known

    def _is_class(self, place: Place) -> bool:
        return bool(self.engine.table(place[0]).scope(place[1]).kind == "class")

    def _note(self, caller: Place, edge: Edge) -> Place | None:
        if edge.rank > self.weakest or edge.callee[0] not in (CLASS, FUNCTION) or is_stub(edge.callee[1]):
            return None
        table = self.engine.table(edge.callee[1])
        callee = (edge.callee[1], named_scope(table, edge.callee[2]))
        known = self.steps.get((caller, callee))
        if known is None or _strength(edge) < _strength(known):
            self.steps[caller, callee] = edge
        return callee

    def _ways(self, ahead: dict[Place, int], behind: dict[Place, int]) -> list[list[Edge]]:
        lengths = [ahead[place] + behind[place] for place in ahead if place in behind]
        lengths = [length for length in lengths if length]
        if not lengths:
            return []
        shortest = min(lengths)
        middles = {p for p in ahead if p in behind and ahead[p] + behind[p] == shortest}
        before: dict[Place, list[Place]] = {}
        after: dict[Place, list[Place]] = {}
        for caller, callee in sorted(self.steps):
            if ahead.get(caller, -2) + 1 == ahead.get(callee, -1):
                before.setdefault(callee, []).append(caller)
            if behind.get(callee, -2) + 1 == behind.get(caller, -1):
                after.setdefault(caller, []).append(callee)
        found: list[list[Edge]] = []
        for middle in sorted(middles):
            for head in _chains(middle, before, ahead[middle]):
                for tail in _chains(middle, after, behind[middle]):
                    way = [*reversed(head), middle, *tail]
                    found.append([self.steps[pair] for pair in pairwise(way)])
                    if len(found) > 50 * _MOST_PATHS:
                        break
        unique = {
            tuple((edge.file, edge.line, edge.column, edge.callee) for edge in way): way for way in found
        }
        return sorted(unique.values(), key=lambda way: self._order(way))

    def _order(self, way: list[Edge]) -> tuple[object, ...]:
        rows = [row_of(self.engine, edge) for edge in way]
        worst = max(edge.rank for edge in way)
        return (worst, [row["callee"] for row in rows], [(row["file"], row["line"]) for row in rows])


def _chains(place: Place, neighbours: dict[Place, list[Place]], length: int) -> list[list[Place]]:
    """The ways of a length away from a place, the place itself left out."""
    ways: list[list[Place]] = [[]]
    for _ in range(length):
        longer = [[*way, other] for way in ways for other in neighbours.get(way[-1] if way else place, ())]
        ways = longer[: 50 * _MOST_PATHS]
    return ways


def _strength(edge: Edge) -> tuple[int, int, int, str]:
    return (edge.rank, edge.line, edge.column, edge.how)


def _result(engine: Engine, way: list[Edge]) -> Row:
    rows = [row_of(engine, edge) for edge in way]
    weakest = max(range(len(way)), key=lambda number: (way[number].rank, -number))
    first = rows[0]
    return {
        "file": first["file"],
        "line": first["line"],
        "column": first["column"],
        "confidence": rows[weakest]["confidence"],
        "how": rows[weakest]["how"],
        "path": [first["caller"], *(row["callee"] for row in rows)],
        "sites": rows,
        "weakest": weakest,
    }
