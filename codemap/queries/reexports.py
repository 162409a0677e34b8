# Which modules bind a definition by import, or by assignment (`Thing = core.Thing`). The names that files bear are
# the way in: a file that imports it bears the name, a file that renames it starts a second name, a file with a lazy
# table bears it in a string, and a file with a star import bears the name of the module that it empties. Each candidate is then looked up as
# any other name, so that shadowing and guards count.
from __future__ import annotations

from typing import Any

from codemap.model import facts
from codemap.model.facts import ROLE_IMPORT, ROLE_RENAME, ROLE_STRING, STAR_WORD
from codemap.resolve.attributes import binding_of, follow_alias
from codemap.resolve.imports import kind_of_block
from codemap.resolve.modules import own_attribute
from codemap.resolve.program import Program
from codemap.resolve.records import Definition, Found, Step
from codemap.resolve.views import View
from codemap.semantic import expressions as op


def exports_of_definition(program: Program, definition: Definition) -> list[dict[str, Any]]:
    """Every other module that binds the definition at module level, sorted by module and name.

    `line` is that of the imported or assigned name (of the `__getattr__` for a module that makes names when
    asked); what is defined in a class body or a function has no exports.
    """
    if definition.owner != 0 or definition.binding < 0:
        return []
    cache = program.cache("exports of definitions")
    if definition not in cache:
        cache[definition] = _exports(program, definition)
    rows: list[dict[str, Any]] = cache[definition]
    return rows


def _exports(program: Program, definition: Definition) -> list[dict[str, Any]]:
    found: dict[tuple[str, str, str], dict[str, Any]] = {}
    looked_at: set[tuple[str, str]] = set()
    names = {definition.name.rpartition(".")[2]}
    exporters = {definition.file}
    while True:
        before = (len(names), len(exporters))
        for name in sorted(names):
            for path, bound in _candidates(program, name, exporters):
                if (path, bound) in looked_at:
                    continue
                looked_at.add((path, bound))
                view = program.view(path)
                step = _way(program, view, bound, definition)
                if step is not None:
                    exporters.add(path)
                    names.add(bound)
                    if path != definition.file:  # a second name in its own module is no export
                        found[view.module, path, bound] = _row(view, bound, step)
        if (len(names), len(exporters)) == before:
            return [found[key] for key in sorted(found)]


def _candidates(program: Program, name: str, exporters: set[str]) -> list[tuple[str, str]]:
    """Files, with the name under which each may have `name` of another module."""
    pairs: dict[tuple[str, str], None] = {}
    for path in sorted(program.mentioning(name, ROLE_IMPORT)):
        for row in program.view(path).outline.imports:
            if row.name == name and row.scope == 0 and not row.dynamic:
                pairs[path, row.alias or name] = None
    for path in sorted(program.mentioning(name, ROLE_RENAME, exact=True)):
        for binding in program.view(path).outline.bindings:
            if binding.scope == 0 and any(chain.rpartition(".")[2] == name for chain in binding.aliases):
                pairs[path, binding.name] = None
    for path in sorted(program.mentioning(name, ROLE_STRING)):
        for bound in _lazily_bound(program, path, name):
            pairs[path, bound] = None
    for path in _star_importers(program, exporters):
        pairs[path, name] = None
    return list(pairs)


def _star_importers(program: Program, exporters: set[str]) -> list[str]:
    """The files with a star import that may be one of a module that has the name."""
    every = program.mentioning(STAR_WORD, ROLE_IMPORT)
    if not every:
        return []
    modules = [program.modules.module_of(path) for path in sorted(exporters)]
    if any(path.rpartition("/")[2].startswith("__init__.") for path in exporters):
        return sorted(every)  # `from . import *` names no module
    bearing = program.index.mentioning(*{name.rpartition(".")[2] for name in modules}, roles=ROLE_IMPORT)
    return sorted(every.intersection(bearing))


def _lazily_bound(program: Program, path: str, name: str) -> list[str]:
    """The names that a file may bind lazily to a definition whose name stands in one of its strings."""
    view = program.view(path)
    ends = ("." + name, ":" + name)
    names = [
        binding.name
        for binding in view.outline.bindings
        if binding.strings
        and binding.scope == 0
        and any(text == name or text.endswith(ends) for text in binding.strings)
    ]
    for number in view.bindings(0, "__getattr__"):
        binding = view.outline.bindings[number]
        function = view.function_facts(binding.target) if binding.kind == facts.FUNCTION_DEF else None
        names += [name, *(function.getattr_names if function else ())]
        names += _keys_of_tables(program, view, name)
    return list(dict.fromkeys(names))


def _keys_of_tables(program: Program, view: View, name: str) -> list[str]:
    """The keys under which the file's literal tables hold a value with this string in it."""
    rows = program.body(view.path).expressions
    keys: list[str] = []
    for row in rows:
        if row[0] != op.DICT:
            continue
        for key, value in zip(row[3], row[4], strict=True):
            parts = rows[value][3] if rows[value][0] in (op.TUPLE, op.LIST) else (value,)
            texts = [rows[part][4] for part in parts if rows[part][0] == op.CONSTANT]
            if key >= 0 and rows[key][0] == op.CONSTANT and name in texts:
                keys.append(str(rows[key][4]))
    return keys


def _way(program: Program, view: View, name: str, definition: Definition) -> Step | None:
    """The step by which a module has the definition under a name: its import, or its assignment."""
    for item in _reached(program, view, name):
        if item.definition == definition and item.trail and item.trail[0].file == view.path:
            return item.trail[0]
    return None


def _row(view: View, name: str, step: Step) -> dict[str, Any]:
    return {
        "module": view.module,
        "name": name,
        "file": view.path,
        "line": step.line,
        "import_kind": step.import_kind,
    }


def _reached(program: Program, view: View, name: str) -> list[Found]:
    """What a module's name denotes, behind a variable that is another name for it, or an object that imports lazily."""
    found: list[Found] = []
    for item in own_attribute(program, view, name, outside=True).found:
        found.append(item)
        binding = binding_of(program, item.definition) if item.definition.scope < 0 else None
        if binding is None or binding.kind == facts.TYPE_ALIAS:  # `type X = Thing` makes an object of its own
            continue
        for other in follow_alias(program, item.definition).found:
            trail = item.trail
            if not trail and other.how != "lazy object":
                kind = kind_of_block(view, binding.block)
                trail = (Step(view.module, view.path, binding.line, binding.column, kind, "", name),)
            found.append(other._replace(trail=trail + other.trail))
    return found
