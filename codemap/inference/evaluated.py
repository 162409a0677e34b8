# `eval("f(x)")` of a text that is known: the names that it calls are looked up where the eval stands.
from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from codemap.inference.values import CLASS, FUNCTION, LIKELY, TEXT, Values, join
from codemap.resolve.attributes import lookup_dotted

if TYPE_CHECKING:
    from codemap.inference.engine import Engine
    from codemap.inference.tables import Table

_LONGEST = 2000


def evaluated(engine: Engine, table: Table, call: int, argument: int) -> Values:
    """("edge", callee, "eval") for the calls in a text that is evaluated."""
    from codemap.inference.names import resolution_values

    out: Values = {}
    scope, _ = table.place(call)
    for value, rank in list(engine.ask("expression", table.path, argument).items()):
        if value[0] != TEXT or len(value[1]) > _LONGEST:
            continue
        for dotted in _called(value[1]):
            found = resolution_values(engine, lookup_dotted(engine.program, table.view, scope, dotted))
            for one, sure in found.items():
                if one[0] in (FUNCTION, CLASS):
                    join(out, {("edge", one, "eval"): max(rank, sure, LIKELY)})
    return out


def _called(text: str) -> list[str]:
    try:
        tree = ast.parse(text.strip())
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    return sorted(
        {
            ast.unparse(node.func)
            for node in ast.walk(tree)
            if isinstance(node, ast.Call) and isinstance(node.func, (ast.Name, ast.Attribute))
        }
    )
