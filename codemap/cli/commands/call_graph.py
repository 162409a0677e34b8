"""`codemap call-graph`."""

# The one command whose answer may be larger than what one wants in memory as text: it is written in pieces, to
# standard output or to a file that is there as a whole or not at all.

from __future__ import annotations

import inspect
import os
import time
from collections.abc import Iterator
from typing import Annotated, Any, Final

import typer

from codemap.cli import exit_codes, options, talk
from codemap.cli.asking import opened
from codemap.cli.drawing import (
    DRAW,
    PICTURES,
    Drawing,
    LinkTemplate,
    MaxVertices,
    Output,
    Stdlib,
    Timeout,
    steps,
    told,
)
from codemap.cli.output import write, write_file
from codemap.cli.progress import progress
from codemap.cli.question import as_command
from codemap.config import settle
from codemap.errors import UsageError
from codemap.model.graphs import CallGraph
from codemap.render.wording import counted

DATA: Final = ("text", "json", "graphml", "pycg-json")
_PIECE: Final = 1 << 20


def call_graph(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[NAME]...",
            help="What to draw the calls around: qualified names, ends of them, or FILE:LINE.",
        ),
    ] = None,
    callers: Annotated[
        str | None, typer.Option("--callers", metavar="N", help="Steps to who calls a NAME; else 1.")
    ] = None,
    callees: Annotated[
        str | None, typer.Option("--callees", metavar="N", help="Steps to what a NAME calls; else 1.")
    ] = None,
    all: Annotated[
        bool, typer.Option("--all", help="The whole tree, as data.", rich_help_panel="Output")
    ] = False,
    format: Annotated[
        str | None,
        typer.Option(
            "--format",
            metavar="FORMAT",
            help="svg, png, pdf, dot, mermaid; text, json, graphml; with --all pycg-json.",
            rich_help_panel="Output",
        ),
    ] = None,
    json: Annotated[
        bool, typer.Option("--json", help="Short for --format json.", rich_help_panel="Output")
    ] = False,
    output: Output = None,
    timeout: Timeout = None,
    max_vertices: MaxVertices = None,
    link_template: LinkTemplate = None,
    stdlib: Stdlib = False,
) -> None:
    """The calls around names, as a picture or as data; or every call of the tree.

    A picture shows who calls a NAME and what it calls, grouped by module, lines by confidence; what is too much for
    one stands as "N more". Of the whole tree there are only data:

    json is the answer with its edges as results, beside vertices and the calls that could not be decided; graphml is
    for networkx, yEd and Gephi; pycg-json is {caller: [callees]} in PyCG's naming; text is one call a line."""


def _run(**values: Any) -> None:
    began = time.perf_counter()
    if values["names"] and not values["all"]:
        raise typer.Exit(_around(began, **values))
    for name in ("callers", "callees", "timeout", "max_vertices", "link_template", "stdlib"):
        values.pop(name)
    names, everything = values.pop("names"), values.pop("all")
    output, asked = values.pop("output"), values.pop("format")
    if values["json"]:
        asked = "json"
    flags = options.take_flags({**values, "format": None})
    settings = settle(flags)
    chosen = asked or settings.format
    _check(names or [], everything, chosen)
    talk.be_quiet(settings.quiet)
    with opened(settings) as tree:
        graph = tree.call_graph(
            min_confidence=settings.min_confidence,
            as_pycg=chosen == "pycg-json",
            progress=progress(settings.quiet),
        )
        left_out = len(graph.edges) - (settings.limit or len(graph.edges))
        if left_out > 0:
            graph = graph._replace(edges=graph.edges[: settings.limit])
            talk.say(f"{counted(left_out, 'more call')} over --limit left out")
        pieces = _pieces(_chunks(graph, chosen))
        if output is None or output == "-":
            for piece in pieces:
                write(piece)
        else:
            write_file(os.path.abspath(os.path.expanduser(output)), pieces)
            talk.say(f"{counted(len(graph.edges), 'call')} written to {output}")
    if settings.verbose:
        talk.say(f"answered in {time.perf_counter() - began:.3f} s")
    raise typer.Exit(exit_codes.ANSWERED)


def _check(names: list[str], everything: bool, chosen: str) -> None:
    if chosen in (*PICTURES, "html"):
        raise UsageError(
            f"--format {chosen}: the whole tree is no picture",
            "call-graph NAME; call-graph --all --format json, graphml or pycg-json",
        )
    if chosen not in DATA:
        from codemap.nearest import nearest

        near = nearest(chosen, DATA)
        hint = f"did you mean {near[0]}?" if near else f"formats are {', '.join(DATA)}"
        raise UsageError(f"--format {chosen} is no format of call-graph", hint)
    if names and everything:
        raise UsageError("call-graph takes names or --all, not both", "leave out one of them")
    if not everything:
        raise UsageError("call-graph needs a NAME or --all", "call-graph NAME -o FILE.svg")


def _around(
    began: float, *, names: list[str], callers: str | None, callees: str | None, **values: Any
) -> int:
    """Draws the calls around names and gives the exit code."""
    values.pop("all")
    drawing = Drawing("call-graph", values)
    before, after = steps("--callers", callers, 1) or 0, steps("--callees", callees, 1) or 0
    settings = settle(options.take_flags(values))
    talk.be_quiet(settings.quiet)
    with opened(settings) as tree:
        graph = tree.calls_around(
            names, callers=before, callees=after, min_confidence=settings.min_confidence
        )
    return told(graph, drawing, settings, began)


def _chunks(graph: CallGraph, chosen: str) -> Iterator[str]:
    if chosen == "json":
        from codemap.render import graph_json

        return graph_json.chunks(graph)
    if chosen == "graphml":
        from codemap.render import graphml

        return graphml.chunks(graph)
    if chosen == "pycg-json":
        from codemap.render import pycg_json

        return pycg_json.chunks(graph)
    from codemap.render.text import call_line

    return (call_line(edge._asdict()) + "\n" for edge in graph.edges)


def _pieces(chunks: Iterator[str]) -> Iterator[str]:
    """The same text in pieces that are worth a system call."""
    held: list[str] = []
    size = 0
    for chunk in chunks:
        held.append(chunk)
        size += len(chunk)
        if size >= _PIECE:
            yield "".join(held)
            held, size = [], 0
    if held:
        yield "".join(held)


command = as_command(
    "call-graph",
    _run,
    list(inspect.signature(call_graph, eval_str=True).parameters.values()),
    call_graph.__doc__,
    DRAW,
    without=("format", "json"),
)
