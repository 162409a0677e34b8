# Import statements. One row per imported name; a dotted `import a.b` binds its first part only.
from __future__ import annotations

import ast

from codemap.model import facts
from codemap.semantic.binding import bind
from codemap.semantic.draft import STATEMENTS, Draft
from codemap.semantic.tokens import end_token


def _import(d: Draft, node: ast.Import) -> int:
    lazy = bool(getattr(node, "is_lazy", 0))
    for alias in node.names:
        d.imported.update(alias.name.split("."))
        _add(d, node, alias, 0, alias.name, "", lazy)
    return 0


def _import_from(d: Draft, node: ast.ImportFrom) -> int:
    lazy = bool(getattr(node, "is_lazy", 0))
    module = node.module or ""
    if module:
        d.imported.update(module.split("."))
    for alias in node.names:
        name = alias.name
        d.imported.add(name)
        if name == "TYPE_CHECKING" and alias.asname:
            d.typing_names.add(alias.asname)
        _add(d, node, alias, node.level, module, name, lazy)
    return 0


def _add(
    d: Draft,
    node: ast.Import | ast.ImportFrom,
    alias: ast.alias,
    level: int,
    module: str,
    name: str,
    lazy: bool,
) -> None:
    renamed = alias.asname
    line, column = alias.lineno, alias.col_offset
    target = len(d.imports)
    d.imports.append(
        (level, module, name, renamed or "", d.scope, d.block, line, column, node.lineno, "", lazy)
    )
    if name == "*":
        return
    if renamed:
        d.imported.add(renamed)
        line, column = end_token(d, alias.end_lineno or line, alias.end_col_offset or column, renamed)
    bind(d, renamed or name or module.partition(".")[0], facts.IMPORT, line, column, target=target)


STATEMENTS[ast.Import] = _import
STATEMENTS[ast.ImportFrom] = _import_from
