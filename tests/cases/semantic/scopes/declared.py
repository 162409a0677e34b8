# complete: binds
COUNT = 0  # binds: COUNT assign


def bump():  # binds: bump function
    global COUNT, LATE
    COUNT += 1  # binds: COUNT augmented @module
    LATE = [n for n in ()]  # binds: n for, LATE assign @module
    for COUNT in ():  # binds: COUNT for @module
        pass
    import os  # binds: os import

    class Local:  # binds: Local class
        x = 1  # binds: x assign


def outer(param):  # binds: outer function, param parameter
    def inner():  # binds: inner function
        nonlocal param, later
        param = 2  # binds: param assign @outer
        later = 3  # binds: later assign @outer
        [0 for _ in () if (param := 4)]  # binds: _ for, param walrus @outer

    later = 1  # binds: later assign
    return inner


class Body:  # binds: Body class
    global MADE
    MADE = 1  # binds: MADE assign @module
