# PyCG's own format, so that its benchmarks and whoever reads its output can read ours: caller -> callees, every
# function and module a key.
from __future__ import annotations

from collections.abc import Iterator

from codemap.model.graphs import EXTERNAL, CallGraph


def chunks(graph: CallGraph) -> Iterator[str]:
    """`{"main.f": ["main.g", "<builtin>.len"], "main.g": []}`, keys and callees sorted."""
    from json import dumps

    callees: dict[str, set[str]] = {row.name: set() for row in graph.vertices if row.kind != EXTERNAL}
    for edge in graph.edges:
        callees.setdefault(edge.caller, set()).add(edge.callee)
    yield "{"
    for number, name in enumerate(sorted(callees)):
        yield f"{', ' if number else ''}{dumps(name)}: {dumps(sorted(callees[name]))}"
    yield "}\n"
