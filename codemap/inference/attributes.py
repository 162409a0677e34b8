# Attributes of values: of modules, of classes and their instances along the MRO, with descriptors bound; what
# hosts and subclasses add where the receiver may be one of them; what is stored on instances anywhere.
from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.inference.hierarchy import fitting_classes, is_protocol
from codemap.inference.names import resolution_values
from codemap.inference.values import (
    BOUND,
    CERTAIN,
    CLASS,
    CLASSMETHOD,
    EXTERNAL,
    FUNCTION,
    INSTANCE,
    LIKELY,
    MODULE,
    POSSIBLE,
    PROPERTY,
    STATIC,
    SUPER,
    TYPE_VARIABLE,
    Value,
    Values,
    external_attribute,
    join,
)
from codemap.resolve.modules import lookup_attribute_of_module

if TYPE_CHECKING:
    from codemap.inference.engine import Engine


def attribute(engine: Engine, value: Value, name: str) -> Values:
    """What `value.name` may give."""
    tag = value[0]
    if tag == INSTANCE:
        return _of_instance(engine, value, name)
    if tag == CLASS:
        return _of_class(engine, value, name)
    if tag == MODULE:
        return _of_module(engine, value[1], name)
    if tag == SUPER:
        return _of_super(engine, value, name)
    if tag == EXTERNAL:
        return {external_attribute(value[1], name): CERTAIN}
    if tag == PROPERTY:
        return {}
    if tag == TYPE_VARIABLE:
        values: Values = {}
        for one, rank in engine.bound_of(value).items():
            join(values, engine.ask("attribute", one, name), rank)
        return values
    if tag in (FUNCTION, BOUND, "partial"):
        return _of_function(engine, value, name)

    values = {}
    for one, rank in engine.as_instances({value: CERTAIN}).items():
        if one != value and one[0] == INSTANCE:
            for found, how in engine.ask("attribute", one, name).items():
                # methods of a display keep the display itself, whose elements are known one by one
                # (and that it has the method is as sure as what it is, whatever is in it)
                if found[0] == BOUND and found[2] == one:
                    join(values, {(BOUND, found[1], value): how})
                else:
                    join(values, {found: how}, rank)
    return values


def _of_function(engine: Engine, value: Value, name: str) -> Values:
    if name == "__wrapped__":
        return {value: LIKELY}
    if name == "__call__":
        return {value: CERTAIN}
    if name == "__func__" and value[0] == BOUND:
        return {value[1]: CERTAIN}
    if value[0] == "partial" and name == "func":
        return {}
    inner = value[1] if value[0] == BOUND else value
    return dict(engine.outside_stores(inner, name))


def _of_module(engine: Engine, module: str, name: str) -> Values:
    files = engine.program.modules.files_of(module)
    for path in files[:1]:
        values = (
            dict(engine.ask("global", path, name))
            if engine.program.may_expose(path, name) or path.startswith("<")
            else {}
        )
        # a name of the builtins is no attribute of a module
        if (
            values
            and (
                any(value[0] != MODULE for value in values)
                or not engine.program.modules.exists(f"{module}.{name}")
            )
            and (engine.table(path).outer_bindings(0, name) or not _builtin_only(engine, values))
        ):
            return values
    answer = lookup_attribute_of_module(engine.program, module, name)

    values = resolution_values(engine, answer)
    if not values and engine.program.modules.exists(f"{module}.{name}"):
        values = {(MODULE, f"{module}.{name}"): LIKELY}
    if not files and not engine.program.modules.exists(module):
        return {(EXTERNAL, f"{module}.{name}"): CERTAIN}
    return values


def _builtin_only(engine: Engine, values: Values) -> bool:
    return all(len(value) > 1 and str(value[1]).startswith("<stdlib>/builtins.pyi") for value in values)


def _of_instance(engine: Engine, receiver: Value, name: str) -> Values:
    _, path, scope, _, is_open = receiver
    values, found = engine.along_mro(engine.mro(path, scope), receiver, name, True)
    stores = engine.ask("instance attribute", path, scope, name)

    if stores and not _is_method(values):
        join(values, _seen_from(engine, stores, path, scope))
        found = True
    if is_open:
        below = engine.subclasses(path, scope) + fitting_classes(engine, path, scope)
        if below:
            least = POSSIBLE if found else LIKELY
            overridden = False
            added: Values = {}
            for other in below:
                as_other = (INSTANCE, *other, (), False)
                klass = _first_with(engine, other, name, engine.mro(path, scope) if found else [])
                if klass is None:
                    continue
                more = engine.own_values(klass, name)
                if more:
                    overridden = True
                    join(added, engine.bind_values(more, as_other, klass))
            if found and values and _only_raises(engine, values):
                # the base only says that there is such a method: what runs is what a subclass makes of it
                values = dict.fromkeys(values, POSSIBLE) if overridden else values
                least = LIKELY if len(_functions(added)) == 1 else POSSIBLE
            join(values, added, least if found else _host_rank(below))
            if overridden and found:
                values = {one: (rank if rank != CERTAIN else LIKELY) for one, rank in values.items()}
            if not found and not overridden:
                for other in below:
                    as_other = (INSTANCE, *other, (), False)
                    more, there = engine.along_mro(engine.mro(*other), as_other, name, True)
                    if there:
                        join(values, more, LIKELY)
                    join(values, engine.ask("instance attribute", *other, name), LIKELY)
            found = found or bool(values)
    if not found and not values:
        values = _dynamic(engine, receiver, name)
    if not values and not found:
        for base in engine.outside_bases(path, scope):
            if base not in ("builtins.object", "typing.Generic", "typing.Protocol", "abc.ABC"):
                return {(EXTERNAL, f"{base}.{name}"): POSSIBLE}
    return values


def _seen_from(engine: Engine, stores: Values, path: str, scope: int) -> Values:
    """`self.x = self.method` in a base: seen from a subclass, it is the method that the subclass has."""
    out: Values = {}
    order = engine.mro(path, scope)
    for value, rank in stores.items():
        if value[0] == BOUND and value[1][0] == FUNCTION and value[2][0] == INSTANCE and value[2][4]:
            name = engine.table(value[1][1]).scope(value[1][2]).name
            if (value[2][1], value[2][2]) in order:
                own, there = engine.along_mro(order, (INSTANCE, path, scope, (), False), name, True)
                if there:
                    join(out, own, rank)
                    continue
        join(out, {value: rank})
    return out


def _host_rank(below: list[tuple[str, int]]) -> int:
    return LIKELY if len(below) <= 3 else POSSIBLE


def _first_with(
    engine: Engine, klass: tuple[str, int], name: str, known: list[tuple[str, int]]
) -> tuple[str, int] | None:
    """The first class of an MRO that has the name; None where it is one that is known of already."""
    for one in engine.mro(*klass):
        if one in known:
            if engine.table(one[0]).outer_bindings(one[1], name):
                return None
        elif engine.table(one[0]).outer_bindings(one[1], name):
            return one
    return None


def _functions(values: Values) -> set[Value]:
    return {value[1] if value[0] == BOUND else value for value in values}


def _only_raises(engine: Engine, values: Values) -> bool:
    """Whether the methods do nothing but raise NotImplementedError, or are abstract."""
    for value in values:
        inner = value[1] if value[0] == BOUND else value
        if inner[0] != FUNCTION or str(inner[1]).startswith("<"):
            return False
        function = engine.table(inner[1]).view.function_facts(inner[2])
        if function is None or not (
            "raises" in function.flags
            or (
                "stub" in function.flags
                and is_protocol(engine, inner[1], engine.table(inner[1]).view.enclosing_class(inner[2]))
            )
            or any(text.rpartition(".")[2] == "abstractmethod" for text in function.decorators)
        ):
            return False
    return True


def _is_method(values: Values) -> bool:
    return bool(values) and all(value[0] in (BOUND, FUNCTION) for value in values)


def _dynamic(engine: Engine, receiver: Value, name: str) -> Values:
    if name.startswith("__") and name.endswith("__"):
        return {}
    values: Values = {}
    # looked up last: anything that sets attributes where no one sees it would have come first
    for hook in ("__getattr__", "__getattribute__"):
        for klass in engine.mro(receiver[1], receiver[2]):
            if klass[0].startswith("<"):
                continue
            own = engine.own_values(klass, hook)
            if own:
                for value, rank in engine.bind_values(own, receiver, klass).items():
                    join(values, engine.result(value, None), max(rank, LIKELY))
                break
    return values


def _of_class(engine: Engine, value: Value, name: str) -> Values:
    _, path, scope = value
    out: Values = {}
    for klass in engine.mro(path, scope):
        own = engine.own_values(klass, name)
        if own is None:
            continue
        for one, rank in own.items():
            if one[0] == CLASSMETHOD:
                join(out, {(BOUND, one[1], value): rank})
            elif one[0] == STATIC:
                join(out, {one[1]: rank})
            else:
                join(out, {one: rank})
        return out
    join(out, engine.outside_stores(value, name), POSSIBLE)
    if out:
        return out
    # stores by class methods and by `__init_subclass__` through `cls`
    stores = engine.ask("instance attribute", path, scope, name)
    if stores:
        return dict(stores)
    if name == "__name__" or name == "__qualname__":
        return engine.stub_instance("builtins.str")
    meta = engine.stub_class("builtins.type")
    if meta is not None:
        found, there = engine.along_mro(engine.mro(*meta), (INSTANCE, *meta, (), False), name, True)
        if there:
            return found
    for base in engine.outside_bases(path, scope):
        return {(EXTERNAL, f"{base}.{name}"): POSSIBLE}
    return {}


def _of_super(engine: Engine, value: Value, name: str) -> Values:
    _, path, scope, receiver = value
    values: Values = {}
    hosts = [(path, scope)]
    if receiver[0] in (INSTANCE, CLASS):
        hosts += list(engine.subclasses(path, scope))
    seen = False
    for host in hosts:
        order = engine.mro(*host)
        if (path, scope) not in order:
            continue
        rest = order[order.index((path, scope)) + 1 :]
        for klass in rest:
            own = engine.own_values(klass, name)
            if own is None:
                continue
            if receiver[0] == CLASS:
                bound = {}
                for one, rank in own.items():
                    if one[0] == CLASSMETHOD:
                        bound[BOUND, one[1], receiver] = rank
                    elif one[0] == STATIC:
                        bound[one[1]] = rank
                    else:
                        bound[one] = rank
            else:
                bound = engine.bind_values(own, receiver, klass)
            join(values, bound, CERTAIN if host == (path, scope) else (POSSIBLE if seen else LIKELY))
            seen = True
            break
    if not values:
        for base in engine.outside_bases(path, scope):
            return {(EXTERNAL, f"{base}.{name}"): POSSIBLE}
    return values
