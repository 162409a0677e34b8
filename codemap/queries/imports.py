# What a module imports: one result for each module that a statement names, and one more for a submodule that
# `from package import submodule` takes, because both are loaded.
from __future__ import annotations

from typing import Any

from codemap.errors import NoSuchModule
from codemap.model.answers import AMBIGUOUS, CERTAIN, FOUND, Answer, UnresolvedSite
from codemap.model.facts import Import
from codemap.nearest import nearest
from codemap.queries.expected import nearest_paths
from codemap.resolve.imports import import_kind, imported_module
from codemap.resolve.modules import lookup_attribute_of_module
from codemap.resolve.naming import module_definition
from codemap.resolve.program import Program
from codemap.resolve.records import EXTERNAL, MODULE
from codemap.resolve.views import View


def imports(program: Program, module: str) -> Answer:
    """The imports of a module (dotted name, end of one, or a file's path), in line order.

    Raises NoSuchModule when the tree has none of that name.
    """
    paths = program.modules.paths_matching(module)
    if not paths and module_definition(program, module) is None:
        raise no_such_module(program, module)
    results: list[dict[str, Any]] = []
    outside: list[UnresolvedSite] = []
    for path in paths:
        rows, more = imports_of_file(program, program.view(path))
        results += rows
        outside += more
    if not paths:
        extension = program.modules.extension_of(module)
        if extension is not None:
            outside.append(UnresolvedSite(module, extension, 1, "an extension module has no source to read"))
    status = AMBIGUOUS if len(paths) > 1 and len({program.modules.module_of(p) for p in paths}) > 1 else FOUND
    return Answer(
        "imports", module, program.index.summary(), status, tuple(results), tuple(sorted(set(outside)))
    )


def cycles(program: Program) -> Answer:
    """The sets of modules that import each other; `import_kind` is "runtime", or "typing" where it needs those."""
    from codemap.queries.import_cycles import cycles as answer  # no warm question of another kind pays for it

    return answer(program)


def no_such_module(program: Program, module: str) -> NoSuchModule:
    """The error for a module or file that is not in the tree, with the nearest ones."""
    if "/" in module or module.endswith((".py", ".pyi")):
        near = tuple(nearest_paths(program, module))
    else:
        names = {program.modules.module_of(path) for path in program.index.files}
        last = module.rpartition(".")[2]
        near = tuple(sorted(name for name in names if name.rpartition(".")[2] == last))[:5]
        near = near or nearest(module, names) or nearest(module, {name.rpartition(".")[2] for name in names})
    hint = f"nearest: {', '.join(near)}" if near else ""
    return NoSuchModule(f"no module {module} in {program.index.tree.name}", hint, near)


def imports_of_file(program: Program, view: View) -> tuple[list[dict[str, Any]], list[UnresolvedSite]]:
    """The imports of one file as results, and those that lead nowhere."""
    results: list[dict[str, Any]] = []
    outside: list[UnresolvedSite] = []
    grouped: dict[tuple[int, str, str], dict[str, Any]] = {}
    for row in view.outline.imports:
        source = imported_module(program, view, row)
        kind = import_kind(view, row)
        if not source:
            text = f"relative import of {'.' * row.level}{row.module} leaves the tree"
            outside.append(UnresolvedSite(f"{'.' * row.level}{row.module}", view.path, row.line, text))
            continue
        key = (row.statement_line, source, row.dynamic)
        known = grouped.get(key) if row.name or row.dynamic else None
        if known is None:
            known = grouped[key] = _result(program, view, row, source, kind)
            results.append(known)
        if row.name:
            known["names"] = sorted({*known["names"], row.name})
            submodule = submodule_taken(program, view, source, row)
            if submodule:
                results.append(_result(program, view, row, submodule, kind))
    return results, outside


def _result(program: Program, view: View, row: Import, module: str, kind: str) -> dict[str, Any]:
    definition = module_definition(program, module, view.path)
    return {
        "file": view.path,
        "line": row.statement_line,
        "column": row.column + 1,
        "confidence": CERTAIN,
        "how": _how(row),
        "module": module,
        "names": [],
        "import_kind": kind,
        "resolved": definition is not None,
        "target": definition.file if definition is not None else None,
    }


def _how(row: Import) -> str:
    if row.dynamic:
        return "dynamic import"
    return "star import" if row.name == "*" else "import"


def submodule_taken(program: Program, view: View, source: str, row: Import) -> str:
    """The submodule that `from source import name` loads, "" when the name is something else."""
    dotted = f"{source}.{row.name}"
    if row.name == "*" or not program.modules.exists(dotted, view.path):
        return ""
    if source == view.module:
        return dotted
    found = lookup_attribute_of_module(program, source, row.name, importing=True, near=view.path).found
    modules = [item.definition.name for item in found if item.definition.kind == MODULE]
    if dotted in modules or not found or all(item.definition.kind == EXTERNAL for item in found):
        return dotted
    return ""
