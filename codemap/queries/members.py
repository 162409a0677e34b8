# Where the attribute of a class (or module, or function) is used by way of a receiver: `o.x`, `getattr(o, "x")`,
# `C(x=1)`, `replace(o, x=1)`, `case C(x=v)`, `o["x"]` of typed dictionaries. The name index says which files may do
# it, the engine decides each site.
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from codemap.inference.values import CERTAIN, CLASS, INSTANCE, LIKELY, TEXT, Values
from codemap.model import facts
from codemap.queries.family import Family, undecided
from codemap.queries.occurrences import (
    AUGMENTED,
    CALL,
    DEFINITION,
    DELETE,
    GETATTR,
    PATTERN,
    READ,
    SETATTR,
    STRING,
    WRITE,
    Occurrence,
    Open,
    receiver_how,
    role_of,
    scope_of,
)
from codemap.semantic import expressions as op

if TYPE_CHECKING:
    from codemap.inference.engine import Engine
    from codemap.inference.tables import Table

_BY_NAME: Final = {"getattr": GETATTR, "hasattr": GETATTR, "setattr": SETATTR, "delattr": DELETE}
_ROLES: Final = facts.ROLE_ATTRIBUTE | facts.ROLE_STORE | facts.ROLE_STRING | facts.ROLE_KEYWORD


class Members:
    """The occurrences of one attribute through receivers."""

    def __init__(self, engine: Engine, family: Family) -> None:
        self.engine = engine
        self.family = family
        self.name = family.name
        self.found: list[Occurrence] = []
        self.open: list[Open] = []
        self._in_strings: bool | None = None
        self.files = sorted(engine.program.bearing(self.name, _ROLES))

    def collect(self, *, special: bool = True) -> None:
        """Looks through the files; `special` includes what names the attribute otherwise than by a dot."""
        for path in self.files:
            self._file(self.engine.table(path), special)
        if special and self.family.klass is not None:
            from codemap.queries import construction

            construction.collect(self)

    def _file(self, table: Table, special: bool) -> None:
        name = self.name
        changed: set[tuple[int, int]] = set()
        rows = table.rows
        for number, row in enumerate(rows):
            kind = row[0]
            if kind == op.STORE_ATTRIBUTE and row[4] == name:
                if row[5] >= 0 and _is_augmented(rows, row):
                    changed.add((row[1], row[2]))
                    self.site(table, number, row[3], WRITE, AUGMENTED)
                elif row[5] >= 0 or self._has_store(table, number):
                    self.site(table, number, row[3], WRITE, WRITE)
                else:
                    self.site(table, number, row[3], DEFINITION, "")  # `self.x: int` declares
            elif kind == op.DELETE_ATTRIBUTE and row[4] == name:
                self.site(table, number, row[3], DELETE, DELETE)
            elif special and kind == op.MATCH_ATTRIBUTE and row[4] == name:
                self.site(table, number, row[3], READ, PATTERN, "keyword-pattern")
            elif special and kind == op.CALL:
                self._by_name(table, number, row)
        for number in table.reads(name):
            row = rows[number]
            if row[0] == op.ATTRIBUTE and (row[1], row[2]) not in changed:
                self.site(table, number, row[3], role_of(self.engine, table, number), READ)

    def _has_store(self, table: Table, number: int) -> bool:
        """Whether a store without a value binds all the same: a loop's or a `with` statement's target."""
        stores = table.view.outline.stores
        return any(
            stores[one].target == number and stores[one].kind != facts.DECLARED
            for one in table.view.stores(self.name)
        )

    def _by_name(self, table: Table, number: int, row: tuple[Any, ...]) -> None:
        """`getattr(o, "x")` and its like."""
        callee = table.rows[row[3]]
        token = table.token(row[3])
        access = _BY_NAME.get(token)
        if access is None or len(row[4]) < 2:
            if (
                token in ("__getattribute__", "__setattr__", "__delattr__")
                and callee[0] == op.ATTRIBUTE
                and row[4]
            ):
                place = len(row[4]) > (2 if token == "__setattr__" else 1)
                target = row[4][0] if place else callee[3]
                if self._names_it(table, row[4][1 if place else 0]):
                    access = {"__getattribute__": GETATTR, "__setattr__": SETATTR}.get(token, DELETE)
                    self.site(
                        table, number, target, STRING, access, f"{access}-constant", row[4][1 if place else 0]
                    )
            return
        if callee[0] == op.NAME and self._names_it(table, row[4][1]):
            how = f"{token}-constant"
            self.site(table, number, row[4][0], STRING, access, how, row[4][1])

    def _quoted(self) -> bool:
        """Whether the name stands in a string anywhere; without that no value is its text."""
        if self._in_strings is None:
            program = self.engine.names
            paths = sorted(program.bearing(self.name, facts.ROLE_STRING))
            self._in_strings = any(
                _in_quotes(program.index.source(path), self.name.encode()) for path in paths
            )
        return self._in_strings

    def _names_it(self, table: Table, argument: int) -> bool:
        row = table.rows[argument]
        if row[0] == op.CONSTANT:
            return bool(row[3] == "str" and row[4] == self.name)
        if row[0] == op.FSTRING or not self._quoted():
            return False
        return (TEXT, self.name) in self.engine.solver.solve("expression", table.path, argument)

    def site(
        self, table: Table, number: int, receiver: int, role: str, access: str, how: str = "", place: int = -1
    ) -> None:
        """Decides one site."""
        values: Values = dict(self.engine.solver.solve("expression", table.path, receiver))
        row = table.rows[place if place >= 0 else number]
        token = place < 0 or (row[0] == op.CONSTANT)
        judgement = self.family.judge(values)
        if judgement is None:
            reason = undecided(values)
            if reason and not self._surely_another(table, receiver):
                self.open.append(Open(table.path, row[1], f"{_text(table, receiver)}.{self.name}", reason))
            return
        scope = scope_of(table, number)
        by = receiver_how(self.engine, table, receiver, judgement.value)
        if role == WRITE and access == WRITE and not how and judgement.value[0] == CLASS and by != "self":
            how = "class-attribute"
        if role == WRITE and access == WRITE and judgement.value[0] == "module":
            how = "module-attribute"
        self.found.append(
            Occurrence(
                table.path,
                row[1],
                row[2] + (1 if place >= 0 and row[0] == op.CONSTANT else 0),
                scope,
                role,
                access,
                max(judgement.rank, LIKELY) if how == "hasattr-constant" else judgement.rank,
                how or by,
                judgement.attribute,
                judgement.receiver,
                number,
                token,
            )
        )

    def _surely_another(self, table: Table, receiver: int) -> bool:
        """A receiver of which nothing is known as a value, and which all the same can be no such object: a module."""
        from codemap.inference.heads import definitions

        row = table.rows[receiver]
        if row[0] not in (op.NAME, op.ATTRIBUTE):
            return False
        return any(item.kind in ("external", "module") for item in definitions(self.engine, table, receiver))


def _in_quotes(source: bytes, word: bytes) -> bool:
    """Whether a word stands behind a quotation mark on its line."""
    at = source.find(word)
    while at >= 0:
        start = source.rfind(b"\n", 0, at) + 1
        before = source[start:at]
        if b'"' in before or b"'" in before:
            return True
        at = source.find(word, at + 1)
    return False


def _is_augmented(rows: Any, row: tuple[Any, ...]) -> bool:
    value = rows[row[5]]
    if value[0] != op.BINARY or not value[3].endswith("=") or value[3] in ("==", "!=", "<=", ">="):
        return False
    left = rows[value[4]]
    return bool(left[0] == op.ATTRIBUTE and left[1:3] == row[1:3])


def _text(table: Table, expression: int) -> str:
    """A short form of a receiver as written."""
    row = table.rows[expression]
    if row[0] == op.NAME:
        return str(row[3])
    if row[0] == op.ATTRIBUTE:
        return f"{_text(table, row[3])}.{row[4]}"
    if row[0] == op.CALL:
        return f"{_text(table, row[3])}()"
    if row[0] == op.SUBSCRIPT:
        return f"{_text(table, row[3])}[]"
    if row[0] == op.AWAIT:
        return f"(await {_text(table, row[3])})"
    return "<expression>"


__all__ = ["CALL", "CERTAIN", "INSTANCE", "Members"]
