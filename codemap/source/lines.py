# Cut a text into logical lines (statements, or the heads of compound ones) however broken it is. Recovery keeps or drops
# whole logical lines, therefore what matters is that a fault at one place costs as few lines as possible:
#
# - A bracket that is never closed would swallow the rest of the file. A line that begins with a keyword that never stands
#   in an expression ends it; the lost statement then reaches only to the first line that is indented no deeper than itself.
# - A triple-quoted string that is never closed swaps code and strings down to the end of the file, where the last one does
#   not close. Then the first string that looks as if it had swallowed code is taken to be the unclosed one, and cut.
#
# Reading again from a cut is bounded by a budget, so that a file of nothing but open brackets stays linear.
from __future__ import annotations

import re
from typing import Final, NamedTuple

from codemap.source.positions import SourceText
from codemap.source.strings import NEVER_IN_EXPRESSION, StringScanner, StringToken

_STOP: Final = re.compile(r"[\"'#()\[\]{}\\\r\n]")
_INDENT: Final = re.compile(r"[ \t\f]*")
_LINE_END: Final = re.compile(r"\r\n|\r|\n")
_CLOSING: Final = {"(": ")", "[": "]", "{": "}"}
_CUTS: Final = 100
# A line that can hardly be prose.
_CODE: Final = re.compile(
    r"[ \t\f]*(?:(?:async[ \t]+)?def[ \t]+\w+[ \t]*[\[(]|class[ \t]+\w+[ \t]*[\[(:]|@\w+|import[ \t]+\w"
    r"|from[ \t]+[.\w]+[ \t]+import\b|(?:if|for|while|with|elif)\b[^\r\n]*:[ \t]*(?:#|$|[\r\n])"
    r"|(?:try|else|finally):|(?:self\.)?\w+[ \t]*=[^=])"
)
_DEFINITION: Final = re.compile(
    r"[ \t\f]*(?:(?:async[ \t]+)?def[ \t]+\w+[ \t]*[\[(]|class[ \t]+\w+[ \t]*[\[(:])"
)
# A name behind the end of a string, on its line, that no operator connects with it.
_PROSE_BEHIND: Final = re.compile(
    r"[ \t]*(?!(?:if|for|in|is|and|or|not|else|as|async|from)\b)[^\W\d]\w*(?![\w\"'])"
)


_OPERATOR: Final = re.compile(r"\b(?:in|not|and|or|is|if|else|return|yield|assert|from|await|raise)$")


class LogicalLine(NamedTuple):
    """A logical line: `text[start:end]` from its first character to before its line end, comments included.

    `row` and `last_row` are the lines it begins and ends on, `indent` the width of its indentation (tabs to multiples of
    8, as Python counts). `fancy` is true when an f-string or t-string is in it. `fault` is "" or what is wrong with its
    brackets or strings, at `fault_at`.
    """

    start: int
    end: int
    row: int
    last_row: int
    indent: int
    fancy: bool
    fault: str
    fault_at: int


class _Triple(NamedTuple):
    """A triple-quoted string over several lines: it may turn out not to be closed where it should."""

    token: StringToken
    line: int  # the number of logical lines before its own
    start: int  # of its logical line
    indent: int


def width(blanks: str) -> int:
    """The width of an indentation as Python's tokenizer counts."""
    if "\t" not in blanks and "\f" not in blanks:
        return len(blanks)
    column = 0
    for character in blanks:
        column = 0 if character == "\f" else column + 1 if character == " " else (column // 8 + 1) * 8
    return column


def logical_lines(source: SourceText) -> list[LogicalLine]:
    """All logical lines of a text, in order; blank lines and comments belong to none."""
    return _Reader(source).read()


class _Reader:
    __slots__ = ("_budget", "_cuts", "_lines", "_source", "_strings", "_text", "_triples")

    def __init__(self, source: SourceText) -> None:
        self._source = source
        self._text = source.text
        self._strings = StringScanner(source.text)
        self._lines: list[LogicalLine] = []
        self._triples: list[_Triple] = []
        self._budget = 10 * len(source.text) + 1_000_000
        self._cuts = _CUTS

    def read(self) -> list[LogicalLine]:
        text, at = self._text, 0
        while at < len(text):
            blanks = _INDENT.match(text, at)
            start = blanks.end() if blanks is not None else at
            if start == len(text):
                break
            blank = text[start] in "#\r\n"
            at = self._next_row(start) if blank else self._line(start, width(text[at:start]))
        return self._lines

    def _next_row(self, at: int) -> int:
        """The offset of the next line."""
        line_end = _LINE_END.search(self._text, at)
        return len(self._text) if line_end is None else line_end.end()

    def _line(self, start: int, indent: int) -> int:
        """Read one logical line and say where the next one begins."""
        text = self._text
        search = _STOP.search
        brackets: list[tuple[str, int]] = []
        cut = -1  # the first line within brackets that is indented no deeper than the statement
        fancy = False
        fault, fault_at = "", start
        at = start
        while True:
            match = search(text, at)
            if match is None:
                end = behind = len(text)
                break
            at = match.start()
            found = text[at]
            if found in "\r\n":
                behind = at + 2 if text.startswith("\r\n", at) else at + 1
                if not brackets:
                    end = at
                    break
                if cut < 0 and self._may_begin_statement(behind, indent):
                    cut = behind
                if NEVER_IN_EXPRESSION.match(text, behind) or (fault and cut == behind):
                    end = behind
                    break
                at = behind
            elif found == "#":
                line_end = _LINE_END.search(text, at)
                at = len(text) if line_end is None else line_end.start()
            elif found == "\\":
                line_end = _LINE_END.match(text, at + 1)
                at = at + 1 if line_end is None else line_end.end()
            elif found in "([{":
                brackets.append((_CLOSING[found], at))
                at += 1
            elif found in ")]}":
                if brackets and brackets[-1][0] == found:
                    brackets.pop()
                elif not fault:
                    fault, fault_at = f"unmatched '{found}'", at
                at += 1
            else:
                token = self._strings.token(at, start)
                fancy = fancy or token.formatted
                if token.fault and not fault:
                    fault, fault_at = token.fault, token.fault_at
                if len(token.quote) == 3 and "\n" in text[token.body : token.body_end]:
                    triple = _Triple(token, len(self._lines), start, indent)
                    if token.body_end == token.end:  # not closed
                        return self._cut_string(triple)
                    self._triples.append(triple)
                at = token.end
        if not brackets:
            self._add(start, end, indent, fancy, fault, fault_at)
            return behind
        opener = brackets[-1][1]
        if cut >= 0 and self._budget > 0:
            self._budget -= end - cut
            behind = cut
        self._add(start, behind, indent, fancy, f"'{text[opener]}' was never closed", opener)
        return behind

    def _may_begin_statement(self, at: int, indent: int) -> bool:
        text = self._text
        blanks = _INDENT.match(text, at)
        start = blanks.end() if blanks is not None else at
        return start < len(text) and text[start] not in ")]}#\r\n,." and width(text[at:start]) <= indent

    def _add(self, start: int, end: int, indent: int, fancy: bool, fault: str, fault_at: int) -> None:
        row = self._source.row(start)
        last = self._source.row(max(end - 1, start))
        self._lines.append(LogicalLine(start, end, row, last, indent, fancy, fault, fault_at))

    def _cut_string(self, unclosed: _Triple) -> int:
        """A triple-quoted string reaches the end of the text: end the one that is to blame before the code it swallowed."""
        text = self._text
        culprit, cut = unclosed, -1
        if self._cuts > 0 and self._budget > 0:
            for number, triple in enumerate(self._triples):
                behind = self._triples[number + 1] if number + 1 < len(self._triples) else unclosed
                if self._suspicious(triple, behind):
                    cut = self._code_in(triple, _CODE)
                    if cut >= 0:
                        culprit = triple
                        break
            else:
                cut = self._code_in(unclosed, _CODE)
        del self._lines[culprit.line :]
        self._triples = [triple for triple in self._triples if triple.start < culprit.start]
        self._cuts -= 1
        behind_it = cut if cut >= 0 else len(text)
        self._budget -= len(text) - behind_it
        message = "unterminated triple-quoted string literal"
        self._add(culprit.start, behind_it, culprit.indent, False, message, culprit.token.start)
        return behind_it

    def _suspicious(self, triple: _Triple, behind: _Triple) -> bool:
        """Text stands behind the string's end or before the next one's start, or the string holds a definition.

        Templates of code hold some too, but seldom at the indentation of the code around them.
        """
        text, token = self._text, triple.token
        if _PROSE_BEHIND.match(text, token.end):
            return True
        before = text[behind.start : behind.token.start].rstrip()
        if before[-1:] in (".", "!", "?"):
            return True
        if before[-1:].isalnum() and not _OPERATOR.search(before):
            return True
        at = self._code_in(triple, _DEFINITION)
        return at >= 0 and (token.start == triple.start or text[at] in " \t")

    def _code_in(self, triple: _Triple, pattern: re.Pattern[str]) -> int:
        """The first line of a string that looks like code, or -1.

        Definitions look so at any depth, other code where it is indented no deeper than the string's statement.
        """
        text = self._text
        for line_end in _LINE_END.finditer(text, triple.token.body, triple.token.body_end):
            at = line_end.end()
            found = pattern.match(text, at)
            if found is not None and found.end() <= triple.token.body_end:
                blanks = _INDENT.match(text, at)
                shallow = blanks is not None and width(blanks.group()) <= triple.indent
                if shallow or (pattern is _CODE and _DEFINITION.match(text, at)):
                    return at
        return -1
