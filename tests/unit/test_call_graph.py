"""`call-graph --all`: the same edges in every format, files written whole or not at all."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from codemap.model.answers import TreeSummary
from codemap.model.graphs import CallGraph, GraphEdge, Vertex
from codemap.render import graphml

FILES: dict[str, str | bytes] = {
    "app.py": (
        "from tools import Tool, twice\n"
        "def main():\n    tool = Tool('x')\n    tool.run()\n    twice(lambda: tool.run())\n    print(len('abc'))\n"
        "class Odd:\n    '''<&>\"'''\n    def go(self, other): return other.stop()\n"
        "main()\n"
    ),
    "tools/__init__.py": (
        "import json\n"
        "class Base:\n    def __init__(self, name): self.name = name\n    def run(self): return json.dumps(self.name)\n"
        "class Tool(Base):\n    def run(self): return super().run()\n"
        "def twice(f):\n    f()\n    return f()\n"
    ),
}


@pytest.fixture
def root(tree: Any) -> Path:
    made: Path = tree(FILES)
    return made


def test_json_is_the_answer_with_edges_and_vertices(root: Path, codemap: Any) -> None:
    """Edges are results as `callees` tells them; every end of an edge is a vertex, with its place in the tree."""
    said = codemap("call-graph", "--all", "--json", tree=root)
    answer = said.answer
    assert (said.code, answer["command"], answer["status"]) == (0, "call-graph", "found")
    assert said.out.isascii()
    assert list(answer) == sorted(answer)
    vertices = {row["name"]: row for row in answer["vertices"]}
    assert {edge[end] for edge in answer["results"] for end in ("caller", "callee")} <= set(vertices)
    assert vertices["tools.Tool.run"] == {
        "name": "tools.Tool.run",
        "kind": "method",
        "file": "tools/__init__.py",
        "line": 6,
    }
    assert vertices["json.dumps"] == {"name": "json.dumps", "kind": "external", "file": None, "line": None}
    asked = codemap("callees", "app.main", "--json", tree=root).answer["results"]
    assert [edge for edge in answer["results"] if edge["caller"] == "app.main"] == asked
    assert [site["name"] for site in answer["unresolved"]] == ["stop"]


def test_edges_stand_in_the_order_of_the_text(root: Path, codemap: Any) -> None:
    """By file, line, column, caller and callee; each once."""
    rows = codemap("call-graph", "--all", "--json", tree=root).answer["results"]
    keys = [(row["file"], row["line"], row["column"], row["caller"], row["callee"]) for row in rows]
    assert keys == sorted(set(keys))


def test_pycg_names(root: Path, codemap: Any) -> None:
    """Lambdas are vertices, a class stands as its constructor, builtins as `<builtin>`."""
    graph = codemap("call-graph", "--all", "--format", "pycg-json", tree=root).answer
    assert graph == {
        "app": ["app.main"],
        "app.main": [
            "<builtin>.len",
            "<builtin>.print",
            "tools.Base.__init__",
            "tools.Tool.run",
            "tools.twice",
        ],
        "app.main.<lambda1>": ["tools.Tool.run"],
        "app.Odd.go": [],
        "tools": [],
        "tools.Base.__init__": [],
        "tools.Base.run": ["json.dumps"],
        "tools.Tool.run": ["<builtin>.super", "tools.Base.run"],
        "tools.twice": ["app.main.<lambda1>"],
    }


def test_pycg_names_begin_in_the_folder_even_in_a_package(tree: Any, codemap: Any) -> None:
    """PyCG knows no package above the folder that it is given."""
    root = tree(
        {"__init__.py": "", "main.py": "from .inner import f\nf()\n", "inner.py": "def f(): ...\n"}, "pack"
    )
    graph = codemap("call-graph", "--all", "--format", "pycg-json", tree=root).answer
    assert graph["main"] == ["inner.f"]


def test_graphml_is_read_back_by_networkx(root: Path, codemap: Any, tmp_path: Path) -> None:
    """The same vertices and the same edges, one for each call site, with what is known of them."""
    networkx = pytest.importorskip("networkx")
    target = tmp_path / "graph.graphml"
    assert codemap("call-graph", "--all", "--format", "graphml", "-o", target, tree=root).code == 0
    graph = networkx.read_graphml(target, force_multigraph=True)
    answer = codemap("call-graph", "--all", "--json", tree=root).answer
    assert set(graph.nodes) == {row["name"] for row in answer["vertices"]}
    assert graph.is_directed()
    read = sorted((data["file"], data["line"], data["column"], a, b, data["confidence"], data["how"], data["edge"])
                  for a, b, data in graph.edges(data=True))  # fmt: skip
    told = [(row["file"], row["line"], row["column"], row["caller"], row["callee"], row["confidence"], row["how"], row["edge"])
            for row in answer["results"]]  # fmt: skip
    assert read == sorted(told)


def test_graphml_escapes_what_xml_cannot_hold() -> None:
    """Names may have anything in them: markup, control characters, bytes that are no text."""
    networkx = pytest.importorskip("networkx")
    names = ("caf\u00e9", "a<&>\"'b", "c\x01\udcff", "<builtin>.len")
    tree = TreeSummary("t", None, "/t", "0", 1, 0)
    vertices = tuple(Vertex(name, "module", "x.py", 1) for name in names)
    edges = tuple(
        GraphEdge("tab\t.py", 1, 1, names[0], name, "certain", "a & b", "call") for name in names[1:]
    )
    text = "".join(graphml.chunks(CallGraph(tree, vertices, edges)))
    assert text.isascii()
    graph = networkx.parse_graphml(text)
    assert set(graph.nodes) == {names[0], names[1], "c\\x01\\xdcff", names[3]}
    assert {data["file"] for _, _, data in graph.edges(data=True)} == {"tab\t.py"}


def test_text_is_a_line_for_each_call(root: Path, codemap: Any) -> None:
    """As `callers` and `callees` print them."""
    said = codemap("call-graph", "--all", tree=root)
    assert said.out.splitlines()[0].startswith("app.py:3:12: app.main calls tools.Base.__init__")
    assert len(said.out.splitlines()) == len(
        codemap("call-graph", "--all", "--json", tree=root).answer["results"]
    )


def test_min_confidence(tree: Any, codemap: Any) -> None:
    """Edges that are less sure are left out, what they alone lead to is no vertex."""
    root = tree(
        {"m.py": "class A:\n    def f(self): ...\nclass B(A):\n    def f(self): ...\ndef g(a: A): a.f()\n"}
    )
    everything = codemap("call-graph", "--all", "--format", "pycg-json", tree=root).answer
    likely = codemap(
        "call-graph", "--all", "--format", "pycg-json", "--min-confidence", "likely", tree=root
    ).answer
    assert everything["m.g"] == ["m.A.f", "m.B.f"]
    assert likely["m.g"] == ["m.A.f"]


def test_limit(root: Path, codemap: Any) -> None:
    """The first edges, and how many were left out, on standard error."""
    said = codemap("call-graph", "--all", "--json", "--limit", "2", tree=root)
    assert len(said.answer["results"]) == 2
    assert "over --limit left out" in said.err


def test_a_file_is_written_whole_or_not_at_all(root: Path, codemap: Any, tmp_path: Path) -> None:
    """What was there stays when the new one cannot be made; nothing else is left in the folder."""
    target = tmp_path / "out" / "graph.json"
    said = codemap("call-graph", "--all", "--json", "-o", target, tree=root)
    assert (said.code, said.out) == (2, "")
    assert "cannot be written" in said.err
    target.parent.mkdir()
    assert codemap("call-graph", "--all", "--json", "-o", target, tree=root).code == 0
    written = target.read_text()
    assert json.loads(written) == codemap("call-graph", "--all", "--json", tree=root).answer
    assert codemap("call-graph", "--all", "--json", "-o", target, tree=tmp_path / "nowhere").code == 2
    assert target.read_text() == written
    assert os.listdir(target.parent) == ["graph.json"]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--all", "--format", "svg"], "the whole tree is no picture"),
        (["main", "--format", "svgg"], "did you mean svg?"),
        (["--all", "--format", "jsn"], "did you mean json?"),
        ([], "needs a NAME or --all"),
        (["main", "--all"], "not both"),
    ],
)
def test_what_cannot_be_asked_is_a_usage_error(root: Path, codemap: Any, words: list[str], told: str) -> None:
    """In one line with the way out, before anything is read."""
    said = codemap("call-graph", *words, tree=root)
    assert (said.code, said.out) == (2, "")
    assert told in said.err


def test_the_same_bytes_whatever_the_order_and_the_hash_seed(root: Path, process: Any) -> None:
    """Two hash seeds, one and two workers."""
    outputs = {
        process("call-graph", "--all", "--json", "--jobs", jobs, "--tree", root,
                env={**os.environ, "PYTHONHASHSEED": seed}).out
        for seed, jobs in (("1", "1"), ("2", "2"))
    }  # fmt: skip
    assert len(outputs) == 1
    assert outputs != {""}
