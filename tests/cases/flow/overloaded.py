"""An overload is chosen by number and type of arguments; a function under `singledispatch` has several bodies."""

from functools import singledispatch
from typing import overload


class Left:
    def go(self):
        return 1


class Right:
    def go(self):
        return 2


@overload
def pick(side: int) -> Left: ...
@overload
def pick(side: str) -> Right: ...
def pick(side):
    return Left() if isinstance(side, int) else Right()  # calls: Left, Right


pick(1).go()  # calls: pick, Left.go
pick("x").go()  # calls: pick, Right.go


@singledispatch
def show(value):
    return "any"


@show.register
def show_int(value: int):
    return "int"


show("x")  # calls: show~, show_int?
show(1)  # calls: show~, show_int?
