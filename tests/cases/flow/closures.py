"""Names of functions around are seen as they end up; `nonlocal` and `global` write them."""


def one():
    return 1


def two():
    return 2


def outer():
    chosen = one

    def inner():
        return chosen()  # calls: one, two

    inner()  # calls: outer.inner
    chosen = two
    return inner


outer()()  # calls: outer, outer.inner

current = one


def switch():
    global current
    current = two


current()  # calls: one
switch()  # calls: switch
