# Kinds about whole sets: who calls, who writes, what derives. A list names functions, classes, modules, files or
# folders; what lies in one of them is covered by it. Extra members refute, missing ones too; to verify, no site may
# be open.
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

from codemap.claims.checking.classes import direct_bases, enum_member_rows, open_subclasses
from codemap.claims.checking.context import (
    Context,
    ambiguous,
    counted,
    ends_with,
    last_part,
    listed,
    looks_like_path,
    refuted,
    sure_enough,
    undecided,
    verified,
)
from codemap.claims.kinds import COUNTED
from codemap.claims.statements import ALL, COUNT, NONE, SOME, Claim, Finding, Line
from codemap.model import facts
from codemap.model.answers import CERTAIN, LIKELY, UnresolvedSite
from codemap.queries.attributes import consumers, producers
from codemap.queries.calls import callers
from codemap.queries.hierarchy import below
from codemap.resolve.records import CLASS, FUNCTION, METHOD, MODULE, Definition


class Item(NamedTuple):
    """A member of a set: the qualified name of what does it, its place, how sure it is."""

    name: str
    file: str
    line: int
    confidence: str = CERTAIN
    direct: bool = True


class Members(NamedTuple):
    """A set with the sites that could belong to it."""

    what: str
    items: tuple[Item, ...]
    open: tuple[UnresolvedSite, ...] = ()
    lost: Finding | None = None
    home: tuple[Line, ...] = ()


# --- the sets -----------------------------------------------------------------------------------------------------------
def members_of(context: Context, kind: str, subject: str) -> Members:
    """The set that a kind is about, of one subject."""
    return _SETS[kind](context, subject)


def _callers(context: Context, subject: str) -> Members:
    found = context.definitions(subject, (FUNCTION, METHOD, CLASS))
    if not found:
        return Members("callers", (), lost=_lost(context, subject, (FUNCTION, METHOD, CLASS)))
    answer = callers(context.engine, subject)
    items = [Item(row["caller"], row["file"], row["line"], row["confidence"]) for row in answer.results]
    home = context.lines((one.file, one.line) for one in found)
    return Members(f"callers of {subject}", tuple(items), answer.unresolved, None, home)


def _lost(context: Context, subject: str, kinds: tuple[str, ...]) -> Finding:
    other = context.definitions(subject)
    if other:
        lines = context.lines((one.file, one.line) for one in other)
        return undecided("another kind", f"{subject} is a {other[0].kind}", lines)
    return context.missing(subject, kinds)


def _writers(context: Context, subject: str) -> Members:
    return _accesses(context, subject, producers(context.engine, subject), "writers")


def _readers(context: Context, subject: str) -> Members:
    return _accesses(context, subject, consumers(context.engine, subject), "readers")


def _accesses(context: Context, subject: str, answer: Any, what: str) -> Members:
    found = context.definitions(subject)
    if not found and not answer.results:
        return Members(what, (), lost=context.missing(subject))
    items = [Item(row["name"], row["file"], row["line"], row["confidence"]) for row in answer.results]
    home = context.lines((one.file, one.line) for one in found)
    dynamic = _set_by_name(context, found) if what == "writers" else ()
    return Members(f"{what} of {subject}", tuple(items), (*answer.unresolved, *dynamic), None, home)


def _set_by_name(context: Context, found: Sequence[Definition]) -> tuple[UnresolvedSite, ...]:
    """Places in the class's own files that set attributes by computed names."""
    from codemap.claims.checking.classes import dynamic_members

    sites: list[UnresolvedSite] = []
    for one in found:
        if one.owner > 0 and context.program.view(one.file).outline.scopes[one.owner].kind == facts.CLASS:
            for line in dynamic_members(context, (one.file, one.owner)):
                if "__getattr" not in line.text:
                    sites.append(
                        UnresolvedSite(
                            last_part(one.name), line.file, line.line, "attributes are set by computed names"
                        )
                    )
    return tuple(sites)


def _subclasses(context: Context, subject: str) -> Members:
    found = [one for one in context.definitions(subject, (CLASS,)) if one.scope >= 0]
    if not found:
        return Members("subclasses", (), lost=_lost(context, subject, (CLASS,)))
    items: list[Item] = []
    sites: list[UnresolvedSite] = []
    for one in found:
        place = (one.file, one.scope)
        for klass, (rank, _, direct) in below(context.engine, place).items():
            line = context.table(klass[0]).scope(klass[1]).header_line
            confidence = (CERTAIN, LIKELY, "possible")[rank]
            items.append(Item(context.engine.qualified(*klass), klass[0], line, confidence, direct))
        known = {(item.file, item.line) for item in items}
        sites += [site for site in open_subclasses(context, place) if (site.file, site.line) not in known]
    home = context.lines((one.file, one.line) for one in found)
    return Members(f"subclasses of {subject}", tuple(items), tuple(sites), None, home)


def _enum(context: Context, subject: str) -> Members:
    found = context.definitions(subject, (CLASS,))
    if not found:
        return Members("members", (), lost=_lost(context, subject, (CLASS,)))
    home = context.lines((one.file, one.line) for one in found)
    for one in found:
        rows = enum_member_rows(context, one)
        if rows is None:
            told = f"{one.name} is no enumeration whose members can be read"
            return Members("members", (), lost=undecided("no enumeration", told, home))
        items = [Item(f"{one.name}.{name}", one.file, line) for name, line in rows.items()]
    return Members(f"members of {subject}", tuple(items), (), None, home)


def _callees(context: Context, subject: str) -> Members:
    from codemap.claims.checking.calling import codes_of, edges_in, open_calls
    from codemap.queries.targets import name_of

    code = codes_of(context, subject)
    if code.lost is not None:
        return Members("callees", (), lost=code.lost)
    items: list[Item] = []
    sites: list[UnresolvedSite] = []
    for codes in code.groups:
        for edge in edges_in(context, codes):
            if edge.callee[0] in ("function", "class") and not str(edge.callee[1]).startswith("<"):
                confidence = (CERTAIN, LIKELY, "possible")[edge.rank]
                items.append(Item(name_of(context.engine, edge.callee), edge.file, edge.line, confidence))
        sites += open_calls(context, codes, "")
    return Members(f"callees of {subject}", tuple(items), tuple(sites))


_SETS: Final[dict[str, Callable[[Context, str], Members]]] = {
    "callers_are": _callers,
    "writers_are": _writers,
    "readers_are": _readers,
    "subclasses_are": _subclasses,
    "enum_members": _enum,
    "only_callees": _callees,
}


# --- the claim's list ------------------------------------------------------------------------------------------------
def set_claim(context: Context, claim: Claim) -> Finding:
    """`callers_are` and its like: each candidate of the subject has its set."""
    if claim.quantifier == COUNT:
        return count(context, claim._replace(kind="count", args={**claim.args, "of": claim.kind}))
    names = listed(claim.object)
    if claim.kind == "callers_are" and not names:
        return unused(context, claim)
    subjects = _candidates(context, claim)
    if len(subjects) < 2:
        return _listed(context, claim, members_of(context, claim.kind, claim.subject), names)
    return context.each(
        subjects,
        lambda one: _listed(context, claim, members_of(context, claim.kind, _place(one)), names),
        claim.subject,
    )


def _candidates(context: Context, claim: Claim) -> list[Definition]:
    kinds: tuple[str, ...] = ()
    if claim.kind in ("subclasses_are", "enum_members"):
        kinds = (CLASS,)
    elif claim.kind in ("callers_are", "only_callees"):
        kinds = (FUNCTION, METHOD, CLASS)
    return context.definitions(claim.subject, kinds)


def _place(one: Definition) -> str:
    """A NAME that means one definition only."""
    return (
        f"{one.file}:{one.line}:{one.column + 1}"
        if one.kind not in (CLASS, FUNCTION, METHOD)
        else f"{one.file}:{one.line}"
    )


def _listed(context: Context, claim: Claim, found: Members, names: list[str]) -> Finding:
    if found.lost is not None:
        return found.lost
    unknown: list[str] = []
    covers = {name: _cover(context, name, unknown, claim.kind) for name in names}
    for name in unknown:
        if claim.quantifier != NONE:
            lost = context.no_such_file(name) if looks_like_path(name) else context.missing(name)
            if lost.verdict == "refuted":
                return lost._replace(counter=(*found.home, *lost.counter))
            return lost
    covered: dict[str, list[Item]] = {name: [] for name in names}
    extra: list[Item] = []
    for item in found.items:
        fitting = [name for name in names if covers[name](item)]
        for name in fitting:
            covered[name].append(item)
        if not fitting:
            extra.append(item)
    least = claim.min_confidence or LIKELY
    sure = [item for item in extra if sure_enough(item.confidence, LIKELY)]
    missing = [name for name in names if not any(sure_enough(one.confidence, least) for one in covered[name])]
    inside = [item for rows in covered.values() for item in rows]
    evidence = _lines(context, inside) or found.home
    if claim.quantifier == NONE:
        return _none_of(context, found, inside, names)
    if claim.quantifier != SOME:
        if sure and claim.kind == "subclasses_are" and not claim.args.get("direct"):
            if not missing and not [item for item in sure if item.direct]:
                told = f"directly only {', '.join(names)}, but {_names(sure)} through them"
                return ambiguous("indirect subclasses", told, _lines(context, sure))
        if claim.args.get("direct"):
            sure = [item for item in sure if item.direct]
            extra = [item for item in extra if item.direct]
        if sure:
            told = f"{found.what}: {_names(sure)} too"
            if missing and claim.kind == "enum_members":
                told += f", and no {', '.join(missing)}"
            return refuted("one more", told, _lines(context, sure), _names(found.items))
    if missing:
        weak = [item for name in missing for item in covered[name]]
        if weak:
            return ambiguous(
                "possible",
                f"{', '.join(missing)}: only possibly among the {found.what}",
                _lines(context, weak),
            )
        told = f"{', '.join(missing)}: not among the {found.what}"
        rows = _lines(context, found.items) or found.home
        finding = refuted("one less", told, rows, _names(found.items))
        return context.closed(finding._replace(open=found.open))
    if claim.quantifier == SOME:
        return verified("members", f"{found.what}: {_names(inside)}", evidence)
    if extra:
        told = f"{found.what}: perhaps {_names(extra)} too"
        return ambiguous("possible", told, _lines(context, extra))
    finding = verified(
        "whole set", f"{found.what}: {_names(inside)}, and no others", evidence, open=found.open
    )
    if claim.kind == "enum_members":
        return finding
    return context.closed(finding)


def _none_of(context: Context, found: Members, inside: list[Item], names: list[str]) -> Finding:
    sure = [item for item in inside if sure_enough(item.confidence, LIKELY)]
    if sure:
        return refuted("member", f"{found.what}: {_names(sure)}", _lines(context, sure))
    if inside:
        return ambiguous("possible", f"{found.what}: perhaps {_names(inside)}", _lines(context, inside))
    told = f"none of {', '.join(names)} is among the {found.what}"
    evidence = found.home or _lines(context, found.items)
    return context.closed(verified("no member", told, evidence, open=found.open))


def _lines(context: Context, items: Sequence[Item]) -> tuple[Line, ...]:
    return context.lines((item.file, item.line) for item in items)


def _names(items: Sequence[Item]) -> str:
    names = list(dict.fromkeys(item.name for item in items))
    return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "") or "none"


def _cover(context: Context, name: str, unknown: list[str], kind: str) -> Callable[[Item], bool]:
    """Whether a member of the list covers an item: it is it, or it contains it."""
    name = name.strip().removesuffix("()")
    if kind == "enum_members":
        return lambda item: last_part(item.name) == last_part(name)
    if looks_like_path(name):
        files = set(context.files(name))
        folder = "" if files else context.folder(name)
        if not files and not folder:
            unknown.append(name)
        return lambda item: item.file in files or bool(folder and item.file.startswith(folder + "/"))
    found = context.definitions(name, (CLASS, FUNCTION, METHOD, MODULE))
    whole = {one.name for one in found}
    if not whole:
        folder = context.folder(name)
        if folder:
            return lambda item: item.file.startswith(folder + "/")
        unknown.append(name)
    modules = {one.name for one in found if one.kind == MODULE and one.file.endswith("__init__.py")}
    return lambda item: (
        item.name in whole
        or any(item.name.startswith(one + ".") for one in whole - modules)
        or any(item.name == one or item.name.startswith(one + ".") for one in modules)
    )


# --- unused ----------------------------------------------------------------------------------------------------------
def unused(context: Context, claim: Claim) -> Finding:
    """Refuted by any reference; verified only where nothing else could use it."""
    from codemap.queries.describe import describe
    from codemap.queries.family import Family
    from codemap.queries.references import refs

    found = context.definitions(claim.subject)
    if not found:
        return context.missing(claim.subject)
    if len(found) > 1:
        return context.each(
            found, lambda one: unused(context, claim._replace(subject=_place(one))), claim.subject
        )
    one = found[0]
    here = context.at(one)
    answer = refs(context.engine, claim.subject)
    rows = [row for row in answer.results if row["role"] != "definition"]
    uses = [row for row in rows if row["role"] != "string" and sure_enough(row["confidence"], LIKELY)]
    calls = callers(context.engine, claim.subject) if one.kind in (FUNCTION, METHOD, CLASS) else None
    called = [row for row in calls.results if sure_enough(row["confidence"], LIKELY)] if calls else []
    outside = [row for row in uses if not (row["file"] == one.file and row["name"].startswith(one.name))]
    if outside or called:
        places = [(row["file"], row["line"]) for row in (*called, *outside)]
        return refuted("used", f"{one.name} is used {counted(len(places), 'time')}", context.lines(places))
    if rows or (calls and calls.results):
        places = [(row["file"], row["line"]) for row in (*rows, *(calls.results if calls else ()))]
        return undecided("perhaps used", f"{one.name} may be used", context.lines(places))
    why = ""
    matches = context.matches(claim.subject)
    card = describe(context.program, matches[0])
    name = last_part(one.name)
    if card["decorators"]:
        why = f"its decorator {card['decorators'][0]} may use it"
    elif name.startswith("__") and name.endswith("__"):
        why = "Python itself calls it"
    elif one.kind == METHOD:
        klass = context.engine.class_definition(one.file, one.owner)
        family = Family(context.engine, klass, name)
        place = (one.file, one.owner)
        if any(family.in_body(base) for base in context.engine.mro(*place)[1:]):
            why = "it overrides a method of a base"
        elif context.engine.outside_bases(*place):
            why = f"the base {context.engine.outside_bases(*place)[0]} may call it"
    if not why:
        strings = sorted(context.program.bearing(name, facts.ROLE_STRING))
        if strings:
            why = f"its name stands in a string of {strings[0]}"
    if why:
        return undecided("perhaps used", f"no reference of {one.name} is known, but {why}", [here])
    sites = {*answer.unresolved, *(calls.unresolved if calls else ())}
    return context.closed(
        verified("no reference", f"nothing refers to {one.name}", [here], open=tuple(sorted(sites)))
    )


# --- counts ------------------------------------------------------------------------------------------------------------
def count(context: Context, claim: Claim) -> Finding:
    """The size of a set; call sites unless the claim says functions."""
    try:
        number = int(str(claim.object))
    except ValueError:
        return undecided("no number", f"{claim.object} is no number")
    of = str(claim.args.get("of", ""))
    kind = COUNTED.get(of, of)
    if kind in _SETS:
        subjects = _candidates(context, claim._replace(kind=kind))
        if len(subjects) < 2:
            return _counted(context, claim, members_of(context, kind, claim.subject), number, kind)
        return context.each(
            subjects,
            lambda one: _counted(context, claim, members_of(context, kind, _place(one)), number, kind),
            claim.subject,
        )
    found = _plain_sets(context, claim, kind)
    if isinstance(found, Finding):
        return found
    return _counted(context, claim, found, number, kind)


def _counted(context: Context, claim: Claim, found: Members, number: int, kind: str) -> Finding:
    if found.lost is not None:
        return found.lost
    functions = bool(claim.args.get("functions")) or str(claim.args.get("unit", "")).startswith("function")
    items = list(found.items)
    if kind == "subclasses_are" and claim.args.get("direct"):
        items = [item for item in items if item.direct]

    def size(rows: Sequence[Item]) -> int:
        if functions or kind in ("subclasses_are", "enum_members"):
            return len({row.name for row in rows})
        return len({(row.file, row.line, row.name) for row in rows})

    sure = size([item for item in items if sure_enough(item.confidence, LIKELY)])
    whole = size(items)
    told = f"{found.what}: {sure}" + (f", perhaps {whole}" if whole != sure else "")
    lines = _lines(context, items) or found.home
    if kind == "subclasses_are" and not claim.args.get("direct") and sure == whole:
        direct = size([item for item in items if item.direct])
        if direct != whole and number in (direct, whole):
            return ambiguous("direct or all", f"{found.what}: {direct} direct, {whole} in all", lines)
    if not functions and kind in ("callers_are", "writers_are", "readers_are", "only_callees"):
        names = len({item.name for item in items})
        if number == names != sure and sure == whole:
            return ambiguous("sites or functions", f"{told} sites in {names} functions", lines)
    if number < sure or number > whole + len(found.open):
        finding = refuted("count", told, lines, str(sure))
        if number > whole and context.broken:
            return context.closed(finding)
        return finding
    if number == sure == whole:
        finding = verified("count", told, lines, open=found.open)
        return finding if kind in _OWN else context.closed(finding)
    if number > whole:
        return undecided(
            "open sites", f"{told}; {counted(len(found.open), 'site')} open", lines, open=found.open
        )
    return ambiguous("possible members", told, lines)


_OWN: Final = frozenset(
    {
        "enum_members",
        "lines",
        "parameters",
        "methods",
        "fields",
        "bases",
        "mixins",
        "imports",
        "classes",
        "functions",
    }
)


def _plain_sets(context: Context, claim: Claim, kind: str) -> Members | Finding:
    """Sets that one file or one class states by itself."""
    name = claim.subject
    if kind in ("lines", "imports", "classes", "functions"):
        files = context.files(name)
        if len(files) != 1:
            found = context.definitions(name, (MODULE,))
            files = files or tuple({one.file for one in found})
        if not files:
            return context.no_such_file(name)
        if len(files) > 1:
            return ambiguous(
                "several files", f"{name} may be {', '.join(files[:4])}", context.lines((f, 1) for f in files)
            )
        view = context.program.view(files[0])
        if kind == "lines":
            rows = [Item(f"line {n}", files[0], n) for n in range(1, view.outline.lines + 1)]
        elif kind == "imports":
            rows = [Item(f"{r.module}.{r.name}", files[0], r.line) for r in view.outline.imports]
        else:
            wanted = facts.CLASS if kind == "classes" else facts.FUNCTION
            rows = [
                Item(view.qualified(n), files[0], scope.header_line)
                for n, scope in enumerate(view.outline.scopes)
                if scope.kind == wanted
                and (kind == "classes" or view.outline.scopes[scope.parent].kind == facts.MODULE)
            ]
        return Members(f"{kind} of {files[0]}", tuple(rows), (), None, context.lines([(files[0], 1)]))
    if kind == "parameters":
        from codemap.claims.checking.functions import functions_meant

        functions, lost = functions_meant(context, claim)
        if lost is not None:
            return lost
        if len(functions) > 1:
            lines = context.lines((f.file, f.line) for f in functions)
            return ambiguous("several candidates", f"{name} may be several functions", lines)
        one = functions[0]
        rows = [Item(p.name, one.file, p.line) for p in context.table(one.file).parameters(one.scope)]
        if one.kind == METHOD and rows and rows[0].name in ("self", "cls"):
            rows = rows[1:]
        return Members(f"parameters of {one.name}", tuple(rows), (), None, (context.at(one),))
    classes = [one for one in context.definitions(name, (CLASS,)) if one.scope >= 0]
    if kind == "references":
        from codemap.queries.references import refs

        answer = refs(context.engine, name)
        rows = [
            Item(r["name"], r["file"], r["line"], r["confidence"])
            for r in answer.results
            if r["role"] != "definition"
        ]
        return Members(f"references of {name}", tuple(rows), answer.unresolved)
    if kind == "overrides":
        from codemap.queries.hierarchy import overrides

        answer = overrides(context.engine, name)
        if answer.status == "not_found":
            return context.missing(name)
        rows = [Item(r["name"], r["file"], r["line"], r["confidence"]) for r in answer.results]
        home = context.lines((d.file, d.line) for d in context.definitions(name))
        return Members(f"overrides of {name}", tuple(rows), (), None, home)
    if not classes:
        return _lost(context, name, (CLASS,))
    if len(classes) > 1:
        lines = context.lines((one.file, one.line) for one in classes)
        return ambiguous("several candidates", f"{name} may be {counted(len(classes), 'class')}", lines)
    klass = classes[0]
    view = context.program.view(klass.file)
    home = (context.at(klass),)
    if kind in ("bases", "mixins"):
        rows = [
            Item(base, klass.file, klass.line) for base, _ in direct_bases(context, (klass.file, klass.scope))
        ]
        if kind == "mixins":
            rows = [row for row in rows if "Mixin" in row.name]
        return Members(f"{kind} of {name}", tuple(rows), (), None, home)
    if kind == "methods":
        rows = [
            Item(b.name, klass.file, b.line) for b in view.outline.bindings
            if b.scope == klass.scope and b.kind == facts.FUNCTION_DEF
        ]  # fmt: skip
        return Members(f"methods of {name}", _by_name(rows), (), None, home)
    if kind == "fields":
        rows = [
            Item(b.name, klass.file, b.line) for b in view.outline.bindings
            if b.scope == klass.scope and b.kind in (facts.ASSIGN, facts.ANNOTATED, facts.DECLARED)
        ]  # fmt: skip
        return Members(f"fields of {name}", _by_name(rows), (), None, home)
    return undecided("unknown set", f"{kind} is no set that is known")


def _by_name(rows: list[Item]) -> tuple[Item, ...]:
    return tuple({row.name: row for row in reversed(rows)}.values())[::-1]


__all__ = ["ALL", "ends_with", "members_of", "set_claim", "unused"]
