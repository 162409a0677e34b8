# The options that every question has. They are written once, as a function signature, because that is Typer's
# language; question.py appends them to a command's own.
from __future__ import annotations

from typing import Annotated, Any, Final, Literal

import typer

_TREE: Final = "Tree"
_OUTPUT: Final = "Output"
HELP_FLAGS: Final = {"help_option_names": ["-h", "--help"]}


def shared(
    tree: Annotated[
        str | None,
        typer.Option(
            metavar="TREE",
            help="A folder, an installed distribution, a wheel or sdist, or pypi:NAME==VERSION; else CODEMAP_TREE, "
            "tree of the settings, the current folder.",
            rich_help_panel=_TREE,
        ),
    ] = None,
    roots: Annotated[
        list[str] | None,
        typer.Option(
            "--root", metavar="FOLDER", help="Where module names begin; repeatable.", rich_help_panel=_TREE
        ),
    ] = None,
    python: Annotated[
        str | None,
        typer.Option(
            metavar="EXE", help="Interpreter or environment that has the distribution.", rich_help_panel=_TREE
        ),
    ] = None,
    exclude: Annotated[
        list[str] | None,
        typer.Option(metavar="GLOB", help="Paths to leave out; repeatable.", rich_help_panel=_TREE),
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option(
            min=1, metavar="N", help="Processes that index; else one a processor.", rich_help_panel=_TREE
        ),
    ] = None,
    format: Annotated[
        Literal["text", "json"] | None,
        typer.Option(help="Lines (tables on a terminal), or one JSON object.", rich_help_panel=_OUTPUT),
    ] = None,
    json: Annotated[
        bool, typer.Option("--json", help="Short for --format json.", rich_help_panel=_OUTPUT)
    ] = False,
    min_confidence: Annotated[
        Literal["certain", "likely", "possible"] | None,
        typer.Option(
            metavar="LEVEL",
            help="Only what is that sure: certain, likely, possible.",
            rich_help_panel=_OUTPUT,
        ),
    ] = None,
    limit: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="At most N results.", rich_help_panel=_OUTPUT)
    ] = None,
    color: Annotated[
        Literal["auto", "always", "never"] | None,
        typer.Option(help="Colour; auto is on a terminal.", rich_help_panel=_OUTPUT),
    ] = None,
    quiet: Annotated[
        bool,
        typer.Option("--quiet", "-q", help="Nothing on standard error but errors.", rich_help_panel=_OUTPUT),
    ] = False,
    verbose: Annotated[
        int,
        typer.Option(
            "--verbose",
            "-v",
            count=True,
            metavar="",
            show_default=False,
            help="Say what is done; tracebacks for faults.",
            rich_help_panel=_OUTPUT,
        ),
    ] = 0,
    debug: Annotated[bool, typer.Option("--debug", hidden=True)] = False,
) -> dict[str, Any]:
    """The shared options as flags for `config.settle`."""
    return {
        "tree": tree,
        "roots": tuple(roots or ()),
        "python": python,
        "exclude": tuple(exclude or ()),
        "jobs": jobs,
        "format": "json" if json else format,
        "min_confidence": min_confidence,
        "limit": limit,
        "color": color,
        "quiet": quiet,
        "verbose": verbose + debug,
    }  # fmt: skip
