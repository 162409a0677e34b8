# `refs`: every place where a definition's own name stands, with its role.
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from codemap.model.answers import FOUND, NOT_FOUND, Answer, UnresolvedSite
from codemap.queries.definitions import matches_of, status_of, unresolved
from codemap.queries.occurrences import Occurrence, result_of
from codemap.queries.subjects import first_store_is_definition, subjects, uses

if TYPE_CHECKING:
    from codemap.inference.engine import Engine


def refs(engine: Engine, name: str) -> Answer:
    """Every reference of a name with its role, the definition included; comments are no references.

    `name` is a qualified name, an end of one, or `file.py:LINE[:COL]` (any of the places gives the same answer).
    Uses under another name count where an import renames it. A method's references are those whose receiver has
    that method, not another one of the same name.
    """
    program = engine.names
    matches = matches_of(program, name)
    rows: list[Occurrence] = []
    open_sites: set[UnresolvedSite] = set()
    status = status_of(matches.matches)
    about = subjects(engine, matches, name)
    if not about or about[0].owner is None:
        from codemap.queries.unbound import members_at

        about = members_at(engine, name) or about
        status = FOUND if about else status
    if not about:
        from codemap.queries.unbound import uses_of_place

        rows = list(uses_of_place(engine, name))
        status = FOUND if rows else NOT_FOUND
    for subject in about:
        answer = uses(engine, subject)
        rows += [row for row in first_store_is_definition(answer.found, subject.definition) if row.token]
        open_sites |= {UnresolvedSite(site.name, site.file, site.line, site.reason) for site in answer.open}
    if not matches.matches and rows:
        status = FOUND
    results = [_result(engine, row) for row in sorted(set(rows))]
    offered: tuple[str, ...] = ()
    if not results:
        from codemap.queries.suggestions import suggestions

        open_sites |= set(unresolved(matches.reasons))
        offered = suggestions(program, name, ())
    return Answer(
        "refs", name, program.index.summary(), status, tuple(results), tuple(sorted(open_sites)), offered
    )


def _result(engine: Engine, row: Occurrence) -> dict[str, Any]:
    return {**result_of(engine, row), "role": row.role}
