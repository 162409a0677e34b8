"""`codemap cycles`."""

from __future__ import annotations

from codemap.api import Map
from codemap.cli.drawing import (
    AnswerFormat,
    Json,
    LinkTemplate,
    MaxVertices,
    Output,
    Timeout,
    answered_or_drawn,
)
from codemap.config import Settings
from codemap.model.answers import Answer


def cycles(
    format: AnswerFormat = None,
    json: Json = False,
    output: Output = None,
    timeout: Timeout = None,
    max_vertices: MaxVertices = None,
    link_template: LinkTemplate = None,
) -> None:
    """Modules that import each other.

    Cycles at import time come first, then those that only type checkers see. With -o FILE.svg they are drawn.
    """


def _ask(tree: Map, settings: Settings) -> Answer:
    return tree.cycles()


command = answered_or_drawn("cycles", cycles, _ask)
