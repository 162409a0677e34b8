# Expressions that read: names, attributes, operators, displays, strings. Each handler reads its operands in the
# order in which Python evaluates them, appends one row and returns its id. They recurse through the dispatch
# table by plain calls only (no generator, no map): such calls take no C stack, so that a deep tree needs
# nothing but a higher recursion limit.
from __future__ import annotations

import ast
from typing import Any, Final

from codemap.semantic import expressions as ops
from codemap.semantic.draft import EXPRESSIONS, Draft
from codemap.semantic.tokens import attribute_token
from codemap.source import grammar
from codemap.source.parsing import FSTRINGS_NEED_MENDING, fields_in_place, mend_fstring

_OPERATORS: Final[dict[type[ast.AST], str]] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.MatMult: "@", ast.Div: "/", ast.Mod: "%", ast.Pow: "**",
    ast.LShift: "<<", ast.RShift: ">>", ast.BitOr: "|", ast.BitXor: "^", ast.BitAnd: "&", ast.FloorDiv: "//",
    ast.Invert: "~", ast.Not: "not", ast.UAdd: "+", ast.USub: "-",
    ast.And: "and", ast.Or: "or",
    ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=",
    ast.Is: "is", ast.IsNot: "is-not", ast.In: "in", ast.NotIn: "not-in",
}  # fmt: skip
_CONVERSIONS: Final = {-1: "", 115: "s", 114: "r", 97: "a"}
_CONSTANTS: Final[dict[type, str]] = {
    kind: kind.__name__ for kind in (str, int, float, complex, bytes, bool, type(None), type(...))
}
_LARGEST: Final = 2**63


def read(d: Draft, node: ast.expr) -> int:
    """Read any expression; gives its id."""
    return EXPRESSIONS[type(node)](d, node)


def read_optional(d: Draft, node: ast.expr | None) -> int:
    """Read an expression that may be left out (-1)."""
    return -1 if node is None else EXPRESSIONS[type(node)](d, node)


def read_all(d: Draft, nodes: list[Any]) -> tuple[int, ...]:
    """Read expressions in order."""
    ids: list[int] = []
    for node in nodes:  # a comprehension would take a frame of its own before 3.12
        ids.append(EXPRESSIONS[type(node)](d, node))
    return tuple(ids)


def operator(node: ast.AST) -> str:
    """The text of an operator."""
    return _OPERATORS[type(node)]


def _name(d: Draft, node: ast.Name) -> int:
    name = node.id
    d.reads.add(name)
    rows = d.rows
    rows.append((ops.NAME, node.lineno, node.col_offset, name))
    return len(rows) - 1


def _attribute(d: Draft, node: ast.Attribute) -> int:
    value = node.value
    of = EXPRESSIONS[type(value)](d, value)
    name = node.attr
    d.attributes.add(name)
    rows = d.rows
    if d.ascii:
        rows.append((ops.ATTRIBUTE, node.end_lineno, node.end_col_offset - len(name), of, name))  # type: ignore[operator]
    else:
        line, column = attribute_token(d, node)
        rows.append((ops.ATTRIBUTE, line, column, of, name))
    return len(rows) - 1


def _constant(d: Draft, node: ast.Constant) -> int:
    value: Any = node.value
    kind = type(value)
    if kind is str:
        d.strings.append(value)
        if len(value) > ops.LONGEST_STRING:
            value = None
    elif kind is int:
        if not -_LARGEST <= value < _LARGEST:
            value = None
    elif kind is not bool:
        value = None
    rows = d.rows
    rows.append((ops.CONSTANT, node.lineno, node.col_offset, _CONSTANTS[kind], value))
    return len(rows) - 1


def _subscript(d: Draft, node: ast.Subscript) -> int:
    value, index = node.value, node.slice
    of = EXPRESSIONS[type(value)](d, value)
    at = EXPRESSIONS[type(index)](d, index)
    rows = d.rows
    rows.append((ops.SUBSCRIPT, node.lineno, node.col_offset, of, at))
    return len(rows) - 1


def _slice(d: Draft, node: ast.Slice) -> int:
    lower = read_optional(d, node.lower)
    upper = read_optional(d, node.upper)
    step = read_optional(d, node.step)
    rows = d.rows
    rows.append((ops.SLICE, node.lineno, node.col_offset, lower, upper, step))
    return len(rows) - 1


def _tuple(d: Draft, node: ast.Tuple) -> int:
    return _display(d, node, ops.TUPLE, node.elts)


def _list(d: Draft, node: ast.List) -> int:
    return _display(d, node, ops.LIST, node.elts)


def _set(d: Draft, node: ast.Set) -> int:
    return _display(d, node, ops.SET, node.elts)


def _display(d: Draft, node: ast.expr, op: int, elements: list[ast.expr]) -> int:
    ids = read_all(d, elements)
    rows = d.rows
    rows.append((op, node.lineno, node.col_offset, ids))
    return len(rows) - 1


def _dict(d: Draft, node: ast.Dict) -> int:
    keys: list[int] = []
    values: list[int] = []
    for key, value in zip(node.keys, node.values, strict=True):
        keys.append(-1 if key is None else EXPRESSIONS[type(key)](d, key))
        values.append(EXPRESSIONS[type(value)](d, value))
    rows = d.rows
    rows.append((ops.DICT, node.lineno, node.col_offset, tuple(keys), tuple(values)))
    return len(rows) - 1


def _binary(d: Draft, node: ast.BinOp) -> int:
    # `a + b + c + ...` nests to the left, thousands deep in generated code: down by a loop, up again in order.
    chain = [node]
    while type(node.left) is ast.BinOp:
        node = node.left
        chain.append(node)
    rows = d.rows
    left = EXPRESSIONS[type(node.left)](d, node.left)
    for node in reversed(chain):
        value = node.right
        right = EXPRESSIONS[type(value)](d, value)
        rows.append((ops.BINARY, node.lineno, node.col_offset, _OPERATORS[type(node.op)], left, right))
        left = len(rows) - 1
    return left


def _unary(d: Draft, node: ast.UnaryOp) -> int:
    operand = EXPRESSIONS[type(node.operand)](d, node.operand)
    rows = d.rows
    rows.append((ops.UNARY, node.lineno, node.col_offset, _OPERATORS[type(node.op)], operand))
    return len(rows) - 1


def _boolean(d: Draft, node: ast.BoolOp) -> int:
    # each operand runs only where those before it were all true (`and`) or all false (`or`)
    rows = d.rows
    truth = type(node.op) is ast.And
    ids: list[int] = []
    for value in node.values:
        first = len(rows)
        here = EXPRESSIONS[type(value)](d, value)
        if ids:
            d.branches.append((first, here, ids[-1], truth))
        ids.append(here)
    rows.append((ops.BOOLEAN, node.lineno, node.col_offset, "and" if truth else "or", tuple(ids)))
    return len(rows) - 1


def _compare(d: Draft, node: ast.Compare) -> int:
    left = EXPRESSIONS[type(node.left)](d, node.left)
    comparators = read_all(d, node.comparators)
    if len(node.ops) == 1:
        operators = _OPERATORS[type(node.ops[0])]
    else:
        operators = " ".join([_OPERATORS[type(one)] for one in node.ops])
    rows = d.rows
    rows.append((ops.COMPARE, node.lineno, node.col_offset, operators, left, comparators))
    return len(rows) - 1


def _conditional(d: Draft, node: ast.IfExp) -> int:
    rows = d.rows
    test = read(d, node.test)
    then = read(d, node.body)
    otherwise = read(d, node.orelse)
    d.branches.append((test + 1, then, test, True))
    d.branches.append((then + 1, otherwise, test, False))
    rows.append((ops.CONDITIONAL, node.lineno, node.col_offset, test, then, otherwise))
    return len(rows) - 1


def _await(d: Draft, node: ast.Await) -> int:
    operand = read(d, node.value)
    d.rows.append((ops.AWAIT, node.lineno, node.col_offset, operand))
    return len(d.rows) - 1


def _yield(d: Draft, node: ast.Yield) -> int:
    operand = read_optional(d, node.value)
    d.generators.add(d.scope)
    d.flow("yield", operand, node.lineno)
    d.rows.append((ops.YIELD, node.lineno, node.col_offset, operand))
    return len(d.rows) - 1


def _yield_from(d: Draft, node: ast.YieldFrom) -> int:
    operand = read(d, node.value)
    d.generators.add(d.scope)
    d.flow("yield from", operand, node.lineno)
    d.rows.append((ops.YIELD_FROM, node.lineno, node.col_offset, operand))
    return len(d.rows) - 1


def _starred(d: Draft, node: ast.Starred) -> int:
    operand = read(d, node.value)
    d.rows.append((ops.STARRED, node.lineno, node.col_offset, operand))
    return len(d.rows) - 1


def _fstring(d: Draft, node: ast.JoinedStr) -> int:
    if FSTRINGS_NEED_MENDING and not fields_in_place(node, d.lines):
        mend_fstring(node, d.parsed)
    return _parts(d, node.values, ops.FSTRING, node.lineno, node.col_offset)


def _tstring(d: Draft, node: grammar.TemplateStr) -> int:
    return _parts(d, node.values, ops.TSTRING, node.lineno, node.col_offset)


def _parts(d: Draft, values: list[Any], op: int, line: int, column: int) -> int:
    # Interpreters differ in where the plain parts and the format specifications begin: they stand where the
    # whole string (the whole field) does.
    parts: list[int] = []
    rows = d.rows
    for part in values:
        if type(part) is ast.Constant:
            value: Any = part.value
            d.strings.append(value)
            kept = value if len(value) <= ops.LONGEST_STRING else None
            rows.append((ops.CONSTANT, line, column, "str", kept))
            parts.append(len(rows) - 1)
        else:
            parts.append(EXPRESSIONS[type(part)](d, part))
    rows.append((op, line, column, tuple(parts)))
    return len(rows) - 1


def _formatted(d: Draft, node: Any) -> int:
    # FormattedValue and Interpolation; the field stands where its expression does, see _parts
    place, spec = node.value, node.format_spec
    operand = read(d, place)
    specification = -1
    if spec is not None:
        specification = _parts(d, spec.values, ops.FSTRING, place.lineno, place.col_offset)
    d.rows.append(
        (ops.FORMATTED, place.lineno, place.col_offset, operand, _CONVERSIONS[node.conversion], specification)
    )
    return len(d.rows) - 1


def unknown(d: Draft, node: ast.expr) -> int:
    """An expression of a class that this program does not know: its parts are read."""
    children = [child for child in ast.iter_child_nodes(node) if type(child) in EXPRESSIONS]
    ids = [EXPRESSIONS[type(child)](d, child) for child in children]
    d.rows.append((ops.UNKNOWN, node.lineno, node.col_offset, tuple(ids)))
    return len(d.rows) - 1


EXPRESSIONS.update(
    {
        ast.Name: _name,
        ast.Attribute: _attribute,
        ast.Constant: _constant,
        ast.Subscript: _subscript,
        ast.Slice: _slice,
        ast.Tuple: _tuple,
        ast.List: _list,
        ast.Set: _set,
        ast.Dict: _dict,
        ast.BinOp: _binary,
        ast.UnaryOp: _unary,
        ast.BoolOp: _boolean,
        ast.Compare: _compare,
        ast.IfExp: _conditional,
        ast.Await: _await,
        ast.Yield: _yield,
        ast.YieldFrom: _yield_from,
        ast.Starred: _starred,
        ast.JoinedStr: _fstring,
        ast.FormattedValue: _formatted,
        grammar.TemplateStr: _tstring,
        grammar.Interpolation: _formatted,
    }
)
