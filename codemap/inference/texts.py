# Texts that are built: `"_visit_" + kind`, f"on_{event}", `"%s_handler" % name`. What is constant at their start and
# their end is kept, so that `getattr(self, f"_visit_{kind}")` has the few candidates that the name allows.
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from codemap.inference.values import CERTAIN, NUMBER, PATTERN, TEXT, Value, Values, join
from codemap.semantic import expressions as op

if TYPE_CHECKING:
    from codemap.inference.engine import Engine
    from codemap.inference.tables import Table

Row = tuple[Any, ...]
_SHORTEST: Final = 3  # a pattern that says less than this fits everything
_MOST: Final = 12  # texts that one expression may give before they are taken for unknown
_METHODS: Final = frozenset({
    "lower", "upper", "strip", "lstrip", "rstrip", "title", "capitalize", "casefold", "swapcase",
})  # fmt: skip


def joined(parts: list[list[Value]]) -> Values:
    """The texts and patterns that parts in a row may give; a part without values is unknown."""
    heads: list[tuple[str, bool]] = [("", True)]  # what is known from the start, and whether that is all
    for part in parts:
        texts = [one[1] for one in part if one[0] in (TEXT, NUMBER)]
        whole = bool(texts) and len(texts) == len(part)
        if whole and len(heads) * len(texts) <= _MOST:
            heads = [
                (head + str(text), True) if all_known else (head, False)
                for head, all_known in heads
                for text in texts
            ]
        else:
            starts = [one[1] for one in part if one[0] == PATTERN]
            extra = starts[0] if len(starts) == 1 and len(part) == 1 else ""
            heads = [(head + extra, False) if all_known else (head, False) for head, all_known in heads]
    last = parts[-1] if parts else []
    end = last[0][1] if len(last) == 1 and last[0][0] == TEXT else ""
    if len(last) == 1 and last[0][0] == PATTERN:
        end = last[0][2]
    out: Values = {}
    for head, all_known in heads:
        if all_known:
            out[TEXT, head] = CERTAIN
        elif len(head) + len(end) >= _SHORTEST:
            out[PATTERN, head, end] = CERTAIN
    return out


def formatted(engine: Engine, table: Table, row: Row) -> Values:
    """What an f-string gives."""
    parts = []
    for number in row[3]:
        inner = table.rows[number]
        if inner[0] == op.FORMATTED:
            plain = inner[4] in ("", "s") and inner[5] < 0
            parts.append(list(engine.ask("expression", table.path, inner[3])) if plain else [])
        else:
            parts.append(list(engine.ask("expression", table.path, number)))
    return joined(parts) or engine.stub_instance("builtins.str")


def added(left: Values, right: Values) -> Values:
    """`left + right` where one of them is a text; empty where neither is."""
    if not any(value[0] in (TEXT, PATTERN) for value in (*left, *right)):
        return {}
    return joined([list(left), list(right)])


def percent(left: Values) -> Values:
    """`"text %s text" % values`."""
    out: Values = {}
    for value, rank in left.items():
        if value[0] == TEXT:
            join(out, _with_holes(value[1], "%"), rank)
    return out


def _with_holes(text: str, mark: str) -> Values:
    start, _, rest = text.partition(mark)
    if not rest:
        return {(TEXT, text): CERTAIN}
    end = text.rpartition("}" if mark == "{" else mark)[2]
    if mark == "%":
        end = end[1:] if end[:1] in ("s", "d", "r") else ""
    return {(PATTERN, start, end): CERTAIN} if len(start) + len(end) >= _SHORTEST else {}


def method_result(receiver: Value, method: str) -> Values | None:
    """What `text.lower()` and its like give of a text that is known; None where that is not known."""
    if method == "format" and receiver[0] == TEXT:
        return _with_holes(receiver[1], "{") or None
    if method not in _METHODS:
        return None
    if receiver[0] == TEXT:
        return {(TEXT, getattr(receiver[1], method)()): CERTAIN}
    if receiver[0] == PATTERN and method in ("lower", "upper", "casefold"):
        return {(PATTERN, getattr(receiver[1], method)(), getattr(receiver[2], method)()): CERTAIN}
    return None


def fits(pattern: Value, name: str) -> bool:
    """Whether a name may be a text of the pattern."""
    return (
        name.startswith(pattern[1])
        and name.endswith(pattern[2])
        and len(name) > len(pattern[1]) + len(pattern[2])
    )
