# The interface card as lines for pipes: each begins with the place that it tells of.
from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from codemap.model.answers import CERTAIN, Answer
from codemap.render.wording import described, place

USERS: Final = (("constructed_by", "constructs"), ("written_by", "writes"), ("read_by", "reads"))


def card_lines(answer: Answer) -> Iterator[str]:
    """A line for the definition, one for each field, user, method, instance, subclass."""
    for card in answer.results:
        words = described(card)
        yield f"{place(card)}: {card['kind']} {card['name']}{f' [{words}]' if words else ''}"
        for field in card.get("fields", ()):
            yield f"{place(field)}: {field['kind']} {written(field)}"
            yield from _users(field, field["name"])
        yield from _users(card, card["name"].rpartition(".")[2])
        for method in card.get("methods", ()):
            yield f"{place(method)}: method {method['signature']}{_hierarchy(method)}"
        for row in card.get("constructed", ()):
            yield f"{place(row)}: constructed in {row['name']}{arguments(row)}{sure(row)}"
        for row in card.get("callers", ()):
            yield f"{place(row)}: called in {row['caller']}{sure(row)}"
        for row in card.get("callees", ()):
            yield f"{place(row)}: calls {row['callee']}{sure(row)}"
        for row in card.get("subclasses", ()):
            yield f"{place(row)}: {'direct' if row['direct'] else 'indirect'} subclass {row['name']}{sure(row)}"


def _users(card: Mapping[str, Any], name: str) -> Iterator[str]:
    for key, word in USERS:
        for row in card.get(key, ()):
            check = f", {row['none_check']}" if row.get("none_check") else ""
            yield f"{place(row)}: {row['name']} {word} {name}{check}{sure(row)}"
    for row in card.get("undecided", ()):
        yield f"{row['file']}:{row['line']}:1: unresolved {row['name']}: {row['reason']}"


def written(field: Mapping[str, Any]) -> str:
    """A field as a class body writes it: `name: type = default`."""
    declared = f": {field['type']}" if field["type"] else ""
    default = f" = {field['default']}" if field["default"] else ""
    return f"{field['name']}{declared}{default}"


def arguments(row: Mapping[str, Any]) -> str:
    """The arguments of a construction: ` with 2 by position, x, y`; nothing when there are none."""
    words = [f"{row['positional']} by position"] if row["positional"] else []
    words += ["**" if word == "**" else word for word in row["keywords"]]
    return f" with {', '.join(words)}" if words else ""


def sure(row: Mapping[str, Any]) -> str:
    """How sure something is, where it is not certain."""
    return "" if row["confidence"] == CERTAIN else f" ({row['confidence']}: {row['how']})"


def _hierarchy(method: Mapping[str, Any]) -> str:
    words = [f"overrides {method['overrides']}"] if method["overrides"] else []
    words += [f"overridden by {', '.join(method['overridden_by'])}"] if method["overridden_by"] else []
    words = [*method["flags"], *words]
    return f" [{'; '.join(words)}]" if words else ""
