"""The short way for well-formed questions and Typer's way are the same command line."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from codemap.cli.boundary import guarded
from codemap.cli.directly import PLAIN, asked, read
from codemap.cli.lazily import command_of
from codemap.cli.options import SHARED

FILES: dict[str, str | bytes] = {
    "pkg/__init__.py": "from .core import Core\n",
    "pkg/core.py": "class Core:\n    x: int = 1\n    def run(self): return self.x\nclass Sub(Core):\n    def run(self): return Core().run()\n",
    "broken.py": "class Half(:\n",
}
QUESTIONS = [
    ["find-class", "Core"],
    ["find-class", "Core", "--in", "core.py", "--in", "gone.py", "--json"],
    ["find-class", "Cor"],
    ["find-class", "Cor", "-q"],
    ["find", "run", "--kind", "class,method", "--limit", "1"],
    ["find", "run", "--kind", "metod"],
    ["find", "x", "--kind", "attribute", "--kind", "class", "--color", "always"],
    ["imports", "pkg"],
    ["imports", "nowhere", "--format", "json"],
    ["refs", "Core"],
    ["consumers", "Core.x"],
    ["producers", "Core.x"],
    ["callers", "Core.run"],
    ["callees", "Sub.run"],
    ["subclasses", "Core"],
    ["overrides", "Core.run"],
    ["show", "Core"],
    ["find", "Core", "--min-confidence", "certain", "--jobs", "1", "--exclude", "broken.py"],
    ["find", "Core", "--min-confidence", "sure"],
    ["find", "Core", "--jobs", "0"],
    ["find", "Core", "--root", "nowhere"],
    ["find", "Core", "--debug"],
]


def typers_way(words: list[str]) -> int:
    from codemap.cli.app import done

    return guarded(lambda: done(words), words)


@pytest.mark.parametrize("words", QUESTIONS, ids=" ".join)
def test_both_ways_print_the_same(words: list[str], tree: Any, capfd: pytest.CaptureFixture[str]) -> None:
    """Standard output, standard error, exit code."""
    line = [*words, "--tree", str(tree(FILES))]
    assert read(line) is not None, "this is to be a well-formed question"
    codes = []
    said = []
    for way in (lambda: guarded(lambda: asked(line) or 0, line), lambda: typers_way(line)):
        codes.append(way())
        captured = capfd.readouterr()
        said.append((captured.out, re.sub(r"answered in [0-9.]+ s", "answered", captured.err)))
    assert said[0] == said[1]
    assert codes[0] == codes[1]


@pytest.mark.parametrize("name", PLAIN)
def test_the_table_is_what_typer_knows(name: str) -> None:
    """The same arguments in the same order, the same options with the same spellings, each taking the same."""
    command = command_of(name)
    assert command is not None
    arguments = [each.name for each in command.params if each.param_type_name == "argument"]
    options = {each.name: each for each in command.params if each.param_type_name == "option"}
    assert arguments == list(PLAIN[name].positional)
    table = {option.name: option for option in (*SHARED, *PLAIN[name].own)}
    assert options.keys() == table.keys()
    for key, option in options.items():
        known: Any = option
        assert set(known.opts) == set(table[key].spellings)
        kind = "list" if known.multiple else "count" if known.count else "flag" if known.is_flag else "value"
        assert kind == table[key].kind
    assert {option.name for option in SHARED} <= options.keys()


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["--help"],
        ["find-clas", "X"],
        ["find-class"],
        ["find-class", "A", "B"],
        ["find-class", "A", "--help"],
        ["find-class", "A", "-h"],
        ["find-class", "A", "--in"],
        ["find-class", "A", "--in", "--json"],
        ["find-class", "A", "--tree=x"],
        ["find-class", "A", "--jsn"],
        ["find-class", "A", "-qv"],
        ["find-class", "--", "A"],
        ["find-class", "-"],
        ["--tree", "x", "find-class", "A"],
        ["status"],
        ["index"],
        ["cache", "dir"],
    ],
    ids=" ".join,
)
def test_anything_else_is_typers(words: list[str]) -> None:
    """One word that is not exactly understood, and Typer reads the line."""
    assert read(words) is None
    assert asked(words) is None


def test_typer_reads_what_it_is_given(codemap: Any, tree: Any) -> None:
    """--tree=X, options in one word and -- work, only by the longer way."""
    root: Path = tree(FILES)
    plain = codemap("find-class", "Core", "-q", tree=root)
    assert codemap("find-class", "-q", f"--tree={root}", "--", "Core") == plain
    assert plain.code == 0
