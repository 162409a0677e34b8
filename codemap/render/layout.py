# Graphviz runs in a process of its own: it cannot be stopped within ours, it holds the interpreter's lock, and it
# prints warnings. The child is this file, run as a script with -P, so that nothing is imported from the folder one
# stands in, which may be the tree that is asked about.
#
# docs/decisions/pictures-layout.md
from __future__ import annotations

import sys
from importlib import import_module
from typing import Any, Final, NamedTuple

TIMEOUT: Final = 20.0  # seconds
_ABSENT: Final = 96  # exit code of the child when pygraphviz cannot be imported


class Layout(NamedTuple):
    """Positions in points, from the top left corner. Lists follow the DOT text: vertices by name, edges by id."""

    width: float
    height: float
    vertices: dict[str, tuple[float, float]]
    clusters: dict[str, tuple[float, float, float, float]]
    edges: dict[str, tuple[list[tuple[float, float]], tuple[float, float] | None, tuple[float, float] | None]]


def drawn(dot: str, format: str, vertices: int, timeout: float = TIMEOUT) -> bytes:
    """What Graphviz makes of a DOT text: png, pdf, json0.

    Raises LayoutError when it takes longer than `timeout` seconds, fails, or is not there.
    """
    import subprocess

    from codemap.errors import LayoutError

    command = [sys.executable, "-P", __file__, format]
    try:
        done = subprocess.run(
            command, input=dot.encode("utf-8"), capture_output=True, timeout=timeout, check=False
        )
    except subprocess.TimeoutExpired:
        raise LayoutError(
            f"the layout of {vertices} vertices takes longer than {timeout:g} s",
            "ask for less: a smaller --max-vertices, fewer steps, --min-confidence likely; or --timeout SECONDS",
            vertices,
        ) from None
    except OSError as error:
        raise LayoutError(
            f"the layout cannot be started: {error.strerror}", "--format dot needs none", vertices
        ) from error
    if done.returncode == _ABSENT:
        raise LayoutError(
            "pygraphviz, which lays pictures out, cannot be imported",
            "pip install pygraphviz (wheels for glibc Linux, macOS, Windows; elsewhere it needs a compiler and "
            "Graphviz); --format dot and mermaid need none",
            vertices,
        )
    if done.returncode != 0 or not done.stdout:
        said = done.stderr.decode("utf-8", "replace").strip().split("\n")[-1]
        raise LayoutError(
            f"the layout of {vertices} vertices failed: {said or done.returncode}",
            "--format dot needs none",
            vertices,
        )
    return done.stdout


def laid_out(dot: str, vertices: int, timeout: float = TIMEOUT) -> Layout:
    """Positions of a graph whose vertices have fixed sizes. Raises LayoutError."""
    from json import loads

    data = loads(drawn(dot, "json0", vertices, timeout))
    left, bottom, right, top = map(float, data["bb"].split(","))

    def point(text: str) -> tuple[float, float]:
        x, y = map(float, text.split(",")[-2:])
        return (x - left, top - y)

    places: dict[str, tuple[float, float]] = {}
    boxes: dict[str, tuple[float, float, float, float]] = {}
    for row in data.get("objects", ()):
        if "bb" in row:
            x0, y0, x1, y1 = map(float, row["bb"].split(","))
            boxes[row["name"]] = (x0 - left, top - y1, x1 - left, top - y0)
        elif "pos" in row:
            places[row["name"]] = point(row["pos"])
    ways: dict[str, Any] = {}
    for row in data.get("edges", ()):
        if "id" not in row:  # an anchor
            continue
        head = None
        points = []
        for text in row["pos"].split(";")[0].split():
            if text.startswith("e,"):
                head = point(text)
            elif not text.startswith("s,"):
                points.append(point(text))
        ways[row["id"]] = (points, head, point(row["lp"]) if "lp" in row else None)
    return Layout(right - left, top - bottom, places, boxes, ways)


def _child() -> int:
    try:
        pygraphviz = import_module("pygraphviz")
    except ImportError as error:
        sys.stderr.write(f"{error}\n")
        return _ABSENT
    graph = pygraphviz.AGraph(string=sys.stdin.buffer.read().decode("utf-8"))
    sys.stdout.buffer.write(graph.draw(format=sys.argv[1], prog="dot"))
    sys.stdout.buffer.flush()
    return 0


if __name__ == "__main__":
    sys.exit(_child())
