# What a class statement itself gives its instances: the names bound in its body, and the attributes that its
# methods store on their first parameter. Bases are the business of attributes.py.
from __future__ import annotations

from codemap.model import facts
from codemap.model.answers import CERTAIN, LIKELY
from codemap.model.facts import Binding
from codemap.resolve.flow import Outcome, outcome
from codemap.resolve.modules import follow_entries
from codemap.resolve.naming import store_definition
from codemap.resolve.program import Program
from codemap.resolve.records import ATTRIBUTE, Definition, Found, Reason, Resolution
from codemap.resolve.views import View
from codemap.semantic import expressions as op

_CONSTRUCTORS = ("__init__", "__post_init__", "__attrs_post_init__", "__new__", "setUp", "setup")


def class_outcome(view: View, scope: int, name: str, before: int | None = None) -> Outcome:
    """What becomes of the bindings of `name` in a class body, in the end or before an expression of the file."""
    rows: list[tuple[int, Binding]] = [
        (number, view.outline.bindings[number]) for number in view.bindings(scope, name)
    ]
    if before is not None:
        rows = [item for item in rows if item[1].order <= before and item[1].kind != facts.DECLARED]
    return outcome(view, rows)


def body_name(program: Program, view: View, scope: int, name: str, before: int | None = None) -> Resolution:
    """What `name` denotes in a class body, at its end or before an expression."""
    found, reasons = follow_entries(program, view, list(class_outcome(view, scope, name, before).survivors))
    return Resolution(tuple(found), tuple(reasons))


def own_member(program: Program, klass: Definition, name: str) -> Resolution:
    """The attribute `name` as the class itself defines it: in its body, else by what its methods store."""
    if klass.scope < 0:
        return _functional_member(program, klass, name)
    view = program.view(klass.file)
    state = class_outcome(view, klass.scope, name)
    found, reasons = follow_entries(program, view, list(state.survivors or state.typing))
    if found:
        return Resolution(tuple(found), tuple(reasons))
    number = first_store(view, klass.scope, name)
    if number >= 0:
        confidence = LIKELY if view.outline.recovered else CERTAIN
        return Resolution(
            (Found(store_definition(view, klass, number), confidence, "assignment"),), tuple(reasons)
        )
    if state.deleted is not None:
        text = f"deleted at line {state.deleted.line}"
        return Resolution((), (Reason(name, view.path, state.deleted.line, text),))
    return Resolution((), tuple(reasons)) if reasons else _field_of_base(program, klass, name)


def first_store(view: View, scope: int, name: str) -> int:
    """The store that introduces `self.name` in a class: in a constructor before any other method; -1 for none."""
    best, rank = -1, 3
    for number in view.stores(name):
        store = view.outline.stores[number]
        if (
            not store.first_parameter
            or store.kind == facts.DELETE
            or view.enclosing_class(store.scope) != scope
        ):
            continue
        method = _method_of(view, store.scope, scope)
        here = 2 if store.kind == facts.AUGMENTED else 0 if method in _CONSTRUCTORS else 1
        if here < rank:
            best, rank = number, here
    return best


def _method_of(view: View, scope: int, klass: int) -> str:
    """The name of the method of the class in which a scope lies."""
    scopes = view.outline.scopes
    while scope > 0 and scopes[scope].parent != klass:
        scope = scopes[scope].parent
    return scopes[scope].name


def stored_names(view: View, scope: int) -> list[str]:
    """Every attribute that the methods of a class store on their first parameter, in order."""
    return list(
        dict.fromkeys(
            store.name
            for store in view.outline.stores
            if store.first_parameter and view.enclosing_class(store.scope) == scope
        )
    )


def _functional_member(program: Program, klass: Definition, name: str) -> Resolution:
    """A field of `Point = namedtuple("Point", "x y")`."""
    binding = program.view(klass.file).outline.bindings[klass.binding]
    return _field_of_call(program, klass, binding.value, name)


def _field_of_base(program: Program, klass: Definition, name: str) -> Resolution:
    """A field that a class has from a base made by a call: `class Point(namedtuple("Point", "x y"))`."""
    statement = program.view(klass.file).class_facts(klass.scope)
    if statement is None:
        return Resolution()
    for chain, value in zip(statement.bases, statement.base_values, strict=False):
        answer = Resolution() if chain else _field_of_call(program, klass, value, name)
        if answer.found:
            return answer
    return Resolution()


def _field_of_call(program: Program, klass: Definition, call: int, name: str) -> Resolution:
    """A field named in the second argument of a class factory: "x y", ["x", "y"], [("x", int)] or {"x": int}."""
    rows = program.body(klass.file).expressions
    if call < 0 or rows[call][0] != op.CALL or len(rows[call][4]) < 2:
        return Resolution()
    argument = rows[call][4][1]
    pending = [argument]
    while pending:
        row = rows[pending.pop(0)]
        if row[0] in (op.LIST, op.TUPLE, op.DICT):
            nested = [
                rows[part][3][0] if rows[part][0] == op.TUPLE and rows[part][3] else part for part in row[3]
            ]
            pending += [part for part in nested if part >= 0]
        elif row[0] == op.CONSTANT and isinstance(row[4], str) and name in row[4].replace(",", " ").split():
            place = Definition(ATTRIBUTE, f"{klass.name}.{name}", klass.file, row[1], row[2], klass.owner)
            return Resolution((Found(place, CERTAIN, "call"),))
    return Resolution()
