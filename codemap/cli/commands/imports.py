"""`codemap imports`."""

from __future__ import annotations

from typing import Annotated

import typer

from codemap.api import Map
from codemap.cli.question import question
from codemap.model.answers import Answer


@question("imports")
def command(
    tree: Map,
    module: Annotated[
        str, typer.Argument(metavar="MODULE", help="A dotted name, an end of it, or a file's path.")
    ],
) -> Answer:
    """What a module imports, and when.

    Kinds: runtime, typing (for type checkers only), lazy (in a function or on use), optional (where it can).
    """
    return tree.imports(module)
