"""`show`: the interface card, as records, as lines, on a terminal."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest

import codemap

FILES = {
    "m.py": (
        "from dataclasses import dataclass\nfrom typing import Optional\n\n"
        "class Base:\n    def go(self, n: int) -> int:\n        return n\n\n"
        "@dataclass\nclass Job(Base):\n    name: str\n    next: Optional['Job'] = None\n\n"
        "    def go(self, n: int) -> int:\n        self.done = None\n        return n\n\n"
        "def make():\n    return Job('a', next=None)\n\n"
        "def tests(job: Job):\n    return job.next is not None\n\n"
        "def guarded(job: Job):\n    if job.next:\n        return job.next.name\n\n"
        "def careless(job: Job):\n    return job.next.name\n\n"
        "def later(job: Job):\n    n = job.next\n    if n is not None:\n        return n.name\n\n"
        "def passes(job: Job):\n    return job.next\n"
    ),
}


@pytest.fixture
def card(tree: Any, tmp_path: Path) -> Any:
    """The card of m.Job."""
    with codemap.open_map(tree(FILES), cache=tmp_path / "cache") as opened:
        [result] = opened.show("m.Job").results
    return result


def test_fields_with_type_default_and_users(card: Any) -> None:
    """As written, with who constructs, writes and reads each."""
    name, following, done = card["fields"]
    assert (name["name"], name["type"], name["default"], name["optional"]) == ("name", "str", "", False)
    assert (following["type"], following["default"], following["optional"]) == (
        "Optional['Job']",
        "None",
        True,
    )
    assert (done["name"], done["kind"]) == ("done", "instance attribute")
    assert [(row["line"], row["how"]) for row in name["constructed_by"]] == [(18, "constructor-positional")]
    assert [(row["line"], row["how"]) for row in following["constructed_by"]] == [(18, "constructor-keyword")]


def test_what_readers_do_about_none(card: Any) -> None:
    """They test, read behind a test (of the attribute or of the name that keeps it), use it, pass it on."""
    following = card["fields"][1]
    assert [(row["name"], row["none_check"]) for row in following["read_by"]] == [
        ("m.tests", "tests"), ("m.guarded", "tests"), ("m.guarded", "guarded"), ("m.careless", "unguarded"),
        ("m.later", "guarded"), ("m.passes", "passed on"),
    ]  # fmt: skip


def test_methods_bases_and_instances(card: Any) -> None:
    """Signature, what a method overrides, the order of look-up, who makes instances with which arguments."""
    [method] = card["methods"]
    assert (method["signature"], method["overrides"]) == ("def go(self, n: int) -> int", "m.Base.go")
    assert card["mro"][:2] == ["m.Job", "m.Base"]
    [made] = card["constructed"]
    assert (made["name"], made["positional"], made["keywords"]) == ("m.make", 1, ["next"])


def test_a_function_has_callers_callees_and_what_it_returns(tree: Any, tmp_path: Path) -> None:
    """By inference where nothing is declared."""
    files = {"m.py": "class A: pass\ndef f():\n    return A()\ndef g():\n    return f()\n"}
    with codemap.open_map(tree(files), cache=tmp_path / "cache") as opened:
        [card] = opened.show("m.f").results
    assert card["returns"] == ["m.A"]
    assert [row["caller"] for row in card["callers"]] == ["m.g"]
    assert [row["callee"] for row in card["callees"]] == ["m.A"]


def test_a_field_alone_has_its_users(tree: Any, tmp_path: Path) -> None:
    """`show CLASS.ATTR`."""
    with codemap.open_map(tree(FILES), cache=tmp_path / "cache") as opened:
        [card] = opened.show("m.Job.name").results
    assert card["kind"] == "attribute"
    assert [row["line"] for row in card["read_by"]] == [25, 28, 33]


def test_lines_begin_with_places(codemap: Any, tree: Any) -> None:
    """Every line of the piped text is `path:line:column: ...`."""
    said = codemap("show", "m.Job", tree=tree(FILES))
    assert said.code == 0
    lines = said.out.splitlines()
    assert lines[0].startswith("m.py:9:7: class m.Job")
    assert all(line.startswith("m.py:") for line in lines)
    assert "m.py:28:16: m.careless reads next, unguarded" in lines


@pytest.mark.parametrize("width", [80, 120])
def test_a_terminal_shows_it_within_its_width(tree: Any, tmp_path: Path, width: int) -> None:
    """Nothing is cut, nothing is wider."""
    from rich.console import Console

    from codemap.render import terminal

    with codemap.open_map(tree(FILES), cache=tmp_path / "cache") as opened:
        answer = opened.show("m.Job")
    console = Console(width=width, record=True, file=io.StringIO())
    terminal.print_answer(answer, console)
    text = console.export_text()
    assert all(len(line) <= width for line in text.splitlines())
    assert "1 without a test for None" in text
    assert "next: Optional['Job'] = None" in text
