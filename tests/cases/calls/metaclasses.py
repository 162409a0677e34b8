"""A metaclass runs when its classes are defined and when they are called."""


class Meta(type):
    def __new__(mcs, name, bases, body):
        return super().__new__(mcs, name, bases, body)

    def __call__(cls, *args):
        return super().__call__(*args)


class Made(metaclass=Meta):
    def go(self):
        return 1


Made().go()  # calls: Made, Meta.__call__, Made.go
