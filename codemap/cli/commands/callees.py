"""`codemap callees`."""

from __future__ import annotations

from typing import Annotated

import typer

from codemap.api import Map
from codemap.cli.question import question
from codemap.model.answers import Answer


@question("callees")
def command(
    tree: Map,
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="A qualified name, an end of it, or file.py:LINE.")
    ],
) -> Answer:
    """What a function, a method, a class body or a module calls.

    Callees outside the tree are told by their names too; calls that could not be decided are listed."""
    return tree.callees(name)
