"""`codemap overrides`."""

from __future__ import annotations

from typing import Annotated

import typer

from codemap.api import Map
from codemap.cli.question import question
from codemap.model.answers import Answer


@question("overrides")
def command(
    tree: Map,
    name: Annotated[str, typer.Argument(metavar="CLASS.METHOD", help="A method of a class.")],
) -> Answer:
    """The methods of subclasses that override a method."""
    return tree.overrides(name)
