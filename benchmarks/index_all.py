"""Indexing the whole tree with two workers, against `ast.parse` of the same files with two processes: at most 2.5
times; peak memory of any process under 250 MB; a question after an edit: at most 1.5 times a warm one."""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
import threading
import time
from functools import partial
from pathlib import Path

from sides import OLD, QUESTION, ROOT, Row, alternately, fetched, report, timed, workplace

PARSE = """
import ast, os, sys
from concurrent.futures import ProcessPoolExecutor

def parse(path):
    with open(path, "rb") as stream:
        ast.parse(stream.read())

if __name__ == "__main__":
    paths = [os.path.join(d, f) for d, _, files in os.walk(sys.argv[1]) for f in files if f.endswith(".py")]
    with ProcessPoolExecutor(2) as pool:
        for _ in pool.map(parse, paths, chunksize=16):
            pass
"""
LARGEST = 250.0  # MB of any process
# Files that bear the name, so that a question has to read them again: one of usual size, and the largest.
EDITED = {
    "a file of 177 lines": "sglang/srt/managers/overlap_utils.py",
    "one of 3,191 lines": "sglang/srt/managers/scheduler.py",
}


def peak_of(command: list[str], cache: Path) -> float:
    """The highest resident memory, in MB, of the command or of any process below it, as /proc tells it."""
    process = subprocess.Popen(
        command,
        stdout=subprocess.DEVNULL,
        env={**os.environ, "CODEMAP_CACHE_DIR": str(cache), "PYTHONPATH": str(ROOT)},
    )
    highest: dict[int, int] = {}

    def watch() -> None:
        while process.poll() is None:
            for number in family(process.pid):
                try:
                    status = Path(f"/proc/{number}/status").read_text()
                except OSError:
                    continue
                for line in status.splitlines():
                    if line.startswith("VmHWM:"):
                        highest[number] = int(line.split()[1])
            time.sleep(0.01)

    watcher = threading.Thread(target=watch)
    watcher.start()
    process.wait()
    watcher.join()
    return max(highest.values()) / 1024


def family(number: int) -> list[int]:
    """A process and all below it."""
    found = [number]
    for task in Path(f"/proc/{number}/task").glob("*/children"):
        try:
            children = task.read_text().split()
        except OSError:
            continue
        for child in children:
            found += family(int(child))
    return found


def main() -> int:
    """Five rounds of indexing, fifteen of edits."""
    root = fetched(OLD)
    with workplace() as folder:
        script = folder / "parse.py"
        script.write_text(PARSE)
        index = [*QUESTION[:3], "index", "--jobs", "2", "--tree", str(root)]

        def build() -> float:
            shutil.rmtree(folder / "cache", ignore_errors=True)
            return timed(index, folder / "cache")

        taken = alternately(
            {"codemap": build, "parse": lambda: timed([sys.executable, str(script), str(root)])}, 5
        )
        peaks = [peak_of(index, folder / f"peak{number}") for number in range(3)]

        copy = folder / "copy"
        shutil.copytree(root, copy)
        time.sleep(0.2)
        question = [*QUESTION, "--tree", str(copy)]
        timed([*QUESTION[:3], "index", "--tree", str(copy)], folder / "edits")

        def edited(file: str) -> float:
            with open(copy / file, "a") as stream:
                stream.write("# edited\n")
            time.sleep(0.2)
            return timed(question, folder / "edits")

        sides = {what: partial(edited, file) for what, file in EDITED.items()}
        edits = alternately({**sides, "warm": lambda: timed(question, folder / "edits")}, 15)
    return report(
        "Indexing 1,404 files with two workers, against `ast.parse` with two processes",
        [
            Row("index", taken["codemap"], taken["parse"], 2.5),
            Row("peak memory of a process, against the limit", statistics.median(peaks), LARGEST, 1.0, "MB"),
            *(
                Row(f"question after an edit of {what}, against a warm one", edits[what], edits["warm"], 1.5)
                for what in EDITED
            ),
        ],
    )


if __name__ == "__main__":
    sys.exit(main())
