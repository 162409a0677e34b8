# From a neighbourhood to what a picture shows of it. Each step makes fewer vertices and says what went where: the
# constructors of a class are the class (calling it runs them), what lies outside the tree is one vertex a package,
# and what goes over the caps is one vertex "N more" a module. Nothing is left out without a word.
from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from codemap.model.answers import CONFIDENCES
from codemap.queries.doubts import behind_doubt
from codemap.queries.joining import draft_of, joined, more, stays
from codemap.queries.neighbourhoods import (
    ASKED,
    MORE,
    OUTSIDE,
    STDLIB,
    UNDECIDED,
    Draft,
    Edge,
    Neighbourhood,
    Vertex,
    modules_of,
    package_of,
)

MOST: Final = 120  # vertices of a picture

# Shares of `most`, all as measured by eye on large trees: a module at the first step and further out, a column
# further out and how many modules may stand out there at all, and the same for columns near.
_OF_A_MODULE: Final = 10
_AFAR: Final = 24
_OF_A_COLUMN: Final = 8
_MODULES_AFAR: Final = 20
_OF_A_NEAR_COLUMN: Final = 3
_MODULES_NEAR: Final = 6
Key = tuple[str, bool]  # a module or package, and whether it stands before what was asked for
_CONSTRUCTORS: Final = ("__init__", "__new__", "__post_init__")


def folded(
    graph: Neighbourhood, most: int = MOST, *, stdlib: bool = False, packages: bool = True
) -> Neighbourhood:
    """The part of a graph that a picture of at most `most` vertices shows.

    `stdlib` keeps the standard library, `packages` folds what else lies outside the tree into one vertex a package.
    """
    if not stdlib:
        graph = _without_stdlib(graph)
    graph = _constructors(graph)
    if packages:
        graph = _packages(graph)
    graph = behind_doubt(graph)
    graph = _undecided(graph)
    graph = _capped(graph, max(most, 1))
    return _lonely(graph)


def _without_stdlib(graph: Neighbourhood) -> Neighbourhood:
    gone = {vertex.name for vertex in graph.vertices if STDLIB in vertex.flags and ASKED not in vertex.flags}
    if not gone:
        return graph
    count = f"{len(gone)} name{'s' if len(gone) > 1 else ''} of the standard library left out (--stdlib shows them)"
    return graph._replace(
        vertices=tuple(vertex for vertex in graph.vertices if vertex.name not in gone),
        edges=tuple(edge for edge in graph.edges if edge.source not in gone and edge.target not in gone),
        notes=(*graph.notes, count),
    )


def _constructors(graph: Neighbourhood) -> Neighbourhood:
    """Constructors become their class; a constructor that a constructed class inherits is called by that class."""
    classes = {vertex.name for vertex in graph.vertices if vertex.kind == "class"}
    own = {
        vertex.name: vertex.name.rpartition(".")[0]
        for vertex in graph.vertices
        if vertex.name.rpartition(".")[2] in _CONSTRUCTORS and vertex.name.rpartition(".")[0] in classes
    }
    constructed: dict[tuple[str, str, int, int], set[str]] = {}
    for edge in graph.edges:
        if edge.target in classes:
            for site in edge.sites:
                constructed.setdefault((edge.source, site.file, site.line, site.column), set()).add(
                    edge.target
                )
    draft = Draft()
    for vertex in graph.vertices:
        home = own.get(vertex.name)
        if home is not None:
            vertex = vertex._replace(name=home, kind="class")
        draft.vertex(vertex)
    for vertex in graph.vertices:  # the place of a class is its own, not its constructor's
        if vertex.name in classes:
            draft.vertices[vertex.name] = draft.vertices[vertex.name]._replace(
                file=vertex.file, line=vertex.line
            )
    for edge in graph.edges:
        for site in edge.sites:
            source, target = own.get(edge.source, edge.source), own.get(edge.target, edge.target)
            is_constructor = edge.target.rpartition(".")[2] in _CONSTRUCTORS
            beside = constructed.get((edge.source, site.file, site.line, site.column), set())
            if is_constructor and beside and target not in beside:
                for heir in sorted(beside):
                    draft.edge(heir, target, site._replace(how="constructor"), edge.flags)
            elif source != target or edge.source == edge.target:
                draft.edge(source, target, site, edge.flags)
    return graph._replace(vertices=draft.sorted_vertices(), edges=draft.edges())


def _packages(graph: Neighbourhood) -> Neighbourhood:
    """What is outside the tree as one vertex a package."""
    members: dict[str, list[Vertex]] = {}
    for vertex in graph.vertices:
        if OUTSIDE in vertex.flags and ASKED not in vertex.flags:
            members.setdefault(vertex.module, []).append(vertex)
    into: dict[str, Vertex] = {}
    for package, inside in sorted(members.items()):
        nearest = min((vertex.distance for vertex in inside), key=abs)
        flags = tuple(sorted({flag for vertex in inside for flag in vertex.flags}))
        names = tuple(sorted(vertex.name for vertex in inside))
        note = "" if names == (package,) else f"{len(names)} name{'s' if len(names) > 1 else ''}"
        one = Vertex(package, "package", package, distance=nearest, flags=flags, folded=names, note=note)
        into.update(dict.fromkeys(names, one))
    return joined(graph, into)


def _undecided(graph: Neighbourhood) -> Neighbourhood:
    """The calls that nobody could decide, as an end of their own beside each vertex that was asked for."""
    draft = draft_of(graph)
    for vertex in graph.vertices:
        if ASKED not in vertex.flags or not vertex.undecided:
            continue
        count = len(vertex.undecided)
        end = Vertex(
            f"{count} undecided call{'s' if count > 1 else ''} in {vertex.name}",
            UNDECIDED,
            "",
            vertex.undecided[0].file,
            vertex.undecided[0].line,
            vertex.distance + 1,
            (UNDECIDED,),
            vertex.undecided,
            note=", ".join(dict.fromkeys(site.name for site in vertex.undecided if site.name)),
        )
        draft.vertex(end)
    extra = tuple(
        Edge(vertex.name, end.name, "possible", "undecided", UNDECIDED, ())
        for vertex in graph.vertices
        for end in draft.vertices.values()
        if UNDECIDED in end.flags and end.name.endswith(f" in {vertex.name}") and ASKED in vertex.flags
    )
    edges = tuple(sorted((*graph.edges, *extra), key=lambda edge: (edge.source, edge.target)))
    return graph._replace(vertices=draft.sorted_vertices(), edges=edges)


def _capped(graph: Neighbourhood, most: int) -> Neighbourhood:
    """At most so many vertices, the nearest and surest; the others as "N more" of their module or package."""
    order = _by_weight(graph)
    home: dict[str, Key] = {vertex.name: (vertex.module, vertex.distance < 0) for vertex in order}
    groups: dict[Key, list[Vertex]] = {}
    for vertex in order:
        if not stays(vertex) and vertex.module and MORE not in vertex.flags:
            groups.setdefault(home[vertex.name], []).append(vertex)
    hidden = _modules_over(order, groups, most)
    for key, members in groups.items():
        near = sum(abs(vertex.distance) <= 1 for vertex in members)
        limit = max(min(most // _OF_A_MODULE, max(near, most // _AFAR)), 1)
        if len(members) > limit + 1:  # "1 more" takes as much room as what it stands for
            hidden.update((vertex.name, key) for vertex in members[limit:] if vertex.name not in hidden)
    for distance in sorted({vertex.distance for vertex in order if vertex.distance}):
        column = [
            vertex
            for vertex in order
            if vertex.distance == distance
            and vertex.name not in hidden
            and MORE not in vertex.flags
            and not stays(vertex)
        ]
        share = _OF_A_NEAR_COLUMN if abs(distance) == 1 else _OF_A_COLUMN
        hidden.update(_over(column, home, hidden, max(most // share, 1)))
    rest = [vertex.name for vertex in order if vertex.name not in hidden and not stays(vertex)]
    while rest and len(order) - len(hidden) + len(set(hidden.values())) > most:
        name = rest.pop()
        hidden[name] = home[name]
    alone = len(order) - len(hidden)
    if alone + len(set(hidden.values())) > most:  # more modules than vertices: the farthest of them together
        keys = list(dict.fromkeys(hidden[vertex.name] for vertex in order if vertex.name in hidden))
        kept = set(keys[: max(most - alone - 2, 0)])
        hidden = {name: key if key in kept else ("", key[1]) for name, key in hidden.items()}
    if not hidden:
        return graph
    by_name = {vertex.name: vertex for vertex in order}
    together: dict[Key, list[Vertex]] = {}
    for vertex in order:
        if vertex.name in hidden:
            together.setdefault(hidden[vertex.name], []).append(vertex)
    into: dict[str, Vertex] = {}
    for (module, before), members in sorted(together.items()):
        one = more(module, members, f"{'before' if before else 'in'} {{}}")
        into.update((vertex.name, one) for vertex in members)
    smaller = joined(graph, into)
    count = sum(len(by_name[name].folded) or 1 for name in hidden)
    return smaller._replace(notes=(*smaller.notes, f"{count} names of farther vertices folded into “N more”"))


def _modules_over(order: list[Vertex], groups: Mapping[Key, list[Vertex]], most: int) -> dict[str, Key]:
    """The vertices of modules that are too many on a side, by package: those that stand only far away, then others."""
    sides: dict[tuple[bool, bool], list[Key]] = {}
    for key, members in groups.items():  # in the order of weight
        if not any(OUTSIDE in vertex.flags for vertex in members):
            is_far = all(abs(vertex.distance) >= 2 for vertex in members)
            sides.setdefault((key[1], is_far), []).append(key)
    modules = modules_of(order)
    together: dict[Key, list[Vertex]] = {}
    for (before, is_far), keys in sorted(sides.items()):
        limit = max(most // (_MODULES_AFAR if is_far else _MODULES_NEAR), 2)
        for key in keys[limit:]:
            together.setdefault((package_of(key[0], modules), before), []).extend(groups[key])
    return {vertex.name: key for key, members in together.items() if len(members) > 1 for vertex in members}


def _over(
    column: list[Vertex], home: Mapping[str, Key], hidden: Mapping[str, Key], most: int
) -> dict[str, Key]:
    """What a column has too much of: the least important vertices of modules that have several in it."""
    over: dict[str, Key] = {}
    rest = list(column)
    height = len(rest)
    begun = set(hidden.values())
    while height > most and rest:
        vertex = rest.pop()
        key = home[vertex.name]
        if any(home[one.name] == key for one in rest):
            over[vertex.name] = key
            height -= int(key in begun)
            begun.add(key)
    counts: dict[Key, int] = {}
    for key in (*over.values(), *hidden.values()):
        counts[key] = counts.get(key, 0) + 1
    return {name: key for name, key in over.items() if counts[key] > 1}


def _by_weight(graph: Neighbourhood) -> list[Vertex]:
    """The vertices, those first that a picture can least do without: near, sure, called outright, with many edges."""
    surest: dict[str, tuple[int, int]] = {}
    degree: dict[str, int] = {}
    for edge in graph.edges:
        strength = (CONFIDENCES.index(edge.confidence), int(edge.kind in ("implicit", "typing")))
        for end in (edge.source, edge.target):
            degree[end] = degree.get(end, 0) + 1
            surest[end] = min(surest.get(end, (9, 9)), strength)

    def weight(vertex: Vertex) -> tuple[object, ...]:
        sure, implicit = surest.get(vertex.name, (9, 9))
        return (
            not stays(vertex),
            abs(vertex.distance),
            sure == 2,
            implicit,
            sure,
            -degree.get(vertex.name, 0),
            vertex.name,
        )

    return sorted(graph.vertices, key=weight)


def _lonely(graph: Neighbourhood) -> Neighbourhood:
    """A vertex that was asked for and has no edge says so."""
    ends = {end for edge in graph.edges for end in (edge.source, edge.target)}
    words = {"import-graph": "no imports", "class-graph": "no bases, no subclasses"}
    text = words.get(graph.command, "no calls known")
    return graph._replace(
        vertices=tuple(
            vertex._replace(note=vertex.note or text)
            if ASKED in vertex.flags and vertex.name not in ends
            else vertex
            for vertex in graph.vertices
        )
    )
