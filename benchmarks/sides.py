"""What the benchmarks share: real trees, both sides alternately in one run, medians, a table with its bounds."""

from __future__ import annotations

import compileall
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
NAME = "GenerationBatchResult"
OLD, NEW = "pypi:sglang==0.5.9", "pypi:sglang==0.5.23"
QUESTION = [sys.executable, "-m", "codemap", "find-class", NAME]

NOTHING = """
import typer

app = typer.Typer()


@app.command()
def main() -> None:
    pass


app()
"""


class Row(NamedTuple):
    """One figure: seconds (or another unit) of codemap and of the other side, and the ratio that is allowed."""

    what: str
    codemap: float
    other: float
    bound: float
    unit: str = "s"


def fetched(spec: str) -> Path:
    """The folder of a `pypi:` tree, fetched once into the cache of the tests."""
    from codemap.source.trees import open_tree

    kept = Path(os.environ.get("CODEMAP_TEST_CACHE") or ROOT / ".cache")
    return open_tree(spec, cache=kept, say=lambda line: print(line, file=sys.stderr)).root


@contextmanager
def workplace() -> Iterator[Path]:
    """A folder for caches and copies; bytecode is there, as pip leaves it, so that nobody compiles on the clock."""
    compileall.compile_dir(str(ROOT / "codemap"), quiet=1)
    folder = Path(tempfile.mkdtemp(prefix="codemap-bench-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def timed(command: list[str], cache: Path | None = None, folder: Path | None = None) -> float:
    """Wall seconds of a command that succeeds; its output goes nowhere."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("CODEMAP_")}
    environment["PYTHONPATH"] = str(ROOT)
    if cache is not None:
        environment["CODEMAP_CACHE_DIR"] = str(cache)
    began = time.perf_counter()
    subprocess.run(
        command, stdout=subprocess.DEVNULL, env=environment, cwd=folder or tempfile.gettempdir(), check=True
    )
    return time.perf_counter() - began


def alternately(sides: Mapping[str, Callable[[], float]], rounds: int) -> dict[str, float]:
    """The median of each side, taken in turns so that the machine's moods hit all alike; one round is not counted."""
    taken: dict[str, list[float]] = {name: [] for name in sides}
    for number in range(rounds + 1):
        for name, side in sides.items():
            seconds = side()
            if number:
                taken[name].append(seconds)
    return {name: statistics.median(values) for name, values in taken.items()}


def report(title: str, rows: list[Row]) -> int:
    """Prints a Markdown table; 1 when a bound is broken."""
    print(f"\n{title}\n\n| | codemap | other side | ratio | bound | |\n|---|---|---|---|---|---|")
    broken = 0
    for row in rows:
        ratio = row.codemap / row.other
        held = ratio <= row.bound
        broken |= not held
        print(
            f"| {row.what} | {row.codemap:.3f} {row.unit} | {row.other:.3f} {row.unit} | {ratio:.2f} | {row.bound:.2f} "
            f"| {'held' if held else '**broken**'} |"
        )
    return broken
