# The card of a class.
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from codemap.inference.hierarchy import aliases
from codemap.inference.values import CLASS, INSTANCE, NONE
from codemap.model import facts
from codemap.model.answers import CONFIDENCES
from codemap.queries.construction import constructor
from codemap.queries.describe import function_flags
from codemap.queries.family import Family, Klass
from codemap.queries.headers import header_text
from codemap.queries.hierarchy import below, overriding
from codemap.queries.interface import users
from codemap.queries.occurrences import CONSTRUCT, Occurrence, lines_of, result_of, scope_of
from codemap.queries.subjects import Subject
from codemap.resolve.classes import first_store
from codemap.resolve.naming import definition_of, store_definition
from codemap.semantic import expressions as op

if TYPE_CHECKING:
    from codemap.inference.engine import Engine
    from codemap.inference.tables import Table
    from codemap.model.facts import Binding
    from codemap.resolve.records import Definition

Row = dict[str, Any]


def complete_class(engine: Engine, klass: Definition, card: Row) -> None:
    """Adds to a class's description what its card has."""
    place = (klass.file, klass.scope)
    card["mro"] = [engine.qualified(*one) for one in engine.mro(*place)]
    card["fields"] = _fields(engine, klass)
    card["methods"] = _methods(engine, klass)
    card["constructed"] = _constructed(engine, klass)
    card["subclasses"] = [
        {
            "name": engine.qualified(*one),
            "file": one[0],
            "line": engine.table(one[0]).scope(one[1]).line,
            "confidence": CONFIDENCES[rank],
            "how": how,
            "direct": direct,
        }
        for one, (rank, how, direct) in below(engine, place).items()
    ]


# --- fields --------------------------------------------------------------------------------------------------------
def _fields(engine: Engine, klass: Definition) -> list[Row]:
    """What a class declares in its body, then what its methods store on `self`, in the order of the file."""
    table = engine.table(klass.file)
    view = table.view
    made = constructor(engine, (klass.file, klass.scope))
    rows: list[Row] = []
    seen: set[str] = set()
    for number, binding in enumerate(view.outline.bindings):
        if binding.scope != klass.scope or binding.name in seen or binding.within != klass.scope:
            continue
        if binding.kind in (facts.CLASS_DEF, facts.FUNCTION_DEF, facts.IMPORT, facts.DELETE):
            continue
        seen.add(binding.name)
        if binding.name.startswith("__") and binding.name.endswith("__"):
            continue
        definition = definition_of(view, binding, number)
        kind = "field" if made is not None and binding.name in made[1] else "class attribute"
        declared, default = _declaration(engine, table, binding)
        optional = _is_optional(engine, table, binding)
        rows.append(_field(engine, klass, binding.name, definition, kind, declared, default, optional))
    for number, store in enumerate(view.outline.stores):
        if (
            not store.first_parameter
            or view.enclosing_class(store.scope) != klass.scope
            or store.name in seen
        ):
            continue
        if store.kind == facts.DELETE or view.bindings(klass.scope, store.name):
            continue
        seen.add(store.name)
        first = first_store(view, klass.scope, store.name)
        definition = store_definition(view, klass, first if first >= 0 else number)
        declared, optional = _stored_type(engine, klass, store.name)
        rows.append(
            _field(engine, klass, store.name, definition, "instance attribute", declared, "", optional)
        )
    return rows


def _field(
    engine: Engine,
    klass: Definition,
    name: str,
    definition: Definition,
    kind: str,
    declared: str,
    default: str,
    optional: bool,
) -> Row:
    subject = Subject(klass, name, definition)
    return {
        "name": name,
        "kind": kind,
        "file": definition.file,
        "line": definition.line,
        "column": definition.column + 1,
        "type": declared,
        "default": default,
        "optional": optional,
        **users(engine, subject, optional),
    }


def _declaration(engine: Engine, table: Table, binding: Binding) -> tuple[str, str]:
    """The annotation and the value of a field, as written."""
    text, _ = header_text(lines_of(engine, table.path), binding.line, binding.column)
    text = text[len(binding.name) :].lstrip()
    declared = ""
    if text.startswith(":"):
        declared, text = _cut(text[1:])
    elif text.startswith("="):
        text = text[1:]
    return declared.strip(), text.strip()


def _cut(text: str) -> tuple[str, str]:
    """What stands before and behind the `=` that is in no bracket or string."""
    depth, quote = 0, ""
    for place, character in enumerate(text):
        if quote:
            quote = "" if character == quote else quote
        elif character in "\"'":
            quote = character
        elif character in "([{":
            depth += 1
        elif character in ")]}":
            depth -= 1
        elif character == "=" and depth == 0:
            return text[:place], text[place + 1 :]
    return text, ""


def _is_optional(engine: Engine, table: Table, binding: Binding) -> bool:
    """None by its default or by its declared type."""
    value = table.rows[binding.value] if binding.value >= 0 else None
    if value is not None and value[0] == op.CONSTANT and value[3] == "NoneType":
        return True
    if value is not None and value[0] == op.CALL:  # field(default=None)
        for word, number in zip(value[5], value[6], strict=True):
            entry = table.rows[number]
            if word == "default" and entry[0] == op.CONSTANT and entry[3] == "NoneType":
                return True
    if binding.annotation_value < 0:
        return False
    return (NONE,) in engine.solver.solve("annotation", table.path, binding.annotation_value)


def _stored_type(engine: Engine, klass: Definition, name: str) -> tuple[str, bool]:
    """The classes of what is stored, by inference, and whether None is among it."""
    values = engine.solver.solve("instance attribute", klass.file, klass.scope, name)
    names = {
        engine.qualified(value[1], value[2])
        if value[0] == INSTANCE
        else f"type[{engine.qualified(value[1], value[2])}]"
        for value in values
        if value[0] in (INSTANCE, CLASS)
    }
    words = sorted(one.removeprefix("builtins.") for one in names)
    optional = (NONE,) in values
    if len(words) > 4:
        words = [*words[:4], "..."]
    return " | ".join([*words, "None"] if optional and words else words), optional


# --- methods ----------------------------------------------------------------------------------------------------------
def _methods(engine: Engine, klass: Definition) -> list[Row]:
    table = engine.table(klass.file)
    view = table.view
    place = (klass.file, klass.scope)
    rows: list[Row] = []
    for number, binding in enumerate(view.outline.bindings):
        if binding.scope != klass.scope or binding.kind != facts.FUNCTION_DEF or binding.target < 0:
            continue
        scope = view.outline.scopes[binding.target]
        text, _ = header_text(lines_of(engine, klass.file), scope.header_line)
        family = Family(engine, klass, binding.name)
        above = [one for one in engine.mro(*place)[1:] if _binds(engine, family, one)]
        rows.append(
            {
                "name": binding.name,
                "file": klass.file,
                "line": binding.line,
                "column": binding.column + 1,
                "signature": text,
                "flags": function_flags(engine.names, view, definition_of(view, binding, number)),
                "overrides": f"{engine.qualified(*above[0])}.{binding.name}" if above else None,
                "overridden_by": [
                    f"{engine.qualified(*one)}.{binding.name}"
                    for one in overriding(engine, place, binding.name)
                ],
            }
        )
    return rows


def _binds(engine: Engine, family: Family, klass: Klass) -> bool:
    if klass[0].startswith("<"):
        return bool(engine.program.view(klass[0]).bindings(klass[1], family.name))
    return family.in_body(klass)


# --- instances ----------------------------------------------------------------------------------------------------------
def _constructed(engine: Engine, klass: Definition) -> list[Row]:
    """The calls that make instances, under the class's names and as `cls` in its own methods, with their arguments."""
    place = (klass.file, klass.scope)
    sites: set[tuple[str, int]] = set()
    for word in sorted(aliases(engine, klass.name.rpartition(".")[2])):
        for path in engine.program.bearing(word, facts.ROLE_CALL):
            sites |= {(path, number) for number in engine.table(path).calls(word)}
    for path in {one[0] for one in (place, *engine.subclasses(*place))}:
        sites |= {(path, number) for number in engine.table(path).calls("cls")}
    rows: list[Row] = []
    for path, number in sorted(sites):
        rank = engine.solver.solve("callees", path, number).get((CLASS, *place))
        if rank is None:
            continue
        table = engine.table(path)
        row = table.rows[number]
        plain = Occurrence(path, row[1], row[2], scope_of(table, number), CONSTRUCT, "", rank, "call")
        rows.append({**result_of(engine, plain), "keywords": list(row[5]), "positional": len(row[4])})
    return sorted(rows, key=lambda one: (one["file"], one["line"], one["column"]))
