# `__all__`: what `from module import *` gives away. Built step by step as the module builds it; a step that
# cannot be read leaves the list open, and then a name that the module has is taken as given.
from __future__ import annotations

from typing import NamedTuple

from codemap.resolve.attributes import binding_of, lookup_dotted
from codemap.resolve.evaluate import Frame, evaluate, strings
from codemap.resolve.imports import imported_module
from codemap.resolve.modules import lookup_attribute_of_module
from codemap.resolve.program import Program
from codemap.resolve.records import MODULE
from codemap.resolve.views import View


class Exports(NamedTuple):
    """The names in a module's `__all__`. `declared` is false when it has none; `complete` when every step is known."""

    names: tuple[str, ...]
    declared: bool
    complete: bool


def exports_of(program: Program, module: str, near: str = "") -> Exports:
    """The `__all__` of a module of the tree."""
    cache = program.cache("exports")
    files = program.modules.files_of(module, near)
    if not files:
        return Exports((), False, False)
    if files[0] not in cache:
        cache[files[0]] = Exports((), True, False)  # what a circle of `__all__ += other.__all__` gets
        cache[files[0]] = _evaluate(program, program.view(files[0]))
    found: Exports = cache[files[0]]
    return found


def gives(program: Program, module: str, name: str, near: str = "") -> bool:
    """Whether `from module import *`, in the file `near`, binds `name`."""
    exports = exports_of(program, module, near)
    if exports.declared and (exports.complete or name in exports.names):
        return name in exports.names
    if name.startswith("_"):
        return False
    found = lookup_attribute_of_module(program, module, name, near=near).found
    return any(
        item.how != "submodule" or item.trail for item in found
    )  # submodules count once they are loaded


def surely_gives(program: Program, module: str, name: str, near: str = "") -> bool:
    """Whether a name that the module gives away is given for sure: its `__all__` has it, or it has none."""
    exports = exports_of(program, module, near)
    return not exports.declared or name in exports.names


def _evaluate(program: Program, view: View) -> Exports:
    if not view.outline.exports:
        return _taken_over(program, view)
    names: dict[str, None] = {}
    complete = True
    for step in view.outline.exports:
        if step.operation == "unknown":
            complete = False
            continue
        more = dict.fromkeys(step.names)
        for chain in step.modules:
            modules = [
                item.definition.name
                for item in lookup_dotted(program, view, 0, chain).found
                if item.definition.kind == MODULE
            ]
            for module in modules:
                other = exports_of(program, module, view.path)
                more.update(dict.fromkeys(other.names))
                complete = complete and other.complete
            complete = complete and bool(modules)
        for chain in step.reads:
            texts = _spliced(program, view, chain)
            complete = complete and texts is not None
            more.update(dict.fromkeys(texts or ()))
        if step.operation == "remove":
            names = {name: None for name in names if name not in more}
        elif step.operation == "=" and view.outline.blocks[step.block].parent < 0:
            names = more
        else:
            names.update(more)
    return Exports(tuple(names), True, complete)


def _spliced(program: Program, view: View, chain: str) -> tuple[str, ...] | None:
    """The strings of a list that `__all__` takes in by its name, wherever it is defined."""
    for item in lookup_dotted(program, view, 0, chain).found:
        binding = binding_of(program, item.definition)
        if binding is None or binding.value < 0:
            continue
        there = Frame(program, program.view(item.definition.file), binding.within, {})
        return strings(evaluate(there, binding.value))
    return None


def _taken_over(program: Program, view: View) -> Exports:
    """`from .other import __all__` without a step of its own."""
    for number in view.bindings(0, "__all__"):
        row = view.outline.bindings[number]
        if row.target >= 0 and row.kind == "import":
            source = imported_module(program, view, view.outline.imports[row.target])
            return exports_of(program, source, view.path)
    return Exports((), False, False)
