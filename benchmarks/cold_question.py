"""A first question with an empty cache, against a plain script that reads all files, looks for the name in the
bytes and parses the hits: at most 4 times."""

from __future__ import annotations

import shutil
import sys

from sides import NAME, OLD, QUESTION, Row, alternately, fetched, report, timed, workplace

PLAIN = f"""
import ast, os, sys
name = {NAME!r}.encode()
for folder, _, files in os.walk(sys.argv[1]):
    for file in files:
        if file.endswith(".py"):
            with open(os.path.join(folder, file), "rb") as stream:
                data = stream.read()
            if name in data:
                ast.parse(data)
"""


def main() -> int:
    """Both sides, 15 rounds."""
    root = fetched(OLD)
    with workplace() as folder:

        def ask() -> float:
            cache = folder / "cold"
            shutil.rmtree(cache, ignore_errors=True)
            return timed([*QUESTION, "--tree", str(root)], cache)

        plain = [sys.executable, "-c", PLAIN, str(root)]
        taken = alternately({"codemap": ask, "plain": lambda: timed(plain)}, 15)
    return report(
        "First question, empty cache, against reading, finding and `ast.parse`",
        [Row("find-class, cold", taken["codemap"], taken["plain"], 4.0)],
    )


if __name__ == "__main__":
    sys.exit(main())
