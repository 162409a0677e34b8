"""`subclasses` and `overrides`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import codemap

Ask = Callable[..., list[tuple[str, bool, str]]]


@pytest.fixture
def ask(tree: Any, tmp_path: Path) -> Ask:
    """Writes a module `m` and gives (name, direct, confidence) of an answer."""

    def run(files: dict[str, str], command: str, name: str) -> list[tuple[str, bool, str]]:
        with codemap.open_map(tree(files), cache=tmp_path / "cache") as opened:
            answer = getattr(opened, command)(name)
        return [(row["name"], row["direct"], row["confidence"]) for row in answer.results]

    return run


def test_direct_and_indirect_subclasses(ask: Ask) -> None:
    """Under other names and over files; a class is direct when it names the class itself."""
    files = {
        "m.py": "class A: pass\nAlias = A\nclass B(A): pass\nclass C(B, A): pass\nclass D(B): pass\n",
        "n.py": "from m import A as X\nimport m\nclass E(X): pass\nclass F(m.Alias): pass\nclass G: pass\n",
    }
    assert ask(files, "subclasses", "m.A") == [
        ("m.B", True, "certain"), ("m.C", True, "certain"), ("m.D", False, "certain"),
        ("n.E", True, "certain"), ("n.F", True, "certain"),
    ]  # fmt: skip


def test_registered_classes_are_likely(ask: Ask) -> None:
    """`ABC.register`, called and as a decorator; `register` of another kind registers nothing."""
    files = {
        "m.py": (
            "from abc import ABC\nclass A(ABC): pass\nclass B: pass\nA.register(B)\n@A.register\nclass C: pass\n"
            "class R:\n    def register(self, x): pass\nR().register(B)\n"
        )
    }
    assert ask(files, "subclasses", "m.A") == [("m.B", True, "likely"), ("m.C", True, "likely")]
    assert ask(files, "subclasses", "m.R") == []


def test_what_has_the_members_of_a_protocol_is_possible(ask: Ask) -> None:
    """Without naming it; a class that lacks one is none."""
    files = {
        "m.py": (
            "from typing import Protocol\nclass P(Protocol):\n    size: int\n    def go(self): ...\n"
            "class Has:\n    size = 1\n    def go(self): pass\nclass Lacks:\n    def go(self): pass\n"
            "class Says(P):\n    pass\n"
        )
    }
    assert ask(files, "subclasses", "m.P") == [("m.Has", True, "possible"), ("m.Says", True, "certain")]
    assert ask(files, "overrides", "m.P.go") == [("m.Has.go", True, "possible")]


def test_overrides_are_direct_when_none_is_between(ask: Ask) -> None:
    """A subclass that does not bind the name is no override."""
    files = {
        "m.py": (
            "class A:\n    def run(self): pass\nclass B(A):\n    pass\nclass C(B):\n    def run(self): pass\n"
            "class D(C):\n    def run(self): pass\nclass E:\n    def run(self): pass\n"
        )
    }
    assert ask(files, "overrides", "m.A.run") == [("m.C.run", True, "certain"), ("m.D.run", False, "certain")]
    assert ask(files, "overrides", "m.B.run") == [("m.C.run", True, "certain"), ("m.D.run", False, "certain")]


def test_a_class_without_subclasses_is_found_and_empty(codemap: Any, tree: Any) -> None:
    """Exit code 0."""
    said = codemap("subclasses", "m.A", "--json", tree=tree({"m.py": "class A: pass\n"}))
    assert (said.code, said.answer["status"], said.answer["results"]) == (0, "found", [])
    assert codemap("subclasses", "m.Nope", tree=tree({"m.py": "class A: pass\n"})).code == 1
