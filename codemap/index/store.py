# The only SQL of the project, and nothing but storage: what is fresh is decided in freshness.py and build.py.
#
# Three kinds of trouble leave this module:
# - CacheError: the cache cannot be used (permissions, full disk, a lock held too long); the user has to act;
# - Damaged: the file is not what was written; the caller calls `rebuild` and goes on;
# - Changed: another process replaced what content ids mean; the caller looks its ids up again.
#
# A write is one short transaction, so that readers and other writers wait for milliseconds; a killed writer
# leaves the last committed state. Nothing waits for the disk (synchronous=OFF: an fsync at the end of a question
# that stored one edited file costs more than the question), so power loss may leave a mixture of old and new
# pages. It is noticed, as any damage is: every value has a checksum that also covers what it must fit to, rows of
# the name index are never overwritten, and a tree names the last segment that it needs.
from __future__ import annotations

import contextlib
import functools
import os
import sqlite3
import sys
from binascii import crc32
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Concatenate, Final, ParamSpec, TypeVar

from codemap.errors import CacheError
from codemap.index import postings

if TYPE_CHECKING:
    from codemap.index.extraction import Batch

SCHEMA_VERSION: Final = 1
APPLICATION_ID: Final = 0x636D6170  # "cmap"
PATIENCE: Final = 60.0  # seconds that a writer waits for another
SCANS_KEPT: Final = 512  # words remembered for a tree
LOOSE_KEPT: Final = 24  # small segments before they are merged into one
UNREADABLE: Final = bytes(32)  # in the place of the digest of a file that cannot be read
COLLECT_ABOVE: Final = 4_000  # contents that may lie about unreferenced
_WAY_OUT: Final = "set CODEMAP_CACHE_DIR to a folder that can be written"
_TAG: Final = (
    "Signature: 8a477f597d28d172789f06886806bc55\n"
    "# This folder is a cache of codemap; it may be deleted at any time.\n"
    "# See https://bford.info/cachedir/\n"
)

P = ParamSpec("P")
R = TypeVar("R")


class Damaged(Exception):
    """The file is not what was written."""


class Changed(Exception):
    """Content ids learnt earlier are no longer valid."""


class TreeRow:
    """A tree as it was last looked at; digests and contents are in the order of the listing's paths."""

    __slots__ = ("contents", "digest", "digests", "listing")

    def __init__(self, digest: str, listing: bytes, digests: bytes, contents: list[int]) -> None:
        self.digest = digest  # of the whole tree
        self.listing = listing
        self.digests = digests  # 32 bytes for each file
        self.contents = contents  # 0 where the facts are not there yet


def listing_text(files: Iterable[tuple[str, int, str]]) -> bytes:
    """Paths and stamps, given as (path, size, stamp), in one piece: an unchanged tree costs one comparison."""
    fields = [field for path, _, stamp in files for field in (path, stamp)]
    return "\0".join(fields).encode("utf-8", "surrogateescape")


# A segment of the name index: its serial number, the content id of its first file, the number of its buckets.
_Segment = tuple[int, int, int]


def _translated(method: Callable[Concatenate[Store, P], R]) -> Callable[Concatenate[Store, P], R]:
    """Turns SQLite's errors into the three kinds of trouble, after a rollback."""

    @functools.wraps(method)
    def wrapper(self: Store, /, *args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return method(self, *args, **kwargs)
        except sqlite3.Error as error:
            self._roll_back()
            raise _trouble(error, self.path) from error
        except UnicodeDecodeError as error:  # a text, or SQLite's message about one
            self._roll_back()
            raise Damaged("a text in it is no text") from error
        except BaseException:
            self._roll_back()
            raise

    return wrapper


def _trouble(error: sqlite3.Error, path: Path) -> Exception:
    name = getattr(error, "sqlite_errorname", None) or ""
    if name.startswith(
        ("SQLITE_CORRUPT", "SQLITE_NOTADB", "SQLITE_CONSTRAINT", "SQLITE_SCHEMA", "SQLITE_MISMATCH")
    ):
        return Damaged(str(error))
    if str(error).startswith(("no such table", "no such column", "Could not decode")):
        return Damaged(str(error))
    if name in ("SQLITE_ERROR", "SQLITE_MISUSE", "SQLITE_RANGE", ""):
        return error  # a fault of ours
    if name.startswith("SQLITE_FULL"):
        return CacheError(f"no space left for the cache {path}", "free some space, or " + _WAY_OUT)
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return CacheError(
            f"another process holds the cache {path}", "try again when it is done, or " + _WAY_OUT
        )
    if name.startswith("SQLITE_IOERR"):
        return CacheError(f"cannot use the cache {path}: {error} (is the disk full?)", _WAY_OUT)
    return CacheError(f"cannot use the cache {path}: {error}", _WAY_OUT)


def _seal(data: bytes, context: bytes = b"") -> bytes:
    return crc32(data, crc32(context)).to_bytes(4, "little") + data


def _open(sealed: bytes, context: bytes = b"") -> bytes:
    data = sealed[4:]
    if crc32(data, crc32(context)) != int.from_bytes(sealed[:4], "little"):
        raise Damaged("a value does not have the checksum it was written with")
    return data


def _pack(numbers: Iterable[int]) -> bytes:
    return b"".join([number.to_bytes(4, "little") for number in numbers])


def _unpack(data: bytes) -> list[int]:
    if sys.byteorder == "little":
        return memoryview(data).cast("I").tolist()
    return [int.from_bytes(data[at : at + 4], "little") for at in range(0, len(data), 4)]


def _key(segment: _Segment, bucket: int) -> int:
    serial, _, buckets = segment
    return serial * 512 + (0 if buckets == 1 else bucket + 1)


def prepare_folder(cache: Path) -> None:
    """Makes the cache folder, for its owner only, with a CACHEDIR.TAG; raises CacheError."""
    tag = cache / "CACHEDIR.TAG"
    try:
        if not cache.is_dir():
            cache.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not tag.exists():
            tag.write_text(_TAG, encoding="ascii")
    except OSError as error:
        raise CacheError(
            f"cannot use the cache folder {cache}: {error.strerror or error}", _WAY_OUT
        ) from error


def own_files(cache: Path) -> list[Path]:
    """The files in a cache folder that are the index's own, sorted; files of anybody else are not among them."""
    try:
        names = sorted(os.listdir(cache))
    except OSError:
        return []
    return [cache / name for name in names if _version_of(name) is not None and not (cache / name).is_dir()]


def _version_of(name: str) -> tuple[int, int] | None:
    stem, dot, suffix = name.partition(".sqlite3")
    if not dot or not stem.startswith("index-"):
        return None
    made, _, rest = suffix.removeprefix("-new").partition("-")
    if suffix.startswith("-new") and made.isdecimal():
        suffix = f"-{rest}" if rest else ""
    if suffix not in ("", "-wal", "-shm", "-journal"):
        return None
    schema, _, extractor = stem[6:].partition(".")
    return (int(schema), int(extractor)) if schema.isdecimal() and extractor.isdecimal() else None


def clear(cache: Path) -> int:
    """Removes the index's own files; returns their size in bytes. Raises CacheError when one cannot be removed."""
    freed = 0
    try:
        for path in own_files(cache):
            size = path.stat().st_size
            path.unlink()
            freed += size
        tag = cache / "CACHEDIR.TAG"
        if tag.is_file() and tag.read_text("utf-8", "replace") == _TAG and os.listdir(cache) == [tag.name]:
            tag.unlink()
    except FileNotFoundError:
        return freed  # somebody else was faster
    except OSError as error:
        raise CacheError(
            f"cannot clear the cache {cache}: {error.strerror or error}", "check its permissions"
        ) from error
    return freed


class Store:
    """The database of a cache folder. One thread uses it; processes may share the file."""

    def __init__(self, cache: Path, extractor: int, say: Callable[[str], None]) -> None:
        self.path = cache / f"index-{SCHEMA_VERSION}.{extractor}.sqlite3"
        self._cache = cache
        self._extractor = extractor
        self._say = say
        self._generation = 0
        self._inode = 0
        self._loose: dict[int, bytes] = {}  # small segments that were read, by serial number
        self._held: dict[bytes, list[tuple[int, bytes]]] | None = None  # the whole name index, see `hold`
        self._read_only = False
        self._writing = False  # whether this connection was set up for writing
        self._connection = self._connect()

    # --- opening ---------------------------------------------------------------------------------------

    def _connect(self) -> sqlite3.Connection:
        for _ in range(3):
            try:
                size = os.stat(self.path).st_size
            except FileNotFoundError:
                size = 0
            except OSError as error:
                raise CacheError(
                    f"cannot use the cache folder {self._cache}: {error.strerror}", _WAY_OUT
                ) from error
            try:
                connection = self._connect_existing() if size else self._create()
                if connection is not None:
                    return connection
                trouble = "is not an index of this version of codemap"
            except sqlite3.Error as error:
                kind = _trouble(error, self.path)
                if not isinstance(kind, Damaged):
                    raise kind from error
                trouble = f"is damaged ({error})"
            except UnicodeDecodeError:  # SQLite's message quotes what it found
                trouble = "is damaged"
            self._remove(trouble)
        raise CacheError(f"cannot make the cache {self.path}", _WAY_OUT)

    def _connect_existing(self) -> sqlite3.Connection | None:
        """A connection to the file, read-only where it has to be; None when the file is something else."""
        if os.path.isdir(self.path):
            raise CacheError(
                f"a folder is in the place of the cache file {self.path}", "remove it, or " + _WAY_OUT
            )
        try:
            self._inode = os.stat(self.path).st_ino
        except FileNotFoundError:  # another process removes it just now
            return None
        trouble = sqlite3.OperationalError("unable to open database file")
        for mode in ("mode=rw", "mode=ro", "mode=ro&immutable=1"):
            if "immutable" in mode and _size(f"{self.path}-wal"):
                continue  # the log has pages that the file has not
            connection = None
            try:
                connection = sqlite3.connect(
                    f"{self.path.absolute().as_uri()}?{mode}",
                    uri=True,
                    isolation_level=None,
                    timeout=PATIENCE,
                )
                found = connection.execute(
                    "SELECT user_version, application_id FROM pragma_user_version, pragma_application_id"
                ).fetchone()
            except sqlite3.OperationalError as error:
                trouble = error
                if connection is not None:
                    connection.close()
                if not error.sqlite_errorname.startswith(
                    ("SQLITE_CANTOPEN", "SQLITE_READONLY", "SQLITE_IOERR", "SQLITE_PERM")
                ):
                    raise
                continue
            except (sqlite3.Error, UnicodeDecodeError):
                if connection is not None:
                    connection.close()
                raise
            if found == (self._user_version, APPLICATION_ID):
                self._read_only = mode != "mode=rw"
                return connection
            connection.close()
            return None
        raise trouble

    @property
    def _user_version(self) -> int:
        return SCHEMA_VERSION * 10_000 + self._extractor

    def _create(self) -> sqlite3.Connection | None:
        """Makes the file under another name and puts it in its place whole: no process ever sees half of it."""
        prepare_folder(self._cache)
        self._remove_old_versions()
        schema = Path(__file__).with_name("schema.sql").read_text(encoding="utf-8")
        made = Path(f"{self.path}-new{os.getpid()}")
        try:
            made.unlink(missing_ok=True)
            with contextlib.closing(sqlite3.connect(made, isolation_level=None)) as connection:
                connection.executescript(
                    f"PRAGMA synchronous = OFF; PRAGMA journal_mode = WAL; BEGIN;\n{schema}\n"
                    f"PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {self._user_version}; COMMIT;"
                )
            if not _size(str(self.path)):
                for suffix in ("", "-wal", "-shm"):  # empty, and what belonged to a file that is gone
                    Path(f"{self.path}{suffix}").unlink(missing_ok=True)
            with contextlib.suppress(FileExistsError):  # another process was faster: its file is as good
                os.link(made, self.path)
        except OSError as error:
            raise CacheError(
                f"cannot make the cache {self.path}: {error.strerror or error}", _WAY_OUT
            ) from error
        finally:
            for suffix in ("", "-wal", "-shm", "-journal"):
                with contextlib.suppress(OSError):
                    os.unlink(f"{made}{suffix}")
        return self._connect_existing()

    def _remove_old_versions(self) -> None:
        """Files of older versions that nobody wrote for two weeks."""
        import time

        for path in own_files(self._cache):
            version = _version_of(path.name)
            try:
                old = time.time() - path.stat().st_mtime > 14 * 86_400
                if old and version is not None and version < (SCHEMA_VERSION, self._extractor):
                    path.unlink()
            except OSError:
                pass

    def _remove(self, trouble: str) -> None:
        """Removes the file, unless another process has already put a new one in its place."""
        try:
            if os.stat(self.path).st_ino == self._inode:
                self._say(f"the index {self.path} {trouble}; it is made anew")
                for suffix in ("", "-wal", "-shm", "-journal"):
                    Path(f"{self.path}{suffix}").unlink(missing_ok=True)
        except FileNotFoundError:
            pass
        except OSError as error:
            raise CacheError(
                f"the index {self.path} {trouble} and cannot be removed: {error.strerror}", _WAY_OUT
            ) from error

    def rebuild(self, trouble: str) -> None:
        """Replaces a damaged file by an empty one; says so."""
        self.close()
        self._remove(f"is damaged ({trouble})")
        self._writing = False
        self._generation = 0
        self._loose = {}
        self._held = None
        self._connection = self._connect()

    def close(self) -> None:
        """Closes the file. Nothing is lost without it."""
        with contextlib.suppress(sqlite3.Error):
            self._connection.close()

    # --- transactions ----------------------------------------------------------------------------------

    def _begin(self) -> None:
        """Begins to write. A file that cannot be written is copied into memory first."""
        if not self._writing:
            self._connection.execute("PRAGMA synchronous = OFF")
            self._writing = True
        if not self._read_only:
            try:
                self._connection.execute("BEGIN IMMEDIATE")
            except sqlite3.OperationalError as error:
                if not error.sqlite_errorname.startswith("SQLITE_READONLY"):
                    raise
                self._read_only = True
            else:
                return
        memory = sqlite3.connect(":memory:", isolation_level=None)
        self._connection.backup(memory)
        self._connection.close()
        self._connection = memory
        self._read_only = False
        self._connection.execute("BEGIN IMMEDIATE")

    def _commit(self) -> None:
        self._connection.execute("COMMIT")

    def _roll_back(self) -> None:
        try:
            if self._connection.in_transaction:
                self._loose = {}
                self._held = None
                self._connection.execute("ROLLBACK")
        except sqlite3.Error:
            pass

    @_translated
    def checkpoint(self) -> None:
        """Moves the write-ahead log into the file, if no reader is in the way."""
        self._connection.execute("PRAGMA busy_timeout = 0")
        try:
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        except sqlite3.OperationalError as error:
            if not error.sqlite_errorname.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
                raise
        finally:
            self._connection.execute(f"PRAGMA busy_timeout = {int(PATIENCE * 1000)}")

    # --- trees -----------------------------------------------------------------------------------------

    @_translated
    def tree(self, key: str) -> TreeRow | None:
        """The tree as it was last looked at."""
        self._connection.execute("BEGIN")
        row = self._connection.execute(
            "SELECT digest, listing, files FROM tree WHERE key = ?", (key,)
        ).fetchone()
        self._generation, last, _ = self._manifest()
        self._commit()
        if row is None:
            return None
        digest, listing, files = row
        table = _open(files, listing)
        if last < int.from_bytes(table[:4], "little"):
            raise Damaged("a segment of the name index is not there")
        return TreeRow(digest, listing, *_split(table[4:]))

    @_translated
    def save_tree(self, key: str, root: str, row: TreeRow, scans: dict[str, list[int]]) -> None:
        """Replaces what is known of a tree, and its remembered scans."""
        self._begin()
        self._check_generation()
        files = _seal(_pack([self._manifest()[1]]) + row.digests + _pack(row.contents), row.listing)
        self._connection.execute(
            "INSERT OR REPLACE INTO tree (key, root, digest, listing, files) VALUES (?, ?, ?, ?, ?)",
            (key, root, row.digest, row.listing, files),
        )
        self._connection.execute("DELETE FROM scan WHERE tree = ?", (key,))
        self._connection.executemany(
            "INSERT INTO scan (tree, word, files) VALUES (?, ?, ?)",
            [(key, word, _seal(_pack(scans[word]), row.digest.encode())) for word in sorted(scans)],
        )
        self._collect()
        self._commit()

    @_translated
    def scans(self, key: str, digest: str, words: Iterable[str] | None = None) -> dict[str, list[int]]:
        """Remembered scans of a tree (of some words), as file numbers; none when the tree has changed since."""
        execute = self._connection.execute
        sql = "SELECT word, scan.files FROM scan JOIN tree ON scan.tree = tree.key WHERE tree.key = ? AND tree.digest = ?"
        rows: Iterable[tuple[str, bytes]]
        if words is None:
            rows = execute(sql, (key, digest)).fetchall()
        else:
            rows = [
                row
                for word in words
                for row in execute(f"{sql} AND word = ?", (key, digest, word)).fetchall()
            ]
        return {word: _unpack(_open(files, digest.encode())) for word, files in rows}

    @_translated
    def save_scans(self, key: str, digest: str, scans: dict[str, list[int]]) -> None:
        """Remembers scans, unless the tree has changed since; many words push out the old ones."""
        self._begin()
        execute = self._connection.execute
        if execute("SELECT 1 FROM tree WHERE key = ? AND digest = ?", (key, digest)).fetchone():
            (kept,) = execute("SELECT count(*) FROM scan WHERE tree = ?", (key,)).fetchone()
            if kept + len(scans) > SCANS_KEPT:
                execute("DELETE FROM scan WHERE tree = ?", (key,))
            self._connection.executemany(
                "INSERT OR REPLACE INTO scan (tree, word, files) VALUES (?, ?, ?)",
                [
                    (key, word, _seal(_pack(scans[word]), digest.encode()))
                    for word in sorted(scans)[:SCANS_KEPT]
                ],
            )
        self._commit()

    # --- contents --------------------------------------------------------------------------------------

    @_translated
    def ids(self, digests: Iterable[bytes]) -> dict[bytes, int]:
        """The content ids of those digests whose facts are there."""
        execute = self._connection.execute
        found: dict[bytes, int] = {}
        if execute("SELECT 1 FROM content LIMIT 1").fetchone() is None:
            return found
        for digest in digests:
            row = execute("SELECT id FROM content WHERE digest = ?", (digest,)).fetchone()
            if row:
                found[digest] = row[0]
        return found

    @_translated
    def outline(self, content: int, digest: bytes) -> bytes:
        """The encoded outline of a content."""
        row = self._connection.execute(
            "SELECT outline FROM content WHERE id = ? AND digest = ?", (content, digest)
        ).fetchone()
        if row is None:
            raise Changed
        return bytes(row[0])

    @_translated
    def body(self, content: int, digest: bytes) -> bytes:
        """The encoded body of a content."""
        row = self._connection.execute(
            "SELECT body FROM content WHERE id = ? AND digest = ?", (content, digest)
        ).fetchone()
        if row is None:
            raise Changed
        return bytes(row[0])

    @_translated
    def counts(self, contents: Iterable[int]) -> list[tuple[int, int]]:
        """Lines and parse errors of contents, in their order."""
        execute = self._connection.execute
        counts = []
        for content in contents:
            row = execute("SELECT lines, errors FROM content WHERE id = ?", (content,)).fetchone()
            if row is None:
                raise Changed
            counts.append((row[0], row[1]))
        return counts

    @_translated
    def with_errors(self) -> set[int]:
        """The contents that have parse errors."""
        return {row[0] for row in self._connection.execute("SELECT id FROM content WHERE errors > 0")}

    @_translated
    def add(
        self,
        digests: Sequence[bytes],
        batch: Batch,
        key: str,
        tree_digest: str,
        places: Sequence[Sequence[int]],
    ) -> list[int]:
        """Stores facts in one transaction and returns their content ids.

        `places` are, for each of the batch's files, the numbers of the tree's files that have this content; the
        tree's table is completed with the new ids unless another process has replaced it.
        """
        self._begin()
        self._check_generation()
        execute, executemany = self._connection.execute, self._connection.executemany
        row = execute("SELECT seq FROM sqlite_sequence WHERE name = 'content'").fetchone()
        first = (row[0] if row else 0) + 1
        added = executemany(
            "INSERT OR IGNORE INTO content (id, digest, lines, errors, recovered, outline, body) VALUES (?, ?, ?, ?, ?, ?, ?)",
            [
                (
                    first + at,
                    digest,
                    file.lines,
                    file.errors,
                    int(file.recovered),
                    file.outline,
                    file.body,
                )
                for at, (digest, file) in enumerate(zip(digests, batch.files, strict=True))
            ],
        ).rowcount
        contents = list(range(first, first + len(digests)))
        if added:
            self._add_segment(first, batch.buckets)
        if added < len(digests):  # another process had some of them done meanwhile
            known = {
                digest: execute("SELECT id FROM content WHERE digest = ?", (digest,)).fetchone()
                for digest in digests
            }
            if None in known.values():
                raise Damaged("a content cannot be added and is not there")
            contents = [known[digest][0] for digest in digests]
        row = execute(
            "SELECT listing, files FROM tree WHERE key = ? AND digest = ?", (key, tree_digest)
        ).fetchone()
        if row:
            listing, files = row
            self._complete_tree(key, listing, files, digests, contents, places)
        self._commit()
        return contents

    def _complete_tree(
        self,
        key: str,
        listing: bytes,
        files: bytes,
        digests: Sequence[bytes],
        contents: Sequence[int],
        places: Sequence[Sequence[int]],
    ) -> None:
        known, ids = _split(_open(files, listing)[4:])
        for digest, content, numbers in zip(digests, contents, places, strict=True):
            for number in numbers:
                if known[32 * number : 32 * number + 32] == digest:
                    ids[number] = content
        table = _pack([self._manifest()[1]]) + known + _pack(ids)
        self._connection.execute("UPDATE tree SET files = ? WHERE key = ?", (_seal(table, listing), key))

    # --- postings --------------------------------------------------------------------------------------

    @_translated
    def postings(self, words: Iterable[str]) -> dict[str, list[tuple[int, int]]]:
        """For each word the (content id, roles) of all contents that bear it."""
        if self._held is not None:
            return {word: self._held_postings(word) for word in words}
        self._connection.execute("BEGIN")
        segments = self._check_generation()
        found: dict[str, list[tuple[int, int]]] = {}
        try:
            for word in words:
                bucket = postings.bucket_of(word)
                entries = found[word] = []
                for segment in segments:
                    for file, roles in postings.lookup(self._bucket(segment, bucket), word):
                        entries.append((segment[1] + file, roles))
        except ValueError as error:
            raise Damaged("a bucket of the name index cannot be read") from error
        self._commit()
        return found

    def _held_postings(self, word: str) -> list[tuple[int, int]]:
        entries = (self._held or {}).get(word.encode("utf-8", "surrogatepass"), ())
        return [
            (first + file, roles) for first, line in entries for file, roles in postings.entries_of(line)
        ]

    @_translated
    def hold(self) -> None:
        """Keeps the name index in memory, for work that asks for thousands of words; until something is written."""
        self._connection.execute("BEGIN")
        held: dict[bytes, list[tuple[int, bytes]]] = {}
        try:
            for segment in self._check_generation():
                for bucket in range(postings.BUCKETS) if segment[2] > 1 else [postings.LOOSE]:
                    for word, line in postings.raw_lines(self._bucket(segment, bucket)):
                        held.setdefault(word, []).append((segment[1], line))
        except ValueError as error:
            raise Damaged("a bucket of the name index cannot be read") from error
        self._commit()
        self._held = held

    @_translated
    def words(self, roles: int, contents: set[int]) -> set[str]:
        """All words that some of the contents bear with one of the roles."""
        self._connection.execute("BEGIN")
        buckets = [postings.DEFINED] if not roles & ~postings.DEFINES else list(range(postings.BUCKETS))
        found: set[str] = set()
        try:
            for segment in self._check_generation():
                for bucket in buckets if segment[2] > 1 else [postings.LOOSE]:
                    for word, _, entries in postings.lines(self._bucket(segment, bucket), roles):
                        if word not in found and any(
                            has & roles and segment[1] + file in contents for file, has in entries
                        ):
                            found.add(word)
        except ValueError as error:
            raise Damaged("a bucket of the name index cannot be read") from error
        self._commit()
        return found

    def _bucket(self, segment: _Segment, bucket: int) -> bytes:
        serial, _, buckets = segment
        if buckets == 1 and serial in self._loose:
            return self._loose[serial]
        row = self._connection.execute(
            "SELECT data FROM posting WHERE id = ?", (_key(segment, bucket),)
        ).fetchone()
        if row is None:
            raise Damaged("a bucket of the name index is not there")
        data = _open(row[0])
        if buckets == 1:  # asked for every word, and never written again
            self._loose[serial] = data
        return data

    def _manifest(self) -> tuple[int, int, list[_Segment]]:
        """The generation of content ids, the last serial number given to a segment, the segments."""
        row = self._connection.execute("SELECT data FROM manifest").fetchone()
        if row is None:
            return 0, 0, []
        numbers = _unpack(_open(row[0]))
        segments = [(numbers[at], numbers[at + 1], numbers[at + 2]) for at in range(2, len(numbers), 3)]
        return numbers[0], numbers[1], segments

    def _write_manifest(self, last: int, segments: Iterable[_Segment]) -> None:
        numbers = [self._generation, last, *[number for segment in segments for number in segment]]
        self._connection.execute(
            "INSERT OR REPLACE INTO manifest (id, data) VALUES (1, ?)", (_seal(_pack(numbers)),)
        )

    def _check_generation(self) -> list[_Segment]:
        generation, _, segments = self._manifest()
        if generation != self._generation:
            self._generation = generation
            raise Changed
        return segments

    def _add_segment(self, first: int, buckets: Sequence[tuple[int, bytes]]) -> None:
        _, last, segments = self._manifest()
        segments.append(self._write_segment(last + 1, first, buckets))
        last += 1
        loose = [one for one in segments if one[2] == 1]
        if len(loose) > LOOSE_KEPT:
            segments = [one for one in segments if one[2] > 1]
            segments.append(self._merge(last + 1, loose, None))
            last += 1
        self._write_manifest(last, segments)

    def _write_segment(self, serial: int, first: int, buckets: Sequence[tuple[int, bytes]]) -> _Segment:
        segment = (serial, first, len(buckets))
        self._held = None
        self._connection.executemany(
            "INSERT INTO posting (id, data) VALUES (?, ?)",
            [(_key(segment, bucket), _seal(data)) for bucket, data in buckets],
        )
        return segment

    def _merge(self, serial: int, old: Sequence[_Segment], alive: set[int] | None) -> _Segment:
        """Replaces old segments by a new one, without the postings of contents that are not alive."""
        first = min([one[1] for one in old])
        survivors = None if alive is None else {content - first for content in alive}
        buckets = postings.merge(self._parts(old, first), survivors)
        for one in old:
            self._connection.execute(
                "DELETE FROM posting WHERE id BETWEEN ? AND ?", (one[0] * 512, one[0] * 512 + 511)
            )
        return self._write_segment(serial, first, buckets)

    def _parts(self, segments: Sequence[_Segment], first: int) -> Iterator[tuple[int, bytes]]:
        for segment in segments:
            for bucket in range(postings.BUCKETS) if segment[2] > 1 else [postings.LOOSE]:
                yield segment[1] - first, self._bucket(segment, bucket)

    # --- garbage ---------------------------------------------------------------------------------------

    def _collect(self) -> None:
        """Drops what no tree refers to, once that is most of the file."""
        execute = self._connection.execute
        (total,) = execute("SELECT count(*) FROM content").fetchone()
        if total < COLLECT_ABOVE:
            return
        trees = [
            (key, root, _split(_open(files, listing)[4:])[1])
            for key, root, listing, files in execute("SELECT key, root, listing, files FROM tree")
        ]
        alive: set[int] = set()
        for key, root, contents in trees:
            if os.path.exists(root):
                alive.update(contents)
            else:
                execute("DELETE FROM tree WHERE key = ?", (key,))
                execute("DELETE FROM scan WHERE tree = ?", (key,))
        alive.discard(0)
        if total < 2 * len(alive) + COLLECT_ABOVE:
            return
        stored = {row[0] for row in execute("SELECT id FROM content")}
        self._connection.executemany(
            "DELETE FROM content WHERE id = ?", [(content,) for content in sorted(stored - alive)]
        )
        _, last, segments = self._manifest()
        self._generation += 1
        merged = [self._merge(last + 1, segments, alive)] if segments else []
        self._write_manifest(last + 1, merged)

    @_translated
    def size(self) -> int:
        """Bytes of the file."""
        return sum([_size(f"{self.path}{suffix}") for suffix in ("", "-wal")])


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except OSError:
        return 0


def _split(table: bytes) -> tuple[bytes, list[int]]:
    end = len(table) // 36 * 32
    return table[:end], _unpack(table[end:])
