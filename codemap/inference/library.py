# What functions of the standard library do that their stubs do not say: `super`, `getattr` with a constant,
# `partial`, `zip`, decorators that leave what they decorate as it is.
from __future__ import annotations

from typing import TYPE_CHECKING, Final

from codemap.inference.arguments import Arguments
from codemap.inference.stubs import is_stub
from codemap.inference.texts import fits as fits_pattern
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
    NONE,
    PARTIAL,
    PATTERN,
    POSSIBLE,
    PROPERTY,
    STATIC,
    SUPER,
    TEXT,
    Value,
    Values,
    join,
)
from codemap.model import facts

if TYPE_CHECKING:
    from codemap.inference.calls import Site
    from codemap.inference.engine import Engine
    from codemap.inference.tables import Table


_SAME: Final = frozenset({
    "functools.wraps", "functools.lru_cache", "functools.cache", "functools.singledispatch", "contextlib.contextmanager",
    "contextlib.asynccontextmanager", "abc.abstractmethod", "typing.overload", "typing.final", "typing.no_type_check",
    "typing.runtime_checkable", "typing_extensions.override", "typing.override", "functools.total_ordering",
    "dataclasses.dataclass", "functools.singledispatchmethod", "functools.partialmethod",
    "warnings.deprecated", "typing_extensions.deprecated", "atexit.register",
})  # fmt: skip


def library_result(
    engine: Engine, name: str, arguments: Arguments | None, site: Site | None
) -> Values | None:
    if name in _SAME:
        if arguments is None:
            return None
        if name == "functools.wraps":
            return {("identity",): CERTAIN}
        first = arguments.at(0)
        if first is None or not engine.callables(first):
            return {("identity",): CERTAIN}
        return dict(first)
    handler = _SPECIAL.get(name)
    return handler(engine, arguments, site) if handler is not None and arguments is not None else None


def _super(engine: Engine, arguments: Arguments, site: Site | None) -> Values | None:
    if site is None:
        return {}
    table, call = site
    scope, _ = table.place(call)
    if arguments.count() >= 2:
        out: Values = {}
        for klass in arguments.at(0) or {}:
            for given in arguments.at(1) or {}:
                if klass[0] == CLASS:
                    join(out, {(SUPER, klass[1], klass[2], given): CERTAIN})
        return out
    owner = table.view.enclosing_class(scope)
    if owner < 0:
        return {}
    method = scope
    scopes = table.view.outline.scopes
    while method > 0 and scopes[scopes[method].parent].kind != facts.CLASS:
        method = scopes[method].parent
    receiver: Value = (INSTANCE, table.path, owner, (), True)
    function = table.view.function_facts(method)
    decorators = function.decorators if function is not None else ()
    if "classmethod" in decorators or scopes[method].name in (
        "__new__",
        "__init_subclass__",
        "__class_getitem__",
    ):
        receiver = (CLASS, table.path, owner)
    return {(SUPER, table.path, owner, receiver): CERTAIN}


def _type(engine: Engine, arguments: Arguments, site: Site | None) -> Values | None:
    if arguments.count() != 1:
        return None
    out: Values = {}
    for value, rank in (arguments.at(0) or {}).items():
        if value[0] == INSTANCE:
            join(out, {(CLASS, value[1], value[2]): rank})
            if value[4]:
                for other in engine.subclasses(value[1], value[2]):
                    join(out, {(CLASS, *other): POSSIBLE})
    return out


def _partial(engine: Engine, arguments: Arguments, site: Site | None) -> Values | None:
    return {(PARTIAL, site[0].path, site[1]): CERTAIN} if site is not None else {}


def _getattr(engine: Engine, arguments: Arguments, site: Site | None) -> Values | None:
    out: Values = {}
    for text in arguments.at(1) or {}:
        if text[0] == TEXT:
            for value, rank in (arguments.at(0) or {}).items():
                join(out, engine.ask("attribute", value, text[1]), rank)
        elif text[0] == PATTERN:
            for value, rank in (arguments.at(0) or {}).items():
                for name in _names_of(engine, value):
                    if fits_pattern(text, name):
                        join(out, engine.ask("attribute", value, name), max(rank, POSSIBLE))
    default = arguments.at(2)
    if default:
        join(out, {value: rank for value, rank in default.items() if value[0] != NONE}, LIKELY)
    return out


def _names_of(engine: Engine, value: Value) -> list[str]:
    """The names that the classes of the tree along a value's MRO, or a module, bind."""
    if value[0] == MODULE:
        files = engine.program.modules.files_of(value[1])
        return [] if not files or is_stub(files[0]) else sorted(engine.table(files[0]).view.names(0))
    if value[0] not in (INSTANCE, CLASS):
        return []
    places = [*engine.mro(value[1], value[2])]
    if value[0] == INSTANCE and value[4]:
        places += engine.subclasses(value[1], value[2])
    return sorted(
        {name for path, scope in places if not is_stub(path) for name in engine.table(path).view.names(scope)}
    )


def _cast(engine: Engine, arguments: Arguments, site: Site | None) -> Values | None:
    if site is None:
        return {}
    table, call = site
    row = table.rows[call]
    return dict(engine.ask("annotation", table.path, row[4][0])) if row[4] else {}


def _import_module(engine: Engine, arguments: Arguments, site: Site | None) -> Values | None:
    out: Values = {}
    for value in arguments.at(0) or {}:
        if value[0] == TEXT and engine.program.modules.exists(value[1]):
            out[MODULE, value[1]] = CERTAIN
    return out


def _static(engine: Engine, arguments: Arguments, site: Site | None) -> Values | None:
    return {(STATIC, value): rank for value, rank in (arguments.at(0) or {}).items()}


def _classmethod(engine: Engine, arguments: Arguments, site: Site | None) -> Values | None:
    return {(CLASSMETHOD, value): rank for value, rank in (arguments.at(0) or {}).items()}


def _property(engine: Engine, arguments: Arguments, site: Site | None) -> Values | None:
    return {(PROPERTY, value): rank for value, rank in (arguments.at(0) or {}).items()}


def _map(engine: Engine, arguments: Arguments, site: Site | None) -> Values | None:
    """An iterator over what the function gives. A function is no iterable: where it is handed over at another place
    than the first one, the order of the arguments was mistaken, and the function is meant all the same."""
    out: Values = {}
    for position in range(arguments.count()):
        for value, rank in engine.callables(arguments.at(position) or {}).items():
            if position == 0 or value[0] in (FUNCTION, BOUND):
                join(out, engine.result(value, None), rank)
    return engine.stub_instance("builtins.map", frozenset(out))


def _zip(engine: Engine, arguments: Arguments, site: Site | None) -> Values | None:
    """An iterator over tuples, each place of which is known by itself."""

    if arguments.starred():
        return None
    parts = [engine.iterate(arguments.at(position) or {}) for position in range(arguments.count())]
    least = max((rank for part in parts for rank in part.values()), default=CERTAIN)
    pair = ("tuple", tuple(frozenset(part) for part in parts))
    return dict.fromkeys(engine.stub_instance("builtins.zip", frozenset({pair})), least)


def _first(engine: Engine, arguments: Arguments, site: Site | None) -> Values | None:
    return dict(arguments.at(0) or {})


_SPECIAL: Final = {
    "builtins.super": _super,
    "builtins.type": _type,
    "functools.partial": _partial,
    "builtins.getattr": _getattr,
    "typing.cast": _cast,
    "builtins.map": _map,
    "builtins.zip": _zip,
    "importlib.import_module": _import_module,
    "builtins.__import__": _import_module,
    "builtins.staticmethod": _static,
    "builtins.classmethod": _classmethod,
    "builtins.property": _property,
    "functools.cached_property": _property,
    "dataclasses.replace": _first,
    "copy.copy": _first,
    "copy.deepcopy": _first,
    "functools.update_wrapper": _first,
}


def decorate(engine: Engine, table: Table, expression: int, values: Values, names: tuple[str, ...]) -> Values:
    """What a decorator makes of what it is given."""
    if any(name in _SAME for name in names):
        return values
    out: Values = {}
    arguments = Arguments(engine, None, -1, (values,))
    callers = engine.callables(engine.ask("expression", table.path, expression))
    if ("identity",) in engine.ask("expression", table.path, expression):
        return values
    for value, rank in callers.items():
        if value[0] == EXTERNAL:
            join(out, values, LIKELY)
            continue
        made = engine.result(value, arguments)
        if ("identity",) in made:
            return values
        join(out, made, rank)
    return out or values
