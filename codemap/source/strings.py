# Where a string literal ends, and what an f-string or t-string is made of, by the rules of PEP 701 and PEP 750: quotes,
# backslashes, comments and line ends may stand in a replacement field. The newest interpreter's tokenizer does this
# natively; the older ones need it here, and recovery needs it everywhere.
#
# A literal that does not end is bounded all the same: at the end of its line, for triple quotes at the end of the text.
# Reading an f-string that turns out broken is work thrown away; a scanner has only so much patience with those, so that
# a file full of them costs no more than a multiple of its size.
from __future__ import annotations

import re
from typing import Final, NamedTuple

PREFIXES: Final = frozenset(["r", "u", "b", "br", "rb", "f", "fr", "rf", "t", "tr", "rt"])
_NESTING: Final = 60  # levels of strings in fields of strings; CPython allows 150, nobody writes 5
_LINE_END: Final = re.compile(r"[\r\n]")
_PLAIN_END: Final = {
    "'": re.compile(r"(?:[^'\\\r\n]++|\\(?:\r\n|[\s\S]))*+'"),
    '"': re.compile(r'(?:[^"\\\r\n]++|\\(?:\r\n|[\s\S]))*+"'),
    "'''": re.compile(r"(?:[^'\\]++|\\[\s\S]|'(?!''))*+'''"),
    '"""': re.compile(r'(?:[^"\\]++|\\[\s\S]|"(?!""))*+"""'),
}
_TEXT_STOP: Final = {"'": re.compile(r"['{}\\\r\n]"), '"': re.compile(r'["{}\\\r\n]')}
_FIELD_STOP: Final = re.compile(r"[\"'#()\[\]{}!:\r\n]")
_NAMED: Final = re.compile(r"N\{[^{}'\"\r\n]*\}")
_CONVERSION: Final = re.compile(r"!\s*([A-Za-z_]\w*)\s*")
# Keywords that begin a statement and never stand in an expression: at the start of a line within brackets they tell that
# a bracket was not closed.
NEVER_IN_EXPRESSION: Final = re.compile(
    r"[ \t\f]*(?:(?:def|class|return|import|while|with|try|except|finally|elif|raise|assert|del|global|nonlocal"
    r"|pass|break|continue|async[ \t]+(?:def|with))\b|from[ \t]+[.\w]+[ \t]+import\b)"
)
_CLOSING: Final = {"(": ")", "[": "]", "{": "}"}


class Field(NamedTuple):
    """A replacement field. All but the last three are offsets; -1 where there is none.

    `{value = !r:spec}`: `start` is at `{`, `end` behind `}`, the expression in `value:value_end`, what `=` repeats
    in `value:echo_end`, `spec` at the colon and `spec_end` before `}`.
    """

    start: int
    end: int
    value: int
    value_end: int
    echo_end: int
    spec: int
    spec_end: int
    conversion: int
    pieces: tuple[tuple[int, int] | Field, ...]  # of the format specification


Piece = tuple[int, int] | Field  # literal text from an offset to an offset, or a field


class StringToken(NamedTuple):
    """A string literal: `text[start:end]`, its text between the quotes in `body:body_end`.

    `pieces` are those of an f- or t-string. `fault` says what is wrong with it ("" when nothing is), `fault_at` where.
    """

    start: int
    end: int
    prefix: str
    quote: str
    body: int
    body_end: int
    pieces: tuple[Piece, ...] = ()
    fault: str = ""
    fault_at: int = 0

    @property
    def formatted(self) -> bool:
        """It is an f-string or a t-string."""
        return "f" in self.prefix or "t" in self.prefix


class BadString(Exception):
    """An f-string or t-string that does not end or whose fields do not; `reached` is how far it was read."""

    def __init__(self, message: str, at: int, reached: int | None = None) -> None:
        super().__init__(message, at, reached)
        self.message = message
        self.at = at
        self.reached = at if reached is None else reached


def prefix_before(text: str, quote_at: int, floor: int) -> str:
    """The prefix letters of the literal whose quote is at an offset, as written; nothing before `floor` counts."""
    start = quote_at
    while start > floor and quote_at - start < 3 and (text[start - 1].isalnum() or text[start - 1] == "_"):
        start -= 1
    letters = text[start:quote_at]
    return letters if letters.lower() in PREFIXES else ""


def quote_at(text: str, at: int) -> str:
    """The quote that stands at an offset: one character or three."""
    return text[at : at + 3] if text[at] * 3 == text[at : at + 3] else text[at]


class StringScanner:
    """Reads the string literals of one text."""

    __slots__ = ("_patience", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self._patience = 8 * len(text) + 100_000

    def token(self, at: int, floor: int = 0, nesting: int = 0) -> StringToken:
        """The literal whose opening quote is at an offset; its prefix does not begin before `floor`."""
        text = self.text
        quote = quote_at(text, at)
        prefix = prefix_before(text, at, floor)
        start = at - len(prefix)
        body = at + len(quote)
        kind = prefix.lower()
        fault, fault_at = "", start
        if ("f" in kind or "t" in kind) and self._patience > 0:
            try:
                pieces, end = self._literal(body, quote, "r" in kind, nesting)
            except BadString as error:  # read on behind it as if it were a plain literal
                fault, fault_at = error.message, error.at
                self._patience -= error.reached - start
            else:
                return StringToken(start, end, kind, quote, body, end - len(quote), pieces)
        match = _PLAIN_END[quote].match(text, body)
        if match is not None:
            end = match.end()
            return StringToken(start, end, kind, quote, body, end - len(quote), (), fault, fault_at)
        if len(quote) == 3:
            end, fault = len(text), "unterminated triple-quoted string literal"
        else:
            line_end = _LINE_END.search(text, body)
            end, fault = len(text) if line_end is None else line_end.start(), "unterminated string literal"
        return StringToken(start, end, kind, quote, body, end, (), fault, start)

    def _literal(self, at: int, quote: str, raw: bool, nesting: int) -> tuple[tuple[Piece, ...], int]:
        """The pieces of an f-string from the character behind its opening quote on, and the offset behind it."""
        if nesting > _NESTING:
            raise BadString("f-string: too many nested f-strings", at)
        text = self.text
        search = _TEXT_STOP[quote[0]].search
        single = len(quote) == 1
        pieces: list[Piece] = []
        start = opening = at
        while True:
            match = search(text, at)
            if match is None:
                raise BadString("unterminated f-string literal", opening, len(text))
            at = match.start()
            found = text[at]
            if found == quote[0]:
                if single or text.startswith(quote, at):
                    if start < at:
                        pieces.append((start, at))
                    return tuple(pieces), at + len(quote)
                at += 1
            elif found == "{":
                if text.startswith("{{", at):
                    at += 2
                    continue
                if start < at:
                    pieces.append((start, at))
                field = self._field(at, quote, raw, nesting)
                pieces.append(field)
                start = at = field.end
            elif found == "}":
                if not text.startswith("}}", at):
                    raise BadString("f-string: single '}' is not allowed", at)
                at += 2
            elif found == "\\":
                at = _behind_backslash(text, at, raw)
            elif single:
                raise BadString("unterminated f-string literal", opening, at)
            else:
                at += 1

    def _field(self, start: int, quote: str, raw: bool, nesting: int) -> Field:
        """The replacement field whose brace is at an offset."""
        text = self.text
        value = start + 1
        at, bare_end = self._value_end(value, nesting)
        if not text[value:bare_end].strip():
            raise BadString("f-string: valid expression required before '}'", at)
        value_end, echo_end = at, -1
        if text[bare_end - 1] == "=" and text[bare_end - 2] not in "=!<>":
            value_end, echo_end = bare_end - 1, at
        conversion, spec, spec_end = -1, -1, -1
        pieces: tuple[Piece, ...] = ()
        if text[at] == "!":
            named = _CONVERSION.match(text, at)
            if named is None or named[1] not in ("s", "r", "a"):
                raise BadString("f-string: invalid conversion character: expected 's', 'r', or 'a'", at)
            conversion = ord(named[1])
            at = named.end()
        if text.startswith(":", at):
            spec = at
            pieces, at = self._specification(at + 1, quote, raw, nesting)
            spec_end = at
        if not text.startswith("}", at):
            raise BadString("f-string: expecting '}'", at)
        if echo_end >= 0 and conversion < 0 and spec < 0:
            conversion = ord("r")
        return Field(start, at + 1, value, value_end, echo_end, spec, spec_end, conversion, pieces)

    def _value_end(self, start: int, nesting: int) -> tuple[int, int]:
        """Where a field's expression ends: at `!`, `:` or `}`, and behind its last character that is no comment."""
        text = self.text
        at = start
        open_brackets: list[str] = []
        comments: list[tuple[int, int]] = []
        while True:
            match = _FIELD_STOP.search(text, at)
            if match is None:
                raise BadString("f-string: expecting '}'", start - 1, len(text))
            at = match.start()
            found = text[at]
            if found in "([{":
                open_brackets.append(_CLOSING[found])
            elif found in ")]}":
                if not open_brackets:
                    if found != "}":
                        raise BadString(f"f-string: unmatched '{found}'", at)
                    break
                if open_brackets.pop() != found:
                    raise BadString(f"f-string: closing parenthesis '{found}' does not match", at)
            elif found in "\"'":
                inner = self.token(at, start, nesting + 1)
                if inner.fault:
                    raise BadString(inner.fault, inner.fault_at)
                at = inner.end
                continue
            elif found == "#":
                line_end = _LINE_END.search(text, at)
                comments.append((at, len(text) if line_end is None else line_end.start()))
                at = comments[-1][1]
                continue
            elif found == "!" and text.startswith("!=", at):
                at += 1
            elif found in "\r\n":
                if NEVER_IN_EXPRESSION.match(text, at + 1):
                    raise BadString("f-string: expecting '}'", start - 1, at)
            elif not open_brackets:  # ! or :
                break
            at += 1
        end = at
        while end > start:
            if comments and comments[-1][1] == end:
                end = comments.pop()[0]
            elif text[end - 1].isspace():
                end -= 1
            else:
                break
        return at, end

    def _specification(self, at: int, quote: str, raw: bool, nesting: int) -> tuple[tuple[Piece, ...], int]:
        """The pieces of a format specification and the offset of the brace that ends it."""
        if nesting > _NESTING:
            raise BadString("f-string: expressions nested too deeply", at)
        text = self.text
        search = _TEXT_STOP[quote[0]].search
        pieces: list[Piece] = []
        start = opening = at
        while True:
            match = search(text, at)
            if match is None:
                raise BadString("f-string: expecting '}'", opening, len(text))
            at = match.start()
            found = text[at]
            if found == "}":
                if start < at:
                    pieces.append((start, at))
                return tuple(pieces), at
            if found == "{":
                if start < at:
                    pieces.append((start, at))
                field = self._field(at, quote, raw, nesting + 1)
                pieces.append(field)
                start = at = field.end
            elif found == "\\":
                at = _behind_backslash(text, at, raw)
            elif found in "\r\n":
                if len(quote) == 1:
                    raise BadString("f-string: newlines are not allowed in format specifiers", at)
                at += 1
            elif len(quote) == 1 or text.startswith(quote, at):
                raise BadString("f-string: expecting '}'", at)
            else:
                at += 1


def _behind_backslash(text: str, at: int, raw: bool) -> int:
    """The offset behind an escape; a brace behind a backslash still opens or closes a field."""
    if not raw:
        named = _NAMED.match(text, at + 1)
        if named is not None:
            return named.end()
    if text[at + 1 : at + 2] in ("{", "}"):
        return at + 1
    return at + 3 if text.startswith("\r\n", at + 1) else at + 2
