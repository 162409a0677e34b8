# Annotations: the same rows as any expression, but a string constant within is code (PEP 484) and is parsed, so
# that its names are references with their true places. What stands in `Literal[...]` and behind the first
# argument of `Annotated[...]` is data and stays a constant.
from __future__ import annotations

import ast
import re
import warnings
from typing import Any, Final

from codemap.semantic import expressions as ops
from codemap.semantic.draft import EXPRESSIONS, Draft, dotted

_QUOTE: Final = re.compile(rb"""[rRuUbBfFtT]{0,2}("{3}|'{3}|"|')""")


def read_annotation(d: Draft, node: ast.expr | None) -> int:
    """Read an annotation; gives its id, -1 where there is none."""
    if node is None:
        return -1
    if isinstance(node, ast.Subscript):
        return _subscript(d, node)
    if isinstance(node, ast.Constant):
        if isinstance(node.value, str):
            return _string(d, node, node.value)
    elif isinstance(node, ast.BinOp):
        return _union(d, node)
    elif isinstance(node, (ast.Tuple, ast.List)):
        parts = [read_annotation(d, part) for part in node.elts]
        op = ops.TUPLE if isinstance(node, ast.Tuple) else ops.LIST
        d.rows.append((op, node.lineno, node.col_offset, tuple(parts)))
        return len(d.rows) - 1
    elif isinstance(node, ast.Starred):
        inner = read_annotation(d, node.value)
        d.rows.append((ops.STARRED, node.lineno, node.col_offset, inner))
        return len(d.rows) - 1
    return EXPRESSIONS[type(node)](d, node)


def _subscript(d: Draft, node: ast.Subscript) -> int:
    value, index = node.value, node.slice
    of = EXPRESSIONS[type(value)](d, value)
    head = dotted(value).rpartition(".")[2]
    if head == "Literal":
        at = EXPRESSIONS[type(index)](d, index)
    elif head == "Annotated" and isinstance(index, ast.Tuple) and index.elts:
        parts = [read_annotation(d, index.elts[0])]
        parts += [EXPRESSIONS[type(one)](d, one) for one in index.elts[1:]]
        d.rows.append((ops.TUPLE, index.lineno, index.col_offset, tuple(parts)))
        at = len(d.rows) - 1
    else:
        at = read_annotation(d, index)
    d.rows.append((ops.SUBSCRIPT, node.lineno, node.col_offset, of, at))
    return len(d.rows) - 1


def _union(d: Draft, node: ast.BinOp) -> int:
    chain: list[ast.BinOp] = []
    left: ast.expr = node
    while isinstance(left, ast.BinOp) and type(left.op) is ast.BitOr:
        chain.append(left)
        left = left.left
    if not chain:
        return EXPRESSIONS[ast.BinOp](d, node)
    here = read_annotation(d, left)
    for one in reversed(chain):
        right = read_annotation(d, one.right)
        d.rows.append((ops.BINARY, one.lineno, one.col_offset, "|", here, right))
        here = len(d.rows) - 1
    return here


def _string(d: Draft, node: ast.Constant, text: str) -> int:
    d.strings.append(text)
    inner = parse_quoted(text)
    here = -1
    if inner is not None:
        _move(inner, *_inside(d, node, text))
        here = read_annotation(d, inner)
    d.rows.append((ops.STRING_ANNOTATION, node.lineno, node.col_offset, here))
    return len(d.rows) - 1


def parse_quoted(text: str) -> ast.expr | None:
    """The expression within the quotes of an annotation, its places counted from `(1, 1)`; None: it is none."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree: Any = compile(f"({text})", "<annotation>", "eval", ast.PyCF_ONLY_AST, dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError):
        return None
    inner: ast.expr = tree.body
    return inner


def _inside(d: Draft, node: ast.Constant, text: str) -> tuple[int, int, bool]:
    """The place of the first character within the quotes; false where the text is not written as it is read
    (escapes, several literals): then everything inside stands where the string does."""
    line = d.lines[node.lineno - 1] if node.lineno <= len(d.lines) else b""
    quote = _QUOTE.match(line, node.col_offset)
    if quote is None:
        return node.lineno, node.col_offset, False
    written = text.encode("utf-8", "surrogatepass").split(b"\n")
    last = node.lineno + len(written) - 1
    if last != node.end_lineno or last > len(d.lines):
        return node.lineno, node.col_offset, False
    start, closing = quote.end(), len(quote[1])
    if len(written) == 1:
        true = (
            line[start:].startswith(written[0]) and node.end_col_offset == start + len(written[0]) + closing
        )
    else:
        true = line[start:] == written[0] and node.end_col_offset == len(written[-1]) + closing
    return (node.lineno, start, True) if true else (node.lineno, node.col_offset, False)


def _move(inner: ast.expr, line: int, column: int, true: bool) -> None:
    for node in ast.walk(inner):
        if not hasattr(node, "lineno"):
            continue
        here: Any = node
        if not true:
            length = here.end_col_offset - here.col_offset
            here.lineno = here.end_lineno = line
            here.col_offset = here.end_col_offset = column
            if type(here) is ast.Attribute:  # its token is looked for at its end
                here.end_col_offset = column + len(here.attr)
            elif length < 0:
                here.end_col_offset = column
            continue
        if here.lineno == 1:
            here.col_offset += column - 1
        if here.end_lineno == 1:
            here.end_col_offset += column - 1
        here.lineno += line - 1
        here.end_lineno += line - 1


def head_of(node: ast.expr) -> str:
    """ "ClassVar" of `ClassVar[int]`, "typing.Final" of `"typing.Final"`, "" of what is no name."""
    while True:
        if isinstance(node, ast.Subscript):
            node = node.value
        elif not isinstance(node, ast.Constant):
            return dotted(node)
        elif not isinstance(node.value, str):
            return "None" if node.value is None else ""
        else:
            quoted = parse_quoted(node.value)
            if quoted is None:
                return ""
            node = quoted
