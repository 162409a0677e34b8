def returns(x):
    if x:
        return 1  # ends
    elif x.y:
        raise x  # ends
    else:
        return 2
    dead = 1  # block: dead


def loops(xs):
    for x in xs:
        if x:
            y = x  # ends
            continue
        break
        dead = 1  # block: dead
    alive = 1  # block: root
    while True:
        if alive:
            return 1
    dead = 1  # block: dead


def broken():
    while True:
        if x:
            break
    alive = 1  # block: root


def nested():
    while True:
        for x in y:
            break
    dead = 1  # block: dead


def tries(x):
    try:
        return x
    except KeyError:
        raise
    dead = 1  # block: dead


def falls(x):
    try:
        return x
    except KeyError:
        pass
    alive = 1  # block: root


def finishes(x):
    try:
        x()
    finally:
        return 1
    dead = 1  # block: dead


def withs(x):
    with x:
        return 1
    dead = 1  # block: dead


def swallowed(x):
    with suppress(KeyError):
        return x[0]
    alive = 1  # block: root


def raised(x):
    with x:
        raise x
    alive = 1  # block: root


def matches(x):
    match x:
        case 1:
            return 1
        case _:
            return 2
    dead = 1  # block: dead


def guarded(x):
    match x:
        case 1:
            return 1
        case _ if x:
            return 2
    alive = 1  # block: root


def always():
    assert False
    dead = 1  # block: dead


def only(x):
    if True:
        return x
    dead = 1  # block: dead
