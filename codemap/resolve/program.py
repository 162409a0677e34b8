# The one object that all of resolve/ and queries/ share: the index, and what was looked up so far. Lookups are
# plain functions over it in the modules beside this one; the caches live here so that they end with the
# question. Nothing in a cache depends on the order of the questions: see `Program.remember`.
from __future__ import annotations

import sys
from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, Any, Final

from codemap.model.facts import ROLE_BIND, ROLE_DEFINE, ROLE_IMPORT, STAR_WORD, Body
from codemap.resolve.records import NOTHING, Reason, Resolution
from codemap.resolve.views import View

if TYPE_CHECKING:
    from codemap.index.build import Index
    from codemap.source.modules import ModuleMap

# How many modules a name may travel through; deeper is a Reason, not an answer. Each costs up to ten frames of
# Python, so the interpreter's own limit is lifted while a lookup runs (from 3.11 on, calls between Python
# functions take no room on the machine's stack).
LONGEST_CHAIN: Final = 1000
ALL_ROLES: Final = (1 << 16) - 1
_FEW_FILES: Final = 40
_FRAMES: Final = LONGEST_CHAIN * 12


class Program:
    """A tree as a whole: files joined on demand."""

    def __init__(self, index: Index) -> None:
        self.index = index
        self.modules: ModuleMap = index.modules
        self.caches: dict[str, dict[Any, Any]] = {}
        self._views: dict[str, View] = {}
        self._bodies: dict[str, Body] = {}
        self._mentions: dict[tuple[str, int], frozenset[str]] = {}
        self._answers: dict[Hashable, Resolution] = {}
        self._open: dict[Hashable, int] = {}
        self._provisional: dict[Hashable, Resolution] = {}
        self._lowest = LONGEST_CHAIN

    def share(self, other: Program) -> None:
        """Reads files once for both: another program over the same tree."""
        self._views, self._bodies, self._mentions = other._views, other._bodies, other._mentions

    # -- files ---------------------------------------------------------------------------------------------
    def view(self, path: str) -> View:
        """The outline of a file of the tree, with its tables."""
        view = self._views.get(path)
        if view is None:
            view = self._views[path] = View(path, self.modules.module_of(path), self.index.outline(path))
        return view

    def body(self, path: str) -> Body:
        """The expression table of a file of the tree."""
        body = self._bodies.get(path)
        if body is None:
            body = self._bodies[path] = self.index.body(path)
        return body

    def cache(self, name: str) -> dict[Any, Any]:
        """A cache that lives as long as the program, for one kind of question whose answers never change."""
        return self.caches.setdefault(name, {})

    # -- words ---------------------------------------------------------------------------------------------
    def mentioning(self, word: str, roles: int = ALL_ROLES, *, exact: bool = False) -> frozenset[str]:
        """The files that may bear a word in one of the roles (a superset).

        A word that few files bear is asked for once, whatever the role: looking at a file costs less than
        asking the index again. `exact` is for looks that cost more.
        """
        everywhere = self._everywhere(word)
        if not everywhere or roles == ALL_ROLES or (len(everywhere) <= _FEW_FILES and not exact):
            return everywhere
        found = self._mentions.get((word, roles))
        if found is None:
            found = self._mentions[word, roles] = frozenset(self.index.mentioning(word, roles=roles))
        return found

    def _everywhere(self, word: str, together: bool = True) -> frozenset[str]:
        found = self._mentions.get((word, ALL_ROLES))
        if found is None:
            paths = self.index.mentioning(word, together=together)
            found = self._mentions[word, ALL_ROLES] = frozenset(paths)
        return found

    def bearing(self, word: str, roles: int) -> frozenset[str]:
        """The files that bear a word in one of the roles, and no others where the index can tell."""
        found = self._mentions.get((word, -roles))
        if found is None:
            paths = self.index.mentioning(word, roles=roles, together=False)
            found = self._mentions[word, -roles] = frozenset(paths)
        return found

    def may_expose(self, path: str, name: str) -> bool:
        """Whether a file can bind `name` at all: it bears the word, imports `*`, or has a `__getattr__`."""
        if path in self._views:
            return True  # no word index is quicker than the file's own table
        return (
            path in self._everywhere(name, False)
            or path in self.mentioning(STAR_WORD, ROLE_IMPORT)
            or path in self.mentioning("__getattr__", ROLE_DEFINE | ROLE_BIND)
        )

    # -- lookups that may run in circles ---------------------------------------------------------------------
    def remember(self, key: Hashable, look: Callable[[], Resolution], circle: Reason) -> Resolution:
        """`look()`, once for each key. A key that is asked again while it is open gets `circle` as its answer.

        What rested on such a cut is kept only until the outermost lookup ends, so that an answer that is
        remembered is always the one that a fresh program would give for the same key.
        """
        known = self._answers.get(key)
        if known is not None:
            return known
        depth = self._open.get(key)
        if depth is not None:
            self._lowest = min(self._lowest, depth)
            return Resolution((), (circle,))
        known = self._provisional.get(key)
        if known is not None:
            self._lowest = 0
            return known
        depth = len(self._open)
        if depth >= LONGEST_CHAIN:
            self._lowest = 0
            return Resolution((), (circle._replace(text=f"longer than {LONGEST_CHAIN} imports"),))
        before, self._lowest = self._lowest, LONGEST_CHAIN
        self._open[key] = depth
        frames = sys.getrecursionlimit()
        if depth == 0 and frames < _FRAMES:
            sys.setrecursionlimit(_FRAMES)
        try:
            answer = look()
        finally:
            del self._open[key]
            if depth == 0 and frames < _FRAMES:
                sys.setrecursionlimit(frames)
        if self._lowest >= depth:
            self._answers[key] = answer
            self._lowest = before
        else:
            self._provisional[key] = answer
            self._lowest = min(before, self._lowest)
        if not self._open:
            self._provisional.clear()
            self._lowest = LONGEST_CHAIN
        return answer


__all__ = ["LONGEST_CHAIN", "NOTHING", "Program"]
