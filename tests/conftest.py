"""Real small trees, the real command line, and the real SGLang where it can be had."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

ROOT = Path(__file__).resolve().parent.parent
SGLANG = "pypi:sglang==0.5.9"


class Said(NamedTuple):
    """What a run of the command line left."""

    code: int
    out: str
    err: str

    @property
    def answer(self) -> dict[str, Any]:
        """Standard output as JSON."""
        parsed: dict[str, Any] = json.loads(self.out)
        return parsed


Tree = Callable[..., Path]
Codemap = Callable[..., Said]


@pytest.fixture(autouse=True)
def _own_surroundings(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """No setting of the person who runs the tests reaches them, and their cache stays as it is."""
    for name in list(os.environ):
        if name.startswith("CODEMAP_") and name != "CODEMAP_TEST_CACHE":
            monkeypatch.delenv(name)
    for name in ("FORCE_COLOR", "PY_COLORS", "GITHUB_ACTIONS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("CODEMAP_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("_TYPER_FORCE_DISABLE_TERMINAL", "1")
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("TERMINAL_WIDTH", "100")


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    """Writes files: `tree({"pkg/a.py": "x = 1"})` is a folder with them; bytes are written as they are."""

    def write(files: dict[str, str | bytes], name: str = "tree") -> Path:
        root = tmp_path / name
        for path, content in files.items():
            target = root / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
        return root

    return write


@pytest.fixture
def codemap(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Codemap:
    """Runs the command line in this process: `codemap("find", "X", tree=root)`."""

    def run(*words: object, tree: Path | str | None = None, folder: Path | None = None) -> Said:
        from codemap.cli.start import main

        arguments = [str(word) for word in words]
        if tree is not None:
            arguments += ["--tree", str(tree)]
        if folder is not None:
            monkeypatch.chdir(folder)
        capfd.readouterr()
        code = main(arguments)
        captured = capfd.readouterr()
        return Said(code, captured.out, captured.err)

    return run


@pytest.fixture
def process() -> Codemap:
    """Runs the command line as a process of its own: for start-up, signals, streams."""

    def run(*words: object, **options: Any) -> Said:
        command = [sys.executable, "-m", "codemap", *map(str, words)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, **options)
        return Said(done.returncode, done.stdout, done.stderr)

    return run


@pytest.fixture(scope="session")
def kept_cache() -> Path:
    """A cache that stays between runs: CODEMAP_TEST_CACHE, else .cache of the checkout."""
    return Path(os.environ.get("CODEMAP_TEST_CACHE") or ROOT / ".cache")


@pytest.fixture(scope="session")
def sglang(kept_cache: Path) -> str:
    """The real SGLang 0.5.9, fetched once; tests that need it are skipped where it cannot be had."""
    from codemap.errors import FetchError
    from codemap.source.trees import open_tree

    try:
        open_tree(SGLANG, cache=kept_cache)
    except FetchError as error:
        pytest.skip(f"{SGLANG} is not in {kept_cache} and cannot be fetched here: {error}")
    return SGLANG
