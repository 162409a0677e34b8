"""`codemap producers`."""

from __future__ import annotations

from typing import Annotated

import typer

from codemap.api import Map
from codemap.cli.question import question
from codemap.model.answers import Answer


@question("producers")
def command(
    tree: Map,
    name: Annotated[
        str, typer.Argument(metavar="CLASS.ATTR", help="An attribute of a class, a global of a module.")
    ],
) -> Answer:
    """Who writes an attribute: assignments, constructor arguments, replace, setattr, del.

    CLASS.ATTR is an attribute of a class, or MODULE.NAME for a global of a module."""
    return tree.producers(name)
