"""`callers`, `callees` and `path` on small programs: every kind of edge, every kind of name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import codemap
from codemap.inference.edges import edges_of
from codemap.queries.calls import edges_to
from codemap.queries.targets import Target

CASES = Path(__file__).resolve().parents[1] / "cases"

ZOO = """\
from contextlib import contextmanager
from functools import partial
from threading import Thread


class Animal:
    def __init__(self, name):
        self.name = name

    def feed(self):
        return self.chew()

    def chew(self):
        return self.label

    @property
    def label(self):
        return self.name

    @label.setter
    def label(self, text):
        self.name = text

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return None

    def __add__(self, other):
        return Animal(self.name + other.name)


class Bird(Animal):
    def sing(self):
        return self.feed()


class Fish(Animal):
    def chew(self):
        return super().chew()


def make(kind):
    return {"bird": Bird, "fish": Fish}[kind]("x")


def tick():
    return 0


def tock():
    return 0


def start():
    Thread(target=tick).start()
    later = partial(tock)
    return later()


def keep():
    with Animal("a") as one:
        one.label = "b"
        return (one + one).feed()


def show(anything):
    return anything.feed()


def main():
    bird = Bird("b")
    bird.feed()
    fish = Fish("f")
    fish.feed()
    print([each.chew() for each in (bird, fish)])
    return sorted([3, 1], key=lambda number: helper(number))


def helper(number):
    return -number


if __name__ == "__main__":
    main()
"""


@pytest.fixture
def zoo(tree: Any) -> Path:
    made: Path = tree({"zoo.py": ZOO})
    return made


def sites(answer: codemap.Answer) -> list[tuple[str, str, str]]:
    """Caller, line as text of the source, confidence."""
    lines = ZOO.splitlines()
    return [(row["caller"], lines[row["line"] - 1].strip(), row["confidence"]) for row in answer.results]


def ask(root: Path, command: str, *words: str, **options: str) -> codemap.Answer:
    with codemap.open_map(root) as opened:
        answer: codemap.Answer = getattr(opened, command)(*words, **options)
        return answer


def test_calls_of_a_method_by_its_receivers(zoo: Path) -> None:
    """Receivers of the class and of subclasses that inherit the method; one of which nobody knows is told as such."""
    answer = ask(zoo, "callers", "Animal.feed")
    assert {caller for caller, _, _ in sites(answer)} == {"zoo.Bird.sing", "zoo.keep", "zoo.main"}
    lines = ZOO.splitlines()
    assert [lines[site.line - 1].strip() for site in answer.unresolved] == ["return anything.feed()"]
    assert answer.status == "found"


def test_an_inherited_method_is_asked_for_through_its_subclass(zoo: Path) -> None:
    """`Fish.feed` is Animal.feed on what may be a Fish: the bird's calls are none of its."""
    lines = {line for _, line, _ in sites(ask(zoo, "callers", "Fish.feed"))}
    assert "fish.feed()" in lines
    assert "bird.feed()" not in lines


def test_an_override_has_its_own_callers(zoo: Path) -> None:
    """`self.chew()` in the base may be the override; `super().chew()` is never."""
    rows = sites(ask(zoo, "callers", "Fish.chew"))
    assert ("zoo.Animal.feed", "return self.chew()") in {row[:2] for row in rows}
    assert "return super().chew()" not in {line for _, line, _ in rows}
    base = {line for _, line, _ in sites(ask(zoo, "callers", "Animal.chew"))}
    assert {"return self.chew()", "return super().chew()"} <= base


def test_constructions_are_the_callers_of_a_class_and_of_its_constructor(zoo: Path) -> None:
    """`callers C` and `callers C.__init__` name the same sites; subclasses construct the inherited constructor too."""
    of_class = {(caller, line) for caller, line, _ in sites(ask(zoo, "callers", "zoo.Animal"))}
    of_init = {(caller, line) for caller, line, _ in sites(ask(zoo, "callers", "Animal.__init__"))}
    assert of_class == {
        ("zoo.Animal.__add__", "return Animal(self.name + other.name)"),
        ("zoo.keep", 'with Animal("a") as one:'),
    }
    assert of_class < of_init
    assert ("zoo.main", 'bird = Bird("b")') in of_init


@pytest.mark.parametrize(
    ("name", "caller", "line", "edge"),
    [
        ("Animal.__enter__", "zoo.keep", 'with Animal("a") as one:', "implicit"),
        ("Animal.__exit__", "zoo.keep", 'with Animal("a") as one:', "implicit"),
        ("Animal.__add__", "zoo.keep", "return (one + one).feed()", "implicit"),
        ("Animal.label", "zoo.Animal.chew", "return self.label", "implicit"),
        ("tick", "zoo.start", "Thread(target=tick).start()", "callback"),
        ("tock", "zoo.start", "return later()", "call"),
        ("helper", "zoo.main", "return sorted([3, 1], key=lambda number: helper(number))", "call"),
        ("main", "zoo", "main()", "call"),
    ],
)
def test_every_kind_of_edge(zoo: Path, name: str, caller: str, line: str, edge: str) -> None:
    """Calls, callbacks, special methods and properties, a lambda's calls with the function around it, a module's."""
    answer = ask(zoo, "callers", name)
    rows = list(zip(sites(answer), [row["edge"] for row in answer.results], strict=True))
    assert (caller, line, edge) in [(row[0], row[1], kind) for row, kind in rows]


def test_a_property_is_also_what_its_setter_does(zoo: Path) -> None:
    """A name that several functions bear is asked for as all of them."""
    lines = {line for _, line, _ in sites(ask(zoo, "callers", "Animal.label"))}
    assert {"return self.label", 'one.label = "b"'} <= lines


def test_callees_in_line_order_with_what_is_outside(zoo: Path) -> None:
    """Stdlib and builtins by their qualified names, classes and their constructors, lambdas' calls."""
    answer = ask(zoo, "callees", "zoo.main")
    assert [row["line"] for row in answer.results] == sorted(row["line"] for row in answer.results)
    callees = {row["callee"] for row in answer.results}
    assert {
        "zoo.Bird", "zoo.Animal.__init__", "zoo.Animal.feed", "zoo.Animal.chew", "zoo.Fish.chew", "zoo.helper",
        "builtins.print", "builtins.sorted",
    } <= callees  # fmt: skip
    assert {row["caller"] for row in answer.results} == {"zoo.main"}


def test_callees_of_a_module_and_of_a_class_body(tree: Any) -> None:
    """The module's own code and the class body's, not that of the functions in them."""
    root = tree(
        {
            "m.py": "def f(): return g()\ndef g(): return 1\nclass C:\n    x = g()\n    def do(self): return f()\ny = f()\n"
        }
    )
    assert [row["callee"] for row in ask(root, "callees", "m").results] == ["m.f"]
    assert [row["callee"] for row in ask(root, "callees", "m.C").results] == ["m.g"]


def test_columns_are_those_of_the_callee(tree: Any) -> None:
    """The token of the name that is called, from 1."""
    root = tree({"m.py": "def f(): ...\nx = [f(), f()]\n"})
    assert [(row["line"], row["column"]) for row in ask(root, "callers", "m.f").results] == [(2, 6), (2, 11)]


def test_unresolved_calls_are_told_with_their_reason(tree: Any, codemap: Any) -> None:
    """No caller known is never the whole answer while sites that bear the name could not be decided."""
    root = tree({"m.py": "class C:\n    def run(self): ...\ndef go(x):\n    return x.run()\n"})
    said = codemap("callers", "C.run", tree=root)
    assert said.code == 0
    assert "m.py:4:1: unresolved run: " in said.out
    assert "no caller of C.run known; 1 call under the name could not be decided" in said.err


def test_a_known_name_without_callers_is_found(tree: Any, codemap: Any) -> None:
    """Exit code 0 and no results; a name that nothing has is exit code 1 with the nearest names."""
    root = tree({"m.py": "def lonely(): ...\n"})
    said = codemap("callers", "lonely", "--json", tree=root)
    assert (said.code, said.answer["status"], said.answer["results"]) == (0, "found", [])
    for command in ("callers", "callees"):
        said = codemap(command, "lonly", "--json", tree=root)
        assert (said.code, said.answer["status"], said.answer["suggestions"]) == (1, "not_found", ["lonely"])


def test_an_ambiguous_name_is_answered_for_all(tree: Any) -> None:
    """Every definition that fits, each result with its own callee."""
    root = tree({"a.py": "def run(): ...\nrun()\n", "b.py": "def run(): ...\nrun()\n"})
    answer = ask(root, "callers", "run")
    assert answer.status == "ambiguous"
    assert [(row["caller"], row["callee"]) for row in answer.results] == [("a", "a.run"), ("b", "b.run")]


def test_the_surest_way_to_a_call_wins(tree: Any) -> None:
    """Each site once for a caller and callee, in the order of file, line and column."""
    root = tree({"m.py": "def f(): ...\ndef g(x=f):\n    x()\ng(f)\ng()\n"})
    rows = ask(root, "callers", "m.f").results
    assert [(row["line"], row["callee"]) for row in rows] == [(3, "m.f")]


def test_a_lambda_under_a_name(tree: Any) -> None:
    """A variable that is bound to a lambda is a function like any other."""
    root = tree({"m.py": "double = lambda x: x * 2\ndef go(): return double(2)\n"})
    assert [row["caller"] for row in ask(root, "callers", "m.double").results] == ["m.go"]


def test_min_confidence_and_limit(zoo: Path, codemap: Any) -> None:
    """As in the other commands: what is left out is counted."""
    everything = codemap("callers", "Animal.feed", "--json", tree=zoo).answer
    sure = codemap("callers", "Animal.feed", "--json", "--min-confidence", "certain", tree=zoo).answer
    assert {row["confidence"] for row in sure["results"]} <= {"certain"}
    one = codemap("callers", "Animal.feed", "--json", "--limit", "1", tree=zoo).answer
    assert one["results"] == everything["results"][:1]
    assert one["left_out"]["over_limit"] == len(everything["results"]) - 1


# --- path ---------------------------------------------------------------------------------------------------------
CHAIN = """\
from typing import Callable

def a(): b(); c()
def b(): d()
def c(): d()
def d(): e()
def e(): return 0
class Base:
    def run(self): return e()
class Sub(Base):
    def run(self): return lonely()
def lonely(): return 0
def any_of(one: Base): return one.run()
def round_(): return there()
def there(): return round_()
def itself(n): return n and itself(n - 1)
"""


def test_the_shortest_paths_with_their_sites(tree: Any) -> None:
    """All shortest ones, in the order of their names; sites are where each call stands."""
    answer = ask(tree({"m.py": CHAIN}), "path", "m.a", "m.e")
    assert [row["path"] for row in answer.results] == [
        ["m.a", "m.b", "m.d", "m.e"],
        ["m.a", "m.c", "m.d", "m.e"],
    ]
    assert [(site["file"], site["line"]) for site in answer.results[0]["sites"]] == [
        ("m.py", 3),
        ("m.py", 4),
        ("m.py", 6),
    ]
    assert answer.results[0]["confidence"] == "certain"


def test_the_weakest_link(tree: Any) -> None:
    """A way is as sure as its weakest link, which is told; surer ones may be asked for."""
    root = tree({"m.py": CHAIN})
    way = ask(root, "path", "any_of", "lonely").results[0]
    assert way["path"] == ["m.any_of", "m.Sub.run", "m.lonely"]
    assert (way["confidence"], way["weakest"]) == (way["sites"][0]["confidence"], 0)
    assert way["confidence"] == "possible"
    assert ask(root, "path", "any_of", "lonely", min_confidence="certain").results == ()


def test_a_path_from_a_function_to_itself_is_a_circle(tree: Any) -> None:
    """It has at least one call."""
    root = tree({"m.py": CHAIN})
    assert [row["path"] for row in ask(root, "path", "round_", "round_").results] == [
        ["m.round_", "m.there", "m.round_"]
    ]
    assert [row["path"] for row in ask(root, "path", "itself", "itself").results] == [["m.itself", "m.itself"]]
    assert ask(root, "path", "m.e", "m.e").results == ()


def test_no_path_and_no_name(tree: Any, codemap: Any) -> None:
    """Known names without a way between them are found, exit code 0; an unknown one is not, with the nearest."""
    root = tree({"m.py": CHAIN})
    said = codemap("path", "m.e", "m.a", tree=root)
    assert (said.code, said.out) == (0, "")
    assert "no way of calls m.e -> m.a known" in said.err
    said = codemap("path", "m.a", "lonley", tree=root)
    assert said.code == 1
    assert "no definition of lonley" in said.err
    assert "lonely" in said.err


def test_text_is_a_line_for_each_call(tree: Any, codemap: Any) -> None:
    """`path:line:column: caller calls callee`, and how sure where it is not certain."""
    said = codemap("path", "any_of", "lonely", tree=tree({"m.py": CHAIN}))
    first, second = said.out.splitlines()
    assert first.startswith("m.py:13:35: m.any_of calls m.Sub.run (possible: ")
    assert first.endswith(", weakest link)")
    assert second == "m.py:11:27: m.Sub.run calls m.lonely"


# --- callers and the whole graph are the same edges -----------------------------------------------------------------
TREES = sorted({path.parent for path in CASES.glob("*/*/*.py")})


@pytest.mark.parametrize("folder", TREES, ids=lambda folder: f"{folder.parent.name}-{folder.name}")
def test_callers_find_every_edge_of_the_graph(folder: Path) -> None:
    """Sites are found by words, the graph by reading everything: they must find the same edges."""
    with codemap.open_map(folder) as opened:
        engine = opened._engine
        by_callee: dict[Any, set[Any]] = {}
        for path in engine.files:
            for edge in edges_of(engine, path):
                if edge.callee[0] in ("function", "class") and not edge.callee[1].startswith("<"):
                    by_callee.setdefault(edge.callee, set()).add(edge)
        for value, edges in by_callee.items():
            assert edges <= set(edges_to(engine, Target(value, (value[1], value[2]), ""))), value
