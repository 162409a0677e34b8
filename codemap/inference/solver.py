# Sub-questions in a table, solved to their least fixpoint. A question that is asked again while it is open gets
# what is known so far, and whoever used that is asked anew when more is known (tabling, as in Chen and Warren,
# "Tabled evaluation with delaying for general logic programs", 1996). Every rule only ever adds values or makes
# them surer when its inputs do, so the fixpoint is one and the same whatever the order.
from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, Final

from codemap.inference.values import Values

Key = tuple[Any, ...]
Rule = Callable[..., Values]

_DEEPEST: Final = 250  # questions within questions before the next one has to wait for its turn
_FRAMES: Final = 40_000
# More values than this in one place is no knowledge: the place is given up as a whole (see `crowded`).
MOST_VALUES: Final = 300


class Cell:
    """One sub-question: what is known of it, and who has used that."""

    __slots__ = ("crowded", "key", "queued", "started", "users", "values")

    def __init__(self, key: Key) -> None:
        self.key = key
        self.values: Values = {}
        self.users: dict[Cell, None] = {}
        self.queued = False
        self.started = False
        self.crowded = False


class Solver:
    """The table. `rules` are by the first word of a key; the rest of the key are the rule's arguments."""

    def __init__(self, rules: dict[str, Rule]) -> None:
        self.rules = rules
        self.cells: dict[Key, Cell] = {}
        self.stack: list[Cell] = []
        self.pending: list[Cell] = []
        self.runs = 0
        self.settling = False

    def ask(self, *key: Any) -> Values:
        """What is known of a question, from within a rule (which is asked anew when it grows)."""
        if not self.stack and not self.settling:
            return self.solve(*key)
        cell = self.cells.get(key)
        if cell is None:
            cell = self.cells[key] = Cell(key)
            if len(self.stack) < _DEEPEST:
                self._run(cell)
            else:
                cell.queued = True
                self.pending.append(cell)
        if self.stack:
            cell.users[self.stack[-1]] = None
        return cell.values

    def solve(self, *key: Any) -> Values:
        """The final answer to a question, asked from outside."""
        limit = sys.getrecursionlimit()
        if limit < _FRAMES:
            sys.setrecursionlimit(_FRAMES)
        inside = bool(self.stack)
        before, self.settling = self.settling, True
        try:
            values = self.ask(*key)
            if not inside:
                self._settle()
            return values
        finally:
            self.settling = before
            if limit < _FRAMES:
                sys.setrecursionlimit(limit)

    def _settle(self) -> None:
        pending = self.pending
        while pending:
            cell = pending.pop()
            if cell.queued:
                self._run(cell)

    def _run(self, cell: Cell) -> None:
        cell.queued = False
        cell.started = True
        self.runs += 1
        self.stack.append(cell)
        try:
            found = self.rules[cell.key[0]](*cell.key[1:])
        finally:
            self.stack.pop()
        if cell.crowded:
            return
        values = cell.values
        grown = False
        for value, rank in found.items():
            known = values.get(value)
            if known is None or rank < known:
                values[value] = rank
                grown = True
        if len(values) > MOST_VALUES:
            cell.crowded = True
        if grown:
            for user in cell.users:
                if not user.queued:
                    user.queued = True
                    self.pending.append(user)
