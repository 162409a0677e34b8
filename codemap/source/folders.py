# One walk of a folder, as fast as os.scandir allows, since every question begins with it: one lstat a Python
# file, none for anything else. The walk also notes where projects lie (layouts.py makes import roots of them),
# so that nothing is read twice.
#
# A tree is untrusted data. Links to folders are never followed (no loops, nothing twice); a link to a file is
# followed when the file lies inside the tree, because `pkg/alias.py -> real.py` is a module of its own to Python.
from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Container, Sequence
from typing import Final, NamedTuple

LARGEST_FILE: Final = 20_000_000  # bytes; the largest Python files people write are a tenth of it
SOURCE: Final = (".py", ".pyi")
EXTENSION: Final = (".so", ".pyd")
PROJECT_FILES: Final = frozenset({"pyproject.toml", "setup.py", "setup.cfg"})
SITE_FOLDERS: Final = frozenset({"site-packages", "dist-packages"})
ARCHIVES: Final = (".whl", ".zip", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz", ".tar")
_NEVER: Final = frozenset({
    ".git", ".hg", ".svn", ".bzr", ".jj", ".sl", "CVS", "_darcs", "__pycache__", "__pypackages__", "node_modules",
    ".tox", ".nox", ".eggs", ".mypy_cache", ".ruff_cache", ".pytest_cache", ".hypothesis", ".pytype", ".pyre",
    ".ipynb_checkpoints", ".codemap",
})  # fmt: skip
_BUILT: Final = frozenset({"build", "dist", "_build"})  # beside a project file, and no package: build output
_ODD: Final = "[\x00-\x1f\x7f-\x9f\u2028\u2029]"


class FileEntry(NamedTuple):
    """A Python file: `path` relative to the tree's root with "/" between parts, `size` in bytes.

    `stamp` changes whenever the bytes may have changed (size, both times in nanoseconds, inode).
    """

    path: str
    size: int
    stamp: str


class Skipped(NamedTuple):
    """A file or a folder that was not looked into, and why."""

    file: str
    reason: str


class Listing(NamedTuple):
    """What lies in a tree, each sorted by path. `extensions` are compiled modules (.so, .pyd): a boundary."""

    files: tuple[FileEntry, ...]
    skipped: tuple[Skipped, ...]
    extensions: tuple[str, ...]


class Project:
    """A folder outside any package, which may be an import root.

    `marked`: it has a project file; `site`: it is a site-packages; `package`: it is a regular package itself;
    `children` are the names of its folders.
    """

    __slots__ = ("children", "folder", "marked", "package", "site")

    def __init__(self, folder: str, marked: bool, site: bool, children: tuple[str, ...], package: bool) -> None:
        self.folder, self.marked, self.site, self.children, self.package = folder, marked, site, children, package


class Walk:
    """A listing and the folders that decide about import roots (none below a regular package)."""

    __slots__ = ("listing", "projects")

    def __init__(self, listing: Listing, projects: dict[str, Project]) -> None:
        self.listing, self.projects = listing, projects


def excluder(globs: Sequence[str]) -> Callable[[str, str], bool]:
    """A test of (path, name) for `--exclude`.

    A glob without "/" fits the name of any file or folder; one with "/" fits the path from the root, where `*`
    also crosses "/". A folder that fits is left out with all that is in it. `**/` in front and a "/" or `/**`
    at the end say nothing more.
    """
    if not globs:
        return lambda path, name: False
    from fnmatch import translate

    names: list[str] = []
    paths: list[str] = []
    for glob in globs:
        text = glob.replace("\\", "/")
        while text.startswith(("./", "**/")):
            text = text.partition("/")[2]
        text = text.removesuffix("/").removesuffix("/**").removesuffix("/")
        if text:
            (paths if "/" in text else names).append(translate(text.lstrip("/")))
    never = "(?!)"
    by_name, by_path = (re.compile("|".join(each) or never) for each in (names, paths))
    return lambda path, name: bool(by_name.match(name) or by_path.match(path))


def is_archive(name: str) -> bool:
    """Whether a file's name says that it is an archive codemap can read."""
    return name.lower().endswith(ARCHIVES)


def readable_name(path: str) -> str:
    """The path as it can be printed and stored: what is no UTF-8, or a control character, as an escape."""
    shown = path.encode("utf-8", "backslashreplace").decode()
    return re.sub(_ODD, lambda found: found[0].encode("unicode_escape").decode(), shown)


def why(error: OSError) -> str:
    """The system's own words for an error, without the path."""
    return (error.strerror or str(error) or type(error).__name__).lower()


def is_within(path: str, root: str) -> bool:
    """Whether a path, once its links are followed, is `root` (already real) or lies in it."""
    real = os.path.realpath(path)
    return real == root or real.startswith(root.rstrip(os.sep) + os.sep)


def walk(
    root: str,
    *,
    tops: Sequence[str] = ("",),
    excluded: Callable[[str, str], bool] | None = None,
    only: Container[str] | None = None,
) -> Walk:
    """List the Python files under `root` (absolute, links resolved).

    `tops` are the folders or files to begin with, relative to the root; they are looked at even when their
    name is one that is left out. `only` limits the answer to these paths.
    """
    files: list[FileEntry] = []
    skipped: list[Skipped] = []
    extensions: list[str] = []
    projects: dict[str, Project] = {}
    leave_out = excluded or (lambda path, name: False)

    def take(entry: os.DirEntry[str] | _Top, path: str, compiled: bool) -> None:
        """One file whose name ends like Python's."""
        if only is not None and path not in only:
            return
        try:
            status = entry.stat(follow_symlinks=False)
            if stat.S_ISLNK(status.st_mode):
                status = os.stat(entry.path)
                if not is_within(entry.path, root):
                    skipped.append(Skipped(path, "points outside the tree"))
                    return
        except FileNotFoundError:
            skipped.append(Skipped(path, "a link to nothing"))
            return
        except OSError as error:  # a link to itself among them
            skipped.append(Skipped(path, why(error)))
            return
        mode = status.st_mode
        if not stat.S_ISREG(mode):
            skipped.append(
                Skipped(path, "a link to a folder" if stat.S_ISDIR(mode) else "not a regular file")
            )
        elif compiled:
            extensions.append(path)
        elif status.st_size > LARGEST_FILE:
            skipped.append(
                Skipped(path, f"larger than {LARGEST_FILE // 1_000_000} MB ({status.st_size} bytes)")
            )
        elif mode & 0o444 != 0o444 and not os.access(entry.path, os.R_OK):
            skipped.append(Skipped(path, "permission denied"))
        else:
            stamp = f"{status.st_size}:{status.st_mtime_ns}:{status.st_ctime_ns}:{status.st_ino}"
            files.append(FileEntry(path, status.st_size, stamp))

    seen: set[str] = set()
    pending: list[tuple[str, str, bool]] = []  # absolute, relative to the root, inside a package
    for top in sorted(tops, reverse=True):
        full = os.path.join(root, top) if top else root
        if os.path.isdir(full):
            if top and not is_within(full, root):
                skipped.append(Skipped(top, "points outside the tree"))
            else:
                pending.append((full, top, False))
        elif top.endswith(SOURCE + EXTENSION):
            take(_Top(full), top, top.endswith(EXTENSION))
    while pending:
        full, folder, inside = pending.pop()
        if folder in seen:
            continue
        seen.add(folder)
        try:
            with os.scandir(full) as found:
                entries = list(found)
        except OSError as error:
            skipped.append(Skipped(folder or ".", why(error)))
            continue
        prefix = folder + "/" if folder else ""
        package = marked = site = False
        children: list[os.DirEntry[str]] = []
        sources: list[os.DirEntry[str]] = []
        for entry in entries:
            name = entry.name
            if name.endswith((".py", ".pyi", ".so", ".pyd")) and not entry.is_dir(follow_symlinks=False):
                sources.append(entry)
                if name == "__init__.py" or name == "__init__.pyi":
                    package = True
                elif name == "setup.py":
                    marked = True
            elif entry.is_dir(follow_symlinks=False):
                if name.endswith((".dist-info", ".egg-info")):
                    site = site or name.endswith(".dist-info")
                else:
                    children.append(entry)
            elif name in PROJECT_FILES:
                marked = True
            elif name == "pyvenv.cfg" and folder and folder not in tops:
                break  # an environment: not part of the tree
            elif entry.is_symlink() and entry.is_dir() and name not in _NEVER and only is None:
                path = prefix + name
                if not leave_out(path, name):
                    within = is_within(entry.path, root)
                    reason = "a link to a folder of the tree" if within else "points outside the tree"
                    skipped.append(Skipped(readable_name(path), reason))
        else:
            for entry in sources:
                name = entry.name
                path = prefix + name
                if leave_out(path, name):
                    continue
                if not name.isascii() or not name.isprintable():
                    odd = _why_unnameable(name)
                    if odd:
                        skipped.append(Skipped(readable_name(path), odd))
                        continue
                take(entry, path, name.endswith(EXTENSION))
            names: list[str] = []
            for entry in children:
                name = entry.name
                path = prefix + name
                if name in _NEVER or leave_out(path, name):
                    continue
                if (
                    name in _BUILT
                    and marked
                    and not package
                    and not os.path.exists(entry.path + "/__init__.py")
                ):
                    continue
                if not name.isascii() or not name.isprintable():
                    odd = _why_unnameable(name)
                    if odd:
                        skipped.append(Skipped(readable_name(path), odd))
                        continue
                names.append(name)
                pending.append((entry.path, path, inside or package))
            if not inside:
                site = site or folder.rpartition("/")[2] in SITE_FOLDERS
                projects[folder] = Project(folder, marked, site, tuple(sorted(names)), package)
    files.sort()
    skipped.sort()
    extensions.sort()
    return Walk(Listing(tuple(files), tuple(skipped), tuple(extensions)), projects)


def _why_unnameable(name: str) -> str:
    """Why a name cannot be part of an answer, "" when it can."""
    if re.search(_ODD, name):
        return "a control character in its name"
    try:
        name.encode()
    except UnicodeEncodeError:
        return "its name is no UTF-8"
    return ""


class _Top:
    """A file to begin with, in the shape of a DirEntry."""

    def __init__(self, path: str) -> None:
        self.path = path

    def stat(self, *, follow_symlinks: bool) -> os.stat_result:
        return os.stat(self.path, follow_symlinks=follow_symlinks)
