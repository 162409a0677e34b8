# A neighbourhood as data: the same edges as in the picture before anything is folded, one row a site.
from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from codemap.model.answers import CERTAIN, Answer, UnresolvedSite
from codemap.model.graphs import CallGraph, GraphEdge
from codemap.model.graphs import Vertex as GraphVertex
from codemap.queries.neighbourhoods import Neighbourhood, Site
from codemap.render.palette import VERBS
from codemap.render.text import call_line
from codemap.render.wording import place, plain

_ENDS: Final = {
    "call-graph": ("caller", "callee", "edge"),
    "import-graph": ("importer", "module", "import_kind"),
    "class-graph": ("name", "base", "kind"),
}


def to_answer(graph: Neighbourhood) -> Answer:
    """The envelope: `results` are sites, `vertices` stand beside them with distance and flags."""
    vertices = [
        {
            "name": row.name,
            "kind": row.kind,
            "file": row.file or None,
            "line": row.line or None,
            "distance": row.distance,
            "flags": list(row.flags),
        }
        for row in graph.vertices
    ]
    return Answer(
        graph.command,
        graph.target,
        graph.tree,
        graph.status,
        tuple(_rows(graph)),
        undecided(graph),
        graph.suggestions,
        {"vertices": vertices, **({"missing": graph.missing} if graph.missing else {})},
    )


def to_lines(answer: Answer) -> Iterator[str]:
    """One site a line, as `callers` and `callees` print calls."""
    source, target, kind = _ENDS[answer.command]
    for row in answer.results:
        if answer.command == "call-graph":
            yield plain(call_line(row))
            continue
        words = [] if row[kind] in ("runtime", "base") else [row[kind]]
        if row["confidence"] != CERTAIN:
            words.append(f"{row['confidence']}: {row['how']}")
        told = f" ({', '.join(words)})" if words else ""
        yield plain(f"{place(row)}: {row[source]} {VERBS[answer.command]} {row[target]}{told}")
    for site in answer.unresolved:
        yield plain(f"{site.file}:{site.line}:1: unresolved {site.name}: {site.reason}")


def as_call_graph(graph: Neighbourhood) -> CallGraph:
    """The shape that GraphML is written from."""
    vertices = tuple(GraphVertex(row.name, row.kind, row.file, row.line) for row in graph.vertices)
    edges = tuple(
        GraphEdge(s.file, s.line, s.column, source, target, s.confidence, s.how, s.kind)
        for source, target, s in _sites(graph)
    )
    return CallGraph(graph.tree, vertices, edges, undecided(graph))


def undecided(graph: Neighbourhood) -> tuple[UnresolvedSite, ...]:
    """The calls of the graph that could not be decided."""
    found = {site for vertex in graph.vertices for site in vertex.undecided}
    return tuple(sorted(found, key=lambda site: (site.file, site.line, site.name, site.reason)))


def _rows(graph: Neighbourhood) -> Iterator[dict[str, Any]]:
    source_key, target_key, kind_key = _ENDS[graph.command]
    for source, target, site in _sites(graph):
        yield {
            "file": site.file,
            "line": site.line,
            "column": site.column,
            "confidence": site.confidence,
            "how": site.how,
            source_key: source,
            target_key: target,
            kind_key: site.kind,
        }


def _sites(graph: Neighbourhood) -> list[tuple[str, str, Site]]:
    found = [(edge.source, edge.target, site) for edge in graph.edges for site in edge.sites]
    return sorted(found, key=lambda row: (row[2].file, row[2].line, row[2].column, row[0], row[1]))
