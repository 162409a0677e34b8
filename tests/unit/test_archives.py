"""Wheels and source distributions, honest and hostile."""
from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import random
import stat
import tarfile
import zipfile
from collections.abc import Mapping
from contextlib import suppress
from multiprocessing import get_context
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codemap.errors import ArchiveError, CacheError
from codemap.source import archives
from codemap.source.archives import member_path, unpack
from codemap.source.folders import LARGEST_FILE
from codemap.source.trees import open_tree


def wheel(path: Path, members: Mapping[str, str | bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in members.items():
            file.writestr(name, content)
    return path


def sdist(path: Path, members: Mapping[str, str | bytes], mode: str = "w:gz") -> Path:
    with tarfile.open(path, mode) as file:  # type: ignore[call-overload]
        for name, content in members.items():
            add(file, name, content)
    return path


def add(file: tarfile.TarFile, name: str, content: str | bytes = b"", **fields: object) -> None:
    data = content.encode() if isinstance(content, str) else content
    info = tarfile.TarInfo(name)
    info.size = len(data)
    for field, value in fields.items():
        setattr(info, field, value)
    file.addfile(info, io.BytesIO(data))


def everything_below(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if not path.is_dir()}


def paths(tree_spec: Path, cache: Path) -> list[str]:
    return [entry.path for entry in open_tree(str(tree_spec), cache=cache).listing().files]


# --- honest ones ------------------------------------------------------------------------------------------------
def test_wheel_becomes_what_it_installs(tmp_path: Path) -> None:
    """A wheel's tree has the paths of an installation, the name and version of its metadata, and no data."""
    archive = wheel(
        tmp_path / "demo_pkg-1.2-cp311-cp311-linux_x86_64.whl",
        {
            "demo/__init__.py": "import demo.core\n",
            "demo/core.py": "X = 1\r\n",
            "demo/_fast.cpython-311-x86_64-linux-gnu.so": b"\x7fELF" + bytes(1000),
            "demo/weights.bin": bytes(5000),
            "demo_pkg-1.2.data/purelib/demo/extra.py": "",
            "demo_pkg-1.2.data/scripts/run.py": "",
            "demo_pkg-1.2.dist-info/METADATA": "Metadata-Version: 2.1\nName: Demo.Pkg\nVersion: 1.2\n\nVersion: 9\n",
            "demo_pkg-1.2.dist-info/RECORD": "",
        },
    )
    tree = open_tree(str(archive), cache=tmp_path / "cache")
    assert (tree.name, tree.version, tree.roots) == ("Demo.Pkg", "1.2", ("",))
    listing = tree.listing()
    assert [entry.path for entry in listing.files] == ["demo/__init__.py", "demo/core.py", "demo/extra.py"]
    assert listing.extensions == ("demo/_fast.cpython-311-x86_64-linux-gnu.so",)
    assert tree.modules.extension_of("demo._fast") == listing.extensions[0]
    assert tree.read("demo/core.py") == b"X = 1\r\n"
    assert not (tree.root / "demo/weights.bin").exists()
    assert (tree.root / listing.extensions[0]).stat().st_size == 0


@pytest.mark.parametrize(
    ("suffix", "mode"), [(".tar.gz", "w:gz"), (".tar.bz2", "w:bz2"), (".tar.xz", "w:xz"), (".tgz", "w:gz"), (".tar", "w:")]
)
def test_source_distribution_has_its_top_folder_for_root(tmp_path: Path, suffix: str, mode: str) -> None:
    """The folder `name-version/` is the root, `src` in it an import root, PKG-INFO names it."""
    archive = sdist(
        tmp_path / f"demo-2.0{suffix}",
        {
            "demo-2.0/PKG-INFO": "Name: demo\nVersion: 2.0\n",
            "demo-2.0/setup.py": "raise SystemExit('never run')\n",
            "demo-2.0/src/demo/__init__.py": "",
            "demo-2.0/tests/test_demo.py": "",
        },
        mode,
    )
    tree = open_tree(str(archive), cache=tmp_path / "cache")
    assert (tree.name, tree.version, tree.roots) == ("demo", "2.0", ("src", ""))
    assert [entry.path for entry in tree.listing().files] == ["setup.py", "src/demo/__init__.py", "tests/test_demo.py"]
    assert tree.modules.files_of("demo") == ("src/demo/__init__.py",)


def test_zip_without_metadata_is_named_by_its_file(tmp_path: Path) -> None:
    """A zip of loose modules is a tree as well; its file's name says what there is to say."""
    archive = wheel(tmp_path / "tools-3.1.zip", {"a.py": "", "b/c.py": ""})
    tree = open_tree(str(archive), cache=tmp_path / "cache")
    assert (tree.name, tree.version) == ("tools", "3.1")
    assert paths(archive, tmp_path / "cache") == ["a.py", "b/c.py"]


def test_unpacked_once_and_again_when_its_bytes_change(tmp_path: Path) -> None:
    """The same bytes are found in the cache, under any name; other bytes under the same name are another tree."""
    cache = tmp_path / "cache"
    archive = wheel(tmp_path / "a-1-py3-none-any.whl", {"a.py": "1"})
    first = open_tree(str(archive), cache=cache)
    marker = first.root / "marker.py"
    marker.write_text("")
    assert open_tree(str(archive), cache=cache).root == first.root
    copy = tmp_path / "copy.whl"
    copy.write_bytes(archive.read_bytes())
    assert open_tree(str(copy), cache=cache).root == first.root
    assert marker.exists()
    wheel(archive, {"a.py": "2"})
    second = open_tree(str(archive), cache=cache)
    assert second.root != first.root
    assert second.read("a.py") == b"2"


def test_files_too_large_are_named_and_not_written(tmp_path: Path) -> None:
    """A Python file over the limit is left out with its size as the reason; the rest is there."""
    archive = wheel(tmp_path / "a-1.whl", {"big.py": bytes(LARGEST_FILE + 1), "small.py": ""})
    listing = open_tree(str(archive), cache=tmp_path / "cache").listing()
    assert [entry.path for entry in listing.files] == ["small.py"]
    assert [(entry.file, entry.reason.split(" (")[0]) for entry in listing.skipped] == [("big.py", "larger than 20 MB")]


# --- hostile ones -----------------------------------------------------------------------------------------------
ESCAPES = ["../evil.py", "a/../../evil.py", "/evil.py", "..\\evil.py", "\\evil.py", "C:/evil.py", "c:\\evil.py", "a/..", ".."]


@pytest.mark.parametrize("name", ESCAPES)
@pytest.mark.parametrize("kind", ["zip", "tar"])
def test_member_outside_its_folder_refuses_the_archive(tmp_path: Path, name: str, kind: str) -> None:
    """One name that leaves the folder, and nothing of the archive is kept."""
    cache = tmp_path / "cache"
    members = {"good.py": "", name: "EVIL = 1"}
    archive = wheel(tmp_path / "a.whl", members) if kind == "zip" else sdist(tmp_path / "a.tar.gz", members)
    with pytest.raises(ArchiveError, match="outside the archive's folder") as caught:
        open_tree(str(archive), cache=cache)
    assert "\n" not in str(caught.value)
    assert not [path for path in everything_below(tmp_path) if path.endswith(".py")]


PIECES = ["..", ".", "/", "\\", "a", "b.py", ":", "\0", "~", " ", "é", "\udc80"]


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
def test_no_member_name_leaves_its_folder(name: str) -> None:
    """Whatever a member is called, its path stays inside, or the name is refused."""
    try:
        path = member_path(name)
    except ValueError:
        return
    assert "\0" not in path
    joined = os.path.normpath(os.path.join("/safe/files", path))
    assert joined == "/safe/files" or joined.startswith("/safe/files/")


@settings(max_examples=60, deadline=None)
@given(names=st.lists(st.text(st.characters(codec="utf-8"), min_size=1, max_size=12).map(lambda text: text + ".py"), min_size=1))
def test_no_zip_writes_outside_its_folder(tmp_path_factory: pytest.TempPathFactory, names: list[str]) -> None:
    """Unpacking archives with any names at all leaves no file outside the cache's folder for archives."""
    place = tmp_path_factory.mktemp("any")
    archive = place / "a.whl"
    with zipfile.ZipFile(archive, "w") as file:
        for name in dict.fromkeys(names):
            file.writestr(name, "")
    with suppress(ArchiveError):
        unpack(str(archive), str(place / "inner" / "cache"))
    outside = everything_below(place) - {"a.whl", "inner/cache/CACHEDIR.TAG"}
    assert all(path.startswith("inner/cache/archives/") for path in outside)


def test_links_and_devices_are_never_made(tmp_path: Path) -> None:
    """Links, FIFOs and devices in an archive are named as left out, and nothing is written through them."""
    secret = tmp_path / "secret.py"
    secret.write_text("SECRET = 1")
    archive = tmp_path / "a-1.tar.gz"
    with tarfile.open(archive, "w:gz") as file:
        add(file, "ok.py", "X = 1")
        add(file, "link.py", type=tarfile.SYMTYPE, linkname=str(secret))
        add(file, "hard.py", type=tarfile.LNKTYPE, linkname="../../../secret.py")
        add(file, "pipe.py", type=tarfile.FIFOTYPE)
        add(file, "device.py", type=tarfile.CHRTYPE, devmajor=1, devminor=5)
        add(file, "dir", type=tarfile.SYMTYPE, linkname=str(tmp_path))
        add(file, "dir/secret.py", "OVERWRITTEN = 1")
    listing = open_tree(str(archive), cache=tmp_path / "cache").listing()
    assert [entry.path for entry in listing.files] == ["dir/secret.py", "ok.py"]
    assert [entry.file for entry in listing.skipped] == ["device.py", "hard.py", "link.py", "pipe.py"]
    assert secret.read_text() == "SECRET = 1"
    assert not [path for path in (tmp_path / "cache").rglob("*") if path.is_symlink()]


def test_link_in_a_zip_is_left_out(tmp_path: Path) -> None:
    """A zip can hold a symbolic link; it is not made."""
    archive = tmp_path / "a-1.zip"
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("ok.py", "")
        info = zipfile.ZipInfo("link.py")
        info.create_system = 3
        info.external_attr = (stat.S_IFLNK | 0o777) << 16
        file.writestr(info, "/etc/passwd")
    listing = open_tree(str(archive), cache=tmp_path / "cache").listing()
    assert [entry.path for entry in listing.files] == ["ok.py"]
    assert [entry.file for entry in listing.skipped] == ["link.py"]


def test_names_that_cannot_be_printed_are_left_out(tmp_path: Path) -> None:
    """A name with a control character or of no UTF-8 is named with escapes and not written."""
    archive = tmp_path / "a-1.tar.gz"
    with tarfile.open(archive, "w:gz", encoding="utf-8", errors="surrogateescape") as file:
        add(file, "ok.py")
        add(file, "bad\x1b[31m.py")
        add(file, "latin-\udce9.py")
    listing = open_tree(str(archive), cache=tmp_path / "cache").listing()
    assert [entry.path for entry in listing.files] == ["ok.py"]
    assert [entry.file for entry in listing.skipped] == ["bad\\x1b[31m.py", "latin-\\udce9.py"]


def test_bombs_are_refused_with_their_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Too many members, too much Python, a stream without end and a header of gigabytes: each is one error."""
    cache = tmp_path / "cache"
    many = wheel(tmp_path / "many.whl", {f"m{number}.py": "x = 1\n" * 100 for number in range(50)})
    tar = sdist(tmp_path / "long.tar.gz", {"data.bin": bytes(3_000_000), "a.py": ""})
    monkeypatch.setattr(archives, "MOST_MEMBERS", 20)
    with pytest.raises(ArchiveError, match="more than 20 members"):
        unpack(str(many), str(cache))
    monkeypatch.setattr(archives, "MOST_MEMBERS", 1000)
    monkeypatch.setattr(archives, "MOST_SOURCE", 10_000)
    with pytest.raises(ArchiveError, match="of Python"):
        unpack(str(many), str(cache))
    monkeypatch.setattr(archives, "MOST_STREAM", 1_000_000)
    with pytest.raises(ArchiveError, match="unpacks to more than"):
        unpack(str(tar), str(cache))
    header = tarfile.TarInfo("pax")
    header.type = tarfile.XHDTYPE
    header.size = 8_000_000_000
    bomb = tmp_path / "header.tar.gz"
    bomb.write_bytes(gzip.compress(header.tobuf() + bytes(100_000)))
    with pytest.raises(ArchiveError, match="claims"):
        unpack(str(bomb), str(cache))
    assert os.listdir(cache / "archives") == [name for name in os.listdir(cache / "archives") if "known" in name]


# --- broken ones ------------------------------------------------------------------------------------------------
def broken_archives() -> dict[str, bytes]:
    noise = random.Random(1).randbytes(60_000)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("a.py", noise)
        file.writestr("b.py", noise)
    zipped = buffer.getvalue()
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        add(tar, "a.py", noise)
        add(tar, "b.py", noise)
    plain = buffer.getvalue()
    damaged = bytearray(plain)
    damaged[512 + 60_416 + 20] ^= 0xFF  # in the header of b.py
    return {
        "empty.whl": b"",
        "text.whl": b"this is no archive\n",
        "text.tar.gz": b"this is no archive\n",
        "empty.tar.gz": b"",
        "cut.whl": zipped[: len(zipped) // 2],
        "flipped.whl": zipped[:30_000] + bytes([zipped[30_000] ^ 0xFF]) + zipped[30_001:],
        "cut.tar": plain[:50_000],
        "cut.tar.gz": gzip.compress(plain)[:50_000],
        "cut-late.tar.gz": gzip.compress(plain)[:-4],
        "cut.tar.bz2": bz2.compress(plain)[:50_000],
        "cut.tar.xz": lzma.compress(plain)[:50_000],
        "damaged-header.tar.gz": gzip.compress(bytes(damaged)),
        "zip-inside.tar.gz": zipped,
    }


@pytest.mark.parametrize("name", sorted(broken_archives()))
def test_broken_archive_is_one_line(tmp_path: Path, name: str) -> None:
    """A broken archive says so in one line and leaves the cache without any of it."""
    (tmp_path / name).write_bytes(broken_archives()[name])
    with pytest.raises(ArchiveError) as caught:
        open_tree(str(tmp_path / name), cache=tmp_path / "cache")
    assert name in str(caught.value)
    assert "\n" not in str(caught.value)
    assert not list((tmp_path / "cache").rglob("*.py"))
    assert not list((tmp_path / "cache" / "archives").glob(".new-*"))


def test_member_that_is_a_file_and_a_folder(tmp_path: Path) -> None:
    """`a.py` and `a.py/b.py` cannot both be: the archive is broken."""
    archive = wheel(tmp_path / "a.whl", {"a.py": "", "a.py/b.py": ""})
    with pytest.raises(ArchiveError, match="both a file and a folder"):
        open_tree(str(archive), cache=tmp_path / "cache")


def test_encrypted_zip(tmp_path: Path) -> None:
    """An encrypted member is a broken archive to codemap, said in one line."""
    archive = wheel(tmp_path / "a.zip", {"a.py": "X = 1"})
    data = bytearray(archive.read_bytes())
    data[6] |= 1  # the flag in the local header and in the directory
    data[data.index(b"PK\x01\x02") + 8] |= 1
    archive.write_bytes(data)
    with pytest.raises(ArchiveError, match="encrypted"):
        open_tree(str(archive), cache=tmp_path / "cache")


def test_file_that_is_no_archive(tmp_path: Path) -> None:
    """A file that does not even claim to be an archive is told apart from a broken one."""
    (tmp_path / "module.py").write_text("")
    with pytest.raises(ArchiveError, match="no archive"):
        open_tree(str(tmp_path / "module.py"), cache=tmp_path / "cache")


# --- the cache --------------------------------------------------------------------------------------------------
def test_cache_that_cannot_be_written(tmp_path: Path) -> None:
    """A cache folder that cannot be made is a CacheError that names it and a way out."""
    (tmp_path / "cache").write_text("a file in its place")
    archive = wheel(tmp_path / "a.whl", {"a.py": ""})
    with pytest.raises(CacheError, match="cannot be written") as caught:
        open_tree(str(archive), cache=tmp_path / "cache")
    assert "CODEMAP_CACHE_DIR" in caught.value.hint


def test_what_a_killed_process_left_does_not_matter(tmp_path: Path) -> None:
    """Half a folder under a temporary name is never taken for the tree, and goes after a day."""
    cache = tmp_path / "cache"
    store = cache / "archives"
    old, new = store / ".new-old", store / ".new-new"
    for folder in (old, new):
        (folder / "files").mkdir(parents=True)
    os.utime(old, (0, 0))
    archive = wheel(tmp_path / "a.whl", {"a.py": ""})
    assert paths(archive, cache) == ["a.py"]
    assert not old.exists()
    assert new.exists()
    assert (cache / "CACHEDIR.TAG").read_text().startswith("Signature: 8a477f597d28d172789f06886806bc55")


def test_two_processes_unpack_at_once(tmp_path: Path) -> None:
    """Several processes that open one archive at the same time all get the whole tree."""
    archive = wheel(tmp_path / "a.whl", {f"m{number}.py": f"X = {number}\n" for number in range(200)})
    context = get_context("spawn")
    with context.Pool(3) as pool:
        found = pool.starmap(paths, [(archive, tmp_path / "cache")] * 6)
    assert all(len(each) == 200 for each in found)
    assert not list((tmp_path / "cache" / "archives").glob(".new-*"))
