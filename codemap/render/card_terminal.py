# The interface card on a terminal: a headline, then a table of fields in which each reader stands with what it does
# about None, then methods, instances, subclasses. Long lists of users are cut with a count: --json has them all.
from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from rich.console import Group, RenderableType
from rich.text import Text

from codemap.model.answers import CERTAIN, Answer
from codemap.render import terminal
from codemap.render.card_text import USERS, arguments, written
from codemap.render.wording import counted, plain

_SHOWN: Final = 8
_CHECKS: Final = {
    "tests": ("tests for None", "green"),
    "guarded": ("behind a test", "green"),
    "unguarded": ("no test", "red"),
    "passed on": ("passed on", "dim"),
}


def cards(answer: Answer) -> Iterable[RenderableType]:
    """The parts of the cards of an answer."""
    for number, card in enumerate(answer.results):
        if number:
            yield Text()
        yield from terminal.definition(answer, {**card, "exports": []})
        if len(card.get("mro", ())) > 2:
            yield terminal.section(
                "Looks attributes up in", *(terminal.text(name) for name in card["mro"][1:])
            )
        if card.get("fields"):
            yield terminal.section("Fields", *_fields(answer, card["fields"]))
        users = list(_users(answer, card))
        if users:
            yield terminal.section("Used", *users)
        if card.get("methods"):
            yield terminal.section("Methods", *(_method(method) for method in card["methods"]))
        if card.get("returns"):
            yield terminal.section("Returns", terminal.text(" | ".join(card["returns"])))
        yield from _places(answer, card, "constructed", "Constructed in", "name")
        yield from _places(answer, card, "callers", "Called in", "caller")
        yield from _places(answer, card, "callees", "Calls", "callee")
        yield from _places(answer, card, "subclasses", "Subclasses", "name")
        exports = card.get("exports", ())
        if exports:
            names = ", ".join(sorted({row["module"] for row in exports}))
            yield terminal.section(
                f"Re-exported by {counted(len(exports), 'module')}", terminal.text(names, "dim")
            )


def _fields(answer: Answer, fields: Iterable[Mapping[str, Any]]) -> Iterable[RenderableType]:
    for field in fields:
        head = terminal.text(written(field), "bold")
        if field["kind"] != "field":
            head.append(f"  {field['kind']}", "dim")
        counts = [
            counted(len(field[key]), word)
            for key, word in zip([key for key, _ in USERS], ("constructor", "writer", "reader"), strict=True)
        ]
        careless = sum(row.get("none_check") == "unguarded" for row in field["read_by"])
        said = Text(", ".join(counts), "dim")
        if careless:
            said.append(f", {careless} without a test for None", "red")
        yield Group(
            head, terminal.indented(said), *(terminal.indented(part) for part in _users(answer, field))
        )


def _users(answer: Answer, card: Mapping[str, Any]) -> Iterable[RenderableType]:
    table = terminal.grid(2)
    for key, word in USERS:
        groups: dict[tuple[Any, ...], list[Mapping[str, Any]]] = {}
        for row in card.get(key, ()):
            same = (row["file"], row["name"], row.get("none_check"), row["confidence"])
            groups.setdefault(same, []).append(row)
        for rows in list(groups.values())[:_SHOWN]:
            table.add_row(Text(word, "blue"), _user(answer, rows))
        if len(groups) > _SHOWN:
            more = sum(len(rows) for rows in list(groups.values())[_SHOWN:])
            table.add_row(Text(), Text(f"and {more} more", "dim"))
    for row in card.get("undecided", ()):
        line = _near(answer, row)
        line.append(f"  {plain(row['reason'])}", "dim")
        table.add_row(Text("perhaps", "yellow"), line)
    if table.row_count:
        yield table


def _user(answer: Answer, rows: Sequence[Mapping[str, Any]]) -> Text:
    """Who does it, and at which lines of which file."""
    line = terminal.text(_short(rows[0]["name"]))
    check = rows[0].get("none_check")
    if check:
        line.append(f"  {_CHECKS[check][0]}", _CHECKS[check][1])
    _add_sure(line, rows[0])
    line.append("  ")
    line.append_text(_near(answer, rows[0]))
    for other in rows[1:]:
        line.append(f", {other['line']}", "cyan")
    return line


def _near(answer: Answer, row: Mapping[str, Any]) -> Text:
    """`file.py:12` with a link to the whole path; the path itself is in the piped text and in the JSON."""
    whole = terminal.where(answer, row["file"], row["line"])
    cut = row["file"].rpartition("/")[2]
    return whole[len(whole.plain) - len(f"{plain(cut)}:{row['line']}") :]


def _short(name: str) -> str:
    """The last two parts of a qualified name: the file beside it tells the rest."""
    return ".".join(name.split(".")[-2:])


def _add_sure(text: Text, row: Mapping[str, Any]) -> None:
    if row["confidence"] != CERTAIN:
        text.append(f"  {row['confidence']}", terminal.SURE.get(row["confidence"], "red"))


def _method(method: Mapping[str, Any]) -> RenderableType:
    head = terminal.text(method["signature"], "bold")
    lines: list[RenderableType] = [head]
    words = list(method["flags"])
    if method["overrides"]:
        words.append(f"overrides {method['overrides']}")
    if method["overridden_by"]:
        words.append(f"overridden by {', '.join(method['overridden_by'])}")
    if words:
        lines.append(terminal.indented(terminal.text("; ".join(words), "dim")))
    return Group(*lines)


def _places(
    answer: Answer, card: Mapping[str, Any], key: str, title: str, name: str
) -> Iterable[RenderableType]:
    rows = card.get(key, ())
    if not rows:
        return
    lines = []
    for row in rows[: 4 * _SHOWN]:
        line = terminal.text(row[name] if key == "callees" else _short(row[name]))
        _add_sure(line, row)
        line.append("  ")
        line.append_text(_near(answer, row))
        words = plain(arguments(row)).strip() if "keywords" in row else ""
        lines.append(Group(line, terminal.indented(Text(words, "dim"))) if words else line)
    if len(rows) > 4 * _SHOWN:
        lines.append(Text(f"and {len(rows) - 4 * _SHOWN} more", "dim"))
    yield terminal.section(f"{title}: {len(rows)}", *lines)
