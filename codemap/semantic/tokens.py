# Where a name's own token stands, for the nodes of which `ast` tells only where the whole begins and ends. All
# places are (line from 1, column from 0 in bytes of UTF-8). The common case is answered by comparing the bytes
# at the expected place; only what is written in an unusual way is scanned. A name may be written otherwise than
# the tree has it (identifiers are NFKC-normalised), so ends are found by identifier characters, not by length.
from __future__ import annotations

import ast
import re
from typing import Final

from codemap.semantic.draft import Draft

Place = tuple[int, int]

_SPACE: Final = b" \t\f"
_WORD_END: Final = re.compile(rb"[0-9A-Za-z_\x80-\xff]+\Z")
_SHORTENED: Final = 80


def skip(d: Draft, line: int, column: int, also: bytes = b"") -> Place:
    """The next place that is no white space, comment, line continuation, line end or byte of `also`."""
    lines = d.lines
    skipped = _SPACE + also
    while line <= len(lines):
        text = lines[line - 1]
        end = len(text)
        while column < end:
            character = text[column]
            if character in skipped:
                column += 1
            elif character == 35 or (character == 92 and column + 1 == end):  # comment, backslash at the end
                break
            else:
                return line, column
        line += 1
        column = 0
    return line, column


def after_keyword(d: Draft, line: int, column: int, keyword: bytes, name: str) -> Place:
    """The place of the name after `class` or `def` at a place, `async def` included."""
    text = d.lines[line - 1] if line <= len(d.lines) else b""
    start = column + len(keyword) + 1
    if text.startswith(keyword, column) and text.startswith(name.encode(errors="replace"), start):
        return line, start
    if text.startswith(b"async", column):
        line, column = skip(d, line, column + 5)
    return skip(d, line, column + len(keyword))


def attribute_token(d: Draft, node: ast.Attribute) -> Place:
    """The place of an attribute's own name."""
    return end_token(d, node.end_lineno or 0, node.end_col_offset or 0, node.attr)


def end_token(d: Draft, line: int, end: int, name: str) -> Place:
    """The place of the name whose token ends at a place."""
    if d.ascii:
        return line, end - len(name)
    text = d.lines[line - 1] if line <= len(d.lines) else b""
    written = name.encode(errors="replace")
    if text.startswith(written, end - len(written)):
        return line, end - len(written)
    token = _WORD_END.search(text[:end])
    return line, token.start() if token is not None else end - len(name)


def handler_name(d: Draft, node: ast.ExceptHandler) -> Place:
    """The place of `e` in `except T as e`."""
    after = node.type
    if after is None or after.end_lineno is None or after.end_col_offset is None:
        return node.lineno, node.col_offset
    line, column = skip(d, after.end_lineno, after.end_col_offset, b"),")
    return skip(d, line, column + 2)  # "as"


def header_end(d: Draft, line: int, column: int) -> int:
    """The line of the first colon at or after a place behind which no expression follows before the colon."""
    text = d.lines[line - 1] if line <= len(d.lines) else b""
    if text.find(b":", column) >= 0 and text.find(b"#", column) < 0:
        return line
    while line <= len(d.lines):
        line, column = skip(d, line, column, b")],*/\\")
        if line > len(d.lines) or d.lines[line - 1][column] == 58:
            return line
        column += 1
    return len(d.lines)


def source_text(d: Draft, node: ast.expr | ast.pattern) -> str:
    """A node as written, on one line, shortened to 80 characters."""
    first, last = node.lineno - 1, node.end_lineno or node.lineno
    start, end = node.col_offset, node.end_col_offset
    parts = d.lines[first:last]
    if len(parts) == 1:
        text = parts[0][start:end].decode("utf-8", "replace")
    elif parts:
        parts[-1] = parts[-1][:end]
        parts[0] = parts[0][start:]
        text = " ".join(b" ".join(parts).decode("utf-8", "replace").split())
    else:
        text = ""
    return text if len(text) <= _SHORTENED else text[: _SHORTENED - 3] + "..."
