"""Every example runs, and prints what it is there for."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def run(name: str, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(EXAMPLES / name), *words],
        capture_output=True, text=True, timeout=300, check=False, env={**os.environ, **variables},
    )  # fmt: skip


def test_library(tree: Any) -> None:
    """Classes that several files define, through the library."""
    root = tree(
        {
            "a.py": "class Twice: ...\nclass Once: ...\n",
            "b.py": "class Twice: ...\n",
            "c.py": "class Half(:\n",
        }
    )
    done = run("library.py", str(root))
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "Twice: ambiguous",
        "  a.py:1  a.Twice  (certain)",
        "  b.py:1  b.Twice  (certain)",
    ]
    assert run("library.py", str(root / "nowhere")).returncode == 2


@pytest.mark.network
def test_hunt(sglang: str, kept_cache: Path) -> None:
    """Every step of the hunt has the exit code it should have, and says the main thing."""
    done = run("hunt.py", CODEMAP_CACHE_DIR=str(kept_cache))
    assert done.returncode == 0, done.stdout
    assert f"CODEMAP_TREE={sglang}" in done.stdout
    for line in (
        "$ codemap find-class GenBatchResult",
        "sglang/srt/managers/utils.py:25:7: class sglang.srt.managers.utils.GenerationBatchResult [dataclass]",
        "tp_worker_overlap_event_loop.py: no such file; nearest: ",
    ):
        assert line in done.stdout
    assert "did you mean GenerationBatchResult" in done.stderr


def test_every_example_is_run_here() -> None:
    """An example that nobody runs is a guess."""
    text = Path(__file__).read_text("utf-8")
    assert [path.name for path in EXAMPLES.glob("*.py") if f'"{path.name}"' not in text] == []
