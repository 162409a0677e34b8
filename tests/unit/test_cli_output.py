"""Lines on a pipe, tables on a terminal, colour where it is wanted, and nothing that a terminal would obey."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pty = pytest.importorskip("pty")

FILES: dict[str, str | bytes] = {
    "pkg/__init__.py": "from .core import Core\n",
    "pkg/core.py": "class Core: ...\n",
}


def on_a_terminal(words: list[str], width: int = 80, **variables: str) -> str:
    """What a person sees: the command line with a pseudo-terminal for all three streams."""
    import fcntl
    import struct
    import termios

    environment = {
        name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES", "NO_COLOR")
    }
    environment.update({"TERM": "xterm-256color", **variables})
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, width, 0, 0))
    command = [sys.executable, "-m", "codemap", *words]
    process = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment)
    os.close(theirs)
    seen = b""
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:
            break
        if not part:
            break
        seen += part
    os.close(ours)
    process.wait(60)
    return seen.decode("utf-8").replace("\r\n", "\n")


def without_colour(text: str) -> str:
    return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]|\x1b\]8;[^\x1b]*\x1b\\", "", text)


def test_a_terminal_gets_a_card_and_colour(tree: Any) -> None:
    """The same words as on a pipe, in a shape for people."""
    seen = on_a_terminal(
        ["find-class", "Core", "--in", "core.py", "--in", "gone.py", "--tree", str(tree(FILES))]
    )
    assert "\x1b[" in seen
    lines = [line.rstrip() for line in without_colour(seen).splitlines()]
    assert lines == [
        "class pkg.core.Core",
        "  pkg/core.py:1  certain",
        "  class Core",
        "",
        "Re-exported at run time by 1 module",
        "  pkg/__init__.py:1",
        "",
        "The files you named",
        "  ✓ pkg/core.py:1",
        "      defines it",
        "  ✗ gone.py",
        "      no such file in the tree; nearest:",
        "      pkg/core.py",
    ]


@pytest.mark.parametrize("width", [40, 80, 120])
def test_nothing_is_cut_at_any_width(tree: Any, width: int) -> None:
    """Long names fold; no line is wider than the terminal."""
    package = "/".join(["a_rather_long_package_name"] * 4)
    root = tree({f"{package}/module.py": "class " + "Long" * 20 + ": ...\nimport os.path\n"})
    for words in (["find-class", "Long" * 20], ["imports", "module.py"], ["status"], ["cycles"]):
        lines = without_colour(on_a_terminal([*words, "--tree", str(root)], width)).splitlines()
        assert max(map(len, lines)) <= width
        assert "…" not in "".join(lines)


@pytest.mark.parametrize("variables", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_no_colour_where_it_is_not_wanted(tree: Any, variables: dict[str, str]) -> None:
    """NO_COLOR works, and a dumb terminal gets plain lines."""
    seen = on_a_terminal(["find", "Core", "--tree", str(tree(FILES))], **variables)
    assert re.search(r"\x1b\[[0-9;]*3[0-9]", seen) is None
    assert "pkg/core.py:1" in without_colour(seen)


def test_color_never_on_a_terminal(tree: Any) -> None:
    """The flag is enough."""
    seen = on_a_terminal(["find", "Core", "--color", "never", "--tree", str(tree(FILES))])
    assert re.search(r"\x1b\[[0-9;]*m", seen) is None


def test_colour_on_a_pipe_only_when_asked_for(
    codemap: Any, tree: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """--color always and FORCE_COLOR paint the place as grep does; the flag outranks NO_COLOR, NO_COLOR the variable."""
    root = tree(FILES)
    painted = "\x1b[35mpkg/core.py:1:7\x1b[0m: class pkg.core.Core"
    assert codemap("find", "Core", "--color", "always", tree=root).out.startswith(painted)
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b" not in codemap("find", "Core", tree=root).out
    monkeypatch.delenv("NO_COLOR")
    assert codemap("find", "Core", tree=root).out.startswith(painted)
    assert "\x1b" not in codemap("find", "Core", "--color", "never", tree=root).out
    assert "\x1b" not in codemap("find", "Core", "--color", "always", "--json", tree=root).out


def test_progress_is_for_terminals_and_goes_away(tree: Any) -> None:
    """A bar while a large tree is indexed; with --quiet none; nothing of it is left on the screen."""
    body = "".join(f"def f{i}(a, b):\n    return a.x{i}(b)\n" for i in range(1500))
    root = str(tree({f"m{i}.py": body + f"# {i}\n" for i in range(20)}))
    seen = on_a_terminal(["index", "--tree", root])
    assert "Indexing" in seen
    assert without_colour(seen).split("\r")[-1].strip().splitlines()[-1] == "tree  20 files indexed"
    assert "Indexing" not in on_a_terminal(
        ["index", "--quiet", "--tree", root], CODEMAP_CACHE_DIR=root + ".cache"
    )


@pytest.mark.parametrize("terminal", [False, True])
def test_control_characters_of_the_tree_reach_no_terminal(codemap: Any, tree: Any, terminal: bool) -> None:
    """Neither a file's name nor its text can paint, move the cursor or begin a line of its own; nor is it markup."""
    root = tree({"pkg/[red]a\x1b[31m\nb.py": "", "[red]/c.py": "def f(x='\x1b[31m[red]'): ...\n"})

    def seen(*words: str) -> str:
        if terminal:
            return without_colour(on_a_terminal([*words, "--color", "never", "--tree", str(root)]))
        return str(codemap(*words, tree=root).out)

    status = seen("status")
    assert "\x1b" not in status
    assert any(line.strip().startswith("pkg/[red]a\\x1b[31m\\nb.py") for line in status.splitlines())
    found = seen("find", "f", "--kind", "function")
    assert "\x1b" not in found
    assert "[red]/c.py:1" in found
    if terminal:
        assert "def f(x='\\x1b[31m[red]')" in found


def test_names_that_are_not_text_are_escaped_the_same_everywhere(codemap: Any, tree: Any) -> None:
    """A file whose name is not UTF-8 is left out and named, in JSON as in lines."""
    root: Path = tree(FILES)
    os.rename(os.fsencode(root / "pkg" / "core.py"), os.fsencode(root / "pkg") + b"/c\xff.py")
    [skipped] = codemap("status", "--json", tree=root).answer["skipped"]
    assert "\\udcff" in skipped["file"]
    assert f"{skipped['file']}:1:1: skipped: " in codemap("status", tree=root).out


def test_an_argument_that_is_not_text_can_be_asked_about(tree: Any) -> None:
    """Whatever the shell hands over is answered, not a fault."""
    command = [
        sys.executable,
        "-m",
        "codemap",
        "find-class",
        b"A\xff",
        "--in",
        b"\xfe.py",
        "--tree",
        str(tree(FILES)),
    ]
    for more in ([], ["--json"]):
        done = subprocess.run([*command, *more], capture_output=True, check=False)
        assert done.returncode == 1
        assert b"Traceback" not in done.stderr


def test_an_encoding_that_lacks_a_letter_escapes_it(tree: Any) -> None:
    """A terminal that knows only ASCII gets every line."""
    root = tree({"a.py": "class Größe: ...\n"})
    command = [sys.executable, "-m", "codemap", "find", "Größe", "--tree", str(root)]
    done = subprocess.run(
        command, capture_output=True, check=True, env={**os.environ, "PYTHONIOENCODING": "ascii"}
    )
    assert done.stdout == b"a.py:1:7: class a.Gr\\xf6\\xdfe\n"
