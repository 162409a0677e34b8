"""Members of an enumeration are its instances, however they are come by."""

import enum


class Color(enum.Enum):
    RED = 1
    BLUE = 2

    def paint(self):
        return self.name

    @classmethod
    def default(cls):
        return cls.RED


Color.RED.paint()  # calls: Color.paint
Color["BLUE"].paint()  # calls: Color.paint
Color.default().paint()  # calls: Color.default, Color.paint
for color in Color:
    color.paint()  # calls: Color.paint
