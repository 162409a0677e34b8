"""A decorator is called where it is applied; what the name calls afterwards is what it returned."""

import functools


def plain(function):
    return function


def wrapped(function):
    @functools.wraps(function)
    def inner(*args):
        return function(*args)  # calls: greet

    return inner


def with_arguments(times):
    def decorate(function):
        def repeat():
            for _ in range(times):
                function()  # calls: knock

        return repeat

    return decorate


@plain  # calls: plain
def ask():
    return 1


@wrapped  # calls: wrapped
def greet(name):
    return name


@with_arguments(2)  # calls: with_arguments, with_arguments.decorate
def knock():
    return None


ask()  # calls: ask
greet("you")  # calls: wrapped.inner
knock()  # calls: with_arguments.decorate.repeat
