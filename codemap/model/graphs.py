# A whole call graph, flat: what `call-graph --all` hands to the writers. Named tuples and not mappings, for there may
# be a hundred thousand edges.
from __future__ import annotations

from typing import Final, NamedTuple

from codemap.model.answers import TreeSummary, UnresolvedSite

EXTERNAL: Final = "external"  # the kind of a vertex that lies outside the tree: it has no file


class Vertex(NamedTuple):
    """A module, class, function, method, lambda, or something external; `line` is 0 where there is no file."""

    name: str
    kind: str
    file: str
    line: int


class GraphEdge(NamedTuple):
    """One call site: `line` and `column` start at 1, `edge` is call, callback or implicit."""

    file: str
    line: int
    column: int
    caller: str
    callee: str
    confidence: str
    how: str
    edge: str


class CallGraph(NamedTuple):
    """Vertices sorted by name; edges and unresolved calls by file, place and names."""

    tree: TreeSummary
    vertices: tuple[Vertex, ...]
    edges: tuple[GraphEdge, ...]
    unresolved: tuple[UnresolvedSite, ...] = ()
