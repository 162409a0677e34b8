"""The annotated trees of tests/cases/names, asked name by name (their README explains the comments)."""

from __future__ import annotations

import contextlib
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from codemap.index.build import open_index
from codemap.queries.matching import Match
from codemap.queries.places import match_place
from codemap.queries.reexports import exports_of_definition
from codemap.resolve.program import Program
from codemap.source.trees import open_tree

CASES = Path(__file__).parents[1] / "cases" / "names"
FEATURES = sorted(path.name for path in CASES.iterdir() if path.is_dir())
COMMENT = re.compile(r"# (resolves|unknown|exports): (.*)")


class Expectation(NamedTuple):
    file: str
    line: int
    column: int
    kind: str
    text: str


def tokens_of(text: str) -> Iterator[tokenize.TokenInfo]:
    """The tokens of a program, as far as it is one."""
    with contextlib.suppress(tokenize.TokenError):
        yield from tokenize.generate_tokens(io.StringIO(text).readline)


def expectations(root: Path) -> Iterator[Expectation]:
    """The comments of a tree, each with the last name in front of it."""
    for path in sorted([*root.rglob("*.py"), *root.rglob("*.pyi")]):
        names: dict[int, tuple[str, int]] = {}
        for token in tokens_of(path.read_text(encoding="utf-8")):
            if token.type == tokenize.NAME:
                names[token.start[0]] = (token.string, token.start[1] + 1)
            comment = COMMENT.match(token.string) if token.type == tokenize.COMMENT else None
            if comment is None:
                continue
            line = token.start[0]
            column = names[line][1]
            if comment[1] == "exports":
                column = re.search(r"(?:class|def) (\w)", token.line).start(1) + 1  # type: ignore[union-attr]
            yield Expectation(path.relative_to(root).as_posix(), line, column, comment[1], comment[2])


def programs(root: Path, cache: Path) -> Program:
    cache.mkdir(exist_ok=True)
    return Program(open_index(open_tree(str(root), cache=cache), cache=cache))


def said(matches: tuple[Match, ...]) -> list[str]:
    """Matches as the comments write them."""
    return [
        match.definition.name + ("" if match.confidence == "certain" else f" {match.confidence}")
        for match in matches
    ]


def exported(program: Program, match: Match) -> list[str]:
    """Exports as the comments write them."""
    last = match.definition.name.rpartition(".")[2]
    texts = []
    for row in exports_of_definition(program, match.definition):
        name = "" if row["name"] == last else f" as {row['name']}"
        kind = "" if row["import_kind"] == "runtime" else f" {row['import_kind']}"
        texts.append(f"{row['module']}{name}{kind}")
    return texts


@pytest.mark.parametrize("feature", FEATURES)
def test_names_denote_what_the_comments_say(feature: str, tmp_path: Path) -> None:
    """Every comment of the feature's tree holds, in whatever order the questions are asked."""
    root = CASES / feature
    rows = list(expectations(root))
    assert rows, "a feature without an expectation tests nothing"
    wrong: list[str] = []
    for order in (rows, rows[::-1]):
        program = programs(root, tmp_path / "cache")
        for row in order:
            found = match_place(program, row.file, row.line, row.column)
            if row.kind == "resolves":
                got = said(found.matches)
                want = [text.strip() for text in row.text.split(",")]
            elif row.kind == "exports":
                got = sorted(exported(program, found.matches[0]))
                want = sorted(text.strip().replace(" runtime", "") for text in row.text.split(","))
            else:
                texts = [f"{reason.name}: {reason.text}" for reason in found.reasons]
                fits = not found.matches and any(row.text in text for text in texts)
                got, want = ([], []) if fits else (said(found.matches) + texts, [f"unknown: {row.text}"])
            if got != want:
                wrong.append(f"{row.file}:{row.line}:{row.column} wants {want}, got {got}")
    assert not wrong, "\n".join(dict.fromkeys(wrong))
