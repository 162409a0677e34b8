# Methods that take something out of a display: `table.get(key, other)`, `items.pop()`. The stubs say only that it is
# some element; with a constant key it is the one that is kept there.
from __future__ import annotations

from typing import TYPE_CHECKING, Final

from codemap.inference.arguments import Arguments
from codemap.inference.made import is_mapping
from codemap.inference.values import LIKELY, NONE, NUMBER, POSSIBLE, TEXT, Value, Values, join

if TYPE_CHECKING:
    from codemap.inference.engine import Engine

_TAKERS: Final = frozenset({"get", "pop", "setdefault", "__getitem__"})


def taken_from(engine: Engine, display: Value, method: str, arguments: Arguments) -> Values | None:
    """What a method takes out of a display; None for methods that do something else."""
    _, path, expression = display
    mapping = is_mapping(engine, display)
    if method == "popleft" or (method == "pop" and not mapping):
        found = engine.ask("elements", path, expression, None)
        return dict(found) if found else None
    if method not in _TAKERS or (not mapping and method != "__getitem__"):
        return None
    keys = list(arguments.at(0) or {})
    known = [("key" if one[0] == TEXT else "index", one[1]) for one in keys if one[0] in (TEXT, NUMBER)]
    out: Values = {}
    if known and len(known) == len(keys):
        for key in known:
            join(out, engine.ask("elements", path, expression, key), LIKELY if len(known) > 1 else 0)
    else:
        found = engine.ask("elements", path, expression, None)
        join(out, found, POSSIBLE if len(found) > 1 else LIKELY)
    if method != "__getitem__":
        default = arguments.at(1)
        if default:
            join(out, default, LIKELY)
        elif method == "get":
            out[(NONE,)] = LIKELY
    return out
