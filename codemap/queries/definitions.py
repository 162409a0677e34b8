# `find` and `find-class`: one question, asked of every kind of definition or of classes only.
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from codemap.model.answers import AMBIGUOUS, FOUND, NOT_FOUND, Answer, UnresolvedSite
from codemap.queries.describe import describe
from codemap.queries.matching import Match, Matches, match_name
from codemap.queries.places import match_place, parse_place
from codemap.resolve.program import Program
from codemap.resolve.records import CLASS, FUNCTION, METHOD, MODULE, Reason


def find(program: Program, name: str, kinds: Sequence[str] = ()) -> Answer:
    """Where a name is defined: classes, functions, methods, attributes, modules, constants (`kinds` keeps some).

    `name` is a qualified name, any suffix of one, a file's path, or `file.py:LINE[:COL]`.
    """
    matches = matches_of(program, name, kinds)
    return _answer(program, "find", name, matches, kinds, {})


def find_class(program: Program, name: str, expected_in: Sequence[str] = ()) -> Answer:
    """Where a class is defined, how it is re-exported, and what each file of `expected_in` has to do with it."""
    matches = matches_of(program, name, (CLASS,))
    extra: dict[str, Any] = {}
    if expected_in:
        from codemap.queries import expected

        found = [match.definition for match in matches.matches if match.lead is None]
        rows = [
            row for fragment in expected_in for row in expected.expected_in(program, name, found, fragment)
        ]
        extra["expected_in"] = list({row["file"]: row for row in rows}.values())
    else:
        extra["expected_in"] = []
    return _answer(program, "find-class", name, matches, (CLASS,), extra)


def matches_of(program: Program, name: str, kinds: Sequence[str] = ()) -> Matches:
    """The definitions that a NAME of the command line means, with what accompanies them."""
    place = parse_place(name)
    if place is None:
        return match_name(program, name, kinds)
    matches = match_place(program, *place)
    return Matches(
        tuple(m for m in matches.matches if not kinds or m.definition.kind in kinds), matches.reasons
    )


def _answer(
    program: Program, command: str, name: str, matches: Matches, kinds: Sequence[str], extra: dict[str, Any]
) -> Answer:
    results = tuple(describe(program, match) for match in matches.matches)
    offered: tuple[str, ...] = ()
    if not results:
        from codemap.queries.suggestions import suggestions

        offered = suggestions(program, name, kinds)
    return Answer(
        command,
        name,
        program.index.summary(),
        status_of(matches.matches),
        results,
        tuple(unresolved(matches.reasons)) if not results else (),
        offered,
        extra,
    )


def status_of(matches: Sequence[Match]) -> str:
    """ "found" for one thing, "ambiguous" for several; a variable that is bound several times is one thing."""
    if not matches:
        return NOT_FOUND
    distinct: set[tuple[object, ...]] = set()
    for match in matches:
        definition = match.definition
        if match.lead is not None:
            continue
        statement = definition.kind in (CLASS, FUNCTION, METHOD, MODULE)
        distinct.add((definition.file, definition.name, definition.line if statement else 0))
    return AMBIGUOUS if len(distinct) > 1 else FOUND


def unresolved(reasons: Sequence[Reason]) -> list[UnresolvedSite]:
    """Reasons as an answer tells them, sorted, each once."""
    rows = {UnresolvedSite(reason.name, reason.file, reason.line, reason.text) for reason in reasons}
    return sorted(rows)
