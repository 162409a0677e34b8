# Import cycles. Vertices are modules that have a file; an edge is an import that runs when its module is imported.
# `import a.b.c` also runs a and a.b, which is an edge too unless the importer lies inside them (then they are
# running already). Typing imports add edges of their own: a cycle that needs one of them is a typing cycle.
from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from codemap.model.answers import CERTAIN, FOUND, Answer
from codemap.queries.imports import submodule_taken
from codemap.resolve.imports import import_kind, imported_module, runs_at_import
from codemap.resolve.program import Program
from codemap.resolve.records import LAZY, RUNTIME, TYPING
from codemap.resolve.views import View


class Edge(NamedTuple):
    """One import: the place in the importing file."""

    file: str
    line: int
    column: int
    kind: str


Graph = dict[str, dict[str, Edge]]


def cycles(program: Program) -> Answer:
    """The sets of modules that import each other when they are imported, and those that do for type checkers only."""
    program.index.complete()
    running, typing = import_graph(program)
    results: list[dict[str, Any]] = []
    known: set[frozenset[str]] = set()
    for kind, graph in ((RUNTIME, running), (TYPING, typing)):
        for component in strong_components(graph):
            if component in known:
                continue
            known.add(component)
            if kind == TYPING and not _needs_typing(component, running):
                continue
            results.append(_result(graph, component, kind))
    results.sort(key=lambda row: (row["import_kind"] != RUNTIME, row["modules"]))
    return Answer("cycles", "", program.index.summary(), FOUND, tuple(results))


def import_graph(program: Program) -> tuple[Graph, Graph]:
    """The edges that run at import time, and the same with those of typing imports added."""
    running: Graph = {}
    typing: Graph = {}
    names: dict[str, str] = {}
    for path in program.index.files:
        module = program.modules.module_of(path)
        if path.endswith(".py") or module not in names:
            names.setdefault(module, path)
    for path, _ in program.index.outlines(sorted(names.values())):
        view = program.view(path)
        for target, edge in _edges(program, view):
            if target not in names or target == view.module:
                continue
            if edge.kind != TYPING:
                running.setdefault(view.module, {}).setdefault(target, edge)
            typing.setdefault(view.module, {}).setdefault(target, edge)
    return running, typing


def _edges(program: Program, view: View) -> Iterable[tuple[str, Edge]]:
    for row in view.outline.imports:
        kind = import_kind(view, row)
        if kind == LAZY or not runs_at_import(view, row):
            continue
        source = imported_module(program, view, row)
        if not source:
            continue
        edge = Edge(view.path, row.statement_line, row.column + 1, kind)
        targets = [source]
        if row.name:
            submodule = submodule_taken(program, view, source, row)
            targets += [submodule] if submodule else []
        for target in targets:
            yield target, edge
        parent = source.rpartition(".")[0]
        while parent:
            if parent != view.module and not view.module.startswith(parent + "."):
                yield parent, edge
            parent = parent.rpartition(".")[0]


def _needs_typing(component: frozenset[str], running: Graph) -> bool:
    """Whether the modules do not already import each other at run time, all of them."""
    inner = {name: {t: e for t, e in running.get(name, {}).items() if t in component} for name in component}
    return component not in strong_components(inner)


def strong_components(graph: Mapping[str, Mapping[str, Any]]) -> list[frozenset[str]]:
    """The strongly connected components of more than one vertex (Tarjan 1972, without recursion), sorted."""
    order: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    on_stack: set[str] = set()
    found: list[frozenset[str]] = []
    for root in sorted(graph):
        if root in order:
            continue
        work = [(root, iter(sorted(graph.get(root, ()))))]
        order[root] = low[root] = len(order)
        stack.append(root)
        on_stack.add(root)
        while work:
            vertex, following = work[-1]
            for target in following:
                if target not in order:
                    order[target] = low[target] = len(order)
                    stack.append(target)
                    on_stack.add(target)
                    work.append((target, iter(sorted(graph.get(target, ())))))
                    break
                if target in on_stack:
                    low[vertex] = min(low[vertex], order[target])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[vertex])
                if low[vertex] == order[vertex]:
                    members = set()
                    while True:
                        member = stack.pop()
                        on_stack.discard(member)
                        members.add(member)
                        if member == vertex:
                            break
                    if len(members) > 1:
                        found.append(frozenset(members))
    return sorted(found, key=sorted)


def _result(graph: Graph, component: frozenset[str], kind: str) -> dict[str, Any]:
    path = shortest_cycle(graph, component, TYPING if kind == TYPING else "")
    sites = []
    for here, there in zip(path, [*path[1:], path[0]], strict=True):
        edge = graph[here][there]
        sites.append(
            {"file": edge.file, "line": edge.line, "from": here, "to": there, "import_kind": edge.kind}
        )
    first = graph[path[0]][path[1]]
    return {
        "file": first.file,
        "line": first.line,
        "column": first.column,
        "confidence": CERTAIN,
        "how": "import cycle",
        "modules": sorted(component),
        "import_kind": kind,
        "sites": sites,
    }


def shortest_cycle(graph: Graph, component: frozenset[str], through: str = "") -> list[str]:
    """A shortest cycle within a component, through an edge of the kind `through` if given, smallest name first."""
    best: list[str] = []
    incoming: dict[str, list[str]] = {}
    for vertex in sorted(component):
        for target, edge in graph.get(vertex, {}).items():
            if target in component and (not through or edge.kind == through):
                incoming.setdefault(target, []).append(vertex)
    for start in sorted(incoming):
        before = _breadth_first(graph, component, start, len(best) - 1 if best else len(component))
        for last in incoming[start]:
            path = _back(before, last)
            if path and (not best or len(path) < len(best)):
                best = path[::-1]
        if len(best) == 2:
            break
    turn = best.index(min(best))
    return best[turn:] + best[:turn]


def _breadth_first(graph: Graph, component: frozenset[str], start: str, depth: int) -> dict[str, str]:
    """The vertices that are reached from `start` in fewer than `depth` steps, each with the one before it."""
    before = {start: ""}
    level = [start]
    while level and depth > 1:
        depth -= 1
        following: list[str] = []
        for vertex in level:
            for target in sorted(graph.get(vertex, ())):
                if target in component and target not in before:
                    before[target] = vertex
                    following.append(target)
        level = following
    return before


def _back(before: dict[str, str], last: str) -> list[str]:
    """The path that led to `last`, from its end; [] when it was not reached."""
    path: list[str] = []
    while last and last in before:
        path.append(last)
        last = before[last]
    return path
