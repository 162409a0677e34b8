# Kinds about classes: bases, members, enumerations.
from __future__ import annotations

from typing import Any, Final

from codemap.claims.checking.context import (
    Context,
    ambiguous,
    counted,
    ends_with,
    last_part,
    refuted,
    undecided,
    verified,
)
from codemap.claims.statements import Claim, Finding, Line
from codemap.inference.stubs import is_stub
from codemap.model import facts
from codemap.model.answers import UnresolvedSite
from codemap.queries.describe import class_flags, function_flags
from codemap.queries.family import Family
from codemap.queries.hierarchy import below, is_protocol
from codemap.queries.patches import patches_of
from codemap.resolve.attributes import bases_of, lookup_attribute
from codemap.resolve.records import ATTRIBUTE, CLASS, CONSTANT, METHOD, Definition
from codemap.semantic import expressions as op

Klass = tuple[str, int]
_CLASS: Final = (CLASS,)
_DYNAMIC: Final = ("__getattr__", "__getattribute__")


# --- the hierarchy ---------------------------------------------------------------------------------------------------
def subclass(context: Context, claim: Claim) -> Finding:
    """The method resolution order; `direct` is about the class statement."""
    return context.about(claim, _CLASS, lambda one: _derives(context, claim, one))


def _derives(context: Context, claim: Claim, klass: Definition) -> Finding:
    said = str(claim.object)
    engine = context.engine
    if klass.scope < 0:
        return undecided("made by a call", f"{klass.name} is made by a call", [context.at(klass)])
    place = (klass.file, klass.scope)
    here = context.at(klass)
    direct = bool(claim.args.get("direct"))
    named = direct_bases(context, place)
    bases = context.definitions(said, _CLASS)
    wanted = {(one.file, one.scope) for one in bases}
    order = engine.mro(*place)
    if place in wanted:
        wanted.discard(place)
    outside = [*engine.outside_bases(*place), *(engine.qualified(*one) for one in order if is_stub(one[0]))]
    hit_outside = not bases and any(ends_with(one, said) or ends_with(said, one) for one in outside)
    in_order = [one for one in order if one in wanted]
    told = f"{klass.name} derives from {', '.join(name for name, _ in named) or 'nothing'}"
    if direct:
        if any(one in wanted for _, one in named) or any(
            not bases and one is None and ends_with(name, said) for name, one in named
        ):
            return verified("class statement", told, [here])
        if not bases and any(
            one is not None and is_stub(one[0]) and ends_with(name, said) for name, one in named
        ):
            return verified("class statement", told, [here])
        if in_order or hit_outside:
            return refuted(
                "not direct", f"{told}, and only through them from {said}", chain(context, place, wanted)
            )
    elif in_order or hit_outside:
        names = [engine.qualified(*one) for one in order if one == place or one in wanted]
        return verified(
            "method resolution order", f"{' -> '.join(names)}; {told}", chain(context, place, wanted)
        )
    for one in sorted(wanted):
        entry = below(engine, one).get(place)
        if entry is not None:
            if entry[1] == "register" and not direct:
                return verified("register", f"{klass.name} is registered with {said}", [here])
            return ambiguous("protocol", f"{klass.name} has the members of {said} without naming it", [here])
    if not bases:
        lost = context.missing(said, _CLASS)
        known = lost.verdict == "refuted" and not outside
        if lost.verdict == "refuted" and [one for one in outside if not _is_standard(context, one)]:
            return undecided(
                "base outside the tree", f"{told}; what {outside[0]} derives from is not known", [here]
            )
        return lost if not known else lost._replace(counter=(here, *lost.counter))
    unread = unread_bases(context, place)
    if unread:
        return undecided("unreadable base", f"{told}; {unread[0].reason}", [here], open=tuple(unread))
    ends = context.lines((one.file, one.line) for one in bases[:3])
    return refuted("method resolution order", told, [*chain(context, place, set()), *ends], told)


def _is_standard(context: Context, name: str) -> bool:
    return context.engine.stub_class(name) is not None if "." in name else True


def direct_bases(context: Context, place: Klass) -> list[tuple[str, Klass | None]]:
    """The bases that a class statement names: qualified name, and place if they are in the tree or its stubs."""
    engine = context.engine
    klass = engine.class_definition(*place)
    bases = bases_of(engine.program, klass)
    found: list[tuple[str, Klass | None]] = []
    for candidates in bases.places:
        found += [(one.name, (one.file, one.scope)) for one in candidates if one.scope >= 0]
    found += [(name, engine.stub_class(name)) for name in bases.outside]
    return found


def chain(context: Context, place: Klass, wanted: set[Klass]) -> list[Line]:
    """The class statements from a class up to one of some bases, or of its own bases."""
    engine = context.engine
    rows: list[tuple[str, int]] = []
    for one in engine.mro(*place):
        if is_stub(one[0]):
            continue
        scope = engine.table(one[0]).scope(one[1])
        rows.append((one[0], scope.header_line))
        if one in wanted:
            break
    return list(context.lines(rows[:6]))


def unread_bases(context: Context, place: Klass) -> list[UnresolvedSite]:
    """Bases in the method resolution order of a class of which nobody knows what they are."""
    engine = context.engine
    found: list[UnresolvedSite] = []
    for one in engine.mro(*place):
        if is_stub(one[0]):
            continue
        klass = engine.class_definition(*one)
        row = engine.program.view(one[0]).class_facts(one[1])
        bases = bases_of(engine.program, klass)
        found += [UnresolvedSite(r.name, r.file or one[0], r.line, r.text) for r in bases.reasons]
        if row is not None and "" in row.bases and not bases.reasons:
            text = "a base is an expression"
            found.append(UnresolvedSite(klass.name, one[0], klass.line, text))
    return list(dict.fromkeys(found))


def strange_bases(context: Context, place: Klass) -> list[str]:
    """Bases from outside the tree whose members are not known."""
    return [one for one in context.engine.outside_bases(*place) if last_part(one) not in _BARE]


_BARE: Final = frozenset(
    {"object", "Generic", "Protocol", "ABC", "NamedTuple", "TypedDict", "namedtuple", "Enum"}
)


def open_subclasses(context: Context, place: Klass) -> list[UnresolvedSite]:
    """Class statements and calls that may derive from a class without saying so in a way that is read."""
    from codemap.inference.hierarchy import aliases

    engine = context.engine
    name = engine.table(place[0]).scope(place[1]).name
    found: list[UnresolvedSite] = []
    for word in sorted(aliases(engine, name)):
        for path in sorted(
            context.program.mentioning(word, facts.ROLE_BASE | facts.ROLE_READ | facts.ROLE_ATTRIBUTE)
        ):
            view = context.program.view(path)
            for row in view.outline.classes:
                if "" not in row.bases and not any(last_part(one) == word for one in row.bases):
                    continue
                bases = bases_of(engine.program, engine.class_definition(path, row.scope))
                line = view.outline.scopes[row.scope].header_line
                if any(last_part(one) == word for one in row.bases):
                    found += [UnresolvedSite(word, path, line, one.text) for one in bases.reasons]
                elif _mentions(context, path, row.base_values, word):
                    found.append(UnresolvedSite(word, path, line, "a base is an expression"))
            if path in context.program.mentioning("type", facts.ROLE_CALL):
                table = context.table(path)
                for call in table.calls("type"):
                    entry = table.rows[call]
                    if len(entry[4]) == 3 and _mentions(context, path, entry[4], word):
                        found.append(UnresolvedSite(word, path, entry[1], "a class is made by type()"))
    return list(dict.fromkeys(found))


def _mentions(context: Context, path: str, values: Any, word: str) -> bool:
    rows = context.table(path).rows
    work = [value for value in values if value >= 0]
    while work:
        row = rows[work.pop()]
        if (row[0] == op.NAME and row[3] == word) or (row[0] == op.ATTRIBUTE and row[4] == word):
            return True
        work += op.children(row)
    return False


# --- members ---------------------------------------------------------------------------------------------------------
def has_member(context: Context, claim: Claim) -> Finding:
    """The member table along the method resolution order."""
    return context.about(claim, _CLASS, lambda one: member(context, one, str(claim.object), False))


def field_of(context: Context, claim: Claim) -> Finding:
    """The same, for what is no method."""
    return context.about(claim, _CLASS, lambda one: member(context, one, str(claim.object), True))


def member(context: Context, klass: Definition, name: str, field: bool, mixin: bool = True) -> Finding:
    """Whether a class has a member; refuted only where nothing sets one in ways that are not read.

    `mixin`: a member that only subclasses have may be meant, so that the class is a mixin of theirs.
    """
    name = last_part(name.strip().removesuffix("()"))
    here = context.at(klass)
    answer = lookup_attribute(context.engine.program, klass, name)
    inside = [item.definition for item in answer.found if not is_stub(item.definition.file or "<")]
    builtin = [item.definition for item in answer.found if item.definition.file.startswith("<")]
    if inside:
        one = inside[0]
        where = context.lines((item.file, item.line) for item in inside)
        told = f"{one.name} is {_article(one.kind)} ({one.file}:{one.line})"
        if not field or one.kind in (ATTRIBUTE, CONSTANT):
            return verified("member", told, where)
        view = context.engine.program.view(one.file)
        if one.kind == METHOD and "property" in function_flags(context.program, view, one):
            return ambiguous("property", f"{one.name} is a property", where)
        return refuted("method", f"{told}, no field", where)
    if builtin and not field:
        return verified("member", f"{klass.name} has {builtin[0].name}", [here])
    patches = patches_of(context.engine.program, klass, name)
    if patches:
        where = context.lines((row.file, row.line) for row in patches)
        return verified("set from outside", f"other code gives {klass.name} {name}", where)
    if klass.scope < 0:
        return context.closed(refuted("no member", f"{klass.name} has no {name}", [here]))
    place = (klass.file, klass.scope)
    hosts = [
        one
        for one in (context.engine.subclasses(*place) if mixin else ())
        if Family(context.engine, context.engine.class_definition(*one), name).mine
    ]
    if hosts:
        rows = context.lines(
            (one[0], context.engine.table(one[0]).scope(one[1]).header_line) for one in hosts
        )
        told = ", ".join(context.engine.qualified(*one) for one in hosts[:4])
        return undecided(
            "member of a subclass", f"{klass.name} has no {name} itself, {told} have", [here, *rows]
        )
    unread = unread_bases(context, place)
    strange = strange_bases(context, place)
    dynamic = dynamic_members(context, place)
    if unread or strange or dynamic:
        why = f"its base {strange[0]} is outside the tree" if strange else ""
        why = why or (
            unread[0].reason if unread else f"{dynamic[0].file}:{dynamic[0].line} makes members by name"
        )
        return undecided(
            "open class",
            f"no {name} is known of {klass.name}, but {why}",
            [here, *dynamic],
            open=tuple(unread),
        )
    near = _near_members(context, place, name)
    told = f"{klass.name} has no {'field' if field else 'member'} {name}"
    return context.closed(
        refuted("no member", told, [here, *near[1]], f"did you mean {', '.join(near[0])}?" if near[0] else "")
    )


def _article(kind: str) -> str:
    return f"{'an' if kind[:1] in 'aeiou' else 'a'} {kind}"


def _near_members(context: Context, place: Klass, name: str) -> tuple[list[str], list[Line]]:
    from codemap.nearest import nearest
    from codemap.resolve.classes import stored_names

    names: dict[str, None] = {}
    for one in context.engine.mro(*place):
        if not is_stub(one[0]):
            view = context.engine.program.view(one[0])
            names.update(dict.fromkeys([*view.names(one[1]), *stored_names(view, one[1])]))
    near = list(nearest(name, names, limit=3))
    klass = context.engine.class_definition(*place)
    lines = []
    for word in near[:1]:
        found = lookup_attribute(context.engine.program, klass, word).found
        lines = [context.at(item.definition) for item in found if item.definition.file]
    return near, lines


def dynamic_members(context: Context, place: Klass) -> list[Line]:
    """Where a class or its bases make members by computed names."""
    engine = context.engine
    found: list[Line] = []
    for one in engine.mro(*place):
        if is_stub(one[0]):
            continue
        view = engine.program.view(one[0])
        for name in _DYNAMIC:
            found += [
                context.line(one[0], view.outline.bindings[n].line) for n in view.bindings(one[1], name)
            ]
        mentioned = context.program.mentioning
        if not any(one[0] in mentioned(word) for word in ("setattr", "__dict__", "vars", "__setattr__")):
            continue
        table = context.table(one[0])
        for call in (*table.calls("setattr"), *table.calls("__setattr__")):
            row = table.rows[call]
            if len(row[4]) < 2:
                continue
            key, target = table.rows[row[4][-2]], table.rows[row[4][0]]
            own = view.enclosing_class(table.place(call)[0]) == one[1]
            if key[0] != op.CONSTANT and (own or (target[0] == op.NAME and target[3] in ("self", "cls"))):
                if own:
                    found.append(context.line(one[0], row[1]))
        for number in table.reads("__dict__"):
            if view.enclosing_class(table.place(number)[0]) == one[1]:
                parent = table.parent(number)
                if parent >= 0 and table.rows[parent][0] in (op.ATTRIBUTE, op.STORE_SUBSCRIPT):
                    if table.rows[parent][0] == op.STORE_SUBSCRIPT or table.rows[parent][4] == "update":
                        found.append(context.line(one[0], table.rows[number][1]))
    return found


# --- methods ---------------------------------------------------------------------------------------------------------
def overrides(context: Context, claim: Claim) -> Finding:
    """Both classes bind the method, one stands behind the other in the method resolution order."""
    subject, said = claim.subject.strip(), str(claim.object).strip()
    classes = context.definitions(subject, _CLASS)
    if classes:
        name, above = last_part(said), said.rpartition(".")[0]
    else:
        name = last_part(subject)
        classes = context.definitions(subject.rpartition(".")[0], _CLASS) if "." in subject else []
        above = said if context.definitions(said, _CLASS) else said.rpartition(".")[0]
    if not classes:
        return context.missing(subject, _CLASS if "." not in subject else ())
    bases = context.definitions(above, _CLASS) if above else []
    if above and not bases:
        return context.missing(above, _CLASS)
    wanted = {(one.file, one.scope) for one in bases}

    def check(klass: Definition) -> Finding:
        place = (klass.file, klass.scope)
        if klass.scope < 0:
            return undecided("made by a call", f"{klass.name} is made by a call", [context.at(klass)])
        family = Family(context.engine, klass, name)
        binding = _binding_line(context, place, name)
        if not family.in_body(place):
            found = [one for one in context.engine.mro(*place)[1:] if family.in_body(one)]
            told = f"{klass.name} does not define {name}"
            if found:
                told += f", it has that of {context.engine.qualified(*found[0])}"
            lines = [context.at(klass), *(_binding_line(context, one, name) for one in found[:1])]
            return refuted("not overridden", told, lines)
        above_it = [
            one
            for one in context.engine.mro(*place)[1:]
            if family.in_body(one)
            or (is_stub(one[0]) and context.engine.program.view(one[0]).bindings(one[1], name))
        ]
        hits = [one for one in above_it if not wanted or one in wanted]
        if hits:
            names = ", ".join(f"{context.engine.qualified(*one)}.{name}" for one in hits[:3])
            lines = [binding, *(_binding_line(context, one, name) for one in hits if not is_stub(one[0]))]
            return verified("override", f"{klass.name}.{name} overrides {names}", lines)
        strange = strange_bases(context, place)
        unread = unread_bases(context, place)
        if (strange and not wanted) or unread:
            why = unread[0].reason if unread else f"{strange[0]} is outside the tree"
            return undecided("open base", f"no base of the tree has {name}, but {why}", [binding])
        told = f"no base of {klass.name} has {name}"
        if wanted:
            told = f"{above} is no base of {klass.name} that has {name}"
        return refuted("no base has it", told, [binding, *chain(context, place, set())])

    return context.each(classes, check, subject)


def _binding_line(context: Context, place: Klass, name: str) -> Line:
    view = context.engine.program.view(place[0])
    numbers = view.bindings(place[1], name)
    line = view.outline.bindings[numbers[-1]].line if numbers else view.outline.scopes[place[1]].header_line
    return context.line(place[0], line)


def abstract(context: Context, claim: Claim) -> Finding:
    """Decorators, along the method resolution order."""
    subject = claim.subject.strip()
    name = last_part(str(claim.object)) if claim.object not in (None, "") else ""
    classes = context.definitions(subject, _CLASS)
    if not classes and not name and "." in subject:
        name = last_part(subject)
        classes = context.definitions(subject.rpartition(".")[0], _CLASS)
    if not classes:
        return context.missing(subject, _CLASS)

    def check(klass: Definition) -> Finding:
        here = context.at(klass)
        if klass.scope < 0:
            return undecided("made by a call", f"{klass.name} is made by a call", [here])
        view = context.program.view(klass.file)
        if not name:
            row = view.class_facts(klass.scope)
            is_it = row is not None and "abstract" in class_flags(context.program, view, klass, row)
            if is_it:
                return verified("abstract class", f"{klass.name} is abstract", [here])
            return refuted("no abstract class", f"{klass.name} has no abstract method of its own", [here])
        answer = lookup_attribute(context.program, klass, name)
        found = [item.definition for item in answer.found if item.definition.file]
        if not found:
            return member(context, klass, name, False, mixin=False)
        one = found[0]
        home = context.program.view(one.file)
        where = context.at(one)
        told = f"{one.name} ({one.file}:{one.line})"
        if one.scope >= 0 and "abstract" in function_flags(context.program, home, one):
            return verified("decorator", f"{told} is abstract", [where])
        function = home.function_facts(one.scope) if one.scope >= 0 else None
        if function is not None and "raises" in function.flags:
            return undecided(
                "raises", f"{told} is not decorated, but only raises NotImplementedError", [where]
            )
        if function is not None and is_protocol(context.engine, (klass.file, klass.scope)):
            return undecided("protocol", f"{told} is asked for by a protocol", [where])
        return refuted("no decorator", f"{told} is not abstract", [where])

    return context.each(classes, check, subject)


# --- enumerations ------------------------------------------------------------------------------------------------------
def enum_member_rows(context: Context, klass: Definition) -> dict[str, int] | None:
    """The members of an enumeration with their lines; None when the class is none that can be read."""
    if klass.scope < 0:
        return None
    view = context.program.view(klass.file)
    row = view.class_facts(klass.scope)
    if row is None or "enum" not in class_flags(context.program, view, klass, row):
        return None
    found: dict[str, int] = {}
    for binding in view.outline.bindings:
        if binding.scope != klass.scope or binding.within != klass.scope:
            continue
        private = binding.name.startswith("_")
        if binding.kind in (facts.ASSIGN, facts.ANNOTATED) and not private and binding.callee != "nonmember":
            found.setdefault(binding.name, binding.line)
        elif binding.kind == facts.DELETE:
            found.pop(binding.name, None)
    return found


__all__ = ["abstract", "counted", "enum_member_rows", "field_of", "has_member", "overrides", "subclass"]
