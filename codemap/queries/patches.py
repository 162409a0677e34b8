# Code that changes a definition from outside: `Valve.open = loud_open`, `module.level = lambda: 2`.
from __future__ import annotations

from typing import NamedTuple

from codemap.model import facts
from codemap.model.facts import ROLE_STORE
from codemap.resolve.attributes import lookup_dotted
from codemap.resolve.program import Program
from codemap.resolve.records import Definition


class Patch(NamedTuple):
    """One statement that sets `name` on a definition; `value` is the qualified name of what it sets, if known."""

    file: str
    line: int
    column: int
    value: str


def patches_of(program: Program, owner: Definition, name: str) -> list[Patch]:
    """The statements, in path and line order, that set or replace `owner.name` from outside."""
    found: list[Patch] = []
    for path in sorted(program.mentioning(name, ROLE_STORE, exact=True)):
        view = program.view(path)
        for number in view.stores(name):
            store = view.outline.stores[number]
            if store.first_parameter or store.kind in (facts.DELETE, facts.AUGMENTED):
                continue
            answer = lookup_dotted(
                program, view, store.scope, store.receiver, store.target if store.target >= 0 else None
            )
            if all(item.definition != owner for item in answer.found):
                continue
            value = ""
            for chain in store.aliases:
                values = lookup_dotted(program, view, store.scope, chain).found
                value = value or next((item.definition.name for item in values), "")
            found.append(Patch(path, store.line, store.column, value))
    return found
