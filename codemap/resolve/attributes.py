# Attributes of what a name denotes: of modules, of classes with their bases, of variables that are other names
# for either. Bases are names themselves, so looking up dotted names, bases and members is one recursion.
from __future__ import annotations

from typing import Any, Final, NamedTuple

from codemap.model import facts
from codemap.model.answers import CERTAIN, LIKELY, weakest
from codemap.model.facts import Binding
from codemap.resolve.classes import own_member
from codemap.resolve.modules import lookup_attribute_of_module
from codemap.resolve.names import lookup_name
from codemap.resolve.naming import CLASS_FACTORIES, external
from codemap.resolve.program import Program
from codemap.resolve.records import (
    ATTRIBUTE,
    CLASS,
    CONSTANT,
    EXTERNAL,
    MODULE,
    NOTHING,
    VARIABLE,
    Definition,
    Found,
    Reason,
    Resolution,
)
from codemap.resolve.views import View
from codemap.semantic import expressions as op

# bases outside the tree that bring no public attribute with them
_BARE_BASES: Final = frozenset(
    {
        "builtins.object",
        "typing.Generic",
        "typing.Protocol",
        "typing_extensions.Protocol",
        "abc.ABC",
        "typing.NamedTuple",
        "collections.namedtuple",
    }
)


class Bases(NamedTuple):
    """The bases of one class statement in order: a base that may be several classes has several in its place,
    one that is not in the tree has none. `outside` are the names of those, `reasons` what could not be read."""

    places: tuple[tuple[Definition, ...], ...]
    outside: tuple[str, ...]
    reasons: tuple[Reason, ...]


class Mro(NamedTuple):
    """The method resolution order within the tree, the class itself first. `linear` is false where the bases
    have no consistent order (C3 fails) or where one base may be several classes."""

    classes: tuple[Definition, ...]
    outside: tuple[str, ...]
    reasons: tuple[Reason, ...]
    linear: bool


# --- dotted names ---------------------------------------------------------------------------------------------
def lookup_dotted(program: Program, view: View, scope: int, dotted: str, at: int | None = None) -> Resolution:
    """What a chain like `mod.Class.member`, read by code of `scope`, denotes."""
    first, *rest = dotted.split(".")
    answer = lookup_name(program, view, scope, first, at)
    done = first
    for part in rest:
        done = f"{done}.{part}"
        loaded = any(
            row.module == done or row.module.startswith(done + ".")
            for row in view.outline.imports
            if not row.level and not row.name
        )
        answer = attribute_of(program, answer, part, loaded)
    return answer


def attribute_of(program: Program, answer: Resolution, name: str, loaded: bool = False) -> Resolution:
    """The attribute of everything that a resolution found; `loaded` tells that a submodule is surely imported."""
    found: dict[Definition, Found] = {}
    reasons = list(answer.reasons)
    for item in answer.found:
        more = lookup_attribute(program, item.definition, name, loaded)
        if item.definition.kind != EXTERNAL:
            reasons += more.reasons
        for other in more.found:
            confidence = weakest(item.confidence, other.confidence)
            plain = other.how in ("definition", "assignment", "annotation", "submodule")
            how = item.how if plain and (item.trail or item.how == "alias") else other.how
            joined = other._replace(confidence=confidence, how=how, trail=item.trail + other.trail)
            found.setdefault(other.definition, joined)
    return Resolution(tuple(found.values()), tuple(dict.fromkeys(reasons)))


def lookup_attribute(program: Program, definition: Definition, name: str, loaded: bool = False) -> Resolution:
    """What `definition.name` denotes."""
    if definition.kind == MODULE:
        home = definition.file
        return lookup_attribute_of_module(program, definition.name, name, importing=loaded, near=home)
    if definition.kind == CLASS:
        return members_of_class(program, definition, name)
    if definition.kind == EXTERNAL:
        return Resolution((Found(external(f"{definition.name}.{name}"), how="external"),))
    if definition.kind in (ATTRIBUTE, CONSTANT, VARIABLE):
        target = follow_alias(program, definition)
        if target.found:
            return attribute_of(program, target, name)
    text = f"{definition.name} is a {definition.kind}, whose attributes are not known by name"
    return Resolution((), (Reason(name, definition.file, definition.line, text),))


def follow_alias(program: Program, definition: Definition) -> Resolution:
    """What a variable is another name for: `K = mod.Class`, `a if c else b`, an object that imports lazily."""
    if definition.binding < 0 or not definition.file:
        return NOTHING
    key = ("alias", definition)
    circle = Reason(definition.name, definition.file, definition.line, "defined by itself")
    return program.remember(key, lambda: _alias(program, definition), circle)


def binding_of(program: Program, definition: Definition) -> Binding | None:
    """The binding that made a definition; None for modules, `self` attributes and what is outside the tree."""
    if definition.binding < 0 or not definition.file:
        return None
    view = program.view(definition.file)
    if definition.owner >= 0 and view.outline.scopes[definition.owner].kind in (facts.MODULE, facts.CLASS):
        return view.outline.bindings[definition.binding]
    return program.body(definition.file).bindings[definition.binding]


def _alias(program: Program, definition: Definition) -> Resolution:
    view = program.view(definition.file)
    binding = binding_of(program, definition)
    if binding is None or binding.kind not in (facts.ASSIGN, facts.ANNOTATED, facts.TYPE_ALIAS, facts.WALRUS):
        return NOTHING
    if view.outline.scopes[binding.scope].kind not in (facts.MODULE, facts.CLASS):
        binding = _with_value(program, view, binding)
    found: dict[Definition, Found] = {}
    reasons: list[Reason] = []
    for chain in binding.aliases:
        at = binding.value if binding.value >= 0 else binding.order  # as the value is read: `b = a; del a`
        answer = lookup_dotted(program, view, binding.within, chain, at)
        reasons += answer.reasons
        for item in answer.found:
            deeper = follow_alias(program, item.definition).found or (item,)
            for other in deeper:
                confidence = weakest(
                    item.confidence, other.confidence, CERTAIN if len(binding.aliases) == 1 else LIKELY
                )
                trail = item.trail + (other.trail if other is not item else ())
                how = other.how if other.how == "lazy object" else "alias"
                found.setdefault(
                    other.definition, other._replace(confidence=confidence, how=how, trail=trail)
                )
    if not found and binding.callee:
        from codemap.resolve import dynamic  # reads expressions; few names need it

        return dynamic.made_by_call(program, view, binding)
    return Resolution(tuple(found.values()), tuple(reasons))


def _with_value(program: Program, view: View, binding: Binding) -> Binding:
    """A local's binding with what an outline says of others: the chain, or the callee and strings, of its value."""
    rows = program.body(view.path).expressions
    if binding.value < 0:
        return binding
    chain = dotted_chain(rows, binding.value)
    if chain:
        return binding._replace(aliases=(chain,))
    row = rows[binding.value]
    if row[0] != op.CALL:
        return binding
    texts = [
        rows[part][4] for part in row[4] if rows[part][0] == op.CONSTANT and isinstance(rows[part][4], str)
    ]
    return binding._replace(callee=dotted_chain(rows, row[3]), strings=tuple(texts))


# --- classes --------------------------------------------------------------------------------------------------
def classes_denoted(program: Program, answer: Resolution) -> tuple[list[Definition], list[str]]:
    """The classes of the tree among what a resolution found, through aliases, and the names outside it."""
    classes: list[Definition] = []
    outside: list[str] = []
    for item in answer.found:
        if item.definition.kind == EXTERNAL:
            outside.append(item.definition.name)
        elif item.definition.kind == CLASS:
            classes.append(item.definition)
        elif item.definition.kind != MODULE:
            more, beyond = classes_denoted(program, follow_alias(program, item.definition))
            classes += more
            outside += beyond
    return list(dict.fromkeys(classes)), outside


def bases_of(program: Program, klass: Definition) -> Bases:
    """The bases that a class statement names."""
    cache = program.cache("bases")
    found: Bases | None = cache.get(klass)
    if found is None:
        cache[klass] = Bases((), (), ())  # a class that is its own base
        found = cache[klass] = _bases(program, klass)
    return found


def _bases(program: Program, klass: Definition) -> Bases:
    view = program.view(klass.file)
    statement = view.class_facts(klass.scope) if klass.scope >= 0 else None
    places: list[tuple[Definition, ...]] = []
    outside: list[str] = []
    reasons: list[Reason] = []
    if statement is None:
        return Bases((), (), ())
    scope = view.outline.scopes[klass.scope].parent
    for position, chain in enumerate(statement.bases):
        at = statement.base_values[position] if position < len(statement.base_values) else None
        if not chain:
            places.append(())
            maker = _factory(program, view, scope, at)
            if maker:
                outside.append(maker)
                continue
            reasons.append(Reason(klass.name, klass.file, klass.line, "a base that is an expression"))
            continue
        answer = lookup_dotted(program, view, scope, chain, at)
        classes, beyond = classes_denoted(program, answer)
        places.append(tuple(item for item in classes if item != klass))
        outside += beyond
        if not classes and not beyond:
            reasons += answer.reasons or (
                Reason(chain, klass.file, klass.line, f"base {chain} is not known"),
            )
    return Bases(tuple(places), tuple(dict.fromkeys(outside)), tuple(reasons))


def _factory(program: Program, view: View, scope: int, value: int | None) -> str:
    """The factory of a base that a call makes (`namedtuple(...)`), "" when it is anything else."""
    rows = program.body(view.path).expressions
    if value is None or value < 0 or rows[value][0] != op.CALL:
        return ""
    chain = dotted_chain(rows, rows[value][3])
    if chain.rpartition(".")[2] not in CLASS_FACTORIES:
        return ""
    found = lookup_dotted(program, view, scope, chain, value).found
    return next((item.definition.name for item in found if item.definition.kind == EXTERNAL), "")


def dotted_chain(rows: tuple[tuple[Any, ...], ...], expression: int) -> str:
    """An expression as a dotted chain, "" when it is none."""
    parts: list[str] = []
    while expression >= 0:
        row = rows[expression]
        if row[0] == op.NAME:
            parts.append(row[3])
            return ".".join(reversed(parts))
        if row[0] != op.ATTRIBUTE:
            return ""
        parts.append(row[4])
        expression = row[3]
    return ""


def mro(program: Program, klass: Definition) -> Mro:
    """The method resolution order of a class (C3, https://docs.python.org/3/howto/mro.html), within the tree."""
    found, _ = _linearize(program, klass, ())
    return found


def _linearize(program: Program, klass: Definition, path: tuple[Definition, ...]) -> tuple[Mro, bool]:
    """The order and whether a class that is its own base was cut: then it holds for this path only."""
    cache = program.cache("mro")
    known: Mro | None = cache.get(klass)
    if known is not None:
        return known, False
    bases = bases_of(program, klass)
    outside = dict.fromkeys(bases.outside)
    reasons = dict.fromkeys(bases.reasons)
    linear = all(len(place) < 2 for place in bases.places)
    every = [item for place in bases.places for item in place]
    parents = [item for item in dict.fromkeys(every) if item not in path and item != klass]
    cut = len(parents) < len(every)
    queues: list[list[Definition]] = []
    for parent in parents:
        above, above_cut = _linearize(program, parent, (*path, klass))
        queues.append(list(above.classes))
        outside.update(dict.fromkeys(above.outside))
        reasons.update(dict.fromkeys(above.reasons))
        linear, cut = linear and above.linear, cut or above_cut
    queues.append(parents)
    merged, consistent = _merge(klass, queues)
    answer = Mro(tuple(merged), tuple(outside), tuple(reasons), linear and consistent)
    if not cut:
        cache[klass] = answer
    return answer, cut


def _merge(klass: Definition, queues: list[list[Definition]]) -> tuple[list[Definition], bool]:
    """C3's merge; where it fails (Python refuses such a class) the first of what is left comes next."""
    merged, consistent = [klass], True
    while queues := [queue for queue in queues if queue]:
        heads = [queue[0] for queue in queues]
        good = [head for head in heads if not any(head in other[1:] for other in queues)]
        consistent = consistent and bool(good)
        head = (good or heads)[0]
        merged.append(head)
        queues = [[item for item in queue if item != head] for queue in queues]
    return merged, consistent


def members_of_class(program: Program, klass: Definition, name: str) -> Resolution:
    """The attribute `name` of a class or its instances: of the first class in the MRO that has it."""
    key = ("member", klass, name)
    circle = Reason(name, klass.file, klass.line, f"{klass.name} is its own base")
    return program.remember(key, lambda: _member(program, klass, name), circle)


def _member(program: Program, klass: Definition, name: str) -> Resolution:
    order = mro(program, klass)
    reasons: list[Reason] = list(order.reasons)
    for position, parent in enumerate(order.classes):
        answer = own_member(program, parent, name)
        if not answer.found:
            reasons += answer.reasons
            continue
        if position == 0:
            return answer
        sure = order.linear and not any(
            _may_come_first(program, earlier, parent) for earlier in order.classes[:position]
        )
        found = tuple(
            item._replace(confidence=weakest(item.confidence, CERTAIN if sure else LIKELY), how="inherited")
            for item in answer.found
        )
        return Resolution(found, answer.reasons)
    beyond = [base for base in order.outside if base not in _BARE_BASES]
    if beyond:
        text = f"may come from {', '.join(beyond)}, outside the tree"
        reasons.append(Reason(name, klass.file, klass.line, text))
    return Resolution((), tuple(reasons))


def _may_come_first(program: Program, klass: Definition, parent: Definition) -> bool:
    """Whether a base of `klass` that is not in the tree may stand before `parent` in the MRO."""
    bases = bases_of(program, klass)
    if not bases.reasons and all(base in _BARE_BASES for base in bases.outside):
        return False
    for place in bases.places:
        if not place:
            return True
        if any(parent in mro(program, item).classes for item in place):
            return False
    return True
