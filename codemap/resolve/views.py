# A View is an outline with the tables that lookups need, built when first used: most questions ask a file one
# name, so nothing is built for the names they do not ask about.
from __future__ import annotations

import re
from typing import Final

from codemap.model import facts
from codemap.model.facts import Binding, ClassFacts, FunctionFacts, Outline

# `__name__ == "__main__"`, either way round; `__name__ in ("__main__", "__mp_main__")`
_NAME: Final = r"""(?:__name__\s*{0}\s*(["'])__main__\1|(["'])__main__\2\s*{0}\s*__name__)"""
_AS_PROGRAM: Final = re.compile(
    rf"""\(?(?:{_NAME.format("==")}|__name__ in [({{[][^)}}\]]*["']__main__["'][^)}}\]]*[)}}\]])\)?"""
)
_IMPORTED: Final = re.compile(rf"\(?{_NAME.format('!=')}\)?")


class View:
    """One file's outline, joined with its module's name.

    `path` is relative to the tree's root; `module` is the dotted name; `package` is true for `__init__.py`.
    """

    __slots__ = (
        "_by_name",
        "_classes",
        "_functions",
        "_siblings",
        "_stores",
        "module",
        "outline",
        "package",
        "path",
    )

    def __init__(self, path: str, module: str, outline: Outline) -> None:
        self.path = path
        self.module = module
        self.outline = outline
        self.package = path.rpartition("/")[2].startswith("__init__.py")
        self._by_name: dict[str, list[int]] | None = None
        self._classes: dict[int, ClassFacts] | None = None
        self._functions: dict[int, FunctionFacts] | None = None
        self._siblings: dict[tuple[int, int], list[int]] | None = None
        self._stores: dict[str, list[int]] | None = None

    def bindings(self, scope: int, name: str) -> list[int]:
        """Indexes of the bindings of `name` that a module or class scope owns, in the order in which they run."""
        if self._by_name is None:
            table: dict[str, list[int]] = {}
            for number, binding in enumerate(self.outline.bindings):
                table.setdefault(binding.name, []).append(number)
            self._by_name = table
        rows = self.outline.bindings
        return [number for number in self._by_name.get(name, ()) if rows[number].scope == scope]

    def owners(self, name: str) -> list[int]:
        """The module and class scopes that own a binding of `name`, in order."""
        self.bindings(0, name)
        rows = self.outline.bindings
        return sorted({rows[number].scope for number in (self._by_name or {}).get(name, ())})

    def stores(self, name: str) -> list[int]:
        """Indexes of the attribute stores `<receiver>.name = ...` of the file, in order."""
        if self._stores is None:
            table: dict[str, list[int]] = {}
            for number, store in enumerate(self.outline.stores):
                table.setdefault(store.name, []).append(number)
            self._stores = table
        return self._stores.get(name, [])

    def names(self, scope: int) -> list[str]:
        """Every name that a module or class scope owns, in order of first binding."""
        return list(dict.fromkeys(row.name for row in self.outline.bindings if row.scope == scope))

    def class_facts(self, scope: int) -> ClassFacts | None:
        """The class statement that opened the scope."""
        if self._classes is None:
            self._classes = {row.scope: row for row in self.outline.classes}
        return self._classes.get(scope)

    def function_facts(self, scope: int) -> FunctionFacts | None:
        """The function statement that opened the scope."""
        if self._functions is None:
            self._functions = {row.scope: row for row in self.outline.functions}
        return self._functions.get(scope)

    def branches(self, block: int) -> list[int]:
        """The blocks of the same statement as `block`, itself among them."""
        if self._siblings is None:
            table: dict[tuple[int, int], list[int]] = {}
            for number, row in enumerate(self.outline.blocks):
                table.setdefault((row.parent, row.statement), []).append(number)
            self._siblings = table
        row = self.outline.blocks[block]
        return self._siblings[row.parent, row.statement]

    def runs_as(self, block: int) -> str:
        """ "program" for a block that runs only when the file is run itself, as `if __name__ == "__main__":`,
        "import" for the other branch of such a statement, "" for all else."""
        row = self.outline.blocks[block]
        if "__main__" not in row.text or row.kind not in (facts.IF, facts.ELSE):
            return ""
        if _IMPORTED.fullmatch(row.text):
            return "import" if row.kind == facts.IF else "program"
        parts = re.split(r"\s+and\s+", row.text)
        if re.search(r"\sor\s", row.text) or not any(_AS_PROGRAM.fullmatch(part) for part in parts):
            return ""
        if row.kind == facts.IF:
            return "program"
        return "import" if len(parts) == 1 else ""

    def only_as_program(self, block: int) -> bool:
        """Whether a block of a module or class body runs only when the file is run itself."""
        blocks = self.outline.blocks
        while block >= 0 and blocks[block].kind != facts.ROOT:
            if self.runs_as(block) == "program":
                return True
            block = blocks[block].parent
        return False

    def qualified(self, scope: int) -> str:
        """The qualified name of a scope: `module.Class.method`; unnamed scopes are skipped."""
        parts: list[str] = []
        scopes = self.outline.scopes
        while scope > 0:
            row = scopes[scope]
            if row.kind in (facts.CLASS, facts.FUNCTION):
                parts.append(row.name)
            scope = row.parent
        parts.append(self.module)
        return ".".join(reversed(parts))

    def enclosing_class(self, scope: int) -> int:
        """The innermost class scope at or around `scope`, -1 when there is none."""
        scopes = self.outline.scopes
        while scope > 0:
            if scopes[scope].kind == facts.CLASS:
                return scope
            scope = scopes[scope].parent
        return -1

    def decorators(self, binding: Binding) -> tuple[str, ...]:
        """The decorators, as dotted chains, of the class or function that a binding binds."""
        if binding.kind == facts.FUNCTION_DEF:
            function = self.function_facts(binding.target)
            return function.decorators if function else ()
        if binding.kind == facts.CLASS_DEF:
            klass = self.class_facts(binding.target)
            return klass.decorators if klass else ()
        return ()
