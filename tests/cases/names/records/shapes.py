import collections
import typing
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple, TypedDict


@dataclass
class Job:
    name: str
    tags: list = field(default_factory=list)


class Pair(NamedTuple):
    left: int


class Options(TypedDict, total=False):
    depth: int


class Phase(Enum):
    IDLE = 0


Point = collections.namedtuple("Point", "x, y")
Line = typing.NamedTuple("Line", [("start", Point), ("end", Point)])
Settings = TypedDict("Settings", {"size": int})
Colour = Enum("Colour", ["RED", "BLUE"])


class Spot(collections.namedtuple("Spot", ["row", "column"])):
    def value(self):
        return self.row
