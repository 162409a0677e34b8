"""`codemap subclasses`."""

from __future__ import annotations

from typing import Annotated

import typer

from codemap.api import Map
from codemap.cli.question import question
from codemap.model.answers import Answer


@question("subclasses")
def command(
    tree: Map,
    name: Annotated[str, typer.Argument(metavar="NAME", help="A class.")],
) -> Answer:
    """The classes that derive from a class, directly or not.

    Registered classes (ABC.register) are likely, those that merely have what a protocol asks for possible."""
    return tree.subclasses(name)
