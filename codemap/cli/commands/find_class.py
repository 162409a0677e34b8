"""`codemap find-class`."""

from __future__ import annotations

from typing import Annotated

import typer

from codemap.api import Map
from codemap.cli.question import question
from codemap.model.answers import Answer


@question("find-class")
def command(
    tree: Map,
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="A class, by its qualified name or an end of it.")
    ],
    expected_in: Annotated[
        list[str] | None,
        typer.Option("--in", metavar="FILE", help="Say what FILE has to do with the class; repeatable."),
    ] = None,
) -> Answer:
    """Where a class is defined, who re-exports it, which files know it.

    NAME is a qualified name or an end of it (GenerationBatchResult, utils.GenerationBatchResult), or file.py:LINE.
    FILE is a path or an end of it. A name that nothing has is answered with the nearest ones, exit code 1.
    """
    return tree.find_class(name, expected_in=expected_in or ())
