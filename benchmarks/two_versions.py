"""SGLang 0.5.23 against 0.5.9: indexing grows no faster than the bytes, a warm question is at most 1.3 times as long
(or 1.5 times a Typer application that does nothing, where that is more), and what the two have in common is indexed
once."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from sides import NEW, NOTHING, OLD, QUESTION, Row, alternately, fetched, report, timed, workplace


def source_bytes(root: Path) -> int:
    return sum(path.stat().st_size for path in root.rglob("*.py"))


def main() -> int:
    """Three rounds of indexing, fifteen of questions."""
    old, new = fetched(OLD), fetched(NEW)
    growth = source_bytes(new) / source_bytes(old)
    print(
        f"0.5.9: {source_bytes(old) / 1e6:.1f} MB, 0.5.23: {source_bytes(new) / 1e6:.1f} MB, {growth:.2f} times"
    )
    with workplace() as folder:

        def index(root: Path, cache: str, *, empty: bool) -> float:
            if empty:
                shutil.rmtree(folder / cache, ignore_errors=True)
            return timed([*QUESTION[:3], "index", "--jobs", "2", "--tree", str(root)], folder / cache)

        def index_after_the_old() -> float:
            index(old, "both", empty=True)
            return index(new, "both", empty=False)

        built = alternately(
            {
                "old": lambda: index(old, "old", empty=True),
                "new": lambda: index(new, "new", empty=True),
                "after": index_after_the_old,
            },
            3,
        )
        asked = alternately(
            {
                "old": lambda: timed([*QUESTION, "--tree", str(old)], folder / "old"),
                "new": lambda: timed([*QUESTION, "--tree", str(new)], folder / "new"),
                "nothing": lambda: timed([sys.executable, "-c", NOTHING]),
            },
            15,
        )
    return report(
        "SGLang 0.5.23 (left) against 0.5.9",
        [
            Row("index", built["new"], built["old"], growth),
            Row(
                "index of 0.5.23 when 0.5.9 is there, against 0.5.23 alone", built["after"], built["new"], 1.0
            ),
            Row("warm question", asked["new"], asked["old"], max(1.3, 1.5 * asked["nothing"] / asked["old"])),
        ],
    )


if __name__ == "__main__":
    sys.exit(main())
