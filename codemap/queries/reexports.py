# Which modules bind a definition's name by import. The names that files bear are the way in: a file that imports
# it bears the name, a file that renames it starts a second name, and star imports and lazy tables are looked at
# one by one. Each candidate is then looked up as any other name, so that shadowing and guards count.
from __future__ import annotations

from typing import Any

from codemap.model import facts
from codemap.model.facts import ROLE_EXPORT, ROLE_IMPORT, ROLE_STRING, STAR_WORD
from codemap.resolve.modules import own_attribute
from codemap.resolve.program import Program
from codemap.resolve.records import Definition
from codemap.resolve.views import View


def exports_of_definition(program: Program, definition: Definition) -> list[dict[str, Any]]:
    """Every module that binds the definition at module level by import, sorted by module and name.

    `line` is that of the import (of the `__getattr__` for a module that makes names when asked); names of a class
    body or a function have none.
    """
    if definition.owner != 0 or definition.binding < 0:
        return []
    found: dict[tuple[str, str, str], dict[str, Any]] = {}
    pending = [definition.name.rpartition(".")[2]]
    seen: set[str] = set()
    while pending:
        name = pending.pop(0)
        if name in seen:
            continue
        seen.add(name)
        for path in sorted(_candidates(program, name)):
            view = program.view(path)
            for bound in _bound_names(program, view, name):
                row = _export(program, view, bound, definition)
                if row is not None:
                    found[row["module"], row["file"], bound] = row
                    if bound not in seen:
                        pending.append(bound)
    return [found[key] for key in sorted(found)]


def _candidates(program: Program, name: str) -> set[str]:
    files = set(program.mentioning(name, ROLE_IMPORT | ROLE_STRING | ROLE_EXPORT))
    return files | program.mentioning(STAR_WORD, ROLE_IMPORT)


def _bound_names(program: Program, view: View, name: str) -> list[str]:
    """The names under which a file may have `name` of another module."""
    names: dict[str, None] = {}
    for row in view.outline.imports:
        if row.scope == 0 and not row.dynamic and row.name in (name, "*"):
            names[row.alias or name] = None
    for binding in view.outline.bindings:
        if binding.scope == 0 and (
            name in binding.strings or any(s.endswith(("." + name, ":" + name)) for s in binding.strings)
        ):
            names[binding.name] = None
    if view.bindings(0, "__getattr__"):
        names[name] = None
        for number in view.bindings(0, "__getattr__"):
            binding = view.outline.bindings[number]
            function = view.function_facts(binding.target) if binding.kind == facts.FUNCTION_DEF else None
            names.update(dict.fromkeys(function.getattr_names if function else ()))
            names.update(
                dict.fromkeys(row.alias for row in view.outline.imports if row.alias and row.name == name)
            )
    return list(names)


def _export(program: Program, view: View, name: str, definition: Definition) -> dict[str, Any] | None:
    for item in _reached(program, view, name):
        if item.definition == definition and item.trail and item.trail[0].file == view.path:
            step = item.trail[0]
            return {
                "module": view.module,
                "name": name,
                "file": view.path,
                "line": step.line,
                "import_kind": step.import_kind,
            }
    return None


def _reached(program: Program, view: View, name: str) -> list[Any]:
    """What a module's name denotes, behind a variable that stands for a lazy import too."""
    from codemap.resolve.attributes import follow_alias

    found: list[Any] = []
    for item in own_attribute(program, view, name).found:
        found.append(item)
        if item.definition.binding >= 0 and item.definition.scope < 0 and not item.trail:
            found += [
                other for other in follow_alias(program, item.definition).found if other.how == "lazy object"
            ]
    return found
