# `subclasses` and `overrides`: the class hierarchy as class statements, registrations and protocols make it.
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from codemap.inference.hierarchy import direct_subclasses
from codemap.inference.values import CERTAIN, CLASS, LIKELY, POSSIBLE
from codemap.model import facts
from codemap.model.answers import CONFIDENCES, Answer
from codemap.queries.definitions import matches_of, status_of, unresolved
from codemap.queries.family import Family, Klass
from codemap.queries.subjects import subjects
from codemap.resolve.attributes import bases_of
from codemap.resolve.records import CLASS as CLASS_KIND
from codemap.semantic import expressions as op

if TYPE_CHECKING:
    from codemap.inference.engine import Engine

_PROTOCOLS = frozenset({"typing.Protocol", "typing_extensions.Protocol"})


def subclasses(engine: Engine, name: str) -> Answer:
    """The subclasses of a class: by statement, by `ABC.register` (likely), by having a protocol's members (possible)."""
    matches = matches_of(engine.names, name, (CLASS_KIND,))
    found: dict[Klass, dict[str, Any]] = {}
    for match in matches.matches:
        if match.lead is None and match.definition.scope >= 0:
            root = (match.definition.file, match.definition.scope)
            for klass, (rank, how, direct) in below(engine, root).items():
                found.setdefault(klass, _class_result(engine, klass, rank, how, direct))
    return _answer(engine, "subclasses", name, matches, list(found.values()))


def below(engine: Engine, root: Klass) -> dict[Klass, tuple[int, str, bool]]:
    """Every subclass with its rank, the rule and whether it is a direct one."""
    found: dict[Klass, tuple[int, str, bool]] = {}
    work: list[tuple[Klass, int]] = [(root, CERTAIN)]
    while work:
        parent, rank = work.pop(0)
        rows = [(one, _certainty(engine, one, parent), "base") for one in direct_subclasses(engine, *parent)]
        rows += [(one, LIKELY, "register") for one in _registered(engine, parent)]
        for one, least, how in rows:
            if one == root:
                continue
            entry = (max(rank, least), how, parent == root)
            known = found.get(one)
            if known is None or entry[0] < known[0]:
                work.append((one, entry[0]))
            if known is None or (not entry[2], entry[0]) < (not known[2], known[0]):
                found[one] = entry
    for one in _structural(engine, root):
        found.setdefault(one, (POSSIBLE, "protocol", True))
    return dict(sorted(found.items()))


def _certainty(engine: Engine, klass: Klass, parent: Klass) -> int:
    """A base that may be one of several classes is likely."""
    for place in bases_of(engine.program, engine.class_definition(*klass)).places:
        if any((item.file, item.scope) == parent for item in place):
            return CERTAIN if len(place) == 1 else LIKELY
    return LIKELY


def _registered(engine: Engine, parent: Klass) -> list[Klass]:
    """`Parent.register(Child)` and `@Parent.register`, where Parent is an abstract class and register is ABCMeta's."""
    program = engine.program
    files = program.mentioning("register", facts.ROLE_CALL | facts.ROLE_ATTRIBUTE)
    name = engine.table(parent[0]).scope(parent[1]).name
    if Family(engine, engine.class_definition(*parent), "register").mine or not _is_abstract(engine, parent):
        return []
    found: list[Klass] = []
    for path in sorted(files & program.mentioning(name)):
        table = engine.table(path)
        for number in table.calls("register"):
            row = table.rows[number]
            callee = table.rows[row[3]]
            if callee[0] == op.ATTRIBUTE and row[4] and _is_class(engine, path, callee[3], parent):
                found += [
                    (value[1], value[2])
                    for value in engine.solver.solve("expression", path, row[4][0])
                    if value[0] == CLASS and not value[1].startswith("<")
                ]
        for statement in table.view.outline.classes:
            for value in statement.decorator_values:
                row = table.rows[value]
                if (
                    row[0] == op.ATTRIBUTE
                    and row[4] == "register"
                    and _is_class(engine, path, row[3], parent)
                ):
                    found.append((path, statement.scope))
    return sorted(set(found) - {parent})


def _is_abstract(engine: Engine, klass: Klass) -> bool:
    """Whether the class has ABCMeta for its metaclass, as far as is known."""
    for one in engine.mro(*klass):
        if one[0].startswith("<"):
            if engine.qualified(*one) == "abc.ABC":
                return True
            continue
        row = engine.program.view(one[0]).class_facts(one[1])
        if row is not None and any(
            key == "metaclass" and text.rpartition(".")[2] == "ABCMeta" for key, text in row.keywords
        ):
            return True
    return any(
        base.rpartition(".")[2] in ("ABC", "ABCMeta") for base in engine.outside_bases(*klass)
    ) or is_protocol(engine, klass)


def _is_class(engine: Engine, path: str, expression: int, klass: Klass) -> bool:
    return (CLASS, *klass) in engine.solver.solve("expression", path, expression)


def is_protocol(engine: Engine, klass: Klass) -> bool:
    """Whether the class statement itself names Protocol as a base."""
    if klass[0].startswith("<"):
        return False
    row = engine.program.view(klass[0]).class_facts(klass[1])
    return row is not None and any(text.rpartition(".")[2] == "Protocol" for text in row.bases)


def members_of_protocol(engine: Engine, klass: Klass) -> list[str]:
    """The names that a protocol and the protocols above it ask for."""
    found: dict[str, None] = {}
    for one in engine.mro(*klass):
        if is_protocol(engine, one):
            view = engine.program.view(one[0])
            found.update(dict.fromkeys(name for name in view.names(one[1]) if not _is_machinery(name)))
    return list(found)


def _is_machinery(name: str) -> bool:
    return name in ("__slots__", "__doc__", "__module__", "__init__")


def _structural(engine: Engine, protocol: Klass) -> list[Klass]:
    """Classes that have every member of a protocol without naming it as a base."""
    if not is_protocol(engine, protocol):
        return []
    names = members_of_protocol(engine, protocol)
    if not names:
        return []
    program = engine.program
    families = [Family(engine, engine.class_definition(*protocol), name) for name in names]
    roles = facts.ROLE_BIND | facts.ROLE_DEFINE | facts.ROLE_STORE
    rarest = min(names, key=lambda name: (len(program.mentioning(name, roles)), name))
    candidates: list[Klass] = []
    for path in sorted(program.mentioning(rarest, roles)):
        view = program.view(path)
        scopes = {one for one in view.owners(rarest) if view.outline.scopes[one].kind == facts.CLASS}
        scopes |= {
            view.enclosing_class(view.outline.stores[one].scope)
            for one in view.stores(rarest)
            if view.outline.stores[one].first_parameter
        }
        candidates += [(path, scope) for scope in sorted(scopes - {-1})]
    return [
        one
        for one in candidates
        if one != protocol
        and not is_protocol(engine, one)
        and protocol not in engine.mro(*one)
        and all(family.declarers(one) for family in families)
    ]


def overrides(engine: Engine, name: str) -> Answer:
    """The methods of subclasses that override a method; `direct` where no class between overrides it too."""
    matches = matches_of(engine.names, name)
    found: dict[Klass, dict[str, Any]] = {}
    for subject in subjects(engine, matches, name):
        owner = subject.owner
        if owner is None or owner.kind != CLASS_KIND or owner.scope < 0:
            continue
        for klass, (rank, how, direct, number) in overriding(
            engine, (owner.file, owner.scope), subject.name
        ).items():
            binding = engine.program.view(klass[0]).outline.bindings[number]
            found.setdefault(
                klass,
                {
                    "file": klass[0],
                    "line": binding.line,
                    "column": binding.column + 1,
                    "confidence": CONFIDENCES[rank],
                    "how": how,
                    "name": f"{engine.qualified(*klass)}.{subject.name}",
                    "direct": direct,
                },
            )
    return _answer(engine, "overrides", name, matches, list(found.values()))


def overriding(engine: Engine, root: Klass, name: str) -> dict[Klass, tuple[int, str, bool, int]]:
    """Subclasses whose body binds the name anew: rank, rule, direct, number of the binding that wins."""
    family = Family(engine, engine.class_definition(*root), name)
    home = family.mine
    if not home:
        return {}
    found: dict[Klass, tuple[int, str, bool, int]] = {}
    for klass in family.overriders(root):
        if klass in home:
            continue
        order = engine.mro(*klass)
        above = order[1 : order.index(root)]
        between = any(family.in_body(one) and root in engine.mro(*one) for one in above)
        found[klass] = (CERTAIN, "override", not between, _winner(engine, klass, name))
    if is_protocol(engine, root):
        for klass in _structural(engine, root):
            if family.in_body(klass):
                found.setdefault(klass, (POSSIBLE, "protocol", True, _winner(engine, klass, name)))
    registered = [one for one in below(engine, root).items() if one[1][1] == "register"]
    for klass, (rank, how, direct) in registered:
        if family.in_body(klass):
            found.setdefault(klass, (rank, how, direct, _winner(engine, klass, name)))
    return dict(sorted(found.items()))


def _winner(engine: Engine, klass: Klass, name: str) -> int:
    view = engine.program.view(klass[0])
    numbers = [
        one for one in view.bindings(klass[1], name) if view.outline.bindings[one].kind != facts.DELETE
    ]
    stubs = [
        one
        for one in numbers
        if any(
            text.rpartition(".")[2] in ("overload", "setter", "getter", "deleter")
            for text in view.decorators(view.outline.bindings[one])
        )
    ]
    plain = [one for one in numbers if one not in stubs]
    return (plain or numbers)[-1]


def _class_result(engine: Engine, klass: Klass, rank: int, how: str, direct: bool) -> dict[str, Any]:
    scope = engine.program.view(klass[0]).outline.scopes[klass[1]]
    return {
        "file": klass[0],
        "line": scope.line,
        "column": scope.column + 1,
        "confidence": CONFIDENCES[rank],
        "how": how,
        "name": engine.qualified(*klass),
        "direct": direct,
    }


def _answer(engine: Engine, command: str, name: str, matches: Any, rows: list[dict[str, Any]]) -> Answer:
    offered: tuple[str, ...] = ()
    status = status_of(matches.matches)
    if not matches.matches:
        from codemap.queries.suggestions import suggestions

        offered = suggestions(engine.names, name, (CLASS_KIND,) if command == "subclasses" else ())
    rows.sort(key=lambda row: (row["file"], row["line"], row["column"]))
    return Answer(
        command,
        name,
        engine.names.index.summary(),
        status,
        tuple(rows),
        tuple(unresolved(matches.reasons)) if not matches.matches else (),
        offered,
    )
