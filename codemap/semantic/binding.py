# What binds a name or stores into an attribute, and what a value is as far as names can tell.
# Names are recorded as written: a private `__x` in a class body is not mangled, whoever joins a read in one class
# with a store in another has to keep the classes apart by the scope of the place.
from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Final

from codemap.model import facts
from codemap.semantic import exporting
from codemap.semantic import expressions as ops
from codemap.semantic.annotations import head_of, read_annotation
from codemap.semantic.draft import EXPRESSIONS, STATEMENTS, Draft, dotted
from codemap.semantic.referencing import operator, read
from codemap.semantic.tokens import attribute_token

_NO_NAMES: Final[tuple[str, ...]] = ()
_MODULE: Final = 0  # scope 0
_NOTHING: Final = (_NO_NAMES, "", _NO_NAMES, False)


def bind(
    d: Draft,
    name: str,
    kind: str,
    line: int,
    column: int,
    value: int = -1,
    annotation: int = -1,
    target: int = -1,
    written: ast.expr | None = None,
    declared_type: ast.expr | None = None,
) -> None:
    """Bind a name where the reading stands. `written` is the syntax of the value where it is the value itself."""
    d.bound.add(name)
    scope = owner = d.scope
    if kind == facts.WALRUS:
        while d.kinds[owner] == facts.COMPREHENSION:
            owner = d.parents[owner]
    in_outline = d.in_outline[owner]
    declared = d.declared[owner]
    if declared is not None and name in declared:
        in_outline = declared[name] == _MODULE
        if in_outline:
            owner = _MODULE
        else:
            d.nonlocal_rows.append(len(d.local_rows))
    if in_outline:
        aliases, callee, strings, constant = _NOTHING if written is None else describe(written)
        head = "" if declared_type is None else head_of(declared_type)
        d.binding_rows.append(
            (name, kind, owner, scope, d.block, line, column, target, aliases, callee, strings, head, constant,
             value, annotation, len(d.rows))
        )  # fmt: skip
    else:
        d.local_rows.append(
            (name, kind, owner, scope, d.block, line, column, target, _NO_NAMES, "", _NO_NAMES, "", False,
             value, annotation, len(d.rows))
        )  # fmt: skip


def describe(node: ast.expr) -> tuple[tuple[str, ...], str, tuple[str, ...], bool]:
    """The fields `aliases`, `callee`, `strings` and `constant` of a binding to this value."""
    if isinstance(node, ast.Constant):
        return _NO_NAMES, "", _NO_NAMES, True
    if isinstance(node, ast.Call):
        strings = [
            one.value for one in node.args if isinstance(one, ast.Constant) and isinstance(one.value, str)
        ]
        return _NO_NAMES, dotted(node.func), tuple(strings), False
    if isinstance(node, ast.NamedExpr):
        return describe(node.value)
    chains = chains_of(node)
    if chains:
        return chains, "", _NO_NAMES, False
    return _NO_NAMES, "", _NO_NAMES, is_literal(node)


def chains_of(node: ast.expr) -> tuple[str, ...]:
    """The dotted chains that a value may be, over the arms of `a if c else b` and the operands of `x or y`."""
    if isinstance(node, ast.IfExp):
        arms = [node.body, node.orelse]
    elif isinstance(node, ast.BoolOp):
        arms = node.values
    elif isinstance(node, ast.NamedExpr):
        arms = [node.value]
    else:
        chain = dotted(node)
        return (chain,) if chain else _NO_NAMES
    found: list[str] = []
    for arm in arms:
        found += [chain for chain in chains_of(arm) if chain not in found]
    return tuple(found)


def is_literal(node: ast.expr | None) -> bool:
    """Whether an expression is made of literals only."""
    if isinstance(node, ast.Constant):
        return True
    if isinstance(node, (ast.Tuple, ast.List, ast.Set)):
        return _are_literals(node.elts)
    if isinstance(node, ast.Dict):
        return _are_literals(node.keys) and _are_literals(node.values)
    return isinstance(node, ast.UnaryOp) and isinstance(node.operand, ast.Constant)


def _are_literals(nodes: Sequence[ast.expr | None]) -> bool:
    return not [node for node in nodes if not isinstance(node, ast.Constant) and not is_literal(node)]


def assign(
    d: Draft,
    target: ast.expr,
    kind: str,
    value: int,
    written: ast.expr | None = None,
    annotation: int = -1,
    declared_type: ast.expr | None = None,
) -> None:
    """Give a target a value that was read already (-1: only declared)."""
    if isinstance(target, ast.Name):
        bind(
            d,
            target.id,
            kind,
            target.lineno,
            target.col_offset,
            value,
            annotation,
            -1,
            written,
            declared_type,
        )
    elif isinstance(target, ast.Attribute):
        store_attribute(d, target, read(d, target.value), kind, value, written, annotation)
    elif isinstance(target, ast.Subscript):
        of, at = read(d, target.value), read(d, target.slice)
        d.rows.append((ops.STORE_SUBSCRIPT, target.lineno, target.col_offset, of, at, value))
    elif isinstance(target, (ast.Tuple, ast.List)):
        _unpack(d, target.elts, kind, value, written)
    elif isinstance(target, ast.Starred):
        assign(d, target.value, kind, value)


def store_attribute(
    d: Draft,
    target: ast.Attribute,
    of: int,
    kind: str,
    value: int,
    written: ast.expr | None = None,
    annotation: int = -1,
) -> None:
    """Record a store into, or a deletion of, an attribute of the object that was read as `of`."""
    name = target.attr
    d.stored.add(name)
    line, column = attribute_token(d, target)
    if kind == facts.DELETE:
        d.rows.append((ops.DELETE_ATTRIBUTE, line, column, of, name))
    else:
        d.rows.append((ops.STORE_ATTRIBUTE, line, column, of, name, value))
    receiver = dotted(target.value)
    aliases = _NO_NAMES if written is None else chains_of(written)
    d.stores.append(
        (receiver, name, kind, d.scope, d.block, line, column, _is_first_parameter(d, receiver), aliases,
         len(d.rows) - 1, value, annotation, len(d.rows))
    )  # fmt: skip


def _is_first_parameter(d: Draft, receiver: str) -> bool:
    scope = d.scope
    while scope > 0:
        names = d.parameter_names.get(scope)
        if names is not None and receiver in names:
            parent = d.parents[scope]
            if d.kinds[parent] == facts.TYPE_PARAMETERS:
                parent = d.parents[parent]
            return names[0] == receiver and d.kinds[parent] == facts.CLASS and scope not in d.static
        scope = d.parents[scope]
    return False


def _unpack(d: Draft, elements: list[ast.expr], kind: str, value: int, written: ast.expr | None) -> None:
    if (
        isinstance(written, (ast.Tuple, ast.List))
        and len(written.elts) == len(elements)
        and not _has_star(elements)
        and not _has_star(written.elts)
    ):
        # `a, b = x, y`: each target has a value of its own
        for element, here, part in zip(elements, d.rows[value][3], written.elts, strict=True):
            assign(d, element, kind, here, part)
        return
    length = len(elements)
    star = length
    for place, element in enumerate(elements):
        line, column = element.lineno, element.col_offset
        if isinstance(element, ast.Starred) and star == length:
            star = place
            d.rows.append((ops.REST, line, column, value, place, place + 1 - length))
        else:
            d.rows.append((ops.ELEMENT, line, column, value, place if place < star else place - length))
        assign(d, element, kind, len(d.rows) - 1)


def _has_star(nodes: list[ast.expr]) -> bool:
    return ast.Starred in [type(node) for node in nodes]


def _assign(d: Draft, node: ast.Assign) -> int:
    written = node.value
    value = EXPRESSIONS[type(written)](d, written)
    if type(written) is ast.Attribute and written.attr == "TYPE_CHECKING" and d.scope == 0:
        d.typing_names.update(target.id for target in node.targets if isinstance(target, ast.Name))
    for target in node.targets:
        if type(target) is not ast.Name:
            assign(d, target, facts.ASSIGN, value, written)
            continue
        name = target.id
        if name == "__all__":
            exporting.assigned(d, written, node.lineno)
        bind(d, name, facts.ASSIGN, target.lineno, target.col_offset, value, -1, -1, written)
    return 0


def _annotated(d: Draft, node: ast.AnnAssign) -> int:
    written, target = node.value, node.target
    if written is None:
        kind, value = facts.DECLARED, -1
    else:
        # `X: TypeAlias = "A | B"` is a type in quotes
        quoted = head_of(node.annotation).rpartition(".")[2] == "TypeAlias"
        kind, value = facts.ANNOTATED, read_annotation(d, written) if quoted else read(d, written)
        if isinstance(target, ast.Name) and target.id == "__all__":
            exporting.assigned(d, written, node.lineno)
    annotation = read_annotation(d, node.annotation)
    assign(d, target, kind, value, written, annotation, node.annotation)
    return 0


def _augmented(d: Draft, node: ast.AugAssign) -> int:
    target = node.target
    rows = d.rows
    of = at = -1
    if isinstance(target, ast.Name):
        d.reads.add(target.id)
        rows.append((ops.NAME, target.lineno, target.col_offset, target.id))
        if target.id == "__all__":
            exporting.extended(d, node)
    elif isinstance(target, ast.Attribute):
        of = read(d, target.value)
        d.attributes.add(target.attr)
        rows.append((ops.ATTRIBUTE, *attribute_token(d, target), of, target.attr))
    else:
        of, at = read(d, target.value), read(d, target.slice)
        rows.append((ops.SUBSCRIPT, target.lineno, target.col_offset, of, at))
    before = len(rows) - 1
    right = read(d, node.value)
    rows.append((ops.BINARY, target.lineno, target.col_offset, operator(node.op) + "=", before, right))
    value = len(rows) - 1
    if isinstance(target, ast.Name):
        bind(d, target.id, facts.AUGMENTED, target.lineno, target.col_offset, value)
    elif isinstance(target, ast.Attribute):
        store_attribute(d, target, of, facts.AUGMENTED, value)
    else:
        rows.append((ops.STORE_SUBSCRIPT, target.lineno, target.col_offset, of, at, value))
    return 0


def _delete(d: Draft, node: ast.Delete) -> int:
    for target in node.targets:
        delete(d, target)
    return 0


def delete(d: Draft, target: ast.expr) -> None:
    """`del target`."""
    if isinstance(target, ast.Name):
        bind(d, target.id, facts.DELETE, target.lineno, target.col_offset)
    elif isinstance(target, ast.Attribute):
        store_attribute(d, target, read(d, target.value), facts.DELETE, -1)
    elif isinstance(target, ast.Subscript):
        of, at = read(d, target.value), read(d, target.slice)
        d.rows.append((ops.DELETE_SUBSCRIPT, target.lineno, target.col_offset, of, at))
    elif isinstance(target, (ast.Tuple, ast.List)):
        for element in target.elts:
            delete(d, element)


def _walrus(d: Draft, node: ast.NamedExpr) -> int:
    written, target = node.value, node.target
    value = EXPRESSIONS[type(written)](d, written)
    d.rows.append((ops.WALRUS, target.lineno, target.col_offset, value, target.id))
    here = len(d.rows) - 1
    bind(d, target.id, facts.WALRUS, target.lineno, target.col_offset, value, written=written)
    return here


EXPRESSIONS[ast.NamedExpr] = _walrus
STATEMENTS[ast.Assign] = _assign
STATEMENTS[ast.AnnAssign] = _annotated
STATEMENTS[ast.AugAssign] = _augmented
STATEMENTS[ast.Delete] = _delete
