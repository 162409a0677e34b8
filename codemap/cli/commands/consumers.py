"""`codemap consumers`."""

from __future__ import annotations

from typing import Annotated

import typer

from codemap.api import Map
from codemap.cli.question import question
from codemap.model.answers import Answer


@question("consumers")
def command(
    tree: Map,
    name: Annotated[
        str, typer.Argument(metavar="CLASS.ATTR", help="An attribute of a class, a global of a module.")
    ],
) -> Answer:
    """Who reads an attribute, and of which class the receiver is.

    CLASS.ATTR is an attribute of a class, or MODULE.NAME for a global of a module. Sites that bear the name and
    could not be decided are told apart; those of other classes and of locals are none."""
    return tree.consumers(name)
