# Parse a piece of a file that is an expression, so that its nodes have the positions of the file: the piece is put in
# brackets behind as many blanks as it has characters before it on its line. Only the line numbers have to be shifted.
from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator
from typing import cast

from codemap.source.positions import SourceText


def nodes_of(root: ast.AST) -> Iterator[ast.AST]:
    """All nodes below and including `root`, in no particular order; faster than `ast.walk`."""
    stack: list[ast.AST] = [root]
    while stack:
        node = stack.pop()
        yield node
        for value in node.__dict__.values():
            if isinstance(value, ast.AST):
                stack.append(value)
            elif isinstance(value, list):
                stack += [item for item in value if isinstance(item, ast.AST)]


def set_place(node: ast.AST, source: SourceText, start: int, end: int) -> None:
    """Give a node the positions of two offsets."""
    node.lineno, node.col_offset = source.place(start)  # type: ignore[attr-defined]
    node.end_lineno, node.end_col_offset = source.place(end)  # type: ignore[attr-defined]


def read_expression(source: SourceText, start: int, end: int, code: str | None = None) -> ast.expr:
    """The expression at `start:end` of the text, read as `code` where that is given (of the same shape).

    An unparenthesized tuple is one; `yield` and `*x` are allowed. Raises SyntaxError with a line of the file.
    """
    if code is None:
        code = source.text[start:end]
    line, column = source.place(start)
    opening = "(" + " " * (column - 1) if column else "(\n"
    above = line - 1 if column else line - 2
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = compile(f"{opening}{code}\n)", "<source>", "eval", ast.PyCF_ONLY_AST, dont_inherit=True)
    except SyntaxError as error:
        if not code.lstrip().startswith("*"):
            error.lineno = (error.lineno or 1) + above
            raise
        return _read_starred(source, start, end, code)
    body = cast(ast.Expression, tree).body
    if above:
        for node in nodes_of(body):
            if "lineno" in node.__dict__:
                node.lineno += above  # type: ignore[attr-defined]
                node.end_lineno += above  # type: ignore[attr-defined]
    if isinstance(body, ast.Tuple | ast.GeneratorExp) and (body.lineno, body.col_offset) == (1 + above, 0):
        if isinstance(body, ast.GeneratorExp) or not body.elts:
            raise SyntaxError("invalid syntax", ("<source>", line, column + 1, None))
        _place_tuple(body, source, start, end)
    return body


def _place_tuple(node: ast.Tuple, source: SourceText, start: int, end: int) -> None:
    """A tuple without brackets begins and ends with its text, not with the brackets put around it."""
    written = source.text[start:end]
    start += len(written) - len(written.lstrip())
    last = node.elts[-1]
    behind = source.offset(last.end_lineno or 0, last.end_col_offset or 0)
    if "#" not in source.text[behind:end]:
        set_place(node, source, start, start + len(written.strip()))
    else:
        set_place(node, source, start, behind)


def _read_starred(source: SourceText, start: int, end: int, code: str) -> ast.expr:
    """`*x` alone, which brackets do not take: read with a comma behind it."""
    stripped = code.rstrip()
    pair = read_expression(source, start, start + len(stripped), stripped + ",")
    if isinstance(pair, ast.Tuple) and len(pair.elts) == 1:
        return pair.elts[0]
    raise SyntaxError("invalid syntax", ("<source>", source.row(start), 1, None))
