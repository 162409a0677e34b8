"""A method that is replaced from outside stays likely; what replaces it is possible."""


class Valve:
    def open(self):
        return "as written"


def loud(self):
    return "loud"


def patch():
    Valve.open = loud


def use():
    return Valve().open()  # calls: Valve, Valve.open, loud?


use()  # calls: use
patch()  # calls: patch
use()  # calls: use
