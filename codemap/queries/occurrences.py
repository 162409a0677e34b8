# One place that has to do with a definition, before any question makes a result of it: `refs`, `consumers`,
# `producers` and `show` choose among the same occurrences, so they cannot disagree.
from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from codemap.inference.values import INSTANCE, MODULE
from codemap.model import facts
from codemap.model.answers import CONFIDENCES
from codemap.queries.headers import source_lines
from codemap.semantic import expressions as op

if TYPE_CHECKING:
    from codemap.inference.engine import Engine
    from codemap.inference.tables import Table
    from codemap.inference.values import Value

# roles of a reference
DEFINITION: Final = "definition"
IMPORT: Final = "import"
ANNOTATION: Final = "annotation"
BASE: Final = "base"
CALL: Final = "call"
CONSTRUCT: Final = "construct"
READ: Final = "read"
WRITE: Final = "write"
DELETE: Final = "delete"
STRING: Final = "string"

# ways in which an attribute is used; those of WRITES change it
AUGMENTED: Final = "augmented"
REPLACE: Final = "replace"
SETATTR: Final = "setattr"
GETATTR: Final = "getattr"
PATTERN: Final = "pattern"
READS: Final = frozenset({READ, AUGMENTED, GETATTR, PATTERN})
WRITES: Final = frozenset({WRITE, AUGMENTED, CONSTRUCT, REPLACE, SETATTR, DELETE})


class Occurrence(NamedTuple):
    """`line` from 1, `column` from 0; `access` is "" where nothing is read or written (definitions, imports);
    `token` tells whether the name itself stands there (a positional argument bears no name)."""

    file: str
    line: int
    column: int
    scope: int
    role: str
    access: str
    rank: int
    how: str
    attribute: str = ""
    receiver: str = ""
    expression: int = -1
    token: bool = True


class Open(NamedTuple):
    """A place that bears the name and could not be decided."""

    file: str
    line: int
    name: str
    reason: str


def result_of(engine: Engine, row: Occurrence) -> dict[str, Any]:
    """The fields that every result has, and `name`: the function, method, class or module that does it."""
    return {
        "file": row.file,
        "line": row.line,
        "column": row.column + 1,
        "confidence": CONFIDENCES[row.rank],
        "how": row.how,
        "name": engine.qualified(row.file, named_scope(engine.table(row.file), row.scope)),
    }


def named_scope(table: Table, scope: int) -> int:
    """The innermost function, class or module around a scope: lambdas and comprehensions belong to it."""
    scopes = table.view.outline.scopes
    while scope > 0 and scopes[scope].kind not in (facts.FUNCTION, facts.CLASS):
        scope = scopes[scope].parent
    return scope


def lines_of(engine: Engine, path: str) -> list[str]:
    """The text of a file of the tree, by lines."""
    known: list[str] | None = engine.memo.get(("lines", path))
    if known is None:
        encoding = engine.program.view(path).outline.encoding
        known = engine.memo["lines", path] = source_lines(engine.names.index.source(path), encoding)
    return known


def first_token(table: Table, expression: int) -> tuple[int, int]:
    """Where an expression begins."""
    best: tuple[int, int] = tuple(table.rows[expression][1:3])
    work = [expression]
    while work:
        row = table.rows[work.pop()]
        best = min(best, (row[1], row[2]))
        work += op.children(row)
    return best


def keyword_place(engine: Engine, table: Table, call: int, name: str, value: int) -> tuple[int, int]:
    """Where the `name` of `f(name=value)` stands; the place of the value when it is not found."""
    line, column = first_token(table, value)
    lines = lines_of(engine, table.path)
    start = table.rows[call][1]
    pattern = re.compile(rf"\b{re.escape(name)}\s*=(?!=)")
    for number in range(min(line, len(lines)), max(start, line - 12) - 1, -1):
        text = lines[number - 1]
        found = None
        for match in pattern.finditer(text[:column] if number == line else text):
            found = match
        if found is not None:
            return number, found.start()
    return line, column


# --- by which rule --------------------------------------------------------------------------------------------
def receiver_how(engine: Engine, table: Table, expression: int, value: Value) -> str:
    """The word for how a receiver came to be known."""
    row = table.rows[expression]
    if value[0] == MODULE:
        return "import"
    if row[0] == op.NAME:
        return _name_how(table, expression, row[3], value)
    if row[0] == op.ATTRIBUTE:
        return "class" if value[0] == "class" else "attribute"
    if row[0] == op.CALL:
        if value[0] == "super":
            return "super"
        return "constructor" if value[0] == INSTANCE and not value[4] else "return"
    if row[0] in (op.SUBSCRIPT, op.ITERATE, op.ELEMENT):
        return "element"
    if row[0] in (op.MATCH_CLASS, op.MATCH_OR, op.MATCH_VALUE):
        return "pattern"
    if row[0] == op.AWAIT:
        return "return"
    return "value"


def _name_how(table: Table, expression: int, name: str, value: Value) -> str:
    scope, _ = table.place(expression)
    scopes = table.view.outline.scopes
    while scope > 0:
        rows = [row for _, row in table.local_bindings(scope, name)]
        if rows:
            return _binding_how(table, scope, rows, value)
        scope = scopes[scope].parent
    if value[0] == "class":
        return "class"
    rows = [row for _, row in table.outer_bindings(0, name)]
    return _binding_how(table, 0, rows, value) if rows else "value"


def _binding_how(table: Table, scope: int, rows: list[facts.Binding], value: Value) -> str:
    for row in rows:
        if row.kind == facts.PARAMETER:
            parameter = next((one for one in table.parameters(scope) if one.name == row.name), None)
            first = bool(table.parameters(scope)) and table.parameters(scope)[0].name == row.name
            method = table.view.outline.scopes[table.view.outline.scopes[scope].parent].kind == facts.CLASS
            annotated = parameter is not None and parameter.annotation >= 0
            if first and method:
                return "self-annotation" if annotated else "self"
            return "annotation" if annotated else "call-sites"
    kinds = {row.kind for row in rows}
    if any(row.annotation_value >= 0 for row in rows) and value[0] == INSTANCE and value[4]:
        return "annotation"
    if facts.IMPORT in kinds:
        return "import"
    if facts.MATCH in kinds:
        return "pattern"
    if facts.FOR in kinds:
        return "element"
    if facts.WITH_TARGET in kinds:
        return "context-manager"
    for row in rows:
        if row.value >= 0 and table.rows[row.value][0] == op.CALL and value[0] == INSTANCE:
            return "constructor" if not value[4] else "return"
    return "class" if value[0] == "class" else "assignment"


# --- what an expression does with a name --------------------------------------------------------------------------
def role_of(engine: Engine, table: Table, expression: int, is_class: bool = False) -> str:
    """The role of a NAME or ATTRIBUTE expression: annotation, base, call (construct for classes) or read."""
    child, parent = expression, table.parent(expression)
    if parent < 0 or table.rows[parent][0] != op.CALL or table.rows[parent][3] != expression:
        while parent >= 0:
            if table.rows[parent][0] == op.STRING_ANNOTATION:
                return ANNOTATION
            child, parent = parent, table.parent(parent)
        if child in annotation_roots(table):
            return ANNOTATION
        if expression in _bases(table):
            return BASE
        if child in _bases(table):
            return ANNOTATION  # within brackets: `class A(Generic[T])`
        if expression in _decorators(table):
            return CONSTRUCT if is_class else CALL
        return READ
    while parent >= 0:
        child, parent = parent, table.parent(parent)
    if child in annotation_roots(table):
        return ANNOTATION
    return CONSTRUCT if is_class else CALL


def scope_of(table: Table, expression: int) -> int:
    """The scope that an expression belongs to: that whose code it is, the function for its own annotations."""
    functions: dict[int, int] | None = table.__dict__.get("_annotated_functions")
    if functions is None:
        functions = {row.annotation: row.function for row in table.body.parameters if row.annotation >= 0}
        functions.update((annotation, scope) for scope, annotation in table.body.returns if annotation >= 0)
        table.__dict__["_annotated_functions"] = functions
    if not functions:
        return table.place(expression)[0]
    root = expression
    while root not in functions and table.parent(root) >= 0:
        root = table.parent(root)
    return functions[root] if root in functions else table.place(expression)[0]


def annotation_roots(table: Table) -> frozenset[int]:
    """The expressions of a file that are annotations as a whole."""
    known: frozenset[int] | None = table.__dict__.get("_annotations")
    if known is None:
        body, outline = table.body, table.view.outline
        known = frozenset(
            [
                *(row.annotation_value for row in outline.bindings),
                *(row.annotation_value for row in body.bindings),
                *(row.annotation_value for row in outline.stores),
                *(row.annotation for row in body.parameters),
                *(annotation for _, annotation in body.returns),
            ]
        ) - {-1}
        table.__dict__["_annotations"] = known
    return known


def _bases(table: Table) -> frozenset[int]:
    known: frozenset[int] | None = table.__dict__.get("_base_values")
    if known is None:
        known = frozenset(value for row in table.view.outline.classes for value in row.base_values)
        table.__dict__["_base_values"] = known
    return known


def _decorators(table: Table) -> frozenset[int]:
    known: frozenset[int] | None = table.__dict__.get("_decorator_values")
    if known is None:
        outline = table.view.outline
        known = frozenset(
            [value for row in outline.classes for value in row.decorator_values]
            + [value for row in outline.functions for value in row.decorator_values]
        )
        table.__dict__["_decorator_values"] = known
    return known
