# Mermaid as GitHub and GitLab draw it in Markdown. It has no way to escape but entities, and its parser stumbles over
# words of its own, so ids are numbers and every text stands in quotes.
from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from codemap.queries.neighbourhoods import UNDECIDED, WEAKEST, Edge, Neighbourhood
from codemap.render import palette
from codemap.render.dot import clusters_of, numbered

_ARROWS: Final = {"certain": "==>", "likely": "-->", "possible": "-.->", "typing": "-.->"}


def to_mermaid(graph: Neighbourhood, template: str = "") -> str:
    """A flowchart; links only where a template makes addresses of them, for Mermaid takes no relative ones."""
    return "\n".join([*_lines(graph, template), ""])


def _lines(graph: Neighbourhood, template: str) -> Iterator[str]:
    numbers = numbered(graph)
    yield f"%% {palette.title_of(graph)}; {palette.subtitle_of(graph)}"
    yield from (f"%% {palette.shown(note)}" for note in graph.notes)
    yield f"flowchart {'RL' if graph.command == 'class-graph' else 'LR'}"
    roles: dict[str, list[str]] = {}
    for number, cluster in enumerate(clusters_of(graph)):
        if cluster.title:
            yield f"  subgraph c{number}[{quoted(cluster.title)}]"
        for vertex in cluster.vertices:
            text = "<br>".join(
                filter(None, (escaped(palette.label_of(vertex)), escaped(palette.note_of(graph, vertex))))
            )
            yield f'    n{numbers[vertex.name]}["{text}"]'
            roles.setdefault(palette.role_of(vertex), []).append(f"n{numbers[vertex.name]}")
        if cluster.title:
            yield "  end"
    weakest = []
    for number, edge in enumerate(graph.edges):
        yield f"  n{numbers[edge.source]} {_arrow(edge)} n{numbers[edge.target]}"
        if WEAKEST in edge.flags:
            weakest.append(str(number))
    if template:
        for vertex in graph.vertices:
            link = palette.link_of(graph, template, vertex.file, vertex.line)
            if link:
                tip = palette.shown(palette.tooltip_of(vertex).split("\n")[0])
                yield f"  click n{numbers[vertex.name]} href {quoted(link)} {quoted(tip)}"
    for role, style in _STYLES.items():
        if role in roles:
            yield f"  classDef {role} {style}"
            yield f"  class {','.join(roles[role])} {role}"
    if weakest:
        yield f"  linkStyle {','.join(weakest)} stroke:{palette.ALARM[0]},stroke-width:3px"


_STYLES: Final = {
    "asked": f"fill:{palette.ACCENT[0]},stroke:{palette.ACCENT[0]},color:#ffffff,font-weight:bold",
    "outside": "stroke-dasharray:4 2",
    "more": "stroke-width:0px",
    "undecided": f"stroke:{palette.WARNING[0]},stroke-dasharray:4 2",
}


def _arrow(edge: Edge) -> str:
    arrow = _ARROWS[palette.line_of(edge).name]
    if WEAKEST in edge.flags:
        return f"{arrow}|weakest|"
    return f"{arrow}|{edge.kind}|" if edge.kind in ("lazy", "typing") and edge.kind != UNDECIDED else arrow


_ENTITIES: Final = str.maketrans(
    {"#": "#35;", "&": "#amp;", '"': "#quot;", "<": "#lt;", ">": "#gt;", "`": "#96;", "\\": "#92;"}
)


def escaped(text: str) -> str:
    """Text in Mermaid's entities."""
    return text.translate(_ENTITIES)


def quoted(text: str) -> str:
    """A string of Mermaid."""
    return f'"{escaped(text)}"'
