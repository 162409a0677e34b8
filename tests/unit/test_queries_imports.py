"""`imports` and `cycles`: what modules load, and in circles."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codemap.errors import NoSuchModule
from codemap.index.build import open_index
from codemap.queries.import_cycles import Edge, shortest_cycle, strong_components
from codemap.queries.imports import cycles, imports
from codemap.queries.status import status
from codemap.resolve.program import Program
from codemap.source.trees import open_tree


@contextmanager
def asked(folder: Path, files: Mapping[str, str | bytes]) -> Iterator[Program]:
    """A program over a tree with these files."""
    root = folder / "tree"
    for path, body in files.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(body.encode() if isinstance(body, str) else body)
    cache = folder / "cache"
    cache.mkdir(exist_ok=True)
    with open_index(open_tree(str(root), cache=cache), cache=cache) as index:
        yield Program(index)


def rows(program: Program, module: str) -> list[tuple[Any, ...]]:
    return [
        (row["line"], row["module"], row["names"], row["import_kind"], row["resolved"])
        for row in imports(program, module).results
    ]


# --- imports --------------------------------------------------------------------------------------------------
KINDS = """\
from __future__ import annotations
import typing as t
import importlib

if t.TYPE_CHECKING:
    from pkg import typed
    try:
        import pkg.tried
    except ImportError:
        pass
else:
    import pkg.other

try:
    import fast
except (ImportError, OSError):
    import slow
except ValueError:
    import unguarded

try:
    import plain
except ValueError:
    pass

def f():
    import pkg.late
    if t.TYPE_CHECKING:
        import pkg.hint

class C:
    import pkg.within

importlib.import_module("pkg.named")
importlib.import_module(".near", "pkg")
"""


def test_the_kind_of_an_import_is_why_it_may_not_run(tmp_path: Path) -> None:
    """typing before lazy before optional before runtime; a handler for other errors makes nothing optional."""
    with asked(tmp_path, {"m.py": KINDS, "pkg/__init__.py": "", "pkg/named.py": ""}) as program:
        kinds = {module: kind for _, module, _, kind, _ in rows(program, "m")}
    assert kinds == {
        "__future__": "runtime",
        "typing": "runtime",
        "importlib": "runtime",
        "pkg": "typing",
        "pkg.tried": "typing",
        "pkg.other": "runtime",
        "fast": "optional",
        "slow": "optional",
        "unguarded": "runtime",
        "plain": "runtime",
        "pkg.late": "lazy",
        "pkg.hint": "typing",
        "pkg.within": "runtime",
        "pkg.named": "runtime",
        "pkg.near": "runtime",
    }


def test_one_result_for_each_module_of_a_statement(tmp_path: Path) -> None:
    """The names of one statement stand together; a submodule that is taken is a module of its own."""
    files = {
        "pkg/__init__.py": "made = 1\n",
        "pkg/sub.py": "",
        "pkg/main.py": "from . import (sub,\n  made)\nfrom .sub import b, a\nimport os.path, pkg.sub as s\nfrom .sub import *\n",
    }
    with asked(tmp_path, files) as program:
        found = rows(program, "pkg/main.py")
        places = [(row["target"], row["how"]) for row in imports(program, "pkg.main").results]
    assert found == [
        (1, "pkg", ["made", "sub"], "runtime", True),
        (1, "pkg.sub", [], "runtime", True),
        (3, "pkg.sub", ["a", "b"], "runtime", True),
        (4, "os.path", [], "runtime", False),
        (4, "pkg.sub", [], "runtime", True),
        (5, "pkg.sub", ["*"], "runtime", True),
    ]
    assert places[0] == ("pkg/__init__.py", "import")
    assert places[3] == (None, "import")
    assert places[5] == ("pkg/sub.py", "star import")


def test_a_module_is_named_by_its_dots_its_file_or_the_end_of_either(tmp_path: Path) -> None:
    """Several modules of one end are all answered, as ambiguous; an unknown one raises with the nearest."""
    files = {"a/tool.py": "import os\n", "b/tool.py": "import sys\n", "a/other.py": "import re\n"}
    with asked(tmp_path, files) as program:
        assert [row[1] for row in rows(program, "a.tool")] == ["os"]
        assert [row[1] for row in rows(program, "a/tool.py")] == ["os"]
        both = imports(program, "tool")
        assert (both.status, [row["module"] for row in both.results]) == ("ambiguous", ["os", "sys"])
        with pytest.raises(NoSuchModule) as error:
            imports(program, "a.tol")
        assert error.value.nearest[0] == "a.tool"
        with pytest.raises(NoSuchModule) as error:
            imports(program, "a/othr.py")
        assert error.value.nearest[0] == "a/other.py"


def test_a_relative_import_that_leaves_the_tree_is_said(tmp_path: Path) -> None:
    """It names no module: the site is listed with its reason."""
    with asked(tmp_path, {"m.py": "from ... import x\n"}) as program:
        answer = imports(program, "m")
    assert answer.results == ()
    assert [tuple(row)[:3] for row in answer.unresolved] == [("...", "m.py", 1)]


GUARDS = """\
if __name__ == "__main__" and True:
    import pkg.program
else:
    import pkg.either
if '__main__' != __name__:
    import pkg.imported
else:
    import pkg.too
if __name__ == "__main__" or True:
    import pkg.always
if __name__ in ("__main__", "__mp_main__"):
    import pkg.started
if pkg and __name__ == "__main__":
    import pkg.both
"""


def test_what_only_a_run_of_the_file_itself_imports_is_lazy(tmp_path: Path) -> None:
    """`if __name__ == "__main__":` in its spellings; the other branch and looser conditions run at import."""
    with asked(tmp_path, {"pkg/__init__.py": "", "pkg/main.py": GUARDS}) as program:
        kinds = {row[1].rpartition(".")[2]: row[3] for row in rows(program, "pkg.main")}
    lazy = {name for name, kind in kinds.items() if kind == "lazy"}
    assert lazy == {"program", "too", "started", "both"}
    assert {kind for name, kind in kinds.items() if name not in lazy} == {"runtime"}


def test_a_suppressed_import_is_optional_and_one_that_never_runs_is_for_readers(tmp_path: Path) -> None:
    """`with suppress(ImportError):` survives a failure; `if False:` was TYPE_CHECKING before there was one."""
    source = """\
import contextlib
with contextlib.suppress(ImportError, OSError):
    import tried
with contextlib.suppress(ValueError):
    import plain
if False:
    import typed
def f():
    return
    import late
"""
    with asked(tmp_path, {"m.py": source}) as program:
        assert [(row[1], row[3]) for row in rows(program, "m")] == [
            ("contextlib", "runtime"),
            ("tried", "optional"),
            ("plain", "runtime"),
            ("typed", "typing"),
            ("late", "lazy"),
        ]


SPELLINGS = """\
import typing
from typing import TYPE_CHECKING as TC
CHECKING = typing.TYPE_CHECKING
if TC: import one
if CHECKING: import two
if typing.TYPE_CHECKING is True: import three
if typing.TYPE_CHECKING == False: import plain
else: import four
if not typing.TYPE_CHECKING: import other
if not TC is True: import another
if len(TC) == True: import odd
"""


def test_every_spelling_of_type_checking_is_known(tmp_path: Path) -> None:
    """Aliases by import and by assignment, comparisons with True and False, `not`."""
    with asked(tmp_path, {"m.py": SPELLINGS}) as program:
        typed = {row[1] for row in rows(program, "m") if row[3] == "typing"}
    assert typed == {"one", "two", "three", "four"}


# --- cycles ---------------------------------------------------------------------------------------------------
def found_cycles(program: Program) -> list[tuple[list[str], str]]:
    return [(row["modules"], row["import_kind"]) for row in cycles(program).results]


def test_cycles_at_import_time_apart_from_typing_ones(tmp_path: Path) -> None:
    """Imports in functions, under `__main__` and lazy ones close no circle; typing imports close their own kind."""
    files = {
        "a.py": "import b\n",
        "b.py": "class C:\n    try:\n        from a import x\n    except ImportError: pass\n",
        "c.py": "import d\n",
        "d.py": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import c\n",
        "e.py": "import f\n",
        "f.py": "def later():\n    import e\n",
        "g.py": "import h\n",
        "h.py": "if __name__ == '__main__':\n    import g\n",
        "i.py": "import i\n",
    }
    with asked(tmp_path, files) as program:
        answer = cycles(program)
        assert found_cycles(program) == [(["a", "b"], "runtime"), (["c", "d"], "typing")]
    assert answer.results[0]["sites"] == [
        {"file": "a.py", "line": 1, "from": "a", "to": "b", "import_kind": "runtime"},
        {"file": "b.py", "line": 3, "from": "b", "to": "a", "import_kind": "optional"},
    ]
    assert [(row["file"], row["line"], row["column"]) for row in answer.results] == [
        ("a.py", 1, 8),
        ("c.py", 1, 8),
    ]


def test_importing_a_submodule_runs_its_packages(tmp_path: Path) -> None:
    """`import p.q.r` runs p and p.q, unless the importer lies in them; `from . import x` names its package."""
    files = {
        "p/__init__.py": "import user\n",
        "p/q/__init__.py": "",
        "p/q/r.py": "",
        "user.py": "import p.q.r\n",
        "own/__init__.py": "from .a import x\n",
        "own/a.py": "from .b import x\n",
        "own/b.py": "x = 1\n",
        "says/__init__.py": "from .a import x\n",
        "says/a.py": "from . import b\nx = 1\n",
        "says/b.py": "",
    }
    with asked(tmp_path, files) as program:
        assert found_cycles(program) == [(["p", "user"], "runtime"), (["says", "says.a"], "runtime")]


graphs = st.dictionaries(
    st.sampled_from("abcdefgh"), st.sets(st.sampled_from("abcdefgh"), max_size=4), max_size=8
)


@settings(max_examples=200, deadline=None)
@given(graphs)
def test_components_and_shortest_cycles_are_those_of_networkx(edges: dict[str, set[str]]) -> None:
    """Our iterative Tarjan and breadth-first search agree with a library's."""
    import networkx as nx

    graph = {
        source: {target: Edge(source, 1, 1, "runtime") for target in targets if target != source}
        for source, targets in edges.items()
    }
    other = nx.DiGraph([(source, target) for source, targets in graph.items() for target in targets])
    wanted = sorted(
        (frozenset(part) for part in nx.strongly_connected_components(other) if len(part) > 1), key=sorted
    )
    shuffled = dict(random.Random(1).sample(sorted(graph.items()), len(graph)))
    assert strong_components(graph) == strong_components(shuffled) == wanted
    for part in wanted:
        cycle = shortest_cycle(graph, part)
        assert all(there in graph[here] for here, there in zip(cycle, [*cycle[1:], cycle[0]], strict=True))
        assert len(cycle) == min(len(each) for each in nx.simple_cycles(other.subgraph(part)))


# --- status ---------------------------------------------------------------------------------------------------
def test_status_counts_lines_and_names_what_could_not_be_read(tmp_path: Path) -> None:
    """Lines as Python counts them; parse errors with their place; what was left out with the reason."""
    files: dict[str, str | bytes] = {
        "good.py": b"a = 1\r\nb = '\x0c'\r\nc = '\xe2\x80\xa8'\r\n",
        "bad.py": "x = 1\ndef broken(:\n    pass\n",
        "empty.py": "",
    }
    (tmp_path / "outside.py").write_text("x = 1\n")
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / "link.py").symlink_to(tmp_path / "outside.py")
    with asked(tmp_path, files) as program:
        answer = status(program)
    assert answer.extra["files"] == [
        {"file": "bad.py", "lines": 3},
        {"file": "empty.py", "lines": 0},
        {"file": "good.py", "lines": 3},
    ]
    assert [(row["file"], row["line"]) for row in answer.extra["parse_errors"]] == [("bad.py", 2)]
    assert [row["file"] for row in answer.extra["skipped"]] == ["link.py"]
    assert answer.extra["sizes"]["lines"] == 6
    assert answer.tree.parse_errors == 1
