# The name index: which files bear a word, and in which roles.
#
# Postings are written in segments, one for each batch of files, and a segment is cut into buckets by a hash of
# the word. A row per (word, file) would be 386,000 rows for SGLang 0.5.9 and 1.2 s of inserting, a row per word
# and batch 116,000 rows and 0.6 s; 257 buckets for each of a dozen batches are 3,000 rows and 0.03 s, and the
# workers make them, not the one process that writes. See docs/decisions/index-postings.md.
#
# A bucket is text that `bytes.find` searches: "\n", then for each word in order
#   word TAB union-of-roles TAB file SPACE roles SPACE file SPACE roles ... "\n"
# where `file` counts from the first content of the segment.
from __future__ import annotations

from binascii import crc32
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from codemap.model.facts import ROLE_CLASS, ROLE_DEFINE

BUCKETS: Final = 256
DEFINED: Final = BUCKETS  # one more bucket: the lines of words that some file of the segment defines
LOOSE: Final = -1  # the only bucket of a small segment: everything in one row
LOOSE_LIMIT: Final = 32_768  # bytes; a larger segment is cut into buckets
DEFINES: Final = ROLE_DEFINE | ROLE_CLASS


def bucket_of(word: str) -> int:
    """The bucket in which a word is entered."""
    return crc32(word.encode("utf-8", "surrogatepass")) % BUCKETS


def pack(files: Iterable[Mapping[str, int]]) -> list[tuple[int, bytes]]:
    """The buckets (number, bytes) of a segment whose n-th file has the words and roles of the n-th mapping."""
    entries: dict[str, list[str]] = {}
    unions: dict[str, int] = {}
    for number, words in enumerate(files):
        written: dict[int, str] = {}  # roles -> the entry of this file
        for word, roles in words.items():
            entry = written.get(roles)
            if entry is None:
                entry = written[roles] = f"{number} {roles}"
            known = entries.get(word)
            if known is None:
                entries[word] = [entry]
                unions[word] = roles
            else:
                known.append(entry)
                unions[word] |= roles
    return _cut([(word, unions[word], " ".join(entries[word])) for word in sorted(entries)])


def merge(parts: Iterable[tuple[int, bytes]], alive: set[int] | None = None) -> list[tuple[int, bytes]]:
    """The buckets of one segment made of the buckets of several, each given as (offset of its files, bytes).

    Files that are not alive (counted after the offset was added) are left out.
    """
    entries: dict[str, list[str]] = {}
    unions: dict[str, int] = {}
    for offset, data in parts:
        for word, _, postings in lines(data):
            for file, roles in postings:
                if alive is None or file + offset in alive:
                    entries.setdefault(word, []).append(f"{file + offset} {roles}")
                    unions[word] = unions.get(word, 0) | roles
    return _cut([(word, unions[word], " ".join(entries[word])) for word in sorted(entries)])


def _cut(rows: list[tuple[str, int, str]]) -> list[tuple[int, bytes]]:
    written = [f"{word}\t{union}\t{entry}\n".encode("utf-8", "surrogatepass") for word, union, entry in rows]
    if sum(map(len, written)) <= LOOSE_LIMIT:
        return [(LOOSE, b"\n" + b"".join(written))]
    buckets: list[list[bytes]] = [[b"\n"] for _ in range(BUCKETS + 1)]
    for line, (word, union, _) in zip(written, rows, strict=True):
        buckets[bucket_of(word)].append(line)
        if union & DEFINES:
            buckets[DEFINED].append(line)
    return [(number, b"".join(bucket)) for number, bucket in enumerate(buckets)]


def lookup(data: bytes, word: str) -> list[tuple[int, int]]:
    """The (file, roles) of a word in a bucket; raises ValueError on damage."""
    start = data.find(b"\n" + word.encode("utf-8", "surrogatepass") + b"\t")
    if start < 0:
        return []
    return _postings(data[start + 1 : data.find(b"\n", start + 1)].split(b"\t")[2])


def lines(data: bytes, roles: int = -1) -> Iterator[tuple[str, int, list[tuple[int, int]]]]:
    """All (word, union of roles, postings) of a bucket whose union meets `roles`; raises ValueError on damage."""
    for line in data.split(b"\n"):
        if line:
            word, union, postings = line.split(b"\t")
            if int(union) & roles:
                yield word.decode("utf-8", "surrogatepass"), int(union), _postings(postings)


def raw_lines(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """All words of a bucket with their postings as they are written; raises ValueError on damage."""
    for line in data.split(b"\n"):
        if line:
            word, _, field = line.split(b"\t")
            yield word, field


def entries_of(field: bytes) -> list[tuple[int, int]]:
    """Postings as they are written, as numbers; raises ValueError on damage."""
    return _postings(field)


def _postings(field: bytes) -> list[tuple[int, int]]:
    numbers = [int(number) for number in field.split()]
    return list(zip(numbers[::2], numbers[1::2], strict=True))
