"""`codemap refs`."""

from __future__ import annotations

from typing import Annotated

import typer

from codemap.api import Map
from codemap.cli.question import question
from codemap.model.answers import Answer


@question("refs")
def command(
    tree: Map,
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="A qualified name, an end of it, or file.py:LINE[:COL].")
    ],
) -> Answer:
    """Every reference of a name, with its role.

    Roles: definition, import, annotation, base, call, construct, read, write, delete, string.
    NAME is a qualified name or an end of it, or file.py:LINE[:COL]; any place of a name gives the same answer."""
    return tree.refs(name)
