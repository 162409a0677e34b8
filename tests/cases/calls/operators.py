"""Operators, comparisons, subscripts, formatting, and what builtins like `len` do, are calls of special methods."""


class Money:
    def __init__(self, amount):
        self.amount = amount

    def __add__(self, other):
        return Money(1)  # calls: Money

    def __radd__(self, other):
        return self

    def __neg__(self):
        return self

    def __lt__(self, other):
        return True

    def __eq__(self, other):
        return True

    def __contains__(self, item):
        return False

    def __len__(self):
        return 1

    def __bool__(self):
        return True

    def __str__(self):
        return "m"

    def __format__(self, specification):
        return "f"

    def __getitem__(self, key):
        return Money(2)  # calls: Money

    def __setitem__(self, key, value):
        return None

    def __delitem__(self, key):
        return None

    def __call__(self):
        return 5


one, two = Money(1), Money(2)  # calls: Money
one + two  # calls: Money.__add__
1 + one  # calls: Money.__radd__
-one  # calls: Money.__neg__
one < two  # calls: Money.__lt__
one == two  # calls: Money.__eq__
3 in one  # calls: Money.__contains__
len(one)  # calls: Money.__len__
bool(one)  # calls: Money.__bool__
str(one)  # calls: Money.__str__
f"{one}"  # calls: Money.__format__
f"{one!s}"  # calls: Money.__str__
one["key"]  # calls: Money.__getitem__
one["key"] = 1  # calls: Money.__setitem__
del one["key"]  # calls: Money.__delitem__
one()  # calls: Money.__call__
not one  # calls: Money.__bool__
if one:  # calls: Money.__bool__
    pass
