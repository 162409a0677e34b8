"""Pictures as bytes: text that fits and is right, links, colours for light and dark, the same from run to run."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from codemap.errors import LayoutError, UsageError
from codemap.model.answers import TreeSummary
from codemap.queries.neighbourhoods import ASKED, WEAKEST, Edge, Neighbourhood, Site, Vertex
from codemap.render import layout, palette
from codemap.render.dot import for_layout, quoted, to_dot
from codemap.render.mermaid import to_mermaid
from codemap.render.svg import to_svg

TREE = TreeSummary("demo", "1.0", "/somewhere/demo", "0" * 64, 3, 0)
SVG = "{http://www.w3.org/2000/svg}"
NASTY = ("<b>&amp;\"'", "a\nb\tc\x00\x1b[31m", "\u202eevil", "\udcff", "אבג.דהו", "名前.メソッド", "x" * 300, "a\\nb\\", "]]>", "{port}|")  # fmt: skip


def graph_of(
    *names: str, edges: bool = True, confidence: str = "certain", kind: str = "call"
) -> Neighbourhood:
    vertices = [Vertex("m.start", "function", "m", "m.py", 3, 0, (ASKED,))]
    vertices += [Vertex(f"m.{name}", "function", "m", f"{name}.py", 7, 1) for name in names]
    found = [
        Edge(
            "m.start",
            f"m.{name}",
            confidence,
            "import",
            kind,
            (Site("m.py", 4, 5, confidence, "import", kind),),
        )
        for name in names
    ]
    return Neighbourhood(
        "call-graph", "start", TREE, vertices=tuple(vertices), edges=tuple(found if edges else ())
    )


def svg_of(graph: Neighbourhood, template: str = "") -> str:
    return to_svg(graph, layout.laid_out(for_layout(graph), len(graph.vertices)), template)


def texts(root: ElementTree.Element) -> list[str]:
    return [element.text or "" for element in root.iter(f"{SVG}text")]


@pytest.mark.parametrize("name", NASTY, ids=ascii)
def test_every_name_is_right_in_every_format(name: str) -> None:
    """Well-formed XML whose text is the name; DOT that Graphviz reads; Mermaid without a bare quote in a label."""
    graph = graph_of(name)
    root = ElementTree.fromstring(svg_of(graph))
    assert palette.label_of(graph.vertices[1]) in texts(root)
    titles = "\n".join(element.text or "" for element in root.iter(f"{SVG}title"))
    assert palette.shown(f"m.{name}") in titles
    assert not re.search("[\x00-\x08\x0b-\x1f\u202a-\u202e\u2066-\u2069]", "".join(root.itertext()))
    assert layout.drawn(to_dot(graph), "png", 2).startswith(b"\x89PNG")
    for line in to_mermaid(graph).splitlines():
        if line.strip().startswith("n"):
            assert line.count('"') in (0, 2)


def test_labels_fit_their_boxes() -> None:
    """Whatever the name: at 0.602 em a cell it is narrower than its box, with room to spare."""
    root = ElementTree.fromstring(svg_of(graph_of(*[name for name in NASTY if name.isprintable()])))
    groups = [
        g
        for g in root.iter(f"{SVG}g")
        if "vertex" in (g.get("class") or "") and g.find(f"{SVG}text") is not None
    ]
    assert len(groups) >= 6
    for group in groups:
        box, text = group.find(f"{SVG}rect"), group.find(f"{SVG}text")
        assert box is not None
        assert text is not None
        assert (
            palette.cells(text.text or "") * palette.CELL * palette.LABEL <= float(box.get("width", "0")) - 8
        )


def test_a_long_name_keeps_its_method() -> None:
    """The class is shortened first: the method is what one looks for."""
    vertex = Vertex("m.SchedulerDisaggregationDecodeMixin.event_loop_overlap_of_decode", "method", "m")
    label = palette.label_of(vertex)
    assert label.endswith(".event_loop_overlap_of_decode")
    assert palette.cells(label) <= palette.LONGEST


def test_parts_written_from_right_to_left_keep_their_order() -> None:
    """The dot between two such names would turn them round without a mark."""
    assert palette.label_of(Vertex("m.אב.גד", "method", "m")) == "אב\u200e.\u200eגד"
    assert palette.label_of(Vertex("m.A.b", "method", "m")) == "A.b"


def test_vertices_and_edges_lead_to_their_places() -> None:
    """path:line, or what the template makes of it."""
    links = [a.get("href") for a in ElementTree.fromstring(svg_of(graph_of("x"))).iter(f"{SVG}a")]
    assert links == ["./m.py:4", "./m.py:3", "./x.py:7"]
    template = "https://example.org/blob/main/{path}#L{line}"
    root = ElementTree.fromstring(svg_of(graph_of("a b#?"), template))
    assert "https://example.org/blob/main/a%20b%23%3F.py#L7" in [a.get("href") for a in root.iter(f"{SVG}a")]


@pytest.mark.parametrize("template", ["{file}", "{path", "javascript:alert('{path}')", "{}"])
def test_a_template_that_cannot_be_used_is_a_usage_error(template: str) -> None:
    """It knows path, line and root."""
    with pytest.raises(UsageError):
        palette.check_template(template)


def test_the_picture_can_be_read_aloud() -> None:
    """A title and a description that name what was asked for and what is around it."""
    root = ElementTree.fromstring(svg_of(graph_of("x")))
    title, description = root.find(f"{SVG}title"), root.find(f"{SVG}desc")
    assert title is not None
    assert description is not None
    assert root.get("aria-labelledby") == f"{title.get('id')} {description.get('id')}"
    assert title.text == "Calls around start"
    assert "m.start is asked for" in (description.text or "")
    assert "m.x" in (description.text or "")


def contrast(one: str, other: str) -> float:
    """Of two colours, as WCAG 2 measures it."""

    def luminance(colour: str) -> float:
        parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    bright, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("dark", [0, 1])
def test_text_can_be_read_on_light_and_on_dark(dark: int) -> None:
    """At least 4.5:1 for every text on what it stands on, 3:1 for lines on the page."""
    page = palette.PAGE[dark]
    for ink in (palette.INK[dark], palette.QUIET[dark], palette.WARNING[dark], palette.ALARM[dark]):
        assert contrast(ink, page) >= 4.5
    assert contrast(page, palette.ACCENT[dark]) >= 4.5  # the label of what was asked for
    assert contrast(palette.FAR[dark], page) >= 3
    for shades in (*palette.GROUPS, palette.OTHER):
        line, tint = (shades.dark_line, shades.dark_tint) if dark else (shades.line, shades.tint)
        assert contrast(line, tint) >= 4.5


def test_both_sides_are_in_one_style_sheet() -> None:
    """The background is painted, and the dark rules have every colour that the light ones have."""
    text = svg_of(graph_of("x"))
    light, _, dark = text.partition("@media (prefers-color-scheme:dark){")
    assert f".page{{fill:{palette.PAGE[0]}}}" in light
    assert f".page{{fill:{palette.PAGE[1]}}}" in dark
    assert '<rect class="page"' in text
    assert "var(" not in text  # older readers know no variables


def test_the_legend_has_the_lines_that_are_there_and_no_others() -> None:
    """A picture of certain calls only does not explain dashes."""
    certain = texts(ElementTree.fromstring(svg_of(graph_of("x"))))
    possible = texts(ElementTree.fromstring(svg_of(graph_of("x", confidence="possible"))))
    assert "certain" in certain
    assert "possible" not in certain
    assert "possible" in possible
    hollow = texts(ElementTree.fromstring(svg_of(graph_of("x", kind="implicit"))))
    assert any("not written as a call" in text for text in hollow)


def test_the_weakest_link_is_named() -> None:
    """In words and not by its colour alone."""
    graph = graph_of("x", confidence="likely")
    graph = graph._replace(command="path", edges=(graph.edges[0]._replace(flags=(WEAKEST,)),))
    assert "weakest link" in texts(ElementTree.fromstring(svg_of(graph)))
    assert "weakest" in to_dot(graph)
    assert "|weakest|" in to_mermaid(graph)


def test_a_layout_that_takes_too_long_is_stopped() -> None:
    """The process ends with the time; the error says how many vertices there were and what to narrow."""
    with pytest.raises(LayoutError) as caught:
        layout.laid_out(for_layout(graph_of("x")), 2, timeout=0.001)
    assert caught.value.vertices == 2
    assert "2 vertices" in caught.value.message
    assert "--max-vertices" in caught.value.hint


def test_without_graphviz_the_way_out_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Where pygraphviz cannot be imported, DOT and Mermaid still can be written."""
    (tmp_path / "pygraphviz.py").write_text("raise ImportError('no libcgraph here')\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with pytest.raises(LayoutError) as caught:
        layout.laid_out(for_layout(graph_of("x")), 2)
    assert "pygraphviz" in caught.value.message
    assert "--format dot" in caught.value.hint


def test_nothing_is_imported_from_the_folder_one_stands_in(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """It may be the tree that is asked about, and that is never run."""
    (tmp_path / "pygraphviz.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n")
    monkeypatch.chdir(tmp_path)
    assert svg_of(graph_of("x"))
    assert not (tmp_path / "ran").exists()
    assert "pygraphviz" not in sys.modules


def test_dot_strings() -> None:
    """A backslash is a backslash, a line end is Graphviz's own."""
    assert quoted('a"b\\N\nc') == '"a\\"b\\\\N\\nc"'


def test_the_same_bytes_every_time(tree: Any) -> None:
    """Nothing in a picture comes from a clock, a set or the machine's fonts."""
    graph = graph_of("x", "y", "z")
    assert svg_of(graph) == svg_of(graph)
    assert "DejaVu" not in for_layout(graph)
