# Sub-questions in a table, solved to their least fixpoint. A question that is asked again while it is open gets
# what is known so far, and whoever used that is asked anew when more is known (tabling, as in Chen and Warren,
# "Tabled evaluation with delaying for general logic programs", 1996). Every rule only ever adds values or makes
# them surer when its inputs do, so the fixpoint is one and the same whatever the order.
#
# Questions nest as deep as the program under study says, Python's stack does not. A question that would go deeper
# than `_DEEPEST` therefore stops everything that is open (`_TooDeep`), is answered first, from an empty stack, and
# then the others are asked anew. Only circles that are longer than the stack are cut there, once for each question,
# and then they are closed like all others: by asking anew whoever used what was not known yet.
from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, Final

from codemap.inference.values import Values

Key = tuple[Any, ...]
Rule = Callable[..., Values]

_DEEPEST: Final = 250  # questions within questions; each takes some ten frames
_FRAMES: Final = 40_000
# More values than this in one place is no knowledge: no more are added, and that is said (`crowded`).
MOST_VALUES: Final = 1000


_NOTHING: Final[Values] = {}


class Cell:
    """One sub-question: what is known of it, and who has used that."""

    __slots__ = ("deferred", "key", "queued", "started", "users", "values")

    def __init__(self, key: Key) -> None:
        self.key = key
        self.values: Values = {}
        self.users: dict[Cell, None] = {}
        self.queued = False
        self.started = False
        self.deferred = False


class _TooDeep(BaseException):
    """A question lies too deep to be asked from where it came up. No rule may catch it."""

    def __init__(self, cell: Cell) -> None:
        super().__init__()
        self.cell = cell


class Solver:
    """The table. `rules` are by the first word of a key; the rest of the key are the rule's arguments."""

    def __init__(self, rules: dict[str, Rule], deepest: int = _DEEPEST) -> None:
        self.rules = rules
        self.deepest = deepest
        self.final: dict[Key, Values] = {}
        self.cells: dict[Key, Cell] = {}  # those of the question that is being settled
        self.stack: list[Cell] = []
        self.pending: list[Cell] = []
        self.crowded: dict[Key, None] = {}
        self.runs = 0

    def ask(self, *key: Any) -> Values:
        """What is known of a question, from within a rule (which is asked anew when it grows); from outside of
        rules, the final answer."""
        known = self.final.get(key)
        if known is not None:
            return known
        if not self.stack:
            return self.solve(*key)
        cell = self.cells.get(key)
        if cell is None:
            cell = self.cells[key] = Cell(key)
        if not cell.started:
            if len(self.stack) < self.deepest:
                self._run(cell)
            elif not cell.deferred:
                cell.deferred = True
                raise _TooDeep(cell)
            elif not cell.queued:  # a circle longer than the stack: it is closed here, as any circle is
                cell.queued = True
                self.pending.append(cell)
        cell.users[self.stack[-1]] = None
        return cell.values

    def solve(self, *key: Any) -> Values:
        """The final answer to a question, asked from outside."""
        known = self.final.get(key)
        if known is not None:
            return known
        if self.stack:
            return self.ask(*key)
        limit = sys.getrecursionlimit()
        if limit < _FRAMES:
            sys.setrecursionlimit(_FRAMES)
        try:
            cell = self.cells[key] = Cell(key)
            self._settle(cell)
            final = self.final
            for one, settled in self.cells.items():
                final[one] = settled.values or _NOTHING
                settled.users.clear()  # they stand in circles, which only the collector would find
            return cell.values
        finally:
            self.cells.clear()
            self.pending.clear()
            if limit < _FRAMES:
                sys.setrecursionlimit(limit)

    def _settle(self, first: Cell) -> None:
        """Run a cell and all that is to be run because of it."""
        pending = self.pending
        first.queued = True
        pending.append(first)
        while pending:
            cell = pending[-1]
            if not cell.queued:
                pending.pop()
                continue
            try:
                self._run(cell)
            except _TooDeep as deep:
                cell.queued = True
                deep.cell.queued = True
                pending.append(deep.cell)

    def _run(self, cell: Cell) -> None:
        again = cell.started
        cell.queued = False
        cell.started = True
        self.runs += 1
        self.stack.append(cell)
        try:
            found = self.rules[cell.key[0]](*cell.key[1:])
        except BaseException:
            cell.started = again
            raise
        finally:
            self.stack.pop()
        values = cell.values
        grown = False
        for value, rank in found.items():
            known = values.get(value)
            if known is None:
                if len(values) >= MOST_VALUES:
                    self.crowded[cell.key] = None
                    break
                values[value] = rank
                grown = True
            elif rank < known:
                values[value] = rank
                grown = True
        if grown:
            for user in cell.users:
                if not user.queued and user.started:
                    user.queued = True
                    self.pending.append(user)
