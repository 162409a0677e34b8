"""`codemap show`."""

from __future__ import annotations

from typing import Annotated

import typer

from codemap.api import Map
from codemap.cli.question import question
from codemap.model.answers import Answer


@question("show")
def command(
    tree: Map,
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="A class, function or anything else that has a name.")
    ],
) -> Answer:
    """The interface card: fields with type and default, methods, who constructs it, who writes and reads each field."""
    return tree.show(name)
