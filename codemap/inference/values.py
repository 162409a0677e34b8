# What an expression may denote. A value is a plain tuple that begins with its tag: values are made, hashed and
# compared by the hundred thousand, and a tuple is the cheapest thing that does all three. Definitions are named
# by (file, scope), which is how the facts name them.
#
#   (CLASS, file, scope)                       a class object
#   (INSTANCE, file, scope, arguments, open)   an instance; `arguments` are sets of values for its type parameters;
#                                              open: perhaps of a subclass (a declared type, `self`)
#   (FUNCTION, file, scope)                    a function or a lambda, not bound
#   (BOUND, function, receiver)                a bound method
#   (MODULE, name)
#   (DISPLAY, file, expression)                the list, dict, set, tuple or comprehension that an expression makes
#   (PARTIAL, file, expression)                what a call of functools.partial gives
#   (SUPER, file, scope, receiver)             super() in a method of the class
#   (TEXT, constant)                           a string whose text is known
#   (PATTERN, start, end)                      a string of which the start and the end are known
#   (NUMBER, constant)                         an integer that is known
#   (SLICE, value, from, to)                   a part of a display or of `*args`
#   (NONE,)
#   (TYPE_VARIABLE, name)                      a type parameter that nothing has bound yet
#   (GENERATOR, file, scope) (COROUTINE, file, scope)   what calling such a function gives
#   (VARIADIC, file, scope, name)              the tuple of `*args`, the dict of `**kwargs`
#   (PROPERTY, function)                       a property object, seen from its class
#   (STATIC, function) (CLASSMETHOD, function) what the decorators of these names give
#   (EXTERNAL, name)                           something outside the tree and outside the standard library's stubs
from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

Value = tuple[Any, ...]
Values = dict[Value, int]  # value -> rank of its confidence

# ranks: smaller is surer, so that "the surest way" is min and "the weakest link" is max
CERTAIN: Final = 0
LIKELY: Final = 1
POSSIBLE: Final = 2

CLASS: Final = "class"
INSTANCE: Final = "instance"
FUNCTION: Final = "function"
BOUND: Final = "bound"
MODULE: Final = "module"
DISPLAY: Final = "display"
PARTIAL: Final = "partial"
SUPER: Final = "super"
TEXT: Final = "text"
PATTERN: Final = "pattern"
NUMBER: Final = "number"
SLICE: Final = "slice"
NONE: Final = "none"
TYPE_VARIABLE: Final = "type variable"
GENERATOR: Final = "generator"
COROUTINE: Final = "coroutine"
VARIADIC: Final = "variadic"
PROPERTY: Final = "property"
STATIC: Final = "static"
CLASSMETHOD: Final = "classmethod"
EXTERNAL: Final = "external"

NOTHING: Final[Values] = {}


def join(into: Values, more: Values, least: int = CERTAIN) -> None:
    """Add values, none of them surer than `least`."""
    for value, rank in more.items():
        rank = max(least, rank)
        known = into.get(value)
        if known is None or rank < known:
            into[value] = rank


def weaker(values: Values, least: int) -> Values:
    """The same values, none of them surer than `least`."""
    if least == CERTAIN:
        return values
    return {value: max(least, rank) for value, rank in values.items()}


# Names of things outside the tree stay short: code that calls itself or goes round (`x = x.view()`, `node = node.next`)
# would give ever longer ones, and nothing more is known of the longer than of the shorter.
_MOST_PARTS: Final = 8


def external_attribute(name: str, attribute: str) -> Value:
    """An attribute of something outside; of what a call gave, only the last one is kept in the name."""
    head, call, _ = name.partition("()")
    if call:
        return (EXTERNAL, f"{head}().{attribute}")
    if name.count(".") >= _MOST_PARTS:
        name = name.rpartition(".")[0]
    return (EXTERNAL, f"{name}.{attribute}")


def external_result(name: str) -> Value:
    """What calling something outside gives: of a chain of calls, the first is kept in the name."""
    return (EXTERNAL, name.partition("()")[0] + "()")


# Types within types end somewhere: `x = [x]` in code that goes round would nest them without end.
LEVELS: Final = 3


def shallow(values: Iterable[Value], levels: int = LEVELS) -> frozenset[Value]:
    """The values, with what their types are parameterised by only down to some levels."""
    return frozenset(
        [_trimmed(value, levels) if value[0] in (INSTANCE, "tuple") else value for value in values]
    )


def _trimmed(value: Value, levels: int) -> Value:
    if value[0] == "tuple":
        return ("tuple", tuple(shallow(one, levels - 1) for one in value[1]) if levels > 0 else ())
    if not value[3]:
        return value
    inner = tuple(shallow(one, levels - 1) for one in value[3]) if levels > 0 else ()
    return (INSTANCE, value[1], value[2], inner, value[4])
