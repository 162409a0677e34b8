# What changed since a tree was last looked at.
#
# A file whose stamp (size, times, inode) is the recorded one is taken to have the recorded bytes, any other one is
# read and hashed. A stamp proves nothing about a file that was changed within the clock's granularity of our
# reading it (what git calls racily clean): such a file is recorded without a stamp, and so looked at again.
from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import TYPE_CHECKING, Final, NamedTuple

from codemap.errors import TreeError
from codemap.index.store import UNREADABLE, listing_text

if TYPE_CHECKING:
    from codemap.index.store import TreeRow
    from codemap.source.trees import FileEntry

_FINE: Final = (
    100_000_000  # ns: no file system with sub-second times is coarser (Linux counts ticks of 1 to 10 ms)
)
_COARSE: Final = 2_500_000_000  # ns: FAT counts pairs of seconds


class State(NamedTuple):
    """The files of a tree with the digests of their bytes, in the order of the listing."""

    listing: bytes
    digests: bytes
    digest: str  # of the whole tree
    before: dict[int, int]  # number of each file whose bytes are as recorded -> its number in the record
    read: dict[int, bytes]  # what was read of the others
    failed: dict[int, str]  # files that cannot be read, and why


def current_state(
    files: Sequence[FileEntry],
    listing: bytes,
    listed_at: int,
    row: TreeRow | None,
    read: Callable[[str], bytes],
    locate: Callable[[str], str],
    keep: int,
) -> State:
    """Reads what is not as recorded; the first `keep` bytes of it stay in the result.

    `listed_at` is the time (ns) at which the listing was begun, `locate` gives the full path of a file.
    """
    recorded: dict[str, tuple[str, int]] = {}
    if row is not None:
        fields = row.listing.decode("utf-8", "surrogateescape").split("\0")
        recorded = {
            path: (stamp, at) for at, (path, stamp) in enumerate(zip(fields[::2], fields[1::2], strict=False))
        }
    digests: list[bytes] = []
    before: dict[int, int] = {}
    sources: dict[int, bytes] = {}
    failed: dict[int, str] = {}
    racy: set[int] = set()
    for number, entry in enumerate(files):
        stamp, at = recorded.get(entry.path, ("", -1))
        if row is not None and stamp and stamp == entry.stamp:
            digests.append(row.digests[32 * at : 32 * at + 32])
            before[number] = at
            continue
        try:
            source = read(entry.path)
            if _changed_lately(locate(entry.path), listed_at):
                racy.add(number)
        except (OSError, TreeError) as error:
            digests.append(UNREADABLE)
            failed[number] = getattr(error, "strerror", None) or str(error)
            racy.add(number)
            continue
        digest = sha256(source).digest()
        digests.append(digest)
        if row is not None and at >= 0 and row.digests[32 * at : 32 * at + 32] == digest:
            before[number] = at
        keep -= len(source)
        if keep >= 0:
            sources[number] = source
    if racy:
        listing = listing_text(
            [entry._replace(stamp="") if number in racy else entry for number, entry in enumerate(files)]
        )
    packed = b"".join(digests)
    whole = whole_digest([entry.path for entry in files], packed)
    return State(listing, packed, whole, before, sources, failed)


def whole_digest(paths: Sequence[str], digests: bytes) -> str:
    """The digest of a tree: of the paths and digests of the files that can be read."""
    whole = sha256()
    for number, path in enumerate(paths):
        digest = digests[32 * number : 32 * number + 32]
        if digest != UNREADABLE:
            whole.update(path.encode("utf-8", "surrogateescape") + b"\0" + digest)
    return whole.hexdigest()


def _changed_lately(path: str, listed_at: int) -> bool:
    found = os.stat(path)
    # What a program can set freely is the time of modification; the time of change it cannot, where there is one.
    changed = found.st_mtime_ns if os.name == "nt" else found.st_ctime_ns
    return changed >= listed_at - (_FINE if changed % 1_000_000_000 else _COARSE)
