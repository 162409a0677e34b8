# The parts of an f-string as the newest interpreter gives them: which text and which field is which value of a JoinedStr,
# and where it stands. Used to mend the positions of interpreters before 3.12, and to build the nodes of f-strings and
# t-strings that the interpreter cannot read at all.
#
# Adjacent literals are one JoinedStr: text is merged over their borders, and a field with `=` puts its own text before it.
from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from codemap.source.expressions import nodes_of, read_expression, set_place
from codemap.source.positions import SourceText
from codemap.source.strings import Field, Piece, StringScanner, StringToken

_BETWEEN: Final = re.compile(r"(?:[ \t\f\r\n]|\\(?:\r\n|[\r\n])|#[^\r\n]*)*")
_CONTINUED: Final = re.compile(r"(?:\\(?:\r\n|[\r\n]))*")
_QUOTE: Final = re.compile(r"[A-Za-z]{0,2}(?=[\"'])")


class Text(NamedTuple):
    """Literal text between two offsets; `parts` are the pieces it was merged from.

    A part's token is None for the text that `=` repeats, and its whole token stands for a plain literal.
    """

    start: int
    end: int
    parts: tuple[tuple[StringToken | None, int, int], ...]


def tokens_between(scanner: StringScanner, start: int, end: int) -> list[StringToken]:
    """The adjacent literals between two offsets."""
    tokens: list[StringToken] = []
    while start < end:
        prefix = _QUOTE.match(scanner.text, start)
        if prefix is None:
            break
        token = scanner.token(prefix.end(), start)
        tokens.append(token)
        between = _BETWEEN.match(scanner.text, token.end)
        start = token.end if between is None else between.end()
    return tokens


def elements(tokens: Iterable[StringToken]) -> list[Text | Field]:
    """The values that adjacent literals have as one JoinedStr, in order."""
    found: list[Text | Field] = []
    for token in tokens:
        if token.formatted:
            _add_pieces(found, token, token.pieces)
        else:
            _add_text(found, token, token.start, token.end)
    return [element for element in found if isinstance(element, Field) or _has_text(element)]


def _has_text(element: Text) -> bool:
    return any(
        token is None or token.formatted or token.body < token.body_end for token, _, _ in element.parts
    )


def specification(token: StringToken, field: Field) -> list[Text | Field]:
    """The values of a field's format specification."""
    found: list[Text | Field] = []
    _add_pieces(found, token, field.pieces)
    return found


def _add_pieces(found: list[Text | Field], token: StringToken, pieces: Sequence[Piece]) -> None:
    for piece in pieces:
        if isinstance(piece, Field):
            if piece.echo_end >= 0:
                _add_text(found, None, piece.value, piece.echo_end)
            found.append(piece)
        else:
            _add_text(found, token, piece[0], piece[1])


def _add_text(found: list[Text | Field], token: StringToken | None, start: int, end: int) -> None:
    last = found[-1] if found else None
    if isinstance(last, Text):
        found[-1] = Text(last.start, end, (*last.parts, (token, start, end)))
    else:
        found.append(Text(start, end, ((token, start, end),)))


class Mender:
    """Gives f-strings that an interpreter before 3.12 has read the positions that later ones give."""

    __slots__ = ("_scanner", "_source")

    def __init__(self, source: SourceText) -> None:
        self._source = source
        self._scanner = StringScanner(source.text)

    def mend(self, node: ast.JoinedStr) -> None:
        """Mend a JoinedStr whose own position is right, and those in it."""
        source = self._source
        start = source.offset(node.lineno, node.col_offset)
        end = source.offset(node.end_lineno or node.lineno, node.end_col_offset or 0)
        tokens = tokens_between(self._scanner, start, end)
        if not any(token.fault for token in tokens):
            owner = next((token for token in tokens if token.formatted), None)
            if owner is not None:
                self._mend_values(node, elements(tokens), owner)

    def _mend_values(self, node: ast.JoinedStr, found: list[Text | Field], token: StringToken) -> None:
        values: list[ast.expr] = node.values
        if len(values) != len(found):  # text that is empty once its escapes are read
            found = [
                element for element in found if isinstance(element, Field) or not self._is_empty(element)
            ]
        if len(values) != len(found):
            found = [element for element in found if isinstance(element, Field)]
            values = [value for value in values if isinstance(value, ast.FormattedValue)]
        place = self._source.place
        for value, element in zip(values, found, strict=False):
            value.lineno, value.col_offset = place(element[0])
            value.end_lineno, value.end_col_offset = place(element[1])
            if isinstance(value, ast.FormattedValue) and isinstance(element, Field):
                value.value = self._mended(value.value, element)
                if isinstance(value.format_spec, ast.JoinedStr):
                    set_place(value.format_spec, self._source, element.spec, element.spec_end)
                    self._mend_values(value.format_spec, specification(token, element), token)
                    value.format_spec.mended = True  # type: ignore[attr-defined]
        node.mended = True  # type: ignore[attr-defined]

    def _is_empty(self, element: Text) -> bool:
        """The text consists of continued line ends."""
        written = (
            self._source.text[start:end]
            for token, start, end in element.parts
            if token is None or token.formatted
        )
        return all(_CONTINUED.fullmatch(part) for part in written) and len(element.parts) > 0

    def _mended(self, value: ast.expr, field: Field) -> ast.expr:
        """The expression of a field with right positions: shifted when it is on one line, else read again."""
        source = self._source
        start, end = field.value, field.value_end
        text = source.text
        while text[start] in " \t\f":
            start += 1
        line, column = source.place(start)
        if type(value) is ast.Name and text.startswith(value.id, start):
            value.lineno = value.end_lineno = line
            value.col_offset = column
            value.end_col_offset = column + len(value.id.encode("utf-8"))
            return value
        if (
            text[start] in "(\r\n#"
            or type(value) is ast.Tuple
            or value.lineno != value.end_lineno
            or _has_line_end(text, start, end)
        ):
            value = read_expression(source, field.value, field.value_end)
            for node in nodes_of(value):
                if isinstance(node, ast.JoinedStr) and not getattr(node, "mended", False):
                    self.mend(node)
            return value
        inner: list[ast.JoinedStr] = []
        columns = column - value.col_offset
        stack: list[ast.AST] = [value]
        while stack:
            node = stack.pop()
            attributes = node.__dict__
            if "lineno" in attributes:
                attributes["lineno"] = attributes["end_lineno"] = line
                attributes["col_offset"] += columns
                attributes["end_col_offset"] += columns
            if isinstance(node, ast.JoinedStr):
                inner.append(node)
                continue
            for child in attributes.values():
                if isinstance(child, ast.AST):
                    stack.append(child)
                elif isinstance(child, list):
                    stack += [item for item in child if isinstance(item, ast.AST)]
        for joined in inner:
            self.mend(joined)
        return value


def _has_line_end(text: str, start: int, end: int) -> bool:
    return text.find("\n", start, end) >= 0 or text.find("\r", start, end) >= 0
