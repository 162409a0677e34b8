# The standard library as typeshed describes it (the copy that jedi ships, found without importing jedi), laid
# under the tree: a module of the tree comes first, a module that neither has stays outside. Only inference sees
# it; questions about names go on to say "outside the tree".
from __future__ import annotations

import importlib.util
import os
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from codemap.model.facts import Body, Outline
from codemap.source.modules import ModuleMap

if TYPE_CHECKING:
    from codemap.index.build import Index

PREFIX: Final = "<stdlib>/"


def is_stub(path: str) -> bool:
    """Whether a file belongs to the standard library's stubs and not to the tree."""
    return path.startswith(PREFIX)


class Typeshed:
    """The stubs of the standard library."""

    @cached_property
    def folder(self) -> Path | None:
        spec = importlib.util.find_spec("jedi")
        if spec is None or spec.origin is None:
            return None
        folder = Path(spec.origin).parent / "third_party" / "typeshed" / "stdlib"
        return folder if folder.is_dir() else None

    @cached_property
    def paths(self) -> tuple[str, ...]:
        """The stubs' files, relative to their folder."""
        return () if self.folder is None else tuple(sorted(_below(str(self.folder), "")))

    @cached_property
    def modules(self) -> ModuleMap:
        return ModuleMap(self.paths)

    def source(self, path: str) -> bytes:
        return b"" if self.folder is None else (self.folder / path).read_bytes()


def _below(folder: str, inside: str) -> Iterator[str]:
    """The stubs below a folder; `Path.rglob` takes five times as long, and every question waits for it."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith(".pyi"):
                yield inside + entry.name
            elif entry.is_dir():
                yield from _below(entry.path, f"{inside}{entry.name}/")


class OverlayModules:
    """Module names over the tree and, where the tree has no top-level module of that name, the stubs."""

    def __init__(self, tree: Any, stubs: ModuleMap) -> None:
        self.tree: ModuleMap = tree
        self.stubs = stubs
        self._in_tree: dict[str, bool] = {}

    def _of_tree(self, module: str, near: str = "") -> bool:
        if near.startswith(PREFIX):
            return False
        top = module.partition(".")[0]
        known = self._in_tree.get(top)
        if known is None:
            known = self._in_tree[top] = bool(self.tree.exists(top))
        return known

    def module_of(self, path: str) -> str:
        if path.startswith(PREFIX):
            return self.stubs.module_of(path[len(PREFIX) :])
        return str(self.tree.module_of(path))

    def files_of(self, module: str, near: str = "") -> tuple[str, ...]:
        if self._of_tree(module, near):
            return tuple(self.tree.files_of(module, near))
        return tuple(PREFIX + path for path in self.stubs.files_of(module))

    def exists(self, module: str, near: str = "") -> bool:
        return (
            bool(self.tree.exists(module, near)) if self._of_tree(module, near) else self.stubs.exists(module)
        )

    def is_package(self, module: str, near: str = "") -> bool:
        return (
            bool(self.tree.is_package(module, near))
            if self._of_tree(module, near)
            else self.stubs.is_package(module)
        )

    def is_namespace(self, module: str, near: str = "") -> bool:
        return (
            bool(self.tree.is_namespace(module, near))
            if self._of_tree(module, near)
            else self.stubs.is_namespace(module)
        )

    def extension_of(self, module: str, near: str = "") -> str | None:
        return self.tree.extension_of(module, near) if self._of_tree(module, near) else None

    def submodules(self, module: str, near: str = "") -> tuple[str, ...]:
        return (
            tuple(self.tree.submodules(module))
            if self._of_tree(module, near)
            else self.stubs.submodules(module)
        )

    def resolve_relative(self, path: str, level: int, module: str) -> str | None:
        if path.startswith(PREFIX):
            return self.stubs.resolve_relative(path[len(PREFIX) :], level, module)
        return self.tree.resolve_relative(path, level, module)


class OverlayIndex:
    """An index of the tree under which the stubs lie."""

    def __init__(self, index: Any, stubs: Typeshed) -> None:
        self.index: Index = index
        self.stubs = stubs
        self.modules = OverlayModules(index.modules, stubs.modules)

    @property
    def files(self) -> tuple[str, ...]:
        return tuple(self.index.files)

    def outline(self, path: str) -> Outline:
        if path.startswith(PREFIX):
            return self.index.outline_of(self.stubs.source(path[len(PREFIX) :]))
        return self.index.outline(path)

    def body(self, path: str) -> Body:
        if path.startswith(PREFIX):
            return self.index.body_of(self.stubs.source(path[len(PREFIX) :]))
        return self.index.body(path)

    def source(self, path: str) -> bytes:
        if path.startswith(PREFIX):
            return self.stubs.source(path[len(PREFIX) :])
        return self.index.source(path)

    def mentioning(self, *words: str, roles: int = -1, together: bool = True) -> tuple[str, ...]:
        """Files of the TREE only: nothing in the stubs refers to it."""
        roles = 0xFFFF if roles == -1 else roles
        return self.index.mentioning(*words, roles=roles, together=together)
