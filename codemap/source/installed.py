# Installed distributions, found as pip left them: `NAME-VERSION.dist-info` (or .egg-info, .egg-link) on the
# module path of an interpreter. Nothing is imported and importlib.metadata stays unloaded (15 ms).
#
# An editable installation is a pointer. Where it points stands in direct_url.json (the project), in a .pth file
# (an import root), or in the code of a finder that setuptools writes (a mapping of package to folder). That code
# is read as text: the mapping is a literal.
from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from codemap.errors import NoSuchTree, TreeError
from codemap.source.layouts import Mount
from codemap.source.metadata import canonical, read_identity, read_text

_ASK = "import sys; sys.stdout.buffer.write('\\n'.join(sys.path).encode('utf-8', 'surrogateescape'))"
_INTERPRETER_SECONDS = 30


class Distribution(NamedTuple):
    """An installed distribution: `site` is the folder on the module path, `info` its metadata (absolute)."""

    name: str
    version: str | None
    site: str
    info: str


class Contents(NamedTuple):
    """What a distribution consists of: a root, where to begin below it, only which files, and the import roots.

    `only` is None when everything below `tops` belongs to it; `mounts` None when the layout must be found out.
    """

    root: str
    tops: tuple[str, ...]
    only: frozenset[str] | None
    mounts: tuple[Mount, ...] | None


def module_path(python: str | None) -> list[str]:
    """`sys.path` of this interpreter, or of another one (an executable, or the folder of an environment)."""
    if python is None:
        return [path for path in sys.path if os.path.isdir(path)]
    import subprocess

    executable = python
    if os.path.isdir(python):
        inside = (os.path.join(python, "bin", "python"), os.path.join(python, "Scripts", "python.exe"))
        executable = next((path for path in inside if os.path.exists(path)), python)
    hint = "--python takes a Python 3 executable or the folder of a virtual environment"
    try:
        done = subprocess.run(
            [executable, "-I", "-c", _ASK],
            stdin=subprocess.DEVNULL, capture_output=True, timeout=_INTERPRETER_SECONDS, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise TreeError(
            f"{python} did not say its module path within {_INTERPRETER_SECONDS} s", hint
        ) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise TreeError(f"{python} cannot be run: {reason.lower()}", hint) from error
    if done.returncode:
        lines = done.stderr.decode("utf-8", "replace").split("\n")
        last = next(
            (line.strip() for line in reversed(lines) if line.strip()), f"exit status {done.returncode}"
        )
        raise TreeError(f"{python} cannot be asked for its module path: {last}", hint)
    paths = done.stdout.decode("utf-8", "surrogateescape").split("\n")
    return [path for path in paths if os.path.isdir(path)]


def find_distribution(name: str, paths: Sequence[str]) -> Distribution | None:
    """The first distribution of that name (compared as PEP 503 says) on a module path."""
    wanted = canonical(name)
    for site, entry, stem in _entries(paths):
        if canonical(stem) != wanted:
            continue
        info = os.path.join(site, entry)
        if entry.endswith(".egg-link"):
            found = _egg_link(info)
            if found is not None:
                return found
            continue
        for file in ("METADATA", "PKG-INFO", ""):  # a plain file: distutils' .egg-info
            text = read_text(os.path.join(info, file) if file else info)
            if text is not None:
                identity = read_identity(text)
                return Distribution(identity.name or stem, identity.version or None, site, info)
    return None


def distribution_names(paths: Sequence[str]) -> list[str]:
    """The names of all distributions on a module path, as their folders spell them."""
    return sorted({stem for _, _, stem in _entries(paths)})


def contents_of(distribution: Distribution) -> Contents:
    """Which files belong to a distribution. Raises NoSuchTree when an editable one points nowhere."""
    recorded = _recorded(distribution)
    editable = _editable(distribution, recorded)
    if editable is not None:
        return editable
    site = os.path.realpath(distribution.site)
    if recorded is None:
        return Contents(site, tuple(_top_levels(distribution, site)), None, (("", ""),))
    files = frozenset(path for path in recorded if path.endswith((".py", ".pyi", ".so", ".pyd")))
    tops = sorted({path.partition("/")[0] for path in files})
    return Contents(site, tuple(tops), files, (("", ""),))


# --- metadata -------------------------------------------------------------------------------------------------
def _entries(paths: Iterable[str]) -> Iterator[tuple[str, str, str]]:
    """Folder, entry and the distribution's name for everything on the path that describes one."""
    for site in paths:
        try:
            names = os.listdir(site)
        except OSError:
            continue
        for entry in sorted(names):
            stem, dot, kind = entry.rpartition(".")
            if dot and kind in ("dist-info", "egg-info", "egg-link") and not stem.startswith("~"):
                yield site, entry, stem.rpartition("-")[0] if kind == "dist-info" else stem.partition("-")[0]


def _egg_link(path: str) -> Distribution | None:
    """What `setup.py develop` left: the first line names the folder with the .egg-info."""
    text = read_text(path)
    folder = text.split("\n")[0].strip() if text else ""
    if not os.path.isdir(folder):
        return None
    name = os.path.basename(path).removesuffix(".egg-link")
    for site, entry, stem in _entries([folder]):
        if canonical(stem) == canonical(name):
            identity = read_identity(read_text(os.path.join(site, entry, "PKG-INFO")) or "")
            return Distribution(identity.name or name, identity.version or None, os.path.dirname(path), path)
    return None


def _recorded(distribution: Distribution) -> list[str] | None:
    """The distribution's files relative to its site folder, None when it keeps no list."""
    record = read_text(os.path.join(distribution.info, "RECORD"))
    if record is not None:
        lines = record.splitlines()
        if '"' in record:
            import csv

            rows = [row[0] for row in csv.reader(lines) if row]
        else:
            rows = [line.partition(",")[0] for line in lines]
    else:
        listed = read_text(os.path.join(distribution.info, "installed-files.txt"))
        if listed is None:
            return None
        base = os.path.basename(distribution.info)
        rows = [os.path.normpath(f"{base}/{line}").replace(os.sep, "/") for line in listed.splitlines()]
    return [row for row in rows if row and not row.startswith(("/", "../")) and "/../" not in row]


def _top_levels(distribution: Distribution, site: str) -> Iterator[str]:
    """Packages and modules of a distribution without a list of files (a system's package manager has it)."""
    text = read_text(os.path.join(distribution.info, "top_level.txt")) or distribution.name.replace("-", "_")
    for name in sorted({line.strip() for line in text.splitlines()}):
        for top in (name, name + ".py"):
            if (
                re.fullmatch(r"[\w./-]+", name)
                and ".." not in name
                and os.path.exists(os.path.join(site, top))
            ):
                yield top


# --- editable installations -------------------------------------------------------------------------------------
def _editable(distribution: Distribution, recorded: list[str] | None) -> Contents | None:
    """Where an editable installation points, None for an ordinary one."""
    if distribution.info.endswith(".egg-link"):
        project = (read_text(distribution.info) or "").split("\n")[0].strip()
        return Contents(os.path.realpath(project), ("",), None, None)
    text = read_text(os.path.join(distribution.info, "direct_url.json"))
    if text is None:
        return None
    origin = _project_folder(text)
    if origin is None:
        return None
    project = os.path.realpath(origin)
    places = list(_pointed(distribution.site, recorded or ()))
    if not places:
        if not os.path.isdir(project):
            raise NoSuchTree(
                f"{distribution.name} is an editable installation of {project}, which is not there",
                "install it again",
            )
        return Contents(project, ("",), None, None)
    real = [(os.path.realpath(folder), name) for folder, name in places]
    root = (
        project
        if all(_inside(folder, project) for folder, _ in real)
        else _common([folder for folder, _ in real])
    )
    mounts = tuple(
        dict.fromkeys((_relative(folder, root), name) for folder, name in real if not _is_module(folder))
    )
    loose = [(_relative(folder, root), name) for folder, name in real if _is_module(folder)]
    homes = tuple(dict.fromkeys((path.rpartition("/")[0], name.rpartition(".")[0]) for path, name in loose))
    tops = [folder for folder, _ in mounts] + [path for path, _ in loose]
    return Contents(
        root, tuple(dict.fromkeys(tops)), None, mounts + tuple(each for each in homes if each not in mounts)
    )


def _project_folder(text: str) -> str | None:
    """The folder of an editable installation as direct_url.json (PEP 610) has it."""
    import json
    from urllib.parse import urlsplit
    from urllib.request import url2pathname

    try:
        found = json.loads(text)
        url = urlsplit(found["url"])
        if url.scheme != "file" or not found["dir_info"].get("editable"):
            return None
        return url2pathname(url.path)
    except (ValueError, KeyError, TypeError, AttributeError):
        return None


def _pointed(site: str, recorded: Iterable[str]) -> Iterator[tuple[str, str]]:
    """(folder or module file, dotted name it bears) of each pointer that the installation put into the site."""
    for path in sorted(recorded):
        if "/" in path or not path.endswith((".pth", ".py")):
            continue
        text = read_text(os.path.join(site, path)) or ""
        if path.endswith(".py"):
            if "MAPPING" in text:
                yield from _mapped(text)
            continue
        for line in text.splitlines():
            line = line.strip()
            if line and not line.startswith(("#", "import ", "import\t")):
                folder = os.path.join(site, line)
                if os.path.isdir(folder):
                    yield folder, ""


def _mapped(text: str) -> Iterator[tuple[str, str]]:
    """Packages and their folders from the MAPPING and NAMESPACES literals of setuptools' editable finder."""
    import ast

    try:
        statements = ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for statement in statements:
        target: ast.expr | None = statement.target if isinstance(statement, ast.AnnAssign) else None
        if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
            target = statement.targets[0]
        if not (isinstance(target, ast.Name) and target.id in ("MAPPING", "NAMESPACES")):
            continue
        value = getattr(statement, "value", None)
        try:
            mapping = ast.literal_eval(value) if value is not None else None
        except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
            continue
        for name, places in mapping.items() if isinstance(mapping, dict) else ():
            for place in places if isinstance(places, list) else [places]:
                if isinstance(name, str) and isinstance(place, str):
                    if os.path.isdir(place):
                        yield place, name
                    elif os.path.isfile(place + ".py"):
                        yield place + ".py", name


def _is_module(path: str) -> bool:
    return path.endswith(".py") and not os.path.isdir(path)


def _inside(path: str, root: str) -> bool:
    return path == root or path.startswith(root.rstrip(os.sep) + os.sep)


def _relative(path: str, root: str) -> str:
    found = os.path.relpath(path, root).replace(os.sep, "/")
    return "" if found == "." else found


def _common(folders: list[str]) -> str:
    """The folder that holds all of them (that of a module file: the folder it is in)."""
    try:
        return os.path.commonpath([os.path.dirname(path) if _is_module(path) else path for path in folders])
    except ValueError:
        raise NoSuchTree(
            "the installation spans drives, which have no common folder", "name one of its folders"
        ) from None
