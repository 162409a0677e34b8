# Where module names begin. Python answers that with sys.path; a tree that is only looked at has to be asked:
# the folder itself, a `src` beside it, projects nested in it (`python/pyproject.toml`), a site-packages.
# A wrong root renames every module below it, so a root needs evidence (docs/decisions/trees-import-roots.md):
# nothing below a regular package is one, and `python/`, `lib/` only where the project file says the word.
from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Final

from codemap.source.folders import PROJECT_FILES, Project

Mount = tuple[str, str]  # a folder relative to the tree's root, and the dotted name of the package it is ("")

_DECLARED: Final = frozenset({"python", "lib", "source", "py"})


def package_prefix(folder: str) -> str:
    """The full dotted name of a folder that is a regular package, "" when it is none (no __init__.py)."""
    parts: list[str] = []
    while os.path.isfile(os.path.join(folder, "__init__.py")) or os.path.isfile(
        os.path.join(folder, "__init__.pyi")
    ):
        folder, name = os.path.split(folder)
        if not name:
            break
        parts.append(name)
    return ".".join(reversed(parts))


def find_mounts(root: str, top: str, projects: Mapping[str, Project]) -> tuple[Mount, ...]:
    """The import roots in the folder `top` of a tree, nested ones first, `top` last."""
    first = projects.get(top)
    if first is None or first.package:
        return ((top, package_prefix(os.path.join(root, top) if top else root)),)
    roots: list[str] = []
    for folder, project in projects.items():
        if folder == top or project.package:
            continue
        parent_folder, _, name = folder.rpartition("/")
        parent = projects.get(parent_folder)
        if project.site:
            roots.append(folder)
            continue
        if parent is None or _below_site(folder, projects):
            continue
        source = name == "src" and (parent.marked or parent_folder == top)
        declared = name in _DECLARED and parent.marked and _says(root, parent_folder, name)
        if source or ((project.marked or declared) and _has_package(project, projects)):
            roots.append(folder)
    return tuple((folder, "") for folder in [*sorted(roots), top])


def _has_package(project: Project, projects: Mapping[str, Project]) -> bool:
    """Whether a regular package lies directly in the folder."""
    prefix = project.folder + "/" if project.folder else ""
    return any(
        (child := projects.get(prefix + name)) is not None and child.package for name in project.children
    )


def _below_site(folder: str, projects: Mapping[str, Project]) -> bool:
    """Whether the folder lies in a site-packages, where distributions may bring a `src` of their own."""
    while folder:
        folder = folder.rpartition("/")[0]
        above = projects.get(folder)
        if above is not None and above.site:
            return True
    return False


def _says(root: str, folder: str, word: str) -> bool:
    """Whether a project file of the folder has the word as a path: `where = ["lib"]`, `packages = ["python/x"]`."""
    import re

    pattern = re.compile(rb"""["'=/\s]""" + word.encode() + rb"""(?:["'/]|\s*$)""", re.MULTILINE)
    for name in sorted(PROJECT_FILES):
        try:
            with open(os.path.join(root, folder, name), "rb") as file:
                if pattern.search(file.read(1_000_000)):
                    return True
        except OSError:
            continue
    return False
