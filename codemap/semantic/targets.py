# Targets that a loop or a `with` gives a value nobody wrote.
from __future__ import annotations

import ast

from codemap.model import facts
from codemap.semantic import expressions as ops
from codemap.semantic.binding import assign
from codemap.semantic.draft import Draft


def iterate(d: Draft, node: ast.expr, iterable: int, target: ast.expr, asynchronous: int | bool) -> int:
    """Take an element of an iterable that was read already and bind the target to it."""
    d.rows.append((ops.ITERATE, node.lineno, node.col_offset, iterable, int(asynchronous)))
    here = len(d.rows) - 1
    assign(d, target, facts.FOR, here)
    return here
