# What opens a scope: def, class, lambda, comprehensions, type parameters (PEP 695). The header of a definition
# (decorators, defaults, annotations, bases) is read in the scope around it, before its name is bound; a class'
# body runs before the name is bound, a function's body after.
from __future__ import annotations

import ast
from typing import Any, Final

from codemap.model import facts
from codemap.semantic import expressions as ops
from codemap.semantic.annotations import read_annotation
from codemap.semantic.binding import bind
from codemap.semantic.calling import read_keywords
from codemap.semantic.draft import (
    BLOCK_TERMINATES,
    EXPRESSIONS,
    STATEMENTS,
    Draft,
    dotted,
    read_statements,
)
from codemap.semantic.referencing import read, read_all, read_optional
from codemap.semantic.targets import iterate
from codemap.semantic.tokens import after_keyword, header_end, skip
from codemap.source import grammar

Definition = ast.FunctionDef | ast.AsyncFunctionDef
Pending = tuple[str, str, int, int, int, int]  # a parameter: name, kind, line, column, annotation, default

_COMPREHENSIONS: Final = {
    ast.ListComp: ("list", "<listcomp>"),
    ast.SetComp: ("set", "<setcomp>"),
    ast.DictComp: ("dict", "<dictcomp>"),
    ast.GeneratorExp: ("generator", "<genexpr>"),
}


def has_docstring(body: list[ast.stmt]) -> bool:
    """Whether the first statement is a string."""
    if not body:
        return False
    first = body[0]
    return (
        isinstance(first, ast.Expr)
        and isinstance(first.value, ast.Constant)
        and isinstance(first.value.value, str)
    )


# --- functions -------------------------------------------------------------------------------------------


def _function(d: Draft, node: Definition) -> int:
    name = node.name
    d.defined.add(name)
    outer, outer_block = d.scope, d.block
    decorators = node.decorator_list
    decorator_values = read_all(d, decorators) if decorators else ()
    line, column = after_keyword(d, node.lineno, node.col_offset, b"def", name)
    start = min(decorators[0].lineno, node.lineno) if decorators else node.lineno
    last = _last_of_header(node, line, column + len(name))
    place = (line, column, start, node.lineno, header_end(d, *last), node.end_lineno or node.lineno)

    defaults = _defaults(d, node.args)
    types = getattr(node, "type_params", None)
    type_names = _open_type_parameters(d, name, types, place) if types else ()
    pending = _parameters(d, node.args, defaults)
    returned = read_annotation(d, node.returns)
    inner, inner_block = d.scope, d.block
    if types:
        d.enter(outer, outer_block)
    scope = len(d.scopes)
    bind(d, name, facts.FUNCTION_DEF, line, column, target=scope)
    if types:
        d.enter(inner, inner_block)
    if returned >= 0:
        d.returns.append((scope, returned))

    d.open_scope(facts.FUNCTION, name, *place)
    names = [dotted(one.func if isinstance(one, ast.Call) else one) for one in decorators]
    if "staticmethod" in names and name != "__new__":
        d.static.add(scope)
    number = len(d.functions)
    d.functions.append(())
    _bind_parameters(d, scope, pending)
    parameters = tuple([one[0] for one in pending])
    d.parameter_names[scope] = parameters
    broke, d.broke = d.broke, False
    first = len(d.rows)
    ending = read_statements(d, node.body)
    d.broke = broke
    d.blocks[d.roots[scope]][BLOCK_TERMINATES] = ending != 0
    looked_up: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())
    if name == "__getattr__" and d.in_outline[outer] and parameters:
        looked_up = _looked_up(d, first, parameters[-1])
    d.functions[number] = (
        scope, tuple(names), _flags(d, scope, node), decorator_values, parameters, type_names,
        has_docstring(node.body), *looked_up,
    )  # fmt: skip
    d.enter(outer, outer_block)
    return 0


def _flags(d: Draft, scope: int, node: Definition) -> tuple[str, ...]:
    flags: list[str] = []
    if type(node) is ast.AsyncFunctionDef:
        flags.append("async")
    body = node.body[1:] if has_docstring(node.body) else node.body
    if scope in d.generators:
        flags.append("generator")
    elif all(map(_says_nothing, body)):
        flags.append("stub")
    elif len(body) == 1 and _not_implemented(body[0]):
        flags.append("raises")
    elif scope not in d.returning:
        flags.append("returns_none")
    return tuple(flags)


def _says_nothing(node: ast.stmt) -> bool:
    return isinstance(node, ast.Pass) or (
        isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and node.value.value is ...
    )


def _not_implemented(node: ast.stmt) -> bool:
    if not isinstance(node, ast.Raise) or node.exc is None:
        return False
    raised = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
    return dotted(raised).rpartition(".")[2] == "NotImplementedError"


def _looked_up(d: Draft, first: int, parameter: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    # the constants with which the parameter of `__getattr__` is compared, the tables it is looked up in
    rows = d.rows
    names: set[str] = set()
    tables: set[str] = set()

    def is_parameter(id: int) -> bool:
        return bool(rows[id][0] == ops.NAME and rows[id][3] == parameter)

    def add(id: int) -> None:
        row = rows[id]
        if row[0] == ops.CONSTANT:
            if row[3] == "str" and row[4] is not None:
                names.add(row[4])
        elif row[0] in (ops.TUPLE, ops.LIST, ops.SET):
            for element in row[3]:
                add(element)
        else:
            chain = _chain(rows, id)
            if chain:
                tables.add(chain)

    for row in rows[first:]:
        op = row[0]
        if op == ops.COMPARE and is_parameter(row[4]):
            if row[3] in ("==", "in", "is"):
                add(row[5][0])
        elif op == ops.COMPARE and row[3] == "==" and is_parameter(row[5][0]):
            add(row[4])
        elif op == ops.SUBSCRIPT and is_parameter(row[4]):
            tables.add(_chain(rows, row[3]))
        elif op == ops.CALL and row[4] and is_parameter(row[4][0]) and rows[row[3]][0] == ops.ATTRIBUTE:
            if rows[row[3]][4] in ("get", "pop", "__getitem__"):
                tables.add(_chain(rows, rows[row[3]][3]))
        elif op == ops.MATCH_VALUE and is_parameter(row[3]):
            add(row[4])
    tables.discard("")
    return tuple(sorted(names)), tuple(sorted(tables))


def _chain(rows: list[Any], id: int) -> str:
    parts: list[str] = []
    while rows[id][0] == ops.ATTRIBUTE:
        parts.append(rows[id][4])
        id = rows[id][3]
    return ".".join([rows[id][3], *reversed(parts)]) if rows[id][0] == ops.NAME else ""


# --- parameters --------------------------------------------------------------------------------------------


def _last_of_header(node: Definition, line: int, column: int) -> tuple[int, int]:
    """The place behind which only signs follow up to the colon."""
    if node.returns is not None:
        return node.returns.end_lineno or line, node.returns.end_col_offset or column
    args = node.args
    last: Any = args.kwarg
    if last is None:
        if args.kwonlyargs:
            last = args.kw_defaults[-1] or args.kwonlyargs[-1]
        elif args.vararg is not None:
            last = args.vararg
        elif args.args or args.posonlyargs:
            last = args.defaults[-1] if args.defaults else (args.args or args.posonlyargs)[-1]
        else:
            types = getattr(node, "type_params", None)
            if not types:
                return line, column
            last = types[-1]
    return last.end_lineno, last.end_col_offset


def _defaults(d: Draft, args: ast.arguments) -> tuple[int, ...]:
    """Default values in the order in which they run: positional ones, then keyword-only ones (-1: none)."""
    values = read_all(d, args.defaults) if args.defaults else ()
    if args.kw_defaults:
        values += tuple([read_optional(d, one) for one in args.kw_defaults])
    return values


def _parameters(d: Draft, args: ast.arguments, defaults: tuple[int, ...]) -> list[Pending]:
    """Read the annotations; parameters in the order in which they are written."""
    pending: list[Pending] = []
    positional = len(args.posonlyargs) + len(args.args)
    missing = positional - len(args.defaults)
    place = 0
    for kind, group in (("positional-only", args.posonlyargs), ("positional", args.args)):
        for one in group:
            default = defaults[place - missing] if place >= missing else -1
            pending.append(_parameter(d, one, kind, default))
            place += 1
    if args.vararg is not None:
        pending.append(_parameter(d, args.vararg, "*", -1))
    place = len(args.defaults)
    for one in args.kwonlyargs:
        pending.append(_parameter(d, one, "keyword-only", defaults[place]))
        place += 1
    if args.kwarg is not None:
        pending.append(_parameter(d, args.kwarg, "**", -1))
    return pending


def _parameter(d: Draft, node: ast.arg, kind: str, default: int) -> Pending:
    annotation = node.annotation
    return (
        node.arg, kind, node.lineno, node.col_offset,
        -1 if annotation is None else read_annotation(d, annotation), default,
    )  # fmt: skip


def _bind_parameters(d: Draft, scope: int, pending: list[Pending]) -> None:
    for name, kind, line, column, annotation, default in pending:
        d.parameters.append((scope, name, kind, line, column, annotation, default))
        bind(d, name, facts.PARAMETER, line, column, default, annotation)


def _lambda(d: Draft, node: ast.Lambda) -> int:
    outer, outer_block = d.scope, d.block
    args = node.args
    pending = _parameters(d, args, _defaults(d, args))
    line, column, end = node.lineno, node.col_offset, node.end_lineno or node.lineno
    scope = d.open_scope(facts.LAMBDA, "<lambda>", line, column, line, line, line, end)
    _bind_parameters(d, scope, pending)
    body = read(d, node.body)
    d.flow("return", body, node.body.lineno)
    d.enter(outer, outer_block)
    d.rows.append((ops.LAMBDA, line, column, scope, body))
    return len(d.rows) - 1


# --- classes -----------------------------------------------------------------------------------------------


def _class(d: Draft, node: ast.ClassDef) -> int:
    name = node.name
    d.defined.add(name)
    d.class_words.add(name)
    outer, outer_block = d.scope, d.block
    decorators = node.decorator_list
    decorator_values = read_all(d, decorators)
    line, column = after_keyword(d, node.lineno, node.col_offset, b"class", name)
    start = min(decorators[0].lineno, node.lineno) if decorators else node.lineno
    types = getattr(node, "type_params", None)
    ends = [(line, column + len(name))]
    ends += [(one.end_lineno, one.end_col_offset) for one in (types or [])[-1:]]
    ends += [(one.end_lineno or 0, one.end_col_offset or 0) for one in node.bases[-1:]]
    ends += [(one.end_lineno or 0, one.end_col_offset or 0) for one in node.keywords[-1:]]
    place = (line, column, start, node.lineno, header_end(d, *max(ends)), node.end_lineno or node.lineno)

    type_names = _open_type_parameters(d, name, types, place) if types else ()
    # a base is an expression; what its subscripts quote is a type: Base["Item"]
    base_values = tuple([read_annotation(d, one) for one in node.bases])
    keyword_names, keyword_values = read_keywords(d, node.keywords)
    scope = d.open_scope(facts.CLASS, name, *place)
    d.classes.append(
        (
            scope,
            tuple([dotted(one.value if isinstance(one, ast.Subscript) else one) for one in node.bases]),
            tuple([(key, dotted(one.value)) for key, one in zip(keyword_names, node.keywords)]),  # noqa: B905
            tuple([dotted(one.func if isinstance(one, ast.Call) else one) for one in decorators]),
            base_values,
            keyword_values,
            decorator_values,
            type_names,
            has_docstring(node.body),
        )
    )
    ending = read_statements(d, node.body)
    d.blocks[d.roots[scope]][BLOCK_TERMINATES] = ending != 0
    d.enter(outer, outer_block)
    bind(d, name, facts.CLASS_DEF, line, column, target=scope)
    return ending


# --- type parameters, type aliases ---------------------------------------------------------------------------


def _open_type_parameters(
    d: Draft, name: str, types: list[Any], place: tuple[int, int, int, int, int, int]
) -> tuple[str, ...]:
    d.open_scope(facts.TYPE_PARAMETERS, name, *place)
    for one in types:
        line, column = skip(d, one.lineno, one.col_offset, b"*")
        bound = read_annotation(d, getattr(one, "bound", None))
        default = read_annotation(d, getattr(one, "default_value", None))
        bind(d, one.name, facts.TYPE_PARAMETER, line, column, default, bound)
    return tuple([one.name for one in types])


def _type_alias(d: Draft, node: grammar.TypeAlias) -> int:
    outer, outer_block = d.scope, d.block
    name = node.name
    types = node.type_params
    end = node.end_lineno or node.lineno
    place = (name.lineno, name.col_offset, node.lineno, node.lineno, node.lineno, end)
    if types:
        _open_type_parameters(d, name.id, types, place)
    value = read_annotation(d, node.value)
    if types:
        d.enter(outer, outer_block)
    bind(d, name.id, facts.TYPE_ALIAS, name.lineno, name.col_offset, value, written=node.value)
    return 0


# --- comprehensions ------------------------------------------------------------------------------------------


def _comprehension(d: Draft, node: Any) -> int:
    outer, outer_block = d.scope, d.block
    kind, label = _COMPREHENSIONS[type(node)]
    line, column = node.lineno, node.col_offset
    rows = d.rows
    scope = -1
    iterables: list[int] = []
    tests: list[tuple[int, int]] = []  # first id that depends on it, the test
    for generator in node.generators:
        iterable = read(d, generator.iter)
        if scope < 0:  # the first iterable is evaluated outside
            scope = d.open_scope(facts.COMPREHENSION, label, line, column, line, line, line, node.end_lineno)
        iterables.append(iterate(d, generator.iter, iterable, generator.target, generator.is_async))
        for condition in generator.ifs:
            test = read(d, condition)
            tests.append((test + 1, test))
    if kind != "dict":
        elements = [read(d, node.elt)]
    elif node.value is None:  # PEP 798: {**each for each in maps}
        inner = read(d, node.key)
        rows.append((ops.DICT, node.key.lineno, node.key.col_offset, (-1,), (inner,)))
        elements = [len(rows) - 1]
    else:
        elements = [read(d, node.key), read(d, node.value)]
    last = len(rows) - 1
    for first, test in tests:
        d.branches.append((first, last, test, True))
    d.enter(outer, outer_block)
    rows.append((ops.COMPREHENSION, line, column, kind, scope, tuple(iterables), tuple(elements)))
    return len(rows) - 1


# --- declarations --------------------------------------------------------------------------------------------


def _global(d: Draft, node: ast.Global) -> int:
    return _declare(d, node.names, 0)


def _nonlocal(d: Draft, node: ast.Nonlocal) -> int:
    return _declare(d, node.names, -1)


def _declare(d: Draft, names: list[str], owner: int) -> int:
    d.bound.update(names)
    declared = d.declared[d.scope]
    if declared is None:
        declared = d.declared[d.scope] = {}
    for name in names:
        declared[name] = owner
    return 0


EXPRESSIONS[ast.Lambda] = _lambda
for _kind in _COMPREHENSIONS:
    EXPRESSIONS[_kind] = _comprehension
STATEMENTS[ast.FunctionDef] = _function
STATEMENTS[ast.AsyncFunctionDef] = _function
STATEMENTS[ast.ClassDef] = _class
STATEMENTS[grammar.TypeAlias] = _type_alias
STATEMENTS[ast.Global] = _global
STATEMENTS[ast.Nonlocal] = _nonlocal
