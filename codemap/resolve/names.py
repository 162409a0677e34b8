# A name as code at a place sees it: the function's own names, those of the functions around it, the module's,
# the builtins; a class's names are seen by its own body only.
from __future__ import annotations

import builtins

from codemap.model import facts
from codemap.model.facts import Binding
from codemap.resolve.classes import body_name
from codemap.resolve.flow import outcome
from codemap.resolve.modules import follow_entries, own_attribute
from codemap.resolve.naming import external
from codemap.resolve.program import Program
from codemap.resolve.records import NOTHING, Found, Reason, Resolution
from codemap.resolve.views import View

# scopes whose code runs later than the code around them
_LATER = (facts.FUNCTION, facts.LAMBDA)


def lookup_name(program: Program, view: View, scope: int, name: str, at: int | None = None) -> Resolution:
    """What `name`, read by code of `scope`, denotes (LEGB, PEP 227, PEP 695).

    `at` is the expression id of the read: names of a body that is just running are taken as they are there, not
    as they are in the end. Code in a function sees the end of the bodies around it.
    """
    scopes = view.outline.scopes
    current, seen_from_class = scope, True
    while current > 0:
        row = scopes[current]
        if name in row.globals:
            at = at if current == scope and row.kind == facts.CLASS else None
            break
        if row.kind == facts.CLASS:
            answer = body_name(program, view, current, name, at) if seen_from_class else NOTHING
            if answer.found:
                return answer
        elif name not in row.nonlocals:
            answer = local_name(program, view, current, name, at)
            if answer.found or answer.reasons:
                return answer
        seen_from_class = seen_from_class and row.kind == facts.TYPE_PARAMETERS
        if row.kind in _LATER:
            at = None
        current = row.parent
    return global_name(program, view, name, at)


def global_name(program: Program, view: View, name: str, at: int | None = None) -> Resolution:
    """What `name` denotes among the module's names and the builtins."""
    if at is not None:
        answer = own_attribute(program, view, name, at)
        if answer.found:
            return answer
    if at is None or not hasattr(builtins, name):
        answer = own_attribute(program, view, name)
        if answer.found:
            return answer
        if not hasattr(builtins, name):
            return Resolution((), answer.reasons or (Reason(name, view.path, 1, f"{name} is not bound"),))
    return Resolution((Found(external(f"builtins.{name}"), how="builtin"),))


def local_name(program: Program, view: View, scope: int, name: str, at: int | None = None) -> Resolution:
    """What `name` denotes among the names that a function, lambda or comprehension owns."""
    rows = local_bindings(program, view, scope).get(name)
    if not rows:
        return NOTHING
    rows = [item for item in rows if item[1].within == scope] or rows
    if at is not None:
        rows = [item for item in rows if item[1].order <= at] or rows
    state = outcome(view, rows)
    found, reasons = follow_entries(program, view, list(state.survivors or state.typing or state.dead))
    if not found and not reasons:
        reasons = [Reason(name, view.path, rows[0][1].line, f"{name} is not bound here")]
    return Resolution(tuple(found), tuple(reasons))


def local_bindings(program: Program, view: View, scope: int) -> dict[str, list[tuple[int, Binding]]]:
    """The bindings of one function-like scope by name, each with its number in the body's bindings."""
    cache = program.cache("locals")
    tables = cache.get(view.path)
    if tables is None:
        tables = cache[view.path] = {}
        for number, binding in enumerate(program.body(view.path).bindings):
            tables.setdefault(binding.scope, {}).setdefault(binding.name, []).append((number, binding))
    table: dict[str, list[tuple[int, Binding]]] = tables.get(scope, {})
    return table
