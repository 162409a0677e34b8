# `__all__` of a module, step by step. Only the module's own scope counts; what cannot be read as names, `__all__`
# of a module, or the value of another name becomes an operation "unknown", so that nobody takes the rest for whole.
from __future__ import annotations

import ast
from typing import Final

from codemap.semantic.draft import Draft, dotted

_COPIES: Final = frozenset({"list", "tuple", "sorted", "set", "frozenset"})
_NAME: Final = "__all__"


class _Parts:
    """What an expression adds to `__all__`."""

    __slots__ = ("modules", "names", "reads", "unknown")

    def __init__(self) -> None:
        self.names: list[str] = []
        self.modules: list[str] = []
        self.reads: list[str] = []
        self.unknown = False

    def add(self, node: ast.expr) -> None:
        if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
            for element in node.elts:
                if isinstance(element, ast.Starred):
                    self.add(element.value)
                elif isinstance(element, ast.Constant) and isinstance(element.value, str):
                    self.names.append(element.value)
                else:
                    self.unknown = True
        elif isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.BitOr)):
            operands: list[ast.expr] = []
            left: ast.expr = node
            while isinstance(left, ast.BinOp) and isinstance(left.op, (ast.Add, ast.BitOr)):
                operands.append(left.right)
                left = left.left
            for operand in (left, *reversed(operands)):
                self.add(operand)
        elif isinstance(node, ast.Call) and dotted(node.func) in _COPIES and len(node.args) == 1:
            self.add(node.args[0])
        elif isinstance(node, ast.NamedExpr):
            self.add(node.value)
        else:
            chain = dotted(node)
            if chain.endswith("." + _NAME):
                self.modules.append(chain[: -len(_NAME) - 1])
            elif chain:
                self.reads.append(chain)
            else:
                self.unknown = True


def _record(d: Draft, operation: str, parts: _Parts, line: int) -> None:
    d.exported.update(parts.names)
    names, modules, reads = tuple(parts.names), tuple(parts.modules), tuple(parts.reads)
    if operation == "=" or names or modules or reads:
        d.exports.append((operation, names, modules, reads, d.block, line))
    if parts.unknown:
        d.exports.append(("unknown", (), (), (), d.block, line))


def assigned(d: Draft, value: ast.expr, line: int) -> None:
    """`__all__ = value`. `__all__ = __all__ + [...]` adds to it."""
    if d.scope != 0:
        return  # a name of its own, nearly always
    parts = _Parts()
    parts.add(value)
    operation = "="
    if parts.reads[:1] == [_NAME]:
        operation = "+="
        del parts.reads[0]
    _record(d, operation, parts, line)


def extended(d: Draft, node: ast.AugAssign) -> None:
    """`__all__ += value`."""
    if d.scope != 0:
        d.exports.append(("unknown", (), (), (), d.block, node.lineno))
        return
    parts = _Parts()
    if isinstance(node.op, (ast.Add, ast.BitOr)):
        parts.add(node.value)
    else:
        parts.unknown = True
    _record(d, "+=", parts, node.lineno)


def called(d: Draft, node: ast.Call) -> None:
    """A statement `__all__.append("x")` and its like."""
    function = node.func
    if not isinstance(function, ast.Attribute) or dotted(function.value) != _NAME:
        return
    if d.scope != 0:  # a decorator `@export` and its like: who is handed to it, other statements say
        d.exports.append(("unknown", (), (), (), d.block, node.lineno))
        return
    parts = _Parts()
    operation = {"append": "append", "insert": "append", "add": "append", "remove": "remove",
                 "extend": "+=", "update": "+="}.get(function.attr, "")  # fmt: skip
    if not operation:
        if function.attr in ("sort", "reverse", "index", "count", "copy"):
            return
        parts.unknown = True
    elif not node.args or node.keywords:
        parts.unknown = True
    elif operation == "+=":
        parts.add(node.args[0])
    else:
        name = node.args[-1]
        if isinstance(name, ast.Constant) and isinstance(name.value, str):
            parts.names.append(name.value)
        else:
            parts.unknown = True
    _record(d, operation or "unknown", parts, node.lineno)
