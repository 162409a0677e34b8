# What questions return. Queries fill these records, renderers print them, the claim checker and the
# generator read them: one shape, so that they can never disagree. Results are mappings and not one class a
# command because CLI.md's JSON *is* the contract; `place` and `Result` build them with the fields every result has.
from __future__ import annotations

from typing import Any, Final, NamedTuple

CERTAIN: Final = "certain"
LIKELY: Final = "likely"
POSSIBLE: Final = "possible"
CONFIDENCES: Final = (CERTAIN, LIKELY, POSSIBLE)  # strongest first

FOUND: Final = "found"
AMBIGUOUS: Final = "ambiguous"
NOT_FOUND: Final = "not_found"


class UnresolvedSite(NamedTuple):
    """A place that bears the name and could not be decided."""

    name: str
    file: str
    line: int
    reason: str


class TreeSummary(NamedTuple):
    """The tree a question was asked about. `parse_errors` counts files that do not parse (see docs/decisions)."""

    name: str
    version: str | None
    root: str
    digest: str
    files: int
    parse_errors: int


class Answer(NamedTuple):
    """The answer to one question. `extra` holds the further keys of a command (`expected_in`, `files`, ...)."""

    command: str
    target: str
    tree: TreeSummary
    status: str
    results: tuple[dict[str, Any], ...] = ()
    unresolved: tuple[UnresolvedSite, ...] = ()
    suggestions: tuple[str, ...] = ()
    extra: dict[str, Any] = {}


def weakest(*confidences: str) -> str:
    """The weakest of some confidences: a chain is as sure as its weakest link."""
    return CONFIDENCES[max(CONFIDENCES.index(confidence) for confidence in confidences)]
