"""`codemap find`."""

from __future__ import annotations

from typing import Annotated, Final

import typer

from codemap.api import Map
from codemap.cli.question import question
from codemap.errors import UsageError
from codemap.model.answers import Answer

KINDS: Final = ("class", "function", "method", "attribute", "module", "constant")


@question("find")
def command(
    tree: Map,
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="A qualified name, an end of it, or file.py:LINE.")
    ],
    kind: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KIND", help=f"Only {', '.join(KINDS[:-1])} or {KINDS[-1]}; commas or repeatable."
        ),
    ] = None,
) -> Answer:
    """Where anything is defined: class, function, attribute, module."""
    return tree.find(name, kinds=kinds_of(kind or ()))


def kinds_of(words: list[str] | tuple[str, ...]) -> tuple[str, ...]:
    """The kinds of `--kind class,function --kind method`. Raises UsageError."""
    kinds = tuple(dict.fromkeys(part.strip() for word in words for part in word.split(",") if part.strip()))
    for kind in kinds:
        if kind not in KINDS:
            from codemap.nearest import nearest

            near = nearest(kind, KINDS)
            hint = f"did you mean {near[0]}?" if near else f"kinds are {', '.join(KINDS)}"
            raise UsageError(f"--kind {kind} is no kind of definition", hint)
    return kinds
