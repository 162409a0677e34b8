"""`codemap callers`."""

from __future__ import annotations

from typing import Annotated

import typer

from codemap.api import Map
from codemap.cli.question import question
from codemap.model.answers import Answer


@question("callers")
def command(
    tree: Map,
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="A qualified name, an end of it, or file.py:LINE.")
    ],
) -> Answer:
    """Who calls a function or method, or constructs a class.

    A method that a class inherits, asked for as SUB.METHOD, is answered for receivers that may be a SUB. Operators,
    `with`, iteration and properties count as implicit calls, functions handed to others as callbacks."""
    return tree.callers(name)
