# From a NAME to what a question about uses is about, and from there to the occurrences. A class's attribute is
# found through receivers, a module's name through imports, a local through its scope.
from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from codemap.model import facts
from codemap.queries.family import Family
from codemap.queries.lexical import Lexical
from codemap.queries.members import Members
from codemap.queries.occurrences import DEFINITION, READ, WRITE, Occurrence, Open
from codemap.resolve.records import CLASS, FUNCTION, METHOD, MODULE, Definition

if TYPE_CHECKING:
    from codemap.inference.engine import Engine
    from codemap.queries.matching import Matches


class Subject(NamedTuple):
    """One thing that a NAME means: `owner` is the class, module or function that it is an attribute or name of."""

    owner: Definition | None
    name: str
    definition: Definition


def subjects(engine: Engine, matches: Matches, asked: str = "") -> list[Subject]:
    """What the matches are, each once: bindings of one name are one thing.

    `asked` is the NAME: `Sub.x` of a base's attribute is asked of Sub.
    """
    found: dict[tuple[str, int, str], Subject] = {}
    if not matches.matches:
        found = {
            (one.definition.file, one.definition.owner, one.name): one for one in undeclared(engine, asked)
        }
    for match in matches.matches:
        definition = match.definition
        if _is_hung_on(definition):
            for one in undeclared(engine, definition.name):
                found.setdefault((one.definition.file, one.definition.owner, one.name), one)
            continue
        if match.lead is not None and match.how != "dead code" and not match.shadowed_by:
            continue
        last = definition.name.rpartition(".")[2]
        key = (definition.file, definition.owner, last)
        if definition.kind == MODULE:
            key = (definition.file, -1, definition.name)
        if key not in found:
            found[key] = Subject(owner_of(engine, definition, asked), last, definition)
    return list(found.values())


def undeclared(engine: Engine, asked: str) -> list[Subject]:
    """`CLASS.ATTR` where no statement of the class declares it: other code gives it to the class or its instances."""
    head, _, last = asked.rpartition(".")
    if not head or ":" in asked or not last.isidentifier():
        return []
    from codemap.queries.matching import match_name

    found = []
    for match in match_name(engine.names, head, (CLASS, MODULE, FUNCTION, METHOD)).matches:
        owner = match.definition
        if match.lead is None and owner.scope >= 0:
            place = Definition(
                "attribute", f"{owner.name}.{last}", owner.file, owner.line, owner.column, owner.scope
            )
            found.append(Subject(owner, last, place))
    return found


def _is_hung_on(definition: Definition) -> bool:
    """An attribute that other code hangs onto a class, module or function."""
    return definition.kind == "attribute" and definition.binding < 0 and definition.store < 0


def owner_of(engine: Engine, definition: Definition, asked: str = "") -> Definition | None:
    """The class, module or function whose name a definition is."""
    if definition.kind == MODULE or definition.owner < 0:
        return None
    view = engine.names.view(definition.file)
    kind = view.outline.scopes[definition.owner].kind
    if kind == facts.CLASS:
        klass = engine.class_definition(definition.file, definition.owner)
        return _asked_of(engine, klass, definition, asked) or klass
    if kind == facts.MODULE:
        return Definition(MODULE, view.module, definition.file, 1, 0, -1, 0)
    return Definition(FUNCTION, view.qualified(definition.owner), definition.file, scope=definition.owner)


def _asked_of(engine: Engine, klass: Definition, definition: Definition, asked: str) -> Definition | None:
    """The subclass that the NAME is written with, for an attribute that it inherits."""
    head, _, last = asked.rpartition(".")
    if not head or last != definition.name.rpartition(".")[2] or ":" in asked or klass.name.endswith(head):
        return None
    from codemap.queries.matching import match_name

    for match in match_name(engine.names, head, (CLASS,)).matches:
        one = match.definition
        if one.scope >= 0 and (klass.file, klass.scope) in engine.mro(one.file, one.scope):
            return one
    return None


class Uses(NamedTuple):
    """The occurrences of a subject, in path and line order, and the places that could not be decided."""

    found: tuple[Occurrence, ...]
    open: tuple[Open, ...]


def uses(engine: Engine, subject: Subject, *, special: bool = True) -> Uses:
    """Every occurrence of a subject; `special` includes what names it otherwise than by itself or a dot."""
    found: list[Occurrence] = []
    unknown: list[Open] = []
    owner, definition = subject.owner, subject.definition
    if owner is None:
        from codemap.queries.modules import uses_of_module

        return Uses(tuple(_arranged(uses_of_module(engine, definition))), ())
    of_class = owner.kind == CLASS
    if of_class:
        found += _declarations(engine, subject)
    elif definition.owner >= 0 and not _is_hung_on(definition):
        lexical = Lexical(engine, definition.file, definition.owner, subject.name, definition.kind == CLASS)
        lexical.collect()
        found += lexical.found
        if definition.kind == "parameter":
            from codemap.queries.arguments import keywords_for

            found += keywords_for(engine, definition, subject.name)
    if of_class or _is_hung_on(definition):
        members = Members(engine, Family(engine, owner, subject.name))
        members.collect(special=special)
        found += members.found
        unknown += members.open
    elif owner.kind == MODULE:
        members = Members(engine, Family(engine, owner, subject.name))
        members.files = [path for path in members.files if _by_name(engine, path)]
        members.collect(special=special)
        found += members.found
    return Uses(tuple(_arranged(found)), tuple(sorted(set(unknown))))


def _by_name(engine: Engine, path: str) -> bool:
    """Whether a file uses `getattr` or its like."""
    program = engine.program
    return any(
        path in program.mentioning(word, facts.ROLE_CALL)
        for word in ("getattr", "setattr", "hasattr", "delattr")
    )


def _declarations(engine: Engine, subject: Subject) -> list[Occurrence]:
    """Where class bodies bind the attribute, and where their own code reads it by name."""
    owner = subject.owner
    assert owner is not None
    family = Family(engine, owner, subject.name)
    found: list[Occurrence] = []
    attribute = family.label(family.mine)
    klass = owner.name
    for path, scope in sorted(family.mine):
        if not family.in_body((path, scope)):
            continue
        lexical = Lexical(engine, path, scope, subject.name)
        lexical.collect()
        found += [row._replace(attribute=attribute, receiver=klass) for row in lexical.found]
    return found


def _arranged(found: list[Occurrence]) -> list[Occurrence]:
    """Each place once, the surest first, in path and line order."""
    best: dict[tuple[str, int, int, bool], Occurrence] = {}
    for row in sorted(found, key=lambda row: (row.rank, row.role == WRITE, row.role)):
        best.setdefault((row.file, row.line, row.column, row.access in ("", READ)), row)
    places: dict[tuple[str, int, int], Occurrence] = {}
    for row in best.values():
        known = places.get(row[:3])
        if known is None or known.role == READ or (row.role == DEFINITION and known.role != DEFINITION):
            places[row[:3]] = row
    return sorted(places.values())


def first_store_is_definition(
    found: tuple[Occurrence, ...], definition: Definition
) -> tuple[Occurrence, ...]:
    """The store that introduces an instance attribute is its definition."""
    return tuple(
        row._replace(role=DEFINITION)
        if (row.file, row.line, row.column) == (definition.file, definition.line, definition.column)
        else row
        for row in found
    )
