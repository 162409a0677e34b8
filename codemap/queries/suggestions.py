# "Did you mean": names that really are defined in the tree, like the one that was not found. A right last part
# under a wrong qualifier comes first, as the qualified names that it really has.
from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from codemap.model.facts import ROLE_CLASS, ROLE_DEFINE
from codemap.nearest import nearest
from codemap.queries.matching import defined_as
from codemap.resolve.program import Program

_LIMIT: Final = 5
_TRIED: Final = 15


def suggestions(program: Program, name: str, kinds: Sequence[str] = ()) -> tuple[str, ...]:
    """Names to offer for a NAME that means nothing, the best first."""
    parts = [part for part in name.strip().split(".") if part]
    if not parts:
        return ()
    last = parts[-1]
    if len(parts) > 1:
        found = _qualified(program, last, kinds)
        if found:
            return tuple(nearest(name, found, limit=_LIMIT, cutoff=0.0))
    roles = ROLE_CLASS if tuple(kinds) == ("class",) else ROLE_DEFINE | ROLE_CLASS
    words = [word for word in program.index.words(roles) if word != last]
    good: list[str] = []
    for word in nearest(last, words, limit=_TRIED):
        if _qualified(program, word, kinds):
            good.append(word)
        if len(good) == _LIMIT:
            break
    return tuple(good)


def _qualified(program: Program, last: str, kinds: Sequence[str]) -> list[str]:
    """The qualified names of the definitions of one bare name."""
    names = {
        match.definition.name
        for match in defined_as(program, [last], kinds)
        if not kinds or match.definition.kind in kinds
    }
    return sorted(names)
