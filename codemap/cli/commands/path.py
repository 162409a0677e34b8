"""`codemap path`."""

from __future__ import annotations

from typing import Annotated

import typer

from codemap.api import Map
from codemap.cli.question import question
from codemap.config import Settings
from codemap.model.answers import Answer


@question("path")
def command(
    tree: Map,
    start: Annotated[
        str, typer.Argument(metavar="FROM", help="Where the way begins: a qualified name, or an end of it.")
    ],
    end: Annotated[str, typer.Argument(metavar="TO", help="Where it ends.")],
    settings: Settings,
) -> Answer:
    """The shortest ways of calls from one function to another, with the weakest link of each.

    Only calls that are as sure as --min-confidence count."""
    return tree.path(start, end, min_confidence=settings.min_confidence)
