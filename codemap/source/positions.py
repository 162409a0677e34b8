# Two ways to name a place in a file: an offset in its text (scanning works with those) and a line with a column in bytes
# of UTF-8 (what the nodes of `ast` carry). This is the only place that converts.
from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate


class SourceText:
    """The text of a file, and where its lines are. Lines start at 1; columns count bytes of UTF-8 from 0."""

    __slots__ = ("_lines", "_starts", "ascii", "text")

    def __init__(self, text: str, lines: list[bytes] | None = None) -> None:
        """`lines` are the UTF-8 lines with their ends, where the caller has them already."""
        self.text = text
        self.ascii = text.isascii()
        self._lines = text.encode("utf-8").splitlines(keepends=True) if lines is None else lines
        lengths = map(len, self._lines) if self.ascii else (len(line.decode("utf-8")) for line in self._lines)
        self._starts = list(accumulate(lengths, initial=0))

    def row(self, offset: int) -> int:
        """The line that an offset is on."""
        return min(bisect_right(self._starts, offset), max(len(self._lines), 1))

    def place(self, offset: int) -> tuple[int, int]:
        """The line and the column in bytes of an offset."""
        row = self.row(offset)
        start = self._starts[row - 1]
        return row, offset - start if self.ascii else len(self.text[start:offset].encode("utf-8"))

    def character_place(self, offset: int) -> tuple[int, int]:
        """The line and the column in characters of an offset."""
        row = self.row(offset)
        return row, offset - self._starts[row - 1]

    def offset(self, line: int, column: int) -> int:
        """The offset of a line and a column in bytes."""
        if line > len(self._lines):
            return len(self.text)
        if not self.ascii:
            column = len(self._lines[line - 1][:column].decode("utf-8", "replace"))
        return self._starts[line - 1] + column
