# From what a person wrote to the definitions it means. In this order: a place, the qualified name exactly (through
# imports and inheritance), any suffix of a qualified name, and at last a name that only imports bear.
# See docs/decisions/names-matching.md.
from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from codemap.model import facts
from codemap.model.answers import CERTAIN, LIKELY, POSSIBLE
from codemap.model.facts import (
    ROLE_BIND,
    ROLE_CLASS,
    ROLE_DEFINE,
    ROLE_IMPORT,
    ROLE_STORE,
    Binding,
)
from codemap.resolve.attributes import attribute_of, binding_of, follow_alias, lookup_attribute
from codemap.resolve.classes import class_outcome, first_store
from codemap.resolve.flow import Entry, Outcome
from codemap.resolve.modules import follow_entries, how_bound, module_outcome, own_attribute
from codemap.resolve.names import local_bindings, local_name
from codemap.resolve.naming import definition_of, module_definition, store_definition
from codemap.resolve.program import Program
from codemap.resolve.records import (
    ATTRIBUTE,
    CLASS,
    EXTERNAL,
    FUNCTION,
    METHOD,
    MODULE,
    Definition,
    Found,
    Reason,
    Resolution,
    Step,
)
from codemap.resolve.views import View

_STATEMENTS: Final = (CLASS, FUNCTION, METHOD, MODULE)


class Match(NamedTuple):
    """One definition that a NAME means. `shadowed_by` is the binding that replaces it; `lead` the place of the
    definition that it accompanies (overload stubs, setters, replaced definitions), None for what it means itself."""

    definition: Definition
    confidence: str
    how: str
    guard: str = ""
    trail: tuple[Step, ...] = ()
    shadowed_by: Binding | None = None
    lead: tuple[str, int] | None = None


class Matches(NamedTuple):
    """What a NAME means, in the order of the answer, and why some of it is not known."""

    matches: tuple[Match, ...] = ()
    reasons: tuple[Reason, ...] = ()


def match_name(program: Program, text: str, kinds: Sequence[str] = ()) -> Matches:
    """The definitions that a qualified name, a suffix of one or `file.py` means, of these kinds (() for all)."""
    parts = text.strip().split(".")
    if text.endswith((".py", ".pyi")):
        return _arranged(_modules(program, program.modules.paths_matching(text)), (), kinds)
    if not all(parts):
        return Matches()
    exact = _exact(program, parts)
    found = _of_kinds(program, exact.matches, kinds)
    if not found or len(parts) == 1:
        found += _of_kinds(program, _suffix(program, parts, kinds), kinds)
    reasons = exact.reasons
    if not found:
        imported = _imported(program, parts)
        reasons += imported.reasons
        found = _of_kinds(program, imported.matches, kinds)
    return _arranged(found, reasons, ())


def _arranged(found: Iterable[Match], reasons: tuple[Reason, ...], kinds: Sequence[str]) -> Matches:
    """Each definition once, in path and line order, with what it replaces or is made of behind it."""
    best: dict[Definition, Match] = {}
    for match in found:
        if kinds and match.definition.kind not in kinds:
            continue
        known = best.get(match.definition)
        if known is None or (known.lead is not None and match.lead is None):
            best[match.definition] = match
    rows = sorted(best.values(), key=_position)
    return Matches(tuple(rows), tuple(sorted(set(reasons))))


def _position(match: Match) -> tuple[object, ...]:
    own = (match.definition.file, match.definition.line)
    return (match.lead or own, match.lead is not None, own, match.definition.column, match.definition.name)


def _of_kinds(program: Program, found: Iterable[Match], kinds: Sequence[str]) -> list[Match]:
    """The matches of some kinds; a variable that is another name for such a definition leads to it."""
    chosen: list[Match] = []
    for match in found:
        definition = match.definition
        if definition.kind not in _STATEMENTS and match.shadowed_by is None:
            aliases = [
                item
                for item in follow_alias(program, definition).found
                if item.definition.kind in _STATEMENTS
            ]
            here = (definition.file, definition.line)
            for item in aliases:
                if not kinds or item.definition.kind in kinds:
                    here = (item.definition.file, item.definition.line)
                    chosen.append(_match(item))
            if aliases and (not kinds or definition.kind in kinds):
                chosen.append(match._replace(lead=here))
                continue
        if not kinds or definition.kind in kinds:
            chosen.append(match)
    return chosen


def _match(item: Found) -> Match:
    return Match(item.definition, item.confidence, item.how, item.guard, item.trail)


def _inside(found: Iterable[Found]) -> list[Found]:
    return [item for item in found if item.definition.kind != EXTERNAL]


def _modules(program: Program, paths: Iterable[str]) -> list[Match]:
    return [
        Match(Definition(MODULE, program.modules.module_of(path), path, 1, 0, -1, 0), CERTAIN, "module")
        for path in paths
    ]


# --- the qualified name exactly ------------------------------------------------------------------------------------
def _exact(program: Program, parts: list[str]) -> Matches:
    reasons: tuple[Reason, ...] = ()
    for count in range(len(parts), 0, -1):
        module = module_definition(program, ".".join(parts[:count]))
        if module is None:
            continue
        if count == len(parts):
            return Matches(tuple(_module_or_symbol(program, module)))
        found = walk(program, [Match(module, CERTAIN, "module")], parts[count:])
        if found.matches:
            return found
        reasons += found.reasons
    return Matches((), reasons)


def _module_or_symbol(program: Program, module: Definition) -> list[Match]:
    """A module, behind the symbol that hides it as an attribute of its package, if there is one."""
    plain = Match(module, CERTAIN, "module")
    package, _, last = module.name.rpartition(".")
    parent = module_definition(program, package) if package else None
    if parent is None or parent.scope < 0:
        return [plain]
    view = program.view(parent.file)
    found = [
        item
        for item in _inside(own_attribute(program, view, last, outside=True).found)
        if item.definition != module
    ]
    state = module_outcome(program, view, last, imported=True)
    if not found or not state.survivors:
        return [plain]
    lead = min((item.definition.file, item.definition.line) for item in found)
    hidden = plain._replace(how="import path", shadowed_by=state.survivors[-1].binding, lead=lead)
    return [*map(_match, found), hidden]


def walk(program: Program, heads: Iterable[Match], parts: Sequence[str]) -> Matches:
    """What the attributes `parts`, one after another, of some definitions are."""
    current = list(heads)
    reasons: list[Reason] = []
    for position, part in enumerate(parts):
        last = position + 1 == len(parts)
        following: list[Match] = []
        for head in current:
            if head.shadowed_by is not None or head.lead is not None:
                continue
            found, more = _attribute(program, head, part)
            reasons += more
            following += found
            if last:
                following += _companions(program, head.definition, part, found)
        current = following
    return Matches(tuple(current), tuple(reasons))


def _attribute(program: Program, head: Match, name: str) -> tuple[list[Match], tuple[Reason, ...]]:
    definition = head.definition
    if definition.kind in (FUNCTION, METHOD):
        answer = local_name(program, program.view(definition.file), definition.scope, name)
    else:
        start = Found(definition, head.confidence, head.how, head.guard, head.trail)
        answer = attribute_of(program, Resolution((start,)), name, definition.kind == MODULE)
    inside = _inside(answer.found)
    if not inside:
        outside = stored_from_outside(program, definition, name)
        if outside:
            return outside[:1], ()
    return [_match(item) for item in inside], answer.reasons


# --- what comes along with a definition ----------------------------------------------------------------------------
def _companions(program: Program, owner: Definition, name: str, found: list[Match]) -> list[Match]:
    """Replaced definitions of `owner.name`, and whatever else makes up the definitions found."""
    lead = min(((match.definition.file, match.definition.line) for match in found), default=None)
    rows: list[Match] = []
    if owner.kind in (MODULE, CLASS) and owner.scope >= 0:
        view = program.view(owner.file)
        rows += _along(view, _state(program, view, owner.scope, name), lead)
    for match in found:
        definition = match.definition
        if definition.binding >= 0 and definition.owner >= 0:
            view = program.view(definition.file)
            if view.outline.scopes[definition.owner].kind in (facts.MODULE, facts.CLASS):
                last = definition.name.rpartition(".")[2]
                rows += _along(view, _state(program, view, definition.owner, last), lead)
    return rows


def _state(program: Program, view: View, scope: int, name: str) -> Outcome:
    return module_outcome(program, view, name) if scope == 0 else class_outcome(view, scope, name)


def _along(view: View, state: Outcome, lead: tuple[str, int] | None) -> list[Match]:
    rows: list[Match] = []
    for entry in (*state.survivors, *state.replaced):
        for number in entry.together:
            binding = view.outline.bindings[number]
            definition = definition_of(view, binding, number)
            at = lead or (view.path, entry.binding.line)
            stub = "overload" in [text.rpartition(".")[2] for text in view.decorators(binding)]
            rows.append(
                Match(definition, POSSIBLE if stub else LIKELY, "overload" if stub else "accessor", lead=at)
            )
    for entry in state.replaced:
        if entry.binding.kind != facts.IMPORT:
            definition = definition_of(view, entry.binding, entry.number)
            at = lead or (view.path, definition.line)
            rows.append(Match(definition, POSSIBLE, how_bound(entry), entry.guard, (), entry.by, at))
    for entry in state.dead:
        if entry.binding.kind not in (facts.IMPORT, facts.DELETE):
            definition = definition_of(view, entry.binding, entry.number)
            rows.append(Match(definition, POSSIBLE, "dead code", entry.guard, (), None, lead))
    return rows


# --- a suffix of a qualified name -----------------------------------------------------------------------------------
def _suffix(program: Program, parts: list[str], kinds: Sequence[str]) -> list[Match]:
    found = defined_as(program, parts, kinds)
    if not kinds or MODULE in kinds:
        found += _modules(program, program.modules.paths_matching(".".join(parts)))
    if len(parts) > 1:
        heads = [
            head
            for head in _suffix(program, parts[:-1], ())
            if head.lead is None
            and head.shadowed_by is None
            and _may_have(program, head.definition, parts[-1])
        ]
        found += walk(program, heads, parts[-1:]).matches
    return found


def _may_have(program: Program, head: Definition, name: str) -> bool:
    """Whether it is worth while to look for the attribute `name` of a definition."""
    if head.kind == MODULE:
        return head.scope == 0 and program.may_expose(head.file, name)
    if head.kind in (CLASS, FUNCTION, METHOD):
        return True
    binding = binding_of(program, head)
    return binding is not None and bool(binding.aliases or binding.callee)


def defined_as(program: Program, parts: Sequence[str], kinds: Sequence[str] = ()) -> list[Match]:
    """Definitions of modules and classes whose qualified name ends in these parts."""
    last = parts[-1]
    roles = ROLE_DEFINE | ROLE_CLASS | ROLE_BIND | ROLE_STORE
    if kinds and not {"method", "attribute", "constant", "class"} & set(kinds):
        roles = ROLE_DEFINE | ROLE_BIND
    elif tuple(kinds) == (CLASS,):
        roles = ROLE_CLASS | ROLE_BIND
    found: list[Match] = []
    for path in sorted(program.mentioning(last, roles)):
        view = program.view(path)
        for scope in view.owners(last):
            if _ends_with(view.qualified(scope), parts[:-1]):
                found += definitions_in(program, view, scope, last)
        found += _in_functions(program, view, parts)
        if not kinds or ATTRIBUTE in kinds:
            found += _stored_in(program, view, parts)
    return found


def _in_functions(program: Program, view: View, parts: Sequence[str]) -> list[Match]:
    """Classes and functions that functions define for themselves; their other locals count only behind them."""
    scopes = view.outline.scopes
    homes: set[int] = set()
    for row in scopes:
        if row.name == parts[-1] and row.kind in (facts.CLASS, facts.FUNCTION):
            home = row.parent
            while scopes[home].kind == facts.TYPE_PARAMETERS:
                home = scopes[home].parent
            homes.add(home)
    found: list[Match] = []
    for home in sorted(homes):
        if scopes[home].kind == facts.FUNCTION and _ends_with(view.qualified(home), parts[:-1]):
            found += [
                _match(item)
                for item in local_name(program, view, home, parts[-1]).found
                if item.definition.owner == home and item.definition.kind in (CLASS, FUNCTION)
            ]
    return found


def _ends_with(qualified: str, parts: Sequence[str]) -> bool:
    return not parts or qualified.split(".")[-len(parts) :] == list(parts)


def definitions_in(program: Program, view: View, scope: int, name: str) -> list[Match]:
    """The definitions that one module or class scope makes of a name (what it imports is none)."""
    state = _state(program, view, scope, name)
    cap = LIKELY if view.outline.recovered else CERTAIN
    found: list[Match] = []
    for entry in state.survivors:
        if entry.binding.kind != facts.IMPORT:
            declared = (
                entry.binding.kind == facts.DECLARED and scope == 0
            )  # no value: something else must give it
            confidence = cap if entry.sure and not declared else LIKELY
            found.append(_defined(view, entry, confidence))
    if not state.survivors:
        found += [
            _defined(view, entry, LIKELY) for entry in state.typing if entry.binding.kind != facts.IMPORT
        ]
    if not found and scope == 0 and not state.survivors and state.deleted is None:
        found += [
            _match(item)
            for item in _inside(own_attribute(program, view, name, outside=True).found)
            if item.definition.file == view.path and not item.trail
        ]
    lead = min(((match.definition.file, match.definition.line) for match in found), default=None)
    return found + _along(view, state, lead)


def _defined(view: View, entry: Entry, confidence: str) -> Match:
    return Match(definition_of(view, entry.binding, entry.number), confidence, how_bound(entry), entry.guard)


def _stored_in(program: Program, view: View, parts: Sequence[str]) -> list[Match]:
    """Attributes that methods store on `self`, of classes that do not declare them in their body."""
    name = parts[-1]
    scopes = {
        view.enclosing_class(view.outline.stores[number].scope)
        for number in view.stores(name)
        if view.outline.stores[number].first_parameter
    }
    found: list[Match] = []
    for scope in sorted(scopes - {-1}):
        if view.bindings(scope, name) or not _ends_with(view.qualified(scope), parts[:-1]):
            continue
        number = first_store(view, scope, name)
        if number >= 0:
            klass = Definition(CLASS, view.qualified(scope), view.path, scope=scope)
            confidence = LIKELY if view.outline.recovered else CERTAIN
            found.append(Match(store_definition(view, klass, number), confidence, "assignment"))
    return found


# --- names that only imports bear, attributes that only other code sets ------------------------------------------------
def _imported(program: Program, parts: Sequence[str]) -> Matches:
    """What modules whose dotted name ends in `parts[:-1]` import under the name `parts[-1]`."""
    last = parts[-1]
    found: list[Match] = []
    outside: dict[str, Reason] = {}
    for path in sorted(program.mentioning(last, ROLE_IMPORT)):
        view = program.view(path)
        rows = [row for row in view.outline.imports if row.bound == last]
        if not rows or not _ends_with(view.module, parts[:-1]):
            continue
        found_there, reasons = follow_entries(
            program, view, list(module_outcome(program, view, last).survivors)
        )
        if not found_there:
            answer = own_attribute(program, view, last, outside=True)
            found_there, reasons = list(answer.found), list(answer.reasons)
        inside = _inside(found_there)
        found += map(_match, inside)
        for item in found_there:
            if item.definition.kind == EXTERNAL and not inside:
                text = next((reason.text for reason in reasons), "outside the tree")
                outside.setdefault(
                    item.definition.name, Reason(item.definition.name, path, rows[0].line, text)
                )
    return Matches(tuple(found), tuple(outside.values()))


def stored_from_outside(program: Program, owner: Definition, name: str) -> list[Match]:
    """`Valve.added = 5` in code that is no method of Valve: attributes that other code hangs onto a definition."""
    if owner.kind not in (CLASS, MODULE, FUNCTION, METHOD):
        return []
    from codemap.queries.patches import patches_of

    found: list[Match] = []
    for patch in patches_of(program, owner, name):
        place = Definition(
            "attribute", f"{owner.name}.{name}", patch.file, patch.line, patch.column, owner.scope
        )
        found.append(Match(place, LIKELY, "set from outside"))
    return found


__all__ = [
    "Match",
    "Matches",
    "defined_as",
    "definitions_in",
    "local_bindings",
    "lookup_attribute",
    "match_name",
    "walk",
]
