# Keep what can be kept of a text that no grammar reads whole. Its logical lines are put together to statements by their
# indentation; a statement that does not parse is looked into (a class keeps its good methods), and what is bad in the
# end is overwritten by `0` or, where it is the head of a block, by a head that says less. Lines keep their numbers, so
# that at last the whole text is parsed once more and every position is right without a shift.
#
# A head that cannot be read becomes `class Name:`, `def name():` (the name and its place survive), else `if ...:`, a
# condition that nobody can decide. `0` and not `pass`, because a function that lost its body is no stub.
from __future__ import annotations

import ast
import re
from keyword import iskeyword
from typing import Final, cast

from codemap.model.facts import ParseError
from codemap.source.lines import LogicalLine
from codemap.source.positions import SourceText

_LINE_END: Final = re.compile(r"\r\n|\r|\n")
_MARGIN: Final = re.compile(r"[ \t\f]*")
_WORD: Final = re.compile(r"(?:async[ \t]+)?([^\W\d]\w*)")
# The last `def` or `class` before a name: a doubled keyword is a fault that is made.
_NAMED_HEAD: Final = re.compile(
    r"\b((?:async[ \t]+def|def|class)[ \t]+)(?!(?:class|def|async|if|lambda)\b)([^\W\d]\w*)"
)
# Heads that say nothing and may stand where the clause stood.
_PLAIN_HEADS: Final = {
    "elif": "elif ...:",
    "else": "else:",
    "except": "except ...:",
    "finally": "finally:",
    "try": "try:",
    "while": "while ...:",
    "match": "match ...:",
    "case": "case _:",
}
_LATER_CLAUSES: Final = frozenset(["elif", "else", "except", "finally"])
_COMPOUND: Final = frozenset(
    [
        "if",
        "for",
        "while",
        "try",
        "with",
        "def",
        "class",
        "match",
        "case",
        "async",
        "elif",
        "else",
        "except",
        "finally",
    ]
)
_CHUNK: Final = 64 * 1024  # characters parsed in one go while looking for what is bad, when nothing is bad
_SMALL: Final = 512  # and where much is
_DEPTH: Final = 90  # CPython allows 100 levels of indentation
_ATTEMPTS: Final = 25
TOO_COMPLEX: Final = "too complex to parse"


class _Clause:
    """A logical line and the statements of its block."""

    __slots__ = ("body", "head", "word")

    def __init__(self, head: LogicalLine, word: str) -> None:
        self.head = head
        self.word = word
        self.body: list[_Statement] = []

    @property
    def last_row(self) -> int:
        return self.body[-1].last_row if self.body else self.head.last_row


class _Statement:
    """A statement: its decorators, and its clauses (one of a simple statement)."""

    __slots__ = ("clauses", "decorators", "misplaced")

    def __init__(self, decorators: list[LogicalLine], clause: _Clause, misplaced: bool) -> None:
        self.decorators = decorators
        self.clauses = [clause]
        self.misplaced = misplaced  # indented as nothing before it is

    @property
    def row(self) -> int:
        return self.decorators[0].row if self.decorators else self.clauses[0].head.row

    @property
    def last_row(self) -> int:
        return self.clauses[-1].last_row

    @property
    def simple(self) -> bool:
        return len(self.clauses) == 1 and not self.clauses[0].body and not self.decorators


def read_module(text: str) -> ast.Module:
    """Parse a text; raises SyntaxError whatever the parser dislikes."""
    try:
        return cast(ast.Module, compile(text, "<source>", "exec", ast.PyCF_ONLY_AST, dont_inherit=True))
    except (RecursionError, MemoryError, OverflowError) as error:
        raise SyntaxError(TOO_COMPLEX, ("<source>", 1, 1, None)) from error
    except ValueError as error:
        raise SyntaxError(str(error), ("<source>", 1, 1, None)) from error


def recover(
    source: SourceText, lines: list[LogicalLine], rewritten: str
) -> tuple[ast.Module, list[ParseError]]:
    """The tree of what is good in the rewritten text, and an error for each thing that is not."""
    return _Recovery(source, lines, rewritten).run()


class _Recovery:
    def __init__(self, source: SourceText, lines: list[LogicalLine], rewritten: str) -> None:
        self._source = source
        self._lines = lines
        self._rows = _LINE_END.split(rewritten)
        self._errors: list[ParseError] = []
        self._faults = {line.row: line for line in lines if line.fault}

    def run(self) -> tuple[ast.Module, list[ParseError]]:
        statements = self._block(0, 0, 0)[0]
        self._repair(statements, "")
        for _ in range(_ATTEMPTS):
            try:
                return read_module("\n".join(self._rows)), self._errors
            except SyntaxError as error:
                row = error.lineno or 1
                bad = next((item for item in statements if item.row <= row <= item.last_row), None)
                if error.msg == TOO_COMPLEX or bad is None:
                    self._errors.append(ParseError(row, 0, error.msg))
                    break
                self._errors.append(ParseError(row, max((error.offset or 1) - 1, 0), error.msg))
                self._drop(bad)
        return ast.Module([], []), self._errors

    # --- statements by indentation --------------------------------------------------------------------------
    def _block(self, at: int, indent: int, depth: int) -> tuple[list[_Statement], int]:
        """The statements of a block whose lines are indented so, from a logical line on, and the line behind it."""
        lines = self._lines
        statements: list[_Statement] = []
        decorators: list[LogicalLine] = []
        while at < len(lines):
            line = lines[at]
            if line.indent > indent and statements and depth < _DEPTH and not decorators:
                statements[-1].clauses[-1].body, at = self._inner(at, indent, depth)
                continue
            if line.indent < indent and depth:
                break
            at += 1
            word = self._word(line)
            opens_block = at < len(lines) and lines[at].indent > indent
            if word == "@" and line.indent == indent and not opens_block:
                decorators.append(line)
                continue
            clause = _Clause(line, word)
            if word in _LATER_CLAUSES and statements and not decorators and line.indent == indent:
                statements[-1].clauses.append(clause)
            else:
                statements.append(_Statement(decorators, clause, line.indent != indent))
                decorators = []
        if decorators:  # they decorate nothing
            statements += [_Statement([], _Clause(line, "@"), False) for line in decorators]
        return statements, at

    def _inner(self, at: int, indent: int, depth: int) -> tuple[list[_Statement], int]:
        """The block of a head: all lines indented deeper than it, also those that fit no level."""
        statements: list[_Statement] = []
        lines = self._lines
        inner = lines[at].indent
        while at < len(lines) and lines[at].indent > indent:
            more, at = self._block(at, inner, depth + 1)
            for statement in more:
                statement.misplaced = statement.misplaced or statement.clauses[0].head.indent != inner
            statements += more
            if at < len(lines) and indent < lines[at].indent < inner:
                stray = _Statement([], _Clause(lines[at], self._word(lines[at])), True)
                statements.append(stray)
                at += 1
        return statements, at

    def _word(self, line: LogicalLine) -> str:
        """The word that a line begins with; of `async def` the `def`."""
        text = self._source.text
        if text[line.start] == "@":
            return "@"
        match = _WORD.match(text, line.start, line.end)
        return match[1] if match is not None else ""

    # --- looking for what is bad ------------------------------------------------------------------------------
    def _check(self, row: int, last_row: int, wrapper: str) -> ParseError | None:
        """Parse some lines, in a block when there is a wrapper; None when they are good."""
        return self._try(
            wrapper + "\n".join(self._rows[row - 1 : last_row]) + "\n", row, last_row, bool(wrapper)
        )

    def _try(self, text: str, row: int, last_row: int, wrapped: bool) -> ParseError | None:
        try:
            read_module(text)
        except SyntaxError as error:
            line = row + (error.lineno or 1) - 1 - wrapped
            return ParseError(min(max(line, row), last_row), max((error.offset or 1) - 1, 0), error.msg)
        return None

    def _repair(self, statements: list[_Statement], wrapper: str) -> None:
        """Make all statements of a block parse."""
        for statement in statements:
            if statement.misplaced:
                self._add_error(statement, ParseError(statement.row, 0, "unexpected indentation"))
                self._blank(statement.row, statement.last_row)
        good = [statement for statement in statements if not statement.misplaced]
        if not good and statements:
            self._put(statements[0].row, "0")
        at, limit = 0, _CHUNK
        while at < len(good):
            behind = self._run_end(good, at, limit)
            at, clean = self._repair_run(good, at, behind, wrapper)
            limit = min(2 * limit, _CHUNK) if clean else max(limit // 4, _SMALL)

    def _run_end(self, statements: list[_Statement], at: int, limit: int) -> int:
        """The index behind a run of statements of about so many characters."""
        size = 0
        while at < len(statements) and size <= limit:
            statement = statements[at]
            size += 16 + sum(map(len, self._rows[statement.row - 1 : statement.last_row]))
            at += 1
        return at

    def _repair_run(
        self, statements: list[_Statement], at: int, behind: int, wrapper: str
    ) -> tuple[int, bool]:
        """Repair up to the first bad statement of a run; the index behind what is good now, and whether all was good."""
        end = behind
        while True:
            error = self._check(statements[at].row, statements[end - 1].last_row, wrapper)
            if error is None:
                return end, end == behind
            if end == at + 1:
                self._repair_statement(statements[at], wrapper, error)
                return end, False
            bad = next((n for n in range(at, end) if error.line <= statements[n].last_row), end - 1)
            end = max(bad, at + 1)

    # --- making it good ---------------------------------------------------------------------------------------
    def _repair_statement(self, statement: _Statement, wrapper: str, error: ParseError) -> None:
        """Keep what is good of a statement that does not parse."""
        if statement.simple and statement.clauses[0].word not in _COMPOUND:
            self._add_error(statement, error)
            self._drop(statement)
            return
        first = statement.clauses[0]
        if (
            first.word not in _COMPOUND
            and first.body
            and self._check_head(first, self._head_text(first), False) is None
        ):
            self._keep_stray_block(first)
            return
        for line in statement.decorators:
            bad = self._try(
                "\n".join(self._rows[line.row - 1 : line.last_row]).lstrip() + "\nclass _: 0\n",
                line.row,
                line.last_row,
                False,
            )
            if bad is not None:
                self._errors.append(bad)
                self._blank(line.row, line.last_row)
        for clause in statement.clauses:
            if clause.body:
                self._repair(clause.body, "match 0:\n" if clause.word == "match" else "if 1:\n")
        remaining = self._check(statement.row, statement.last_row, wrapper)
        if remaining is None:
            return
        for clause in statement.clauses:
            bad = self._check_head(clause, self._head_text(clause))
            if bad is not None:
                self._add_head_error(clause, bad)
                self._simplify(clause)
                remaining = self._check(statement.row, statement.last_row, wrapper)
                if remaining is None:
                    return
        self._add_error(statement, remaining)
        for clause in statement.clauses:
            if (
                clause.word not in ("class", "def")
                or self._check_head(clause, self._head_text(clause)) is not None
            ):
                self._rewrite_head(clause, "if ...:")
        if self._check(statement.row, statement.last_row, wrapper) is not None:
            self._drop_bodies(statement)
            if self._check(statement.row, statement.last_row, wrapper) is not None:
                self._drop(statement)

    def _keep_stray_block(self, clause: _Clause) -> None:
        """Statements indented under one that opens no block: keep them under `if ...:` where a blank line has room."""
        row, last_row = clause.body[0].row, clause.last_row
        self._errors.append(ParseError(row, 0, "unexpected indent"))
        above = self._rows[row - 2].strip()
        if row - 1 > clause.head.last_row and (not above or above.startswith("#")):
            margin = cast(re.Match[str], _MARGIN.match(self._rows[clause.head.row - 1])).group()
            self._rows[row - 2] = margin + "if ...:"
            self._repair(clause.body, "if 1:\n")
            if self._check(row, last_row, "if 1:\n") is None:
                return
            self._rows[row - 2] = ""
        self._blank(row, last_row)

    def _check_head(self, clause: _Clause, head: list[str], block: bool = True) -> ParseError | None:
        """Parse a clause's head with a body that says nothing."""
        before, behind = "", ""
        if clause.word in ("elif", "else"):
            before = "if 1: 0\n"
        elif clause.word in ("except", "finally"):
            before = "try: 0\n"
        elif clause.word == "try":
            behind = "\nfinally: 0"
        elif clause.word == "case":
            before = "match 0:\n "
        margin = len(cast(re.Match[str], _MARGIN.match(head[0])).group())
        body = "\n" + ("   0" if clause.word != "match" else "   case _: 0") if clause.body and block else ""
        text = before + "\n".join([head[0][margin:], *head[1:]]) + body + behind + "\n"
        return self._try(
            text,
            clause.head.row,
            clause.head.last_row,
            clause.word in _LATER_CLAUSES or clause.word == "case",
        )

    def _head_text(self, clause: _Clause) -> list[str]:
        return self._rows[clause.head.row - 1 : clause.head.last_row]

    def _simplify(self, clause: _Clause) -> None:
        """Replace a bad head by the first that parses: with a colon or a body added, by its name alone, or `if ...:`."""
        head = self._head_text(clause)
        for ending in (":", " 0", ": 0"):
            if self._check_head(clause, [*head[:-1], head[-1].rstrip() + ending]) is None:
                self._rows[clause.head.last_row - 1] = head[-1].rstrip() + ending
                return
        plain = _PLAIN_HEADS.get(clause.word, "if ...:")
        named = _NAMED_HEAD.search(head[0])
        if named is not None and not iskeyword(named[2]):
            plain = named[1] + named[2] + (":" if named[1].startswith("class") else "():")
        self._rewrite_head(clause, plain)

    def _rewrite_head(self, clause: _Clause, text: str) -> None:
        margin = cast(re.Match[str], _MARGIN.match(self._rows[clause.head.row - 1])).group()
        self._blank(clause.head.row, clause.head.last_row)
        self._rows[clause.head.row - 1] = margin + text + ("" if clause.body else " 0")

    def _drop_bodies(self, statement: _Statement) -> None:
        """Keep the heads of a statement alone."""
        for clause in statement.clauses:
            if clause.body:
                self._blank(clause.body[0].row, clause.last_row)
                clause.body = []
                self._simplify(clause)

    def _drop(self, statement: _Statement) -> None:
        """Overwrite a statement by `0`."""
        margin = cast(re.Match[str], _MARGIN.match(self._rows[statement.row - 1])).group()
        self._blank(statement.row, statement.last_row)
        self._rows[statement.row - 1] = margin + "0"

    def _put(self, row: int, text: str) -> None:
        """Put a statement on a line that was blanked, at the indentation it had."""
        start = self._source.row_start(row)
        margin = cast(re.Match[str], _MARGIN.match(self._source.text, start)).group()
        self._rows[row - 1] = margin + text

    def _blank(self, row: int, last_row: int) -> None:
        self._rows[row - 1 : last_row] = [""] * (last_row - row + 1)

    def _add_error(self, statement: _Statement, error: ParseError) -> None:
        self._add_head_error(statement.clauses[0], error)

    def _add_head_error(self, clause: _Clause, error: ParseError) -> None:
        """Note an error; a fault of brackets or strings that the scanner found says it better."""
        fault = self._faults.get(clause.head.row)
        if fault is not None:
            error = ParseError(*self._source.character_place(fault.fault_at), fault.fault)
        self._errors.append(error)
