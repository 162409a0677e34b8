# Write new syntax in old words of the same shape, so that the oldest supported interpreter (3.11) reads it with the
# right positions, and note what has to be mended in the tree afterwards (mending.py). Nothing moves: a construct that the
# old grammar lacks is overwritten in place, line ends kept.
#
#   f"..." t"..."                 (0   )                a constant in brackets; its fields are read on their own (PEP 701, 750)
#   class A[T: int](B):           class A(        B):   type parameters are read on their own (PEP 695, 696)
#   type X[T] = V                 0;   X[0] = V         two statements, made one again
#   except A, B:                  except(0  ):          the tuple is read on its own (PEP 758)
#   [*x for x in y], {**d for ..} [ x for x in y]       (PEP 798)
#   lazy import x                 0;   import x         two statements, made one again (PEP 810)
#
# All of it is rewritten on every interpreter, also what it could read itself, so that a file that needs this path gives
# the same tree everywhere.
from __future__ import annotations

import re
from collections.abc import Iterator
from keyword import iskeyword
from typing import Final, NamedTuple

from codemap.source.lines import LogicalLine
from codemap.source.positions import SourceText
from codemap.source.strings import StringScanner, StringToken

NAME: Final = "name"
NUMBER: Final = "number"
STRING: Final = "string"
OPERATOR: Final = "operator"

_BLANK: Final = re.compile(r"(?:[ \t\f\r\n]|\\(?:\r\n|[\r\n])|#[^\r\n]*)+")
_TOKEN: Final = re.compile(
    r"(?P<string>[A-Za-z]{0,2}(?=[\"']))|(?P<name>[^\W\d]\w*)|(?P<number>\.?\d(?:[\w.]|(?<=[eE])[+-])*)"
    r"|(?P<operator>\*\*=?|:=|->|[=!<>+\-*/%&|^@]=|//=?|<<=?|>>=?|[^\s\w])"
)
# What may need rewriting in a logical line without f-strings.
_INTEREST: Final = re.compile(
    r"\b(?:type|lazy)[ \t\f\\]|^except\b[^,]*,|^(?:class|def|async)\b[^\[(:]*\[|[\[({]\s*\*"
)
# Words behind which a string may begin an expression; behind any other it is a fault, to be left as it is.
_BEFORE_EXPRESSION: Final = frozenset(
    "and as assert await del elif else except for from if in is lambda match not or raise return while with yield".split()  # noqa: SIM905
)
_PAIRS: Final = {"(": ")", "[": "]", "{": "}"}


class Token(NamedTuple):
    """A token of a logical line; `string` for literals."""

    kind: str
    start: int
    end: int
    text: str
    string: StringToken | None = None


class Span(NamedTuple):
    """A part of the text from an offset to an offset."""

    start: int
    end: int


class Parameter(NamedTuple):
    """A type parameter as written; spans are None where it has none. `kind` is "", "*" or "**"."""

    kind: str
    name: str
    start: int
    end: int
    bound: Span | None
    default: Span | None


class Alias(NamedTuple):
    """A `type` statement."""

    name: Span
    parameters: tuple[Parameter, ...]


class Comprehension(NamedTuple):
    """A comprehension over unpacked items: `stars` is "*" or "**", the item with its stars is `start:end`."""

    stars: str
    start: int
    end: int


Place = tuple[int, int]  # a line and a column in bytes


class Mends(NamedTuple):
    """What to mend in the tree, by the place of the node in it."""

    strings: dict[Place, tuple[StringToken, ...]]
    tuples: dict[Place, Span]
    parameters: dict[Place, tuple[Parameter, ...]]
    aliases: dict[Place, Alias]
    lazy: set[Place]
    comprehensions: dict[Place, Comprehension]

    def lines(self) -> list[int]:
        """The lines where there is something to mend, sorted."""
        found = {line for line, _ in self.lazy}
        for part in (self.strings, self.tuples, self.parameters, self.aliases, self.comprehensions):
            found.update(line for line, _ in part)
        return sorted(found)


class Rewriter:
    """Rewrites the parts of one text. What it notes is in `mends`."""

    def __init__(self, source: SourceText) -> None:
        self._source = source
        self._strings = StringScanner(source.text)
        self.mends = Mends({}, {}, {}, {}, set(), {})

    def whole(self, lines: list[LogicalLine]) -> str:
        """The whole text with its logical lines rewritten."""
        text = self._source.text
        edits: list[tuple[int, int, str]] = []
        for line in lines:
            if not line.fault and (line.fancy or _INTEREST.search(text[line.start : line.end])):
                self._statement(self._tokens(line.start, line.end), edits)
        return _applied(text, 0, len(text), edits)

    def expression(self, start: int, end: int) -> str:
        """An expression rewritten."""
        edits: list[tuple[int, int, str]] = []
        tokens = self._tokens(start, end)
        self._literals(tokens, edits)
        self._comprehensions(tokens, edits)
        return _applied(self._source.text, start, end, edits)

    def _tokens(self, start: int, end: int) -> list[Token]:
        text = self._source.text
        tokens: list[Token] = []
        at = start
        while at < end:
            blank = _BLANK.match(text, at, end)
            if blank is not None:
                at = blank.end()
                continue
            match = _TOKEN.match(text, at, end)
            if match is None:
                at += 1
                continue
            kind = match.lastgroup or OPERATOR
            if kind == STRING:
                string = self._strings.token(match.end(), at)
                tokens.append(Token(STRING, string.start, string.end, "", string))
                at = max(string.end, at + 1)
            else:
                tokens.append(Token(kind, at, match.end(), match.group()))
                at = match.end()
        return tokens

    # --- statements --------------------------------------------------------------------------------------
    def _statement(self, tokens: list[Token], edits: list[tuple[int, int, str]]) -> None:
        """Rewrite a logical line."""
        if not tokens:
            return
        taken = self._head(tokens, edits)
        depth = 0
        for number, token in enumerate(tokens):
            if token.text in _PAIRS and token.kind == OPERATOR:
                depth += 1
            elif token.text in (")", "]", "}"):
                depth -= 1
            elif depth == 0 and token.kind == NAME and token.text in ("type", "lazy"):
                before = tokens[number - 1].text if number else ";"
                if before in (";", ":"):
                    taken += self._soft_keyword(tokens, number, edits)
        if taken:
            tokens = [token for token in tokens if not any(s.start <= token.start < s.end for s in taken)]
        self._literals(tokens, edits)
        self._comprehensions(tokens, edits)

    def _head(self, tokens: list[Token], edits: list[tuple[int, int, str]]) -> list[Span]:
        """Rewrite `class`, `def` and `except`; what was replaced is left to be read on its own."""
        word = 1 if tokens[0].text == "async" and len(tokens) > 1 else 0
        keyword = tokens[word].text
        if keyword in ("class", "def") and len(tokens) > word + 2 and tokens[word + 2].text == "[":
            return self._type_parameters(tokens, word + 2, edits)
        if keyword == "except" and word == 0:
            return self._exceptions(tokens, edits)
        return []

    def _type_parameters(self, tokens: list[Token], at: int, edits: list[tuple[int, int, str]]) -> list[Span]:
        closing = _closing(tokens, at)
        if closing < 0 or closing + 1 >= len(tokens):
            return []
        parameters = self._parameters(tokens[at + 1 : closing])
        if not parameters:
            return []
        start, end = tokens[at].start, tokens[closing].end
        if tokens[closing + 1].text == "(":
            end = tokens[closing + 1].end
            edits.append((start, end, "(" + _blanked(self._source.text, start + 1, end)))
        else:
            edits.append((start, end, "(" + _blanked(self._source.text, start + 1, end - 1) + ")"))
        self.mends.parameters[self._source.place(tokens[0].start)] = parameters
        return [Span(start, end)]

    def _parameters(self, tokens: list[Token]) -> tuple[Parameter, ...]:
        """The type parameters between two brackets; none when they are not well formed."""
        found: list[Parameter] = []
        for part in _split(tokens):
            kind = part[0].text if part[0].text in ("*", "**") else ""
            names = part[1:] if kind else part
            if not names or names[0].kind != NAME or iskeyword(names[0].text):
                return ()
            bound = default = None
            equals = next((n for n, token in _outermost(names) if token.text == "="), len(names))
            if equals < len(names):
                if equals + 1 == len(names):
                    return ()
                default = Span(names[equals + 1].start, names[-1].end)
            if equals > 1:
                if names[1].text != ":" or equals < 3 or kind:
                    return ()
                bound = Span(names[2].start, names[equals - 1].end)
            found.append(Parameter(kind, names[0].text, part[0].start, part[-1].end, bound, default))
        return tuple(found)

    def _exceptions(self, tokens: list[Token], edits: list[tuple[int, int, str]]) -> list[Span]:
        first = 2 if len(tokens) > 1 and tokens[1].text == "*" else 1
        comma, last = False, -1
        for number, token in _outermost(tokens):
            if token.text == ":":
                last = number - 1
                break
            comma = comma or token.text == ","
            if token.text in ("as", "lambda"):
                return []
        if not comma or last < first or tokens[first].text == ",":
            return []
        start, end = tokens[first].start, tokens[last].end
        if end - start < 3:  # `A,`
            end = tokens[last + 1].start if tokens[last + 1].start - start >= 3 else end
        if end - start < 3:
            edits.append((start, end, tokens[first].text[:1] + " "))
            self.mends.tuples[self._source.place(start)] = Span(start, end)
        else:
            self._hole(start, end, edits)
            self.mends.tuples[self._hole_place(start, end)] = Span(start, tokens[last].end)
        return [Span(start, end)]

    def _soft_keyword(self, tokens: list[Token], at: int, edits: list[tuple[int, int, str]]) -> list[Span]:
        """Rewrite `type X = ...` and `lazy import ...` whose first word is at an index."""
        token, rest = tokens[at], tokens[at + 1 : at + 3]
        place = self._source.place(token.start)
        if token.text == "lazy":
            if rest and rest[0].text in ("import", "from"):
                edits.append((token.start, token.end, "0;  "))
                self.mends.lazy.add(place)
            return []
        if len(rest) < 2 or rest[0].kind != NAME or iskeyword(rest[0].text) or rest[1].text not in ("[", "="):
            return []
        parameters: tuple[Parameter, ...] = ()
        taken: list[Span] = []
        if rest[1].text == "[":
            closing = _closing(tokens, at + 2)
            if closing < 0 or closing + 1 >= len(tokens) or tokens[closing + 1].text != "=":
                return []
            parameters = self._parameters(tokens[at + 3 : closing])
            if not parameters:
                return []
            inner = Span(tokens[at + 2].end, tokens[closing].start)
            edits.append((inner.start, inner.end, _filled(self._source.text, inner.start, inner.end)))
            taken.append(inner)
        edits.append((token.start, token.end, "0;  "))
        self.mends.aliases[place] = Alias(Span(rest[0].start, rest[0].end), parameters)
        return taken

    # --- expressions -------------------------------------------------------------------------------------
    def _literals(self, tokens: list[Token], edits: list[tuple[int, int, str]]) -> None:
        """Replace runs of adjacent literals with an f-string or a t-string in them."""
        number = 0
        while number < len(tokens):
            if tokens[number].kind != STRING:
                number += 1
                continue
            first = number
            while number < len(tokens) and tokens[number].kind == STRING:
                number += 1
            run = tuple(token.string for token in tokens[first:number] if token.string is not None)
            if _is_joined(run) and (first == 0 or _expects_expression(tokens[first - 1])):
                self._hole(run[0].start, run[-1].end, edits)
                self.mends.strings[self._hole_place(run[0].start, run[-1].end)] = run

    def _comprehensions(self, tokens: list[Token], edits: list[tuple[int, int, str]]) -> None:
        """Blank the stars of items unpacked in comprehensions."""
        for number in range(1, len(tokens) - 1):
            token, opening = tokens[number], tokens[number - 1]
            if token.text not in ("*", "**") or opening.text not in _PAIRS or opening.kind != OPERATOR:
                continue
            if token.text == "**" and opening.text != "{":
                continue
            for behind, following in _outermost(tokens, number + 1):
                if following.text in ("for", "async") and following.kind == NAME:
                    if behind > number + 1:
                        edits.append((token.start, token.end, " " * len(token.text)))
                        item = Comprehension(token.text, token.start, tokens[behind - 1].end)
                        self.mends.comprehensions[self._source.place(opening.start)] = item
                    break
                if following.text in (",", ")", "]", "}", ":", "=") and following.kind == OPERATOR:
                    break

    # --- holes ---------------------------------------------------------------------------------------------
    def _hole(self, start: int, end: int, edits: list[tuple[int, int, str]]) -> None:
        """Overwrite a part of at least three characters with a constant in brackets."""
        text = self._source.text
        opening, closing = "(" + _blanked(text, start, start + 1)[1:], _blanked(text, end - 1, end)[1:] + ")"
        edits.append((start, end, opening + _filled(text, start + 1, end - 1) + closing))

    def _hole_place(self, start: int, end: int) -> Place:
        """Where the constant of a hole stands."""
        text, at = self._source.text, start + 1
        while text[at] in "\r\n" and at < end:
            at += 1
        return self._source.place(at)


def _is_joined(run: tuple[StringToken, ...]) -> bool:
    """The literals are one f-string or one t-string, well formed."""
    templates = sum("t" in string.prefix for string in run)
    if any(string.fault or "b" in string.prefix for string in run) or templates not in (0, len(run)):
        return False
    return any(string.formatted for string in run)


def _expects_expression(token: Token) -> bool:
    if token.kind == NAME:
        return token.text in _BEFORE_EXPRESSION
    return token.kind == OPERATOR and token.text not in (")", "]", "}")


def _outermost(tokens: list[Token], start: int = 0) -> Iterator[tuple[int, Token]]:
    """The tokens outside of brackets from an index on with their indexes, and the first closing bracket too many."""
    depth = 0
    for number in range(start, len(tokens)):
        token = tokens[number]
        if token.kind == OPERATOR and token.text in _PAIRS:
            depth += 1
        elif token.kind == OPERATOR and token.text in (")", "]", "}"):
            depth -= 1
            if depth < 0:
                yield number, token
                return
        elif depth == 0:
            yield number, token


def _split(tokens: list[Token]) -> list[list[Token]]:
    """The parts between commas outside of brackets; a comma at the end adds none, an empty part spoils all."""
    parts: list[list[Token]] = []
    start = 0
    for number, token in _outermost(tokens):
        if token.text == ",":
            parts.append(tokens[start:number])
            start = number + 1
    if start < len(tokens):
        parts.append(tokens[start:])
    return parts if all(parts) else []


def _closing(tokens: list[Token], at: int) -> int:
    """The index of the bracket that closes the one at an index, or -1."""
    depth = 0
    for number in range(at, len(tokens)):
        if tokens[number].kind == OPERATOR:
            if tokens[number].text in _PAIRS:
                depth += 1
            elif tokens[number].text in (")", "]", "}"):
                depth -= 1
                if depth == 0:
                    return number
    return -1


def _blanked(text: str, start: int, end: int) -> str:
    """Blanks of the same length in UTF-8, line ends kept."""
    return "".join(
        c if c in "\r\n" else " " * (1 if c < "\x80" else len(c.encode("utf-8"))) for c in text[start:end]
    )


def _filled(text: str, start: int, end: int) -> str:
    """A zero at the first character that is no line end, and blanks."""
    at = start
    while at < end and text[at] in "\r\n":
        at += 1
    blanks = _blanked(text, start, end)
    return blanks[: at - start] + "0" + blanks[at - start + 1 :]


def _applied(text: str, start: int, end: int, edits: list[tuple[int, int, str]]) -> str:
    """The text from an offset to an offset with its edits, which do not overlap."""
    parts: list[str] = []
    for first, last, replacement in sorted(edits):
        if first < start:
            continue
        parts += (text[start:first], replacement)
        start = last
    parts.append(text[start:end])
    return "".join(parts)
