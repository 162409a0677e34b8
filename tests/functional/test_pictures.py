"""The commands that draw, from the command line to the bytes of a file."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

ROOT = Path(__file__).resolve().parents[2]
FILES: dict[str, str | bytes] = {
    "pkg/__init__.py": "",
    "pkg/a.py": (
        "from pkg.b import Base, leaf\nclass Core(Base):\n    def run(self): return leaf(self)\n"
        "def main(): Core().run()\ndef any_of(x: Base): x.run()\ndef alone(): ...\n"
    ),
    "pkg/b.py": "class Base:\n    def run(self): ...\ndef leaf(x):\n    from pkg import a\n    return x\n",
}
BEGINS = {"svg": b"<?xml", "png": b"\x89PNG", "pdf": b"%PDF", "dot": b"digraph", "mmd": b"%% "}


@pytest.fixture
def root(tree: Any) -> Path:
    made: Path = tree(FILES)
    return made


@pytest.mark.parametrize(
    "words",
    [
        ["call-graph", "Core.run"],
        ["call-graph", "Core", "main", "--callers", "2", "--callees", "0"],
        ["import-graph", "pkg.a"],
        ["class-graph", "Base"],
        ["path", "main", "leaf"],
        ["cycles"],
    ],
    ids=" ".join,
)
@pytest.mark.parametrize("ending", BEGINS)
def test_every_picture_in_every_format(
    root: Path, tmp_path: Path, codemap: Any, words: list[str], ending: str
) -> None:
    """The ending of the file says which."""
    target = tmp_path / f"out.{ending}"
    said = codemap(*words, "-o", target, tree=root)
    assert (said.code, said.out) == (0, "")
    assert f"written to {target}" in said.err
    assert target.read_bytes().startswith(BEGINS[ending])


def test_a_picture_to_standard_output(root: Path, codemap: Any) -> None:
    """--format without a file."""
    said = codemap("call-graph", "main", "--format", "svg", tree=root)
    assert ElementTree.fromstring(said.out).tag.endswith("svg")
    assert codemap("call-graph", "main", "--format", "mermaid", tree=root).out.startswith(
        "%% Calls around main"
    )


def test_without_a_picture_the_same_calls_as_lines_and_json(root: Path, codemap: Any) -> None:
    """As `callers` and `callees` print them."""
    lines = codemap("call-graph", "Core.run", tree=root).out.splitlines()
    both = codemap("callers", "Core.run", tree=root).out + codemap("callees", "Core.run", tree=root).out
    assert sorted(lines) == sorted(both.splitlines())
    answer = codemap("call-graph", "Core.run", "--json", tree=root).answer
    assert len(answer["results"]) == len(lines)
    assert {row["distance"] for row in answer["vertices"]} == {-1, 0, 1}


def test_path_and_cycles_answer_as_before(root: Path, codemap: Any, tmp_path: Path) -> None:
    """Without -o they print; with -o x.json the file has what --json prints."""
    for words in (["path", "main", "leaf"], ["cycles"]):
        said = codemap(*words, "--json", tree=root)
        assert codemap(*words, "-o", tmp_path / "x.json", tree=root).code == 0
        assert json.loads((tmp_path / "x.json").read_text()) == said.answer


def test_a_name_without_calls_is_a_picture_that_says_so(root: Path, tmp_path: Path, codemap: Any) -> None:
    """One vertex."""
    assert codemap("call-graph", "alone", "-o", tmp_path / "x.svg", tree=root).code == 0
    text = (tmp_path / "x.svg").read_text()
    assert text.count('<g class="vertex') == 1
    assert "no calls known" in text


def test_a_name_that_is_not_there_writes_nothing(root: Path, tmp_path: Path, codemap: Any) -> None:
    """Exit 1, with what it may have meant."""
    for words, near in (
        (["call-graph", "Cor.run"], "Core.run"),
        (["import-graph", "pkg.c"], "pkg."),
        (["class-graph", "Bas"], "Base"),
    ):
        said = codemap(*words, "-o", tmp_path / "x.svg", tree=root)
        assert said.code == 1
        assert near in said.err
    assert not (tmp_path / "x.svg").exists()
    assert codemap("call-graph", "Cor.run", "--json", tree=root).answer["status"] == "not_found"


def test_an_unwritable_output_is_exit_2_and_no_half_file(root: Path, tmp_path: Path, codemap: Any) -> None:
    """A folder that is not there, a folder in the place of the file."""
    assert codemap("call-graph", "main", "-o", tmp_path / "no" / "x.svg", tree=root).code == 2
    (tmp_path / "x.svg").mkdir()
    assert codemap("call-graph", "main", "-o", tmp_path / "x.svg", tree=root).code == 2
    assert sorted(os.listdir(tmp_path)) == ["tree", "x.svg"]


def test_a_layout_out_of_time_leaves_dot(root: Path, tmp_path: Path, codemap: Any) -> None:
    """The message has the number of vertices and what to narrow; the picture of before stays."""
    target = tmp_path / "x.svg"
    target.write_text("before")
    said = codemap("call-graph", "main", "-o", target, "--timeout", "0.001", tree=root)
    assert said.code == 2
    assert "vertices" in said.err
    assert "--max-vertices" in said.err
    assert target.read_text() == "before"
    assert (tmp_path / "x.svg.dot").read_text().startswith("digraph")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["call-graph", "main", "--format", "svgg"], "did you mean svg?"),
        (["call-graph", "main", "-o", "x.jpg"], "no format of call-graph ends in .jpg"),
        (["call-graph", "main", "--callers", "many"], "--callers takes a whole number"),
        (["call-graph", "main", "-o", "x.svg", "--max-vertices", "0"], "--max-vertices takes a whole number"),
        (["call-graph", "main", "-o", "x.svg", "--timeout", "-1"], "--timeout takes seconds"),
        (["call-graph", "main", "-o", "x.svg", "--timeout", "nan"], "--timeout takes seconds"),
        (["call-graph", "main", "-o", "x.svg", "--link-template", "{file}"], "knows no {file}"),
        (["path", "main", "leaf", "--format", "graphml"], "is no format of path"),
    ],
)
def test_what_cannot_be_drawn_is_a_usage_error(root: Path, codemap: Any, words: list[str], told: str) -> None:
    """Before anything is read or written."""
    said = codemap(*words, tree=root)
    assert said.code == 2
    assert told in said.err


def test_links_follow_the_template(root: Path, tmp_path: Path, codemap: Any) -> None:
    """Vertices to their definitions, edges to their first site."""
    template = "https://example.org/{path}#L{line}"
    codemap("call-graph", "main", "-o", tmp_path / "x.svg", "--link-template", template, tree=root)
    links = [
        a.get("href") for a in ElementTree.parse(tmp_path / "x.svg").iter("{http://www.w3.org/2000/svg}a")
    ]
    assert "https://example.org/pkg/a.py#L4" in links


def test_the_same_bytes_whatever_the_hash_seed(root: Path, process: Any) -> None:
    """Two seeds, every command."""
    for words in (
        ["call-graph", "main", "--callees", "2"],
        ["import-graph", "pkg.a"],
        ["class-graph", "Base"],
    ):
        outputs = {
            process(*words, "--format", "svg", "--tree", root, env={**os.environ, "PYTHONHASHSEED": seed}).out
            for seed in ("0", "1")
        }
        assert len(outputs) == 1
        assert outputs.pop().startswith("<?xml")


def test_the_parent_never_loads_graphviz(root: Path, tmp_path: Path, codemap: Any) -> None:
    """A layout cannot be stopped within a process."""
    import sys

    assert codemap("call-graph", "main", "-o", tmp_path / "x.png", tree=root).code == 0
    assert "pygraphviz" not in sys.modules


@pytest.mark.network
@pytest.mark.slow
def test_the_picture_of_a_real_question(
    sglang: str, kept_cache: Path, tmp_path: Path, codemap: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two steps around a method of SGLang: at most 120 vertices, laid out in under 5 seconds."""
    monkeypatch.setenv("CODEMAP_CACHE_DIR", str(kept_cache))
    said = codemap(
        "call-graph", "EAGLEWorkerV2.forward_batch_generation", "--callers", "2", "--callees", "2",
        "-o", tmp_path / "out.svg", "--timeout", "5", tree=sglang,
    )  # fmt: skip
    assert said.code == 0
    text = (tmp_path / "out.svg").read_text()
    assert text.count('<g class="vertex') <= 120 + 5  # and those of the legend
    for name in ("Scheduler.run_batch", "TpModelWorker.forward_batch_generation", "EAGLEWorkerV2.verify"):
        assert name in text
