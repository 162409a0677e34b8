# `consumers` and `producers`: who reads and who writes an attribute. Both are views of the same occurrences.
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from codemap.model import facts
from codemap.model.answers import FOUND, NOT_FOUND, Answer, UnresolvedSite
from codemap.queries.definitions import matches_of, status_of, unresolved
from codemap.queries.occurrences import AUGMENTED, READS, WRITES, Occurrence, result_of
from codemap.queries.subjects import Subject, subjects, uses

if TYPE_CHECKING:
    from codemap.inference.engine import Engine


def consumers(engine: Engine, name: str) -> Answer:
    """Who reads `CLASS.ATTR`, or `MODULE.NAME` of a module's global, with the receiver's class and the access."""
    return _answer(engine, "consumers", name, READS)


def producers(engine: Engine, name: str) -> Answer:
    """Who writes `CLASS.ATTR` or `MODULE.NAME`: assignments, constructor arguments, replace, setattr, del."""
    return _answer(engine, "producers", name, WRITES)


def _answer(engine: Engine, command: str, name: str, wanted: frozenset[str]) -> Answer:
    program = engine.names
    matches = matches_of(program, name)
    about = subjects(engine, matches, name)
    if not about and ":" in name:
        from codemap.queries.unbound import members_at

        about = members_at(engine, name)
    rows: list[Occurrence] = []
    open_sites: set[UnresolvedSite] = set()
    for subject in about:
        answer = uses(engine, subject)
        rows += [
            row
            for row in answer.found
            if row.access in wanted and not _is_definition_only(engine, subject, row)
        ]
        open_sites |= {UnresolvedSite(site.name, site.file, site.line, site.reason) for site in answer.open}
    offered: tuple[str, ...] = ()
    status = status_of(matches.matches)
    if not matches.matches and rows:
        status = FOUND
    if status == NOT_FOUND:
        from codemap.queries.suggestions import suggestions

        open_sites |= set(unresolved(matches.reasons))
        offered = suggestions(program, name, ())
    return Answer(
        command,
        name,
        program.index.summary(),
        status,
        tuple(_result(engine, row) for row in sorted(set(rows))),
        tuple(sorted(open_sites)),
        offered,
    )


def _is_definition_only(engine: Engine, subject: Subject, row: Occurrence) -> bool:
    """A field's line in its class is its definition; a module's global is written where it gets its value."""
    if subject.owner is None or subject.owner.kind != "class" or row.role != "definition":
        return False
    return engine.names.view(row.file).outline.scopes[row.scope].kind == facts.CLASS


def _result(engine: Engine, row: Occurrence) -> dict[str, Any]:
    return {
        **result_of(engine, row),
        "attribute": row.attribute,
        "receiver": row.receiver,
        "access": row.access,
    }


__all__ = ["AUGMENTED", "consumers", "producers"]
