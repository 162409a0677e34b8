"""A question's process imports only what it needs (docs/decisions/start-up.md)."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

# Costly, and of no use to a warm question.
NEVER = (
    "typer",
    "inspect",
    "ast",
    "dataclasses",
    "difflib",
    "subprocess",
    "shutil",
    "networkx", "jedi", "parso", "libcst", "pydantic", "mcp", "rich", "pygments", "platformdirs", "tomllib",
    "multiprocessing", "concurrent", "asyncio", "importlib.metadata", "zipfile", "tarfile", "ssl", "hashlib",
    "json", "logging", "tempfile", "urllib.request", "codemap.render.terminal", "codemap.source.archives",
    "codemap.source.requirements", "codemap.source.parsing", "codemap.semantic.facts", "codemap.index.workers",
    "codemap.index.extraction",
)  # fmt: skip

PROBE = """
import sys
from codemap.cli.start import main
code = main(sys.argv[1:])
print("loaded:", *sorted(sys.modules), file=sys.stderr)
sys.exit(code)
"""


def loaded(code: str, *words: str, folder: Path | None = None) -> set[str]:
    """The modules in a process after it did its work."""
    done = subprocess.run(
        [sys.executable, "-c", code, *words], capture_output=True, text=True, check=False, cwd=folder
    )
    assert done.returncode == 0, done.stderr
    return set(done.stderr.split("loaded: ")[1].split())


@pytest.fixture
def root(tree: Any, codemap: Any) -> Path:
    """A tree whose index is warm."""
    made: Path = tree(
        {"pkg/__init__.py": "from .core import Core\n", "pkg/core.py": "class Core:\n    x: int = 1\n"}
    )
    time.sleep(0.2)  # files changed a moment ago are read again: their times prove nothing yet
    assert codemap("index", tree=made).code == 0
    return made


@pytest.mark.parametrize(
    "words", [["find-class", "Core"], ["find", "Core.x"], ["imports", "pkg"]], ids=" ".join
)
def test_a_warm_question_loads_nothing_costly(root: Path, words: list[str]) -> None:
    """Neither Typer nor anything else that costs: a well-formed question needs none of it."""
    extra = loaded(PROBE, *words, "--tree", str(root), folder=root)
    assert (
        sorted(name for name in extra for never in NEVER if name == never or name.startswith(never + "."))
        == []
    )


def test_what_typer_reads_loads_no_command_but_its_own(root: Path) -> None:
    """The others are imported when they are used, or by --help."""
    names = loaded(PROBE, "find-class", "Core", f"--tree={root}", folder=root)
    assert "typer" in names
    assert {name for name in names if name.startswith("codemap.cli.commands.")} == {
        "codemap.cli.commands.find_class"
    }


def test_json_costs_json_and_nothing_else(root: Path) -> None:
    """--json adds the standard library's encoder."""
    text = loaded(PROBE, "find-class", "Core", "--tree", str(root), folder=root)
    both = loaded(PROBE, "find-class", "Core", "--json", "--tree", str(root), folder=root)
    assert {name.split(".")[0] for name in both - text} <= {"json", "_json", "codemap"}


def test_the_library_is_light_to_import() -> None:
    """`import codemap` is for everybody's start-up; questions load the rest."""
    names = loaded("import sys, codemap\nprint('loaded:', *sys.modules, file=sys.stderr)")
    assert {name for name in names if name.startswith("codemap")} <= {
        "codemap", "codemap.api", "codemap.errors", "codemap.model", "codemap.model.answers"
    }  # fmt: skip
    assert not names & {"sqlite3", "typer", "rich", "ast", "subprocess", "json"}
