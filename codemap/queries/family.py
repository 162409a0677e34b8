# Which attribute a receiver has. An attribute belongs to the classes that declare it: the first class body of an MRO
# that binds the name hides those behind it, stores on `self` before it do not. Two receivers have the same attribute
# when they share a class that declares it.
from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from codemap.inference.values import (
    CERTAIN,
    CLASS,
    EXTERNAL,
    FUNCTION,
    INSTANCE,
    LIKELY,
    MODULE,
    NONE,
    POSSIBLE,
    SUPER,
    Value,
    Values,
)
from codemap.model import facts
from codemap.resolve.modules import lookup_attribute_of_module

if TYPE_CHECKING:
    from codemap.inference.engine import Engine
    from codemap.resolve.records import Definition

Klass = tuple[str, int]
_CONSTRUCTORS = ("__init__", "__post_init__", "__attrs_post_init__", "__new__", "setUp")
_FEW_HOSTS = 3


class Judgement(NamedTuple):
    """A receiver has the attribute: how sure, of which class it is, which class declares the attribute."""

    rank: int
    receiver: str
    attribute: str
    value: Value


class Family:
    """The attribute `name` of a class, a module or a function: who else has the same one."""

    def __init__(self, engine: Engine, owner: Definition, name: str) -> None:
        self.engine = engine
        self.owner = owner
        self.name = name
        self.klass: Klass | None = (
            (owner.file, owner.scope) if owner.kind == "class" and owner.scope >= 0 else None
        )
        self._declarers: dict[Klass, tuple[Klass, ...]] = {}
        self._bodies: list[Klass] | None = None
        self._judged: dict[Value, Judgement | None] = {}
        self.mine: frozenset[Klass] = frozenset(self.declarers(self.klass)) if self.klass else frozenset()

    # -- who declares it -------------------------------------------------------------------------------------
    def declarers(self, klass: Klass) -> tuple[Klass, ...]:
        """The classes along the MRO that declare the attribute for an instance of `klass`."""
        known = self._declarers.get(klass)
        if known is None:
            known = self._declarers[klass] = self._along(self.engine.mro(*klass))
        return known

    def _along(self, order: list[Klass]) -> tuple[Klass, ...]:
        stored: list[Klass] = []
        touched: list[Klass] = []
        for klass in order:
            if self.in_body(klass):
                return (*stored, klass)
            plain, only_changed = self._stores(klass)
            if plain:
                stored.append(klass)
            elif only_changed:
                touched.append(klass)
        return tuple(stored or touched)

    def in_body(self, klass: Klass) -> bool:
        """Whether the class statement itself binds the name."""
        program = self.engine.program
        if klass[0] not in program.mentioning(self.name) and not klass[0].startswith("<"):
            return False
        view = program.view(klass[0])
        return any(
            view.outline.bindings[number].kind != facts.DELETE
            for number in view.bindings(klass[1], self.name)
        )

    def _stores(self, klass: Klass) -> tuple[bool, bool]:
        """Whether methods of the class give the attribute to `self`, and whether they only change it."""
        if klass[0].startswith("<") or klass[0] not in self.engine.program.mentioning(self.name):
            return False, False
        view = self.engine.program.view(klass[0])
        plain = changed = False
        for number in view.stores(self.name):
            store = view.outline.stores[number]
            if store.first_parameter and view.enclosing_class(store.scope) == klass[1]:
                plain = plain or store.kind not in (facts.DELETE, facts.AUGMENTED)
                changed = changed or store.kind == facts.AUGMENTED
        return plain, changed

    def bodies(self) -> list[Klass]:
        """Every class of the tree whose body binds the name, sorted."""
        if self._bodies is None:
            program = self.engine.program
            found = []
            for path in sorted(program.mentioning(self.name, facts.ROLE_BIND | facts.ROLE_DEFINE)):
                view = program.view(path)
                found += [
                    (path, scope)
                    for scope in view.owners(self.name)
                    if view.outline.scopes[scope].kind == facts.CLASS and self.in_body((path, scope))
                ]
            self._bodies = found
        return self._bodies

    def overriders(self, klass: Klass) -> list[Klass]:
        """Subclasses of a class whose own body binds the name anew."""
        return [one for one in self.bodies() if one != klass and klass in self.engine.mro(*one)]

    def label(self, shared: frozenset[Klass] | set[Klass]) -> str:
        """The attribute's qualified name by the class that declares it best: in its body, in a constructor, first."""
        if not shared:
            return f"{self.owner.name}.{self.name}"
        best = min(shared, key=lambda klass: (not self.in_body(klass), not self._constructed(klass), klass))
        return f"{self.engine.qualified(*best)}.{self.name}"

    def _constructed(self, klass: Klass) -> bool:
        view = self.engine.program.view(klass[0])
        for number in view.stores(self.name):
            store = view.outline.stores[number]
            scopes = view.outline.scopes
            if store.first_parameter and view.enclosing_class(store.scope) == klass[1]:
                scope = store.scope
                while scopes[scope].parent != klass[1] and scope > 0:
                    scope = scopes[scope].parent
                if scopes[scope].name in _CONSTRUCTORS:
                    return True
        return False

    # -- receivers -------------------------------------------------------------------------------------------
    def judge(self, values: Values) -> Judgement | None:
        """The surest way in which a receiver with these values has the attribute; None when it has another one."""
        hits: list[Judgement] = []
        others = 0
        for value, rank in values.items():
            if value[0] == NONE:
                continue
            one = self._judged_value(value)
            if one is None:
                others += 1
            else:
                hits.append(one._replace(rank=max(one.rank, rank)))
        if not hits:
            return None
        best = min(hits, key=lambda hit: (hit.rank, hit.receiver, hit.attribute))
        if others and best.rank == CERTAIN:
            best = best._replace(rank=LIKELY)
        return best

    def _judged_value(self, value: Value) -> Judgement | None:
        if value not in self._judged:
            self._judged[value] = self._of_value(value)
        return self._judged[value]

    def _of_value(self, value: Value) -> Judgement | None:
        tag = value[0]
        if tag == MODULE:
            return self._of_module(value)
        if self.klass is None:
            if tag in (FUNCTION, "bound") and self.owner.kind in ("function", "method"):
                inner = value if tag == FUNCTION else value[1]
                if inner == (FUNCTION, self.owner.file, self.owner.scope):
                    return Judgement(CERTAIN, self.owner.name, f"{self.owner.name}.{self.name}", value)
            return None
        if tag == INSTANCE:
            return self._of_class((value[1], value[2]), bool(value[4]), value)
        if tag == CLASS:
            return self._of_class((value[1], value[2]), False, value)
        if tag == SUPER:
            return self._of_super(value)
        return None

    def _of_module(self, value: Value) -> Judgement | None:
        if self.owner.kind != "module":
            return None
        if value[1] == self.owner.name:
            return Judgement(CERTAIN, value[1], f"{self.owner.name}.{self.name}", value)
        answer = lookup_attribute_of_module(self.engine.program, value[1], self.name)
        for item in answer.found:
            definition = item.definition
            if (
                definition.file == self.owner.file
                and definition.owner == 0
                and definition.name.rpartition(".")[2] == self.name
            ):
                return Judgement(CERTAIN, value[1], f"{self.owner.name}.{self.name}", value)
        return None

    def _of_class(self, klass: Klass, is_open: bool, value: Value) -> Judgement | None:
        assert self.klass is not None
        theirs = self.declarers(klass)
        shared = self.mine.intersection(theirs)
        engine = self.engine
        if klass == self.klass and not shared:
            shared = self.mine
            return Judgement(CERTAIN, engine.qualified(*klass), self.label(shared), value)
        if shared:
            if not self._related(klass):
                return None
            rank = LIKELY if is_open and self.overriders(klass) else CERTAIN
            if self.klass not in engine.mro(*klass) and klass != self.klass:
                rank = max(rank, LIKELY)  # of a base: what the class has in common with it
            return Judgement(rank, engine.qualified(*klass), self.label(shared), value)
        if is_open and klass in engine.mro(*self.klass):
            # declared as a base that has another attribute of the name, or none at all
            rank = POSSIBLE if theirs or self._hosts(klass) > _FEW_HOSTS else LIKELY
            return Judgement(rank, engine.qualified(*klass), self.label(self.mine), value)
        if is_open and not theirs and not klass[0].startswith("<"):
            # a mixin whose host, below the class asked about or beside it, has the attribute
            for host in engine.subclasses(*klass):
                if self.mine.intersection(self.declarers(host)) and self._related(host):
                    return Judgement(LIKELY, engine.qualified(*klass), self.label(self.mine), value)
        return None

    def _hosts(self, klass: Klass) -> int:
        """How many different attributes of the name the subclasses of a class have."""
        found = set()
        for host in self.engine.subclasses(*klass):
            declared = self.declarers(host)
            if declared:
                found.add(declared[-1])
        return len(found)

    def _related(self, klass: Klass) -> bool:
        """Whether something may be an instance of both the class asked about and `klass`."""
        assert self.klass is not None
        engine = self.engine
        if klass == self.klass or self.klass in engine.mro(*klass) or klass in engine.mro(*self.klass):
            return True
        if self.klass in self.mine:
            return True
        mine = set(engine.subclasses(*self.klass))
        return bool(mine.intersection(engine.subclasses(*klass)))

    def _of_super(self, value: Value) -> Judgement | None:
        _, path, scope, receiver = value
        engine = self.engine
        hosts = [(path, scope)]
        if receiver[0] in (INSTANCE, CLASS) and not receiver[1].startswith("<"):
            hosts.append((receiver[1], receiver[2]))
        for place, host in enumerate(hosts):
            order = engine.mro(*host)
            if (path, scope) not in order:
                continue
            theirs = self._along(order[order.index((path, scope)) + 1 :])
            shared = self.mine.intersection(theirs)
            if shared:
                return Judgement(
                    CERTAIN if not place else LIKELY, engine.qualified(path, scope), self.label(shared), value
                )
        return None


def undecided(values: Values) -> str:
    """Why a receiver with these values is not known, "" when it is known to be something."""
    known = [value for value in values if value[0] not in (NONE, "type variable")]
    if not known:
        if any(value[0] == "type variable" for value in values):
            return "the receiver is a type parameter that nothing binds"
        return "only None is known of the receiver" if values else "nothing is known of the receiver"
    if all(value[0] == EXTERNAL and value[1].endswith("()") for value in known):
        return f"the receiver comes from {min(value[1] for value in known)}, outside the tree"
    return ""
