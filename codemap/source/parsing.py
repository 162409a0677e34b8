"""Parse the bytes of one Python file in the newest grammar, whatever interpreter runs; nothing in a file makes it raise.

`parse(source)` gives a `Parsed`: the `ast.Module`, the text, the number of lines, the errors. Its nodes:

- positions are those of the newest interpreter: lines from 1, columns from 0 in bytes of the line's UTF-8. `Parsed.column`
  turns such a column into characters.
- Insides of f-strings have wrong positions on Python < 3.12 (and empty constants on 3.12) until they are mended. Whoever visits the tree calls
  `mend_fstring(node, parsed)` for each `ast.JoinedStr` it meets before it visits its children, where `FSTRINGS_NEED_MENDING`
  is true (elsewhere the call does nothing and is not needed). It changes the node in place; nested f-strings come with
  their outermost one, and a second call does nothing. Where only the expressions of the fields matter,
  `fields_in_place` tells, for nearly all f-strings and much faster, that there is nothing to mend.
- Classes that the interpreter's `ast` lacks come from `codemap.source.grammar`.

A tree may be as deep as the interpreter's parser allows (some thousand levels: `a + b + c + ...`), deeper than a
visitor written as recursive functions may go under the default recursion limit.
"""

from __future__ import annotations

import ast
import sys
import warnings
from typing import TYPE_CHECKING, Any, Final, cast

from codemap.model.facts import ParseError
from codemap.source.decoding import count_lines, decode, encoding_of

if TYPE_CHECKING:
    from codemap.source.fstrings import Mender

__all__ = ["FSTRINGS_NEED_MENDING", "Parsed", "count_lines", "fields_in_place", "mend_fstring", "parse"]

FSTRINGS_NEED_MENDING: Final = sys.version_info < (3, 13)
_PLACES_NEED_MENDING: Final = sys.version_info < (3, 12)
_BRACKETED: Final = (ast.Tuple, ast.GeneratorExp)


class Parsed:
    """What `parse` found in a file.

    `recovered` is true when something of the file was lost; `errors` then says what and where. `text` (without BOM)
    and `encoding` are worked out when they are first asked for.
    """

    __slots__ = (
        "_byte_lines",
        "_encoding",
        "_mender",
        "_source",
        "_text",
        "ascii",
        "errors",
        "lines",
        "module",
        "recovered",
    )

    def __init__(
        self,
        source: bytes,
        module: ast.Module,
        errors: tuple[ParseError, ...] = (),
        recovered: bool = False,
        text: str | None = None,
    ) -> None:
        self._source = source
        self._text = text
        self._encoding: str | None = None
        self._byte_lines: list[bytes] | None = None
        self._mender: Mender | None = None
        self.module = module
        self.errors = errors
        self.recovered = recovered
        self.ascii = source.isascii()
        self.lines = count_lines(source)

    @property
    def encoding(self) -> str:
        """The encoding of the bytes: "utf-8", "utf-8-sig" (with BOM), or what the coding cookie names."""
        if self._encoding is None:
            self._encoding = encoding_of(self._source)
        return self._encoding

    @property
    def text(self) -> str:
        """The decoded text, without BOM, line ends as in the file."""
        if self._text is None:
            self._text = decode(self._source).text
        return self._text

    @property
    def byte_lines(self) -> list[bytes]:
        """The lines in UTF-8, without line ends: what columns of nodes count in. Index 0 is line 1."""
        if self._byte_lines is None:
            utf8 = self._source if self.ascii else self.text.encode("utf-8", "surrogatepass")
            self._byte_lines = utf8.splitlines()
        return self._byte_lines

    @property
    def mender(self) -> Mender:
        """What mends the f-strings of this file."""
        if self._mender is None:
            from codemap.source.fstrings import Mender
            from codemap.source.positions import SourceText

            self._mender = Mender(SourceText(self.text))
        return self._mender

    def column(self, line: int, offset: int) -> int:
        """The column in characters of a node's `col_offset` (bytes of UTF-8) on a line."""
        if self.ascii or not 0 < line <= len(self.byte_lines):
            return offset
        return len(self.byte_lines[line - 1][:offset].decode("utf-8", "replace"))


def parse(source: bytes) -> Parsed:
    """Parse a file's bytes. Never raises for what is in them: see `Parsed.errors` and `Parsed.recovered`."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            module = compile(source, "<source>", "exec", ast.PyCF_ONLY_AST, dont_inherit=True)
        except (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError) as error:
            return _read_otherwise(source, error)
    return Parsed(source, cast(ast.Module, module))


def _read_otherwise(source: bytes, error: Exception) -> Parsed:
    """Read a file that the interpreter refuses: in a newer grammar, else what is good of it."""
    from codemap.source.fallback import read

    decoded = decode(source)
    try:
        module, errors = read(decoded)
    except Exception as fault:  # a fault of ours, or of the interpreter, costs this file and no other
        line = getattr(error, "lineno", None) or 1
        column = max((getattr(error, "offset", None) or 1) - 1, 0)
        message = getattr(error, "msg", None) or str(error) or type(error).__name__
        module = ast.Module([], [])
        errors = [ParseError(line, column, message), ParseError(line, column, f"recovery failed: {fault!r}")]
    return Parsed(source, module, tuple(sorted(set(errors))), bool(errors), decoded.text)


def fields_in_place(node: ast.JoinedStr, lines: list[bytes]) -> bool:
    """Whether the expressions of an f-string's fields surely stand where the newest interpreter sees them.

    `lines` are `Parsed.byte_lines`. False may also mean that this cannot be told without reading the string.
    """
    # Each field has a brace of its own within the string, so where there are no more braces than fields, the n-th
    # brace opens the n-th field. An expression that begins right behind it, on one line, is where it should be from its
    # first token to its last: old interpreters move all tokens of a line by the same wrong distance. Except for the
    # brackets that they put around it themselves, which are the first token of a tuple without its own.
    last, column = node.end_lineno or node.lineno, node.col_offset
    if last > len(lines):
        return False
    values: Any = [part for part in node.values if type(part) is not ast.Constant]
    fields = iter(values)
    for row in range(node.lineno, last + 1):
        text = lines[row - 1]
        end = node.end_col_offset if row == last else len(text)
        column = text.find(b"{", column, end) + 1
        while column:
            field = next(fields, None)
            if field is None:
                return False
            value = field.value
            if value.col_offset != column or value.lineno != row or value.end_lineno != row:
                return False
            if type(value) in _BRACKETED:
                return False
            column = text.find(b"{", column, end) + 1
    return next(fields, None) is None


def mend_fstring(node: ast.JoinedStr, parsed: Parsed) -> None:
    """Give the insides of an f-string the form and the positions that Python 3.13 and later give, in place."""
    if not FSTRINGS_NEED_MENDING or getattr(node, "mended", False):
        return
    if _PLACES_NEED_MENDING:
        parsed.mender.mend(node)
    else:
        _drop_empty_text(node)


def _drop_empty_text(node: ast.JoinedStr) -> None:
    """Python 3.12 has empty constants in format specifications with fields."""
    for value in node.values:
        if isinstance(value, ast.FormattedValue) and isinstance(value.format_spec, ast.JoinedStr):
            spec = value.format_spec
            spec.values = [item for item in spec.values if not (isinstance(item, ast.Constant) and item.value == "")]
            _drop_empty_text(spec)
