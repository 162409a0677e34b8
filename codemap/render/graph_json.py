# The answer envelope around a graph, written row by row: the text of a large graph is never in memory as a whole.
# `results` are the edges, as `callers` and `callees` tell them; `vertices` stand beside them.
from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from codemap.model.graphs import CallGraph
from codemap.render.json_report import SCHEMA


def chunks(graph: CallGraph) -> Iterator[str]:
    """One JSON object with sorted keys, ASCII only, and a newline at its end."""
    from json import dumps

    yield '{"command": "call-graph", "results": '
    yield from _rows(edge._asdict() for edge in graph.edges)
    yield f', "schema": {dumps(SCHEMA)}, "status": "found", "suggestions": [], "target": "--all", "tree": '
    yield dumps(graph.tree._asdict(), sort_keys=True)
    yield ', "unresolved": '
    yield from _rows(site._asdict() for site in graph.unresolved)
    yield ', "vertices": '
    yield from _rows(
        {"name": row.name, "kind": row.kind, "file": row.file or None, "line": row.line or None}
        for row in graph.vertices
    )
    yield "}\n"


def _rows(rows: Iterable[dict[str, Any]]) -> Iterator[str]:
    from json import JSONEncoder

    encode = JSONEncoder(sort_keys=True).encode
    yield "["
    for number, row in enumerate(rows):
        yield f", {encode(row)}" if number else encode(row)
    yield "]"
