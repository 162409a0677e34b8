from functools import singledispatch
from typing import overload


@overload
def to(x: int) -> str: ...
@overload
def to(x: str) -> int: ...
def to(x): ...

to  # resolves: main.to


class Tank:
    @property
    def level(self): ...
    @level.setter
    def level(self, value): ...
    @level.deleter
    def level(self): ...

Tank.level  # resolves: main.Tank.level


@singledispatch
def show(x): ...
@show.register
def _(x: int): ...
@show.register
def _(x: str): ...

show  # resolves: main.show
