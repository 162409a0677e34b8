"""`consumers` and `producers`: who reads and who writes an attribute, decided by the receiver."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import codemap

Ask = Callable[..., Any]


@pytest.fixture
def ask(tree: Any, tmp_path: Path) -> Ask:
    """Writes files and asks: `ask({"a.py": ...}, "consumers", "a.C.x")` gives `line: access confidence`."""

    def run(files: dict[str, str], command: str, name: str) -> list[tuple[str, str, str]]:
        with codemap.open_map(tree(files), cache=tmp_path / "cache") as opened:
            answer = getattr(opened, command)(name)
        return [
            (f"{row['file']}:{row['line']}", row.get("access") or row["role"], row["confidence"])
            for row in answer.results
        ]

    return run


FIELD = """\
from dataclasses import dataclass, replace

@dataclass
class Job:
    name: str
    weight: int = 1

class Other:
    weight = 2

def make():
    weight = 3
    job = Job("a", weight)
    return replace(job, weight=weight), Other().weight

def use(job: Job, thing):
    job.weight += 1
    thing.weight
    del job.weight
    setattr(job, "weight", 5)
    return getattr(job, "weight"), job.weight
"""


def test_reads_of_a_field(ask: Ask) -> None:
    """Reads, the read of an augmented assignment, getattr with a constant."""
    assert ask({"m.py": FIELD}, "consumers", "m.Job.weight") == [
        ("m.py:17", "augmented", "certain"),
        ("m.py:21", "getattr", "certain"),
        ("m.py:21", "read", "certain"),
    ]


def test_writes_of_a_field(ask: Ask) -> None:
    """Positional argument of the constructor, replace, augmented assignment, del, setattr."""
    assert ask({"m.py": FIELD}, "producers", "Job.weight") == [
        ("m.py:13", "construct", "certain"),
        ("m.py:14", "replace", "certain"),
        ("m.py:17", "augmented", "certain"),
        ("m.py:19", "delete", "certain"),
        ("m.py:20", "setattr", "certain"),
    ]


def test_an_unknown_receiver_is_said_to_be_unknown(tree: Any, tmp_path: Path) -> None:
    """`thing.weight` is no answer and no silence."""
    with codemap.open_map(tree({"m.py": FIELD}), cache=tmp_path / "cache") as opened:
        [site] = opened.consumers("m.Job.weight").unresolved
    assert (site.name, site.file, site.line) == ("thing.weight", "m.py", 18)


def test_a_class_that_writes_its_constructor_gets_no_fields_by_it(ask: Ask) -> None:
    """Only what a decorator makes hands arguments to fields; a written `__init__` assigns by itself."""
    files = {"m.py": "class C:\n    def __init__(self, x):\n        self.x = x\n\nC(1)\nC(x=1)\n"}
    assert ask(files, "producers", "m.C.x") == [("m.py:3", "write", "certain")]


def test_subclasses_share_an_attribute_until_they_bind_it_anew(ask: Ask) -> None:
    """An instance of Sub has Base's attribute, one of Own has its own."""
    files = {
        "m.py": (
            "class Base:\n    kind = 1\nclass Sub(Base):\n    pass\nclass Own(Base):\n    kind = 2\n"
            "def f(a: Sub, b: Own):\n    return a.kind, b.kind\n"
        )
    }
    assert ask(files, "consumers", "m.Base.kind") == [("m.py:8", "read", "certain")]
    assert ask(files, "consumers", "m.Own.kind") == [("m.py:8", "read", "certain")]


def test_a_base_that_a_subclass_overrides_is_likely_and_the_override_possible(ask: Ask) -> None:
    """What is declared as Base may be an Own."""
    files = {
        "m.py": (
            "class Base:\n    kind = 1\nclass Own(Base):\n    kind = 2\ndef f(a: Base):\n    return a.kind\n"
        )
    }
    assert ask(files, "consumers", "m.Base.kind") == [("m.py:6", "read", "likely")]
    assert ask(files, "consumers", "m.Own.kind") == [("m.py:6", "read", "possible")]


def test_a_mixin_has_the_attributes_of_its_host(ask: Ask) -> None:
    """Whether `self` is annotated with the host or not."""
    files = {
        "m.py": (
            "class Mix:\n    def a(self: 'Host'):\n        return self.size\n    def b(self):\n        return self.size\n"
            "class Host(Mix):\n    def __init__(self):\n        self.size = 1\n"
        )
    }
    assert [row[0] for row in ask(files, "consumers", "m.Host.size")] == ["m.py:3", "m.py:5"]
    assert all(row[2] in ("certain", "likely") for row in ask(files, "consumers", "m.Host.size"))


def test_patterns_read_attributes(ask: Ask) -> None:
    """By keyword and by place."""
    files = {
        "m.py": (
            "from typing import NamedTuple\nclass P(NamedTuple):\n    x: int\n    y: int = 0\n"
            "def f(v):\n    match v:\n        case P(1, y=2):\n            return v\n"
        )
    }
    assert ask(files, "consumers", "m.P.x") == [("m.py:7", "pattern", "certain")]
    assert ask(files, "consumers", "m.P.y") == [("m.py:7", "pattern", "certain")]


def test_keys_of_typed_dictionaries_are_attributes(ask: Ask) -> None:
    """Read, written, deleted, given in a literal where the type is declared."""
    files = {
        "m.py": (
            "from typing import TypedDict\nclass O(TypedDict, total=False):\n    k: int\n"
            'def f(o: O, p: dict):\n    o["k"] = 1\n    del o["k"]\n    return o["k"], p["k"], o.get("k")\n'
            'f({"k": 1}, {"k": 2})\no: O = {"k": 3}\n'
        )
    }
    assert [row[:2] for row in ask(files, "consumers", "m.O.k")] == [("m.py:7", "read"), ("m.py:7", "read")]
    assert [row[:2] for row in ask(files, "producers", "m.O.k")] == [
        ("m.py:5", "write"), ("m.py:6", "delete"), ("m.py:8", "construct"), ("m.py:9", "construct"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("head", "change"),
    [
        (
            "from attrs import define\n@define\nclass C:\n    x: int = 0\n",
            "import attrs\nattrs.evolve(C(), x=1)\n",
        ),
        (
            "from typing import NamedTuple\nclass C(NamedTuple):\n    x: int = 0\n",
            "c = C()\nc._replace(x=1)\n",
        ),
        (
            "from dataclasses import dataclass\n@dataclass\nclass C:\n    x: int = 0\n",
            "import copy\ncopy.replace(C(), x=1)\n",
        ),
    ],
)
def test_changed_copies_are_writes(ask: Ask, head: str, change: str) -> None:
    """`evolve`, `_replace`, `replace`."""
    rows = ask({"m.py": head + change}, "producers", "m.C.x")
    assert [row[1] for row in rows] == ["replace"]


def test_keyword_only_and_excluded_fields_have_no_place(ask: Ask) -> None:
    """`init=False` takes no argument, what follows KW_ONLY none by position."""
    files = {
        "m.py": (
            "from dataclasses import KW_ONLY, dataclass, field\n@dataclass\nclass C:\n"
            "    a: int = field(default=0, init=False)\n    b: int = 0\n    _: KW_ONLY\n    c: int = 0\n"
            "C(1)\nC(c=2)\n"
        )
    }
    assert ask(files, "producers", "m.C.a") == []
    assert ask(files, "producers", "m.C.b") == [("m.py:8", "construct", "certain")]
    assert ask(files, "producers", "m.C.c") == [("m.py:9", "construct", "certain")]


def test_a_module_global_is_an_attribute_of_its_module(ask: Ask) -> None:
    """Through `global`, imports (renamed ones too), the module, from outside; another module's own name is none."""
    files = {
        "m.py": "COUNT = 0\ndef up():\n    global COUNT\n    COUNT += 1\ndef own():\n    COUNT = 5\n    return COUNT\n",
        "n.py": "import m\nfrom m import COUNT as C\nm.COUNT = 3\nprint(m.COUNT, C)\nC = 7\n",
    }
    assert [row[:2] for row in ask(files, "producers", "m.COUNT")] == [
        ("m.py:1", "write"), ("m.py:4", "augmented"), ("n.py:3", "write"),
    ]  # fmt: skip
    assert [row[:2] for row in ask(files, "consumers", "m.COUNT")] == [
        ("m.py:4", "augmented"), ("n.py:4", "read"), ("n.py:4", "read"),
    ]  # fmt: skip


def test_attributes_that_only_other_code_gives_are_found(ask: Ask) -> None:
    """A patched class has what is hung onto it."""
    files = {"m.py": "class V:\n    pass\n", "n.py": "from m import V\nV.added = 5\nprint(V().added)\n"}
    assert [row[0] for row in ask(files, "producers", "m.V.added")] == ["n.py:2"]
    assert [row[0] for row in ask(files, "consumers", "m.V.added")] == ["n.py:3"]


def test_a_result_says_who_does_it_to_what(tree: Any, tmp_path: Path) -> None:
    """`name`, `attribute` by the declaring class, `receiver` by the instance's class, a column that is the token's."""
    files = {
        "m.py": "class B:\n    x = 1\nclass C(B):\n    pass\ndef f(c: C):\n    return [c.x for _ in ()]\n"
    }
    with codemap.open_map(tree(files), cache=tmp_path / "cache") as opened:
        [row] = opened.consumers("m.B.x").results
    assert (row["name"], row["attribute"], row["receiver"]) == ("m.f", "m.B.x", "m.C")
    assert (row["line"], row["column"], row["how"]) == (6, 15, "annotation")


def test_an_unknown_name_is_not_found(codemap: Any, tree: Any) -> None:
    """Exit code 1, with the nearest names."""
    said = codemap("consumers", "m.Job.wieght", "--json", tree=tree({"m.py": FIELD}))
    assert said.code == 1
    assert said.answer["status"] == "not_found"


def test_nobody_is_an_answer(codemap: Any, tree: Any) -> None:
    """A field that nobody reads is found, and empty."""
    said = codemap("consumers", "m.C.x", "--json", tree=tree({"m.py": "class C:\n    x: int = 0\n"}))
    assert said.code == 0
    assert (said.answer["status"], said.answer["results"]) == ("found", [])
