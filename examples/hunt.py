"""The hunt for a class, on the real SGLang: every answer with the command that gives it.

    python examples/hunt.py [TREE]

TREE is anything that `--tree` takes (default: pypi:sglang==0.5.9, fetched once and kept).
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys

TREE = "pypi:sglang==0.5.9"

# What is asked -> the command, and the exit code that the answer has.
HUNT: list[tuple[str, list[str], int]] = [
    (
        "Three files are said to use a class GenBatchResult. There is none:",
        ["find-class", "GenBatchResult"],
        1,
    ),
    (
        "So it is GenerationBatchResult. Where is it, how does its name travel, and what have those files to do with it?",
        ["find-class", "GenerationBatchResult", "--in", "eagle_worker_v2.py", "--in", "tp_worker.py",
         "--in", "tp_worker_overlap_event_loop.py"],
        0,
    ),
    ("A name that two classes have is answered for both:", ["find-class", "Scheduler"], 0),
    ("Anything else can be found the same way, by any end of its name:", ["find", "Scheduler.run_batch"], 0),
    ("What does the module of the class import, and when?",
     ["imports", "sglang.srt.managers.utils"], 0),
    ("Which modules need each other at import time?", ["cycles", "--limit", "4"], 0),
    ("And how much of the tree did codemap see?", ["status"], 0),
]  # fmt: skip


def main() -> int:
    """Asks, and says so when an answer is not of the kind it should be."""
    tree = sys.argv[1] if len(sys.argv) > 1 else TREE
    environment = {**os.environ, "CODEMAP_TREE": tree}
    print(f"$ export CODEMAP_TREE={shlex.quote(tree)}", flush=True)
    unexpected = 0
    for question, words, expected in HUNT:
        print(f"\n# {question}\n$ codemap {shlex.join(words)}", flush=True)
        done = subprocess.run([sys.executable, "-m", "codemap", *words], env=environment, check=False)
        if done.returncode != expected:
            print(f"(exit code {done.returncode}, and {expected} was to be)", flush=True)
            unexpected = 1
    return unexpected


if __name__ == "__main__":
    sys.exit(main())
