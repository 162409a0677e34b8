"""The boundary: errors become one line, a hint and an exit code; streams may go away."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import codemap as library
from codemap.cli.lazily import COMMANDS


def test_help_lists_every_command_by_panel_and_the_exit_codes(codemap: Any) -> None:
    """Lazily loaded commands are all there, with their one-line help."""
    said = codemap("--help")
    assert said.code == 0
    for word in (*COMMANDS, "Ask", "Maintain", "Exit codes"):
        assert word in said.out
    assert codemap("-h").out == said.out


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(codemap: Any, command: str) -> None:
    """-h and --help, with the usage and the shared options."""
    said = codemap(command, "--help")
    assert said.code == 0
    assert f"codemap {command}" in said.out
    assert codemap(command, "-h").out == said.out
    if command != "cache":
        for option in ("--tree", "--root", "--python", "--exclude", "--jobs", "--format", "--json", "--min-confidence",
                       "--limit", "--color", "--quiet", "--verbose"):  # fmt: skip
            assert option in said.out


def test_every_module_of_commands_is_a_command_of_the_group() -> None:
    """A command that is written and not listed would be a command that nobody has."""
    from codemap.cli import commands

    folder = Path(commands.__file__).parent
    written = {path.stem.replace("_", "-") for path in folder.glob("*.py")} - {"--init--"}
    assert written == set(COMMANDS)


def test_version(codemap: Any) -> None:
    """The version of the package."""
    assert codemap("--version") == (0, f"codemap {library.__version__}\n", "")


def test_no_command_shows_help_and_exits_2(codemap: Any) -> None:
    """Nothing was asked, so nothing was answered."""
    said = codemap()
    assert said.code == 2
    assert "Usage: codemap" in said.out


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["find-clas", "X"], "find-class"),
        (["find-class", "X", "--tre", "y"], "--tree"),
        (["find-class"], "NAME"),
        (["find-class", "X", "--jobs", "0"], "--jobs"),
        (["find-class", "X", "--jobs", "many"], "--jobs"),
        (["find-class", "X", "--format", "xml"], "--format"),
        (["find-class", "X", "--min-confidence", "sure"], "--min-confidence"),
        (["--tree", ".", "find-class", "X"], "options stand behind the command"),
    ],
)
def test_usage_errors_are_one_line_with_a_way_out_and_exit_2(
    codemap: Any, words: list[str], says: str
) -> None:
    """No box, no traceback; what is nearest where something is misspelt."""
    said = codemap(*words)
    assert (said.code, said.out) == (2, "")
    assert said.err.startswith("codemap: ")
    assert says in said.err
    assert [line[:8] for line in said.err.splitlines()] == ["codemap:", "  hint: "]


def test_a_tree_that_is_not_there_is_one_line_and_exit_2(codemap: Any, tmp_path: Path) -> None:
    """With the nearest folder."""
    (tmp_path / "sources").mkdir()
    said = codemap("find-class", "X", tree=tmp_path / "source")
    assert (said.code, said.out) == (2, "")
    assert said.err.splitlines()[1] == f"  hint: did you mean {tmp_path / 'sources'}?"


def test_an_empty_tree_cannot_be_asked(codemap: Any, tmp_path: Path) -> None:
    """There is nothing to look at: exit 2, not "not found"."""
    assert codemap("find-class", "X", tree=tmp_path).code == 2


def test_a_wrong_setting_is_one_line_and_exit_2(codemap: Any, tree: Any) -> None:
    """Naming the file and the likely key."""
    root = tree({"a.py": "", "pyproject.toml": "[tool.codemap]\ntrees = 'x'\n"})
    said = codemap("find", "x", folder=root)
    assert said.code == 2
    assert str(root / "pyproject.toml") in said.err
    assert "did you mean tree?" in said.err


def test_anything_unforeseen_is_exit_3_and_asks_for_a_report(
    codemap: Any, tree: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One line without a traceback; with --debug or -v the traceback too."""

    def fail(*_: object) -> None:
        raise ZeroDivisionError("division by\nzero")

    monkeypatch.setattr(library.Map, "cycles", fail)
    root = tree({"a.py": ""})
    said = codemap("cycles", tree=root)
    assert (said.code, said.out) == (3, "")
    assert said.err == (
        "codemap: ZeroDivisionError: division by\n"
        "  hint: this is a fault of codemap, please report it, with what --debug says\n"
    )
    for flag in ("--debug", "-v", "--verbose", "-qv"):
        assert "Traceback (most recent call last)" in codemap("cycles", flag, tree=root).err


def test_an_interrupt_is_130_without_a_traceback(
    codemap: Any, tree: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a shell says of SIGINT."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(library.Map, "cycles", interrupt)
    assert codemap("cycles", tree=tree({"a.py": ""})) == (130, "", "")


@pytest.mark.slow
def test_ctrl_c_during_indexing_ends_quietly(tree: Any) -> None:
    """The real signal, while workers run: 130, no traceback from anyone, nobody left behind."""
    body = "".join(f"def f{i}(a, b):\n    return [a.x{i}(b) for c in b if c]\n" for i in range(6000))
    root = tree({f"m{i}.py": body + f"# {i}\n" for i in range(40)})
    process = subprocess.Popen(
        [sys.executable, "-m", "codemap", "index", "--tree", str(root), "--jobs", "2"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    time.sleep(1.5)
    assert process.poll() is None, "it was faster than the signal: make the tree larger"
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out) == (130, "")
    assert "Traceback" not in err
    for _ in range(100):
        if not alive(process.pid):
            break
        time.sleep(0.1)
    assert not alive(process.pid)


def alive(group: int) -> bool:
    """Whether a process group has a member."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.fixture
def wide(tree: Any) -> Path:
    """A tree whose answer does not fit into a pipe."""
    files = {f"pkg/module_with_a_long_name_{i:04}.py": "from pkg.core import Core\n" for i in range(3000)}
    root: Path = tree({**files, "pkg/core.py": "class Core: ...\n"})
    return root


def test_a_reader_that_goes_away_is_no_error(wide: Path) -> None:
    """`codemap ... | head -1` prints a line and nothing about pipes."""
    script = f'"{sys.executable}" -m codemap find-class Core --tree "{wide}" | head -n 1; echo "${{PIPESTATUS[0]}}"'
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, timeout=120, check=True)
    assert done.stdout.splitlines() == ["pkg/core.py:1:7: class pkg.core.Core", "0"]
    assert done.stderr == ""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
@pytest.mark.parametrize("words", [["find", "A"], ["find", "A", "--json"], ["cache", "dir"], ["--version"]])
def test_a_full_disk_is_a_word_and_exit_2(process: Any, tree: Any, words: list[str]) -> None:
    """Output that cannot be written is not an answer."""
    root = tree({"a.py": "class A: ...\n"})
    with open("/dev/full", "w") as full:
        command = [sys.executable, "-m", "codemap", *words]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, cwd=root, check=False)
    assert done.returncode == 2
    assert done.stderr.splitlines()[0].startswith("codemap: standard output cannot be written: ")
    assert "Traceback" not in done.stderr


def test_closed_streams_are_no_fault(tree: Any) -> None:
    """Without standard output there is no answer; without standard error nobody to talk to."""
    root = tree({"a.py": "class A: ...\n"})
    ask = f'"{sys.executable}" -m codemap find A --tree "{root}"'
    closed = subprocess.run(["bash", "-c", f"{ask} >&-"], capture_output=True, text=True, check=False)
    assert (closed.returncode, "Traceback" in closed.stderr) == (2, False)
    mute = subprocess.run(["bash", "-c", f"{ask} 2>&-"], capture_output=True, text=True, check=False)
    assert (mute.returncode, mute.stdout) == (0, "a.py:1:7: class a.A\n")


def test_python_dash_m_is_the_same_program(process: Any, codemap: Any) -> None:
    """`python -m codemap` and `codemap` are one."""
    assert process("--version") == codemap("--version")
