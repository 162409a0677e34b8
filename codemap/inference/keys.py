# Keys of containers that are known from the text.
from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.inference.values import NUMBER, TEXT, Value
from codemap.semantic import expressions as op

if TYPE_CHECKING:
    from codemap.inference.engine import Engine


def constant_key(engine: Engine, path: str, expression: int) -> Value | None:
    """The constant key that an expression surely is: ("key", text) or ("index", number); None when not known."""
    row = engine.table(path).rows[expression]
    if row[0] == op.CONSTANT:
        if row[3] == "str" and row[4] is not None:
            return ("key", row[4])
        if row[3] == "int" and row[4] is not None:
            return ("index", row[4])
        return ("key", f"<{row[3]} {row[4]}>")
    if row[0] == op.UNARY and row[3] == "-":
        inner = engine.table(path).rows[row[4]]
        if inner[0] == op.CONSTANT and inner[3] == "int":
            return ("index", -inner[4])
    texts = list(engine.ask("expression", path, expression))
    if len(texts) == 1 and texts[0][0] == TEXT:
        return ("key", texts[0][1])
    if len(texts) == 1 and texts[0][0] == NUMBER:
        return ("index", texts[0][1])
    return None
