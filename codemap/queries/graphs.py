# The call graph of a whole tree, file by file. What the inference has read of a file stays in its tables, what the
# graph keeps of it is one flat tuple a call.
from __future__ import annotations

import gc
from typing import TYPE_CHECKING, Final

from codemap.inference.edges import Edge, edges_of, named_scope, unresolved_of
from codemap.inference.stubs import is_stub
from codemap.inference.values import CLASS, EXTERNAL, Value
from codemap.model import facts
from codemap.model.answers import CONFIDENCES, POSSIBLE, UnresolvedSite
from codemap.model.graphs import EXTERNAL as OUTSIDE
from codemap.model.graphs import CallGraph, GraphEdge, Vertex
from codemap.queries.calls import known_outside
from codemap.queries.targets import name_of

if TYPE_CHECKING:
    from codemap.index.progress import Progress
    from codemap.inference.engine import Engine
    from codemap.inference.tables import Table

_KINDS: Final = {"call": 0, "callback": 1, "implicit": 2}


def call_graph(
    engine: Engine, min_confidence: str = POSSIBLE, progress: Progress | None = None, *, as_pycg: bool = False
) -> CallGraph:
    """Every call of the tree that is at least so sure.

    `as_pycg`: vertices are named as PyCG names them, lambdas are vertices of their own, a class that is called stands
    only as its constructors, and unresolved calls are left out.
    """
    weakest = CONFIDENCES.index(min_confidence)
    names = _PycgNames(engine) if as_pycg else _Names(engine)
    vertices: dict[str, Vertex] = {}
    edges: list[GraphEdge] = []
    unresolved: set[UnresolvedSite] = set()
    engine.names.index.hold()
    if progress is not None:
        progress.start(len(engine.files))
    collecting = gc.isenabled()
    gc.disable()  # a million objects that all stay: the collector would walk them again and again
    try:
        for path in engine.files:
            for vertex in names.vertices(engine.table(path)):
                known = vertices.get(vertex.name)
                if known is None or known.kind == OUTSIDE:  # called by a file before its own
                    vertices[vertex.name] = vertex
            edges += _of_file(engine, path, weakest, names, vertices)
            if not as_pycg:
                unresolved.update(
                    UnresolvedSite(site.name, site.file, site.line, site.reason)
                    for site in unresolved_of(engine, path)
                    if not known_outside(engine, path, site.expression)
                )
            if progress is not None:
                progress.advance(1)
    finally:
        if collecting:
            gc.enable()
        if progress is not None:
            progress.finish()
    return CallGraph(
        engine.names.index.summary(),
        tuple(vertices[name] for name in sorted(vertices)),
        tuple(edges),
        tuple(sorted(unresolved, key=lambda site: (site.file, site.line, site.name, site.reason))),
    )


def _of_file(
    engine: Engine, path: str, weakest: int, names: _Names, vertices: dict[str, Vertex]
) -> list[GraphEdge]:
    """The edges of a file, each call once, as sure as the surest way to it."""
    best: dict[tuple[int, int, str, str], Edge] = {}
    for edge in edges_of(engine, path):
        if edge.rank > weakest:
            continue
        callee = names.callee(edge.callee)
        if not callee:
            continue
        if callee not in vertices:
            vertices[callee] = Vertex(callee, OUTSIDE, "", 0)
        key = (edge.line, edge.column, names.caller(engine.table(path), edge.caller_scope), callee)
        known = best.get(key)
        if known is None or _strength(edge) < _strength(known):
            best[key] = edge
    return [
        GraphEdge(
            path,
            line,
            best[key].column + 1,
            caller,
            callee,
            CONFIDENCES[best[key].rank],
            best[key].how,
            best[key].kind,
        )
        for key in sorted(best)
        for line, _, caller, callee in (key,)
    ]


def _strength(edge: Edge) -> tuple[int, int, str]:
    return (edge.rank, _KINDS[edge.kind], edge.how)


class _Names:
    """Qualified names, as in every other answer."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self._callers: dict[tuple[str, int], str] = {}
        self._callees: dict[Value, str] = {}

    def caller(self, table: Table, scope: int) -> str:
        """The vertex that the code of a scope belongs to."""
        key = (table.path, scope)
        known = self._callers.get(key)
        if known is None:
            known = self._callers[key] = self.name_of_code(table, scope)
        return known

    def callee(self, value: Value) -> str:
        """The vertex of what is called, "" when it is none."""
        known = self._callees.get(value)
        if known is None:
            known = self._callees[value] = self.name_of_callee(value)
        return known

    def name_of_code(self, table: Table, scope: int) -> str:
        return table.view.qualified(named_scope(table, scope))

    def name_of_callee(self, value: Value) -> str:
        if value[0] != EXTERNAL and not is_stub(value[1]):
            return self.caller(self.engine.table(value[1]), value[2])
        return name_of(self.engine, value)

    def vertices(self, table: Table) -> list[Vertex]:
        """The definitions of a file."""
        scopes = table.view.outline.scopes
        found = []
        for number, row in enumerate(scopes):
            kind = self.kind(table, number)
            if kind:
                line = 1 if number == 0 else row.header_line
                found.append(Vertex(self.caller(table, number), kind, table.path, line))
        return found

    def kind(self, table: Table, scope: int) -> str:
        """The kind of a scope's vertex, "" when it has none of its own."""
        row = table.scope(scope)
        if row.kind == facts.FUNCTION:
            owner = table.scope(row.parent)
            if owner.kind == facts.TYPE_PARAMETERS:
                owner = table.scope(owner.parent)
            return "method" if owner.kind == facts.CLASS else "function"
        return str(row.kind) if row.kind in (facts.MODULE, facts.CLASS) else ""


class _PycgNames(_Names):
    """Names as PyCG has them: `<builtin>.len`, `<**PyStr**>.join`, `main.f.<lambda1>` (counted within the code around
    it), `C.__init__`; modules are relative to the tree's folder, even where that is a package itself."""

    def __init__(self, engine: Engine) -> None:
        super().__init__(engine)
        self._package = next((dotted for folder, dotted in engine.names.index.tree.mounts if not folder), "")
        self._lambdas: dict[str, dict[int, int]] = {}

    def name_of_code(self, table: Table, scope: int) -> str:
        scopes = table.view.outline.scopes
        parts: list[str] = []
        number = scope
        while number > 0:
            row = scopes[number]
            if row.kind in (facts.CLASS, facts.FUNCTION):
                parts.append(row.name)
            elif row.kind == facts.LAMBDA:
                parts.append(f"<lambda{self._number(table, number)}>")
            number = row.parent
        module = table.view.module
        if self._package and module != self._package:
            module = module.removeprefix(f"{self._package}.")
        parts.append(module)
        return ".".join(reversed(parts))

    def name_of_callee(self, value: Value) -> str:
        if value[0] == EXTERNAL:
            return str(value[1]).replace("()", "")
        table = self.engine.table(value[1])
        if is_stub(value[1]):
            module, _, name = name_of(self.engine, value).partition(".")
            owner, _, last = name.rpartition(".")
            if module == "builtins":
                return f"<**Py{owner.title()}**>.{last}" if owner else f"<builtin>.{name}"
            if module == "typing" and owner:
                return ""  # what the stubs say of builtin classes: no such function runs
            return f"{module}.{name}"
        if value[0] == CLASS:
            return ""  # its constructors have edges of their own
        return self.caller(table, value[2])

    def kind(self, table: Table, scope: int) -> str:
        if table.scope(scope).kind == facts.LAMBDA:
            return "lambda"
        kind = super().kind(table, scope)
        return "" if kind == "class" else kind

    def _number(self, table: Table, scope: int) -> int:
        known = self._lambdas.get(table.path)
        if known is None:
            known = self._lambdas[table.path] = {}
            counts: dict[int, int] = {}
            scopes = table.view.outline.scopes
            for number, row in enumerate(scopes):
                if row.kind == facts.LAMBDA:
                    owner = row.parent
                    while owner > 0 and scopes[owner].kind in (facts.COMPREHENSION, facts.TYPE_PARAMETERS):
                        owner = scopes[owner].parent
                    counts[owner] = counts.get(owner, 0) + 1
                    known[number] = counts[owner]
        return known[scope]
