# `match`: a pattern is a test and a destructuring of its subject. Reading a pattern gives the id of the subject as
# the pattern leaves it: the subject itself behind a wildcard or a capture, a MATCH row where it was tested.
from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any, Final

from codemap.model import facts
from codemap.semantic import expressions as ops
from codemap.semantic.binding import bind
from codemap.semantic.draft import (
    BLOCK_TERMINATES,
    BLOCK_TEST,
    FALLS_THROUGH,
    STATEMENTS,
    Draft,
    read_statements,
)
from codemap.semantic.referencing import read
from codemap.semantic.tokens import end_token, skip, source_text

_BETWEEN: Final = b"(),"


def _match(d: Draft, node: ast.Match) -> int:
    scope, outer = d.scope, d.block
    subject = read(d, node.subject)
    statement = d.add_statement()
    endings: list[int] = []
    exhaustive = False
    for case in node.cases:
        text = source_text(d, case.pattern)
        line = case.pattern.lineno
        block = d.add_block(facts.CASE, line, statement, text)
        d.enter(scope, block)
        here = _pattern(d, case.pattern, subject)
        if here != subject:
            d.blocks[block][BLOCK_TEST] = here
        if case.guard is None:
            exhaustive = exhaustive or here == subject
        else:
            test = read(d, case.guard)
            guarded = d.add_block(
                facts.IF, case.guard.lineno, d.add_statement(), source_text(d, case.guard), test
            )
            d.enter(scope, guarded)
        inner = d.block
        ending = read_statements(d, case.body)
        if ending:
            d.blocks[block][BLOCK_TERMINATES] = d.blocks[inner][BLOCK_TERMINATES] = True
        endings.append(ending)
        d.enter(scope, outer)
    return min(endings) if exhaustive and endings else FALLS_THROUGH


def _pattern(d: Draft, node: Any, subject: int) -> int:
    read_pattern: Callable[[Draft, Any, int], int] = _PATTERNS[type(node)]
    return read_pattern(d, node, subject)


def _add(d: Draft, op: int, node: Any, *operands: Any) -> int:
    d.rows.append((op, node.lineno, node.col_offset, *operands))
    return len(d.rows) - 1


def _value(d: Draft, node: ast.MatchValue, subject: int) -> int:
    value = read(d, node.value)
    return _add(d, ops.MATCH_VALUE, node, subject, value)


def _singleton(d: Draft, node: ast.MatchSingleton, subject: int) -> int:
    value = _add(d, ops.CONSTANT, node, type(node.value).__name__, node.value)
    return _add(d, ops.MATCH_VALUE, node, subject, value)


def _as(d: Draft, node: ast.MatchAs, subject: int) -> int:
    here = subject if node.pattern is None else _pattern(d, node.pattern, subject)
    if node.name is not None:
        place = end_token(d, node.end_lineno, node.end_col_offset, node.name)
        bind(d, node.name, facts.MATCH, *place, here)
    return here


def _or(d: Draft, node: ast.MatchOr, subject: int) -> int:
    alternatives = tuple([_pattern(d, one, subject) for one in node.patterns])
    if alternatives[-1] == subject:
        return subject  # `A() | _`
    return _add(d, ops.MATCH_OR, node, subject, alternatives)


def _class(d: Draft, node: ast.MatchClass, subject: int) -> int:
    tested = read(d, node.cls)
    names = tuple(node.kwd_attrs)
    here = _add(d, ops.MATCH_CLASS, node, subject, tested, len(node.patterns), names)
    line, column = node.cls.end_lineno or 0, node.cls.end_col_offset or 0
    for place, one in enumerate(node.patterns):
        _pattern(d, one, _add(d, ops.MATCH_POSITIONAL, one, here, place))
        line, column = one.end_lineno, one.end_col_offset
    for name, one in zip(names, node.kwd_patterns, strict=True):
        d.keywords.add(name)
        d.attributes.add(name)
        line, column = skip(d, line, column, _BETWEEN)
        d.rows.append((ops.MATCH_ATTRIBUTE, line, column, here, name))
        _pattern(d, one, len(d.rows) - 1)
        line, column = one.end_lineno, one.end_col_offset
    return here


def _sequence(d: Draft, node: ast.MatchSequence, subject: int) -> int:
    patterns = node.patterns
    stars = [place for place, one in enumerate(patterns) if type(one) is ast.MatchStar]
    first = stars[0] if stars else len(patterns)
    after = len(patterns) - first - 1 if stars else 0
    here = _add(d, ops.MATCH_SEQUENCE, node, subject, first, int(bool(stars)), after)
    for place, one in enumerate(patterns):
        if isinstance(one, ast.MatchStar):
            rest = _add(d, ops.REST, one, here, place, -after)
            if one.name is not None:
                token = end_token(d, one.end_lineno, one.end_col_offset, one.name)
                bind(d, one.name, facts.MATCH, *token, rest)
        else:
            index = place if place < first else place - len(patterns)
            _pattern(d, one, _add(d, ops.ELEMENT, one, here, index))
    return here


def _mapping(d: Draft, node: ast.MatchMapping, subject: int) -> int:
    keys = tuple([read(d, key) for key in node.keys])
    here = _add(d, ops.MATCH_MAPPING, node, subject, keys)
    line, column = node.lineno, node.col_offset + 1
    for key, one in zip(keys, node.patterns, strict=True):
        _pattern(d, one, _add(d, ops.MATCH_ITEM, one, here, key))
        line, column = one.end_lineno, one.end_col_offset
    if node.rest is not None:
        place = skip(d, line, column, b"),*")
        d.rows.append((ops.MATCH_REST, *place, here))
        bind(d, node.rest, facts.MATCH, *place, len(d.rows) - 1)
    return here


_PATTERNS: Final[dict[type, Any]] = {
    ast.MatchValue: _value,
    ast.MatchSingleton: _singleton,
    ast.MatchAs: _as,
    ast.MatchOr: _or,
    ast.MatchClass: _class,
    ast.MatchSequence: _sequence,
    ast.MatchMapping: _mapping,
}
STATEMENTS[ast.Match] = _match
