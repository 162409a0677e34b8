import shapes
from shapes import Circle

Round = shapes.Circle
Again = Round
Choice = Circle if shapes.flag else shapes.Square
maker = shapes.make
Number = 3

Round.area  # resolves: shapes.Circle.area
Again.area  # resolves: shapes.Circle.area
Choice.area  # resolves: shapes.Circle.area likely, shapes.Square.area likely
Number.area  # unknown: not known by name


class Special(Again): ...
Special.area  # resolves: shapes.Circle.area
