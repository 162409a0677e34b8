# What binds a name or stores into an attribute, and what a value is as far as names can tell.
# Names are recorded as written: a private `__x` in a class body is not mangled, whoever joins a read in one class
# with a store in another has to keep the classes apart by the scope of the place.
from __future__ import annotations

import ast
from typing import Any, Final

from codemap.model import facts
from codemap.semantic import exporting
from codemap.semantic import expressions as ops
from codemap.semantic.annotations import head_of, read_annotation
from codemap.semantic.draft import EXPRESSIONS, STATEMENTS, Draft, dotted
from codemap.semantic.referencing import operator, read
from codemap.semantic.tokens import end_token

_TUPLES: Final = frozenset({ast.Tuple, ast.List})
_LITERALS: Final = frozenset({ast.Tuple, ast.List, ast.Set})
_NO_NAMES: Final[tuple[str, ...]] = ()
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
    declared = d.declared[owner]
    if declared is not None and name in declared:
        owner = declared[name]
        if owner == -1:
            d.nonlocal_rows.append(len(d.local_rows))
            owner = scope
    if d.in_outline[owner] and (declared is None or declared.get(name) != -1):
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
    kind = node.__class__
    if kind is ast.Constant:
        return _NO_NAMES, "", _NO_NAMES, True
    if kind is ast.Call:
        strings = [
            one.value  # type: ignore[attr-defined]
            for one in node.args  # type: ignore[attr-defined]
            if one.__class__ is ast.Constant and one.value.__class__ is str  # type: ignore[attr-defined]
        ]
        return _NO_NAMES, dotted(node.func), tuple(strings), False  # type: ignore[attr-defined]
    if kind is ast.NamedExpr:
        return describe(node.value)  # type: ignore[attr-defined]
    chains = chains_of(node)
    if chains:
        return chains, "", _NO_NAMES, False
    return _NO_NAMES, "", _NO_NAMES, is_literal(node)


def chains_of(node: ast.expr) -> tuple[str, ...]:
    """The dotted chains that a value may be, over the arms of `a if c else b` and the operands of `x or y`."""
    kind = node.__class__
    if kind is ast.IfExp:
        arms = [node.body, node.orelse]  # type: ignore[attr-defined]
    elif kind is ast.BoolOp:
        arms = node.values  # type: ignore[attr-defined]
    elif kind is ast.NamedExpr:
        arms = [node.value]  # type: ignore[attr-defined]
    else:
        chain = dotted(node)
        return (chain,) if chain else _NO_NAMES
    found: list[str] = []
    for arm in arms:
        found += [chain for chain in chains_of(arm) if chain not in found]
    return tuple(found)


def is_literal(node: ast.expr | None) -> bool:
    """Whether an expression is made of literals only."""
    kind = node.__class__
    if kind is ast.Constant:
        return True
    if kind in _LITERALS:
        for element in node.elts:  # type: ignore[union-attr]
            if element.__class__ is not ast.Constant and not is_literal(element):
                return False
        return True
    if kind is ast.Dict:
        for key in node.keys:  # type: ignore[union-attr]
            if key.__class__ is not ast.Constant and not is_literal(key):
                return False
        for value in node.values:  # type: ignore[union-attr]
            if value.__class__ is not ast.Constant and not is_literal(value):
                return False
        return True
    return kind is ast.UnaryOp and node.operand.__class__ is ast.Constant  # type: ignore[union-attr]


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
    form = target.__class__
    if form is ast.Name:
        name: str = target.id  # type: ignore[attr-defined]
        bind(
            d, name, kind, target.lineno, target.col_offset, value, annotation, -1, written, declared_type
        )
    elif form is ast.Attribute:
        receiver = target.value  # type: ignore[attr-defined]
        of = EXPRESSIONS[receiver.__class__](d, receiver)
        store_attribute(d, target, of, kind, value, written, annotation)  # type: ignore[arg-type]
    elif form is ast.Subscript:
        container, index = target.value, target.slice  # type: ignore[attr-defined]
        of = EXPRESSIONS[container.__class__](d, container)
        at = EXPRESSIONS[index.__class__](d, index)
        d.rows.append((ops.STORE_SUBSCRIPT, target.lineno, target.col_offset, of, at, value))
    elif form in _TUPLES:
        _unpack(d, target, kind, value, written)
    elif form is ast.Starred:
        assign(d, target.value, kind, value)  # type: ignore[attr-defined]


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
    line, column = end_token(d, target.end_lineno, target.end_col_offset, name)  # type: ignore[arg-type]
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


def _unpack(d: Draft, target: Any, kind: str, value: int, written: ast.expr | None) -> None:
    elements: list[ast.expr] = target.elts
    stars = [place for place, element in enumerate(elements) if element.__class__ is ast.Starred]
    row = d.rows[value] if value >= 0 else (ops.UNKNOWN,)
    if row[0] in (ops.TUPLE, ops.LIST) and written.__class__ in _TUPLES:
        parts: list[ast.expr] = written.elts  # type: ignore[union-attr]
        if not stars and len(parts) == len(elements):
            if not any([part.__class__ is ast.Starred for part in parts]):
                # `a, b = x, y`: each target has its own value
                for element, here, part in zip(elements, row[3], parts):  # noqa: B905 - equal, just compared
                    assign(d, element, kind, here, part)
                return
    first_star = stars[0] if stars else len(elements)
    for place, element in enumerate(elements):
        if place < first_star:
            d.rows.append((ops.ELEMENT, element.lineno, element.col_offset, value, place))
        elif place == first_star:
            rest = place + 1 - len(elements)
            d.rows.append((ops.REST, element.lineno, element.col_offset, value, place, rest))
        else:
            d.rows.append((ops.ELEMENT, element.lineno, element.col_offset, value, place - len(elements)))
        assign(d, element, kind, len(d.rows) - 1)


def _assign(d: Draft, node: ast.Assign) -> int:
    written = node.value
    value = EXPRESSIONS[written.__class__](d, written)
    for target in node.targets:
        if target.__class__ is ast.Name and target.id == "__all__":  # type: ignore[attr-defined]
            exporting.assigned(d, written, node.lineno)
        assign(d, target, facts.ASSIGN, value, written)
    return 0


def _annotated(d: Draft, node: ast.AnnAssign) -> int:
    written, target = node.value, node.target
    if written is None:
        kind, value = facts.DECLARED, -1
    else:
        # `X: TypeAlias = "A | B"` is a type in quotes
        quoted = head_of(node.annotation).rpartition(".")[2] == "TypeAlias"
        kind, value = facts.ANNOTATED, read_annotation(d, written) if quoted else read(d, written)
        if target.__class__ is ast.Name and target.id == "__all__":  # type: ignore[union-attr]
            exporting.assigned(d, written, node.lineno)
    annotation = read_annotation(d, node.annotation)
    assign(d, target, kind, value, written, annotation, node.annotation)
    return 0


def _augmented(d: Draft, node: ast.AugAssign) -> int:
    target = node.target
    rows = d.rows
    of = at = -1
    if target.__class__ is ast.Name:
        name: str = target.id  # type: ignore[union-attr]
        d.reads.add(name)
        rows.append((ops.NAME, target.lineno, target.col_offset, name))
        if name == "__all__":
            exporting.extended(d, node)
    elif target.__class__ is ast.Attribute:
        of = read(d, target.value)  # type: ignore[union-attr]
        name = target.attr  # type: ignore[union-attr]
        d.attributes.add(name)
        line, column = end_token(d, target.end_lineno, target.end_col_offset, name)  # type: ignore[arg-type]
        rows.append((ops.ATTRIBUTE, line, column, of, name))
    else:
        of = read(d, target.value)  # type: ignore[union-attr]
        at = read(d, target.slice)  # type: ignore[union-attr]
        rows.append((ops.SUBSCRIPT, target.lineno, target.col_offset, of, at))
    before = len(rows) - 1
    right = read(d, node.value)
    rows.append((ops.BINARY, target.lineno, target.col_offset, operator(node.op) + "=", before, right))
    value = len(rows) - 1
    if target.__class__ is ast.Name:
        bind(d, target.id, facts.AUGMENTED, target.lineno, target.col_offset, value)  # type: ignore[union-attr]
    elif target.__class__ is ast.Attribute:
        store_attribute(d, target, of, facts.AUGMENTED, value)  # type: ignore[arg-type]
    else:
        rows.append((ops.STORE_SUBSCRIPT, target.lineno, target.col_offset, of, at, value))
    return 0


def _delete(d: Draft, node: ast.Delete) -> int:
    for target in node.targets:
        delete(d, target)
    return 0


def delete(d: Draft, target: ast.expr) -> None:
    """`del target`."""
    form = target.__class__
    if form is ast.Name:
        bind(d, target.id, facts.DELETE, target.lineno, target.col_offset)  # type: ignore[attr-defined]
    elif form is ast.Attribute:
        of = read(d, target.value)  # type: ignore[attr-defined]
        store_attribute(d, target, of, facts.DELETE, -1)  # type: ignore[arg-type]
    elif form is ast.Subscript:
        of = read(d, target.value)  # type: ignore[attr-defined]
        at = read(d, target.slice)  # type: ignore[attr-defined]
        d.rows.append((ops.DELETE_SUBSCRIPT, target.lineno, target.col_offset, of, at))
    elif form in _TUPLES:
        for element in target.elts:  # type: ignore[attr-defined]
            delete(d, element)


def _walrus(d: Draft, node: ast.NamedExpr) -> int:
    written, target = node.value, node.target
    value = EXPRESSIONS[written.__class__](d, written)
    d.rows.append((ops.WALRUS, target.lineno, target.col_offset, value, target.id))
    here = len(d.rows) - 1
    bind(d, target.id, facts.WALRUS, target.lineno, target.col_offset, value, written=written)
    return here


EXPRESSIONS[ast.NamedExpr] = _walrus
STATEMENTS[ast.Assign] = _assign
STATEMENTS[ast.AnnAssign] = _annotated
STATEMENTS[ast.AugAssign] = _augmented
STATEMENTS[ast.Delete] = _delete
