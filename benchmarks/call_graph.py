"""How long the call graph of all of sglang/srt takes, beside pyrefly's: `call_graph.py [ROUNDS]`.

Both read the same folder, with nothing else in it, one after the other in turn. codemap's index is warm, as pyrefly
keeps none there is nothing to warm for it. pyrefly is taken from PATH, else installed by pip into a folder that goes
away. The third row is the most memory that codemap has had, beside the gigabyte that it may have.
"""

from __future__ import annotations

import resource
import shutil
import subprocess
import sys
from pathlib import Path

from sides import OLD, Row, alternately, fetched, report, timed, workplace

_GIGABYTE = 1024.0  # MB


def pyrefly(folder: Path) -> str:
    """The program to compare with."""
    found = shutil.which("pyrefly")
    if found is not None:
        return found
    home = folder / "pyrefly"
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--target", str(home), "pyrefly"]
    subprocess.run(command, check=True)
    return str(home / "bin" / "pyrefly")


def used() -> float:
    """Processor seconds of the processes that were run so far."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return children.ru_utime + children.ru_stime


def main() -> int:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    with workplace() as folder:
        tree = folder / "tree"
        shutil.copytree(fetched(OLD) / "sglang" / "srt", tree / "sglang" / "srt")
        cache = folder / "cache"
        other = pyrefly(folder)
        codemap = [sys.executable, "-m", "codemap"]
        timed([*codemap, "index", "--tree", str(tree)], cache)
        ours = [*codemap, "call-graph", "--all", "--format", "pycg-json", "--tree", str(tree), "-o"]
        ours += [str(folder / "graph.json")]
        timed(ours, cache)
        memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        theirs = [other, "check", "--report-pysa", str(folder / "pysa"), str(tree / "sglang" / "srt")]
        spent: dict[str, list[float]] = {"codemap": [], "pyrefly": []}

        def ask() -> float:
            began = used()
            seconds = timed(ours, cache)
            spent["codemap"].append(used() - began)
            return seconds

        def check() -> float:
            # it reports errors of the code, which is no failure here
            began = used()
            seconds = timed(["sh", "-c", '"$@" >/dev/null 2>&1 || true', "sh", *theirs])
            spent["pyrefly"].append(used() - began)
            return seconds

        taken = alternately({"codemap": ask, "pyrefly": check}, rounds)
        processor = {name: min(values) for name, values in spent.items()}
    rows = [
        Row("call graph of srt, wall", taken["codemap"], taken["pyrefly"], 1.0),
        Row("the same, processor time", processor["codemap"], processor["pyrefly"], 1.0),
        Row("memory", memory, _GIGABYTE, 1.0, "MB"),
    ]
    return report("codemap call-graph --all and pyrefly check --report-pysa", rows)


if __name__ == "__main__":
    sys.exit(main())
