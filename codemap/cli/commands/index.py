"""`codemap index`."""

from __future__ import annotations

from codemap.api import Map
from codemap.cli.question import MAINTAIN, question
from codemap.model.answers import Answer


@question("index", MAINTAIN)
def command(tree: Map) -> Answer:
    """Index the whole tree now.

    Questions index what they need by themselves; this is for machines that answer many.
    """
    return tree.index()
