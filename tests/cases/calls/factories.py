"""A factory returns classes or instances by branch: each of them may be what is called."""


class Fast:
    def go(self):
        return "fast"


class Slow:
    def go(self):
        return "slow"


def choose(quick):
    if quick:
        return Fast
    return Slow


def build(quick):
    kind = choose(quick)  # calls: choose
    return kind()  # calls: Fast, Slow


for flag in (True, False):
    build(flag).go()  # calls: build, Fast.go, Slow.go
