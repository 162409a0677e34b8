x = 1
def helper(): ...


class Box:
    x = 2
    size = x  # resolves: main.Box.x

    def get(self):
        return x  # resolves: main.x

    def own(self):
        x = 3
        return x  # resolves: main.Box.own.x

    later = [x for _ in range(3)]


def outer(x):
    def inner():
        return x  # resolves: main.outer.x

    def rebinds():
        nonlocal x
        x = 4
        return x  # resolves: main.outer.x

    def reads_global():
        global x
        return x  # resolves: main.x

    def own_helper():
        def helper(): ...
        return helper  # resolves: main.outer.own_helper.helper

    return inner  # resolves: main.outer.inner


squares = [item for item in range(3) if item]  # resolves: main.item
run = lambda value: value  # resolves: main.value
print  # unknown: builtins
missing  # unknown: not bound


def generic[T](thing: T) -> T:
    return T  # resolves: main.generic.T
