# How a picture looks, in one place for SVG, DOT and Mermaid: what a label says, how wide it is, which colour and
# which line stand for what. Labels are set in a fixed-pitch font, whose width is known without measuring: 0.602 em a
# cell in DejaVu, Menlo and Consolas alike, so that a picture has the same bytes whatever fonts a machine has.
from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple
from unicodedata import bidirectional, combining, east_asian_width
from urllib.parse import quote

from codemap.errors import UsageError
from codemap.model.answers import CONFIDENCES
from codemap.queries.neighbourhoods import (
    ASKED,
    MORE,
    OUTSIDE,
    UNDECIDED,
    WEAKEST,
    Edge,
    Neighbourhood,
    Vertex,
    modules_of,
    package_of,
)
from codemap.render.wording import counted, plain, tree_title

MONO: Final = (
    "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', 'Liberation Mono', monospace"
)
SANS: Final = "system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', 'Liberation Sans', sans-serif"
CELL: Final = 0.602  # em
LABEL: Final = 12  # points, which are pixels of the SVG
SMALL: Final = 10
LONGEST: Final = 46  # cells of a label
LONGEST_TITLE: Final = 48


class Shades(NamedTuple):
    """One colour on a light and on a dark page: line and text, and the tint behind a group."""

    line: str
    tint: str
    dark_line: str
    dark_tint: str


# Told apart by hue and lightness, and readable (4.5:1 and more) on the tint beside them.
GROUPS: Final = (
    Shades("#1f5fbf", "#eef4fd", "#79b0ff", "#111d30"),
    Shades("#9a4a00", "#fdf3e9", "#f0a45d", "#2a1d10"),
    Shades("#1a7340", "#ecf7f0", "#6fcf97", "#10251a"),
    Shades("#7b3fb0", "#f6effc", "#c79bf2", "#21162d"),
    Shades("#a3244f", "#fdeef3", "#ff8fb1", "#2e131d"),
    Shades("#0b6e78", "#e9f6f7", "#5fd0dc", "#0d2528"),
    Shades("#6b5a00", "#f9f6e3", "#d9c44f", "#25210d"),
)
OTHER: Final = Shades("#57606a", "#f6f8fa", "#9aa5b1", "#161b22")
PAGE: Final = ("#ffffff", "#0d1117")
INK: Final = ("#1f2328", "#e6edf3")
QUIET: Final = ("#57606a", "#9aa5b1")
FAR: Final = ("#858d97", "#78828e")  # edges that do not touch what was asked for
ACCENT: Final = ("#0b57d0", "#6cb0ff")
WARNING: Final = ("#9a6700", "#e3b341")
ALARM: Final = ("#c4200f", "#ff7b72")


class Line(NamedTuple):
    """How an edge is drawn, and what that means."""

    name: str
    width: float
    dash: str
    meaning: str


CERTAIN: Final = Line("certain", 1.9, "", "certain")
LIKELY: Final = Line("likely", 1.0, "", "likely")
POSSIBLE: Final = Line("possible", 1.0, "5 3", "possible")
RUNTIME: Final = Line("certain", 1.9, "", "at run time")
OPTIONAL: Final = Line("likely", 1.0, "", "where it can")
LAZY: Final = Line("possible", 1.0, "5 3", "lazily")
TYPING: Final = Line("typing", 1.0, "1.5 3", "for type checkers only")
_OF_CALLS: Final = dict(zip(CONFIDENCES, (CERTAIN, LIKELY, POSSIBLE), strict=True))
_OF_IMPORTS: Final = {"runtime": RUNTIME, "optional": OPTIONAL, "lazy": LAZY, "typing": TYPING}


def line_of(edge: Edge) -> Line:
    """The line of an edge: by confidence, of an import by its kind."""
    return _OF_IMPORTS.get(edge.kind) or _OF_CALLS[edge.confidence]


def is_hollow(edge: Edge) -> bool:
    """Whether the arrow's head is open: nobody wrote this call, something runs it."""
    return edge.kind in ("implicit", "callback", "base")


def role_of(vertex: Vertex) -> str:
    """What a vertex is in the picture, as a word of the style sheet."""
    for flag, role in ((ASKED, "asked"), (MORE, "more"), (UNDECIDED, "undecided"), (OUTSIDE, "outside")):
        if flag in vertex.flags:
            return role
    return "inside"


# --- text -----------------------------------------------------------------------------------------------------------
_INVISIBLE: Final = {code: f"\\u{code:04x}" for code in (0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A), 0xFEFF, 0xFFFE, 0xFFFF)}  # fmt: skip


def shown(text: str) -> str:
    """Text as a picture may hold it: no control or direction characters, nothing that is not Unicode."""
    return plain(text).translate(_INVISIBLE).encode("utf-8", "backslashreplace").decode("utf-8")


def cells(text: str) -> int:
    """The width of a text in cells of a fixed-pitch font."""
    return sum(0 if combining(char) else 2 if east_asian_width(char) in "WF" else 1 for char in text)


def shortened(text: str, longest: int) -> str:
    """A text of at most so many cells, its middle left out."""
    if cells(text) <= longest:
        return text
    head, tail = "", ""
    for char in text:
        if cells(head + char) > (longest - 1) * 3 // 5:
            break
        head += char
    for char in reversed(text):
        if cells(head + tail + char) > longest - 1:
            break
        tail = char + tail
    return f"{head}…{tail}"


def ordered(text: str) -> str:
    """A qualified name whose parts stand from left to right even where they are written from right to left."""
    if any(bidirectional(char) in ("R", "AL", "AN") for char in text):
        return text.replace(".", "\u200e.\u200e")
    return text


def label_of(vertex: Vertex) -> str:
    """What stands in a vertex: its name within what it is grouped by."""
    name = vertex.name
    if MORE in vertex.flags:
        return f"{len(vertex.folded)} more"
    if UNDECIDED in vertex.flags:
        return counted(len(vertex.undecided), "undecided call")
    if vertex.kind == "package" and OUTSIDE in vertex.flags:
        return ordered(shortened(shown(name), LONGEST))
    if vertex.module and name.startswith(vertex.module + "."):
        name = name[len(vertex.module) + 1 :]
    elif name == vertex.module and vertex.kind == "module":
        name = "(module code)"
    name = shown(name)
    owner, _, last = name.rpartition(".")
    room = LONGEST - cells(last) - 1
    if owner and cells(owner) > room >= 8:  # the method is what one looks for
        name = f"{shortened(owner, room)}.{last}"
    return ordered(shortened(name, LONGEST))


def note_of(graph: Neighbourhood, vertex: Vertex) -> str:
    """The small second line of a vertex, "" where it has none; in a hierarchy the module, for nothing groups there."""
    in_hierarchy = graph.command == "class-graph"
    if vertex.note:
        return ordered(shortened(shown(vertex.note), LONGEST))
    if in_hierarchy and vertex.kind in ("class", OUTSIDE) and vertex.module != vertex.name:
        return ordered(shortened(shown(vertex.module), LONGEST))
    if vertex.undecided and UNDECIDED not in vertex.flags and ASKED not in vertex.flags:
        return f"{counted(len(vertex.undecided), 'call')} undecided"
    return ""


def tooltip_of(vertex: Vertex) -> str:
    """All that is known of a vertex, as lines."""
    lines = [] if {MORE, UNDECIDED} & {*vertex.flags} else [f"{vertex.kind} {shown(vertex.name)}"]
    if MORE in vertex.flags or UNDECIDED in vertex.flags:
        lines.append(shown(vertex.name))
    elif vertex.file:
        lines.append(f"{shown(vertex.file)}:{vertex.line}")
    elif OUTSIDE in vertex.flags:
        lines.append("outside the tree")
    if vertex.folded and vertex.folded != (vertex.name,):
        lines += _some([shown(name) for name in vertex.folded])
    if vertex.undecided:
        if UNDECIDED not in vertex.flags:
            lines.append(f"{counted(len(vertex.undecided), 'call')} undecided:")
        lines += _some(
            [
                shown(f"{site.name or 'call'} at {site.file}:{site.line}: {site.reason}")
                for site in vertex.undecided
            ]
        )
    return "\n".join(lines)


def edge_tooltip(edge: Edge, verb: str) -> str:
    """Who does what to whom, how sure that is and where."""
    if edge.kind == UNDECIDED:
        return f"{shown(edge.source)}: nobody knows what these call"
    first = f"{shown(edge.source)} {verb} {shown(edge.target)}"
    sites = [
        f"{shown(site.file)}:{site.line} ({', '.join(dict.fromkeys((site.confidence, site.how, site.kind)))})"
        for site in edge.sites
    ]
    weakest = ["the weakest link"] if WEAKEST in edge.flags else []
    return "\n".join([first, *weakest, *_some(sites)])


def _some(lines: list[str], most: int = 12) -> list[str]:
    return lines if len(lines) <= most + 1 else [*lines[:most], f"and {len(lines) - most} more"]


VERBS: Final = {
    "call-graph": "calls",
    "path": "calls",
    "import-graph": "imports",
    "cycles": "imports",
    "class-graph": "is a",
}
_TITLES: Final = {
    "call-graph": "Calls around {}",
    "import-graph": "Imports around {}",
    "class-graph": "Classes around {}",
    "path": "Calls from {}",
    "cycles": "Import cycles",
}


def title_of(graph: Neighbourhood) -> str:
    """What the picture is of, in a few words."""
    target = graph.target.replace(" -> ", " to ")
    return _TITLES[graph.command].format(ordered(shortened(shown(target), 80)))


def subtitle_of(graph: Neighbourhood) -> str:
    """Tree and size."""
    noun = {"import-graph": "module", "cycles": "module", "class-graph": "class"}.get(
        graph.command, "function"
    )
    plural = {"class": "classes"}.get(noun, "")
    inside = [v for v in graph.vertices if not {OUTSIDE, MORE, UNDECIDED} & {*v.flags}]
    return f"{shown(tree_title(graph.tree))} · {counted(len(inside), noun, plural)} shown"


def description_of(graph: Neighbourhood) -> str:
    """The picture in words, for those who do not see it."""
    asked = [shown(vertex.name) for vertex in graph.vertices if ASKED in vertex.flags]
    near = {edge.target for edge in graph.edges if shown(edge.source) in asked}
    back = {edge.source for edge in graph.edges if shown(edge.target) in asked}
    verb = VERBS[graph.command]
    parts = [f"{subtitle_of(graph)}, {counted(len(graph.edges), 'edge')}."]
    if graph.command in ("call-graph", "import-graph", "class-graph"):
        for name in asked[:3]:
            parts.append(f"{name} is asked for.")
        parts.append(
            f"It {verb} {', '.join(shown(name) for name in sorted(near)[:12]) or 'nothing that is known'}."
        )
        parts.append(f"It has {', '.join(shown(name) for name in sorted(back)[:12]) or 'nothing'} before it.")
    parts += [f"{note}." for note in graph.notes]
    return " ".join(parts)


# --- colours ----------------------------------------------------------------------------------------------------------
def groups_of(graph: Neighbourhood) -> dict[str, int]:
    """Package -> number of its colour, -1 for grey: packages one step below what all modules of the picture share.

    What was asked for comes first, then the packages with most vertices.
    """
    modules = modules_of(graph.vertices)
    counts: dict[str, int] = {}
    for vertex in graph.vertices:
        if not vertex.module or OUTSIDE in vertex.flags:
            continue
        package = package_of(vertex.module, modules, 2 * len(GROUPS))
        counts[package] = counts.get(package, 0) + (1_000_000 if ASKED in vertex.flags else 1)
    order = sorted(counts, key=lambda package: (-counts[package], package))
    return {package: number if number < len(GROUPS) else -1 for number, package in enumerate(order)}


def colours(graph: Neighbourhood) -> Mapping[str, int]:
    """Module -> number of its colour."""
    modules = modules_of(graph.vertices)
    groups = groups_of(graph)
    return {module: groups[package_of(module, modules, 2 * len(GROUPS))] for module in modules}


# --- links -----------------------------------------------------------------------------------------------------------
PLACEHOLDERS: Final = ("path", "line", "root")


def check_template(template: str) -> None:
    """Raises UsageError for a link template that names something else than path, line and root."""
    import string

    try:
        fields = [field for _, field, _, _ in string.Formatter().parse(template) if field is not None]
    except ValueError as error:
        raise UsageError(f"--link-template {template}: {error}", "for example {path}#L{line}") from error
    for field in fields:
        if field not in PLACEHOLDERS:
            raise UsageError(f"--link-template knows no {{{field}}}", "it knows {path}, {line} and {root}")
    if template.strip().lower().startswith(("javascript:", "data:", "vbscript:")):
        raise UsageError(
            f"--link-template {template} would be a program, not a link", "for example {path}#L{line}"
        )


def link_of(graph: Neighbourhood, template: str, file: str, line: int) -> str:
    """Where a vertex or an edge leads, "" where there is no file."""
    if not file:
        return ""
    path = quote(file.encode("utf-8", "surrogateescape"), safe="/")
    if not template:
        return f"{'' if '/' in path else './'}{path}:{line}"
    return template.format(
        path=path, line=line, root=quote(graph.tree.root.encode("utf-8", "surrogateescape"), safe="/")
    )
