# Where a name is used as a name: its bindings, the reads that see them, the imports that carry it to other files
# (under other names too), and what modules are asked for by a dot. A symbol is a name in the scope that owns it.
from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from codemap.inference.heads import chain, definitions
from codemap.inference.values import CERTAIN, LIKELY
from codemap.model import facts
from codemap.model.facts import Binding, Import
from codemap.queries.occurrences import (
    AUGMENTED,
    CALL,
    CONSTRUCT,
    DEFINITION,
    DELETE,
    IMPORT,
    READ,
    STRING,
    WRITE,
    Occurrence,
    lines_of,
    role_of,
    scope_of,
)
from codemap.resolve.modules import imported, lookup_attribute_of_module, own_attribute
from codemap.resolve.records import Definition, Found
from codemap.semantic import expressions as op

if TYPE_CHECKING:
    from codemap.inference.engine import Engine
    from codemap.inference.tables import Table

_STATEMENTS: Final = (facts.CLASS_DEF, facts.FUNCTION_DEF)
_RANK: Final = {"certain": 0, "likely": 1, "possible": 2}


class Symbol(NamedTuple):
    """A name in the scope that owns it; `rank` and `how` say how sure it is that it stands for the definition."""

    file: str
    scope: int
    name: str
    rank: int = CERTAIN
    how: str = "definition"


class Lexical:
    """The occurrences of one definition by name."""

    def __init__(self, engine: Engine, file: str, owner: int, name: str, is_class: bool = False) -> None:
        self.engine = engine
        self.home = Symbol(file, owner, name)
        self.is_class = is_class
        self.symbols: dict[tuple[str, int, str], Symbol] = {(file, owner, name): self.home}
        self.imports: list[tuple[str, Import, Found]] = []
        self.found: list[Occurrence] = []
        self.words = [name]

    def collect(self) -> None:
        """Follows the name through imports and collects what is there."""
        owner = self.engine.program.view(self.home.file).outline.scopes[self.home.scope]
        if owner.kind == facts.MODULE:
            self._follow_imports()
        for key in sorted(self.symbols):
            self._symbol(self.symbols[key])
        for path, row, item in self.imports:
            self._add(path, row.line, row.column, row.scope, IMPORT, "", _RANK[item.confidence], "import")
        if owner.kind == facts.MODULE:
            self._by_dots()
            self._strings()

    def is_it(self, definition: Definition) -> bool:
        """Whether a definition of the names layer is the one asked about."""
        return (
            definition.file == self.home.file
            and definition.owner == self.home.scope
            and definition.name.rpartition(".")[2] == self.home.name
        )

    # -- through imports -----------------------------------------------------------------------------------------
    def _follow_imports(self) -> None:
        program = self.engine.program
        for word in self.words:  # grows while it is walked
            for path in sorted(program.mentioning(word, facts.ROLE_IMPORT)):
                view = program.view(path)
                for row in view.outline.imports:
                    if row.name != word or row.dynamic:
                        continue
                    item = self._hit(imported(program, view, row, row.bound).found)
                    if item is None:
                        continue
                    self.imports.append((path, row, item))
                    scope = 0 if row.bound in view.outline.scopes[row.scope].globals else row.scope
                    self._symbol_at(
                        path, scope, row.bound, item, "import" if not row.alias else "renamed import"
                    )
        word = self.home.name
        for path in sorted(program.mentioning(facts.STAR_WORD, facts.ROLE_IMPORT)):
            if path not in program.mentioning(word, facts.ROLE_READ | facts.ROLE_CALL):
                continue
            view = program.view(path)
            if (path, 0, word) in self.symbols or view.bindings(0, word):
                continue
            item = self._hit(own_attribute(program, view, word).found)
            if item is not None:
                self._symbol_at(path, 0, word, item, "star import")

    def _hit(self, found: tuple[Found, ...]) -> Found | None:
        return next((item for item in found if self.is_it(item.definition)), None)

    def _symbol_at(self, path: str, scope: int, name: str, item: Found, how: str) -> None:
        key = (path, scope, name)
        rank = _RANK[item.confidence]
        known = self.symbols.get(key)
        if known is None or rank < known.rank:
            if known is None or known is not self.home:
                self.symbols[key] = Symbol(path, scope, name, rank, how)
            if name not in self.words:
                self.words.append(name)

    # -- one symbol -------------------------------------------------------------------------------------------------
    def _symbol(self, symbol: Symbol) -> None:
        table = self.engine.table(symbol.file)
        home = symbol is self.home
        rows = [
            binding
            for _, binding in (
                *table.outer_bindings(symbol.scope, symbol.name),
                *table.local_bindings(symbol.scope, symbol.name),
            )
        ]
        lead = self._lead(rows)
        changed: set[tuple[int, int]] = set()
        for row in rows:
            if row.kind == facts.IMPORT:
                if home:
                    self._own_import(table, row)
                continue
            role, access = WRITE, WRITE
            if row.kind in _STATEMENTS or row is lead:
                role = DEFINITION
                access = "" if row.kind in (*_STATEMENTS, facts.PARAMETER, facts.DECLARED) else WRITE
            elif row.kind == facts.DELETE:
                role = access = DELETE
            elif row.kind == facts.AUGMENTED:
                access = AUGMENTED
                changed.add((row.line, row.column))
            elif row.kind == facts.DECLARED:
                role, access = DEFINITION, ""
            if home or row.within != symbol.scope or row.kind not in _STATEMENTS:
                self._add(
                    symbol.file,
                    row.line,
                    row.column,
                    row.within,
                    role if home or role == DELETE else WRITE,
                    access if home else "",
                    symbol.rank,
                    "definition" if role == DEFINITION else "assignment",
                )
        self._declared(table, symbol)
        for number in table.reads(symbol.name):
            entry = table.rows[number]
            if entry[0] != op.NAME or (entry[1], entry[2]) in changed:
                continue
            scope, _ = table.place(number)
            if owner_of(table, scope, symbol.name) != symbol.scope:
                continue
            role = role_of(self.engine, table, number, self.is_class)
            access = READ if role not in ("annotation", "base") else ""
            scope = scope_of(table, number)
            self._add(symbol.file, entry[1], entry[2], scope, role, access, symbol.rank, symbol.how, number)

    def _lead(self, rows: list[Binding]) -> Binding | None:
        """The binding that is the definition of a variable: a declaration, else the first that gives it a value."""
        for row in rows:
            if (
                row.kind not in (facts.DELETE, facts.AUGMENTED, facts.IMPORT)
                and row.within == self.home.scope
            ):
                return row
        return next((row for row in rows if row.kind not in (facts.DELETE, facts.IMPORT)), None)

    def _own_import(self, table: Table, binding: Binding) -> None:
        row = table.view.outline.imports[binding.target] if binding.target >= 0 else None
        if row is not None and all(item[1] is not row for item in self.imports):
            self._add(table.path, row.line, row.column, row.scope, IMPORT, "", CERTAIN, "import")

    def _declared(self, table: Table, symbol: Symbol) -> None:
        """`global x`, `nonlocal x`: the name within the statement."""
        for number, scope in enumerate(table.view.outline.scopes):
            if symbol.name not in scope.globals and symbol.name not in scope.nonlocals:
                continue
            if symbol.name in scope.globals and symbol.scope != 0:
                continue
            if symbol.name in scope.nonlocals and owner_of(table, scope.parent, symbol.name) != symbol.scope:
                continue
            pattern = re.compile(rf"\b(?:global|nonlocal)\s+(?:[^#\n;]*[,\s])?({re.escape(symbol.name)})\b")
            lines = lines_of(self.engine, table.path)
            for line in range(scope.header_line, min(scope.end_line, len(lines)) + 1):
                match = pattern.search(lines[line - 1])
                if match is not None:
                    self._add(
                        table.path, line, match.start(1), number, WRITE, "", symbol.rank, "scope-declaration"
                    )
                    break

    # -- module.name --------------------------------------------------------------------------------------------------
    def _by_dots(self) -> None:
        program = self.engine.program
        for word in self.words:
            for path in sorted(
                program.mentioning(word, facts.ROLE_ATTRIBUTE | facts.ROLE_STORE | facts.ROLE_CALL)
            ):
                if not _has_imports(self.engine, path):
                    continue
                table = self.engine.table(path)
                changed: set[tuple[int, int]] = set()
                for number, row in enumerate(table.rows):
                    if row[0] in (op.STORE_ATTRIBUTE, op.DELETE_ATTRIBUTE) and row[4] == word:
                        if self._of_module(table, row[3], word):
                            access = WRITE if row[0] == op.STORE_ATTRIBUTE else DELETE
                            if access == WRITE and row[5] >= 0 and table.rows[row[5]][0] == op.BINARY:
                                left = table.rows[table.rows[row[5]][4]]
                                if left[0] == op.ATTRIBUTE and left[1:3] == row[1:3]:
                                    access = AUGMENTED
                                    changed.add((row[1], row[2]))
                            scope, _ = table.place(number)
                            role = DELETE if access == DELETE else WRITE
                            self._add(
                                path, row[1], row[2], scope, role, access, CERTAIN, "module-attribute", number
                            )
                for number in table.reads(word):
                    row = table.rows[number]
                    if row[0] != op.ATTRIBUTE or (row[1], row[2]) in changed:
                        continue
                    if self._of_module(table, row[3], word):
                        scope = scope_of(table, number)
                        role = role_of(self.engine, table, number, self.is_class)
                        access = READ if role not in ("annotation", "base") else ""
                        self._add(
                            path, row[1], row[2], scope, role, access, CERTAIN, "module-attribute", number
                        )

    def _of_module(self, table: Table, receiver: int, word: str) -> bool:
        if not chain(table, receiver):
            return False
        program = self.engine.program
        for item in definitions(self.engine, table, receiver):
            if item.kind == "module":
                if item.file == self.home.file and self.home.scope == 0 and word == self.home.name:
                    return True
                answer = lookup_attribute_of_module(program, item.name, word, importing=True, near=table.path)
                if self._hit(answer.found) is not None:
                    return True
        return False

    # -- strings ---------------------------------------------------------------------------------------------------
    def _strings(self) -> None:
        """`__all__`, and strings that are the definition's qualified name."""
        program = self.engine.program
        full = {
            f"{program.modules.module_of(file)}.{name}" for file, scope, name in self.symbols if scope == 0
        }
        full |= {text.rpartition(".")[0] + ":" + text.rpartition(".")[2] for text in full}
        for word in self.words:
            for path in sorted(program.mentioning(word, facts.ROLE_STRING | facts.ROLE_EXPORT)):
                view = program.view(path)
                exported = (path, 0, word) in self.symbols and any(
                    word in row.names for row in view.outline.exports
                )
                source = self.engine.names.index.source(path)
                if not exported and not any(text.encode() in source for text in full):
                    continue
                table = self.engine.table(path)
                for number, row in enumerate(table.rows):
                    if row[0] != op.CONSTANT or row[3] != "str" or not isinstance(row[4], str):
                        continue
                    scope, _ = table.place(number)
                    if row[4] in full:
                        self._add(
                            path, row[1], row[2] + 1, scope, STRING, "", LIKELY, "qualified-name", number
                        )
                    elif exported and row[4] == word and scope == 0 and _exports(table, number):
                        self._add(path, row[1], row[2] + 1, scope, STRING, "", CERTAIN, "__all__", number)

    def _add(
        self,
        path: str,
        line: int,
        column: int,
        scope: int,
        role: str,
        access: str,
        rank: int,
        how: str,
        at: int = -1,
    ) -> None:
        receiver = self.engine.program.modules.module_of(self.home.file) if self.home.scope == 0 else ""
        attribute = f"{receiver}.{self.home.name}" if receiver else ""
        if access and role in (CALL, CONSTRUCT):
            access = READ
        self.found.append(
            Occurrence(path, line, column, scope, role, access, rank, how, attribute, receiver, at)
        )


def owner_of(table: Table, scope: int, name: str) -> int:
    """The scope that owns a name read by code of `scope` (LEGB, PEP 227, PEP 695); 0 also for what nothing binds."""
    scopes = table.view.outline.scopes
    current, from_class = scope, True
    while current > 0:
        row = scopes[current]
        if name in row.globals:
            return 0
        if row.kind == facts.CLASS:
            if from_class and table.outer_bindings(current, name):
                return current
        elif name not in row.nonlocals and table.local_bindings(current, name):
            return current
        from_class = from_class and row.kind == facts.TYPE_PARAMETERS
        current = row.parent
    return 0


def _has_imports(engine: Engine, path: str) -> bool:
    """Without an import no name of a file is a module."""
    return bool(engine.program.view(path).outline.imports)


def _exports(table: Table, number: int) -> bool:
    """Whether an expression is part of what builds `__all__`."""
    parent = number
    while parent >= 0:
        if any(kind == "binding" and row.name == "__all__" for kind, row in table.holders(parent)):
            return True
        row = table.rows[parent]
        if row[0] == op.CALL and chain(table, row[3]).startswith("__all__."):
            return True
        if row[0] == op.BINARY and chain(table, row[4]) == "__all__":
            return True
        parent = table.parent(parent)
    return False
