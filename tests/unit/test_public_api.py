"""The library: what `import codemap` offers, and nothing else."""

from __future__ import annotations

import ast
import inspect
import pickle
from pathlib import Path
from typing import Any

import pytest

import codemap
from codemap import errors

ROOT = Path(__file__).resolve().parents[2]

PUBLIC = {
    "Answer", "ArchiveError", "CacheError", "CodemapError", "ConfigurationError", "EmptyTree", "FetchError", "LayoutError", "Map",
    "NoSuchModule", "NoSuchTree", "OutputError", "TreeError", "TreeSummary", "UnresolvedSite", "UsageError",
    "__version__", "open_map",
}  # fmt: skip


def test_the_public_names_are_these() -> None:
    """A name is added or taken away here, in the changelog and in docs/api.md, or not at all."""
    assert set(codemap.__all__) == PUBLIC
    assert sorted(codemap.__all__) == codemap.__all__
    for name in codemap.__all__:
        assert hasattr(codemap, name)


def test_nothing_public_is_missing_from_all() -> None:
    """What __init__ imports is exported."""
    imported = set()
    for node in ast.parse((ROOT / "codemap" / "__init__.py").read_text("utf-8")).body:
        if isinstance(node, ast.ImportFrom) and node.module != "__future__":
            imported |= {alias.asname or alias.name for alias in node.names}
    assert imported <= set(codemap.__all__)


def test_every_error_is_public() -> None:
    """The drawn tree of errors.py is all there is, and all of it can be caught."""
    found = {
        name
        for name, value in vars(errors).items()
        if inspect.isclass(value) and issubclass(value, Exception)
    }
    assert found <= set(codemap.__all__)


def test_every_public_name_is_documented() -> None:
    """In docs/api.md, in backticks."""
    page = (ROOT / "docs" / "api.md").read_text("utf-8")
    assert [name for name in codemap.__all__ if f"`{name}" not in page] == []


def test_every_question_of_a_map_is_documented() -> None:
    """In docs/api.md and by a docstring."""
    page = (ROOT / "docs" / "api.md").read_text("utf-8")
    methods = [name for name in vars(codemap.Map) if not name.startswith("_")]
    assert {"find_class", "find", "imports", "cycles", "status", "index", "close"} <= set(methods)
    assert [name for name in methods if f"`{name}(" not in page] == []
    assert [name for name in methods if not getattr(codemap.Map, name).__doc__] == []


def test_a_map_answers(tree: Any) -> None:
    """Open, ask, close; the cache is where CODEMAP_CACHE_DIR says."""
    root = tree({"pkg/a.py": "import os\nclass A:\n    x = 1\n", "pkg/b.py": "from pkg.a import A\n"})
    with codemap.open_map(root) as asked:
        answer = asked.find_class("A", expected_in=["b.py"])
        assert isinstance(answer, codemap.Answer)
        assert answer.results[0]["name"] == "pkg.a.A"
        assert answer.extra["expected_in"][0]["status"] == "imported"
        assert asked.find("x", kinds=["attribute"]).results[0]["name"] == "pkg.a.A.x"
        assert asked.imports("pkg.b").results[0]["module"] == "pkg.a"
        assert asked.cycles().results == ()
        assert asked.status().extra["files"] == [
            {"file": "pkg/a.py", "lines": 3},
            {"file": "pkg/b.py", "lines": 1},
        ]
        assert asked.index().tree.files == 2


def test_a_map_of_another_cache_and_the_same_answer(tree: Any, tmp_path: Path) -> None:
    """`cache` outranks the environment, and does not show in the answer."""
    root = tree({"a.py": "class A: ...\n"})
    with codemap.open_map(root) as one, codemap.open_map(str(root), cache=tmp_path / "mine", jobs=1) as two:
        assert one.find("A") == two.find("A")
    assert list((tmp_path / "mine").iterdir())


def test_errors_carry_a_way_out(tmp_path: Path) -> None:
    """Message, hint, data."""
    (tmp_path / "tree").mkdir()
    with pytest.raises(codemap.NoSuchTree) as caught:
        codemap.open_map(tmp_path / "treee")
    assert caught.value.nearest == (str(tmp_path / "tree"),)
    assert caught.value.hint
    assert isinstance(caught.value, codemap.CodemapError)


@pytest.mark.parametrize(
    "name",
    sorted(
        name
        for name in PUBLIC
        if isinstance(getattr(codemap, name), type) and issubclass(getattr(codemap, name), Exception)
    ),
)
def test_errors_cross_processes(name: str) -> None:
    """Every error pickles with its data, so that a worker's error is the caller's."""
    error = getattr(codemap, name)("what", "way out")
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), again.message, again.hint, vars(again)) == (
        type(error),
        "what",
        "way out",
        vars(error),
    )


def test_the_package_is_typed() -> None:
    """Type checkers of users see the annotations."""
    assert (Path(codemap.__file__).parent / "py.typed").exists()
