"""`codemap import-graph`."""

from __future__ import annotations

from typing import Annotated

import typer

from codemap.api import Map
from codemap.cli.drawing import Format, Json, LinkTemplate, MaxVertices, Output, Stdlib, Timeout, drawn, steps
from codemap.config import Settings
from codemap.queries.neighbourhoods import Neighbourhood


def import_graph(
    modules: Annotated[
        list[str], typer.Argument(metavar="MODULE...", help="Dotted names, ends of them, or files.")
    ],
    importers: Annotated[
        str | None, typer.Option("--importers", metavar="N", help="Steps to who imports it; else 1.")
    ] = None,
    imports: Annotated[
        str | None, typer.Option("--imports", metavar="N", help="Steps to what it imports; else 1.")
    ] = None,
    format: Format = None,
    json: Json = False,
    output: Output = None,
    timeout: Timeout = None,
    max_vertices: MaxVertices = None,
    link_template: LinkTemplate = None,
    stdlib: Stdlib = False,
) -> None:
    """The imports around modules, as a picture or as data.

    Lines tell imports at run time, where it can, lazily and for type checkers only."""


def _ask(
    tree: Map, settings: Settings, modules: list[str], importers: str | None, imports: str | None
) -> Neighbourhood:
    return tree.import_graph(
        modules,
        importers=steps("--importers", importers, 1) or 0,
        imports=steps("--imports", imports, 1) or 0,
    )


command = drawn("import-graph", import_graph, _ask)
