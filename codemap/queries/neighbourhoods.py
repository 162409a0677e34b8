# What a picture shows: a small graph around what was asked for, walked outward step by step. The same record holds
# calls, imports and bases, so that one renderer draws them all; what a picture leaves out to stay readable is decided
# in folding.py, never here: data formats tell the neighbourhood as it is.
from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from codemap.model.answers import CONFIDENCES, FOUND, TreeSummary, UnresolvedSite

# Flags of vertices, in the order in which they are told.
ASKED: Final = "asked-for"
OUTSIDE: Final = "external"
STDLIB: Final = "stdlib"
UNDECIDED: Final = "unresolved"
MORE: Final = "more"
# A flag of edges.
WEAKEST: Final = "weakest"


class Site(NamedTuple):
    """One place that makes an edge; `line` and `column` start at 1."""

    file: str
    line: int
    column: int
    confidence: str
    how: str
    kind: str


class Vertex(NamedTuple):
    """A definition, a module, something outside the tree, or several of them that a picture has folded into one.

    `name` is unique in its graph. `module` is what it is grouped by: the module of a definition, the package of a
    module. `file` is "" and `line` 0 where there is none. `distance` is the number of steps from what was asked
    for, negative against the direction of the edges. `undecided` are the calls in it of which nobody knows what they
    call. `folded` are the names that one vertex stands for, `note` is a short line under its label.
    """

    name: str
    kind: str
    module: str
    file: str = ""
    line: int = 0
    distance: int = 0
    flags: tuple[str, ...] = ()
    undecided: tuple[UnresolvedSite, ...] = ()
    folded: tuple[str, ...] = ()
    note: str = ""


class Edge(NamedTuple):
    """From a caller, importer or subclass to what it calls, imports or derives from.

    `confidence`, `how` and `kind` are those of the surest site; `sites` are all of them, in order of place.
    """

    source: str
    target: str
    confidence: str
    how: str
    kind: str
    sites: tuple[Site, ...]
    flags: tuple[str, ...] = ()


class Neighbourhood(NamedTuple):
    """A graph around what was asked for: vertices sorted by name, edges by their ends.

    `notes` are sentences about what it does not show.
    """

    command: str
    target: str
    tree: TreeSummary
    status: str = FOUND
    vertices: tuple[Vertex, ...] = ()
    edges: tuple[Edge, ...] = ()
    suggestions: tuple[str, ...] = ()
    missing: str = ""
    notes: tuple[str, ...] = ()


def modules_of(vertices: Iterable[Vertex]) -> list[str]:
    """The modules of the tree that vertices are grouped by, sorted."""
    return sorted({vertex.module for vertex in vertices if vertex.module and OUTSIDE not in vertex.flags})


def package_of(module: str, modules: Iterable[str], most: int = 0) -> str:
    """The package of a module that is one step below what all modules have in common.

    With `most` it is deeper, as long as the modules have no more than so many packages.
    """
    split = [one.split(".") for one in modules]
    depth = 0
    while all(len(parts) > depth for parts in split) and len({parts[depth] for parts in split}) == 1:
        depth += 1
    deepest = max(map(len, split), default=1)
    while depth + 1 < deepest and len({tuple(parts[: depth + 2]) for parts in split}) <= most:
        depth += 1
    return ".".join(module.split(".")[: depth + 1])


class Draft:
    """A neighbourhood that is being put together: each vertex once, as near as it gets, each site once, as sure."""

    def __init__(self) -> None:
        self.vertices: dict[str, Vertex] = {}
        self._sites: dict[tuple[str, str], dict[tuple[str, int, int], Site]] = {}
        self._flags: dict[tuple[str, str], set[str]] = {}

    def vertex(self, vertex: Vertex) -> bool:
        """Adds a vertex; whether it is new."""
        known = self.vertices.get(vertex.name)
        if known is None:
            self.vertices[vertex.name] = vertex
            return True
        if abs(vertex.distance) < abs(known.distance):
            known = known._replace(distance=vertex.distance)
        flags = tuple(sorted({*known.flags, *vertex.flags}))
        undecided = tuple(sorted({*known.undecided, *vertex.undecided}))
        self.vertices[vertex.name] = known._replace(flags=flags, undecided=undecided)
        return False

    def edge(self, source: str, target: str, site: Site, flags: Iterable[str] = ()) -> None:
        """Adds a site to the edge between two vertices."""
        sites = self._sites.setdefault((source, target), {})
        key = (site.file, site.line, site.column)
        known = sites.get(key)
        if known is None or _strength(site) < _strength(known):
            sites[key] = site
        self._flags.setdefault((source, target), set()).update(flags)

    def edges(self) -> tuple[Edge, ...]:
        """The edges so far."""
        found = []
        for source, target in sorted(self._sites):
            sites = self._sites[source, target]
            ordered = tuple(sites[key] for key in sorted(sites))
            best = min(ordered, key=_strength)
            flags = tuple(sorted(self._flags[source, target]))
            found.append(Edge(source, target, best.confidence, best.how, best.kind, ordered, flags))
        return tuple(found)

    def sorted_vertices(self) -> tuple[Vertex, ...]:
        """The vertices so far, by name."""
        return tuple(self.vertices[name] for name in sorted(self.vertices))


# call before what only looks like one, runtime imports before typing ones
_KINDS: Final = {
    "call": 0,
    "runtime": 0,
    "base": 0,
    "callback": 1,
    "optional": 1,
    "implicit": 2,
    "lazy": 2,
    "typing": 3,
}


def _strength(site: Site) -> tuple[object, ...]:
    return (
        CONFIDENCES.index(site.confidence),
        _KINDS.get(site.kind, 9),
        site.file,
        site.line,
        site.column,
        site.how,
    )
