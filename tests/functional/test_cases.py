"""The handed case files through the command line, scored by the runner that came with them."""

from __future__ import annotations

import importlib.util
import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from codemap.cli.lazily import COMMANDS

ROOT = Path(__file__).resolve().parents[2]
OWN = ROOT / "tests" / "cases" / "shared"
BESIDE = ROOT.parent / "shared"
CODEMAP = f"{sys.executable} -m codemap"


def case_files() -> Iterator[Path]:
    """The kept cases, and those of ../shared that are not among them or have changed."""
    kept = {path.name: path for path in sorted(OWN.glob("case_*.json"))}
    yield from kept.values()
    for path in sorted((BESIDE / "cases").glob("case_*.json")):
        if path.name not in kept or kept[path.name].read_bytes() != path.read_bytes():
            yield path


def queries() -> Iterator[Any]:
    for path in case_files():
        case = json.loads(path.read_text("utf-8"))
        for number, query in enumerate(case["queries"]):
            origin = "" if path.parent == OWN else "shared-"
            yield pytest.param(case, query, id=f"{origin}{path.stem}-{number}-{query['kind']}")


def runner() -> ModuleType:
    """run_cases.py as a module: the one beside the checkout where there is one."""
    beside = BESIDE / "bench" / "run_cases.py"
    spec = importlib.util.spec_from_file_location(
        "run_cases", beside if beside.exists() else OWN / "run_cases.py"
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


RUNNER = runner()
QUERIES = list(queries())
# Kinds with a command of their own shape, which the runner asks by itself.
SPECIAL = {
    "import_cycles": "cycles",
    "parse_errors": "status",
    "line_count": "status",
    "flags": "find",
    "call_path": "path",
}
KINDS = Counter(param.values[1]["kind"] for param in QUERIES)
ASKED = {kind for kind in KINDS if RUNNER.COMMAND.get(kind, SPECIAL.get(kind)) in COMMANDS}


@pytest.mark.parametrize(("case", "query"), [param for param in QUERIES if param.values[1]["kind"] in ASKED])
def test_query_of_a_handed_case(case: dict[str, Any], query: dict[str, Any], tmp_path: Path) -> None:
    """Everything expected is answered above `possible`, nothing forbidden is, and the answer is no guess."""
    root = tmp_path / "tree"
    root.mkdir()
    RUNNER.write_tree(case, root)
    roots = case.get("roots", ["."])
    wrong = RUNNER.special(CODEMAP, root, roots, query)
    if wrong is None:
        wrong = RUNNER.check(
            query, RUNNER.ask(CODEMAP, root, roots, [RUNNER.COMMAND[query["kind"]], query["target"]])
        )
    assert wrong == ""


@pytest.mark.parametrize("kind", sorted(KINDS.keys() - ASKED))
def test_kinds_that_are_not_asked_yet(kind: str) -> None:
    """Named one by one, and asked as soon as their command exists."""
    pytest.skip(f"not yet asked: {KINDS[kind]} queries of kind {kind}, codemap has no command for them yet")


def test_the_runner_can_fail(tmp_path: Path) -> None:
    """A wrong answer is seen: the same tree with an expectation that is not so."""
    (tmp_path / "tree").mkdir()
    RUNNER.write_tree({"files": {"a.py": "class A: ...\n"}}, tmp_path / "tree")
    query = {"kind": "definition", "target": "A", "expect": ["a.A@a.py:2"]}
    assert (
        RUNNER.check(query, RUNNER.ask(CODEMAP, tmp_path / "tree", ["."], ["find", "A"]))
        == "missing a.A@a.py:2"
    )
