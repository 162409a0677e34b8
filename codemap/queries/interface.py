# `show`: the interface card. Everything on it is what the other questions answer, put together for one definition:
# its header, its fields with who constructs, writes and reads each, its methods, who makes instances, who derives.
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from codemap.model.answers import Answer
from codemap.queries.definitions import matches_of, status_of, unresolved
from codemap.queries.describe import describe
from codemap.queries.matching import Match
from codemap.queries.subjects import Subject, subjects, uses
from codemap.resolve.records import CLASS, FUNCTION, METHOD

if TYPE_CHECKING:
    from codemap.inference.engine import Engine

Row = dict[str, Any]


def show(engine: Engine, name: str) -> Answer:
    """The interface card of what a NAME means: one result each, with nested lists.

    A class has `fields` (each with `type`, `default`, `optional`, `constructed_by`, `written_by`, `read_by`; readers
    of an optional field have `none_check`: tests, guarded, unguarded, passed on), `methods`, `constructed`,
    `subclasses`, `mro`; a function `callers`, `callees`, `returns`; anything else `used_by`.
    """
    program = engine.names
    matches = matches_of(program, name)
    cards: list[Row] = []
    for match in matches.matches:
        if match.lead is None:
            cards.append(_card(engine, match, name))
    offered: tuple[str, ...] = ()
    if not cards:
        from codemap.queries.suggestions import suggestions

        offered = suggestions(program, name, ())
    return Answer(
        "show",
        name,
        program.index.summary(),
        status_of(matches.matches),
        tuple(cards),
        () if cards else tuple(unresolved(matches.reasons)),
        offered,
    )


def _card(engine: Engine, match: Match, asked: str) -> Row:
    definition = match.definition
    card = describe(engine.names, match)
    if definition.kind == CLASS and definition.scope >= 0:
        from codemap.queries.class_card import complete_class

        complete_class(engine, definition, card)
    elif definition.kind in (FUNCTION, METHOD) and definition.scope >= 0:
        from codemap.queries.function_card import complete_function

        complete_function(engine, definition, card)
    else:
        about = subjects(engine, matches_of(engine.names, asked), asked)
        for subject in about:
            if subject.definition == definition:
                card.update(users(engine, subject))
    return card


def users(engine: Engine, subject: Subject, optional: bool = False) -> Row:
    """Who constructs, writes and reads an attribute or a global."""
    from codemap.queries.occurrences import CONSTRUCT, READS, WRITES, result_of

    found = uses(engine, subject)
    lists: dict[str, list[Row]] = {"constructed_by": [], "written_by": [], "read_by": []}
    for row in found.found:
        if row.role == "definition" and not row.access:
            continue
        plain = {**result_of(engine, row), "access": row.access, "receiver": row.receiver}
        if row.access == CONSTRUCT:
            lists["constructed_by"].append(plain)
        elif row.access in WRITES and row.role != "definition":
            lists["written_by"].append(plain)
        if row.access in READS:
            if optional and row.expression >= 0:
                from codemap.queries.guards import none_check

                plain = {**plain, "none_check": none_check(engine, engine.table(row.file), row.expression)}
            lists["read_by"].append(plain)
    open_sites = [
        {"file": one.file, "line": one.line, "name": one.name, "reason": one.reason} for one in found.open
    ]
    return {**lists, "undecided": open_sites}
