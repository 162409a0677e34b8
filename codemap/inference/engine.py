# The engine: rules of the sub-questions, over the table of `solver`. One class holds what the rules share (the
# program, the tables of files, the solver); the rules themselves stand in modules by concern and are entered
# here, so that none of them imports another.
from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final

from codemap.inference import (
    attributes,
    bodies,
    calls,
    carrying,
    constructing,
    containers,
    declared,
    defining,
    displays,
    expressions,
    handing,
    implicit,
    instances,
    library,
    names,
    overloading,
    parameters,
    protocols,
    returning,
    stores,
)
from codemap.inference.arguments import Arguments
from codemap.inference.calls import Site
from codemap.inference.solver import MOST_VALUES, Solver
from codemap.inference.stubs import PREFIX, OverlayIndex, Typeshed
from codemap.inference.tables import Table
from codemap.inference.values import CLASS, LEVELS, Value, Values, shallow
from codemap.model.facts import STAR_WORD
from codemap.resolve.program import ALL_ROLES, Program


class _Program(Program):
    """The program over tree and stubs: the name index knows the tree only."""

    def may_expose(self, path: str, name: str) -> bool:
        """Whether a file can bind `name` at all; of stubs nothing is indexed."""
        return path.startswith("<") or super().may_expose(path, name)

    def mentioning(self, word: str, roles: int = ALL_ROLES, *, exact: bool = False) -> frozenset[str]:
        """As of the tree; a star import may stand in any stub."""
        found = super().mentioning(word, roles, exact=exact)
        if word == STAR_WORD:
            every = self.cache("star imports").get("every")
            if every is None:
                every = found | {PREFIX + path for path in self.index.stubs.paths}  # type: ignore[attr-defined]
                self.cache("star imports")["every"] = every
            return frozenset(every)
        return found


_RULES: Final[dict[str, Callable[..., Values]]] = {
    "expression": expressions.expression,
    "name": names.name_at,
    "local": names.local,
    "global": names.global_values,
    "binding": names.binding_values,
    "defined": names.defined,
    "parameter": parameters.parameter,
    "variadic": parameters.variadic,
    "carried": carrying.carried,
    "result of partial": calls.result_of_partial,
    "sites": parameters.sites,
    "returns": returning.returns,
    "yields": returning.yields,
    "callees": calls.callees,
    "result": calls.result_of_call,
    "attribute": attributes.attribute,
    "own": bodies.bound_to,
    "instance attribute": stores.stored,
    "stored as": stores.stored_as,
    "annotation": declared.annotation,
    "elements": displays.elements,
    "iterated": containers.iterated,
    "partial of": calls.partial_of,
    "callbacks": handing.callbacks,
    "implicit": implicit.implicit,
    "defining": defining.defining,
    "constructors": defining.constructors,
    "making": defining.making,
}


class Engine:
    """Inference over one tree. Ask through `values`, `callees` and the functions beside it."""

    def __init__(self, index: Any, stubs: Typeshed | None = None, beside: Program | None = None) -> None:
        """An engine over an index; it shares what `beside`, the program of the names layer, has read already."""
        self.overlay = OverlayIndex(index, stubs or Typeshed())
        self.program = _Program(self.overlay)  # type: ignore[arg-type]
        self.names = beside if beside is not None else Program(index)
        self.program.share(self.names)
        self.files = self.overlay.files
        self._tables: dict[str, Table] = {}
        self._stub_classes: dict[str, tuple[str, int] | None] = {}
        self.memo: dict[Any, Any] = {}
        self._cuts: dict[tuple[str, str, int, str], None] = {}
        self.too_wide: set[tuple[str, int]] = (
            set()
        )  # functions that are called in too many files to be followed
        self.solver = Solver({word: partial(rule, self) for word, rule in _RULES.items()})
        self.ask = self.solver.ask

    # -- what rules ask of one another without a table: each by its module, so that none imports another ---------
    def result(self, value: Value, arguments: Arguments | None, site: Site | None = None) -> Values:
        """What calling a value gives."""
        return calls.result(self, value, arguments, site)

    def result_of_function(
        self, function: Value, receiver: Value | None, arguments: Arguments | None, site: Site | None = None
    ) -> Values:
        """What calling a function, perhaps bound to a receiver, gives."""
        return calls.result_of_function(self, function, receiver, arguments, site)

    def callables(self, values: Values) -> Values:
        """What is really called where these values are."""
        return calls.callables(self, values)

    def construct(self, value: Value, arguments: Arguments | None, site: Site | None) -> Values:
        """What calling a class gives."""
        return constructing.construct(self, value, arguments, site)

    def library_result(self, name: str, arguments: Arguments | None, site: Site | None) -> Values | None:
        """What a function of the standard library gives, where its stub does not say; None for the others."""
        return library.library_result(self, name, arguments, site)

    def decorate(self, table: Table, expression: int, values: Values, names: tuple[str, ...]) -> Values:
        """What a decorator makes of what it is given."""
        return library.decorate(self, table, expression, values, names)

    def overloads(self, path: str, scope: int) -> list[int]:
        """The declarations that say what a function gives."""
        return overloading.overloads(self, path, scope)

    def registered(self, path: str, scope: int) -> list[Value]:
        """The implementations of a function under `singledispatch`."""
        return overloading.registered(self, path, scope)

    def bind_result(
        self,
        table: Table,
        scope: int,
        receiver: Value | None,
        arguments: Arguments | None,
        values: Values,
    ) -> Values:
        """A function's results with a call's own arguments in the places of its parameters."""
        return returning.bind_result(self, table, scope, receiver, arguments, values)

    def as_instances(self, values: Values) -> Values:
        """Values as instances of their classes."""
        return instances.as_instances(self, values)

    def bound_of(self, value: Value) -> Values:
        """What a type variable that nothing has bound may stand for."""
        return instances.bound_of(self, value)

    def iterate(self, values: Values) -> Values:
        """What iterating over values gives."""
        return containers.iterate(self, values)

    def iterate_values(self, values: Values) -> Values:
        """The values of mappings."""
        return containers.iterate_values(self, values)

    def iterate_variadic(self, value: Value, key: str | int | None) -> Values:
        """What callers hand over in `*args` or `**kwargs`."""
        return containers.iterate_variadic(self, value, key)

    def element(self, values: Values, index: int) -> Values:
        """The element at a constant position."""
        return containers.element(self, values, index)

    def item(self, values: Values, key: object) -> Values:
        """What is under a constant key of mappings."""
        return containers.item(self, values, key)

    def length(self, value: Value) -> int | None:
        """How many elements a display has, when it says so itself."""
        return displays.length(self, value)

    def awaited(self, values: Values) -> Values:
        """What `await` gives."""
        return protocols.awaited(self, values)

    def returned_by(self, value: Value) -> Values:
        """What a coroutine or a generator returns in the end."""
        return protocols.returned_by(self, value)

    def entered(self, values: Values, asynchronous: bool) -> Values:
        """What `with` binds."""
        return protocols.entered(self, values, asynchronous)

    def own_values(self, klass: tuple[str, int], name: str) -> Values | None:
        """What a class body itself binds a name to; None when it does not."""
        return bodies.own_values(self, klass, name)

    def along_mro(
        self, order: list[tuple[str, int]], receiver: Value, name: str, bind: bool
    ) -> tuple[Values, bool]:
        """What the first class of an MRO that has a name binds it to, and whether there is one."""
        return bodies.along_mro(self, order, receiver, name, bind)

    def bind_values(self, values: Values, receiver: Value, owner: tuple[str, int]) -> Values:
        """What attributes of a class are when read on an instance."""
        return bodies.bind_values(self, values, receiver, owner)

    def is_enum(self, klass: tuple[str, int]) -> bool:
        """Whether a class of the tree is an enumeration."""
        return bodies.is_enum(self, klass)

    def outside_stores(self, owner: Value, name: str) -> Values:
        """What code elsewhere stores under an attribute."""
        return stores.outside_stores(self, owner, name)

    # -- bounds ----------------------------------------------------------------------------------------------
    def cut(self, name: str, file: str, line: int, reason: str) -> None:
        """Note that a bound was hit: what is known of a place may not be all."""
        self._cuts[name, file, line, reason] = None

    @property
    def unresolved(self) -> list[tuple[str, str, int, str]]:
        """The places that a bound cut short, so far: (name, file, line, reason), sorted, each once."""
        found = dict(self._cuts)
        for key in self.solver.crowded:
            file, line = self._place_of(key)
            found[str(key[0]), file, line, f"more than {MOST_VALUES} values"] = None
        return sorted(found)

    def _place_of(self, key: tuple[Any, ...]) -> tuple[str, int]:
        """File and line of a sub-question that names an expression of a file; ("", 0) for others."""
        if len(key) > 2 and isinstance(key[1], str) and isinstance(key[2], int):
            if key[0] in ("expression", "name", "callees", "result", "elements", "annotation"):
                return key[1], int(self.table(key[1]).rows[key[2]][1])
            if key[0] in ("sites", "returns", "yields", "parameter", "carried", "local", "defined"):
                return key[1], int(self.table(key[1]).scope(key[2]).line)
        return "", 0

    def table(self, path: str) -> Table:
        found = self._tables.get(path)
        if found is None:
            found = self._tables[path] = Table(self.program.view(path), lambda: self.program.body(path))
        return found

    def stub_class(self, qualified: str) -> tuple[str, int] | None:
        """A class of the standard library by its qualified name."""
        if qualified not in self._stub_classes:
            from codemap.resolve.modules import lookup_attribute_of_module

            module, _, name = qualified.rpartition(".")
            answer = lookup_attribute_of_module(self.program, module, name)
            hits = [item.definition for item in answer.found if item.definition.kind == "class"]
            self._stub_classes[qualified] = (hits[0].file, hits[0].scope) if hits else None
        return self._stub_classes[qualified]

    def stub_instance(self, qualified: str, *arguments: frozenset[Value]) -> Values:
        klass = self.stub_class(qualified)
        if klass is None:
            return {}
        return {("instance", *klass, tuple(shallow(one, LEVELS - 1) for one in arguments), False): 0}

    def qualified(self, path: str, scope: int) -> str:
        return self.table(path).view.qualified(scope)

    def class_definition(self, path: str, scope: int) -> Any:
        """The names layer's record of a class."""
        key = ("class definition", path, scope)
        known = self.memo.get(key)
        if known is None:
            from codemap.resolve.records import Definition

            view = self.table(path).view
            row = view.outline.scopes[scope]
            number = -1
            owner = row.parent
            table = self.table(path)
            for candidate, binding in (
                *table.outer_bindings(owner, row.name),
                *table.local_bindings(owner, row.name),
            ):
                if binding.target == scope and binding.kind == "class":
                    number = candidate
            column = row.column if row.line == row.header_line else 0
            known = Definition(
                "class", view.qualified(scope), path, row.header_line, column, owner, scope, number
            )
            self.memo[key] = known
        return known

    def mro(self, path: str, scope: int) -> list[tuple[str, int]]:
        from codemap.resolve.attributes import mro

        key = ("mro", path, scope)
        known = self.memo.get(key)
        if known is None:
            order = mro(self.program, self.class_definition(path, scope))
            known = [(item.file, item.scope) for item in order.classes if item.scope >= 0]
            outside = []
            self.memo[key] = known  # for a builtin that would be its own base
            for name in order.outside:  # the names layer leaves builtins outside the tree
                builtin = self.stub_class(name) if name.startswith("builtins.") else None
                if builtin is None or builtin == (path, scope):
                    outside.append(name)
                else:
                    known += [item for item in self.mro(*builtin) if item not in known]
            obj = self.stub_class("builtins.object")
            if obj is not None and (path, scope) != obj:
                known = [item for item in known if item != obj] + [obj]
            self.memo[key] = known
            self.memo["outside", path, scope] = tuple(outside)
        return known  # everybody gets the same list: not to be changed

    def outside_bases(self, path: str, scope: int) -> tuple[str, ...]:
        self.mro(path, scope)
        return tuple(self.memo["outside", path, scope])

    def subclasses(self, path: str, scope: int) -> list[tuple[str, int]]:
        """All subclasses in the tree, direct and indirect, sorted."""
        key = ("subclasses", path, scope)
        known = self.memo.get(key)
        if known is None:
            from codemap.inference.hierarchy import subclasses

            known = self.memo[key] = subclasses(self, path, scope)
        return list(known)

    def class_value(self, path: str, scope: int) -> Value:
        return (CLASS, path, scope)
