# "Did you mean": names that really are defined in the tree, like the one that was not found. A right last part
# under a wrong qualifier comes first, as the qualified names that it really has.
from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from codemap.model.facts import ROLE_CLASS, ROLE_DEFINE
from codemap.nearest import nearest
from codemap.queries.matching import defined_as, match_name
from codemap.resolve.attributes import mro
from codemap.resolve.classes import stored_names
from codemap.resolve.program import Program
from codemap.resolve.records import CLASS, MODULE

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
            return nearest(name, found, limit=_LIMIT, cutoff=0.0)
        members = _members(program, ".".join(parts[:-1]), last)
        if members:
            return members
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


def _members(program: Program, owner: str, last: str) -> tuple[str, ...]:
    """Attributes like `last` of the class or module that the qualifier means, with the qualifier as written."""
    names: set[str] = set()
    for match in match_name(program, owner, (CLASS, MODULE)).matches:
        definition = match.definition
        if definition.scope < 0:
            continue
        homes = mro(program, definition).classes if definition.kind == CLASS else (definition,)
        for home in homes:
            view = program.view(home.file)
            names.update(view.names(home.scope))
            names.update(stored_names(view, home.scope) if home.kind == CLASS else ())
    return tuple(f"{owner}.{name}" for name in nearest(last, names - {last}, limit=_LIMIT))
