"""`codemap verify` as its users run it, on a small tree."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

SCHEMA = json.loads((Path(__file__).parents[2] / "docs" / "answer.schema.json").read_text("utf-8"))
FILES = {
    "pkg/__init__.py": "from pkg.core import Worker\n",
    "pkg/core.py": (
        "from __future__ import annotations\n"
        "from dataclasses import dataclass\n"
        "from enum import Enum\n\n\n"
        "class Mode(Enum):\n    FAST = 1\n    SLOW = 2\n\n\n"
        "@dataclass\nclass Result:\n    tokens: int = 0\n    text: str = 'x'\n\n\n"
        "class Base:\n    def run(self) -> Result:\n        return Result(tokens=1)\n\n\n"
        "class Worker(Base):\n    def run(self, fast: bool = True) -> Result:\n"
        "        self.last = helper()\n        return Result(tokens=self.last)\n\n\n"
        "def helper() -> int:\n    return 3\n\n\ndef spare() -> None:\n    pass\n"
    ),
    "pkg/use.py": "from pkg.core import Worker, helper\n\n\ndef start():\n    Worker().run()\n    return helper()\n",
    "broken/bad.py": "def f(:\n",
}
CLAIMS = """\
claims:
  - {id: A1, kind: defined_in, subject: Worker, object: pkg/core.py}
  - {id: A2, kind: defined_in, subject: Worker, object: pkg/use.py}
  - {id: A3, kind: subclass, subject: Worker, object: Base, args: {direct: true}}
  - {id: A4, kind: enum_members, subject: Mode, object: [FAST, SLOW]}
  - {id: A5, kind: returns, subject: Worker.run, object: Result, args: {fields: [tokens], all_paths: true}}
  - {id: A6, kind: returns, subject: Worker.run, object: Result, args: {fields: [text]}}
  - {id: A7, kind: callers_are, subject: helper, object: [Worker.run, start], quantifier: only}
  - {id: A8, kind: callers_are, subject: helper, object: [start], quantifier: only}
  - {id: A9, kind: call_path, subject: start, object: [Worker.run, helper]}
  - {id: B1, kind: performance, subject: Worker, text: Worker is 30% faster}
"""
VERDICTS = {
    "A1": "verified", "A2": "refuted", "A3": "verified", "A4": "verified", "A5": "verified", "A6": "refuted",
    "A7": "verified", "A8": "refuted", "A9": "verified", "B1": "undecided",
}  # fmt: skip


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """The tree without its broken file, and the claims."""
    for name, text in FILES.items():
        if not name.startswith("broken"):
            path = tmp_path / "tree" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
    (tmp_path / "claims.yaml").write_text(CLAIMS, "utf-8")
    return tmp_path


Run = Callable[..., Any]


@pytest.fixture
def verify(codemap: Run, here: Path) -> Run:
    return lambda *words: codemap("verify", *map(str, words), "--tree", str(here / "tree"))


def results(text: str) -> dict[str, dict[str, Any]]:
    answer = json.loads(text)
    jsonschema.Draft202012Validator(SCHEMA).validate(answer)
    return {row["id"]: row for row in answer["results"]}


def test_verdicts_with_lines_of_the_tree(verify: Run, here: Path) -> None:
    """Every verdict but undecided has lines, and they stand in the tree as they are shown."""
    said = verify(here / "claims.yaml", "--json")
    rows = results(said.out)
    assert {name: row["verdict"] for name, row in rows.items()} == VERDICTS
    assert said.code == 1
    for row in rows.values():
        lines = [*row["evidence"], *row["counter_evidence"]]
        assert lines or row["verdict"] == "undecided"
        for line in lines:
            text = (here / "tree" / line["file"]).read_text("utf-8").splitlines()[line["line"] - 1]
            assert line["text"] == text.strip()
    assert rows["A2"]["suggestion"] == "pkg/core.py:22"
    assert json.loads(said.out)["target"] == [str(here / "claims.yaml")]


def test_exit_codes(verify: Run, here: Path) -> None:
    """Refuted beats undecided; --fail-on undecided is 2; never is 0."""
    file = here / "few.yaml"
    file.write_text("- {kind: path_exists, subject: pkg/core.py}\n", "utf-8")
    assert verify(file).code == 0
    assert verify(file, "--fail-on", "undecided").code == 0
    file.write_text("- {kind: intent, subject: x}\n", "utf-8")
    assert (verify(file).code, verify(file, "--fail-on", "undecided").code) == (0, 2)
    assert verify(here / "claims.yaml", "--fail-on", "undecided").code == 1
    assert verify(here / "claims.yaml", "--fail-on", "never").code == 0
    assert verify(here / "claims.yaml", "--fail-on", "often").code == 2
    assert verify(here / "absent.yaml").code == 2


def test_what_is_wrong_in_a_file_is_told_and_the_rest_is_checked(verify: Run, here: Path) -> None:
    """An unknown kind gets the nearest one, a missing field its name, each at its line."""
    file = here / "bad.yaml"
    file.write_text(
        "- {id: X, kind: defind_in, subject: Worker, object: a.py}\n"
        "- {id: Y, kind: subclass, subject: Worker}\n"
        "- {id: Z, kind: symbol_exists, subject: Worker}\n",
        "utf-8",
    )
    said = verify(file, "--json")
    assert said.code == 2
    answer = json.loads(said.out)
    assert [row["id"] for row in answer["results"]] == ["Z"]
    assert [(row["line"], row["message"]) for row in answer["problems"]] == [
        (1, "unknown kind defind_in; nearest: defined_in"),
        (2, "a claim of kind subclass needs object"),
    ]
    strict = json.loads(verify(file, "--json", "--strict").out)
    assert {row["id"]: row["verdict"] for row in strict["results"]} == {
        "X": "undecided", "Y": "undecided", "Z": "verified",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a: &x [1]\nclaims: *x\n", "anchors and aliases"),
        ("- !!python/object/apply:os.system [ls]\n", "tag"),
        ("{a: [\n", "no YAML"),
        ("- " * 60 + "x\n", "nested deeper"),
    ],
)
def test_yaml_runs_nothing_and_cannot_grow(verify: Run, here: Path, text: str, words: str) -> None:
    """Tags, aliases and depth are refused with a word at the line."""
    (here / "bomb.yaml").write_text(text, "utf-8")
    said = verify(here / "bomb.yaml", here / "claims.yaml", "--json")
    answer = json.loads(said.out)
    assert words in answer["problems"][0]["message"]
    assert len(answer["results"]) == len(VERDICTS)


def test_absence_is_not_claimed_where_a_file_does_not_parse(verify: Run, here: Path) -> None:
    """Nobody can say that nothing calls a function when a file cannot be read."""
    file = here / "never.yaml"
    file.write_text("- {id: N, kind: callers_are, subject: spare, object: []}\n", "utf-8")
    assert results(verify(file, "--json").out)["N"]["verdict"] == "verified"
    (here / "tree" / "pkg" / "bad.py").write_text(FILES["broken/bad.py"], "utf-8")
    row = results(verify(file, "--json").out)["N"]
    assert (row["verdict"], row["coverage"]["parse_errors"]) == ("undecided", 1)


def test_several_candidates_are_ambiguous_unless_they_agree(verify: Run, here: Path) -> None:
    """A symbol in two places."""
    (here / "tree" / "pkg" / "more.py").write_text("class Worker:\n    def run(self): ...\n", "utf-8")
    file = here / "two.yaml"
    file.write_text(
        "- {id: P, kind: defined_in, subject: Worker, object: pkg/core.py}\n"
        "- {id: Q, kind: has_member, subject: Worker, object: run}\n",
        "utf-8",
    )
    rows = results(verify(file, "--json").out)
    assert (rows["P"]["verdict"], rows["Q"]["verdict"]) == ("ambiguous", "verified")
    assert "pkg/more.py:1" in rows["P"]["reason"]


def test_a_report_is_lifted_by_its_lines(verify: Run, here: Path) -> None:
    """Statements become claims, fences and HTML do not, and the rest is listed."""
    file = here / "report.md"
    file.write_bytes(
        b"# Notes\r\n\r\n- `Worker` (pkg/core.py:22) extends `Base`.\r\n- `Worker` is defined in `pkg/use.py`.\r\n"
        b"- `helper` has 2 callers, and it feels fast.\r\n- It is 30% faster.\r\n\r\n```python\r\n`Nope` in x.py\r\n```\r\n"
        b"<div>\r\n`Gone` is defined in `gone.py`.\r\n</div>\r\n\r\n| Class | File |\r\n|---|---|\r\n"
        b"| `Result` | `pkg/core.py` |\r\n\r\n`pkg/core.py:9999` ends it.\r\n"
    )
    answer = json.loads(verify(file, "--json").out)
    said = [(row["source"]["line"], row["kind"], row["verdict"]) for row in answer["results"]]
    assert said == [
        (3, "defined_in", "verified"), (3, "line_shows", "verified"), (3, "subclass", "verified"),
        (4, "defined_in", "refuted"), (5, "count", "verified"), (17, "defined_in", "verified"),
        (19, "path_exists", "refuted"),
    ]  # fmt: skip
    assert 6 in [row["line"] for row in answer["not_understood"]]


def test_junit_sarif_and_annotations(verify: Run, here: Path) -> None:
    """One test a claim; the claim's line is the place of a result; annotations are escaped, the worst first."""
    said = verify(
        here / "claims.yaml",
        "--format",
        "github",
        "--also",
        f"junit:{here}/j.xml",
        "--also",
        f"sarif:{here}/s.sarif",
    )
    suite = ElementTree.parse(here / "j.xml").getroot()
    assert (suite.get("tests"), suite.get("failures")) == ("10", "3")
    run = json.loads((here / "s.sarif").read_text("utf-8"))["runs"][0]
    failed = [row for row in run["results"] if row["level"] == "error"]
    assert len(failed) == 3
    assert failed[0]["locations"][0]["physicalLocation"]["region"]["startLine"] == 3
    assert failed[0]["relatedLocations"][0]["physicalLocation"]["artifactLocation"]["uriBaseId"] == "TREE"
    assert all(
        run["tool"]["driver"]["rules"][row["ruleIndex"]]["id"] == row["ruleId"] for row in run["results"]
    )
    lines = said.out.splitlines()
    assert [line.partition(" ")[0] for line in lines] == ["::error"] * 3 + ["::warning"]
    assert "30%25 faster" in lines[-1]


def test_a_baseline_accepts_what_is_known(verify: Run, here: Path) -> None:
    """Only new findings fail."""
    (here / "known.json").write_text(verify(here / "claims.yaml", "--json").out, "utf-8")
    assert verify(here / "claims.yaml", "--baseline", here / "known.json").code == 0
    (here / "more.yaml").write_text("- {kind: subclass, subject: Base, object: Worker}\n", "utf-8")
    assert verify(here / "claims.yaml", here / "more.yaml", "--baseline", here / "known.json").code == 1


def test_a_pinned_tree_is_part_of_the_claim(verify: Run, here: Path) -> None:
    """A claim is checked against the tree that it names; a diff compares two."""
    other = here / "other" / "pkg"
    other.mkdir(parents=True)
    (other / "core.py").write_text("class Engine: ...\n", "utf-8")
    file = here / "trees.yaml"
    inner = "{kind: symbol_exists, subject: Mode}"
    file.write_text(
        f"tree: {here}/other\nclaims:\n- {{id: A, kind: symbol_exists, subject: Engine}}\n"
        f"- {{id: B, kind: symbol_exists, subject: Mode}}\n"
        f"- {{id: C, kind: symbol_exists, subject: Mode, tree: {here}/tree}}\n"
        f"- {{id: D, kind: diff, args: {{trees: [{here}/tree, {here}/other], claim: {inner}}}}}\n"
        f"- {{id: E, kind: symbol_exists, subject: Mode, tree: {here}/absent}}\n",
        "utf-8",
    )
    said = verify(file, "--json")
    rows = {name: row["verdict"] for name, row in results(said.out).items()}
    assert rows == {"A": "verified", "B": "refuted", "C": "verified", "D": "verified", "E": "undecided"}
