"""`codemap find`."""

from __future__ import annotations

from typing import Annotated

import typer

from codemap.api import Map
from codemap.cli.kinds import KINDS, kinds_of
from codemap.cli.question import question
from codemap.model.answers import Answer


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
