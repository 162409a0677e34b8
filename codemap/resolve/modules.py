# The attributes of a module, as they are when the module has run: its own bindings in order, star imports among
# them, submodules that an import hung onto the package, globals born in functions, a module's `__getattr__`.
# This is the one place where names travel from file to file.
from __future__ import annotations

import re
from typing import Final

from codemap.model import facts
from codemap.model.answers import CERTAIN, LIKELY, POSSIBLE, weakest
from codemap.model.facts import STAR_WORD, Binding, Import
from codemap.resolve.flow import Entry, Outcome, outcome
from codemap.resolve.imports import import_kind, imported_module
from codemap.resolve.naming import definition_of, external, module_definition
from codemap.resolve.program import Program
from codemap.resolve.records import NOTHING, TYPING, Found, Reason, Resolution, Step
from codemap.resolve.views import View

# numbers of entries that no binding of the file makes
_STAR: Final = -1
_SUBMODULE: Final = -2
_WRITES_GLOBALS: Final = rb"(?m)^[^#\n]*\bglobals\(\)\s*(\.\s*update\b|\[[^]\n]*\]\s*=(?!=))"
_REPLACED: Final = rb"(?m)^[^#\n]*\bmodules\s*\[\s*__name__\s*\]\s*=(?!=)"


def lookup_attribute_of_module(
    program: Program, module: str, name: str, *, importing: bool = False, near: str = ""
) -> Resolution:
    """What `module.name` denotes once the module has run.

    With `importing` a submodule counts even where nothing imports it, as `from module import name` does.
    `near` is the file that asks: it decides between modules of one name in several import roots.
    A module outside the tree gives an external definition.
    """
    files = program.modules.files_of(module, near)
    home = files[0] if files else near
    key = (module, name, importing, home)
    circle = Reason(name, files[0] if files else "", 1, f"import cycle through {module}")
    return program.remember(key, lambda: _lookup(program, module, name, importing, files, home), circle)


def _lookup(
    program: Program, module: str, name: str, importing: bool, files: tuple[str, ...], near: str
) -> Resolution:
    reasons: tuple[Reason, ...] = ()
    for path in _preferred(files):
        if program.may_expose(path, name):
            answer = own_attribute(program, program.view(path), name, outside=True)
            if answer.found:
                return _unless_replaced(program, path, answer)
            reasons += answer.reasons
        reasons += _replaces_itself(program, path)
    submodule = _submodule(program, module, name, importing, near)
    if submodule.found:
        return submodule
    if files:
        return Resolution((), reasons)
    return _without_source(program, module, name, near)


def _unless_replaced(program: Program, path: str, answer: Resolution) -> Resolution:
    """Of a module that puts something else in its own place, nothing is known for sure."""
    reasons = _replaces_itself(program, path)
    if not reasons:
        return answer
    return Resolution(
        tuple(item._replace(confidence=POSSIBLE) for item in answer.found), (*answer.reasons, *reasons)
    )


def _replaces_itself(program: Program, path: str) -> tuple[Reason, ...]:
    """Why a module may have other attributes than its file says; () for nearly all."""
    if path not in program.mentioning("modules", facts.ROLE_ATTRIBUTE | facts.ROLE_READ):
        return ()
    known = program.cache("replaced modules")
    if path not in known:
        source = program.index.source(path)
        found = re.search(_REPLACED, source)
        line = source.count(b"\n", 0, found.start()) + 1 if found is not None else 0
        reason = Reason(path, path, line, "the module replaces itself in sys.modules")
        known[path] = (reason,) if line else ()
    reasons: tuple[Reason, ...] = known[path]
    return reasons


def _preferred(files: tuple[str, ...]) -> tuple[str, ...]:
    """The first source file, as the import system takes it, then the first stub."""
    sources = [path for path in files if path.endswith(".py")]
    stubs = [path for path in files if not path.endswith(".py")]
    return (*sources[:1], *stubs[:1])


def _without_source(program: Program, module: str, name: str, near: str) -> Resolution:
    """An attribute of something that is no Python file of the tree."""
    extension = program.modules.extension_of(module, near)
    if extension is not None:
        text = f"in the extension module {extension}, which has no source"
        found = Found(external(f"{module}.{name}"), CERTAIN, "extension")
        return Resolution((found,), (Reason(name, extension, 1, text),))
    if program.modules.exists(module, near):
        return NOTHING  # a namespace package has submodules only
    found = Found(external(f"{module}.{name}"), CERTAIN, "external")
    return Resolution((found,), (Reason(name, "", 0, _absence(program, module, near)),))


def _absence(program: Program, module: str, near: str) -> str:
    top = module.partition(".")[0]
    inside = program.modules.exists(top, near)
    return f"no module {module} in the tree" if inside else f"outside the tree: {top}"


def _submodule(program: Program, module: str, name: str, importing: bool, near: str) -> Resolution:
    definition = module_definition(program, f"{module}.{name}", near)
    if definition is None:
        return NOTHING
    return Resolution((Found(definition, CERTAIN if importing else LIKELY, "submodule"),))


# --- a file's own names -------------------------------------------------------------------------------------
def own_attribute(
    program: Program, view: View, name: str, before: int | None = None, *, outside: bool = False
) -> Resolution:
    """What a file's global `name` denotes at the end of the file, or before expression `before` of it.

    From `outside`, as an attribute of the module, its `__getattr__` is asked too (PEP 562: code inside never does),
    and what only a run of the file itself binds is not there.
    """
    state = module_outcome(program, view, name, before, imported=outside)
    found, reasons = follow_entries(program, view, list(state.survivors))
    if found:
        return Resolution(tuple(found), tuple(reasons))
    reasons += [
        Reason(name, view.path, entry.binding.line, "bound only when the file is run as a program")
        for entry in state.program[:1]
    ]
    if state.deleted is not None:
        text = f"deleted at line {state.deleted.line}"
        return Resolution((), (*reasons, Reason(name, view.path, state.deleted.line, text)))
    late = [
        Entry(binding, number, False, f"once {view.qualified(binding.within)} has run")
        for number, binding in _numbered(view, name)
        if binding.within != 0 and binding.kind != facts.DELETE
    ]
    if late:
        found, more = follow_entries(program, view, late[:1])
        return Resolution(tuple(item._replace(confidence=LIKELY) for item in found), (*reasons, *more))
    if outside and view.bindings(0, "__getattr__"):
        from codemap.resolve import dynamic  # it reads expressions, which few modules need

        answer = dynamic.module_getattr(program, view, name)
        if answer.found:
            return answer
        reasons += answer.reasons
    typed, more = follow_entries(
        program, view, [entry._replace(sure=len(state.typing) == 1) for entry in state.typing]
    )
    if not typed:
        more += _open_doors(program, view, name)
    return Resolution(tuple(typed), (*reasons, *more))


def _open_doors(program: Program, view: View, name: str) -> list[Reason]:
    """Ways in which a name that is not there could come in all the same."""
    reasons: list[Reason] = []
    for row in view.outline.imports:
        source = imported_module(program, view, row) if row.name == "*" and row.scope == 0 else ""
        if source and not program.modules.files_of(source, view.path) and not name.startswith("_"):
            text = f"{source} is outside the tree and imported with *"
            reasons.append(Reason(name, view.path, row.line, text))
    if view.path in program.mentioning("globals", facts.ROLE_CALL):
        source_text = program.index.source(view.path)
        found = re.search(_WRITES_GLOBALS, source_text)
        if found is not None:
            line = source_text.count(b"\n", 0, found.start()) + 1
            reasons.append(Reason(name, view.path, line, "the module writes its globals() at run time"))
    return reasons


def module_outcome(
    program: Program, view: View, name: str, before: int | None = None, *, imported: bool = False
) -> Outcome:
    """What becomes of the bindings of a file's global, star imports and submodules hung onto a package included.

    With `imported` as an import of the module leaves them: see `outcome`.
    """
    rows = [item for item in _numbered(view, name) if item[1].within == 0]
    # `from pkg.sub import *` loads the submodule, then takes its names
    implicit = _submodule_bindings(program, view, name) + _star_bindings(program, view, name)
    if implicit:
        rows = sorted(rows + implicit, key=lambda item: (_statement(view, item[1]), item[0] >= 0))
    if before is not None:
        rows = [item for item in rows if item[1].order <= before and item[1].kind != facts.DECLARED]
    state = outcome(view, rows, imported=imported)
    foreign = 0 if name.startswith("_") else _last_foreign_star(program, view)
    if foreign and any(entry.sure for entry in state.survivors):
        survivors = [
            entry._replace(sure=entry.sure and not entry.guard and _statement(view, entry.binding) > foreign)
            for entry in state.survivors
        ]
        state = state._replace(survivors=tuple(survivors))
    if state.survivors and view.package and not implicit and _loaded_elsewhere(program, view, name):
        unsure = tuple(entry._replace(sure=False) for entry in state.survivors)
        state = state._replace(survivors=unsure)
    return state


def _loaded_elsewhere(program: Program, view: View, name: str) -> bool:
    """Whether another file loads a submodule of this name, which hides the package's own name from then on."""
    dotted = f"{view.module}.{name}"
    if not program.modules.exists(dotted, view.path):
        return False
    cache = program.cache("loaded")
    if dotted not in cache:
        cache[dotted] = any(
            f"{imported_module(program, other, row)}.".startswith(f"{dotted}.")
            for other in map(program.view, sorted(program.mentioning(name, facts.ROLE_IMPORT)))
            if other.path != view.path
            for row in other.outline.imports
        )
    return bool(cache[dotted])


def _last_foreign_star(program: Program, view: View) -> int:
    """The line of the last `from m import *` of a module outside the tree, which may bind anything; 0 for none."""
    if view.path not in program.mentioning(STAR_WORD, facts.ROLE_IMPORT):
        return 0
    lines = [
        row.statement_line
        for row in view.outline.imports
        if row.name == "*"
        and row.scope == 0
        and not program.modules.files_of(imported_module(program, view, row) or "?", view.path)
    ]
    return max(lines, default=0)


def _numbered(view: View, name: str) -> list[tuple[int, Binding]]:
    return [(number, view.outline.bindings[number]) for number in view.bindings(0, name)]


def _statement(view: View, binding: Binding) -> int:
    if binding.kind == facts.IMPORT and binding.target >= 0:
        return view.outline.imports[binding.target].statement_line
    return binding.line


def _star_bindings(program: Program, view: View, name: str) -> list[tuple[int, Binding]]:
    """`from m import *` as a binding of `name` where m gives it away."""
    rows: list[tuple[int, Binding]] = []
    if view.path not in program.mentioning(STAR_WORD, facts.ROLE_IMPORT):
        return rows
    for number, row in enumerate(view.outline.imports):
        if row.name != "*" or row.scope != 0:
            continue
        source = imported_module(program, view, row)
        files = program.modules.files_of(source, view.path) if source else ()
        if not any(program.may_expose(path, name) for path in files):
            continue
        from codemap.resolve import exports  # it looks names up itself

        if exports.gives(program, source, name, view.path):
            rows.append((_STAR, _implicit(view, name, row, number)))
    return rows


def _submodule_bindings(program: Program, view: View, name: str) -> list[tuple[int, Binding]]:
    """The first import in a package that loads its submodule `name` also binds it there, before its own names."""
    if not view.package or not program.modules.exists(f"{view.module}.{name}", view.path):
        return []
    dotted = f"{view.module}.{name}"
    for number, row in enumerate(view.outline.imports):
        if row.scope != 0 or row.dynamic or row.lazy:
            continue
        source = imported_module(program, view, row)
        if (
            source == dotted
            or source.startswith(dotted + ".")
            or (source == view.module and row.name == name)
        ):
            return [(_SUBMODULE, _implicit(view, name, row, number))]
    return []


def _implicit(view: View, name: str, row: Import, number: int) -> Binding:
    """A binding that no name token writes; its order is taken from the binding nearest before it."""
    order = 0
    for binding in view.outline.bindings:
        if binding.scope == 0 and binding.within == 0 and _statement(view, binding) <= row.statement_line:
            order = max(order, binding.order)
    return Binding(name, facts.IMPORT, 0, 0, row.block, row.line, row.column, number, order=order)


def follow_entries(program: Program, view: View, entries: list[Entry]) -> tuple[list[Found], list[Reason]]:
    """What the surviving bindings denote, each as sure as there are other possibilities."""
    found: list[Found] = []
    reasons: list[Reason] = []
    seen = set()
    for entry in entries:
        answer = denoted_by(program, view, entry)
        reasons += answer.reasons
        for item in answer.found:
            if item.definition in seen:
                continue
            seen.add(item.definition)
            sure = entry.sure and (entry.binding.kind != facts.DECLARED or entry.binding.scope != 0)
            confidence = weakest(item.confidence, CERTAIN if sure else LIKELY)
            if view.outline.recovered:
                confidence = weakest(confidence, LIKELY)
            found.append(item._replace(confidence=confidence, guard=item.guard or entry.guard))
    if len(found) == 1 and len(entries) > 1 and not reasons and found[0].definition.file:
        found = [
            found[0]._replace(confidence=LIKELY if view.outline.recovered else CERTAIN)
        ]  # all branches agree
    return found, reasons


def denoted_by(program: Program, view: View, entry: Entry) -> Resolution:
    """What one binding denotes: itself, or what its import leads to."""
    binding = entry.binding
    if binding.kind != facts.IMPORT or binding.target < 0:
        return Resolution(
            (Found(definition_of(view, entry.binding, entry.number), CERTAIN, how_bound(entry), entry.guard),)
        )
    row = view.outline.imports[binding.target]
    if entry.number == _SUBMODULE:
        return _loaded(program, view, row, binding.name)
    return imported(program, view, row, binding.name)


def _loaded(program: Program, view: View, row: Import, name: str) -> Resolution:
    """The submodule that an import of a package hangs onto it."""
    module = f"{view.module}.{name}"
    step = Step(view.module, view.path, row.line, row.column, import_kind(view, row), module, name)
    answer = _submodule(program, view.module, name, True, view.path)
    return Resolution(tuple(item._replace(trail=(step,)) for item in answer.found))


def how_bound(entry: Entry) -> str:
    """The word for how a binding that is no import gives its name a meaning."""
    if entry.guard.startswith("except"):
        return "fallback"
    if entry.binding.kind in (facts.CLASS_DEF, facts.FUNCTION_DEF):
        return "definition"
    return "annotation" if entry.binding.kind == facts.DECLARED else "assignment"


def imported(program: Program, view: View, row: Import, name: str) -> Resolution:
    """What an import gives to the `name` it binds (or to `name` of a star import)."""
    source = imported_module(program, view, row)
    kind = import_kind(view, row)
    if not source:
        text = f"relative import of {'.' * row.level}{row.module} leaves the tree"
        return Resolution((), (Reason(name, view.path, row.line, text),))
    wanted = name if row.name == "*" else row.name
    step = Step(view.module, view.path, row.line, row.column, kind, source, wanted)
    if row.name == "" and not row.alias:
        answer = _module_itself(program, source.partition(".")[0], view.path)
    elif row.name == "":
        answer = _aliased_module(program, source, view.path)
    else:
        answer = NOTHING
        if source == view.module and row.name != "*":  # `from . import x` in the package itself
            answer = _submodule(program, source, wanted, True, view.path)
        if not answer.found:
            answer = lookup_attribute_of_module(program, source, wanted, importing=True, near=view.path)
    how = {TYPING: "typing import"}.get(kind, "star import" if row.name == "*" else "import")
    if row.name == "*" and answer.found:
        from codemap.resolve import exports

        if not exports.surely_gives(program, source, wanted, view.path):
            answer = answer._replace(
                found=tuple(
                    item._replace(confidence=weakest(item.confidence, LIKELY)) for item in answer.found
                )
            )
    found = tuple(
        item._replace(
            how=how if item.how not in ("lazy object", "module getattr") else item.how,
            trail=(step, *item.trail),
        )
        for item in answer.found
    )
    reasons = tuple(
        reason if reason.file else Reason(reason.name, view.path, row.line, reason.text)
        for reason in answer.reasons
    )
    if not found and not reasons:
        reasons = (Reason(wanted, view.path, row.line, f"{source} has no {wanted}"),)
    return Resolution(found, reasons)


def _module_itself(program: Program, module: str, near: str) -> Resolution:
    definition = module_definition(program, module, near)
    if definition is not None:
        return Resolution((Found(definition, CERTAIN, "import"),))
    found = Found(external(module), CERTAIN, "external")
    return Resolution((found,), (Reason(module, "", 0, _absence(program, module, near)),))


def _aliased_module(program: Program, module: str, near: str) -> Resolution:
    """`import a.b as c` takes the attribute b of a, which need not be the module (bpo-30024)."""
    package, _, last = module.rpartition(".")
    if package and program.modules.files_of(package, near):
        answer = lookup_attribute_of_module(program, package, last, importing=True, near=near)
        if answer.found:
            return answer
    return _module_itself(program, module, near)
