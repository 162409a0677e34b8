# Several vertices of a neighbourhood as one: what folding.py and doubts.py have in common.
from __future__ import annotations

from collections.abc import Iterable, Mapping

from codemap.model.answers import CONFIDENCES
from codemap.queries.neighbourhoods import ASKED, MORE, OUTSIDE, UNDECIDED, Draft, Edge, Neighbourhood, Vertex


def more(module: str, members: list[Vertex], words: str) -> Vertex:
    """One vertex "N more" for several; `words` has {} for the module."""
    names = tuple(sorted({name for vertex in members for name in vertex.folded or (vertex.name,)}))
    several = {vertex.module for vertex in members}
    where = module or f"{len(several)} other modules"
    return Vertex(
        f"{len(names)} more {words.format(where)}",
        MORE,
        module,
        distance=min((vertex.distance for vertex in members), key=abs),
        flags=(MORE, OUTSIDE) if all(OUTSIDE in vertex.flags for vertex in members) else (MORE,),
        folded=names,
        note="" if several == {module} else f"in {len(several)} modules" if len(several) > 1 else "",
    )


def stays(vertex: Vertex) -> bool:
    """Whether a vertex is never folded."""
    return ASKED in vertex.flags or UNDECIDED in vertex.flags


def draft_of(graph: Neighbourhood) -> Draft:
    """A draft with the vertices of a graph."""
    draft = Draft()
    for vertex in graph.vertices:
        draft.vertex(vertex)
    return draft


def joined(graph: Neighbourhood, into: Mapping[str, Vertex]) -> Neighbourhood:
    """The graph with some vertices become others; edges within one of those disappear."""
    merged: dict[tuple[str, str], list[Edge]] = {}
    between: dict[tuple[str, str], list[Edge]] = {}
    for edge in graph.edges:
        source, target = (into[end].name if end in into else end for end in (edge.source, edge.target))
        if edge.source in into and edge.target in into:
            if source != target:
                between.setdefault((source, target), []).append(edge)
        else:
            merged.setdefault((source, target), []).append(edge)
    held = {end for ends in merged for end in ends}
    for ends, edges in sorted(
        between.items()
    ):  # of no interest, but where a vertex would hang in the air without
        if not held.issuperset(ends):
            merged[ends] = edges
            held.update(ends)
    vertices = {vertex.name: vertex for vertex in graph.vertices if vertex.name not in into}
    vertices.update((vertex.name, vertex) for vertex in into.values())
    return graph._replace(
        vertices=tuple(vertices[name] for name in sorted(vertices)),
        edges=tuple(_one(ends, edges) for ends, edges in sorted(merged.items())),
    )


def _one(ends: tuple[str, str], edges: Iterable[Edge]) -> Edge:
    """Several edges as one, as sure as the surest."""
    ordered = sorted(edges, key=lambda edge: (CONFIDENCES.index(edge.confidence), edge.sites))
    sites = tuple(sorted({site for edge in ordered for site in edge.sites}))
    flags = tuple(sorted({flag for edge in ordered for flag in edge.flags}))
    return ordered[0]._replace(source=ends[0], target=ends[1], sites=sites, flags=flags)
