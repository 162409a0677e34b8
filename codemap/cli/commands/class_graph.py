"""`codemap class-graph`."""

from __future__ import annotations

from typing import Annotated

import typer

from codemap.api import Map
from codemap.cli.drawing import Format, Json, LinkTemplate, MaxVertices, Output, Timeout, drawn, steps
from codemap.config import Settings
from codemap.queries.neighbourhoods import Neighbourhood


def class_graph(
    names: Annotated[
        list[str], typer.Argument(metavar="NAME...", help="Qualified names, ends of them, or FILE:LINE.")
    ],
    bases: Annotated[
        str | None, typer.Option("--bases", metavar="N", help="Steps to bases; else all.")
    ] = None,
    subclasses: Annotated[
        str | None, typer.Option("--subclasses", metavar="N", help="Steps to subclasses; else all.")
    ] = None,
    format: Format = None,
    json: Json = False,
    output: Output = None,
    timeout: Timeout = None,
    max_vertices: MaxVertices = None,
    link_template: LinkTemplate = None,
) -> None:
    """The bases and subclasses of classes, as a picture or as data.

    Registered subclasses and those that merely have a protocol's members are among them, less sure."""


def _ask(
    tree: Map, settings: Settings, names: list[str], bases: str | None, subclasses: str | None
) -> Neighbourhood:
    return tree.class_graph(
        names,
        bases=steps("--bases", bases, None),
        subclasses=steps("--subclasses", subclasses, None),
        min_confidence=settings.min_confidence,
    )


command = drawn("class-graph", class_graph, _ask)
