"""`codemap cache dir` and `codemap cache clear`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "cache"
    monkeypatch.setenv("CODEMAP_CACHE_DIR", str(folder))
    return folder


def test_dir_prints_the_folder(codemap: Any, cache: Path) -> None:
    """So that `rm -r "$(codemap cache dir)"` and `du` work; the folder need not be there."""
    assert codemap("cache", "dir") == (0, f"{cache}\n", "")
    assert not cache.exists()


def test_dir_follows_the_settings(codemap: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """cache-dir in [tool.codemap] is relative to its file."""
    monkeypatch.delenv("CODEMAP_CACHE_DIR")
    (tmp_path / "pyproject.toml").write_text('[tool.codemap]\ncache-dir = "kept"\n')
    assert codemap("cache", "dir", folder=tmp_path).out == f"{tmp_path / 'kept'}\n"


def test_clear_removes_what_a_question_left(codemap: Any, tree: Any, cache: Path) -> None:
    """The index, the tag; and the next question works."""
    root = tree({"a.py": "class A: ...\n"})
    assert codemap("find", "A", tree=root).code == 0
    assert list(cache.iterdir())
    said = codemap("cache", "clear")
    assert said.code == 0
    assert said.out.endswith(f"removed from {cache}\n")
    assert list(cache.iterdir()) == []
    assert codemap("find", "A", tree=root).code == 0


def test_clear_leaves_what_is_not_its_own(codemap: Any, cache: Path) -> None:
    """A cache folder that somebody shares with other things keeps the other things."""
    foreign = [
        "photos/a.jpg",
        "archives/2019/taxes.pdf",
        "requirements/base.txt",
        "downloads/file.iso",
        "index-notes.md",
    ]
    for name in foreign:
        path = cache / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("precious\n")
    own = cache / "archives" / ("0" * 64 + "-1") / "files"
    own.mkdir(parents=True)
    (own / "a.py").write_text("x = 1\n")
    (cache / "requirements" / "a_3d__3d_1").write_text("a==1\n" + "0" * 64 + "\nexact")
    assert codemap("cache", "clear").code == 0
    assert sorted(str(path.relative_to(cache)) for path in cache.rglob("*") if path.is_file()) == sorted(
        foreign
    )


def test_clear_follows_no_link_out_of_the_folder(codemap: Any, cache: Path, tmp_path: Path) -> None:
    """A link in the cache is removed as a link."""
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "file").write_text("x")
    (cache / "archives").mkdir(parents=True)
    (cache / "archives" / ("1" * 64 + "-1")).symlink_to(precious, target_is_directory=True)
    assert codemap("cache", "clear").code == 0
    assert (precious / "file").exists()
    assert not (cache / "archives").exists()


def test_clear_without_a_cache_is_no_error(codemap: Any, cache: Path) -> None:
    """There is nothing to remove, and it is said so."""
    assert codemap("cache", "clear") == (0, f"0 bytes removed from {cache}\n", "")


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may remove anything")
def test_clear_without_the_permission_is_one_line_and_exit_2(codemap: Any, tree: Any, cache: Path) -> None:
    """The folder is left as it was."""
    assert codemap("find", "A", tree=tree({"a.py": "class A: ...\n"})).code == 0
    cache.chmod(0o500)
    try:
        assert codemap("cache", "clear").code == 2
    finally:
        cache.chmod(0o700)
