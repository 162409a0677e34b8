"""`codemap cycles`."""

from __future__ import annotations

from codemap.api import Map
from codemap.cli.question import question
from codemap.model.answers import Answer


@question("cycles")
def command(tree: Map) -> Answer:
    """Modules that import each other.

    Cycles at import time come first, then those that only type checkers see.
    """
    return tree.cycles()
