# As much of Markdown as it takes to find prose: paragraphs, list items, table rows, headings. Code fences, indented
# code, HTML blocks, comments and front matter are skipped. CommonMark's rules where they matter; nothing is rendered.
from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import Final

_FENCE: Final = re.compile(r"^ {0,3}(?:[-*+>] +|\d+[.)] +)*(`{3,}|~{3,})")
_ITEM: Final = re.compile(r"^\s*(?:>\s?)*\s*(?:[-*+]|\d{1,9}[.)])\s+(?:\[[ xX]\]\s+)?")
_HEADING: Final = re.compile(r"^ {0,3}#{1,6}\s+(.*?)\s*#*$")
_RULE: Final = re.compile(r"^ {0,3}(?:[-*_=]\s*){2,}$")
_TABLE_LINE: Final = re.compile(r"^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$")
_HTML: Final = re.compile(r"^ {0,3}<(?:[a-zA-Z][\w-]*|/[a-zA-Z]|!|\?)")
_RAW: Final = re.compile(r"^ {0,3}<(pre|script|style|textarea)\b", re.IGNORECASE)


class Block:
    """A piece of prose: its text, and where its lines begin in it. `header` are the head cells of a table's row."""

    def __init__(
        self, first: str, line: int, *, heading: bool = False, header: list[str] | None = None
    ) -> None:
        self.text = first
        self.heading = heading
        self.header = header
        self._starts = [0]
        self._lines = [line]

    def add(self, text: str, line: int) -> None:
        """Goes on with a further line."""
        self._starts.append(len(self.text) + 1)
        self._lines.append(line)
        self.text += "\n" + text

    def line_at(self, offset: int) -> int:
        """The line of the file in which a place of the text lies."""
        while offset < len(self.text) and self.text[offset].isspace():
            offset += 1
        return self._lines[bisect_right(self._starts, offset) - 1]

    @property
    def cells(self) -> list[tuple[int, str]]:
        """The cells of a table's row with their starts in the text."""
        return split_cells(self.text)


def split_cells(text: str) -> list[tuple[int, str]]:
    """The cells of a row; `|` within code marks or behind a backslash is no border."""
    found: list[tuple[int, str]] = []
    start = 0
    code = False
    for place, character in enumerate(text):
        if character == "`":
            code = not code
        elif character == "|" and not code and text[place - 1 : place] != "\\":
            if text[start:place].strip() or found:
                found.append((start, text[start:place].strip()))
            start = place + 1
    if text[start:].strip():
        found.append((start, text[start:].strip()))
    return found


def blocks_of(text: str) -> Iterator[Block]:
    """The prose of a text in Markdown, in order."""
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    current: Block | None = None
    fence = ""
    until = ""  # what ends an HTML block: a text, or " " for a blank line
    table: list[str] | None = None
    blank = True
    in_list = False
    number = 0
    if lines and lines[0].strip() == "---" and "---" in [line.strip() for line in lines[1:200]]:
        number = 1 + next(n for n, line in enumerate(lines[1:], 1) if line.strip() == "---")
    while number < len(lines):
        line = lines[number]
        number += 1
        if fence:
            if line.strip().startswith(fence) and not line.strip().strip(fence[0]):
                fence = ""
            continue
        if until:
            if (until == " " and not line.strip()) or (until != " " and until in line.lower()):
                until = ""
            continue
        opened = _FENCE.match(line)
        html = _HTML.match(line)
        if opened or html or not line.strip() or _RULE.match(line):
            if current is not None:
                yield current
                current = None
            if opened:
                fence = opened[1]
            elif html:
                raw = _RAW.match(line)
                end = f"</{raw[1].lower()}>" if raw else "-->" if line.lstrip().startswith("<!--") else " "
                if end == " " or end not in line.lower():
                    until = end
            if not line.strip():
                table = None
                blank = True
            continue
        item = _ITEM.match(line)
        if blank and not item and not in_list and re.match(r"^(?: {4}|\t)", line):
            continue  # indented code
        blank = False
        heading = _HEADING.match(line)
        is_row = "|" in line and (
            table is not None or (number < len(lines) and _is_table(lines[number], line))
        )
        if heading or is_row or item:
            if current is not None:
                yield current
                current = None
        if heading:
            in_list, table = False, None
            yield Block(heading[1], number, heading=True)
        elif is_row:
            if table is None:
                table = [cell for _, cell in split_cells(line)]
                number += 1  # the line below the head
            else:
                yield Block(line, number, header=table)
        elif item:
            in_list, table = True, None
            current = Block(line[item.end() :], number)
        else:
            plain = re.sub(r"^\s*(?:>\s?)+", "", line)
            if not line.startswith((" ", "\t")) and current is None:
                in_list = False
            if current is None:
                current = Block(plain, number)
            else:
                current.add(plain, number)
    if current is not None:
        yield current


def _is_table(below: str, head: str) -> bool:
    """Whether the next line makes a line the head of a table."""
    return "-" in below and "|" in below and bool(_TABLE_LINE.match(below)) and "|" in head
