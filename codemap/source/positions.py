# Two ways to name a place in a file: an offset in its text (scanning works with those) and a line with a column in bytes
# of UTF-8 (what the nodes of `ast` carry). This is the only place that converts. Questions come in runs about one line,
# therefore the line of the last one is remembered.
from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate


class SourceText:
    """The text of a file, and where its lines are. Lines start at 1; columns count bytes of UTF-8 from 0."""

    __slots__ = ("_high", "_lines", "_low", "_row", "_starts", "ascii", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.ascii = text.isascii()
        self._lines = text.encode("utf-8").splitlines(keepends=True)
        lines = self._lines if self.ascii else map(bytes.decode, self._lines)
        self._starts = list(accumulate(map(len, lines), initial=0))
        if self._lines and not text.endswith(("\n", "\r")):
            self._starts.pop()
        self._row, self._low, self._high = (
            1,
            0,
            0,
        )  # the line asked for last: number, offsets of its start and end

    def row(self, offset: int) -> int:
        """The line that an offset is on; the end of the text is on the line after a last line end."""
        if not self._low <= offset < self._high:
            self._row = row = bisect_right(self._starts, offset)
            self._low = self._starts[row - 1]
            self._high = self._starts[row] if row < len(self._starts) else len(self.text) + 1
        return self._row

    def row_start(self, row: int) -> int:
        """The offset at which a line starts; of a line behind the last one, the end of the text."""
        return self._starts[row - 1] if row <= len(self._starts) else len(self.text)

    def place(self, offset: int) -> tuple[int, int]:
        """The line and the column in bytes of an offset."""
        row = self._row if self._low <= offset < self._high else self.row(offset)
        if self.ascii:
            return row, offset - self._low
        return row, len(self.text[self._low : offset].encode("utf-8"))

    def character_place(self, offset: int) -> tuple[int, int]:
        """The line and the column in characters of an offset."""
        return self.row(offset), offset - self._low

    def offset(self, line: int, column: int) -> int:
        """The offset of a line and a column in bytes."""
        if line > len(self._lines):
            return len(self.text)
        if not self.ascii:
            column = len(self._lines[line - 1][:column].decode("utf-8", "replace"))
        return self._starts[line - 1] + column
