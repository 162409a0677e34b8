COUNT = 0


def make():
    global LATE, COUNT
    LATE = 1
    COUNT += 1


def use():
    return LATE  # resolves: main.LATE likely


def counts():
    return COUNT  # resolves: main.COUNT
