# The SVG is drawn here, from Graphviz's positions, because its own has no dark side: classes instead of colours, one
# style sheet with both, every vertex and edge a group with a title (the tooltip) and a link, text as text. The light
# colours come first and need no media query, so that a reader that knows none shows the light picture.
from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final
from xml.sax.saxutils import escape, quoteattr

from codemap.queries.neighbourhoods import UNDECIDED, WEAKEST, Edge, Neighbourhood, Vertex
from codemap.render import palette
from codemap.render.dot import Cluster, clusters_of, hollow_meaning, legend_lines, near_of, numbered, sizes_of
from codemap.render.layout import Layout
from codemap.render.palette import CELL, LABEL, MONO, SANS, SMALL

_EDGE: Final = 16  # free space around everything
_ARROW: Final = 7.0
_SMOOTH: Final = "text-rendering:geometricPrecision"


def to_svg(graph: Neighbourhood, layout: Layout, template: str = "") -> str:
    """The picture as one SVG document that stands alone; the same bytes for the same graph and layout."""
    return "\n".join([*_svg(graph, layout, template), "</svg>\n"])


def _svg(graph: Neighbourhood, layout: Layout, template: str) -> Iterator[str]:
    title = palette.title_of(graph)
    notes = [palette.shown(note) for note in graph.notes]
    legend, legend_width = _legend(graph)
    head = 44 + 14 * len(notes) + (24 if legend else 0)
    widest = max([len(title) * 9.0, legend_width, *(len(note) * 6.2 for note in notes), 320.0])
    width = math.ceil(max(layout.width, widest) + 2 * _EDGE)
    height = math.ceil(head + layout.height + 2 * _EDGE)
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" role="graphics-document" aria-labelledby="codemap-title codemap-desc">'
    )
    yield f'<title id="codemap-title">{escape(title)}</title>'
    yield f'<desc id="codemap-desc">{escape(palette.description_of(graph))}</desc>'
    yield f"<style>{_style()}</style>"
    yield f'<rect class="page" width="{width}" height="{height}"/>'
    y = _EDGE + 14
    yield f'<text class="title" x="{_EDGE}" y="{y}">{escape(title)}</text>'
    y += 18
    yield f'<text class="subtitle" x="{_EDGE}" y="{y}">{escape(palette.subtitle_of(graph))}</text>'
    for note in notes:
        y += 14
        yield f'<text class="subtitle" x="{_EDGE}" y="{y}">{escape(note)}</text>'
    if legend:
        yield f'<g class="legend" transform="translate({_EDGE} {y + 20})">'
        yield from legend
        yield "</g>"
    yield f'<g transform="translate({_EDGE} {head + _EDGE})">'
    clusters = clusters_of(graph)
    for number, cluster in enumerate(clusters):
        box = layout.clusters.get(f"cluster_{number}")
        if box:
            yield from _cluster(cluster, box)
    asked = near_of(graph)
    order = sorted(
        enumerate(graph.edges), key=lambda item: (bool({item[1].source, item[1].target} & asked), item[0])
    )
    for number, edge in order:  # those of what was asked for lie on top
        yield from _edge(graph, edge, layout.edges[f"e{number}"], asked, template)
    for number, cluster in enumerate(clusters):  # over the edges, which may cross them
        if f"cluster_{number}" in layout.clusters:
            yield _cluster_title(cluster, layout.clusters[f"cluster_{number}"])
    colour = {vertex.name: cluster.colour for cluster in clusters for vertex in cluster.vertices}
    sizes = sizes_of(graph)
    for name, number in numbered(graph).items():
        yield from _vertex(
            graph,
            graph.vertices[number],
            layout.vertices[f"n{number}"],
            sizes[name],
            colour[name],
            template,
        )
    yield "</g>"


# --- parts ------------------------------------------------------------------------------------------------------------
def _cluster(cluster: Cluster, box: tuple[float, float, float, float]) -> Iterator[str]:
    x0, y0, x1, y1 = box
    yield f'<g class="group {_group(cluster.colour)}"><title>{escape(cluster.title)}</title>'
    yield f'<rect x="{_n(x0)}" y="{_n(y0)}" width="{_n(x1 - x0)}" height="{_n(y1 - y0)}" rx="6"/></g>'


def _cluster_title(cluster: Cluster, box: tuple[float, float, float, float]) -> str:
    title = palette.ordered(palette.shortened(cluster.title, palette.LONGEST_TITLE))
    return f'<text class="group {_group(cluster.colour)}" x="{_n(box[0] + 8)}" y="{_n(box[1] + 14)}">{escape(title)}</text>'


def _vertex(
    graph: Neighbourhood,
    vertex: Vertex,
    at: tuple[float, float],
    size: tuple[float, int],
    colour: int,
    template: str,
) -> Iterator[str]:
    x, y = at
    width, height = size
    label, note = palette.label_of(vertex), palette.note_of(graph, vertex)
    link = palette.link_of(graph, template, vertex.file, vertex.line)
    if link:
        yield f"<a href={quoteattr(link)}>"
    yield f'<g class="vertex {palette.role_of(vertex)} {_group(colour)}"><title>{escape(palette.tooltip_of(vertex))}</title>'
    yield f'<rect x="{_n(x - width / 2)}" y="{_n(y - height / 2)}" width="{_n(width)}" height="{_n(height)}" rx="4"/>'
    lower = 4.2 if not note else -2.0
    yield f'<text x="{_n(x)}" y="{_n(y + lower)}">{escape(label)}</text>'
    if note:
        yield f'<text class="note" x="{_n(x)}" y="{_n(y + 11)}">{escape(note)}</text>'
    yield "</g></a>" if link else "</g>"


def _edge(
    graph: Neighbourhood,
    edge: Edge,
    way: tuple[list[tuple[float, float]], tuple[float, float] | None, tuple[float, float] | None],
    asked: set[str],
    template: str,
) -> Iterator[str]:
    points, head, at = way
    tip = palette.edge_tooltip(edge, palette.VERBS[graph.command])
    first = edge.sites[0] if edge.sites else None
    link = palette.link_of(graph, template, first.file, first.line) if first else ""
    words = ["edge", palette.line_of(edge).name]
    if {edge.source, edge.target} & asked:
        words.append("near")
    if WEAKEST in edge.flags:
        words.append("weakest")
    if edge.kind == UNDECIDED:
        words.append("open")
    d = f"M{_n(points[0][0])},{_n(points[0][1])}C" + " ".join(f"{_n(x)},{_n(y)}" for x, y in points[1:])
    if link:
        yield f"<a href={quoteattr(link)}>"
    yield f'<g class="{" ".join(words)}"><title>{escape(tip)}</title><path class="wide" d="{d}"/><path d="{d}"/>'
    if head is not None:
        yield _arrow(points[-1], head, hollow=palette.is_hollow(edge))
    if at is not None and WEAKEST in edge.flags:
        yield f'<text x="{_n(at[0])}" y="{_n(at[1] + 3.5)}">{_WEAKEST}</text>'
    yield "</g></a>" if link else "</g>"


_WEAKEST: Final = "weakest link"


def _arrow(start: tuple[float, float], head: tuple[float, float], *, hollow: bool) -> str:
    """A triangle that ends in `head`."""
    dx, dy = head[0] - start[0], head[1] - start[1]
    length = math.hypot(dx, dy) or 1.0
    ux, uy = dx / length, dy / length
    base = (head[0] - ux * _ARROW, head[1] - uy * _ARROW)
    half = _ARROW * 0.42
    corners = (head, (base[0] - uy * half, base[1] + ux * half), (base[0] + uy * half, base[1] - ux * half))
    points = " ".join(f"{_n(x)},{_n(y)}" for x, y in corners)
    word = ' class="hollow"' if hollow else ""
    return f'<polygon{word} points="{points}"/>'


def _legend(graph: Neighbourhood) -> tuple[list[str], float]:
    """The legend as one row, and its width: only what the picture has."""
    parts: list[str] = []
    x = 0.0

    def word(text: str, mark: str, mark_width: float) -> None:
        nonlocal x
        parts.append(mark)
        parts.append(f'<text x="{_n(x + mark_width + 6)}" y="3.5">{escape(text)}</text>')
        x += mark_width + 6 + len(text) * 5.8 + 20

    roles = {palette.role_of(vertex) for vertex in graph.vertices}
    if graph.edges and "asked" in roles:
        box = f'<g class="vertex asked"><rect x="{_n(x)}" y="-6" width="20" height="12" rx="3"/></g>'
        word("asked for", box, 20)
    for line in legend_lines(graph):
        sample = f'<path d="M{_n(x)},0H{_n(x + 24)}"/>'
        arrow = _arrow((x + 24, 0), (x + 24 + _ARROW, 0), hollow=False)
        word(line.meaning, f'<g class="edge {line.name}">{sample}{arrow}</g>', 32)
    hollow = next((edge for edge in graph.edges if palette.is_hollow(edge)), None)
    if hollow is not None:
        arrow = _arrow((x + 14, 0), (x + 14 + _ARROW, 0), hollow=True)
        mark = f'<g class="edge likely"><path d="M{_n(x)},0H{_n(x + 14)}"/>{arrow}</g>'
        word(hollow_meaning(graph), mark, 22)
    for role, text in (("outside", "outside the tree"), ("undecided", "undecided"), ("more", "folded")):
        if role in roles:
            box = (
                f'<g class="vertex {role} other"><rect x="{_n(x)}" y="-6" width="20" height="12" rx="3"/></g>'
            )
            word(text, box, 20)
    return (parts if graph.edges or len(parts) > 2 else []), x


# --- style ------------------------------------------------------------------------------------------------------------
def _style() -> str:
    common = (
        f"text{{font-family:{SANS};{_SMOOTH}}}"
        f".title{{font-size:16px;font-weight:600}}.subtitle,.legend text{{font-size:11px}}"
        f"text.group{{font-family:{MONO};font-size:{SMALL}px;font-weight:600;paint-order:stroke;stroke-width:3px;stroke-linejoin:round}}.group rect{{stroke-opacity:.35}}"
        f".vertex text{{font-family:{MONO};font-size:{LABEL}px;text-anchor:middle;unicode-bidi:isolate}}"
        f".vertex .note{{font-size:{SMALL}px}}.vertex rect{{stroke-width:1}}"
        ".asked text{font-weight:700}.asked rect{stroke-width:2}"
        ".outside rect,.undecided rect{stroke-dasharray:4 2}"
        ".edge path{fill:none}.edge polygon{stroke-width:1}.edge text{font-size:10px;text-anchor:middle;font-weight:600}"
        f".certain path{{stroke-width:{palette.CERTAIN.width}}}.likely path{{stroke-width:{palette.LIKELY.width}}}"
        f".possible path{{stroke-width:{palette.POSSIBLE.width};stroke-dasharray:{palette.POSSIBLE.dash}}}"
        f".typing path{{stroke-width:{palette.TYPING.width};stroke-dasharray:{palette.TYPING.dash}}}"
        ".edge .wide{stroke-width:9;stroke-dasharray:none;stroke-opacity:0;pointer-events:stroke}"
        ".weakest path{stroke-width:2.4}.edge:hover path:not(.wide){stroke-width:3}a:focus rect{stroke-width:3}"
    )
    return common + _shades(0) + "@media (prefers-color-scheme:dark){" + _shades(1) + "}"


def _shades(dark: int) -> str:
    page, ink, quiet = palette.PAGE[dark], palette.INK[dark], palette.QUIET[dark]
    far = palette.FAR[dark]
    accent, warning, alarm = palette.ACCENT[dark], palette.WARNING[dark], palette.ALARM[dark]
    rules = [
        f".page{{fill:{page}}}.title{{fill:{ink}}}.subtitle,.legend text{{fill:{quiet}}}",
        f".vertex text{{fill:{ink}}}.vertex rect{{fill:{page}}}.vertex .note{{fill:{quiet}}}",
        f".edge path{{stroke:{far}}}.edge polygon{{fill:{far};stroke:{far}}}.edge polygon.hollow{{fill:{page}}}",
        f".near path{{stroke:{accent}}}.near polygon{{fill:{accent};stroke:{accent}}}.near polygon.hollow{{fill:{page}}}",
        f".open path{{stroke:{warning}}}.open polygon{{fill:{warning};stroke:{warning}}}",
        f".weakest path{{stroke:{alarm}}}.weakest polygon{{fill:{alarm};stroke:{alarm}}}.weakest text{{fill:{alarm}}}",
    ]
    for number, shades in enumerate((*palette.GROUPS, palette.OTHER)):
        line, tint = (shades.dark_line, shades.dark_tint) if dark else (shades.line, shades.tint)
        name = _group(number if number < len(palette.GROUPS) else -1)
        rules.append(
            f".group.{name} rect{{fill:{tint};stroke:{line}}}text.group.{name}{{fill:{line};stroke:{tint}}}.vertex.{name} rect{{stroke:{line}}}"
        )
    other = palette.OTHER.dark_tint if dark else palette.OTHER.tint
    rules += [
        f".vertex.asked rect{{fill:{accent};stroke:{accent}}}.vertex.asked text{{fill:{page}}}",
        f".vertex.outside rect{{fill:{other}}}.vertex.outside text{{fill:{quiet}}}",
        f".vertex.more rect{{fill:{quiet};fill-opacity:.14;stroke:none}}.vertex.more text{{fill:{quiet}}}",
        f".vertex.undecided rect{{stroke:{warning}}}.vertex.undecided text{{fill:{warning}}}",
    ]
    return "".join(rules)


def _group(colour: int) -> str:
    return f"g{colour}" if colour >= 0 else "other"


def _n(number: float) -> str:
    """A coordinate with at most one digit behind the point."""
    text = f"{number:.1f}"
    return text.removesuffix(".0")


__all__ = ["CELL", "to_svg"]
