# Attributes of values: of modules, of classes and their instances along the MRO, with descriptors bound; what
# hosts and subclasses add where the receiver may be one of them; what is stored on instances anywhere.
from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.inference.hierarchy import fitting_classes, is_protocol
from codemap.inference.values import (
    BOUND,
    CERTAIN,
    CLASS,
    CLASSMETHOD,
    DISPLAY,
    EXTERNAL,
    FUNCTION,
    INSTANCE,
    LIKELY,
    MODULE,
    POSSIBLE,
    PROPERTY,
    STATIC,
    SUPER,
    TEXT,
    TYPE_VARIABLE,
    Value,
    Values,
    external_attribute,
    join,
    weaker,
)
from codemap.model import facts
from codemap.resolve.classes import class_outcome
from codemap.resolve.modules import lookup_attribute_of_module
from codemap.semantic import expressions as op

if TYPE_CHECKING:
    from codemap.inference.engine import Engine
    from codemap.inference.tables import Table
    from codemap.resolve.views import View


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
        from codemap.inference.containers import bound_of

        values: Values = {}
        for one, rank in bound_of(engine, value).items():
            join(values, engine.ask("attribute", one, name), rank)
        return values
    if tag in (FUNCTION, BOUND, "partial"):
        return _of_function(engine, value, name)
    from codemap.inference.containers import as_instances

    values = {}
    for one, rank in as_instances(engine, {value: CERTAIN}).items():
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
    return dict(outside_stores(engine, inner, name))


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
    from codemap.inference.names import resolution_values

    values = resolution_values(engine, answer)
    if not values and engine.program.modules.exists(f"{module}.{name}"):
        values = {(MODULE, f"{module}.{name}"): LIKELY}
    if not files and not engine.program.modules.exists(module):
        return {(EXTERNAL, f"{module}.{name}"): CERTAIN}
    return values


def _builtin_only(engine: Engine, values: Values) -> bool:
    return all(len(value) > 1 and str(value[1]).startswith("<stdlib>/builtins.pyi") for value in values)


# --- instances -------------------------------------------------------------------------------------------------
def _of_instance(engine: Engine, receiver: Value, name: str) -> Values:
    _, path, scope, _, is_open = receiver
    values, found = _along(engine, engine.mro(path, scope), receiver, name, True)
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
                more = _own(engine, klass, name)
                if more:
                    overridden = True
                    join(added, _bind(engine, more, as_other, klass))
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
                    more, there = _along(engine, engine.mro(*other), as_other, name, True)
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
                own, there = _along(engine, order, (INSTANCE, path, scope, (), False), name, True)
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


def _along(
    engine: Engine, order: list[tuple[str, int]], receiver: Value, name: str, bind: bool
) -> tuple[Values, bool]:
    """The first class of an MRO that has the name in its body."""
    for klass in order:
        own = _own(engine, klass, name)
        if own is not None:
            return (_bind(engine, own, receiver, klass) if bind else dict(own)), True
    return {}, False


def _own(engine: Engine, klass: tuple[str, int], name: str) -> Values | None:
    """What a class body itself binds the name to; None when it does not."""
    path, scope = klass
    table = engine.table(path)
    if not table.outer_bindings(scope, name):
        return None
    state = class_outcome(table.view, scope, name)
    entries = state.survivors or state.typing
    if not entries:
        return None
    values: Values = {}
    for entry in entries:
        if entry.number < 0:
            continue
        join(
            values,
            engine.ask("binding", path, entry.number, True),
            CERTAIN if entry.sure or len(entries) == 1 else LIKELY,
        )
    if (
        _is_enum(engine, klass)
        and all(
            table.view.outline.bindings[entry.number].kind in (facts.ASSIGN, facts.ANNOTATED)
            for entry in entries
        )
        and not name.startswith("_")
    ):
        return {(INSTANCE, path, scope, (), False): CERTAIN}
    values = dict(values)
    patches = outside_stores(engine, (CLASS, path, scope), name)
    if patches:
        values = weaker(values, LIKELY)
        join(values, patches, POSSIBLE)
    return values


def _is_enum(engine: Engine, klass: tuple[str, int]) -> bool:
    enum = engine.stub_class("enum.Enum")
    return enum is not None and klass != enum and not klass[0].startswith("<") and enum in engine.mro(*klass)


def _bind(engine: Engine, values: Values, receiver: Value, owner: tuple[str, int]) -> Values:
    """Descriptors: what an attribute of a class is when read on an instance."""
    from codemap.inference.calls import result_of_function
    from codemap.inference.declared import environment, substitute

    out: Values = {}
    env = None
    for value, rank in values.items():
        tag = value[0]
        if tag == FUNCTION:
            join(out, {(BOUND, value, receiver): rank})
        elif tag == STATIC:
            join(out, {value[1]: rank})
        elif tag == CLASSMETHOD:
            join(out, {(BOUND, value[1], (CLASS, receiver[1], receiver[2])): rank})
        elif tag == PROPERTY:
            inner = value[1]
            if inner[0] == FUNCTION:
                join(out, result_of_function(engine, inner, receiver, None), rank)
        elif tag in (TYPE_VARIABLE, "type of") or (tag == INSTANCE and value[3]):
            env = env if env is not None else environment(engine, receiver, owner)
            join(out, substitute({value: rank}, env))
        elif tag == INSTANCE and not value[1].startswith("<"):
            getter, there = _along(engine, engine.mro(value[1], value[2]), value, "__get__", True)
            if there:
                from codemap.inference.calls import result

                for one, how in getter.items():
                    join(out, result(engine, one, None), max(rank, how))
            else:
                join(out, {value: rank})
        else:
            join(out, {value: rank})
    return out


def _dynamic(engine: Engine, receiver: Value, name: str) -> Values:
    if name.startswith("__") and name.endswith("__"):
        return {}
    values: Values = {}
    # looked up last: anything that sets attributes where no one sees it would have come first
    for hook in ("__getattr__", "__getattribute__"):
        for klass in engine.mro(receiver[1], receiver[2]):
            if klass[0].startswith("<"):
                continue
            own = _own(engine, klass, hook)
            if own:
                from codemap.inference.calls import result

                for value, rank in _bind(engine, own, receiver, klass).items():
                    join(values, result(engine, value, None), max(rank, LIKELY))
                break
    return values


# --- what is stored on instances --------------------------------------------------------------------------------
def stored(engine: Engine, path: str, scope: int, name: str) -> Values:
    """What any code of the tree stores under `name` on instances of the class, its bases and its subclasses."""
    if path.startswith("<"):
        return {}
    values: Values = {}
    family = engine.mro(path, scope)
    below = engine.subclasses(path, scope)
    inside = {*family, *below}
    for klass in below:  # mixins: stores in the other parents of a common host
        inside.update(engine.mro(*klass))
    rows = []
    bearing = engine.program.bearing(name, facts.ROLE_STORE)
    for klass in sorted(inside):
        if klass[0] not in bearing:
            continue
        table = engine.table(klass[0])
        for number in table.view.stores(name):
            store = table.view.outline.stores[number]
            if (
                store.first_parameter
                and table.view.enclosing_class(store.scope) == klass[1]
                and store.kind != facts.DELETE
            ):
                rows.append((klass[0], store))
    for file, store in rows:
        if store.value >= 0:
            values_here = engine.ask("expression", file, store.value)
            join(values, values_here)
        if store.annotation_value >= 0:
            exact = {value for value in values if value[0] == INSTANCE}
            for value, rank in engine.ask("annotation", file, store.annotation_value).items():
                if value[0] == INSTANCE and any(
                    (value[1], value[2]) in engine.mro(one[1], one[2]) for one in exact
                ):
                    continue
                join(values, {value: rank})
    real = {value for value in values if value != ("none",)}
    if len(rows) > 1 and len(real) > 1:
        values = {value: max(rank, LIKELY) for value, rank in values.items()}
    join(values, outside_stores(engine, (INSTANCE, path, scope, (), False), name), LIKELY)
    from codemap.inference.parameters import constructor_values

    if not real:
        join(values, constructor_values(engine, path, scope, name), LIKELY)
    return values


def outside_stores(engine: Engine, owner: Value, name: str) -> Values:
    """What code elsewhere stores by `x.name = value` where x may be the owner (monkey patches among it)."""
    if owner[0] == INSTANCE and str(owner[1]).startswith("<"):
        return {}
    values: Values = {}
    for path in sorted(engine.program.bearing(name, facts.ROLE_STORE)):
        view = engine.program.view(path)
        for number in view.stores(name):
            store = view.outline.stores[number]
            if store.value < 0 or (store.first_parameter and not _may_be_class(view, store, owner)):
                continue
            row = engine.table(path).rows[store.target]
            for receiver in list(engine.ask("expression", path, row[3])):
                if _same(engine, receiver, owner):
                    join(values, engine.ask("expression", path, row[5]))
                    break
    join(values, _set_by_name(engine, owner, name))
    return values


def _may_be_class(view: View, store: facts.AttributeStore, owner: Value) -> bool:
    """Whether the first parameter of a method may be the class that is the owner, and not an instance."""
    if owner[0] != CLASS:
        return False
    scopes = view.outline.scopes
    scope = store.scope
    while scope > 0 and scopes[scopes[scope].parent].kind != facts.CLASS:
        scope = scopes[scope].parent
    function = view.function_facts(scope)
    return (
        function is None
        or bool(function.decorators)
        or scopes[scope].name in ("__new__", "__init_subclass__", "__class_getitem__")
    )


def _set_by_name(engine: Engine, owner: Value, name: str) -> Values:
    """What `setattr(x, "name", value)` stores where x may be the owner."""
    values: Values = {}
    setting = engine.program.bearing("setattr", facts.ROLE_CALL)
    for path in sorted(setting & engine.program.quoting(name)) if setting else ():
        table = engine.table(path)
        for call in table.calls("setattr"):
            row = table.rows[call]
            if len(row[4]) != 3 or not _is_text(engine, table, row[4][1], name):
                continue
            for receiver in list(engine.ask("expression", path, row[4][0])):
                if _same(engine, receiver, owner):
                    join(values, engine.ask("expression", path, row[4][2]))
                    break
    return values


def _is_text(engine: Engine, table: Table, expression: int, name: str) -> bool:
    """Whether an expression may be the text; evaluated only where the file itself writes the text somewhere."""
    row = table.rows[expression]
    if row[0] == op.CONSTANT:
        return bool(row[4] == name)
    if name not in table.texts():
        return False
    return (TEXT, name) in engine.ask("expression", table.path, expression)


def _same(engine: Engine, receiver: Value, owner: Value) -> bool:
    if receiver == owner:
        return True
    if owner[0] == INSTANCE and receiver[0] == INSTANCE:
        one, other = (receiver[1], receiver[2]), (owner[1], owner[2])
        return one == other or other in engine.mro(*one) or one in engine.mro(*other)
    return False


# --- classes and super -------------------------------------------------------------------------------------------
def _of_class(engine: Engine, value: Value, name: str) -> Values:
    _, path, scope = value
    out: Values = {}
    for klass in engine.mro(path, scope):
        own = _own(engine, klass, name)
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
    join(out, outside_stores(engine, value, name), POSSIBLE)
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
        found, there = _along(engine, engine.mro(*meta), (INSTANCE, *meta, (), False), name, True)
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
            own = _own(engine, klass, name)
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
                bound = _bind(engine, own, receiver, klass)
            join(values, bound, CERTAIN if host == (path, scope) else (POSSIBLE if seen else LIKELY))
            seen = True
            break
    if not values:
        for base in engine.outside_bases(path, scope):
            return {(EXTERNAL, f"{base}.{name}"): POSSIBLE}
    return values


__all__ = ["DISPLAY", "attribute", "outside_stores", "stored"]
