"""The syntax nodes of the newest grammar, whatever interpreter runs.

Where `ast` of the running interpreter has a class, it is that class; elsewhere a class of the same name and fields:
`TypeAlias`, `TypeVar`, `ParamSpec`, `TypeVarTuple` (PEP 695, `default_value` PEP 696), `TemplateStr` and
`Interpolation` (PEP 750). They work with `ast.walk`, `ast.iter_child_nodes`, `ast.dump` and `ast.NodeVisitor`.

Fields that an older `ast` does not know are set on the nodes that have one: read them with
`getattr(node, "type_params", [])` (classes and functions), `getattr(node, "is_lazy", 0)` (imports, PEP 810) and
`getattr(parameter, "default_value", None)`. A `DictComp` of PEP 798 (`{**d for d in ds}`) has the mapping as `key`
and None as `value`.
"""

# Field names, order and bases are those of CPython 3.15. A node of Python 3.12 lacks `default_value` (PEP 696 came with
# 3.13), therefore the rewriting sets it and readers use getattr.
from __future__ import annotations

import ast
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING or sys.version_info < (3, 12):

    class type_param(ast.AST):
        """A type parameter of PEP 695."""

        lineno: int
        col_offset: int
        end_lineno: int
        end_col_offset: int
        _attributes = ("lineno", "col_offset", "end_lineno", "end_col_offset")

    class TypeVar(type_param):
        """`T`, `T: bound`, `T = default`."""

        _fields = __match_args__ = ("name", "bound", "default_value")
        name: str
        bound: ast.expr | None
        default_value: ast.expr | None

    class ParamSpec(type_param):
        """`**P`, `**P = default`."""

        _fields = __match_args__ = ("name", "default_value")
        name: str
        default_value: ast.expr | None

    class TypeVarTuple(type_param):
        """`*Ts`, `*Ts = default`."""

        _fields = __match_args__ = ("name", "default_value")
        name: str
        default_value: ast.expr | None

    class TypeAlias(ast.stmt):
        """`type Name[type_params] = value`."""

        _fields = __match_args__ = ("name", "type_params", "value")
        name: ast.Name
        type_params: list[type_param]
        value: ast.expr

else:
    from ast import ParamSpec, TypeAlias, TypeVar, TypeVarTuple, type_param

if TYPE_CHECKING or sys.version_info < (3, 14):

    class TemplateStr(ast.expr):
        """A t-string; `values` are `Constant` and `Interpolation`."""

        _fields = __match_args__ = ("values",)
        values: list[ast.expr]

    class Interpolation(ast.expr):
        """A field of a t-string; `str` is the expression as written."""

        _fields = __match_args__ = ("value", "str", "conversion", "format_spec")
        value: ast.expr
        str: Any
        conversion: int
        format_spec: ast.expr | None

else:
    from ast import Interpolation, TemplateStr

__all__ = ["Interpolation", "ParamSpec", "TemplateStr", "TypeAlias", "TypeVar", "TypeVarTuple", "type_param"]
