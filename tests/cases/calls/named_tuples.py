"""Fields of named tuples and typed dictionaries have the types that they declare."""

from typing import NamedTuple, TypedDict


class Wheel:
    def roll(self):
        return 1


class Cart(NamedTuple):
    front: Wheel
    back: Wheel


class Spec(TypedDict):
    wheel: Wheel


cart = Cart(Wheel(), Wheel())  # calls: Cart, Wheel
cart.front.roll()  # calls: Wheel.roll
front, back = cart
cart[0].roll()  # calls: Wheel.roll
back.roll()  # calls: Wheel.roll
cart._replace(front=Wheel()).front.roll()  # calls: Wheel, Wheel.roll
spec: Spec = {"wheel": Wheel()}  # calls: Wheel
spec["wheel"].roll()  # calls: Wheel.roll
