# `callers` and `callees`: what calls a definition, and what a definition calls. Edges come from inference/edges,
# the one place that knows what an edge is; here they are found, filtered on the target, and told.
from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final

from codemap.inference.edges import (
    CALL,
    CALLBACK,
    IMPLICIT,
    Edge,
    Unresolved,
    definition_edges_at,
    edges_at,
    named_scope,
    unresolved_at,
)
from codemap.inference.stubs import is_stub
from codemap.inference.values import BOUND, CERTAIN, CLASS, EXTERNAL, FUNCTION, INSTANCE, POSSIBLE, Value
from codemap.model import facts
from codemap.model.answers import CONFIDENCES, Answer, UnresolvedSite
from codemap.queries.sites import Candidates
from codemap.queries.targets import Place, Target, name_of, targets_of
from codemap.semantic import expressions as op

if TYPE_CHECKING:
    from codemap.inference.engine import Engine
    from codemap.inference.tables import Table

_KINDS: Final = {CALL: 0, CALLBACK: 1, IMPLICIT: 2}
Row = dict[str, Any]


def callers(engine: Engine, name: str) -> Answer:
    """The sites that call a function, a method or a class (that construct it), with who calls there.

    A method that a class inherits is asked for as `Sub.run`: then only receivers that may be a Sub count.
    """
    wanted = targets_of(engine, name)
    rows: list[Row] = []
    open_sites: dict[tuple[str, int], list[Unresolved]] = {}
    for target in wanted.targets:
        if target.value[0] not in (FUNCTION, CLASS):
            continue
        rows += [row_of(engine, edge) for edge in edges_to(engine, target)]
        last = target.name.rpartition(".")[2]
        for path, sites in _open_sites(engine, target, last).items():
            for site in sites:
                open_sites[path, site.expression] = [site]
    resolved = {(row["file"], row["line"], row["column"]) for row in rows}
    undecided = {
        UnresolvedSite(site.name, site.file, site.line, site.reason)
        for sites in open_sites.values()
        for site in sites
        if (site.file, site.line, site.column + 1) not in resolved
    }
    return Answer(
        "callers",
        name,
        engine.names.index.summary(),
        wanted.status,
        tuple(distinct(rows)),
        tuple(sorted(undecided, key=_place_of)),
        wanted.suggestions,
    )


def callees(engine: Engine, name: str) -> Answer:
    """What a function, a method, a class body or the code of a module calls, in line order."""
    wanted = targets_of(engine, name)
    rows: list[Row] = []
    undecided: set[UnresolvedSite] = set()
    for target in wanted.targets:
        rows += [row_of(engine, edge) for edge in edges_from(engine, target.code)]
        undecided.update(
            UnresolvedSite(site.name, site.file, site.line, site.reason)
            for site in unresolved_from(engine, target.code)
        )
    return Answer(
        "callees",
        name,
        engine.names.index.summary(),
        wanted.status,
        tuple(distinct(rows)),
        tuple(sorted(undecided, key=_place_of)),
        wanted.suggestions,
    )


# --- edges as rows of an answer -----------------------------------------------------------------------------------
def row_of(engine: Engine, edge: Edge) -> Row:
    """An edge as CLI.md tells it."""
    table = engine.table(edge.file)
    return {
        "file": edge.file,
        "line": edge.line,
        "column": edge.column + 1,
        "confidence": CONFIDENCES[edge.rank],
        "how": edge.how,
        "caller": table.view.qualified(named_scope(table, edge.caller_scope)),
        "callee": name_of(engine, edge.callee),
        "edge": edge.kind,
    }


def distinct(rows: Iterable[Row]) -> list[Row]:
    """Each call once, as sure as the surest way to it, in the order of file, place and names."""
    best: dict[tuple[Any, ...], Row] = {}
    for row in rows:
        key = (row["file"], row["line"], row["column"], row["caller"], row["callee"])
        known = best.get(key)
        if known is None or _strength(row) < _strength(known):
            best[key] = row
    return [best[key] for key in sorted(best)]


def _strength(row: Row) -> tuple[int, int, str]:
    return (CONFIDENCES.index(row["confidence"]), _KINDS[row["edge"]], row["how"])


def _place_of(site: UnresolvedSite) -> tuple[str, int, str, str]:
    return (site.file, site.line, site.name, site.reason)


# --- who calls ------------------------------------------------------------------------------------------------------
def edges_to(engine: Engine, target: Target) -> list[Edge]:
    """The edges that end in a function or a class."""
    candidates = Candidates(engine, target.code)
    found: list[Edge] = []
    for path, number in sorted(candidates.expressions):
        for edge in edges_at(engine, path, number):
            if edge.callee == target.value:
                kept = _seen_through(engine, target, edge)
                if kept is not None:
                    found.append(kept)
    for path, scope in sorted(candidates.definitions):
        found += [edge for edge in definition_edges_at(engine, path, scope) if edge.callee == target.value]
    return found


def _seen_through(engine: Engine, target: Target, edge: Edge) -> Edge | None:
    """The edge, if its receiver may be one of the classes through which an inherited method was named."""
    if not target.seen_through or edge.expression < 0:
        return edge
    best: int | None = None
    for value in _called_at(engine, edge):
        receiver = value[2] if value[0] == BOUND and value[1] == target.value else None
        if value == target.value:  # called as a function of the class: `Base.run(x)`
            rank: int | None = POSSIBLE
        else:
            rank = _may_be(engine, receiver, target.seen_through) if receiver is not None else None
        if rank is not None:
            best = rank if best is None else min(best, rank)
    return None if best is None else edge._replace(rank=max(edge.rank, best))


def _called_at(engine: Engine, edge: Edge) -> list[Value]:
    """What an expression calls, with its receivers."""
    rule = {CALL: "callees", CALLBACK: "callbacks", IMPLICIT: "implicit"}[edge.kind]
    if edge.kind == CALL and engine.table(edge.file).rows[edge.expression][0] != op.CALL:
        return []
    found = engine.solver.solve(rule, edge.file, edge.expression)
    return [value if edge.kind == CALL else value[1] for value in found]


def _may_be(engine: Engine, receiver: Value, classes: tuple[Place, ...]) -> int | None:
    """How sure it is that a receiver is of one of the classes; None when it cannot be."""
    if receiver[0] not in (INSTANCE, CLASS):
        return POSSIBLE
    place = (receiver[1], receiver[2])
    above = engine.mro(*place)
    if any(one in above for one in classes):
        return CERTAIN
    is_open = receiver[0] == CLASS or receiver[4]
    if is_open and any(place in engine.mro(*one) for one in classes):
        return POSSIBLE
    return None


def _open_sites(engine: Engine, target: Target, name: str) -> dict[str, list[Unresolved]]:
    """Calls under the target's own name of which nobody knows what they call."""
    path, scope = target.code
    table = engine.table(path)
    row = table.scope(scope)
    if row.kind == facts.LAMBDA:
        return {}
    local = target.value[0] == FUNCTION and table.scope(row.parent).kind == facts.FUNCTION
    paths = [path] if local else sorted(engine.program.mentioning(name, facts.ROLE_CALL))
    found: dict[str, list[Unresolved]] = {}
    for other in paths:
        for call in engine.table(other).calls(name):
            sites = [site for site in unresolved_at(engine, other, call) if site.name == name]
            if sites and not known_outside(engine, other, call):
                found.setdefault(other, []).extend(sites)
    return found


def known_outside(engine: Engine, path: str, call: int) -> bool:
    """Whether a call is known to call something outside the tree by its name, and not merely a result of it."""
    values = engine.solver.solve("callees", path, call)
    return bool(values) and all(value[0] == EXTERNAL and "()" not in value[1] for value in values)


# --- what is called -------------------------------------------------------------------------------------------------
def edges_from(engine: Engine, code: Place) -> list[Edge]:
    """The edges that begin in the code of a function, a class body or a module, what it only defines left out."""
    path, scope = code
    if is_stub(path):
        return []
    table = engine.table(path)
    found: list[Edge] = []
    for number in expressions_of(table, scope):
        found += edges_at(engine, path, number)
    for number, row in enumerate(table.view.outline.scopes):
        if row.kind in (facts.FUNCTION, facts.CLASS) and named_scope(table, row.parent) == scope:
            found += definition_edges_at(engine, path, number)
    return found


def unresolved_from(engine: Engine, code: Place) -> list[Unresolved]:
    """The calls in the code of a function, a class body or a module of which nobody knows what they call."""
    path, scope = code
    if is_stub(path):
        return []
    table = engine.table(path)
    return [
        site
        for number in expressions_of(table, scope)
        if table.rows[number][0] == op.CALL and not known_outside(engine, path, number)
        for site in unresolved_at(engine, path, number)
    ]


def expressions_of(table: Table, scope: int) -> list[int]:
    """The expressions of a named scope and of the lambdas and comprehensions in it."""
    spans = table.body.spans
    found: list[int] = []
    for place, (start, owner, _) in enumerate(spans):
        if named_scope(table, owner) == scope:
            end = spans[place + 1][0] if place + 1 < len(spans) else len(table.rows)
            found += range(start, end)
    return found


__all__ = ["Row", "callees", "callers", "distinct", "edges_from", "edges_to", "row_of", "unresolved_from"]
