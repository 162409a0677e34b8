# Names: what a read of a local, of a name of an enclosing function, of a global or a builtin may give.
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from codemap.inference.heads import heads
from codemap.inference.reaching import reaching
from codemap.inference.values import (
    CERTAIN,
    CLASS,
    CLASSMETHOD,
    EXTERNAL,
    FUNCTION,
    LIKELY,
    MODULE,
    POSSIBLE,
    PROPERTY,
    STATIC,
    Values,
    join,
    weaker,
)
from codemap.model import facts
from codemap.model.facts import Binding
from codemap.resolve.attributes import binding_of
from codemap.resolve.modules import imported, lookup_attribute_of_module, module_outcome, own_attribute
from codemap.resolve.records import Definition, Resolution

if TYPE_CHECKING:
    from codemap.inference.engine import Engine
    from codemap.inference.tables import Table

RANKS = {"certain": CERTAIN, "likely": LIKELY, "possible": POSSIBLE}
_LATER = (facts.FUNCTION, facts.LAMBDA)


def name_at(engine: Engine, path: str, expression: int) -> Values:
    """What the NAME expression may give."""
    table = engine.table(path)
    name = table.rows[expression][3]
    scope, block = table.place(expression)
    return name_in(engine, table, scope, block, name, expression)


def name_in(engine: Engine, table: Table, scope: int, block: int, name: str, at: int) -> Values:
    scopes = table.view.outline.scopes
    current, here, from_class = scope, True, True
    while current > 0:
        row = scopes[current]
        if name in row.globals:
            return dict(engine.ask("global", table.path, name))
        if row.kind == facts.CLASS:
            if from_class:
                rows = table.outer_bindings(current, name)
                if rows:
                    values = _seen(engine, table, rows, at, block if here else None, current)
                    if values:
                        return values
        elif name not in row.nonlocals:
            rows = table.local_bindings(current, name)
            if rows:
                if here:
                    return _seen(engine, table, rows, at, block, current)
                return dict(engine.ask("local", table.path, current, name))
        from_class = from_class and row.kind == facts.TYPE_PARAMETERS
        if row.kind in _LATER:
            here = False
        elif here:
            # a comprehension, a class body, an annotation scope runs where it stands
            block = row.block
        current = row.parent
    if here:
        rows = [item for item in table.outer_bindings(0, name) if item[1].within == 0]
        if rows and not any(item[1].kind == facts.IMPORT for item in rows):
            values = _seen(engine, table, rows, at, block, 0)
            if values:
                return values
    return dict(engine.ask("global", table.path, name))


def _seen(
    engine: Engine, table: Table, rows: list[tuple[int, Binding]], at: int, block: int | None, scope: int
) -> Values:
    if block is None:
        chosen = rows
    else:
        chosen = reaching(table, rows, at, block)
        if not chosen and all(item[1].kind == facts.DECLARED for item in rows):
            chosen = rows
    return _all(engine, table, chosen)


def _all(engine: Engine, table: Table, rows: list[tuple[int, Binding]]) -> Values:
    values: Values = {}
    least = CERTAIN if len(rows) <= 1 else LIKELY
    for number, binding in rows:
        outer = table.view.outline.scopes[binding.scope].kind in (facts.MODULE, facts.CLASS)
        join(values, engine.ask("binding", table.path, number, outer), least)
    if least and len(values) == 1 and len(rows) > 1:
        return values
    return values


def local(engine: Engine, path: str, scope: int, name: str) -> Values:
    """Everything that a function's own name may be, for the code of functions inside it."""
    table = engine.table(path)
    return _all(
        engine, table, [item for item in table.local_bindings(scope, name) if item[1].kind != facts.DELETE]
    )


def global_values(engine: Engine, path: str, name: str) -> Values:
    """What a module's global may be once the module has run, late `global` writes and stores from outside included."""
    table = engine.table(path)
    values: Values = {}
    state = module_outcome(engine.program, table.view, name)
    entries = list(state.survivors)
    for entry in entries:
        least = CERTAIN if entry.sure else LIKELY
        if entry.guard.startswith("except") and len(entries) > 1:
            # a fallback; it is what runs where the first choice is not in the tree
            least = LIKELY if _all_outside(engine, table, entries) else POSSIBLE
        if entry.number < 0:
            answer = lookup_attribute_of_module(engine.program, table.view.module, name)
            join(values, resolution_values(engine, answer), least)
        else:
            join(values, engine.ask("binding", path, entry.number, True), least)
    late = [
        item for item in table.outer_bindings(0, name) if item[1].within != 0 and item[1].kind != facts.DELETE
    ]
    for number, _ in late:
        join(values, engine.ask("binding", path, number, True), LIKELY)
    if not entries and not late:
        if not values:
            if table.view.bindings(0, "__getattr__"):  # it is asked from outside only (PEP 562)
                answer = own_attribute(engine.program, table.view, name)
            else:
                answer = lookup_attribute_of_module(engine.program, table.view.module, name)
            values = resolution_values(engine, answer)
        if not values and table.view.module != "builtins":
            for entry in state.typing:
                join(values, engine.ask("binding", path, entry.number, True))
        if not values and table.view.module != "builtins":
            answer = lookup_attribute_of_module(engine.program, "builtins", name)
            return resolution_values(engine, answer)

    patches = engine.outside_stores((MODULE, table.view.module), name)
    if patches:
        values = weaker(values, LIKELY)
        join(values, patches, POSSIBLE)
    return values


def _all_outside(engine: Engine, table: Table, entries: list[Any]) -> bool:
    """Whether all that no handler guards is imported from outside the tree."""
    first = [entry for entry in entries if not entry.guard.startswith("except")]
    for entry in first:
        if entry.number < 0 or entry.binding.kind != facts.IMPORT:
            return False
        row = table.view.outline.imports[entry.binding.target]
        found = imported(engine.program, table.view, row, entry.binding.name).found
        if any(item.definition.kind != "external" for item in found):
            return False
    return bool(first)


def resolution_values(engine: Engine, answer: Resolution) -> Values:
    values: Values = {}
    for item in answer.found:
        join(values, definition_values(engine, item.definition), RANKS[item.confidence])
    return values


def definition_values(engine: Engine, definition: Definition) -> Values:
    """What a definition of the names layer denotes as a value."""
    kind = definition.kind
    if kind == "module":
        return {(MODULE, definition.name): CERTAIN}
    if kind == "external":
        return {(EXTERNAL, definition.name): CERTAIN}
    if kind == "class" and definition.scope >= 0:
        return {(CLASS, definition.file, definition.scope): CERTAIN}
    if kind in ("function", "method") and definition.scope >= 0:
        return dict(engine.ask("defined", definition.file, definition.scope))
    if definition.owner == 0 and definition.file:
        return dict(engine.ask("global", definition.file, definition.name.rpartition(".")[2]))
    binding = binding_of(engine.program, definition)
    if binding is not None:
        table = engine.table(definition.file)
        outer = table.view.outline.scopes[definition.owner].kind in (facts.MODULE, facts.CLASS)
        return dict(engine.ask("binding", definition.file, definition.binding, outer))
    return {}


def binding_values(engine: Engine, path: str, number: int, outer: bool) -> Values:
    """What one binding gives its name."""
    table = engine.table(path)
    binding: Binding = (table.view.outline.bindings if outer else table.body.bindings)[number]
    kind = binding.kind
    if kind == facts.IMPORT:
        row = table.view.outline.imports[binding.target]
        return resolution_values(engine, imported(engine.program, table.view, row, binding.name))
    if kind == facts.CLASS_DEF:
        return {(CLASS, path, binding.target): CERTAIN}
    if kind == facts.FUNCTION_DEF:
        return dict(engine.ask("defined", path, binding.target))
    if kind == facts.PARAMETER:
        return dict(engine.ask("parameter", path, binding.scope, binding.name))
    if kind in (facts.DELETE, facts.TYPE_ALIAS):
        return {}
    if kind == facts.TYPE_PARAMETER:
        return {("type variable", f"{path}:{binding.scope}:{binding.name}"): CERTAIN}
    values: Values = {}
    if binding.value >= 0 and kind != facts.DECLARED:
        join(values, engine.ask("expression", path, binding.value))
    if binding.annotation_value >= 0:
        declared = engine.ask("annotation", path, binding.annotation_value)
        if not values or any(value[0] == "instance" for value in declared):
            exact = {value for value in values if value[0] == "instance"}
            for value, rank in declared.items():
                if value[0] == "instance" and any(_narrows(engine, one, value) for one in exact):
                    continue  # the value itself is known better than its declared type
                if value[0] == "none" and values:
                    continue
                join(values, {value: rank})
    return values


def _narrows(engine: Engine, exact: Any, declared: Any) -> bool:
    return (declared[1], declared[2]) in engine.mro(exact[1], exact[2])


# --- definitions with their decorators -----------------------------------------------------------------------
_PROPERTIES = frozenset({
    "builtins.property", "functools.cached_property", "abc.abstractproperty", "enum.property",
    "types.DynamicClassAttribute", "_collections_abc.abstractproperty",
})  # fmt: skip


def decorator_names(engine: Engine, table: Table, scope: int) -> list[tuple[int, tuple[str, ...]]]:
    """Each decorator of a function, nearest first: its expression and the qualified names of what it is."""

    function = table.view.function_facts(scope)
    if function is None:
        return []
    found = []
    for value in reversed(function.decorator_values):
        row = table.rows[value]
        target = row[3] if row[0] == 4 else value
        found.append((value, heads(engine, table, target)))
    return found


def defined(engine: Engine, path: str, scope: int) -> Values:
    """What the name of a `def` is bound to: the function as its decorators leave it."""
    table = engine.table(path)
    values: Values = {(FUNCTION, path, scope): CERTAIN}
    name = table.scope(scope).name
    for expression, called in decorator_names(engine, table, scope):
        row = table.rows[expression]
        if any(head in _PROPERTIES for head in called):
            values = {(PROPERTY, value): rank for value, rank in values.items()}
        elif "builtins.staticmethod" in called:
            values = {(STATIC, value): rank for value, rank in values.items()}
        elif "builtins.classmethod" in called:
            values = {(CLASSMETHOD, value): rank for value, rank in values.items()}
        elif row[0] == 1 and row[4] in ("setter", "getter", "deleter") and table.token(row[3]) == name:
            values = {(PROPERTY, (FUNCTION, path, scope)): CERTAIN}
            getter = [
                item
                for item in table.outer_bindings(table.scope(scope).parent, name)
                if item[1].target != scope
            ]
            for _number, binding in getter:
                if binding.target < scope and binding.kind == facts.FUNCTION_DEF:
                    values = dict(engine.ask("defined", path, binding.target))
                    break
        else:
            values = engine.decorate(table, expression, values, called)
    return values
