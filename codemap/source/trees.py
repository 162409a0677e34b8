# What CLI.md calls a TREE, in every form, becomes the same thing here: a real folder, the places in it to look
# at, and where module names begin. Nothing above this module knows what a wheel is.
#
# Opening is lazy: a warm question needs one walk and no import root, so roots are worked out when first asked.
from __future__ import annotations

import errno
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from codemap.errors import ArchiveError, EmptyTree, NoSuchTree, TreeError
from codemap.source.folders import FileEntry, Listing, Skipped, Walk, excluder, is_archive, is_within, walk
from codemap.source.layouts import Mount, find_mounts
from codemap.source.metadata import identity_in
from codemap.source.modules import ModuleMap

__all__ = ["FileEntry", "Listing", "Skipped", "Tree", "open_tree"]

_FETCHED: Final = "pypi:"
_REMOTE: Final = "ssh://"


class Tree:
    """A tree of Python source: a folder, and which part of it is meant.

    `spec` is what the user wrote, `name` and `version` what the tree calls itself, `root` the absolute folder
    that all paths are relative to, `key` the tree's identity for a cache.
    """

    __slots__ = ("_base", "_excluded", "_filtered", "_left_out", "_modules", "_mounts", "_only", "_tops", "_walked",
                 "key", "name", "root", "spec", "version")  # fmt: skip

    def __init__(
        self,
        spec: str,
        name: str,
        version: str | None,
        root: str,
        *,
        tops: Sequence[str] = ("",),
        base: str = "",
        only: frozenset[str] | None = None,
        mounts: Sequence[Mount] | None = None,
        exclude: Sequence[str] = (),
        left_out: Sequence[Skipped] = (),
        identity: str = "",
    ) -> None:
        """`root` is absolute and real; `tops`, `only` as in `folders.walk`; `base` is the folder whose layout
        gives the import roots where `mounts` does not; `left_out` what an archive did not give."""
        self.spec, self.name, self.version, self.root = spec, name, version, Path(root)
        self._tops = tuple(tops)
        self._base = base
        self._only = only
        self._mounts: tuple[Mount, ...] | None = tuple(mounts) if mounts is not None else None
        self._excluded = excluder(exclude)
        self._filtered = bool(exclude)
        self._left_out = tuple(left_out)
        self._walked: Walk | None = None
        self._modules: ModuleMap | None = None
        given = "" if mounts is None else "\x1f".join(f"{folder}={dotted}" for folder, dotted in mounts)
        parts = (root, "\x1f".join(self._tops), given, "\x1f".join(sorted(set(exclude))), identity)
        self.key = "\x1e".join(parts)

    def __repr__(self) -> str:
        return f"<Tree {self.name} {self.version or ''} at {self.root}>"

    @property
    def roots(self) -> tuple[str, ...]:
        """The import roots relative to `root`, "/" between parts, "" for the root itself; nested ones first."""
        return tuple(folder for folder, _ in self.mounts)

    @property
    def mounts(self) -> tuple[Mount, ...]:
        """The import roots with the dotted name that each bears: "" but where a tree lies within a package."""
        if self._mounts is None:
            return find_mounts(str(self.root), self._base, self._latest().projects)
        return self._mounts

    def listing(self) -> Listing:
        """The files as they are now: looks at the folder anew each time. Raises EmptyTree."""
        walked = walk(str(self.root), tops=self._tops, excluded=self._excluded, only=self._only)
        if self._left_out or self._only is not None:
            walked.listing = self._completed(walked.listing)
        listing = walked.listing
        if not listing.files:
            what = f"no Python file in {self.spec}" + (f" ({self.root})" if self.spec != str(self.root) else "")
            if listing.skipped:
                first = listing.skipped[0]
                what += f"; {len(listing.skipped)} left out, such as {first.file}: {first.reason}"
            elif listing.extensions:
                what += f"; only compiled modules, such as {listing.extensions[0]}"
            if self._filtered:
                raise EmptyTree(f"{what} but for what --exclude leaves out", "exclude less")
            raise EmptyTree(what, "name a folder, an installed distribution, an archive, or pypi:NAME==VERSION")
        self._walked = walked
        self._modules = None
        return listing

    def read(self, path: str) -> bytes:
        """The bytes of a file of the listing. Raises TreeError for a path outside the tree, OSError otherwise."""
        if path.startswith("/") or "\\" in path or os.path.isabs(path) or ".." in path.split("/"):
            raise TreeError(f"{path} is not a path inside the tree", "paths are relative to the tree's root")
        full = os.path.join(self.root, path)
        flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
        try:
            descriptor = os.open(full, flags | getattr(os, "O_NOFOLLOW", 0))
        except OSError as error:
            if error.errno not in (errno.ELOOP, errno.EMLINK):
                raise
            if not is_within(full, str(self.root)):
                raise TreeError(f"{path} points outside the tree") from error
            descriptor = os.open(full, flags)
        with open(descriptor, "rb", buffering=0) as file:
            return file.read()

    @property
    def modules(self) -> ModuleMap:
        """Modules and files, as of the last listing."""
        if self._modules is None:
            listing = self._latest().listing
            paths = tuple([entry.path for entry in listing.files])
            self._modules = ModuleMap(paths, listing.extensions, self.mounts, str(self.root))
        return self._modules

    def _latest(self) -> Walk:
        if self._walked is None:
            self.listing()
        if self._walked is None:
            raise EmptyTree(f"no Python file in {self.spec}")
        return self._walked

    def _completed(self, listing: Listing) -> Listing:
        """With what an archive or a list of installed files names and the folder does not have."""
        skipped = set(listing.skipped) | set(self._left_out)
        if self._only is not None:
            there = {entry.path for entry in listing.files} | set(listing.extensions)
            there.update(entry.file for entry in listing.skipped)
            gone = [path for path in self._only - there if not os.path.lexists(os.path.join(self.root, path))]
            skipped.update(Skipped(path, "its distribution lists it, and it is not there") for path in gone)
        return listing._replace(skipped=tuple(sorted(skipped)))


def open_tree(
    spec: str | None,
    *,
    roots: Sequence[str] = (),
    python: str | None = None,
    exclude: Sequence[str] = (),
    cache: Path,
    say: Callable[[str], None] | None = None,
) -> Tree:
    """Open a tree by what the user wrote; None is the current folder.

    `roots` are import roots, relative to the tree (or to the current folder, or absolute); `python` is the
    interpreter or environment in which installed distributions are looked up; `exclude` are globs as in
    `folders.excluder`; `cache` is where archives are unpacked; `say` gets a line on what takes long.
    Raises TreeError (NoSuchTree, ArchiveError, FetchError) and CacheError.
    """
    spec = spec or "."
    if "\0" in spec:
        raise NoSuchTree("a tree's name holds no null byte")
    if spec.startswith(_REMOTE):
        raise TreeError("ssh:// trees are not supported yet", "copy the folder here, or use pypi:NAME==VERSION")
    if spec.startswith(_FETCHED):
        from codemap.source.requirements import fetch

        unpacked = fetch(spec.removeprefix(_FETCHED), str(cache), say or (lambda line: None))
        return _folder(spec, unpacked.root, roots, exclude, unpacked.name, unpacked.version, unpacked.skipped)
    path = os.path.expanduser(spec)
    if os.path.isdir(path):
        real = os.path.realpath(path)
        identity = identity_in(real)
        name = identity.name if identity is not None and identity.name else os.path.basename(real) or real
        return _folder(spec, real, roots, exclude, name, (identity.version or None) if identity else None)
    if os.path.lexists(path):
        return _archive(spec, path, roots, exclude, cache)
    if _looks_like_a_path(spec):
        raise _no_such_path(spec, path)
    return _installed(spec, path, roots, python, exclude)


def _looks_like_a_path(spec: str) -> bool:
    return "/" in spec or os.sep in spec or spec.startswith((".", "~")) or is_archive(spec)


def _archive(spec: str, path: str, roots: Sequence[str], exclude: Sequence[str], cache: Path) -> Tree:
    from codemap.source.archives import unpack

    if not os.path.isfile(path):
        raise NoSuchTree(f"{spec} is neither a folder nor a file that can be read", "name a folder or an archive")
    if not is_archive(path):
        raise ArchiveError(f"{spec} is a file and no archive", "a tree is a folder, a .whl, .zip or .tar.gz file")
    unpacked = unpack(os.path.realpath(path), str(cache))
    return _folder(spec, unpacked.root, roots, exclude, unpacked.name, unpacked.version, unpacked.skipped)


def _folder(
    spec: str,
    folder: str,
    roots: Sequence[str],
    exclude: Sequence[str],
    name: str,
    version: str | None,
    left_out: Sequence[Skipped] = (),
) -> Tree:
    """A folder, with import roots that may lie outside it."""
    folder = os.path.realpath(folder)
    if not roots:
        return Tree(spec, name, version, folder, exclude=exclude, left_out=left_out)
    given = [_root_folder(folder, root) for root in roots]
    root = _common_parent([folder, *given])
    top = _relative(folder, root)
    mounts = [(_relative(each, root), "") for each in dict.fromkeys(given)]
    tops = [top] + [each for each, _ in mounts if each != top]
    if not any(each == top for each, _ in mounts):
        mounts.append((top, ""))
    return Tree(
        spec, name, version, root,
        tops=tuple(tops), base=top, mounts=mounts, exclude=exclude, left_out=left_out,
    )  # fmt: skip


def _installed(spec: str, path: str, roots: Sequence[str], python: str | None, exclude: Sequence[str]) -> Tree:
    from codemap.source import installed

    where = installed.module_path(python)
    distribution = installed.find_distribution(spec, where)
    if distribution is None:
        raise _not_installed(spec, path, python, installed.distribution_names(where))
    contents = installed.contents_of(distribution)
    tops, mounts = contents.tops, contents.mounts
    root = contents.root
    if roots:
        given = [_root_folder(root, each) for each in roots]
        if not all(each == root or each.startswith(root.rstrip(os.sep) + os.sep) for each in given):
            raise TreeError("--root of an installed distribution lies in its folder", f"that is {root}")
        mounts = tuple((_relative(each, root), "") for each in dict.fromkeys(given))
        mounts += () if any(not folder for folder, _ in mounts) else (("", ""),)
    return Tree(
        spec, distribution.name, distribution.version, root,
        tops=tops, only=contents.only, mounts=mounts, exclude=exclude, identity=distribution.name,
    )  # fmt: skip


def _root_folder(folder: str, root: str) -> str:
    """The absolute, real folder of a `--root`."""
    expanded = os.path.expanduser(root)
    for path in (os.path.join(folder, expanded), os.path.abspath(expanded)):
        if os.path.isdir(path):
            return os.path.realpath(path)
    raise _no_such_path(root, os.path.join(folder, expanded), "import root")


def _common_parent(folders: Sequence[str]) -> str:
    try:
        return os.path.commonpath(folders)
    except ValueError:
        raise TreeError("the import roots lie on several drives", "a tree has one folder that holds all of it") from None


def _relative(path: str, root: str) -> str:
    found = os.path.relpath(path, root).replace(os.sep, "/")
    return "" if found == "." else found


def _no_such_path(spec: str, path: str, what: str = "folder or archive") -> NoSuchTree:
    """The error for a path that is not there, with its likely siblings."""
    from codemap.nearest import nearest

    near = nearest(os.path.basename(path.rstrip("/")), _siblings(path))
    parent = os.path.dirname(spec.rstrip("/"))
    shown = tuple(f"{parent.rstrip('/')}/{name}" if parent else name for name in near)
    return NoSuchTree(f"no {what} {spec}", _did_you_mean(shown), shown)


def _not_installed(spec: str, path: str, python: str | None, names: list[str]) -> NoSuchTree:
    """The error for a name that is neither a folder here nor an installed distribution."""
    from codemap.nearest import nearest
    from codemap.source.metadata import canonical

    near = dict.fromkeys(nearest(canonical(spec), names))
    near.update(dict.fromkeys(nearest(spec, _siblings(path))))
    shown = tuple(near)
    environment = os.environ.get("VIRTUAL_ENV", "")
    hint = _did_you_mean(shown)
    if not hint and python is None and environment and os.path.isdir(environment):
        hint = f"to look into the active environment: --python {environment}"
    where = f"the environment of {python}" if python else "codemap's environment"
    return NoSuchTree(
        f"no folder {spec} here and no distribution of that name in {where}",
        hint or f"--python looks in another environment, pypi:{spec} fetches it",
        shown,
    )


def _siblings(path: str) -> list[str]:
    """Folders and archives beside a path that is not there."""
    try:
        with os.scandir(os.path.dirname(os.path.abspath(path))) as found:
            return [entry.name for entry in found if entry.is_dir() or is_archive(entry.name)]
    except OSError:
        return []


def _did_you_mean(names: Sequence[str]) -> str:
    return f"did you mean {' or '.join(names[:3])}?" if names else ""
