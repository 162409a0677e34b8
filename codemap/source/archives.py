# Wheels and source distributions are unpacked into the cache, once per content: cache/archives/<sha256>. They
# are written beside that place and renamed, so a killed process leaves a temporary folder and never half a tree,
# and of two processes the second finds the work done.
#
# An archive is hostile until shown otherwise. Names that leave the folder refuse the whole archive; links and
# devices are never made; only Python files and a little metadata are written, compiled modules as empty files of
# that name. Every size is bounded before it is read, headers included (a tar can claim a header of 10 GB).
from __future__ import annotations

import errno
import os
import re
from collections.abc import Callable, Iterator
from typing import IO, Any, Final, NamedTuple

from codemap.errors import ArchiveError, CacheError
from codemap.source.folders import ARCHIVES, EXTENSION, LARGEST_FILE, SOURCE, Skipped, readable_name, why
from codemap.source.metadata import identity_in, read_text

MOST_MEMBERS: Final = 300_000
MOST_SOURCE: Final = 1_000_000_000  # bytes of Python written
MOST_STREAM: Final = 10_000_000_000  # bytes a tar may unpack to, data that is only passed over included
MOST_AT_ONCE: Final = 64_000_000  # bytes a single read of a tar may ask for
_METADATA: Final = frozenset({"METADATA", "PKG-INFO", "pyproject.toml", "setup.cfg", "py.typed"})
_LAYOUT: Final = "1"  # changes when other members are written than before
_DAY: Final = 86_400

_IMPOSSIBLE_NAME: Final = frozenset({errno.ENAMETOOLONG, errno.EINVAL, errno.EILSEQ})


class Member(NamedTuple):
    """One entry of an archive: `kind` is "file", "folder" or "other" (links, devices); sizes in bytes."""

    name: str
    size: int
    kind: str
    read: Callable[[], bytes]


class Unpacked(NamedTuple):
    """An archive in the cache: the folder to look at, what it calls itself, what was left out."""

    root: str
    name: str
    version: str | None
    skipped: tuple[Skipped, ...]


def unpack(archive: str, cache: str) -> Unpacked:
    """Unpack an archive into the cache, or find it there. Raises ArchiveError, CacheError."""
    digest = _digest_of(archive, cache)
    known = open_unpacked(digest, cache)
    if known is not None:
        return known
    store = prepare(cache, "archives")
    final = os.path.join(store, f"{digest}-{_LAYOUT}")
    with TemporaryFolder(store) as folder:
        files = os.path.join(folder, "files")
        try:
            os.mkdir(files)
        except OSError as error:
            raise unwritable(cache, error) from error
        skipped = _write_members(archive, files, cache)
        about = [f"{_own_name(archive)}\n"] + [f"{each.file}\t{each.reason}\n" for each in sorted(skipped)]
        try:
            with open(os.path.join(folder, "about"), "w", encoding="utf-8", newline="\n") as file:
                file.writelines(about)
            try:
                os.rename(folder, final)
            except OSError:
                if not os.path.isdir(final):  # another process was quicker
                    raise
        except OSError as error:
            raise unwritable(cache, error) from error
    unpacked = open_unpacked(digest, cache)
    if unpacked is None:
        raise CacheError(
            f"{final} went away while it was read", "another process clears the cache: ask again"
        )
    return unpacked


def digest_of_file(path: str) -> str:
    """The SHA-256 of a file, hex."""
    from hashlib import file_digest

    with open(path, "rb") as file:
        return file_digest(file, "sha256").hexdigest()


def open_unpacked(digest: str, cache: str) -> Unpacked | None:
    """What an earlier process unpacked, None when the cache does not have it."""
    folder = os.path.join(cache, "archives", f"{digest}-{_LAYOUT}")
    about = read_text(os.path.join(folder, "about"))
    if about is None:
        return None
    lines = about.splitlines()
    root = _top_folder(os.path.join(folder, "files"))
    identity = identity_in(root)
    name, _, version = lines[0].partition("\t") if lines else ("", "", "")
    if identity is not None and identity.name:
        name, version = identity.name, identity.version or version
    inner = os.path.basename(root) + "/" if os.path.basename(root) != "files" else ""
    rows = (line.partition("\t") for line in lines[1:])
    skipped = tuple(Skipped(file.removeprefix(inner), reason) for file, _, reason in rows)
    return Unpacked(root, name, version or None, skipped)


# --- the cache ------------------------------------------------------------------------------------------------
def prepare(cache: str, part: str) -> str:
    """A folder of the cache, made when missing; the cache is marked as one (https://bford.info/cachedir/)."""
    folder = os.path.join(cache, part)
    try:
        os.makedirs(folder, exist_ok=True)
        tag = os.path.join(cache, "CACHEDIR.TAG")
        if not os.path.exists(tag):
            with open(tag, "w", encoding="ascii") as file:
                file.write(
                    "Signature: 8a477f597d28d172789f06886806bc55\n# A cache of codemap; it may be deleted.\n"
                )
    except OSError as error:
        raise unwritable(cache, error) from error
    return folder


def unwritable(cache: str, error: OSError) -> CacheError:
    """The error for a cache that cannot be written."""
    return CacheError(
        f"the cache {cache} cannot be written: {why(error)}",
        "free it, or name another folder in CODEMAP_CACHE_DIR",
    )


def write_whole(path: str, text: str, cache: str) -> None:
    """Write a small file of the cache so that nobody ever reads half of it."""
    temporary = f"{path}.{os.getpid()}"
    try:
        with open(temporary, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        os.replace(temporary, path)
    except OSError as error:
        raise unwritable(cache, error) from error


class TemporaryFolder:
    """A folder that is gone afterwards unless it was renamed. Those of killed processes go after a day."""

    def __init__(self, store: str) -> None:
        self._store = store
        self.path = ""

    def __enter__(self) -> str:
        from shutil import rmtree
        from tempfile import mkdtemp
        from time import time

        try:
            self.path = mkdtemp(prefix=".new-", dir=self._store)
            for name in os.listdir(self._store):
                other = os.path.join(self._store, name)
                if name.startswith(".new-") and os.lstat(other).st_mtime < time() - _DAY:
                    rmtree(other, ignore_errors=True)
        except FileNotFoundError:
            pass  # another process tidied up as well
        except OSError as error:
            raise unwritable(os.path.dirname(self._store), error) from error
        return self.path

    def __exit__(self, *error: object) -> None:
        from shutil import rmtree

        if os.path.isdir(self.path):
            rmtree(self.path, ignore_errors=True)


def _digest_of(archive: str, cache: str) -> str:
    """The digest of an archive, remembered with its size, times and inode: a warm question does not read it."""
    from binascii import crc32

    try:
        status = os.stat(archive)
        stamp = f"{status.st_size}:{status.st_mtime_ns}:{status.st_ctime_ns}:{status.st_ino}"
        memo = os.path.join(cache, "archives", f"known-{crc32(os.fsencode(archive)):08x}")
        known = read_text(memo)
        if known is not None:
            path, _, rest = known.partition("\n")
            old, _, digest = rest.partition("\n")
            if path == readable_name(archive) and old == stamp and re.fullmatch("[0-9a-f]{64}", digest):
                return digest
        digest = digest_of_file(archive)
    except OSError as error:
        raise ArchiveError(f"{archive} cannot be read: {why(error)}") from error
    prepare(cache, "archives")
    write_whole(memo, f"{readable_name(archive)}\n{stamp}\n{digest}", cache)
    return digest


def _own_name(archive: str) -> str:
    """Name and version from the file's name, tab between: for archives without metadata."""
    name = os.path.basename(archive)
    for suffix in ARCHIVES:
        if name.lower().endswith(suffix):
            name = name[: -len(suffix)]
            break
    found = re.match(r"(.+?)-(\d[^-]*)(?:-|$)", name)
    return "\t".join(readable_name(part) for part in ((found[1], found[2]) if found else (name, "")))


def _top_folder(files: str) -> str:
    """`name-version/` of a source distribution, else the folder itself."""
    try:
        names = os.listdir(files)
    except OSError:
        return files
    if len(names) == 1:
        top = os.path.join(files, names[0])
        if any(
            os.path.isfile(os.path.join(top, name)) for name in ("PKG-INFO", "pyproject.toml", "setup.py")
        ):
            return top
    return files


# --- members --------------------------------------------------------------------------------------------------
def member_path(name: str) -> str:
    """The path of a member inside the folder, "/" between parts. Raises ValueError when it would leave it."""
    parts = [part for part in name.replace("\\", "/").split("/") if part not in ("", ".")]
    if name.startswith(("/", "\\")) or ".." in parts or "\0" in name or (parts and ":" in parts[0]):
        raise ValueError(name)
    return "/".join(parts)


def _write_members(archive: str, files: str, cache: str) -> list[Skipped]:
    """Write the members that matter under `files`; what is left out is returned with its reason."""
    skipped: list[Skipped] = []
    written = 0
    made: set[str] = set()
    for count, member in enumerate(_members(archive)):
        if count >= MOST_MEMBERS:
            raise ArchiveError(
                f"{archive} has more than {MOST_MEMBERS} members", "unpack it and name the folder"
            )
        try:
            path = _installed_path(member_path(member.name))
        except ValueError:
            raise ArchiveError(
                f"{archive}: its member {readable_name(member.name)!r} reaches outside the archive's folder",
                "do not unpack it: no packaging tool writes such a name",
            ) from None
        base = path.rpartition("/")[2]
        compiled = base.endswith(EXTENSION)
        if member.kind == "folder" or not (compiled or base.endswith(SOURCE) or base in _METADATA):
            continue
        shown = readable_name(path)
        refusal = ""
        if shown != path:
            refusal = "its name cannot be printed"
        elif member.kind != "file":
            refusal = "a link or device in the archive"
        elif member.size > LARGEST_FILE and not compiled:
            refusal = f"larger than {LARGEST_FILE // 1_000_000} MB ({member.size} bytes)"
        if refusal:
            skipped.append(Skipped(shown, refusal))
            continue
        data = b"" if compiled else _reading(archive, member.read)
        written += len(data)
        if written > MOST_SOURCE:
            raise ArchiveError(
                f"{archive} holds more than {MOST_SOURCE // 1_000_000} MB of Python",
                "unpack it and name the folder",
            )
        _write(archive, files, path, data, made, cache)
    return skipped


def _installed_path(path: str) -> str:
    """Where a wheel's member is installed: `x-1.data/purelib/x/a.py` is `x/a.py`, other .data is no source."""
    parts = path.split("/", 2)
    if len(parts) == 3 and parts[0].endswith(".data"):
        return parts[2] if parts[1] in ("purelib", "platlib") else ""
    return path


def _write(archive: str, files: str, path: str, data: bytes, made: set[str], cache: str) -> None:
    folder = path.rpartition("/")[0]
    target = os.path.join(files, path)
    try:
        if folder not in made:
            os.makedirs(os.path.join(files, folder), exist_ok=True)
            made.add(folder)
        with open(target, "wb") as file:
            file.write(data)
    except (FileExistsError, NotADirectoryError, IsADirectoryError) as error:
        raise ArchiveError(f"{archive} is broken: {path!r} is both a file and a folder in it") from error
    except OSError as error:
        if error.errno in _IMPOSSIBLE_NAME:
            raise ArchiveError(f"{archive} is broken: no file can be called {path[:80]!r}...") from error
        raise unwritable(cache, error) from error


def _reading(archive: str, content: Callable[[], bytes]) -> bytes:
    """Read a member; whatever a broken archive makes the standard library raise is one error."""
    try:
        return content()
    except (ArchiveError, MemoryError):
        raise
    except Exception as error:
        raise _broken(archive, error) from error


def _broken(archive: str, error: Exception) -> ArchiveError:
    words = " ".join(str(error).split()) or type(error).__name__
    return ArchiveError(f"{archive} is broken or no archive: {words[:200]}", "fetch it again")


def _members(archive: str) -> Iterator[Member]:
    """The entries of an archive, in its order."""
    try:
        yield from (
            _zip_members(archive) if archive.lower().endswith((".whl", ".zip")) else _tar_members(archive)
        )
    except (ArchiveError, MemoryError, GeneratorExit):
        raise
    except Exception as error:
        raise _broken(archive, error) from error


def _zip_members(archive: str) -> Iterator[Member]:
    import stat
    import zipfile

    def reader(opened: zipfile.ZipFile, info: zipfile.ZipInfo) -> Callable[[], bytes]:
        def read() -> bytes:
            with opened.open(info) as file:  # checks the CRC, and gives at most info.file_size bytes
                return file.read()

        return read

    with zipfile.ZipFile(archive) as opened:
        for info in opened.infolist():
            mode = stat.S_IFMT(info.external_attr >> 16) if info.create_system == 3 else 0  # 3: made on Unix
            kind = "folder" if info.is_dir() else "file" if mode in (0, stat.S_IFREG) else "other"
            yield Member(info.filename, info.file_size, kind, reader(opened, info))


def _tar_members(archive: str) -> Iterator[Member]:
    import tarfile

    def reader(opened: tarfile.TarFile, member: tarfile.TarInfo) -> Callable[[], bytes]:
        def read() -> bytes:
            file = opened.extractfile(member)
            data = file.read() if file is not None else b""
            if len(data) != member.size:
                raise EOFError("it ends too early")
            return data

        return read

    with open(archive, "rb") as raw:
        stream: Any = _Bounded(archive, _decompressed(raw))
        with tarfile.TarFile(fileobj=stream, encoding="utf-8") as opened:
            while (member := opened.next()) is not None:
                opened.members = []  # type: ignore[attr-defined]  # else it keeps them all
                plain = member.isreg() and not member.issparse()
                kind = "folder" if member.isdir() else "file" if plain else "other"
                yield Member(member.name, member.size, kind, reader(opened, member))
        if stream.last.strip(b"\0"):  # tarfile takes a damaged header for the end
            raise EOFError("a header in it is damaged")
        while stream.read(1 << 20):  # a compressed stream checks itself at its end
            pass


def _decompressed(raw: IO[bytes]) -> Any:
    """The stream inside gzip, bzip2 or xz, told by its first bytes, else the stream itself."""
    magic = raw.read(6)
    raw.seek(0)
    if magic.startswith(b"\x1f\x8b"):
        import gzip

        return gzip.GzipFile(fileobj=raw)
    if magic.startswith(b"BZh"):
        import bz2

        return bz2.BZ2File(raw)
    if magic == b"\xfd7zXZ\x00":
        import lzma

        return lzma.LZMAFile(raw)
    return raw


class _Bounded:
    """A stream that is only read forwards, as far as MOST_STREAM, and in reads no larger than MOST_AT_ONCE."""

    def __init__(self, archive: str, stream: Any) -> None:
        self._archive = archive
        self._stream = stream
        self._position = 0
        self.last = b""

    def read(self, size: int = -1) -> bytes:
        if size < 0 or size > MOST_AT_ONCE:
            raise ArchiveError(f"{self._archive} is broken: a header in it claims {size} bytes")
        data: bytes = self._stream.read(size)
        self.last = data
        self._position += len(data)
        if self._position > MOST_STREAM:
            raise ArchiveError(
                f"{self._archive} unpacks to more than {MOST_STREAM // 1_000_000_000} GB",
                "unpack it and name the folder",
            )
        return data

    def tell(self) -> int:
        return self._position

    def seek(self, offset: int) -> None:
        if offset < self._position:
            raise OSError("it points backwards")
        while self._position < offset and self.read(min(offset - self._position, 1 << 20)):
            pass
