"""`find` and `find-class`: what a NAME means and what a result says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from codemap.index.build import open_index
from codemap.model.answers import Answer
from codemap.queries.definitions import find, find_class
from codemap.resolve.program import Program
from codemap.source.trees import open_tree


@contextmanager
def asked(folder: Path, files: Mapping[str, str | bytes], roots: Sequence[str] = ()) -> Iterator[Program]:
    """A program over a tree with these files."""
    root = folder / "tree"
    for path, body in files.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(body.encode() if isinstance(body, str) else body)
    cache = folder / "cache"
    cache.mkdir(exist_ok=True)
    places = [str(root / place) for place in roots]
    with open_index(open_tree(str(root), cache=cache, roots=places), cache=cache) as index:
        yield Program(index)


def places(answer: Answer) -> list[str]:
    return [f"{row['name']}@{row['file']}:{row['line']}" for row in answer.results]


def only(answer: Answer) -> dict[str, Any]:
    assert len(answer.results) == 1, places(answer)
    return answer.results[0]


KILN = {
    "kiln/__init__.py": "from .core import fire_up\n",
    "kiln/core/__init__.py": "from ._burner import ignite as fire_up\n",
    "kiln/core/_burner.py": "def ignite(level):\n    heat = level\n    return heat\n",
    "app.py": "from kiln import fire_up\n",
}


# --- what a NAME means ------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("kiln.core._burner.ignite", "kiln.core._burner.ignite@kiln/core/_burner.py:1"),
        ("ignite", "kiln.core._burner.ignite@kiln/core/_burner.py:1"),
        ("_burner.ignite", "kiln.core._burner.ignite@kiln/core/_burner.py:1"),
        ("app.fire_up", "kiln.core._burner.ignite@kiln/core/_burner.py:1"),
        ("core.fire_up", "kiln.core._burner.ignite@kiln/core/_burner.py:1"),
        ("fire_up", "kiln.core._burner.ignite@kiln/core/_burner.py:1"),
        ("ignite.level", "kiln.core._burner.ignite.level@kiln/core/_burner.py:1"),
        ("_burner.ignite.heat", "kiln.core._burner.ignite.heat@kiln/core/_burner.py:2"),
        ("_burner.py:1", "kiln.core._burner.ignite@kiln/core/_burner.py:1"),
        ("kiln/core/_burner.py:2:5", "kiln.core._burner.ignite.heat@kiln/core/_burner.py:2"),
        ("app.py:1", "kiln.core._burner.ignite@kiln/core/_burner.py:1"),
        ("_burner", "kiln.core._burner@kiln/core/_burner.py:1"),
        ("core/_burner.py", "kiln.core._burner@kiln/core/_burner.py:1"),
        ("kiln.core", "kiln.core@kiln/core/__init__.py:1"),
    ],
)
def test_a_name_is_qualified_or_a_suffix_or_a_way_of_imports_or_a_place(
    name: str, expected: str, tmp_path: Path
) -> None:
    """Every form of NAME leads to the one definition."""
    with asked(tmp_path, KILN) as program:
        answer = find(program, name)
    assert (answer.status, places(answer)) == ("found", [expected])


@pytest.mark.parametrize(
    "name", ["kiln.ignite", "heat", "level", "gnite", "burner.ignite", "", ".", "a..b", "app.py:9"]
)
def test_what_is_not_there_is_not_found(name: str, tmp_path: Path) -> None:
    """Suffixes go by whole parts, locals need their function, and a module has no name that it does not bind."""
    with asked(tmp_path, KILN) as program:
        answer = find(program, name)
    assert (answer.status, places(answer)) == ("not_found", [])


def test_several_definitions_are_all_answered_and_marked(tmp_path: Path) -> None:
    """An ambiguous suffix is answered for all in path order; an exact qualified name wins over suffixes."""
    files = {
        "west/desk.py": "class Planner: ...\n",
        "east/desk.py": "class Planner: ...\n",
        "desk.py": "class Planner: ...\n",
    }
    with asked(tmp_path, files) as program:
        several, exact = find_class(program, "Planner"), find(program, "desk.Planner")
    assert several.status == "ambiguous"
    assert places(several) == [
        "desk.Planner@desk.py:1",
        "east.desk.Planner@east/desk.py:1",
        "west.desk.Planner@west/desk.py:1",
    ]
    assert (exact.status, places(exact)) == ("found", ["desk.Planner@desk.py:1"])


def test_an_unmatched_part_of_a_known_module_falls_back_to_suffixes(tmp_path: Path) -> None:
    """`utils.helper` is found in pkg.utils although a top-level utils exists without it."""
    with asked(tmp_path, {"utils.py": "x = 1\n", "pkg/utils.py": "def helper(): ...\n"}) as program:
        answer = find(program, "utils.helper")
    assert places(answer) == ["pkg.utils.helper@pkg/utils.py:1"]


def test_inherited_members_and_self_attributes_are_found_through_the_class(tmp_path: Path) -> None:
    """A member that a class inherits leads to the base's; attributes of `self` belong to the class that stores them."""
    zoo = (
        "class Animal:\n    def __init__(self):\n        self.age = 1\n    def feed(self): ...\n"
        "class Bird(Animal):\n    def grow(self):\n        self.wings = self.age = 2\n"
    )
    with asked(tmp_path, {"zoo.py": zoo}) as program:
        feed, wings, age = (find(program, f"Bird.{name}") for name in ("feed", "wings", "age"))
        bare = find(program, "age")
    assert places(feed) == ["zoo.Animal.feed@zoo.py:4"]
    assert places(wings) == ["zoo.Bird.wings@zoo.py:7"]
    assert places(age) == ["zoo.Bird.age@zoo.py:7"]
    assert places(bare) == ["zoo.Animal.age@zoo.py:3", "zoo.Bird.age@zoo.py:7"]


def test_kinds_keep_some_definitions(tmp_path: Path) -> None:
    """Each kind of CLI.md is told apart, and an alias leads a search for classes to its class."""
    text = (
        "class thing:\n    thing = 1\n    def other(self): ...\n"
        "def other(): ...\nLIMIT = 3\nlimit = 4\nAlias = thing\n"
    )
    with asked(tmp_path, {"thing/mod.py": text, "thing/__init__.py": ""}) as program:

        def kinds(name: str, *wanted: str) -> list[tuple[str, str]]:
            return [(row["kind"], row["name"]) for row in find(program, name, wanted).results]

        assert kinds("thing") == [
            ("module", "thing"),
            ("class", "thing.mod.thing"),
            ("attribute", "thing.mod.thing.thing"),
        ]
        assert kinds("thing", "class") == [("class", "thing.mod.thing")]
        assert kinds("other", "function") == [("function", "thing.mod.other")]
        assert kinds("other", "method", "attribute") == [("method", "thing.mod.thing.other")]
        assert kinds("LIMIT", "constant") == [("constant", "thing.mod.LIMIT")]
        assert kinds("limit") == [("attribute", "thing.mod.limit")]
        assert kinds("Alias", "class") == [("class", "thing.mod.thing")]
        assert [row["how"] for row in find_class(program, "Alias").results] == ["alias"]


def test_a_symbol_hides_the_submodule_of_its_name(tmp_path: Path) -> None:
    """`lib.index` is the function; the module stands behind it as what the import path means."""
    files = {"lib/__init__.py": "from .index import index\n", "lib/index.py": "def index(): ...\n"}
    with asked(tmp_path, files) as program:
        answer = find(program, "lib.index")
    assert (answer.status, places(answer)) == (
        "found",
        ["lib.index.index@lib/index.py:1", "lib.index@lib/index.py:1"],
    )
    assert answer.results[1]["shadowed_by"] == {
        "name": "index", "kind": "import", "file": "lib/__init__.py", "line": 1,
    }  # fmt: skip


# --- what a result says ---------------------------------------------------------------------------------------
def test_a_result_has_every_field_of_the_contract(tmp_path: Path) -> None:
    """The fields that CLI.md names, with columns from 1 and the line of the keyword, not of the decorator."""
    text = (
        "import functools\n\n\n@functools.lru_cache(maxsize=None)\nasync  def  load(\n"
        "    path: str,  # where\n    *,\n    size: int = (1, ),\n) -> dict[str, int]:\n    return {}\n"
    )
    with asked(tmp_path, {"m.py": text}) as program:
        row = only(find(program, "load"))
    assert row == {
        "file": "m.py",
        "line": 5,
        "column": 13,
        "confidence": "certain",
        "how": "definition",
        "name": "m.load",
        "kind": "function",
        "end_line": 10,
        "signature": "async def load(path: str, *, size: int = (1,)) -> dict[str, int]",
        "decorators": ["functools.lru_cache"],
        "bases": [],
        "flags": ["async"],
        "shadowed_by": None,
        "exports": [],
    }


@pytest.mark.parametrize(
    ("name", "flags"),
    [
        ("Data", ["dataclass"]),
        ("Attrs", ["attrs", "dataclass"]),
        ("Shade", ["enum"]),
        ("Shade.RED", ["enum member"]),
        ("Pair", ["namedtuple"]),
        ("Point", ["namedtuple"]),
        ("Table", ["typeddict"]),
        ("Proto", ["protocol"]),
        ("Base", ["abstract"]),
        ("Meta", ["abstract"]),
        ("Child", []),
        ("Oops", ["exception"]),
        ("Base.run", ["abstract"]),
        ("Base.made", ["classmethod"]),
        ("Base.plain", ["staticmethod"]),
        ("Base.cached", ["cached_property", "property"]),
        ("numbers", ["generator"]),
        ("stream", ["async", "generator"]),
        ("opened", ["contextmanager", "generator"]),
        ("Data.shared", ["classvar"]),
        ("FIXED", ["final"]),
        ("Name", ["type alias"]),
    ],
)
def test_flags_come_from_what_decorators_and_bases_are(name: str, flags: list[str], tmp_path: Path) -> None:
    """Decorators and bases are looked up, so a renamed import is seen and a name of the same spelling is not."""
    text = """
import abc, contextlib, enum, functools, typing
from abc import abstractmethod as must
from collections import namedtuple
from dataclasses import dataclass as record
from typing import ClassVar, Final, NamedTuple, Protocol, TypedDict
import attrs

def dataclass(thing): return thing

@record
class Data:
    shared: ClassVar[int] = 1
@attrs.define
class Attrs: ...
class Shade(enum.IntEnum):
    RED = 1
class Pair(NamedTuple):
    a: int
Point = namedtuple("Point", "x y")
class Table(TypedDict): ...
class Proto(Protocol): ...
class Base(abc.ABC):
    @must
    def run(self): ...
    @classmethod
    def made(cls): ...
    @staticmethod
    def plain(): ...
    @functools.cached_property
    def cached(self): ...
class Meta(metaclass=abc.ABCMeta): ...
@dataclass
class Child(Base): ...
class Oops(ValueError): ...
def numbers(): yield 1
async def stream(): yield 1
@contextlib.contextmanager
def opened(): yield
FIXED: Final = 3
type Name = int
"""
    with asked(tmp_path, {"m.py": text}) as program:
        assert only(find(program, f"m.{name}"))["flags"] == flags


def test_overload_stubs_and_accessors_stand_behind_what_they_belong_to(tmp_path: Path) -> None:
    """The implementation first, then its stubs; a getter first, then setter and deleter: one thing, not shadowed."""
    text = (
        "from typing import overload\n"
        "@overload\ndef to(x: int) -> str: ...\n@overload\ndef to(x: str) -> int: ...\ndef to(x): ...\n"
        "class T:\n    @property\n    def p(self): ...\n    @p.setter\n    def p(self, v): ...\n"
    )
    with asked(tmp_path, {"m.py": text}) as program:
        to, p = find(program, "m.to"), find(program, "T.p")
    assert [(row["line"], row["flags"], row["shadowed_by"]) for row in to.results] == [
        (6, [], None),
        (3, ["overload"], None),
        (5, ["overload"], None),
    ]
    assert [(row["line"], row["flags"]) for row in p.results] == [
        (9, ["property"]),
        (11, ["property", "setter"]),
    ]
    assert (to.status, p.status) == ("found", "found")


def test_a_replaced_definition_says_what_replaces_it(tmp_path: Path) -> None:
    """The last binding wins and comes first; what it replaces is possible at most."""
    files = {
        "m.py": "def f(): ...\nx = 1\ndef f(): ...\ndef gone(): ...\ndel gone\nfrom other import g\ndef g(): ...\n",
        "n.py": "def g(): ...\nfrom other import g\n",
        "other.py": "def g(): ...\n",
    }
    with asked(tmp_path, files) as program:
        f, gone, mine, theirs = (find(program, name) for name in ("m.f", "m.gone", "m.g", "n.g"))
    assert [(row["line"], row["confidence"]) for row in f.results] == [(3, "certain"), (1, "possible")]
    assert f.results[1]["shadowed_by"] == {"name": "f", "kind": "function", "file": "m.py", "line": 3}
    assert [(row["confidence"], row["shadowed_by"]["kind"]) for row in gone.results] == [
        ("possible", "delete")
    ]
    assert places(mine) == ["m.g@m.py:7"]
    assert places(theirs) == ["other.g@other.py:1", "n.g@n.py:1"]
    assert theirs.results[1]["shadowed_by"]["kind"] == "import"


def test_conditional_definitions_are_likely_and_name_their_guard(tmp_path: Path) -> None:
    """Each of several branches is likely; the handler's definition is the fallback."""
    files = {
        "gear.py": "try:\n    from fast import mesh\nexcept ImportError:\n    def mesh(a): ...\n",
        "fast.py": "def mesh(a): ...\n",
    }
    with asked(tmp_path, files) as program:
        answer = find(program, "gear.mesh")
    assert [(row["name"], row["confidence"], row["how"], row["guard"]) for row in answer.results] == [
        ("fast.mesh", "likely", "import", "try"),
        ("gear.mesh", "likely", "fallback", "except ImportError"),
    ]
    assert answer.status == "ambiguous"


def test_a_patched_method_is_likely_and_tells_by_what(tmp_path: Path) -> None:
    """Code elsewhere that replaces a method or a function is shown with what it puts there."""
    files = {
        "valve.py": "class Valve:\n    def open(self): ...\ndef level(): ...\n",
        "patch.py": "import valve\nfrom valve import Valve\ndef loud(self): ...\n"
        "def apply():\n    Valve.open = loud\n    valve.level = lambda: 2\n    Valve.added = 5\n",
    }
    with asked(tmp_path, files) as program:
        method, function, added = (
            find(program, name) for name in ("Valve.open", "valve.level", "Valve.added")
        )
    assert only(method)["patched"] == [{"file": "patch.py", "line": 5, "name": "patch.loud"}]
    assert only(method)["confidence"] == "likely"
    assert only(function)["patched"] == [{"file": "patch.py", "line": 6, "name": ""}]
    assert places(added) == ["valve.Valve.added@patch.py:7"]
    assert only(added)["how"] == "set from outside"


def test_a_broken_file_is_likely_at_most(tmp_path: Path) -> None:
    """What was recovered from a file with a syntax error may be incomplete."""
    with asked(tmp_path, {"m.py": "class Kept: ...\ndef broken(:\n    pass\n"}) as program:
        answer = find_class(program, "Kept")
    assert only(answer)["confidence"] == "likely"
    assert answer.tree.parse_errors == 1


def test_a_name_outside_the_tree_says_where_it_would_come_from(tmp_path: Path) -> None:
    """An imported name that no file defines is not found, with the module outside the tree as the reason."""
    with asked(tmp_path, {"m.py": "from torch import Tensor\nimport missing.part as mp\n"}) as program:
        tensor, part = find_class(program, "Tensor"), find(program, "m.mp")
    assert tensor.status == part.status == "not_found"
    assert [tuple(row) for row in tensor.unresolved] == [
        ("torch.Tensor", "m.py", 1, "outside the tree: torch")
    ]
    assert part.unresolved[0].reason == "outside the tree: missing"


def test_classes_and_functions_within_functions_are_found_by_their_name(tmp_path: Path) -> None:
    """Any end of a qualified name names them, as it does those of modules; other locals need their function."""
    files = {
        "m.py": "def make(flag):\n    class Part[T]:\n        def spin(self):\n            def turn(): ...\n"
        "    if flag:\n        def turn(): ...\n    else:\n        def turn(): ...\n    size = 3\n    return Part\n",
        "n.py": "class Part: ...\ndef born():\n    global late\n    def late(): ...\n",
    }
    with asked(tmp_path, files) as program:
        assert places(find_class(program, "Part")) == ["m.make.Part@m.py:2", "n.Part@n.py:1"]
        assert places(find(program, "spin.turn")) == ["m.make.Part.spin.turn@m.py:4"]
        assert places(find(program, "make.turn")) == ["m.make.turn@m.py:6", "m.make.turn@m.py:8"]
        assert len(find(program, "turn").results) == 3
        assert places(find(program, "late")) == ["n.late@n.py:4"]
        assert find(program, "size").status == "not_found"
        assert places(find(program, "make.size")) == ["m.make.size@m.py:9"]


@pytest.mark.parametrize("codec", ["martian", "hex", "rot13", "undefined", "punycode"])
def test_a_file_in_an_unknown_encoding_is_answered_for(tmp_path: Path, codec: str) -> None:
    """The parser reads it as well as it can, and so do those who show its lines."""
    source = f"# -*- coding: {codec} -*-\nclass Kept(int): ...\n"
    with asked(tmp_path, {"m.py": source, "n.py": "from m import Kept\n"}) as program:
        answer = find_class(program, "Kept", ["n.py", "m.py"])
        missing = find_class(program, "Other", ["m.py"])
    assert only(answer)["signature"] == "class Kept(int)"
    assert [row["status"] for row in answer.extra["expected_in"]] == ["imported", "defined"]
    assert missing.extra["expected_in"][0]["status"] == "absent"


def test_names_given_by_assignment_travel_too(tmp_path: Path) -> None:
    """`Thing = core.Thing` in another module is an export, an import of it leads to the class; `type X = ...` is none."""
    files = {
        "p/__init__.py": "from typing import TYPE_CHECKING\nfrom . import core\nThing = core.Thing\nOther = core.Thing\n"
        "type Alias = core.Thing\nif TYPE_CHECKING:\n    Typed = core.Thing\n",
        "p/core.py": "class Thing: ...\nOld = Thing\n",
        "user.py": "from p import Other as Mine\nfrom p.core import Old\n",
        "late.py": "# no Thing here\ndef f():\n    from p import Other\n",
    }
    with asked(tmp_path, files) as program:
        answer = find_class(program, "Thing", ["user.py", "late.py"])
    row = only(answer)
    exports = [(each["module"], each["name"], each["line"], each["import_kind"]) for each in row["exports"]]
    assert exports == [
        ("p", "Other", 4, "runtime"),
        ("p", "Thing", 3, "runtime"),
        ("p", "Typed", 7, "typing"),
        ("user", "Mine", 1, "runtime"),
        ("user", "Old", 2, "runtime"),
    ]
    ways = [(each["status"], each["line"], each["chain"]) for each in answer.extra["expected_in"]]
    assert ways == [("imported", 1, ["p", "p.core"]), ("imported", 3, ["p", "p.core"])]


# --- suggestions ------------------------------------------------------------------------------------------------
def test_a_name_is_never_suggested_for_itself(tmp_path: Path) -> None:
    """A name that a module only imports from nowhere is not offered again as what was meant."""
    with asked(tmp_path, {"a.py": "other = 1\n", "b.py": "from a import nothing\nthing = 2\n"}) as program:
        answer = find(program, "b.nothing")
    assert (answer.status, answer.suggestions) == ("not_found", ("b.thing",))


def test_suggestions_are_real_definitions(tmp_path: Path) -> None:
    """A near miss gives the bare name; a wrong qualifier the qualified names; a wrong member the class's own."""
    files = {
        "a.py": "class GenerationBatchResult:\n    def copy_done(self): ...\n    done = 1\n",
        "b.py": "from a import GenerationBatchResults\nGenBatchResults = 3\n",
    }
    with asked(tmp_path, files) as program:
        assert find_class(program, "GenBatchResult").suggestions == ("GenerationBatchResult",)
        assert find(program, "Wrong.copy_done").suggestions == ("a.GenerationBatchResult.copy_done",)
        assert (
            find(program, "GenerationBatchResult.copy_dome").suggestions[0]
            == "GenerationBatchResult.copy_done"
        )
        assert find_class(program, "Qqqq").suggestions == ()


# --- exports ------------------------------------------------------------------------------------------------------
def test_exports_follow_renames_stars_and_guards(tmp_path: Path) -> None:
    """Every module that binds the class by import is listed with its kind; a binding that is replaced is not."""
    files = {
        "core.py": "class Thing: ...\n",
        "api.py": "from core import Thing as Public\n",
        "user.py": "from api import Public\n",
        "star.py": "from core import *\n",
        "again.py": "from star import Thing\n",
        "hints.py": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from core import Thing\n",
        "maybe.py": "try:\n    from core import Thing\nexcept ImportError:\n    Thing = None\n",
        "inside.py": "def f():\n    from core import Thing\n",
        "own.py": "from core import Thing\nclass Thing: ...\n",
        "closed.py": "from core import *\n__all__ = []\n",
        "shut.py": "from closed import *\n",
        "same.py": "Thing = 1\n",
    }
    with asked(tmp_path, files) as program:
        rows = find_class(program, "core.Thing").results[0]["exports"]
    assert [(row["module"], row["name"], row["import_kind"], row["line"]) for row in rows] == [
        ("again", "Thing", "runtime", 1),
        ("api", "Public", "runtime", 1),
        ("closed", "Thing", "runtime", 1),
        ("hints", "Thing", "typing", 3),
        ("maybe", "Thing", "optional", 2),
        ("star", "Thing", "runtime", 1),
        ("user", "Public", "runtime", 1),
    ]


def test_a_typing_import_of_its_own_class_is_no_export(tmp_path: Path) -> None:
    """A module that defines a class does not re-export it, even if a TYPE_CHECKING import says so before."""
    files = {
        "a.py": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from b import Row\nclass Row: ...\n",
        "b.py": "from a import Row\n",
    }
    with asked(tmp_path, files) as program:
        row = only(find_class(program, "Row"))
    assert (row["line"], [export["module"] for export in row["exports"]]) == (4, ["b"])


# --- --in ---------------------------------------------------------------------------------------------------------
def test_expected_in_tells_what_each_file_has_to_do_with_the_class(tmp_path: Path) -> None:
    """Defined, imported with the way it travels, mentioned in a comment or a string, absent, or no such file."""
    files = {
        "pkg/core.py": "class Thing: ...\n",
        "pkg/__init__.py": "from .core import Thing\n",
        "user.py": "import pkg\nfrom pkg import (\n    Thing,\n)\n",
        "late.py": "def f():\n    from pkg.core import Thing as T\n    return T\n",
        "notes.py": "x = 1\n# a Thing of beauty\n",
        "other.py": "Things = 1\n",
    }
    with asked(tmp_path, files) as program:
        answer = find_class(
            program, "Thing", ["core.py", "user.py", "late.py", "notes.py", "other.py", "usr.py"]
        )
    rows = answer.extra["expected_in"]
    assert [(row["file"], row["status"], row["line"]) for row in rows] == [
        ("pkg/core.py", "defined", 1),
        ("user.py", "imported", 3),
        ("late.py", "imported", 2),
        ("notes.py", "mentioned", 2),
        ("other.py", "absent", None),
        ("usr.py", "no_such_file", None),
    ]
    assert (rows[1]["from"], rows[1]["chain"], rows[1]["import_kind"]) == (
        "pkg",
        ["pkg", "pkg.core"],
        "runtime",
    )
    assert (rows[2]["from"], rows[2]["chain"], rows[2]["import_kind"]) == ("pkg.core", ["pkg.core"], "lazy")
    assert rows[5]["nearest"][0] == "user.py"


def test_expected_in_has_one_entry_for_each_file_that_fits(tmp_path: Path) -> None:
    """A file's end may fit several files; a renamed class is known under either name."""
    files = {
        "a/worker.py": "from core import Thing as Other\n",
        "b/worker.py": "",
        "core.py": "class Thing: ...\n",
    }
    with asked(tmp_path, files) as program:
        answer = find_class(program, "a.worker.Other", ["worker.py", "a/worker.py"])
    assert [(row["file"], row["status"]) for row in answer.extra["expected_in"]] == [
        ("a/worker.py", "imported"),
        ("b/worker.py", "absent"),
    ]


# --- the same answer always ---------------------------------------------------------------------------------------
def test_answers_do_not_depend_on_what_was_asked_before(tmp_path: Path) -> None:
    """A program that has answered other questions, in circles too, gives the same bytes as a fresh one."""
    files = {
        "a.py": "from b import *\nfrom c import x\ndef one(): ...\n",
        "b.py": "from c import *\nfrom a import one\ndef two(): ...\n",
        "c.py": "from a import *\nfrom b import two as x\ndef three(): ...\n",
    }
    names = [f"{module}.{name}" for module in "abc" for name in ("one", "two", "three", "x", "nothing")]
    with asked(tmp_path, files) as program:
        fresh = {name: find(Program(program.index), name) for name in names}
        for name in names:
            assert find(program, name) == fresh[name]
        for name in reversed(names):
            assert find(program, name) == fresh[name]


def test_a_module_of_one_name_in_two_roots_is_the_importers_own(tmp_path: Path) -> None:
    """Where two import roots hold a `helpers`, an import finds the one beside it."""
    files = {
        "one/helpers.py": "def tool(): ...\n",
        "one/main.py": "from helpers import tool\n",
        "two/helpers.py": "def tool(): ...\n",
        "two/other.py": "from helpers import tool\n",
    }
    with asked(tmp_path, files, roots=["one", "two"]) as program:
        assert places(find(program, "main.tool")) == ["helpers.tool@one/helpers.py:1"]
        assert places(find(program, "other.tool")) == ["helpers.tool@two/helpers.py:1"]


def test_a_long_chain_of_imports_is_followed(tmp_path: Path) -> None:
    """A name may travel through hundreds of modules."""
    files = {f"m{n}.py": f"from m{n + 1} import thing\n" for n in range(300)}
    files["m300.py"] = "def thing(): ...\n"
    with asked(tmp_path, files) as program:
        assert places(find(program, "m0.thing")) == ["m300.thing@m300.py:1"]
