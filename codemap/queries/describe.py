# From a match to the mapping of CLI.md: place, header, decorators, bases, flags. Columns turn around here.
from __future__ import annotations

from typing import Any, Final

from codemap.model import facts
from codemap.model.answers import CERTAIN, LIKELY, weakest
from codemap.model.facts import ClassFacts
from codemap.queries.headers import header_text, source_lines
from codemap.queries.matching import Match
from codemap.queries.patches import patches_of
from codemap.queries.reexports import exports_of_definition
from codemap.resolve.attributes import binding_of, lookup_dotted, mro
from codemap.resolve.naming import CLASS_FACTORIES, definition_of
from codemap.resolve.program import Program
from codemap.resolve.records import ATTRIBUTE, CLASS, FUNCTION, METHOD, MODULE, PARAMETER, Definition
from codemap.resolve.views import View

# what a decorator outside the tree says about what it decorates
_DECORATORS: Final = {
    "builtins.property": ("property",),
    "builtins.staticmethod": ("staticmethod",),
    "builtins.classmethod": ("classmethod",),
    "functools.cached_property": ("property", "cached_property"),
    "functools.singledispatch": ("singledispatch",),
    "functools.singledispatchmethod": ("singledispatch",),
    "functools.total_ordering": (),
    "abc.abstractmethod": ("abstract",),
    "abc.abstractproperty": ("abstract", "property"),
    "abc.abstractclassmethod": ("abstract", "classmethod"),
    "abc.abstractstaticmethod": ("abstract", "staticmethod"),
    "contextlib.contextmanager": ("contextmanager",),
    "contextlib.asynccontextmanager": ("contextmanager",),
    "dataclasses.dataclass": ("dataclass",),
    "pydantic.dataclasses.dataclass": ("dataclass",),
    "enum.unique": (),
}
_TYPING: Final = {"overload": "overload", "final": "final", "override": "override", "runtime_checkable": ""}
_ATTRS: Final = frozenset({"define", "frozen", "mutable", "s", "attrs", "attributes", "dataclass"})
_ENUMS: Final = frozenset({"Enum", "IntEnum", "StrEnum", "Flag", "IntFlag", "ReprEnum"})
_ACCESSORS: Final = ("setter", "getter", "deleter")


def describe(program: Program, match: Match) -> dict[str, Any]:
    """A result of `find` and `find-class`: every field that CLI.md names, and `guard`, `patched` where there are."""
    definition = match.definition
    result: dict[str, Any] = {
        "file": definition.file,
        "line": definition.line,
        "column": definition.column + 1,
        "confidence": match.confidence,
        "how": match.how,
        "name": definition.name,
        "kind": definition.kind,
        "end_line": definition.line,
        "signature": "",
        "decorators": [],
        "bases": [],
        "flags": [],
        "shadowed_by": None,
        "exports": [],
    }
    if match.guard:
        result["guard"] = match.guard
    if match.trail:
        result["chain"] = [match.trail[0].module, *(step.source for step in match.trail)]
    if definition.kind == MODULE and definition.scope < 0:
        return result  # an extension module or a namespace package: there is no source to read
    view = program.view(definition.file)
    if match.shadowed_by is not None:
        by = match.shadowed_by
        result["shadowed_by"] = {
            "name": by.name,
            "kind": by.kind,
            "file": _shadow_file(program, match),
            "line": by.line,
        }
    if definition.kind == MODULE:
        result["end_line"] = max(view.outline.lines, 1)
        return result
    _add_header(program, view, definition, result)
    if match.lead is None or match.how == "overload":
        result["exports"] = exports_of_definition(program, definition) if match.lead is None else []
    _add_patches(program, view, definition, result)
    return result


def _shadow_file(program: Program, match: Match) -> str:
    """The file of the binding that hides a definition: its own, or its package's for a module."""
    if match.definition.kind != MODULE:
        return match.definition.file
    return next(
        iter(program.modules.files_of(match.definition.name.rpartition(".")[0])), match.definition.file
    )


def _add_header(program: Program, view: View, definition: Definition, result: dict[str, Any]) -> None:
    lines = source_lines(program.index.source(definition.file), view.outline.encoding)
    own = definition.scope >= 0 and definition.kind in (CLASS, FUNCTION, METHOD)
    text, last = header_text(
        lines, definition.line, 0 if own else definition.column, definition.kind == PARAMETER
    )
    result["signature"] = text
    result["end_line"] = last
    if not own:
        result["flags"] = _flags_of_attribute(program, view, definition)
        return
    result["end_line"] = view.outline.scopes[definition.scope].end_line
    klass = view.class_facts(definition.scope)
    function = view.function_facts(definition.scope)
    if klass is not None:
        result["decorators"] = [text or "<expression>" for text in klass.decorators]
        result["bases"] = [text or "<expression>" for text in klass.bases]
        result["flags"] = class_flags(program, view, definition, klass)
    elif function is not None:
        result["decorators"] = [text or "<expression>" for text in function.decorators]
        result["flags"] = function_flags(program, view, definition)


def decorator_flags(
    program: Program, view: View, scope: int, decorators: tuple[str, ...], values: tuple[int, ...]
) -> set[str]:
    """What decorators, resolved to their qualified names, say about what they decorate."""
    flags: set[str] = set()
    for position, chain in enumerate(decorators):
        if not chain:
            continue
        last = chain.rpartition(".")[2]
        if last in _ACCESSORS:
            flags |= {"property", last}
            continue
        at = values[position] if position < len(values) else None
        for item in lookup_dotted(program, view, scope, chain, at).found:
            package, _, name = item.definition.name.rpartition(".")
            flags.update(_DECORATORS.get(item.definition.name, ()))
            if package in ("typing", "typing_extensions"):
                flags.add(_TYPING.get(name, ""))
            if package in ("attr", "attrs") and name in _ATTRS:
                flags |= {"attrs", "dataclass"}
    return flags - {""}


def function_flags(program: Program, view: View, definition: Definition) -> list[str]:
    """ "async", "generator", "property", "abstract", ... of a function or method, sorted."""
    function = view.function_facts(definition.scope)
    if function is None:
        return []
    flags = {flag for flag in function.flags if flag in ("async", "generator")}
    scope = view.outline.scopes[definition.scope].parent
    flags |= decorator_flags(program, view, scope, function.decorators, function.decorator_values)
    return sorted(flags)


def class_flags(program: Program, view: View, definition: Definition, klass: ClassFacts) -> list[str]:
    """ "dataclass", "enum", "abstract", "protocol", ... of a class, sorted."""
    scope = view.outline.scopes[definition.scope].parent
    flags = decorator_flags(program, view, scope, klass.decorators, klass.decorator_values)
    for base in mro(program, definition).outside:
        package, _, name = base.rpartition(".")
        if package == "enum" and name in _ENUMS:
            flags.add("enum")
        elif name in ("NamedTuple", "TypedDict", "namedtuple"):
            flags.add(name.lower())
        elif package == "builtins" and name.endswith(("Error", "Exception", "Exit", "Interrupt", "Warning")):
            flags.add("exception")
    direct: set[str] = set()
    keywords = tuple(value for name, value in klass.keywords if name == "metaclass")
    for chain in (*klass.bases, *keywords):
        if chain:
            direct |= {item.definition.name for item in lookup_dotted(program, view, scope, chain).found}
    if direct & {"typing.Protocol", "typing_extensions.Protocol"}:
        flags.add("protocol")
    if direct & {"abc.ABC", "abc.ABCMeta"} or _has_abstract_method(program, view, definition.scope):
        flags.add("abstract")
    return sorted(flags)


def _has_abstract_method(program: Program, view: View, scope: int) -> bool:
    for function in view.outline.functions:
        if view.outline.scopes[function.scope].parent != scope:
            continue
        if any("abstract" in decorator for decorator in function.decorators):
            values = function.decorator_values
            if "abstract" in decorator_flags(program, view, scope, function.decorators, values):
                return True
    return False


def _flags_of_attribute(program: Program, view: View, definition: Definition) -> list[str]:
    binding = binding_of(program, definition)
    if binding is None:
        return ["instance"] if definition.store >= 0 else []
    if definition.kind == CLASS:
        return [CLASS_FACTORIES[binding.callee.rpartition(".")[2]]]
    flags = []
    head = binding.annotation.rpartition(".")[2]
    if head in ("ClassVar", "Final"):
        flags.append(head.lower())
    if binding.kind == facts.TYPE_ALIAS or head == "TypeAlias":
        flags.append("type alias")
    if definition.kind == ATTRIBUTE and view.outline.scopes[definition.owner].kind == facts.CLASS:
        owner = Definition(CLASS, view.qualified(definition.owner), view.path, scope=definition.owner)
        if any(base.startswith("enum.") for base in mro(program, owner).outside):
            flags.append("enum member")
    return sorted(flags)


def _add_patches(program: Program, view: View, definition: Definition, result: dict[str, Any]) -> None:
    """Names that other code replaces are at most likely what their definition says."""
    if definition.kind not in (CLASS, FUNCTION, METHOD) or definition.owner < 0:
        return
    owner_kind = view.outline.scopes[definition.owner].kind
    if owner_kind == facts.MODULE:
        owner = Definition(MODULE, view.module, view.path, 1, 0, -1, 0)
    elif owner_kind == facts.CLASS:
        owner = _class_at(view, definition.owner)
    else:
        return
    name = definition.name.rpartition(".")[2]
    patches = patches_of(program, owner, name)
    if patches:
        result["patched"] = [{"file": row.file, "line": row.line, "name": row.value} for row in patches]
        result["confidence"] = weakest(result["confidence"], LIKELY)


def _class_at(view: View, scope: int) -> Definition:
    for number, binding in enumerate(view.outline.bindings):
        if binding.kind == facts.CLASS_DEF and binding.target == scope:
            return definition_of(view, binding, number)
    return Definition(CLASS, view.qualified(scope), view.path, scope=scope)


__all__ = ["CERTAIN", "class_flags", "describe", "function_flags"]
