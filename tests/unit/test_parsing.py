"""From bytes to a tree: encodings, line counts, places, and what may never crash."""

from __future__ import annotations

import ast
import subprocess
import sys
import time
import warnings
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codemap.source.parsing import count_lines, parse

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        (b"", 0),
        (b"x", 1),
        (b"x\n", 1),
        (b"x\ny", 2),
        (b"\n\n", 2),
        (b"x\r\ny\r\n", 2),
        (b"x\ry\r", 2),
        (b"x\n\ry", 3),
        (b"a\x0cb\x1cc\x0bd\n", 1),
        ("a = '\u2028\u2029\x85'\n".encode(), 1),
        (b"\xef\xbb\xbf", 0),
        (b"\xef\xbb\xbfx", 1),
        (b'first = 1\r\nsecond = "\x0c"\r\nthird = "\xe2\x80\xa8"\r\n', 3),
        ("x\ny\n".encode("utf-16"), 2),
    ],
)
def test_count_lines(source: bytes, lines: int) -> None:
    """Lines end at \\n, \\r\\n and \\r and nowhere else; a last line without an end counts."""
    assert count_lines(source) == lines
    assert parse(source).lines == lines


def test_usual_file() -> None:
    """A good file gives what `ast.parse` gives."""
    source = Path(ast.__file__).read_bytes()
    parsed = parse(source)
    assert ast.dump(parsed.module, include_attributes=True) == ast.dump(
        ast.parse(source), include_attributes=True
    )
    assert parsed.errors == ()
    assert not parsed.recovered
    assert parsed.encoding == "utf-8"
    assert parsed.text == source.decode()


@pytest.mark.parametrize(
    ("source", "encoding", "text"),
    [
        ("x = 'ü'\n".encode(), "utf-8", "x = 'ü'\n"),
        (b"\xef\xbb\xbfx = 1\n", "utf-8-sig", "x = 1\n"),
        ("# coding: latin-1\nx = 'ü'\n".encode("latin-1"), "iso-8859-1", "# coding: latin-1\nx = 'ü'\n"),
        ("#!/bin/x\n# -*- coding: cp1252 -*-\nx = '€'\n".encode("cp1252"), "cp1252", None),
        ("# vim: set fileencoding=utf_8 :\nx = 'ü'\n".encode(), "utf-8", None),
        (b"x = 1\n# coding: nonsense\n", "utf-8", None),
    ],
)
def test_encodings(source: bytes, encoding: str, text: str | None) -> None:
    """BOM and coding cookie count as Python counts them."""
    parsed = parse(source)
    assert parsed.errors == ()
    assert parsed.encoding == encoding
    if text is not None:
        assert parsed.text == text


@pytest.mark.parametrize(
    ("source", "place", "words"),
    [
        (b'class Lost:\n    x = "\xff\xfe\x9d"\n', (2, 9), "0xff"),
        ("class Lost:\n    x = 'ü".encode() + b"\xe9'\n", (2, 10), "0xe9"),
        (b"# coding: nonsense\nclass Lost: pass\n", (1, 0), "nonsense"),
        (b"#\n# coding: rot13\nclass Lost: pass\n", (2, 0), "rot13"),
        (b"# coding: zlib\nclass Lost: pass\n", (1, 0), "zlib"),
        (b'# coding: ascii\nx = "\xc3\xa9"\nclass Lost: pass\n', (2, 5), "0xc3"),
        ("class Lost: pass\n".encode("utf-16"), (1, 0), "utf-16"),
        (b"\xef\xbb\xbf# coding: latin-1\nclass Lost: pass\n", (1, 0), "BOM"),
        (b"\xef\xbb\xbf# coding: utf8\nclass Lost: pass\n", (1, 0), "BOM"),
        (b'class Lost: pass\nx = "a\0b"\n', (2, 6), "null"),
    ],
)
def test_undecodable(source: bytes, place: tuple[int, int], words: str) -> None:
    """Bytes that Python refuses are an error at their place, and what the file defines is still found."""
    parsed = parse(source)
    assert [(error.line, error.column) for error in parsed.errors] == [place]
    assert words in parsed.errors[0].message
    assert parsed.recovered
    assert [node.name for node in ast.walk(parsed.module) if isinstance(node, ast.ClassDef)] == ["Lost"]


def test_columns_in_characters() -> None:
    """`Parsed.column` counts characters where nodes count bytes."""
    parsed = parse("é = 'é' + ünder\n".encode())
    name = next(node for node in ast.walk(parsed.module) if isinstance(node, ast.Name) and node.id == "ünder")
    assert name.col_offset == 12
    assert parsed.column(name.lineno, name.col_offset) == 10
    latin = parse("# coding: latin-1\nx = 'é' + y\n".encode("latin-1"))
    name = next(node for node in ast.walk(latin.module) if isinstance(node, ast.Name) and node.id == "y")
    assert latin.column(name.lineno, name.col_offset) == 10


def test_no_warnings() -> None:
    """What the file would make Python warn of is not said, and warnings as errors make no parse error."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        parsed = parse(b"x = '\\d' + f'\\d{y}'\nz = 1 is 1\nassert (1, '')\nlazy import a\n")
    assert parsed.errors == ()


def test_form_feeds_and_line_ends() -> None:
    """Form feeds, \\r\\n and \\r neither move nor break anything, also where newer syntax has to be rewritten."""
    for tail in (b"", b"lazy import z\r\n"):
        parsed = parse(b"\x0cclass A:\r\n    x = 1\r\n\x0c\r\ndef f(): pass\rdef g(): pass\r\n" + tail)
        assert parsed.errors == ()
        found = [
            (node.name, node.lineno)
            for node in parsed.module.body
            if isinstance(node, ast.ClassDef | ast.FunctionDef)
        ]
        assert found == [("A", 1), ("f", 4), ("g", 5)]


@given(st.binary(max_size=200))
@settings(max_examples=500, deadline=10_000)
def test_any_bytes(source: bytes) -> None:
    """No bytes make it raise or hang."""
    check(source)


QUOTES = ["'", '"', "'''", '"""', "f'", 't"', "f'''", "\\"]
MARKS = ["{", "}", "(", ")", "[", "]", ":", "=", "!", "*", "**", ",", ";", "@", ".", "#"]
BLANKS = ["\n", "\r", "\t", "    ", " ", "\x0c", "\0", "é"]
WORDS = [
    "def ",
    "class ",
    "type ",
    "lazy ",
    "import ",
    "except ",
    "if ",
    "else",
    "for ",
    "x",
    "1",
    "match ",
    "case ",
]
ALPHABET = st.sampled_from([*QUOTES, *MARKS, *BLANKS, *WORDS])


@given(st.lists(ALPHABET, max_size=60).map("".join))
@settings(max_examples=1000, deadline=10_000)
def test_any_tokens(source: str) -> None:
    """No sequence of tokens makes it raise or hang."""
    check(source.encode())


def check(source: bytes) -> None:
    """Parse; errors have places and recovery itself has not failed."""
    parsed = parse(source)
    for error in parsed.errors:
        assert 1 <= error.line <= parsed.lines + 1
        assert error.column >= 0
        assert "recovery failed" not in error.message
    assert parsed.recovered == bool(parsed.errors)
    assert isinstance(parsed.text, str)
    assert parsed.encoding
    for node in ast.walk(parsed.module):
        line = getattr(node, "lineno", 1)
        assert 1 <= line <= max(parsed.lines, 1)


def test_nesting_does_not_end_the_interpreter() -> None:
    """Nesting that could overflow the stack is answered in a child process that ends well."""
    program = (
        "from codemap.source.parsing import parse\n"
        "for text in ['(' * 5000, '[' * 100000 + ']' * 100000, '-' * 200000 + '1', 'a' + '+a' * 200000, 'x' + '.y' * 200000,\n"
        "             'lambda: ' * 100000 + '1', 'f\"{' * 20000, 'not ' * 100000 + '1', 'x' + '()' * 100000, '{' * 50000,\n"
        "             'a if b else ' * 50000 + 'c', 'f(' * 90 + 'x' + ')' * 90, '\"a\" ' * 200000]:\n"
        "    parsed = parse(text.encode() + b'\\ndef after(): pass\\n')\n"
        "    print(parsed.module.body[-1].name if parsed.module.body else parsed.errors)\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, timeout=300, check=False
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.split() == ["after"] * 13


def test_start_is_cheap() -> None:
    """Importing the parser brings neither the rewriting nor the recovery."""
    program = "import sys, codemap.source.parsing; print([m for m in sys.modules if m.startswith('codemap.source.')])"
    run = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, timeout=60, check=True
    )
    assert ast.literal_eval(run.stdout) == ["codemap.source.decoding", "codemap.source.parsing"]


def test_large_good_file() -> None:
    """A file of a hundred thousand lines is read in seconds."""
    source = b"".join(b"x%d = %d\n" % (i, i) for i in range(100_000))
    started = time.monotonic()
    parsed = parse(source)
    assert (parsed.lines, len(parsed.module.body)) == (100_000, 100_000)
    assert time.monotonic() - started < 30
