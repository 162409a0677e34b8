# Who derives from a class: found through the name index, under every name that an import or an assignment gives it.
from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.inference.stubs import is_stub
from codemap.model import facts
from codemap.resolve.attributes import bases_of

if TYPE_CHECKING:
    from codemap.inference.engine import Engine

_MOST_NAMES = 40


def aliases(engine: Engine, name: str) -> set[str]:
    """The names under which something called `name` may be known elsewhere: `import name as other`, `other = name`."""
    key = ("aliases", name)
    known = engine.memo.get(key)
    if known is None:
        known = {name}
        work = [name]
        while work and len(known) < _MOST_NAMES:
            word = work.pop()
            for path in sorted(engine.program.bearing(word, facts.ROLE_RENAME)):
                outline = engine.program.view(path).outline
                for row in outline.imports:
                    if row.name == word and row.alias and row.alias not in known:
                        known.add(row.alias)
                        work.append(row.alias)
                for binding in outline.bindings:
                    if (
                        any(chain.rpartition(".")[2] == word for chain in binding.aliases)
                        and binding.name not in known
                    ):
                        known.add(binding.name)
                        work.append(binding.name)
        if work and len(known) >= _MOST_NAMES:
            engine.cut(name, "", 0, f"known under more than {_MOST_NAMES} names")
        engine.memo[key] = known
    return set(known)


def direct_subclasses(engine: Engine, path: str, scope: int) -> list[tuple[str, int]]:
    """Classes of the tree that name the class among their bases, sorted."""
    klass = engine.class_definition(path, scope)
    found = set()
    for word in sorted(aliases(engine, klass.name.rpartition(".")[2])):
        for file in sorted(engine.program.bearing(word, facts.ROLE_BASE)):
            view = engine.program.view(file)
            for row in view.outline.classes:
                if not any(chain.rpartition(".")[2] == word for chain in row.bases):
                    continue
                definition = engine.class_definition(file, row.scope)
                if any(
                    item.file == path and item.scope == scope
                    for place in bases_of(engine.program, definition).places
                    for item in place
                ):
                    found.add((file, row.scope))
    return sorted(found)


def is_protocol(engine: Engine, path: str, scope: int) -> bool:
    """Whether the class statement itself names Protocol as a base."""
    row = None if is_stub(path) else engine.program.view(path).class_facts(scope)
    return row is not None and any(text.rpartition(".")[2] == "Protocol" for text in row.bases)


def fitting_classes(engine: Engine, path: str, scope: int) -> list[tuple[str, int]]:
    """Classes of the tree that have every member of a protocol without deriving from it, sorted."""
    key = ("fitting classes", path, scope)
    known: list[tuple[str, int]] | None = engine.memo.get(key)
    if known is None:
        known = engine.memo[key] = _fitting(engine, path, scope) if is_protocol(engine, path, scope) else []
    return known


def _fitting(engine: Engine, path: str, scope: int) -> list[tuple[str, int]]:
    names = sorted(
        {
            name
            for one in engine.mro(path, scope)
            if is_protocol(engine, *one)
            for name in engine.program.view(one[0]).names(one[1])
            if name not in ("__slots__", "__doc__", "__module__", "__init__")
        }
    )
    if not names:
        return []
    roles = facts.ROLE_DEFINE | facts.ROLE_BIND | facts.ROLE_STORE
    rarest = min(names, key=lambda name: (len(engine.program.mentioning(name, roles)), name))
    found = []
    for file in sorted(engine.program.mentioning(rarest, roles)):
        for row in engine.program.view(file).outline.classes:
            klass = (file, row.scope)
            if (
                klass != (path, scope)
                and not is_protocol(engine, *klass)
                and (path, scope) not in engine.mro(*klass)
                and all(_has(engine, klass, name) for name in names)
            ):
                found.append(klass)
    return found


def _has(engine: Engine, klass: tuple[str, int], name: str) -> bool:
    """Whether the body of a class of the tree, or of one above it, or a method through `self`, binds the name."""
    for path, scope in engine.mro(*klass):
        if is_stub(path):
            continue
        view = engine.program.view(path)
        if view.bindings(scope, name) or any(
            view.outline.stores[one].first_parameter
            and view.enclosing_class(view.outline.stores[one].scope) == scope
            for one in view.stores(name)
        ):
            return True
    return False


def subclasses(engine: Engine, path: str, scope: int) -> list[tuple[str, int]]:
    if is_stub(path) and scope >= 0 and engine.qualified(path, scope) == "builtins.object":
        return []
    found: set[tuple[str, int]] = set()
    work = [(path, scope)]
    while work:
        for item in direct_subclasses(engine, *work.pop()):
            if item not in found and item != (path, scope):
                found.add(item)
                work.append(item)
    return sorted(found)
