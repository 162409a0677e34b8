"""A question with a warm cache, against a Typer application that does nothing: at most 1.5 times."""

from __future__ import annotations

import sys

from sides import NOTHING, OLD, QUESTION, Row, alternately, fetched, report, timed, workplace


def main() -> int:
    """After the first question only, after a whole index, and with files to look at; 25 rounds."""
    root = fetched(OLD)
    question = [*QUESTION, "--tree", str(root)]
    with workplace() as folder:
        nothing = folder / "nothing.py"
        nothing.write_text(NOTHING)
        asked, indexed = folder / "asked", folder / "indexed"
        timed(question, asked)
        timed([*QUESTION[:3], "index", "--tree", str(root)], indexed)
        files = [
            "--in",
            "eagle_worker_v2.py",
            "--in",
            "tp_worker.py",
            "--in",
            "tp_worker_overlap_event_loop.py",
        ]
        taken = alternately(
            {
                "nothing": lambda: timed([sys.executable, str(nothing)]),
                "asked": lambda: timed(question, asked),
                "indexed": lambda: timed(question, indexed),
                "files": lambda: timed([*question, *files], indexed),
                "json": lambda: timed([*question, "--json"], indexed),
            },
            25,
        )
    other = taken["nothing"]
    return report(
        "Warm question, against a Typer application that does nothing",
        [
            Row("find-class, asked once before", taken["asked"], other, 1.5),
            Row("find-class, whole tree indexed", taken["indexed"], other, 1.5),
            Row("the same with three --in", taken["files"], other, 1.5),
            Row("the same as JSON", taken["json"], other, 1.5),
        ],
    )


if __name__ == "__main__":
    sys.exit(main())
