"""README.md shows what codemap prints: every command of a console block is run and compared.

After a change on purpose: `python tests/functional/test_readme.py` writes the new output into the file.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
README = ROOT / "README.md"
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
TREE_OF_THE_README = "pypi:sglang==0.5.9"


def blocks(text: str) -> list[str]:
    return BLOCK.findall(text)


def commands(block: str) -> list[str]:
    """The lines that somebody types."""
    return [line[2:] for line in block.splitlines() if line.startswith("$ ")]


def played(block: str, cache: Path) -> str:
    """The block with what its commands print now, both streams, in one shell."""
    script = [
        f'codemap() {{ "{sys.executable}" -m codemap "$@"; }}',
        f'python() {{ "{sys.executable}" "$@"; }}',
    ]
    for command in commands(block):
        script += [f"echo {shlex.quote('$ ' + command)}", command]
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("CODEMAP_")},
        "CODEMAP_CACHE_DIR": str(cache),
        "NO_COLOR": "1",
    }
    done = subprocess.run(
        ["bash", "-c", "\n".join(script)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment,
        cwd=ROOT / "examples", timeout=300, check=False,
    )  # fmt: skip
    return done.stdout


@pytest.mark.network
@pytest.mark.parametrize("number", range(len(blocks(README.read_text("utf-8")))))
def test_the_readme_shows_what_is_printed(number: int, sglang: str, kept_cache: Path) -> None:
    """Commands, output, exit codes."""
    assert sglang == TREE_OF_THE_README
    block = blocks(README.read_text("utf-8"))[number]
    assert commands(block)
    assert played(block, kept_cache) == block


def test_every_command_is_in_the_readme() -> None:
    """Nobody finds what is not written there."""
    from codemap.cli.lazily import COMMANDS

    text = README.read_text("utf-8")
    assert [name for name in COMMANDS if f"`codemap {name}" not in text] == []


def test_every_setting_is_in_the_readme() -> None:
    """The keys of [tool.codemap] are all named."""
    from codemap.config import KEYS

    text = README.read_text("utf-8")
    assert [key for key in KEYS if f"`{key}`" not in text] == []


def test_links_lead_somewhere() -> None:
    """Relative links of the pages for users are files of the project."""
    for page in (README, ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))):
        for target in re.findall(r"\]\((?!https?:|#)([^)#]+)", page.read_text("utf-8")):
            assert (page.parent / target).exists(), f"{page.name} points to {target}"


def rewrite(cache: Path) -> None:
    """Writes what the commands print now into README.md."""
    text = README.read_text("utf-8")
    README.write_text(BLOCK.sub(lambda found: f"```console\n{played(found[1], cache)}```", text), "utf-8")


if __name__ == "__main__":
    rewrite(Path(os.environ.get("CODEMAP_TEST_CACHE") or ROOT / ".cache"))
