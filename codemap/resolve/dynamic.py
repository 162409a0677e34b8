# Names that code computes when they are asked for: a module's `__getattr__` (PEP 562), and objects that import
# when they are used (`Engine = LazyImport("pkg.engine", "Engine")`). No class is known by its name here: a callee
# imports lazily when its own code, looked up in the tree, imports dynamically.
from __future__ import annotations

from codemap.model import facts
from codemap.model.answers import CERTAIN, LIKELY, weakest
from codemap.model.facts import Binding
from codemap.resolve.attributes import dotted_chain, lookup_dotted
from codemap.resolve.evaluate import Constant, Frame, Value, called, evaluate, imported_by_call, strings
from codemap.resolve.modules import lookup_attribute_of_module
from codemap.resolve.naming import external, module_definition
from codemap.resolve.program import Program
from codemap.resolve.records import (
    CLASS,
    FUNCTION,
    LAZY,
    MODULE,
    NOTHING,
    RUNTIME,
    Definition,
    Found,
    Reason,
    Resolution,
    Step,
)
from codemap.resolve.views import View
from codemap.semantic import expressions as op


# --- modules with __getattr__ -----------------------------------------------------------------------------------
def module_getattr(program: Program, view: View, name: str) -> Resolution:
    """What a module's `__getattr__` gives for a name that the module does not have."""
    if name.startswith("__") and name.endswith("__"):
        return NOTHING
    numbers = view.bindings(0, "__getattr__")
    binding = view.outline.bindings[numbers[-1]]
    frame = Frame(program, view, 0, {})
    value: Value = None
    if binding.kind == facts.FUNCTION_DEF:
        value = called(frame, view.path, binding.target, [Constant(name)])
    text = "the module's __getattr__ decides at run time"
    if not isinstance(value, Resolution):
        value = _by_table(frame, name)
    if not isinstance(value, Resolution):
        if binding.kind == facts.FUNCTION_DEF and not _can_give(program, view, binding, name):
            return NOTHING
        return Resolution((), (Reason(name, view.path, binding.line, text),))
    found = []
    for item in value.found:
        step = _step(view, binding, item, name)
        found.append(
            item._replace(
                confidence=weakest(item.confidence, LIKELY), how="module getattr", trail=(step, *item.trail)
            )
        )
    return Resolution(tuple(found), value.reasons)


def _step(view: View, binding: Binding, item: Found, name: str) -> Step:
    source = item.trail[0].source if item.trail and item.trail[0].module == view.module else ""
    if not source:
        source = (
            item.definition.name
            if item.definition.kind == MODULE
            else item.definition.name.rpartition(".")[0]
        )
    return Step(view.module, view.path, binding.line, binding.column, LAZY, source, name)


def _can_give(program: Program, view: View, binding: Binding, name: str) -> bool:
    """Whether `__getattr__` may know the name: the names it compares with are all that it knows, if it has any."""
    function = view.function_facts(binding.target)
    if function is None or not function.getattr_names:
        return True
    return name in function.getattr_names


def _by_table(frame: Frame, name: str) -> Resolution | None:
    """What tables of the usual form say, where nobody can tell what is made of them: `{"submodule": ["name", ...]}`.

    Such a table is turned round by a comprehension, or handed to a library that makes `__getattr__` of it. It
    counts only where the submodule is there and really has the name.
    """
    program, view = frame.program, frame.view
    if not view.package or view.path not in program.mentioning(name, facts.ROLE_STRING):
        return None
    found: dict[Definition, Found] = {}
    for row in program.body(view.path).expressions:
        if row[0] != op.DICT:
            continue
        for key, names in zip(row[3], row[4], strict=True):
            if key < 0 or frame.row(key)[0] != op.CONSTANT or not isinstance(frame.row(key)[4], str):
                continue
            if name not in (strings(evaluate(frame, names)) or ()):
                continue
            text = str(frame.row(key)[4])
            module = text if text.startswith(view.module + ".") else f"{view.module}.{text.lstrip('.')}"
            if text.startswith("..") or not program.modules.exists(module, view.path):
                continue
            answer = lookup_attribute_of_module(program, module, name, importing=True, near=view.path)
            found.update((item.definition, item) for item in answer.found)
    return Resolution(tuple(found.values())) if len(found) == 1 else None


# --- objects that import when they are used -----------------------------------------------------------------------
def made_by_call(program: Program, view: View, binding: Binding) -> Resolution:
    """What a name denotes that is bound to the result of a call: a module, or whatever a lazy object stands for."""
    frame = Frame(program, view, binding.within, {})
    answer = lookup_dotted(program, view, binding.within, binding.callee, binding.order)
    for item in answer.found:
        callee = item.definition
        if callee.name == "importlib.import_module" or callee.name in (
            "builtins.__import__",
            "builtins.getattr",
        ):
            value = evaluate(frame, binding.value)
            kind = RUNTIME if binding.within == 0 else LAZY
            return _lazily(view, binding, value, kind) if isinstance(value, Resolution) else NOTHING
        if callee.kind in (CLASS, FUNCTION) and binding.strings and _imports_dynamically(program, callee):
            return _lazily(view, binding, _named_by(frame, binding.strings), LAZY)
    return NOTHING


def _lazily(view: View, binding: Binding, value: Resolution, kind: str) -> Resolution:
    found = []
    for item in value.found:
        definition = item.definition
        source = definition.name if definition.kind == MODULE else definition.name.rpartition(".")[0]
        step = Step(view.module, view.path, binding.line, binding.column, kind, source, binding.name)
        found.append(
            item._replace(
                how="lazy object", confidence=weakest(item.confidence, LIKELY), trail=(step, *item.trail)
            )
        )
    return Resolution(tuple(found), value.reasons)


def _named_by(frame: Frame, texts: tuple[str, ...]) -> Resolution:
    """The thing that a lazy object's strings name: ("pkg.mod", "Thing"), ("pkg.mod:Thing",), ("pkg.mod.Thing",)."""
    program, near = frame.program, frame.view.path
    words = [part for text in texts for part in text.split(":") if part]
    for position, word in enumerate(words):
        value = imported_by_call(frame, Constant(word), None)
        module = value.found[0].definition.name if isinstance(value, Resolution) else ""
        names = [other for at, other in enumerate(words) if at != position and other.isidentifier()]
        if module_definition(program, module, near) is not None:
            for name in names:
                answer = lookup_attribute_of_module(program, module, name, importing=True, near=near)
                if answer.found:
                    return answer
            return value if isinstance(value, Resolution) else NOTHING
        package, _, last = module.rpartition(".")
        if package and module_definition(program, package, near) is not None:
            answer = lookup_attribute_of_module(program, package, last, importing=True, near=near)
            if answer.found:
                return answer
    dotted = [word for word in words if "." in word]
    if not dotted:
        return NOTHING
    rest = [word for word in words if word.isidentifier()]
    name = ".".join([dotted[0].lstrip("."), *rest[:1]])
    reason = Reason(name, frame.view.path, 1, f"outside the tree: {name.partition('.')[0]}")
    return Resolution((Found(external(name), CERTAIN, "external"),), (reason,))


def _imports_dynamically(program: Program, callee: Definition) -> bool:
    """Whether the code of a class or function calls `import_module` or `__import__`."""
    cache = program.cache("dynamic")
    if callee not in cache:
        cache[callee] = _has_dynamic_import(program, callee)
    return bool(cache[callee])


def _has_dynamic_import(program: Program, callee: Definition) -> bool:
    words = program.mentioning("import_module", facts.ROLE_CALL) | program.mentioning(
        "__import__", facts.ROLE_CALL
    )
    if callee.file not in words or callee.scope < 0:
        return False
    view, body = program.view(callee.file), program.body(callee.file)
    ends = [span[0] for span in body.spans[1:]] + [len(body.expressions)]
    for (start, scope, _), end in zip(body.spans, ends, strict=True):
        if not _inside(view, scope, callee.scope):
            continue
        for row in body.expressions[start:end]:
            if row[0] != op.CALL:
                continue
            chain = dotted_chain(body.expressions, row[3])
            if not chain or chain.rpartition(".")[2] not in ("import_module", "__import__"):
                continue
            found = lookup_dotted(program, view, scope, chain).found
            if any(
                item.definition.name in ("importlib.import_module", "builtins.__import__") for item in found
            ):
                return True
    return False


def _inside(view: View, scope: int, outer: int) -> bool:
    while scope > outer:
        scope = view.outline.scopes[scope].parent
    return scope == outer
