"""Answers as lines: place first, one thing a line."""

from __future__ import annotations

import re
from typing import Any

import pytest

from codemap.model.answers import AMBIGUOUS, FOUND, NOT_FOUND, Answer, TreeSummary, UnresolvedSite
from codemap.render.selection import select
from codemap.render.text import to_lines
from codemap.render.wording import counted, not_found, plain, remarks, size

TREE = TreeSummary("shop", "1.0", "/shop", "0" * 64, 3, 0)


def definition(**fields: Any) -> dict[str, Any]:
    return {
        "file": "a.py", "line": 1, "column": 7, "confidence": "certain", "how": "definition", "name": "a.A",
        "kind": "class", "end_line": 1, "signature": "class A", "decorators": [], "bases": [], "flags": [],
        "shadowed_by": None, "exports": [], **fields,
    }  # fmt: skip


def test_a_result_that_is_not_certain_says_why() -> None:
    """Confidence and rule stand behind what they are about."""
    answer = Answer("find", "A", TREE, FOUND, (definition(confidence="likely", how="re-export"),))
    assert list(to_lines(answer)) == ["a.py:1:7: class a.A (likely: re-export)"]


def test_what_hides_a_definition_is_told() -> None:
    """A shadowed definition is not what the name means in the end."""
    by = {"name": "a.A", "kind": "class", "file": "a.py", "line": 9}
    answer = Answer("find", "A", TREE, FOUND, (definition(shadowed_by=by, flags=["enum"]),))
    assert list(to_lines(answer)) == ["a.py:1:7: class a.A [enum, shadowed by the class at a.py:9]"]


def test_what_could_not_be_decided_follows() -> None:
    """An unresolved place is a line like any other, with its reason."""
    answer = Answer("find", "A", TREE, NOT_FOUND, (), (UnresolvedSite("A", "b.py", 3, "star import of os"),))
    assert list(to_lines(answer)) == ["b.py:3:1: unresolved A: star import of os"]
    assert remarks(answer) == ["1 place could not be decided"]


def test_every_line_of_results_begins_with_its_place(codemap: Any, tree: Any) -> None:
    """Any editor can follow any line."""
    root = tree(
        {
            "p/__init__.py": "from .a import A\n",
            "p/a.py": "import os\nfrom p import b\nclass A: ...\n",
            "p/b.py": "import p.a\n",
        }
    )
    for words in (["find", "A"], ["imports", "p.a"], ["cycles"]):
        lines = codemap(*words, tree=root).out.splitlines()
        assert lines
        assert all(re.match(r"[^:]+:[1-9]\d*:[1-9]\d*: \S", line) for line in lines)


@pytest.mark.parametrize(
    ("near", "hint"),
    [
        ((), ""),
        (("A",), "did you mean A?"),
        (("A", "B"), "did you mean A or B?"),
        (("A", "B", "C"), "did you mean A, B or C?"),
    ],
)
def test_suggestions_in_words(near: tuple[str, ...], hint: str) -> None:
    """One question, whatever their number."""
    answer = Answer("find-class", "X", TREE, NOT_FOUND, suggestions=near)
    assert not_found(answer) == ("no class named X in shop 1.0", hint)


def test_selection_keeps_what_is_sure_enough_and_counts_the_rest() -> None:
    """Confidence first, then the limit."""
    results = tuple(
        definition(line=i, confidence=c) for i, c in enumerate(["certain", "possible", "likely", "likely"], 1)
    )
    answer = Answer("find", "A", TREE, AMBIGUOUS, results)
    assert select(answer) is answer
    chosen = select(answer, "likely", 2)
    assert [result["line"] for result in chosen.results] == [1, 3]
    assert chosen.extra["left_out"] == {"below_confidence": 1, "over_limit": 1}
    assert select(answer, "possible", 4) is answer


def test_numbers_in_words() -> None:
    """Counts and sizes."""
    assert [counted(0, "file"), counted(1, "file"), counted(1404, "file")] == [
        "0 files",
        "1 file",
        "1404 files",
    ]
    assert [size(0), size(1), size(999), size(1500), size(19_750_000)] == [
        "0 bytes",
        "1 byte",
        "999 bytes",
        "1.5 kB",
        "19.8 MB",
    ]


def test_plain_text_obeys_nobody() -> None:
    """Control characters, line separators and direction overrides become escapes; letters stay."""
    assert plain("a\x1b[0m\n\u202eb\u2028ü\t") == "a\\x1b[0m\\x0a\\x202eb\\x2028ü\\x09"
