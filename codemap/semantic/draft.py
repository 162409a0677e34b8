# What one reading of a file fills: plain lists of rows, the scope and block that is being read, and the words
# met so far. It decides nothing; the modules beside it do. Rows are plain tuples in the order of the fields of
# the records in `model.facts` (lists where a later statement completes them) and become records at the end, for
# a call per record in the inner loop would cost as much as all the rest. Columns are bytes of UTF-8, as `ast`
# gives them, until `facts.py` converts those of the few lines that need it.
#
# The two dispatch tables stand here because every module of this folder fills them and none owns them:
# a handler reads its operands through the tables and so needs no module but this one.
from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any, Final

from codemap.model import facts
from codemap.source.parsing import Parsed

Row = tuple[Any, ...]

# A handler of a statement says how control leaves it.
FALLS_THROUGH: Final = 0
RAISES: Final = 1  # it always raises
LEAVES: Final = 2  # it always returns, continues, breaks or never ends

# indexes of fields that are completed after a row was made
BLOCK_TEST: Final = facts.Block._fields.index("test")
BLOCK_TERMINATES: Final = facts.Block._fields.index("terminates")

_IN_OUTLINE: Final = frozenset({facts.MODULE, facts.CLASS})


class Draft:
    """The facts of a file while they are being read."""

    __slots__ = (
        "ascii",
        "attributes",
        "binding_rows",
        "block",
        "blocks",
        "bound",
        "branches",
        "broke",
        "called",
        "class_words",
        "classes",
        "declared",
        "defined",
        "errors",
        "exported",
        "exports",
        "flows",
        "functions",
        "generators",
        "imported",
        "imports",
        "in_outline",
        "keywords",
        "kinds",
        "lines",
        "local_rows",
        "nonlocal_rows",
        "parameter_names",
        "parameters",
        "parents",
        "parsed",
        "reads",
        "returning",
        "returns",
        "roots",
        "rows",
        "scope",
        "scopes",
        "spans",
        "statements",
        "static",
        "stored",
        "stores",
        "strings",
        "too_deep",
        "typing_names",
    )  # fmt: skip

    def __init__(self, parsed: Parsed) -> None:
        self.parsed = parsed
        self.lines: list[bytes] = parsed.byte_lines
        self.ascii: bool = parsed.ascii
        # rows, see model.facts
        self.rows: list[Row] = []
        self.spans: list[tuple[int, int, int]] = []
        self.scopes: list[Row] = []
        self.blocks: list[list[Any]] = []
        self.binding_rows: list[Row] = []
        self.local_rows: list[Row] = []
        self.stores: list[Row] = []
        self.imports: list[Row] = []
        self.exports: list[Row] = []
        self.classes: list[Row] = []
        self.functions: list[Row] = []
        self.parameters: list[Row] = []
        self.returns: list[tuple[int, int]] = []
        self.flows: list[Row] = []
        self.branches: list[tuple[int, int, int, bool]] = []
        self.errors: list[facts.ParseError] = []
        # where the reading stands
        self.scope = -1
        self.block = -1
        self.statements = 0  # number of compound statements so far
        self.broke = False  # a `break` was met in the innermost loop
        self.too_deep = False
        # by scope
        self.kinds: list[str] = []
        self.parents: list[int] = []
        self.roots: list[int] = []  # root blocks
        self.in_outline: list[bool] = []
        self.declared: list[dict[str, int] | None] = []  # name -> 0 (global) or -1 (nonlocal)
        self.parameter_names: dict[int, tuple[str, ...]] = {}  # those of `def`s, in order
        self.static: set[int] = set()  # scopes of static methods
        self.generators: set[int] = set()  # scopes that yield
        self.returning: set[int] = set()  # scopes that return something but None
        self.nonlocal_rows: list[int] = []  # places in local_rows whose owner is looked for at the end
        self.typing_names: set[str] = {"TYPE_CHECKING", "MYPY"}
        # words by role
        self.reads: set[str] = set()
        self.attributes: set[str] = set()
        self.stored: set[str] = set()
        self.called: set[str] = set()
        self.keywords: set[str] = set()
        self.strings: list[str] = []
        self.bound: set[str] = set()
        self.defined: set[str] = set()
        self.class_words: set[str] = set()
        self.imported: set[str] = set()
        self.exported: set[str] = set()

    def enter(self, scope: int, block: int) -> None:
        """Expressions from here on belong to this scope and block."""
        if block == self.block:  # a block has one scope
            return
        self.scope = scope
        self.block = block
        spans = self.spans
        first = len(self.rows)
        if spans and spans[-1][0] == first:
            spans.pop()
        if not spans or spans[-1][2] != block:
            spans.append((first, scope, block))

    def add_block(self, kind: str, line: int, statement: int, text: str = "", test: int = -1) -> int:
        """A block within the current one; it is not entered."""
        self.blocks.append([self.block, kind, self.scope, line, statement, text, test, False])
        return len(self.blocks) - 1

    def add_statement(self) -> int:
        """The number under which the blocks of a compound statement are grouped."""
        self.statements += 1
        return self.statements - 1

    def open_scope(
        self, kind: str, name: str, line: int, column: int, start: int, header: int, header_end: int, end: int
    ) -> int:
        """Make a scope within the current one, with its root block, and enter it."""
        scope = len(self.scopes)
        self.scopes.append(
            (kind, name, self.scope, self.block, line, column, start, header, end, (), (), header_end)
        )
        self.kinds.append(kind)
        self.parents.append(self.scope)
        self.in_outline.append(kind in _IN_OUTLINE)
        self.declared.append(None)
        root = len(self.blocks)
        self.roots.append(root)
        self.blocks.append([self.block, facts.ROOT, scope, line, -1, "", -1, False])
        self.enter(scope, root)
        return scope

    def flow(self, kind: str, value: int, line: int) -> None:
        """A value leaves here, or is tested."""
        self.flows.append((kind, self.scope, self.block, value, line, len(self.rows)))


EXPRESSIONS: Final[dict[type[ast.AST], Callable[[Draft, Any], int]]] = {}
STATEMENTS: Final[dict[type[ast.AST], Callable[[Draft, Any], int]]] = {}


def read_statements(d: Draft, statements: list[ast.stmt]) -> int:
    """Read a run of statements in the current block; what follows its end goes to a DEAD block. The caller restores
    the block. A statement that is nested too deeply for the recursion limit is left out and marked."""
    ending = FALLS_THROUGH
    dead = False
    scope, block = d.scope, d.block  # every handler comes back to them
    for statement in statements:
        if ending and not dead:
            dead = True
            block = d.add_block(facts.DEAD, statement.lineno, -1)
            d.enter(scope, block)
        try:
            leaves = STATEMENTS[type(statement)](d, statement)
        except RecursionError:
            leaves = FALLS_THROUGH
            d.too_deep = True
            d.enter(scope, block)
            d.errors.append(
                facts.ParseError(statement.lineno, statement.col_offset, "nested too deeply to be read")
            )
        if not dead:
            ending = leaves
    return ending


def dotted(node: ast.AST | None) -> str:
    """ "a.b.c" of a chain of names, "" of anything else."""
    if type(node) is ast.Name:
        return node.id
    parts: list[str] = []
    while type(node) is ast.Attribute:
        parts.append(node.attr)
        node = node.value
    if type(node) is not ast.Name:
        return ""
    parts.append(node.id)
    return ".".join(reversed(parts))
