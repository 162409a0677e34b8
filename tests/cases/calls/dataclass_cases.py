"""Fields of dataclasses are what constructing calls and their annotations say; `replace` keeps them."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field


class Motor:
    def spin(self):
        return 1


@dataclass
class Boat:
    motor: Motor
    spares: list[Motor] = field(default_factory=list)

    def __post_init__(self):
        self.motor.spin()  # calls: Motor.spin


boat = Boat(Motor())  # calls: Boat, Motor
boat.motor.spin()  # calls: Motor.spin
other = dataclasses.replace(boat, motor=Motor())  # calls: Motor
other.motor.spin()  # calls: Motor.spin
for spare in [*boat.spares, Motor()]:  # calls: Motor
    spare.spin()  # calls: Motor.spin
