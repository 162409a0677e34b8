# `ast` counts columns in bytes of UTF-8, facts count characters. The two differ only behind a character that is
# no ASCII, so only places on such lines are converted, once, when all is read.
from __future__ import annotations

from codemap.semantic.draft import Row


class Columns:
    """Columns in characters of the lines of one file."""

    def __init__(self, lines: list[bytes]) -> None:
        self._wide = {number: line for number, line in enumerate(lines, 1) if not line.isascii()}

    def converted(self, rows: list[Row], place: int) -> list[Row]:
        """The rows with the column in field `place` + 1 in characters; the line is in field `place`."""
        wide = self._wide
        return [
            (*row[: place + 1], self._characters(row[place], row[place + 1]), *row[place + 2 :])
            if row[place] in wide
            else row
            for row in rows
        ]

    def _characters(self, line: int, column: int) -> int:
        return len(self._wide[line][:column].decode("utf-8", "replace"))
