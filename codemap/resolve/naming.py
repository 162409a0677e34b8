# From a binding to the Definition it makes: its kind, its qualified name, its place.
from __future__ import annotations

from typing import Final

from codemap.model import facts
from codemap.model.facts import AttributeStore, Binding
from codemap.resolve.program import Program
from codemap.resolve.records import (
    ATTRIBUTE,
    CLASS,
    CONSTANT,
    EXTERNAL,
    FUNCTION,
    METHOD,
    MODULE,
    PARAMETER,
    VARIABLE,
    Definition,
)
from codemap.resolve.views import View

# functions of the standard library that make a class of a name and fields, and the flag of what they make
CLASS_FACTORIES: Final = {
    "namedtuple": "namedtuple",
    "NamedTuple": "namedtuple",
    "TypedDict": "typeddict",
    "Enum": "enum",
    "IntEnum": "enum",
    "StrEnum": "enum",
    "Flag": "enum",
    "IntFlag": "enum",
    "make_dataclass": "dataclass",
}


def definition_of(view: View, binding: Binding, number: int) -> Definition:
    """The definition that a binding makes (imports are bindings, but no definitions).

    `number` is the binding's place in the outline's bindings; in the body's for a name of a function.
    """
    scopes = view.outline.scopes
    owner = scopes[binding.scope].kind
    name = f"{view.qualified(binding.scope)}.{binding.name}"
    if owner == facts.TYPE_PARAMETERS:  # it lies around the class or function that it belongs to
        name = f"{view.qualified(binding.scope)}.{scopes[binding.scope].name}.{binding.name}"
    if binding.kind in (facts.CLASS_DEF, facts.FUNCTION_DEF) and binding.target >= 0:
        scope = scopes[binding.target]
        kind = CLASS if binding.kind == facts.CLASS_DEF else METHOD if owner == facts.CLASS else FUNCTION
        column = binding.column if scope.line == scope.header_line else 0
        return Definition(
            kind, name, view.path, scope.header_line, column, binding.scope, binding.target, number
        )
    if makes_class(binding):
        kind = CLASS
    elif owner == facts.CLASS:
        kind = ATTRIBUTE
    elif owner == facts.MODULE:
        kind = CONSTANT if _is_constant(binding) else ATTRIBUTE
    else:
        kind = PARAMETER if binding.kind == facts.PARAMETER else VARIABLE
    return Definition(kind, name, view.path, binding.line, binding.column, binding.scope, -1, number)


def makes_class(binding: Binding) -> bool:
    """Whether a call makes a class of the name that it is bound to: `Point = namedtuple("Point", "x y")`."""
    if not binding.strings or binding.strings[0] != binding.name:
        return False
    return binding.callee.rpartition(".")[2] in CLASS_FACTORIES


def _is_constant(binding: Binding) -> bool:
    """A module's name that its author marks as fixed: upper case, `Final`, or a type alias."""
    if binding.kind == facts.TYPE_ALIAS or binding.annotation.rpartition(".")[2] in ("Final", "TypeAlias"):
        return True
    return binding.name.isupper()


def store_definition(view: View, klass: Definition, number: int) -> Definition:
    """The attribute of a class that `self.name = ...` makes; `number` counts in the outline's stores."""
    store: AttributeStore = view.outline.stores[number]
    return Definition(
        ATTRIBUTE,
        f"{klass.name}.{store.name}",
        view.path,
        store.line,
        store.column,
        klass.scope,
        -1,
        -1,
        number,
    )


def module_definition(program: Program, module: str, near: str = "") -> Definition | None:
    """The module itself as a definition; None when the tree has none of that name.

    `near` is the file that asks: where several import roots hold such a module, those of its own come first.
    A namespace package has no file: its `file` is the folder, its line 1.
    """
    files = program.modules.files_of(module, near)
    if files:
        return Definition(MODULE, module, files[0], 1, 0, -1, 0)
    extension = program.modules.extension_of(module, near)
    if extension is not None:
        return Definition(MODULE, module, extension, 1, 0, -1, -1)
    if module and program.modules.exists(module, near):
        return Definition(MODULE, module, module.replace(".", "/"), 1, 0, -1, -1)
    return None


def external(name: str) -> Definition:
    """Something outside the tree, known by its qualified name only."""
    return Definition(EXTERNAL, name, "")
