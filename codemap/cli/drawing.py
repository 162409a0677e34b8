# What the commands that draw have in common: which format is meant, and bytes to a file that is there as a whole or
# as it was. A layout that fails leaves the DOT text beside the file, so that the work is not lost.
from __future__ import annotations

import inspect
import os
import sys
import time
from collections.abc import Callable, Sequence
from typing import Annotated, Any, Final

import typer
from typer.core import TyperCommand

from codemap.cli import exit_codes, options, talk
from codemap.cli.asking import answer, opened
from codemap.cli.output import write, write_bytes, write_file
from codemap.cli.question import ASK, as_command
from codemap.config import Settings, settle
from codemap.errors import LayoutError, UsageError
from codemap.model.answers import AMBIGUOUS, NOT_FOUND, Answer
from codemap.queries.neighbourhoods import Neighbourhood
from codemap.render.json_report import to_json
from codemap.render.selection import select
from codemap.render.text import to_lines
from codemap.render.wording import counted, not_found

DRAW: Final = "Draw"
PICTURES: Final = ("svg", "png", "pdf", "dot", "mermaid")
DATA: Final = ("text", "json", "graphml")
_ENDINGS: Final = {
    ".svg": "svg", ".png": "png", ".pdf": "pdf", ".dot": "dot", ".gv": "dot", ".mmd": "mermaid",
    ".mermaid": "mermaid", ".json": "json", ".graphml": "graphml", ".txt": "text",
}  # fmt: skip
_PANEL: Final = "Output"
_PICTURE: Final = "Picture"

Output = Annotated[
    str | None,
    typer.Option(
        "--output", "-o", metavar="FILE", help="Written whole or not at all; its ending tells the format.",
        rich_help_panel=_PANEL,
    ),
]  # fmt: skip
Format = Annotated[
    str | None,
    typer.Option(
        "--format", metavar="FORMAT", help="svg, png, pdf, dot, mermaid; text, json, graphml.", rich_help_panel=_PANEL
    ),
]  # fmt: skip
AnswerFormat = Annotated[
    str | None,
    typer.Option(
        "--format", metavar="FORMAT", help="text, json; svg, png, pdf, dot, mermaid.", rich_help_panel=_PANEL
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Short for --format json.", rich_help_panel=_PANEL)]
Timeout = Annotated[
    str | None,
    typer.Option(
        "--timeout", metavar="SECONDS", help="How long a layout may take; else 20.", rich_help_panel=_PICTURE
    ),
]
MaxVertices = Annotated[
    str | None,
    typer.Option(
        "--max-vertices",
        metavar="N",
        help="Fold what is over into “N more”; else 120.",
        rich_help_panel=_PICTURE,
    ),
]
LinkTemplate = Annotated[
    str | None,
    typer.Option(
        "--link-template",
        metavar="URL",
        help="Where vertices and edges lead, with {path}, {line} and {root}; else path:line.",
        rich_help_panel=_PICTURE,
    ),
]
Stdlib = Annotated[
    bool, typer.Option("--stdlib", help="Draw the standard library too.", rich_help_panel=_PICTURE)
]


class Drawing:
    """How one picture is to be drawn, checked before anything is read."""

    def __init__(
        self, command: str, values: dict[str, Any], formats: Sequence[str] = (*PICTURES, *DATA)
    ) -> None:
        """Takes its own values out of a command's. Raises UsageError."""
        from codemap.queries.folding import MOST
        from codemap.render.layout import TIMEOUT

        self.output: str | None = values.pop("output")
        self.format = format_of(command, values.pop("format"), values["json"], self.output, formats)
        values["format"], values["json"] = None, False
        self.timeout = _number("--timeout", values.pop("timeout"), TIMEOUT)
        self.most = int(_number("--max-vertices", values.pop("max_vertices"), MOST, whole=True))
        self.template: str = values.pop("link_template") or ""
        self.stdlib: bool = values.pop("stdlib", False)
        if self.template:
            from codemap.render.palette import check_template

            check_template(self.template)
        if self.format in ("png", "pdf") and self.output in (None, "-") and talk.is_terminal(sys.stdout):
            raise UsageError(f"--format {self.format} is nothing for a terminal", "-o FILE")

    @property
    def is_picture(self) -> bool:
        return self.format in PICTURES

    def put(self, graph: Neighbourhood, limit: int | None = None) -> None:
        """Draws, and writes; of data, the first `limit` results. Raises LayoutError and OutputError."""
        if self.is_picture:
            self._put_picture(graph)
        else:
            self.write(_data(graph, self.format, limit))

    def write(self, content: str | bytes, what: str = "") -> None:
        """To the file, or to standard output."""
        if self.output is None or self.output == "-":
            if isinstance(content, bytes):
                write_bytes(content)
            else:
                write(content)
            return
        write_file(_absolute(self.output), [content])
        talk.say(f"{what or self.format} written to {self.output}")

    def _put_picture(self, graph: Neighbourhood) -> None:
        from codemap.queries.folding import folded

        is_hierarchy = graph.command == "class-graph"  # what a class derives from is never noise
        small = folded(graph, self.most, stdlib=self.stdlib or is_hierarchy, packages=not is_hierarchy)
        what = f"{self.format} of {counted(len(small.vertices), 'vertex', 'vertices')}"
        try:
            content = _picture(small, self)
        except LayoutError as error:
            raise self._without_layout(small, error) from error
        self.write(content, what)
        for note in small.notes:
            talk.say(note)

    def _without_layout(self, graph: Neighbourhood, error: LayoutError) -> LayoutError:
        if self.output is None or self.output == "-":
            return error
        from codemap.render.dot import to_dot

        beside = f"{self.output}.dot"
        write_file(_absolute(beside), [to_dot(graph, self.template)])
        return LayoutError(f"{error.message}; the graph is in {beside}", error.hint, error.vertices)


def format_of(command: str, asked: str | None, json: bool, output: str | None, formats: Sequence[str]) -> str:
    """The format that is meant: as asked for or by the ending of the file; "" is what the settings say."""
    if json:
        asked = "json"
    if asked is None:
        ending = os.path.splitext(output or "")[1].lower()
        by_ending = _ENDINGS.get(ending, "")
        if by_ending in formats:
            return by_ending
        if ending and output:
            raise UsageError(f"no format of {command} ends in {ending}", f"--format {', '.join(formats)}")
        return "" if output is None else "svg"
    if asked not in formats:
        from codemap.nearest import nearest

        near = nearest(asked, formats)
        hint = f"did you mean {near[0]}?" if near else f"formats are {', '.join(formats)}"
        raise UsageError(f"--format {asked} is no format of {command}", hint)
    return asked


def drawn(name: str, function: Callable[..., Any], ask: Callable[..., Neighbourhood]) -> TyperCommand:
    """A command that draws: `function` has its parameters and its help, `ask` gets a Map, Settings and its own values."""

    def run(**values: Any) -> None:
        began = time.perf_counter()
        drawing = Drawing(name, values)
        settings = settle(options.take_flags(values))
        talk.be_quiet(settings.quiet)
        with opened(settings) as tree:
            graph = ask(tree, settings, **values)
        raise typer.Exit(told(graph, drawing, settings, began))

    parameters = list(inspect.signature(function, eval_str=True).parameters.values())
    return as_command(name, run, parameters, function.__doc__, DRAW, without=("format", "json"))


def answered_or_drawn(name: str, function: Callable[..., Any], ask: Callable[..., Answer]) -> TyperCommand:
    """A question whose answer can be drawn too: a picture where the format says so, else what a question prints."""

    def run(**values: Any) -> None:
        began = time.perf_counter()
        drawing = Drawing(name, values, (*PICTURES, "text", "json"))
        if not drawing.is_picture and drawing.output is None:
            flags = options.take_flags({**values, "format": drawing.format or None})
            own = {key: values[key] for key in list(inspect.signature(ask).parameters)[2:]}
            raise typer.Exit(answer(flags, lambda tree, settings: ask(tree, settings, **own)))
        flags = options.take_flags(values)
        settings = settle(flags)
        talk.be_quiet(settings.quiet)
        with opened(settings) as tree:
            found = select(ask(tree, settings, **values), settings.min_confidence, settings.limit)
            graph = tree.drawn(found)
        if drawing.is_picture:
            raise typer.Exit(told(graph, drawing, settings, began))
        drawing.write(
            to_json(found) if drawing.format == "json" else "".join(f"{line}\n" for line in to_lines(found))
        )
        raise typer.Exit(exit_codes.code_of(found))

    parameters = list(inspect.signature(function, eval_str=True).parameters.values())
    return as_command(name, run, parameters, function.__doc__, ASK, without=("format", "json"))


def told(graph: Neighbourhood, drawing: Drawing, settings: Settings, began: float) -> int:
    """Writes a graph and gives the exit code; of one that was not found, only data is written."""
    drawing.format = drawing.format or settings.format
    if graph.status == NOT_FOUND:
        if drawing.format == "json":
            drawing.put(graph)
        else:
            command = "imports" if graph.command == "import-graph" else "callers"
            talk.complain(
                *not_found(
                    Answer(command, graph.missing, graph.tree, NOT_FOUND, suggestions=graph.suggestions)
                )
            )
        return exit_codes.FINDING
    drawing.put(graph, settings.limit)
    if graph.status == AMBIGUOUS:
        talk.say(f"{graph.target} fits several definitions, all are drawn; write more of the name")
    if settings.verbose:
        talk.say(f"drawn in {time.perf_counter() - began:.3f} s")
    return exit_codes.ANSWERED


def steps(option: str, value: str | None, default: int | None) -> int | None:
    """A number of steps. Raises UsageError."""
    if value is None:
        return default
    return int(_number(option, value, 0, whole=True, least=0))


def _picture(graph: Neighbourhood, drawing: Drawing) -> str | bytes:
    from codemap.render.dot import for_layout, to_dot

    if drawing.format == "dot":
        return to_dot(graph, drawing.template)
    if drawing.format == "mermaid":
        from codemap.render.mermaid import to_mermaid

        return to_mermaid(graph, drawing.template)
    from codemap.render import layout

    count = len(graph.vertices)
    if drawing.format == "svg":
        from codemap.render.svg import to_svg

        return to_svg(graph, layout.laid_out(for_layout(graph), count, drawing.timeout), drawing.template)
    return layout.drawn(to_dot(graph, drawing.template), drawing.format, count, drawing.timeout)


def _data(graph: Neighbourhood, format: str, limit: int | None) -> str:
    from codemap.render import graph_data

    if format == "graphml":
        from codemap.render import graphml

        return "".join(graphml.chunks(graph_data.as_call_graph(graph)))
    found = select(graph_data.to_answer(graph), limit=limit)
    left_out = found.extra.get("left_out", {}).get("over_limit")
    if left_out:
        talk.say(f"{counted(left_out, 'more result')} over --limit left out")
    return to_json(found) if format == "json" else "".join(f"{line}\n" for line in graph_data.to_lines(found))


def _number(option: str, text: str | None, default: float, *, whole: bool = False, least: int = 1) -> float:
    if text is None:
        return default
    try:
        number = int(text) if whole else float(text)
    except ValueError:
        number = -1.0
    if whole and number < least:
        raise UsageError(
            f"{option} takes a whole number from {least}, not {text}", f"{option} {default or 1:g}"
        )
    if not whole and not 0 < number < 86_400:
        raise UsageError(f"{option} takes seconds, not {text}", f"{option} {default:g}")
    return number


def _absolute(path: str) -> str:
    return os.path.abspath(os.path.expanduser(path))
