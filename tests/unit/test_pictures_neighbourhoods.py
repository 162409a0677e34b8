"""What a picture is made of: who calls, what is called, and what is folded when it is too much."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import codemap
from codemap.queries.folding import folded
from codemap.queries.neighbourhoods import ASKED, MORE, OUTSIDE, STDLIB, UNDECIDED, Neighbourhood

FILES: dict[str, str | bytes] = {
    "app.py": (
        "import json\nimport numpy as np\nfrom tools import Tool, twice\n"
        "def main():\n    tool = Tool('x')\n    tool.run()\n    twice(tool.run)\n"
        "def work(thing):\n    json.dumps(1)\n    np.zeros(3)\n    np.ones(3)\n    thing.stop()\n    main()\n"
        "def alone(): pass\n"
        "work(nothing)\n"
    ),
    "tools/__init__.py": (
        "class Base:\n    def __init__(self, name): self.name = name\n    def run(self): return leaf(self)\n"
        "class Tool(Base):\n    def run(self): return super().run()\n"
        "def leaf(x): return x\n"
        "def twice(f):\n    f()\n    return f()\n"
    ),
}


def around(root: Path, *names: str, **options: Any) -> Neighbourhood:
    with codemap.open_map(root) as tree:
        return tree.calls_around(names, **options)


def flagged(graph: Neighbourhood, flag: str) -> list[str]:
    return [vertex.name for vertex in graph.vertices if flag in vertex.flags]


def test_one_step_each_way_is_callers_and_callees(tree: Any) -> None:
    """The edges are those that `callers` and `callees` answer, with the same sites."""
    root = tree(FILES)
    graph = around(root, "app.main")
    with codemap.open_map(root) as asked:
        rows = (*asked.callers("app.main").results, *asked.callees("app.main").results)
    sites = {
        (e.source, e.target, s.file, s.line, s.column, s.confidence) for e in graph.edges for s in e.sites
    }
    assert sites == {
        (r["caller"], r["callee"], r["file"], r["line"], r["column"], r["confidence"]) for r in rows
    }
    assert flagged(graph, ASKED) == ["app.main"]


def test_steps_are_counted_from_what_was_asked_for(tree: Any) -> None:
    """Negative before it, positive after it, and no further than asked."""
    graph = around(tree(FILES), "tools.twice", callers=2, callees=0)
    distances = {vertex.name: vertex.distance for vertex in graph.vertices}
    assert distances == {"tools.twice": 0, "app.main": -1, "app.work": -2}
    assert around(tree(FILES), "tools.twice", callers=0, callees=0).edges == ()


def test_only_what_is_so_sure_is_followed(tree: Any) -> None:
    """`min_confidence` leaves out edges and what only they lead to."""
    files = {"a.py": "class A:\n def go(self): far()\nclass B(A):\n def go(self): farther()\ndef far(): ...\ndef farther(): ...\n"
             "def start(x: A): x.go()\n"}  # fmt: skip
    everything = around(tree(files), "start", callees=2)
    sure = around(tree(files), "start", callees=2, min_confidence="likely")
    assert "a.B.go" in {vertex.name for vertex in everything.vertices}
    assert "a.B.go" not in {vertex.name for vertex in sure.vertices}
    assert "a.farther" not in {vertex.name for vertex in sure.vertices}


def test_a_name_that_is_not_there_is_told(tree: Any) -> None:
    """With what it may have meant."""
    graph = around(tree(FILES), "app.main", "app.wrok")
    assert (graph.status, graph.missing, graph.vertices) == ("not_found", "app.wrok", ())
    assert "app.work" in graph.suggestions


def test_the_standard_library_is_left_out_with_a_word(tree: Any) -> None:
    """And drawn when it is asked for."""
    graph = around(tree(FILES), "app.work")
    assert flagged(graph, STDLIB) == ["json.dumps"]
    small = folded(graph)
    assert flagged(small, STDLIB) == []
    assert any("standard library" in note for note in small.notes)
    assert "json" in flagged(folded(graph, stdlib=True), STDLIB)


def test_a_package_outside_the_tree_is_one_vertex(tree: Any) -> None:
    """Its names are told, its edges are joined."""
    small = folded(around(tree(FILES), "app.work"))
    (package,) = [vertex for vertex in small.vertices if OUTSIDE in vertex.flags]
    assert (package.name, package.folded, package.note) == ("numpy", ("numpy.ones", "numpy.zeros"), "2 names")
    (edge,) = [edge for edge in small.edges if edge.target == "numpy"]
    assert [site.line for site in edge.sites] == [10, 11]


def test_undecided_calls_of_what_was_asked_for_are_an_end(tree: Any) -> None:
    """A call of which nobody knows what it calls is drawn, and never as an edge to a guess."""
    small = folded(around(tree(FILES), "app.work"))
    (end,) = [vertex for vertex in small.vertices if UNDECIDED in vertex.flags]
    assert [(site.name, site.line) for site in end.undecided] == [("stop", 12)]
    assert [edge.source for edge in small.edges if edge.target == end.name] == ["app.work"]


def test_constructors_are_their_class(tree: Any) -> None:
    """Calling a class runs what it inherits: Tool leads to Base, and main does not construct Base."""
    small = folded(around(tree(FILES), "app.main", callers=0))
    ends = {(edge.source, edge.target) for edge in small.edges}
    assert ("app.main", "tools.Tool") in ends
    assert ("tools.Tool", "tools.Base.__init__") in ends
    assert ("app.main", "tools.Base.__init__") not in ends


def test_a_name_without_calls_says_so(tree: Any) -> None:
    """A picture of one vertex."""
    small = folded(around(tree(FILES), "app.alone"))
    assert [(vertex.name, vertex.note) for vertex in small.vertices] == [("app.alone", "no calls known")]
    assert small.edges == ()


def hub(number: int) -> dict[str, str | bytes]:
    files: dict[str, str | bytes] = {"hub.py": "def hub(): ...\n"}
    for module in range(number):
        calls = "".join(f"def f{one}(): hub()\n" for one in range(number))
        files[f"m{module}.py"] = f"from hub import hub\n{calls}"
    return files


def test_a_picture_has_no_more_vertices_than_it_may(tree: Any) -> None:
    """What is too much stands as "N more", and nothing is lost: shown and folded are all there are."""
    graph = around(tree(hub(15)), "hub.hub")
    for most in (200, 120, 40, 10, 3):
        small = folded(graph, most)
        assert len(small.vertices) <= most
        names = [name for vertex in small.vertices for name in (vertex.folded or (vertex.name,))]
        assert sorted(names) == [vertex.name for vertex in graph.vertices]
        assert sum(MORE in vertex.flags for vertex in small.vertices) >= 1
        ends = {end for edge in small.edges for end in (edge.source, edge.target)}
        assert ends == {vertex.name for vertex in small.vertices}
    assert folded(graph, 10_000).vertices == graph.vertices


def test_what_lies_behind_a_possible_call_is_one_vertex(tree: Any) -> None:
    """Each of several methods that a call may mean has what it calls behind it, folded."""
    lines = ["class A:\n    def go(self): ...\n"]
    for heir in "BCD":
        lines.append(
            f"class {heir}(A):\n    def go(self):\n        one{heir}()\n        two{heir}()\n        shared()\n"
        )
        lines.append(f"def one{heir}(): ...\ndef two{heir}(): ...\n")
    lines.append("def shared(): ...\ndef start(x: A):\n    x.go()\n    shared()\n")
    small = folded(around(tree({"a.py": "".join(lines)}), "start", callees=2))
    more = [vertex for vertex in small.vertices if MORE in vertex.flags]
    assert [vertex.folded for vertex in more] == [
        (f"a.one{heir}", "a.shared", f"a.two{heir}") for heir in "BCD"
    ]
    assert {vertex.note for vertex in more} == {"1 drawn elsewhere"}
    assert ("a.B.go", "a.shared") not in {(edge.source, edge.target) for edge in small.edges}


def test_imports_go_both_ways_with_their_kind(tree: Any) -> None:
    """Who imports a module, and what it imports: at run time, lazily, for type checkers."""
    files = {
        "p/__init__.py": "",
        "p/a.py": "import os\nfrom typing import TYPE_CHECKING\nfrom p import b\nif TYPE_CHECKING:\n    import p.c\ndef f():\n    import p.d\n",
        "p/b.py": "", "p/c.py": "", "p/d.py": "", "q.py": "import p.a\n",
    }  # fmt: skip
    with codemap.open_map(tree(files)) as asked:
        graph = asked.import_graph(["p.a"])
        assert asked.import_graph(["p.x"]).status == "not_found"
    kinds = {(edge.source, edge.target): edge.kind for edge in graph.edges}
    assert kinds["p.a", "p.b"] == "runtime"
    assert kinds["p.a", "p.c"] == "typing"
    assert kinds["p.a", "p.d"] == "lazy"
    assert kinds["q", "p.a"] == "runtime"
    assert {vertex.name: vertex.distance for vertex in graph.vertices}["q"] == -1


def test_classes_go_up_and_down(tree: Any) -> None:
    """All bases and all subclasses, or so many steps; a base outside the tree is one vertex by its own name."""
    files = {
        "a.py": "import abc\nimport torch\nclass A(abc.ABC): ...\nclass B(A, torch.nn.Module): ...\nclass C(B): ...\nclass D(C): ...\n"
    }
    with codemap.open_map(tree(files)) as asked:
        graph = asked.class_graph(["B"])
        near = asked.class_graph(["B"], bases=0, subclasses=1)
        assert asked.class_graph(["Nobody"]).missing == "Nobody"
    assert {(edge.source, edge.target) for edge in graph.edges} == {
        ("a.A", "abc.ABC"), ("a.B", "a.A"), ("a.B", "torch.nn.Module"), ("a.C", "a.B"), ("a.D", "a.C"),
    }  # fmt: skip
    assert [(edge.source, edge.target) for edge in near.edges] == [("a.C", "a.B")]
