# `cache clear`. Somebody may have pointed CODEMAP_CACHE_DIR at a folder with things of his own, so nothing is
# removed for where it lies, only for what it is: entries whose names and contents are codemap's.
from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from codemap.errors import CacheError

_ARCHIVE: Final = re.compile(r"[0-9a-f]{64}-\d+|known-[0-9a-f]{8}|\.new-\w+")
_DOWNLOAD: Final = re.compile(r"\.new-\w+")
_MEMO: Final = re.compile(rb"[^\n]+\n[0-9a-f]{64}\n(exact)?\n?")


def clear(cache: Path) -> int:
    """Removes indexes, unpacked archives and fetched requirements; returns the bytes freed. Raises CacheError."""
    from codemap.index.store import clear as clear_index

    freed = clear_index(cache)
    try:
        for part, is_own in _PARTS.items():
            for path in _entries(cache / part):
                if is_own(path):
                    freed += _remove(path)
            _remove_if_empty(cache / part)
        tag = cache / "CACHEDIR.TAG"
        if [path.name for path in _entries(cache)] == [tag.name] and b"codemap" in tag.read_bytes():
            tag.unlink()
    except OSError as error:
        reason = error.strerror or str(error)
        raise CacheError(f"the cache {cache} cannot be cleared: {reason}", "check its permissions") from error
    return freed


def _is_memo(path: Path) -> bool:
    return path.is_file() and not path.is_symlink() and _MEMO.fullmatch(path.read_bytes()) is not None


_PARTS: Final[dict[str, Callable[[Path], bool]]] = {
    "archives": lambda path: _ARCHIVE.fullmatch(path.name) is not None,
    "downloads": lambda path: _DOWNLOAD.fullmatch(path.name) is not None,
    "requirements": _is_memo,
}


def _entries(folder: Path) -> Iterator[Path]:
    if folder.is_dir() and not folder.is_symlink():
        yield from sorted(folder.iterdir())


def _remove(path: Path) -> int:
    """Removes a file or a folder, links as links; returns the bytes that were in it."""
    import shutil

    if path.is_symlink() or not path.is_dir():
        freed = path.lstat().st_size
        path.unlink(missing_ok=True)
        return freed
    freed = sum(os.lstat(os.path.join(at, name)).st_size for at, _, names in os.walk(path) for name in names)
    shutil.rmtree(path)
    return freed


def _remove_if_empty(folder: Path) -> None:
    if folder.is_dir() and not folder.is_symlink() and not any(folder.iterdir()):
        folder.rmdir()
