# The way in: bytes -> syntax tree -> one pass that fills a draft -> records.
#
# Importing the modules of this folder enters their handlers in the dispatch tables of `draft`. The garbage
# collector rests meanwhile: a reading makes hundreds of thousands of tuples and no cycle.
from __future__ import annotations

import ast
import gc
import re
import sys
from _thread import allocate_lock
from collections.abc import Callable, Iterable
from itertools import repeat
from typing import Any, Final, TypeVar

from codemap.model import facts
from codemap.model.facts import Body, FileFacts, Outline
from codemap.semantic import branching, calling, importing, matching, referencing, scoping
from codemap.semantic.columns import Columns
from codemap.semantic.draft import EXPRESSIONS, STATEMENTS, Draft, read_statements
from codemap.semantic.version import EXTRACTOR_VERSION
from codemap.source.parsing import Parsed, parse

_READERS: Final = (branching, calling, importing, matching, referencing, scoping)
_WORD: Final = re.compile(r"[^\W\d]\w*")
_DEEP: Final = 100_000  # frames for a file that needs more than the interpreter's limit
_DEEP_LOCK: Final = allocate_lock()
_NAME_IMPORTED: Final = facts.Import._fields.index("name")
_ALIAS: Final = facts.Import._fields.index("alias")
_ALIASES: Final = facts.Binding._fields.index("aliases")
_BASES: Final = facts.ClassFacts._fields.index("bases")
_RecordT = TypeVar("_RecordT")
Made = Callable[[Any, Iterable[Any]], tuple[Any, ...]]  # records of a kind, or what stands for them, of rows

for _class in ast.expr.__subclasses__():
    EXPRESSIONS.setdefault(_class, referencing.unknown)


def read_facts(source: bytes) -> FileFacts:
    """Everything one file says about itself.

    A pure function of the bytes: it opens nothing, knows no other module, and gives the same whatever interpreter
    runs it. It never raises for what a file holds; `Outline.errors` says what could not be read.
    """
    outline, body, words = _facts(source, records)
    return FileFacts(outline, body, {word: words[word] for word in sorted(words)})


def read_rows(source: bytes) -> FileFacts:
    """The same with plain rows in place of records and words in any order, for who makes bytes of them at once."""
    return _facts(source, _rows)


def _facts(source: bytes, made: Made) -> FileFacts:
    collecting = gc.isenabled()
    gc.disable()
    try:
        parsed = parse(source)
        draft = _read(parsed)
        if draft.too_deep:
            draft = _read_deep(parsed)
        return _finish(draft, made)
    finally:
        if collecting:
            gc.enable()


def _read(parsed: Parsed) -> Draft:
    draft = Draft(parsed)
    module = parsed.module
    draft.open_scope(facts.MODULE, "<module>", 1, 0, 1, 1, 1, max(parsed.lines, 1))
    ending = read_statements(draft, module.body)
    draft.blocks[0][-1] = ending != 0
    return draft


def _read_deep(parsed: Parsed) -> Draft:
    # The handlers call each other without C between, so more frames cost no C stack. The limit is the process's:
    # one thread at a time.
    with _DEEP_LOCK:
        limit = sys.getrecursionlimit()
        sys.setrecursionlimit(max(limit, _DEEP))
        try:
            return _read(parsed)
        finally:
            sys.setrecursionlimit(limit)


def _finish(d: Draft, made: Made) -> FileFacts:
    _own_nonlocals(d)
    if not d.ascii:
        columns = Columns(d.lines)
        d.rows = columns.converted(d.rows, 1)
        d.scopes = columns.converted(d.scopes, 4)
        d.binding_rows = columns.converted(d.binding_rows, 5)
        d.local_rows = columns.converted(d.local_rows, 5)
        d.stores = columns.converted(d.stores, 5)
        d.imports = columns.converted(d.imports, 6)
        d.parameters = columns.converted(d.parameters, 3)
        d.errors = [
            facts.ParseError(*row) for row in columns.converted([tuple(error) for error in d.errors], 0)
        ]
    for scope, declared in enumerate(d.declared):
        if declared is not None:
            *head, _, _, header_end = d.scopes[scope]
            of_module = sorted([name for name, owner in declared.items() if owner == 0])
            of_function = sorted([name for name, owner in declared.items() if owner == -1])
            d.scopes[scope] = (*head, tuple(of_module), tuple(of_function), header_end)
    parsed = d.parsed
    outline = Outline(
        parsed.lines,
        parsed.encoding,
        parsed.recovered or d.too_deep,
        tuple(sorted([*parsed.errors, *d.errors])),
        made(facts.Scope, d.scopes),
        made(facts.Block, d.blocks),
        made(facts.Binding, d.binding_rows),
        made(facts.AttributeStore, d.stores),
        made(facts.Import, d.imports),
        made(facts.ExportOperation, d.exports),
        made(facts.ClassFacts, d.classes),
        made(facts.FunctionFacts, d.functions),
    )
    body = Body(
        tuple(d.rows),
        tuple(d.spans),
        made(facts.Binding, d.local_rows),
        made(facts.Parameter, d.parameters),
        tuple(d.returns),
        made(facts.Flow, d.flows),
        tuple(sorted(d.branches)),
    )
    return FileFacts(outline, body, _words(d))


def records(kind: type[_RecordT], rows: Iterable[Iterable[Any]]) -> tuple[_RecordT, ...]:
    """Named tuples of rows, without a Python call for each."""
    made: Any = map(tuple.__new__, repeat(kind), rows)
    return tuple(made)


def _rows(_: Any, rows: Iterable[Any]) -> tuple[Any, ...]:
    return tuple(rows)


def _own_nonlocals(d: Draft) -> None:
    """Give a binding of a `nonlocal` name to the enclosing function that binds the name, which may come later in the
    file; where none does it stays where it is."""
    if not d.nonlocal_rows:
        return
    pending = set(d.nonlocal_rows)
    bound = {(row[2], row[0]) for place, row in enumerate(d.local_rows) if place not in pending}
    for place in d.nonlocal_rows:
        row = d.local_rows[place]
        scope = d.parents[row[2]]
        while scope > 0 and (d.kinds[scope] != facts.FUNCTION or (scope, row[0]) not in bound):
            scope = d.parents[scope]
        if scope > 0:
            d.local_rows[place] = (*row[:2], scope, *row[3:])


def _words(d: Draft) -> dict[str, int]:
    if "*" in [row[_NAME_IMPORTED] for row in d.imports]:
        d.imported.add(facts.STAR_WORD)
    words = dict.fromkeys(d.reads, facts.ROLE_READ)
    get = words.get
    for role, found in (
        (facts.ROLE_ATTRIBUTE, d.attributes),
        (facts.ROLE_STORE, d.stored),
        (facts.ROLE_CALL, d.called),
        (facts.ROLE_KEYWORD, d.keywords),
        (facts.ROLE_BIND, d.bound),
        (facts.ROLE_DEFINE, d.defined),
        (facts.ROLE_CLASS, d.class_words),
        (facts.ROLE_IMPORT, d.imported),
        (facts.ROLE_EXPORT, d.exported),
        (facts.ROLE_BASE, {chain.rpartition(".")[2] for row in d.classes for chain in row[_BASES] if chain}),
        (facts.ROLE_RENAME, _renamed(d)),
        (facts.ROLE_STRING, set(_WORD.findall("\n".join(set(d.strings))))),
    ):
        for word in found:
            words[word] = get(word, 0) | role
    return words


def _renamed(d: Draft) -> set[str]:
    """The names that an import or a plain assignment gives another name."""
    found = {row[_NAME_IMPORTED] for row in d.imports if row[_ALIAS] and row[_NAME_IMPORTED]}
    for row in d.binding_rows:
        if row[_ALIASES]:
            found.update([chain.rpartition(".")[2] for chain in row[_ALIASES]])
    return found


__all__ = ["EXTRACTOR_VERSION", "STATEMENTS", "read_facts", "read_rows", "records"]
