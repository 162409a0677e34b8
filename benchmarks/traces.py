"""The call graph against what happens: recall and precision on calls recorded while a package's own tests run, and
PyCG's micro-benchmark.

`python benchmarks/traces.py SCRIPTS [KEPT]`: SCRIPTS is the folder of `trace_calls.py`, `score_trace.py` and
`run_micro.py`; source distributions and recordings are kept in KEPT (default: a cache beside the tests'). pytest must
be at hand. Recording takes some minutes, the first time only."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import NamedTuple

from sides import ROOT


class Package(NamedTuple):
    """A package with tests, and what is asked of its graph: see the questions of the issue."""

    name: str
    folder: str  # of its code, in the source distribution
    calls: float  # least recall of edges that a call instruction made, any confidence
    likely: float  # least recall at `--min-confidence likely`, all edges


PACKAGES = (Package("sqlparse", "sqlparse", 0.75, 0.65), Package("click", "src/click", 0.85, 0.80))
PRECISION = 0.90  # least share of certain and likely edges of executed callers that ran
GUESSES = 2.0  # most `possible` edges for each edge that ran
SOUND, COMPLETE = 114, 116  # least of PyCG's 118 snippets, with the errors of its truth corrected
GRAPH = f"{sys.executable} -m codemap call-graph --all --format pycg-json --tree {{dir}}"


def main() -> int:
    """Downloads, records, scores; 1 when a bound is broken."""
    if len(sys.argv) < 2:
        print(__doc__)
        return 2
    scripts = Path(sys.argv[1])
    kept = Path(sys.argv[2]) if len(sys.argv) > 2 else ROOT / ".cache" / "traces"
    kept.mkdir(parents=True, exist_ok=True)
    broken = 0
    print(
        "| package | recall of calls | recall, likely | share that ran, likely | possible for each that ran | |"
    )
    print("|---|---|---|---|---|---|")
    for package in PACKAGES:
        broken |= _traced(package, scripts, kept)
    return broken | _micro(scripts, kept)


def _traced(package: Package, scripts: Path, kept: Path) -> int:
    source = _unpacked(package.name, kept)
    code = source / package.folder
    edges = kept / f"{package.name}.json"
    if not edges.exists():
        tests = [
            sys.executable,
            str(scripts / "trace_calls.py"),
            "--root",
            str(code),
            "--out",
            str(edges),
            "--",
        ]
        tests += ["-m", "pytest", "-q", "-p", "no:cacheprovider", "tests"]
        subprocess.run(tests, cwd=source, env=_environment(code.parent), stdout=sys.stderr, check=False)
    every = _scored(scripts, edges, code, GRAPH)
    likely = _scored(scripts, edges, code, GRAPH.replace("--all", "--all --min-confidence likely"))
    guesses = (every.static - likely.static) / every.ran
    held = (
        every.calls >= package.calls
        and likely.recall >= package.likely
        and likely.share >= PRECISION
        and guesses <= GUESSES
    )
    print(
        f"| {package.name} | {every.calls:.3f} | {likely.recall:.3f} | {likely.share:.3f} | {guesses:.2f} "
        f"| {'held' if held else '**broken**'} |"
    )
    return int(not held)


class Score(NamedTuple):
    """One row of what `score_trace.py` prints."""

    recall: float
    calls: float
    static: int
    share: float
    ran: int


def _scored(scripts: Path, edges: Path, code: Path, command: str) -> Score:
    run = subprocess.run(
        [sys.executable, scripts / "score_trace.py", edges, code, "--cmd", command],
        env=_environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    lines = run.stdout.splitlines()
    cells = [cell.strip() for cell in lines[-1].strip("|").split("|")]
    ran = re.search(r"(\d+) edges", lines[0])
    if len(cells) < 9 or ran is None:
        raise SystemExit(f"no score: {run.stdout}")
    return Score(float(cells[1]), float(cells[2]), int(cells[-3]), float(cells[-2]), int(ran[1]))


def _micro(scripts: Path, kept: Path) -> int:
    snippets = _unpacked("pycg==0.0.8", kept) / "micro-benchmark" / "snippets"
    command = [
        sys.executable,
        str(scripts / "run_micro.py"),
        "--snippets",
        str(snippets),
        "--name",
        "codemap",
    ]
    run = subprocess.run(
        [str(word) for word in (*command, "--cmd", GRAPH)],
        env=_environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    found = re.search(r"\*\*(\d+) / (\d+)\*\*", run.stdout)
    if found is None:
        raise SystemExit(f"no score: {run.stdout}")
    sound, complete = int(found[1]), int(found[2])
    held = sound >= SOUND and complete >= COMPLETE
    print(f"\nPyCG's 118 snippets, its truth as it is: {sound} sound, {complete} complete.")
    return int(not held)


def _unpacked(name: str, kept: Path) -> Path:
    """The folder of a source distribution; it is unpacked, never built."""
    stem = name.partition("==")[0]
    found = sorted(path for path in kept.glob(f"{stem}-*") if path.is_dir())
    if not found:
        pip = [
            sys.executable,
            "-m",
            "pip",
            "download",
            "-q",
            "--no-deps",
            "--no-binary",
            ":all:",
            "-d",
            kept,
            name,
        ]
        subprocess.run([str(word) for word in pip], check=True, stdout=sys.stderr)
        archive = next(iter(sorted(kept.glob(f"{stem}-*.tar.gz"))))
        with tarfile.open(archive) as file:
            file.extractall(kept, filter="data")
        found = sorted(path for path in kept.glob(f"{stem}-*") if path.is_dir())
    return found[-1]


def _environment(first: Path | None = None) -> dict[str, str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("CODEMAP_")}
    environment["PYTHONPATH"] = os.pathsep.join(str(path) for path in (first, ROOT) if path is not None)
    return environment


if __name__ == "__main__":
    sys.exit(main())
