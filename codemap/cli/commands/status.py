"""`codemap status`."""

from __future__ import annotations

from codemap.api import Map
from codemap.cli.question import MAINTAIN, question
from codemap.model.answers import Answer


@question("status", MAINTAIN)
def command(tree: Map) -> Answer:
    """Files, lines, parse errors, skipped files, sizes."""
    return tree.status()
