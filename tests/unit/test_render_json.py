"""The JSON of every command is what docs/answer.schema.json says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from codemap.cli.lazily import COMMANDS

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = json.loads((ROOT / "docs" / "answer.schema.json").read_text("utf-8"))

FILES: dict[str, str | bytes] = {
    "pkg/__init__.py": "from .a import A as B\nfrom .a import *\n",
    "pkg/a.py": (
        "from __future__ import annotations\nimport typing\nif typing.TYPE_CHECKING:\n    from pkg import c\n"
        "class A:\n    x: int = 1\n    @property\n    def p(self): return 1\n"
        "class A:\n    x = 2\n    def p(self): ...\nclass B(A):\n    def p(self): self.x = 3\nLIMIT = 3\n"
    ),
    "pkg/c.py": "from pkg import a\ntry:\n    import fast\nexcept ImportError:\n    fast = None\ndef f():\n    import json\n",
    "broken.py": "class Half:\n    def whole(self): ...\n    def (\n",
    "pkg/compiled.cpython-311-x86_64-linux-gnu.so": b"\x7fELF",
}
QUESTIONS = [
    ["find-class", "A"],
    ["find-class", "pkg.B", "--in", "c.py", "--in", "nowhere.py", "--in", "pkg/a.py", "--in", "broken.py"],
    ["find-class", "Nobody"],
    ["find", "A"],
    ["find", "x"],
    ["find", "LIMIT"],
    ["find", "pkg.a"],
    ["find", "f"],
    ["find", "a.py:5"],
    ["find", "json"],
    ["find", "A", "--limit", "1"],
    ["refs", "A"],
    ["consumers", "A.x"],
    ["producers", "A.x"],
    ["subclasses", "A"],
    ["overrides", "A.p"],
    ["callers", "f"],
    ["callees", "f"],
    ["path", "pkg.c", "f"],
    ["call-graph", "--all"],
    ["call-graph", "f"],
    ["call-graph", "nobody"],
    ["import-graph", "pkg.c"],
    ["import-graph", "nowhere"],
    ["class-graph", "A"],
    ["class-graph", "Nobody"],
    ["show", "A"],
    ["imports", "pkg.c"],
    ["imports", "pkg"],
    ["imports", "nowhere"],
    ["cycles"],
    ["status"],
    ["index"],
]


def test_the_schema_is_one() -> None:
    """The published file is valid JSON Schema."""
    Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("words", [words for words in QUESTIONS if words[0] in COMMANDS], ids=" ".join)
def test_answers_fit_the_schema(codemap: Any, tree: Any, words: list[str]) -> None:
    """Every field that is promised is there and of its type."""
    said = codemap(*words, "--json", tree=tree(FILES))
    assert said.code in (0, 1)
    problems = [
        f"{list(e.absolute_path)}: {e.message}" for e in Draft202012Validator(SCHEMA).iter_errors(said.answer)
    ]
    assert problems == []
    assert said.answer["command"] == words[0]
    assert said.out.isascii()


def test_the_schema_refuses_what_is_no_answer(codemap: Any, tree: Any) -> None:
    """A schema that accepts anything would prove nothing."""
    answer = codemap("find-class", "pkg.B", "--in", "c.py", "--json", tree=tree(FILES)).answer
    validator = Draft202012Validator(SCHEMA)
    assert validator.is_valid(answer)
    assert not validator.is_valid({**answer, "status": "perhaps"})
    assert not validator.is_valid({**answer, "results": [{**answer["results"][0], "confidence": 0.9}]})
    assert not validator.is_valid({key: value for key, value in answer.items() if key != "expected_in"})
    assert not validator.is_valid(
        {**answer, "expected_in": [{"file": "x", "status": "gone", "line": 1, "nearest": []}]}
    )


def test_every_command_that_answers_is_in_the_schema() -> None:
    """A new command needs its fields written down, and a question here."""
    assert set(COMMANDS) - {"cache"} <= set(SCHEMA["properties"]["command"]["enum"])
    # claims come from files: tests/functional/test_verify.py holds their answers against the schema
    assert set(COMMANDS) - {"cache", "verify"} <= {words[0] for words in QUESTIONS}
