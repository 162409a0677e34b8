"""`refs`: every place where a definition's own name stands, with its role."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import codemap

Refs = Callable[..., list[tuple[str, str]]]


@pytest.fixture
def refs(tree: Any, tmp_path: Path) -> Refs:
    """Writes files and gives (`file:line:column`, role) of the references of a name."""

    def run(files: dict[str, str], name: str) -> list[tuple[str, str]]:
        with codemap.open_map(tree(files), cache=tmp_path / "cache") as opened:
            answer = opened.refs(name)
        return [(f"{row['file']}:{row['line']}:{row['column']}", row["role"]) for row in answer.results]

    return run


CLASS = {
    "pkg/__init__.py": 'from .core import Bolt\n__all__ = ["Bolt"]\n',
    "pkg/core.py": "class Bolt:\n    def same(self) -> 'Bolt':\n        return self\n",
    "use.py": (
        "from typing import TYPE_CHECKING, cast\nimport pkg.core\nfrom pkg import Bolt as B\n"
        "if TYPE_CHECKING:\n    from pkg.core import Bolt\n"
        'def f(x: "list[Bolt]", y: B | None = None) -> B:\n    # Bolt in a comment\n'
        '    Bolt = 3\n    if isinstance(y, B):\n        return y\n    z = cast("B", x)\n    return pkg.core.Bolt()\n'
        "class Sub(B):\n    pass\n"
    ),
}
EXPECTED = [
    ("pkg/__init__.py:1:19", "import"),
    ("pkg/__init__.py:2:13", "string"),
    ("pkg/core.py:1:7", "definition"),
    ("pkg/core.py:2:24", "annotation"),
    ("use.py:3:17", "import"),
    ("use.py:5:26", "import"),
    ("use.py:6:16", "annotation"),
    ("use.py:6:27", "annotation"),
    ("use.py:6:47", "annotation"),
    ("use.py:9:22", "read"),
    ("use.py:11:15", "annotation"),
    ("use.py:12:21", "construct"),
    ("use.py:13:11", "base"),
]


def test_a_class_has_each_token_with_its_role(refs: Refs) -> None:
    """Through re-exports and renames, in strings with true places; comments and locals of the name are none."""
    assert refs(CLASS, "pkg.core.Bolt") == EXPECTED


@pytest.mark.parametrize(
    "place", ["pkg/core.py:1", "use.py:3:17", "use.py:6:27", "use.py:13:11", "pkg/__init__.py:1:19"]
)
def test_any_place_of_a_name_gives_the_same_answer(refs: Refs, place: str) -> None:
    """The definition, an import, a use under another name."""
    assert refs(CLASS, place) == EXPECTED


def test_a_local_is_known_by_its_scope(refs: Refs) -> None:
    """With what inner functions do to it, and without the names of others."""
    files = {
        "m.py": (
            "def use():\n    x = 1\n    def inner():\n        nonlocal x\n        x += 1\n        return x\n"
            "    return inner, x\ndef other():\n    x = 2\n    return x\n"
        )
    }
    expected = [
        ("m.py:2:5", "definition"), ("m.py:4:18", "write"), ("m.py:5:9", "write"), ("m.py:6:16", "read"),
        ("m.py:7:19", "read"),
    ]  # fmt: skip
    assert refs(files, "m.use.x") == expected
    assert refs(files, "m.py:6:16") == expected


def test_a_parameter_is_named_by_keyword_arguments(refs: Refs) -> None:
    """`f(n=1)` has to do with the parameter `n` of f, `g(n=1)` has not."""
    files = {"m.py": "def f(n):\n    return n\ndef g(n):\n    return 0\nf(n=1)\ng(n=2)\n"}
    assert refs(files, "m.f.n") == [("m.py:1:7", "definition"), ("m.py:2:12", "read"), ("m.py:5:3", "write")]


def test_a_method_is_known_by_its_receivers(refs: Refs) -> None:
    """A call and a mere read; another class's method of the name is none."""
    files = {
        "m.py": (
            "class A:\n    def go(self):\n        return self.go\nclass B:\n    def go(self):\n        return 1\n"
            "def f(a: A, b: B):\n    a.go()\n    b.go()\n"
        )
    }
    assert refs(files, "m.A.go") == [("m.py:2:9", "definition"), ("m.py:3:21", "read"), ("m.py:8:7", "call")]


def test_a_field_has_its_keywords(refs: Refs) -> None:
    """A constructor's keyword is a token of the name, a positional argument is none."""
    files = {
        "m.py": (
            "from dataclasses import dataclass\n@dataclass\nclass C:\n    x: int\nC(1)\nC(\n    x=2,\n)\n"
            "def f(c: C):\n    c.x = c.x\n"
        )
    }
    assert refs(files, "m.C.x") == [
        ("m.py:4:5", "definition"), ("m.py:7:5", "construct"), ("m.py:10:7", "write"), ("m.py:10:13", "read"),
    ]  # fmt: skip


def test_an_instance_attribute_is_defined_where_the_constructor_stores_it(refs: Refs) -> None:
    """Other stores are writes."""
    files = {
        "m.py": "class C:\n    def late(self):\n        self.x = 2\n    def __init__(self):\n        self.x = 1\n"
    }
    assert refs(files, "m.C.x") == [("m.py:3:14", "write"), ("m.py:5:14", "definition")]


def test_a_global_is_followed_through_star_imports_and_deletion(refs: Refs) -> None:
    """`from m import *` takes it along; `del` is a role of its own."""
    files = {
        "m.py": "LIMIT = 1\n",
        "n.py": "from m import *\nprint(LIMIT)\n",
        "o.py": "from m import LIMIT\ndel LIMIT\n",
    }
    assert refs(files, "m.LIMIT") == [
        ("m.py:1:1", "definition"), ("n.py:2:7", "read"), ("o.py:1:15", "import"), ("o.py:2:5", "delete"),
    ]  # fmt: skip


def test_a_module_is_referred_to_by_imports_and_reads(refs: Refs) -> None:
    """Also where something is taken from it."""
    files = {
        "pkg/__init__.py": "",
        "pkg/m.py": "x = 1\n",
        "n.py": "from pkg import m\nfrom pkg.m import x\nm.x\n",
    }
    assert refs(files, "pkg.m") == [
        ("n.py:1:17", "import"), ("n.py:2:10", "import"), ("n.py:3:1", "read"), ("pkg/m.py:1:1", "definition"),
    ]  # fmt: skip


def test_a_decorator_is_a_call(refs: Refs) -> None:
    """It calls what it names."""
    files = {"m.py": "def deco(f):\n    return f\n@deco\ndef g():\n    pass\n"}
    assert refs(files, "m.deco") == [("m.py:1:5", "definition"), ("m.py:3:2", "call")]


def test_a_name_that_nothing_defines_has_its_uses_in_the_file(refs: Refs) -> None:
    """Asked by place."""
    files = {"m.py": "import absent\nabsent.go()\n"}
    assert refs(files, "m.py:2:1") == [("m.py:1:8", "import"), ("m.py:2:1", "read")]


def test_a_class_used_in_a_generic_base_is_an_annotation(refs: Refs) -> None:
    """Only the base itself is one."""
    files = {"m.py": "from typing import Generic\nclass T: pass\nclass A(Generic[T]): pass\n"}
    assert refs(files, "m.T") == [("m.py:2:7", "definition"), ("m.py:3:17", "annotation")]


def test_the_scope_of_an_annotation_is_its_function(tree: Any, tmp_path: Path) -> None:
    """`name` is the function that is annotated."""
    with codemap.open_map(tree(CLASS), cache=tmp_path / "cache") as opened:
        rows = {(row["file"], row["line"]): row["name"] for row in opened.refs("pkg.core.Bolt").results}
    assert rows["pkg/core.py", 2] == "pkg.core.Bolt.same"
    assert rows["use.py", 6] == "use.f"
    assert rows["use.py", 3] == "use"
