# What a NAME means for questions about calls: the code that runs when it is called, and the code that it is.
from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from codemap.inference.stubs import is_stub
from codemap.inference.values import BOUND, CLASS, CLASSMETHOD, EXTERNAL, FUNCTION, STATIC, Value
from codemap.model import facts
from codemap.queries.definitions import matches_of, status_of
from codemap.queries.matching import Match
from codemap.resolve.attributes import binding_of
from codemap.resolve.records import MODULE, Definition
from codemap.semantic import expressions as op

if TYPE_CHECKING:
    from codemap.inference.engine import Engine

Place = tuple[str, int]  # a file and a scope of it


class Target(NamedTuple):
    """One piece of code that a NAME means.

    `value` is the FUNCTION or CLASS itself, `code` its file and scope. `seen_through` are the classes through which
    an inherited method was named: `Sub.run` means the calls of `run` whose receiver may be a Sub.
    """

    value: Value
    code: Place
    name: str
    seen_through: tuple[Place, ...] = ()


class Targets(NamedTuple):
    """All that a NAME means, the status of an answer about it, and what to offer when it means nothing."""

    targets: tuple[Target, ...]
    status: str
    suggestions: tuple[str, ...] = ()


def targets_of(engine: Engine, name: str) -> Targets:
    """The functions, classes and modules that a NAME means."""
    matches = matches_of(engine.names, name)
    found: dict[Value, Target] = {}
    for match in matches.matches:
        for target in _targets(engine, match, name):
            known = found.get(target.value)
            if known is not None and known.seen_through:
                through = (
                    tuple(sorted({*known.seen_through, *target.seen_through})) if target.seen_through else ()
                )
                target = target._replace(seen_through=through)
            if known is None or known.seen_through:
                found[target.value] = target
    if not found and name.endswith(".__init__"):
        # a class whose constructor is written by a decorator or inherited from outside the tree
        return targets_of(engine, name.removesuffix(".__init__"))
    if matches.matches:
        return Targets(tuple(found.values()), status_of(matches.matches))
    from codemap.queries.suggestions import suggestions

    return Targets((), status_of(()), suggestions(engine.names, name))


def _targets(engine: Engine, match: Match, name: str) -> Iterable[Target]:
    definition = match.definition
    if definition.kind == MODULE:
        if definition.scope == 0:
            yield Target(("module", definition.name), (definition.file, 0), definition.name)
        return
    if definition.scope > 0:
        kind = engine.table(definition.file).scope(definition.scope).kind
        place = (definition.file, definition.scope)
        tag = CLASS if kind == facts.CLASS else FUNCTION
        yield Target((tag, *place), place, definition.name, _through(engine, definition, name))
        return
    for value in _kept(engine, definition):
        yield Target(value, (value[1], value[2]), definition.name)


def _kept(engine: Engine, definition: Definition) -> Iterable[Value]:
    """The lambda that a variable or an attribute is bound to."""
    binding = binding_of(engine.names, definition)
    if binding is None or binding.value < 0:
        return
    row = engine.table(definition.file).rows[binding.value]
    if row[0] == op.LAMBDA:
        yield (FUNCTION, definition.file, row[3])


def _through(engine: Engine, definition: Definition, name: str) -> tuple[Place, ...]:
    """The subclasses that a name like `Sub.run` has in front of a method that a base of theirs defines."""
    owner, _, last = name.strip().rpartition(".")
    if not owner or "/" in name or ":" in name:
        return ()
    table = engine.table(definition.file)
    klass = table.scope(definition.scope).parent
    if table.scope(klass).kind != facts.CLASS or _ends_with(definition.name, f"{owner}.{last}"):
        return ()
    found = []
    for match in matches_of(engine.names, owner, ("class",)).matches:
        other = (match.definition.file, match.definition.scope)
        if (
            other[1] > 0
            and other != (definition.file, klass)
            and (definition.file, klass) in engine.mro(*other)
        ):
            found.append(other)
    return tuple(sorted(found))


def _ends_with(qualified: str, end: str) -> bool:
    return qualified == end or qualified.endswith("." + end)


def name_of(engine: Engine, value: Value) -> str:
    """The qualified name of something that is called: of the tree, of the standard library, or as it is spelt."""
    if value[0] in (BOUND, STATIC, CLASSMETHOD):
        return name_of(engine, value[1])
    if value[0] == EXTERNAL:
        return str(value[1])
    return engine.qualified(value[1], value[2])


def named_place(engine: Engine, path: str, scope: int) -> Place:
    """The innermost function, method, class body or module with a name at or around a scope."""
    from codemap.inference.edges import named_scope

    return (path, named_scope(engine.table(path), scope))


__all__ = ["Place", "Target", "Targets", "is_stub", "name_of", "named_place", "targets_of"]
