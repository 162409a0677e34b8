"""`codemap path`."""

from __future__ import annotations

from typing import Annotated

import typer

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


def path(
    start: Annotated[
        str, typer.Argument(metavar="FROM", help="Where the way begins: a qualified name, or an end of it.")
    ],
    end: Annotated[str, typer.Argument(metavar="TO", help="Where it ends.")],
    format: AnswerFormat = None,
    json: Json = False,
    output: Output = None,
    timeout: Timeout = None,
    max_vertices: MaxVertices = None,
    link_template: LinkTemplate = None,
) -> None:
    """The shortest ways of calls from one function to another, with the weakest link of each.

    Only calls that are as sure as --min-confidence count. With -o FILE.svg the ways are drawn."""


def _ask(tree: Map, settings: Settings, start: str, end: str) -> Answer:
    return tree.path(start, end, min_confidence=settings.min_confidence)


command = answered_or_drawn("path", path, _ask)
