"""A Protocol is what fits it: the classes of the tree that have its members."""

from typing import Protocol


class Greeter(Protocol):
    def greet(self) -> str: ...


class English:
    def greet(self) -> str:
        return "hello"


class Silent:
    def rest(self) -> str:
        return ""


def welcome(who: Greeter):
    return who.greet()  # calls: Greeter.greet?, English.greet


welcome(English())  # calls: welcome, English
