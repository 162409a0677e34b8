# Statements that say when others run, and those that end a run. A block is made when its test was read, so that
# it can name it; how control leaves a statement goes up as the handler's result (see draft.py).
#
# What runs for type checkers only: `TYPE_CHECKING` by its bare name, under the alias of an import, or as the last
# part of a chain (`typing.TYPE_CHECKING`, `t.TYPE_CHECKING`), or under the name that a plain assignment gives it;
# the name `MYPY`, as mypy's own manual once advised; `and`, `or`, `not`, `is True` of them. `if False:` and `if 0:` never run and are DEAD, not TYPING: some used it for imports
# of types before 3.5.2, and for a name that is bound in such a block the two mean the same at run time.
#
# `with` may swallow an exception, so a body that raises does not end the run of its statement; one that returns
# does, unless the manager's name says that it swallows (`suppress`, `raises`, ...).
from __future__ import annotations

import ast
from typing import Any, Final

from codemap.model import facts
from codemap.semantic import exporting
from codemap.semantic import expressions as ops
from codemap.semantic.binding import assign, bind
from codemap.semantic.draft import (
    BLOCK_TERMINATES,
    BLOCK_TEST,
    FALLS_THROUGH,
    LEAVES,
    RAISES,
    STATEMENTS,
    Draft,
    dotted,
    read_statements,
)
from codemap.semantic.referencing import read, read_optional
from codemap.semantic.targets import iterate
from codemap.semantic.tokens import handler_name, source_text

_SWALLOWING: Final = ("suppress", "raises", "warns", "assertRaises", "assertRaisesRegex")


def _block(d: Draft, block: int, statements: list[ast.stmt]) -> int:
    """Read the statements of a block and come back."""
    scope, outer = d.scope, d.block
    d.enter(scope, block)
    ending = read_statements(d, statements)
    if ending:
        d.blocks[block][BLOCK_TERMINATES] = True
    d.enter(scope, outer)
    return ending


# --- if ------------------------------------------------------------------------------------------------------

Kinds = tuple[str, str]  # kind of the block where a test is true, and where it is false; "": an ordinary one


def classify(d: Draft, node: ast.expr) -> Kinds:
    """What kind of block each outcome of a test opens."""
    if isinstance(node, ast.Name):
        return (facts.TYPING, facts.NOT_TYPING) if node.id in d.typing_names else ("", "")
    if isinstance(node, ast.Attribute):
        typing = node.attr == "TYPE_CHECKING" and dotted(node)
        return (facts.TYPING, facts.NOT_TYPING) if typing else ("", "")
    if isinstance(node, ast.Constant):
        return ("", facts.DEAD) if node.value else (facts.DEAD, "")
    if isinstance(node, ast.Compare) and len(node.ops) == 1:  # `TYPE_CHECKING is True`
        truth = node.comparators[0]
        if isinstance(truth, ast.Constant) and isinstance(truth.value, bool):
            true, false = classify(d, node.left) if not isinstance(node.left, ast.Constant) else ("", "")
            if isinstance(node.ops[0], (ast.Is, ast.Eq)):
                return (true, false) if truth.value else (false, true)
            if isinstance(node.ops[0], (ast.IsNot, ast.NotEq)):
                return (false, true) if truth.value else (true, false)
        return "", ""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        true, false = classify(d, node.operand)
        return false, true
    if isinstance(node, ast.BoolOp):
        outcomes = [classify(d, one) for one in node.values]
        trues, falses = [one[0] for one in outcomes], [one[1] for one in outcomes]
        if isinstance(node.op, ast.And):
            return _any_of(trues), _all_of(falses)
        return _all_of(trues), _any_of(falses)
    return "", ""


def _any_of(kinds: list[str]) -> str:
    for kind in (facts.DEAD, facts.TYPING, facts.NOT_TYPING):
        if kind in kinds:
            return kind
    return ""


def _all_of(kinds: list[str]) -> str:
    return kinds[0] if len(set(kinds)) == 1 else ""


def _if(d: Draft, node: ast.If) -> int:
    # An `elif` is an `if` within the `else`: down the chain by a loop, its blocks nested as they are in the tree.
    scope, outer = d.scope, d.block
    chain: list[tuple[int, int, Kinds]] = []  # how the `if` block ends, the `else` block, their kinds
    while True:
        test = read(d, node.test)
        kinds = true, false = classify(d, node.test)
        statement = d.add_statement()
        text = source_text(d, node.test)
        then = d.add_block(true or facts.IF, node.lineno, statement, text, test)
        ending = _block(d, then, node.body)
        orelse = node.orelse
        if not orelse:
            last = ending if false == facts.DEAD else FALLS_THROUGH
            break
        otherwise = d.add_block(false or facts.ELSE, orelse[0].lineno, statement, text, test)
        chain.append((ending, otherwise, kinds))
        if len(orelse) == 1 and type(orelse[0]) is ast.If:
            node = orelse[0]
            d.enter(scope, otherwise)
        else:
            last = _block(d, otherwise, orelse)
            break
    for ending, otherwise, (true, false) in reversed(chain):
        if last:
            d.blocks[otherwise][BLOCK_TERMINATES] = True
        if false == facts.DEAD:  # only the `if` runs
            last = ending
        elif true != facts.DEAD:  # both may run; else only the `else`
            last = min(ending, last)
    d.enter(scope, outer)
    return last


# --- loops -----------------------------------------------------------------------------------------------------


def _for(d: Draft, node: ast.For | ast.AsyncFor) -> int:
    scope, outer = d.scope, d.block
    iterable = read(d, node.iter)
    block = d.add_block(facts.LOOP, node.lineno, d.add_statement())
    d.enter(scope, block)
    element = iterate(d, node.iter, iterable, node.target, type(node) is ast.AsyncFor)
    d.blocks[block][BLOCK_TEST] = element
    return _loop_body(d, node, block, outer)


def _while(d: Draft, node: ast.While) -> int:
    test = read(d, node.test)
    kind = facts.DEAD if classify(d, node.test)[0] == facts.DEAD else facts.LOOP
    block = d.add_block(kind, node.lineno, d.add_statement(), source_text(d, node.test), test)
    return _loop_body(d, node, block, d.block)


def _loop_body(d: Draft, node: Any, block: int, outer: int) -> int:
    broke, d.broke = d.broke, False
    _block(d, block, node.body)
    d.enter(d.scope, outer)
    left = d.broke
    d.broke = broke
    ending = FALLS_THROUGH
    if node.orelse:
        statement = d.blocks[block][4]
        otherwise = d.add_block(facts.LOOP_ELSE, node.orelse[0].lineno, statement)
        ending = _block(d, otherwise, node.orelse)
    if left:
        return FALLS_THROUGH
    endless = type(node) is ast.While and classify(d, node.test)[1] == facts.DEAD
    return LEAVES if endless else ending


def _break(d: Draft, node: ast.Break) -> int:
    d.broke = True
    return LEAVES


def _continue(d: Draft, node: ast.Continue) -> int:
    return LEAVES


# --- try, with ---------------------------------------------------------------------------------------------------


def _try(d: Draft, node: Any) -> int:
    scope, outer = d.scope, d.block
    statement = d.add_statement()
    grouped = int(type(node) is not ast.Try)
    ending = _block(d, d.add_block(facts.TRY, node.lineno, statement), node.body)
    endings: list[int] = []
    for handler in node.handlers:
        block = d.add_block(facts.EXCEPT, handler.lineno, statement, _caught_text(d, handler.type))
        d.enter(scope, block)
        endings.append(_handler(d, handler, block, grouped))
        d.enter(scope, outer)
    if node.orelse:
        block = d.add_block(facts.TRY_ELSE, node.orelse[0].lineno, statement)
        after = _block(d, block, node.orelse)
        ending = ending or after
    for one in endings:
        ending = min(ending, one)
    if node.finalbody:
        block = d.add_block(facts.FINALLY, node.finalbody[0].lineno, statement)
        last = _block(d, block, node.finalbody)
        ending = last or ending
    return ending


def _caught_text(d: Draft, node: ast.expr | None) -> str:
    if node is None:
        return ""
    text = source_text(d, node)
    return text[1:-1].strip(" ,") if type(node) is ast.Tuple and text.startswith("(") else text


def _handler(d: Draft, node: ast.ExceptHandler, block: int, grouped: int) -> int:
    place = (node.lineno, node.col_offset)
    if node.type is not None:
        type_ = read(d, node.type)
        d.rows.append((ops.CAUGHT, node.type.lineno, node.type.col_offset, type_, grouped))
        d.blocks[block][BLOCK_TEST] = len(d.rows) - 1
        if node.name:
            place = handler_name(d, node)
            bind(d, node.name, facts.EXCEPT_NAME, *place, len(d.rows) - 1)
    ending = read_statements(d, node.body)
    if ending:
        d.blocks[block][BLOCK_TERMINATES] = True
    if node.name:
        # the name is unbound at the end of the handler: a deletion at the place of the binding itself
        d.enter(d.scope, block)
        bind(d, node.name, facts.DELETE, *place)
    return ending


def _with(d: Draft, node: ast.With | ast.AsyncWith) -> int:
    asynchronous = int(type(node) is ast.AsyncWith)
    first = -1
    swallows = False
    for item in node.items:
        manager = item.context_expr
        value = read(d, manager)
        d.rows.append((ops.ENTER, manager.lineno, manager.col_offset, value, asynchronous))
        entered = len(d.rows) - 1
        first = entered if first < 0 else first
        called = dotted(manager.func if isinstance(manager, ast.Call) else manager)
        swallows = swallows or called.rpartition(".")[2] in _SWALLOWING
        if item.optional_vars is not None:
            assign(d, item.optional_vars, facts.WITH_TARGET, entered)
    text = ", ".join([source_text(d, item.context_expr) for item in node.items])
    ending = _block(d, d.add_block(facts.WITH, node.lineno, d.add_statement(), text, first), node.body)
    return ending if ending == LEAVES and not swallows else FALLS_THROUGH


# --- the end of a run, and plain statements --------------------------------------------------------------------------


def _return(d: Draft, node: ast.Return) -> int:
    value = node.value
    if value is not None and not (isinstance(value, ast.Constant) and value.value is None):
        d.returning.add(d.scope)
    d.flow("return", read_optional(d, value), node.lineno)
    return LEAVES


def _raise(d: Draft, node: ast.Raise) -> int:
    value = read_optional(d, node.exc)
    d.flow("raise", value, node.lineno)
    if node.cause is not None:
        d.flow("raise from", read(d, node.cause), node.lineno)
    return RAISES


def _assert(d: Draft, node: ast.Assert) -> int:
    test = read(d, node.test)
    d.flow("assert", test, node.lineno)
    if node.msg is not None:
        message = read(d, node.msg)
        d.branches.append((test + 1, message, test, False))
    false = classify(d, node.test)[0] == facts.DEAD  # `assert False`
    return RAISES if false else FALLS_THROUGH


def _expression(d: Draft, node: ast.Expr) -> int:
    value = node.value
    if isinstance(value, ast.Constant):  # a docstring, a comment in quotes, `...`
        return FALLS_THROUGH
    here = read(d, value)
    d.flow("expression", here, node.lineno)
    if isinstance(value, ast.Call):
        exporting.called(d, value)
    return FALLS_THROUGH


def _pass(d: Draft, node: ast.Pass) -> int:
    return FALLS_THROUGH


STATEMENTS.update(
    {
        ast.If: _if,
        ast.For: _for,
        ast.AsyncFor: _for,
        ast.While: _while,
        ast.Break: _break,
        ast.Continue: _continue,
        ast.Try: _try,
        ast.TryStar: _try,
        ast.With: _with,
        ast.AsyncWith: _with,
        ast.Return: _return,
        ast.Raise: _raise,
        ast.Assert: _assert,
        ast.Expr: _expression,
        ast.Pass: _pass,
    }
)
