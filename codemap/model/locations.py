# Lines start at 1 everywhere. Columns start at 0 in facts (as `ast` counts, but in characters, not in
# UTF-8 bytes) and at 1 in answers; `Location` is the only place where the two meet.
from __future__ import annotations

from typing import NamedTuple


class Location(NamedTuple):
    """A place in a file of the tree.

    `file` is relative to the tree's root with `/` between its parts, `line` and `column` start at 1.
    """

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"
