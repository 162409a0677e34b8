"""Type parameters carry what they stand for: in classes, functions, bounds, `type[T]`, and callables."""

from __future__ import annotations

from typing import Callable, Generic, Optional, TypeVar, Union

T = TypeVar("T")


class Cup:
    def fill(self):
        return 1


class Jug:
    def pour(self):
        return 2


class Shelf(Generic[T]):
    def __init__(self, item: T):
        self.item = item

    def take(self) -> T:
        return self.item


def same(item: T) -> T:
    return item


def make(kind: type[T]) -> T:
    return kind()  # calls: Cup, Jug


def run(maker: Callable[[], T]) -> T:
    return maker()  # calls: Cup


def many(items: list[Cup], named: dict[str, Jug], maybe: Optional[Cup], either: Union[Cup, Jug]):
    items[0].fill()  # calls: Cup.fill
    for item in items:
        item.fill()  # calls: Cup.fill
    named["a"].pour()  # calls: Jug.pour
    for jug in named.values():
        jug.pour()  # calls: Jug.pour
    for _name, jug in named.items():
        jug.pour()  # calls: Jug.pour
    if maybe:
        maybe.fill()  # calls: Cup.fill
    if isinstance(either, Jug):
        either.pour()  # calls: Jug.pour


Shelf(Cup()).take().fill()  # calls: Shelf, Cup, Shelf.take, Cup.fill
same(Cup()).fill()  # calls: same, Cup, Cup.fill
make(Cup).fill()  # calls: make, Cup.fill
make(Jug).pour()  # calls: make, Jug.pour
run(Cup).fill()  # calls: run, Cup.fill
many([Cup()], {"a": Jug()}, Cup(), Jug())  # calls: many, Cup, Jug
