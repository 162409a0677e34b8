# The short way for well-formed questions. Typer takes 50 ms to import and Python 10 to start, and a warm question
# needs 45 more; so the questions that people and agents ask all day are read here, from the same table of options.
# This reads no half of anything: one word that it does not understand exactly, and Typer gets the whole line, with
# its help, its errors and its "did you mean". tests/unit/test_cli_directly.py holds the two ways together.
from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from codemap.api import Map
from codemap.cli.options import COUNT, FLAG, LIST, SHARED, VALUE, Option, take_flags, unset
from codemap.config import Settings
from codemap.model.answers import Answer


class Plain(NamedTuple):
    """A question that hands its words on: a method of Map, its positional words, its own list options."""

    method: str
    positional: tuple[str, ...] = ("name",)
    own: tuple[Option, ...] = ()


PLAIN: Final = {
    "find-class": Plain("find_class", own=(Option("expected_in", ("--in",), LIST, "FILE", ""),)),
    "find": Plain("find", own=(Option("kind", ("--kind",), LIST, "KIND", ""),)),
    "show": Plain("show"),
    "refs": Plain("refs"),
    "consumers": Plain("consumers"),
    "producers": Plain("producers"),
    "callers": Plain("callers"),
    "callees": Plain("callees"),
    "subclasses": Plain("subclasses"),
    "overrides": Plain("overrides"),
    "imports": Plain("imports", ("module",)),
}


def asked(words: Sequence[str]) -> int | None:
    """Answers a well-formed question and gives the exit code; None, and nothing done, for any other line."""
    values = read(words)
    if values is None:
        return None
    from codemap.cli.asking import answer

    plain = PLAIN[words[0]]
    flags = take_flags(values)
    positional = [values.pop(name) for name in plain.positional]
    if "kind" in values:
        from codemap.cli.kinds import kinds_of

        values["kinds"] = kinds_of(values.pop("kind"))

    def ask(tree: Map, settings: Settings) -> Answer:
        found: Answer = getattr(tree, plain.method)(*positional, **values)
        return found

    return answer(flags, ask)


def read(words: Sequence[str]) -> dict[str, Any] | None:
    """The values of a well-formed question by name; None when Typer should read it."""
    plain = PLAIN.get(words[0]) if words else None
    if plain is None:
        return None
    options = {spelling: option for option in (*SHARED, *plain.own) for spelling in option.spellings}
    values: dict[str, Any] = {option.name: unset(option.kind) for option in options.values()}
    given: list[str] = []
    rest = iter(words[1:])
    for word in rest:
        if not word.startswith("-"):
            given.append(word)
            continue
        option = options.get(word)
        if option is None:
            return None
        if option.kind == FLAG:
            values[option.name] = True
        elif option.kind == COUNT:
            values[option.name] += 1
        else:
            value = next(rest, None)
            if value is None or value.startswith("-"):
                return None
            values[option.name] = value if option.kind == VALUE else (*values[option.name], value)
    if len(given) != len(plain.positional):
        return None
    values.update(zip(plain.positional, given, strict=True))
    return values
