# Calls, and the few callees that say more about names than a call does: `importlib.import_module("x")` and
# `__import__("x")` are imports, `cast("T", x)` and `TypeVar("T", bound="B")` hold annotations within quotes.
# They are known by the last part of the callee's name, for what it is bound to is not known here; to take one
# too many is harmless, an import that names no module of the tree resolves to nothing.
from __future__ import annotations

import ast
from typing import Final

from codemap.semantic import expressions as ops
from codemap.semantic.annotations import read_annotation
from codemap.semantic.draft import EXPRESSIONS, Draft, dotted
from codemap.semantic.referencing import read_all

_IMPORTERS: Final = frozenset({"import_module", "__import__"})
_TYPING: Final = frozenset({"cast", "TypeVar"})
_OWN_PACKAGE: Final = frozenset({"__package__", "__name__", "__spec__.parent"})
_NO_IDS: Final[tuple[int, ...]] = ()
_NO_NAMES: Final[tuple[str, ...]] = ()


def _call(d: Draft, node: ast.Call) -> int:
    function = node.func
    callee = EXPRESSIONS[type(function)](d, function)
    rows = d.rows
    if type(function) is ast.Name:
        name: str = function.id
        d.called.add(name)
    elif type(function) is ast.Attribute:
        name = function.attr
        d.called.add(name)
    else:
        name = ""
    if name:  # the place of its token
        place = rows[callee]
        line, column = place[1], place[2]
    else:
        line, column = node.lineno, node.col_offset
    positional: tuple[int, ...]
    if name in _TYPING:
        positional, names, values = _typing_arguments(d, node, name)
    else:
        arguments = node.args
        if len(arguments) == 1:  # most calls; spares a frame
            first = arguments[0]
            positional = (EXPRESSIONS[type(first)](d, first),)
        else:
            positional = read_all(d, arguments)
        if node.keywords:
            names, values = read_keywords(d, node.keywords)
        else:
            names, values = _NO_NAMES, _NO_IDS
        if name in _IMPORTERS:
            _dynamic_import(d, node, name)
    rows.append((ops.CALL, line, column, callee, positional, names, values))
    return len(rows) - 1


def read_keywords(d: Draft, keywords: list[ast.keyword]) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """The names ("**" for an unpacked mapping) and values of keyword arguments."""
    names: list[str] = []
    values: list[int] = []
    rows = d.rows
    for keyword in keywords:
        value = keyword.value
        here = EXPRESSIONS[type(value)](d, value)
        name = keyword.arg
        if name is None:
            name = "**"
        else:
            d.keywords.add(name)
        rows.append((ops.KEYWORD, keyword.lineno, keyword.col_offset, here, name))
        values.append(here)
        names.append(name)
    return tuple(names), tuple(values)


def _keyword(d: Draft, keyword: ast.keyword) -> str:
    """Add the row of a keyword whose value was read just now; gives its name."""
    name = keyword.arg
    if name is None:
        name = "**"
    else:
        d.keywords.add(name)
    rows = d.rows
    rows.append((ops.KEYWORD, keyword.lineno, keyword.col_offset, len(rows) - 1, name))
    return name


def _typing_arguments(
    d: Draft, node: ast.Call, name: str
) -> tuple[tuple[int, ...], tuple[str, ...], tuple[int, ...]]:
    # cast(T, x); TypeVar("T", A, B, bound=C, default=D)
    typed = range(1) if name == "cast" else range(1, len(node.args))
    positional = [
        read_annotation(d, one) if place in typed else EXPRESSIONS[type(one)](d, one)
        for place, one in enumerate(node.args)
    ]
    names: list[str] = []
    values: list[int] = []
    for keyword in node.keywords:
        typed_keyword = keyword.arg in ("bound", "default") if name == "TypeVar" else keyword.arg == "typ"
        value = keyword.value
        values.append(read_annotation(d, value) if typed_keyword else EXPRESSIONS[type(value)](d, value))
        names.append(_keyword(d, keyword))
    return tuple(positional), tuple(names), tuple(values)


def _dynamic_import(d: Draft, node: ast.Call, name: str) -> None:
    first: ast.expr | None = node.args[0] if node.args else None
    package: ast.expr | None = node.args[1] if len(node.args) > 1 and name == "import_module" else None
    level_node: ast.expr | None = node.args[4] if len(node.args) > 4 and name == "__import__" else None
    for keyword in node.keywords:
        if keyword.arg == "name":
            first = keyword.value
        elif keyword.arg == "package":
            package = keyword.value
        elif keyword.arg == "level":
            level_node = keyword.value
    if not isinstance(first, ast.Constant) or not isinstance(first.value, str):
        return
    module = first.value
    level = 0
    if name == "import_module":
        level = len(module) - len(module.lstrip("."))
        module = module[level:]
        if level and isinstance(package, ast.Constant) and isinstance(package.value, str):
            # relative to a package that is named: absolute
            parts = package.value.split(".")
            if level > len(parts):
                return
            module = ".".join([*parts[: len(parts) - level + 1], *([module] if module else [])])
            level = 0
        elif level and dotted(package) not in _OWN_PACKAGE:
            return
    elif isinstance(level_node, ast.Constant) and isinstance(level_node.value, int):
        level = level_node.value
    elif level_node is not None:
        return
    if not all(part.isidentifier() for part in module.split(".")) and not (level and not module):
        return
    d.imported.update(part for part in module.split(".") if part)
    place = (first.lineno, first.col_offset, node.lineno)
    d.imports.append((level, module, "", "", d.scope, d.block, *place, dotted(node.func) or name, False))


EXPRESSIONS[ast.Call] = _call
