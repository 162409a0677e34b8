# DOT in two dialects. For people and for Graphviz's own PNG and PDF: plain labels, colours, a legend. For the SVG,
# which is drawn here: boxes of a size that we know, so that the layout does not depend on the fonts of the machine
# (Graphviz would measure text with whatever is installed).
from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from codemap.queries.neighbourhoods import (
    ASKED,
    MORE,
    OUTSIDE,
    UNDECIDED,
    WEAKEST,
    Edge,
    Neighbourhood,
    Vertex,
)
from codemap.render import palette
from codemap.render.palette import CELL, LABEL, SMALL

BOX: Final = 20  # height of a vertex, in points
NOTE: Final = 12  # what a second line adds
PADDING: Final = 8
TITLE: Final = 18  # height of a group's title


class Cluster(NamedTuple):
    """The vertices of one module on one side of what was asked for; `colour` is -1 outside the tree."""

    title: str
    colour: int
    vertices: tuple[Vertex, ...]


def clusters_of(graph: Neighbourhood) -> list[Cluster]:
    """The groups of a picture, in order: those before what was asked for, those after, outside the tree, undecided."""
    colours = palette.colours(graph)
    members: dict[tuple[int, str], list[Vertex]] = {}
    for vertex in graph.vertices:
        if graph.command == "class-graph":
            key = (1, vertex.module if OUTSIDE not in vertex.flags else "")
        elif UNDECIDED in vertex.flags or (MORE in vertex.flags and not vertex.module):
            key = (3, "")
        elif OUTSIDE in vertex.flags:
            key = (2, "")
        else:
            key = (int(vertex.distance >= 0 or graph.command in ("path", "cycles")), vertex.module)
        members.setdefault(key, []).append(vertex)
    found = []
    for (side, module), vertices in sorted(members.items()):
        title = {2: "outside the tree", 3: ""}.get(side) if side > 1 else palette.shown(module)
        if graph.command == "class-graph":  # a module for each class: boxes around boxes
            title = ""
        found.append(Cluster(title or "", colours.get(module, -1) if side < 2 else -1, tuple(vertices)))
    return found


def sizes_of(graph: Neighbourhood) -> dict[str, tuple[float, int]]:
    """Width and height of each vertex in points; those of one column of a group are equally wide."""
    sizes: dict[str, tuple[float, int]] = {}
    for cluster in clusters_of(graph):
        columns: dict[int, list[Vertex]] = {}
        for vertex in cluster.vertices:
            columns.setdefault(vertex.distance, []).append(vertex)
        for members in columns.values():
            widest = max((_size(graph, one)[0] for one in members if MORE not in one.flags), default=0.0)
            for one in members:
                width, height = _size(graph, one)
                sizes[one.name] = (max(width, widest), height)
    return sizes


def _size(graph: Neighbourhood, vertex: Vertex) -> tuple[float, int]:
    label, note = palette.label_of(vertex), palette.note_of(graph, vertex)
    width = max(palette.cells(label) * CELL * LABEL, palette.cells(note) * CELL * SMALL) + 2 * PADDING
    return round(max(width, 40), 2), BOX + (NOTE if note else 0)


def title_width(title: str) -> float:
    """Width of a group's title in points."""
    return round(
        palette.cells(palette.ordered(palette.shortened(title, palette.LONGEST_TITLE))) * CELL * SMALL + 4, 2
    )


def numbered(graph: Neighbourhood) -> dict[str, int]:
    """Vertex -> its number in DOT, Mermaid and SVG alike."""
    return {vertex.name: number for number, vertex in enumerate(graph.vertices)}


def for_layout(graph: Neighbourhood) -> str:
    """The graph as boxes without text, for positions."""
    numbers = numbered(graph)
    sizes = sizes_of(graph)
    lines = ["digraph {", f"  graph [{_layout(graph)}];", '  node [shape=box, fixedsize=true, label=""];']
    lines.append("  edge [arrowsize=0.7];")
    for number, cluster in enumerate(clusters_of(graph)):
        inside = []
        for vertex in cluster.vertices:
            width, height = sizes[vertex.name]
            inside.append(f"n{numbers[vertex.name]} [width={width / 72:.4f}, height={height / 72:.4f}];")
        if cluster.title:
            width = max(title_width(cluster.title), 20)
            table = _space(width, TITLE - 6)
            lines.append(f"  subgraph cluster_{number} {{ margin=7; labeljust=l; label={table};")
            lines += [f"    {one}" for one in inside]
            lines.append("  }")
        else:
            lines += [f"  {one}" for one in inside]
    pulls = _pulls(graph)
    for number, edge in enumerate(graph.edges):
        if WEAKEST in edge.flags:
            pulls[number] += f", label={_space(76, 14)}"
        lines.append(f"  n{numbers[edge.source]} -> n{numbers[edge.target]} [id=e{number}{pulls[number]}];")
    return "\n".join([*lines, *_anchors(graph), "}\n"])


def _space(width: float, height: float) -> str:
    """A label of a size, without a text."""
    return (
        '<<TABLE BORDER="0" CELLPADDING="0" CELLSPACING="0" FIXEDSIZE="TRUE" '
        f'WIDTH="{width:.0f}" HEIGHT="{height:.0f}"><TR><TD></TD></TR></TABLE>>'
    )


def to_dot(graph: Neighbourhood, template: str = "") -> str:
    """The graph for people, for `dot` and for what reads DOT."""
    return "\n".join([*_dot(graph, template), *_anchors(graph), "}\n"])


def _layout(graph: Neighbourhood) -> str:
    direction = "RL" if graph.command == "class-graph" else "LR"
    return f"rankdir={direction}, newrank=true, ranksep={_RANKS[direction]}, nodesep=0.08, splines=true, outputorder=edgesfirst"


_RANKS: Final = {"LR": 0.75, "RL": 0.75}


_FREE: Final = ("path", "cycles", "class-graph")  # pictures whose columns the edges make by themselves


def _pulls(graph: Neighbourhood) -> list[str]:
    """What edges do to the layout: steps away from what was asked for make the columns, others only cross them."""
    distance = {vertex.name: vertex.distance for vertex in graph.vertices}
    found = []
    for edge in graph.edges:
        step = distance[edge.target] - distance[edge.source]
        weight = {"certain": 3, "likely": 2}.get(edge.confidence, 1)
        text = f", weight={weight}" if weight > 1 else ""
        if graph.command == "class-graph":
            text += ", tailport=w, headport=e"
        elif (step > 0) if graph.command == "path" else (step == 1 and graph.command != "cycles"):
            text += ", tailport=e, headport=w"
        elif graph.command not in _FREE:
            text = ", constraint=false"
        found.append(text)
    return found


def _anchors(graph: Neighbourhood) -> list[str]:
    """Edges that nobody sees: they hold what no step leads to in its column."""
    if graph.command in _FREE:
        return []
    numbers = numbered(graph)
    distance = {vertex.name: vertex.distance for vertex in graph.vertices}
    held = {
        end
        for edge in graph.edges
        if distance[edge.target] - distance[edge.source] == 1
        for end in (edge.source, edge.target)
    }
    start = next((vertex.name for vertex in graph.vertices if vertex.distance == 0), "")
    found = []
    for name, number in numbers.items():
        if name not in held and start and distance[name]:
            ends = (numbers[start], number) if distance[name] > 0 else (number, numbers[start])
            found.append(f"  n{ends[0]} -> n{ends[1]} [style=invis, minlen={abs(distance[name])}];")
    return found


def _dot(graph: Neighbourhood, template: str) -> Iterator[str]:
    numbers = numbered(graph)
    page, ink, quiet = palette.PAGE[0], palette.INK[0], palette.QUIET[0]
    yield "digraph codemap {"
    yield f'  graph [{_layout(graph)}, bgcolor="{page}", fontname="DejaVu Sans", fontsize=11, fontcolor="{ink}",'
    yield f"    labelloc=t, labeljust=l, label={_heading(graph)}, tooltip={quoted(palette.title_of(graph))}];"
    yield f'  node [shape=box, style="rounded,filled", fontname="DejaVu Sans Mono", fontsize={LABEL}, height=0.28, margin="0.1,0.03", fontcolor="{ink}"];'
    yield f'  edge [arrowsize=0.7, color="{quiet}"];'
    for number, cluster in enumerate(clusters_of(graph)):
        shades = palette.GROUPS[cluster.colour] if cluster.colour >= 0 else palette.OTHER
        indent = "  "
        if cluster.title:
            title = palette.ordered(palette.shortened(cluster.title, palette.LONGEST_TITLE))
            yield f"  subgraph cluster_{number} {{"
            yield f'    label={quoted(title)}; tooltip={quoted(cluster.title)}; labeljust=l; style="rounded,filled"; margin=10;'
            yield f'    color="{shades.line}60"; fillcolor="{shades.tint}"; fontsize={SMALL + 1}; fontcolor="{shades.line}";'
            indent = "    "
        for vertex in cluster.vertices:
            yield f"{indent}n{numbers[vertex.name]} [{_vertex(graph, vertex, shades, template)}];"
        if cluster.title:
            yield "  }"
    verb = palette.VERBS[graph.command]
    asked = near_of(graph)
    pulls = _pulls(graph)
    for number, edge in enumerate(graph.edges):
        ends = f"n{numbers[edge.source]} -> n{numbers[edge.target]}"
        yield f"  {ends} [{_edge(graph, edge, verb, asked, template)}{pulls[number]}];"


def _vertex(graph: Neighbourhood, vertex: Vertex, shades: palette.Shades, template: str) -> str:
    label, note = palette.label_of(vertex), palette.note_of(graph, vertex)
    text = f"{label}\n{note}" if note else label
    role = palette.role_of(vertex)
    colour, fill, font, extra = shades.line, palette.PAGE[0], palette.INK[0], ""
    if role == "asked":
        colour = fill = palette.ACCENT[0]
        font, extra = palette.PAGE[0], ", penwidth=2"
    elif role == "undecided":
        colour = font = palette.WARNING[0]
        extra = ', style="rounded,filled,dashed"'
    elif role in ("outside", "more"):
        font, extra = palette.QUIET[0], ', style="rounded,filled,dashed"' if role == "outside" else ""
        colour = palette.OTHER.line if role == "outside" else "#00000000"
        fill = palette.OTHER.tint if role == "outside" else "#00000010"
    link = palette.link_of(graph, template, vertex.file, vertex.line)
    tip = f", tooltip={quoted(palette.tooltip_of(vertex))}" + (f", URL={quoted(link)}" if link else "")
    return f'label={quoted(text)}, color="{colour}", fillcolor="{fill}", fontcolor="{font}"{extra}{tip}'


def _edge(graph: Neighbourhood, edge: Edge, verb: str, asked: set[str], template: str) -> str:
    line = palette.line_of(edge)
    style = "solid" if not line.dash else "dotted" if line.name == "typing" else "dashed"
    colour = palette.ACCENT[0] if {edge.source, edge.target} & asked else palette.FAR[0]
    parts = []
    if WEAKEST in edge.flags:
        colour = palette.ALARM[0]
        parts.append(f'label="weakest", fontsize={SMALL}, fontcolor="{colour}", fontname="DejaVu Sans"')
    parts += [f'style={style}, penwidth={line.width}, color="{colour}"']
    if palette.is_hollow(edge):
        parts.append("arrowhead=onormal")
    parts.append(f"tooltip={quoted(palette.edge_tooltip(edge, verb))}")
    first = edge.sites[0] if edge.sites else None
    link = palette.link_of(graph, template, first.file, first.line) if first else ""
    return ", ".join([*parts, f"URL={quoted(link)}"] if link else parts)


def _heading(graph: Neighbourhood) -> str:
    """Title and legend as an HTML-like label."""
    from xml.sax.saxutils import escape

    samples = {"certain": "━━━", "likely": "───", "possible": "- - -", "typing": "· · ·"}
    parts = [f"{samples[line.name]} {line.meaning}" for line in legend_lines(graph)]
    if any(palette.is_hollow(edge) for edge in graph.edges):
        parts.append(f"▷ {hollow_meaning(graph)}")
    rows = [f"<B>{escape(palette.title_of(graph))}</B>", escape(palette.subtitle_of(graph))]
    rows += [escape(palette.shown(note)) for note in graph.notes]
    if parts:
        rows.append(escape("    ".join(parts)))
    return "<" + '<BR ALIGN="LEFT"/>'.join([*rows, ""]) + ">"


def near_of(graph: Neighbourhood) -> set[str]:
    """The vertices whose edges stand out: what was asked for, but for the ends of a path."""
    return set() if graph.command == "path" else {v.name for v in graph.vertices if ASKED in v.flags}


def legend_lines(graph: Neighbourhood) -> list[palette.Line]:
    """The kinds of line that the picture has, strongest first."""
    used = {palette.line_of(edge) for edge in graph.edges if edge.kind != UNDECIDED}
    order = (
        palette.CERTAIN,
        palette.LIKELY,
        palette.POSSIBLE,
        palette.RUNTIME,
        palette.OPTIONAL,
        palette.LAZY,
        palette.TYPING,
    )
    return [line for line in order if line in used]


def hollow_meaning(graph: Neighbourhood) -> str:
    """What an open arrow stands for."""
    return (
        "derives from"
        if graph.command == "class-graph"
        else "not written as a call (property, with, callback)"
    )


def quoted(text: str) -> str:
    """A DOT string. A backslash is doubled, for Graphviz reads escapes; line ends become its own."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
