# A call that may mean one of five methods leads to five vertices; what each of the five calls in turn is another
# picture, and five times as much. So what lies behind a vertex that is only possibly reached is one vertex behind it.
from __future__ import annotations

from collections.abc import Mapping

from codemap.model.answers import CONFIDENCES, POSSIBLE
from codemap.queries.joining import more, stays
from codemap.queries.neighbourhoods import ASKED, Edge, Neighbourhood, Vertex

Steps = Mapping[str, list[tuple[str, str]]]


def behind_doubt(graph: Neighbourhood) -> Neighbourhood:
    """The graph with what lies behind possible steps as "N more", one for each vertex that is only possibly reached."""
    after: dict[str, list[tuple[str, str]]] = {}
    before: dict[str, list[tuple[str, str]]] = {}
    for edge in graph.edges:
        after.setdefault(edge.source, []).append((edge.target, edge.confidence))
        before.setdefault(edge.target, []).append((edge.source, edge.confidence))
    start = {vertex.name for vertex in graph.vertices if ASKED in vertex.flags}
    for backward, steps in ((False, after), (True, before)):
        graph = _one_side(graph, start, steps, backward)
    return graph


def _one_side(graph: Neighbourhood, start: set[str], steps: Steps, backward: bool) -> Neighbourhood:
    surely, doubtful = _reached(start, steps)
    by_name = {vertex.name: vertex for vertex in graph.vertices}
    roots = [
        name for name in sorted(doubtful) if (by_name[name].distance < 0) == backward and steps.get(name)
    ]
    gone: set[str] = set()
    added: dict[str, Vertex] = {}
    new_edges: list[Edge] = []
    for root in roots:
        behind = _behind(root, steps, surely | doubtful)
        behind = {name for name in behind if not stays(by_name[name])}
        elsewhere = {name for name, _ in steps[root] if name in surely | doubtful and name != root}
        if len(behind) + len(elsewhere) < 2:
            continue
        distance = by_name[root].distance + (-1 if backward else 1)
        members = [by_name[name] for name in sorted(behind | elsewhere)]
        one = more(by_name[root].module, members, f"behind {root}")
        shared = f"{len(elsewhere)} drawn elsewhere" if elsewhere else ""
        one = one._replace(distance=distance, note=shared or one.note, flags=one.flags[:1])
        added[root] = one
        gone |= behind
        sides = [edge for edge in graph.edges if (edge.target if backward else edge.source) == root]
        best = min(sides, key=lambda edge: (CONFIDENCES.index(edge.confidence), edge.sites))
        sites = tuple(sorted({site for edge in sides for site in edge.sites}))
        ends = (one.name, root) if backward else (root, one.name)
        new_edges.append(best._replace(source=ends[0], target=ends[1], sites=sites))
    if not added:
        return graph

    def is_dropped(edge: Edge) -> bool:
        near = edge.target if backward else edge.source
        return near in added or edge.source in gone or edge.target in gone

    kept = [edge for edge in graph.edges if not is_dropped(edge)]
    vertices = [vertex for vertex in graph.vertices if vertex.name not in gone]
    word = "callers of" if backward else "calls of"
    return graph._replace(
        vertices=tuple(sorted((*vertices, *added.values()), key=lambda vertex: vertex.name)),
        edges=tuple(sorted((*kept, *new_edges), key=lambda edge: (edge.source, edge.target))),
        notes=(*graph.notes, f"{word} what is only possibly reached are folded into “N more”"),
    )


def _reached(start: set[str], steps: Steps) -> tuple[set[str], set[str]]:
    """What is reached by steps that are surer than possible, and what one possible step leads to from there."""
    surely = set(start)
    level = sorted(start)
    while level:
        found = {name for one in level for name, sure in steps.get(one, ()) if sure != POSSIBLE}
        level = sorted(found - surely)
        surely |= found
    doubtful = {name for one in surely for name, _ in steps.get(one, ())} - surely
    return surely, doubtful


def _behind(root: str, steps: Steps, known: set[str]) -> set[str]:
    """What is reached through one vertex and is not known otherwise."""
    found: set[str] = set()
    level = [root]
    while level:
        following = {name for one in level for name, _ in steps.get(one, ())} - known - found
        found |= following
        level = sorted(following)
    return found
