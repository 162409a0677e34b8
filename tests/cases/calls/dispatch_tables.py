"""A table with constant keys is known entry by entry; with a key that is not known all entries are possible."""


def add(a, b):
    return a + b


def subtract(a, b):
    return a - b


TABLE = {"+": add, "-": subtract}


def constant():
    return TABLE["+"](1, 2)  # calls: add


def any_key(sign):
    return TABLE[sign](1, 2)  # calls: add?, subtract?


def with_get(sign):
    function = TABLE.get(sign, add)
    return function(1, 2)  # calls: add, subtract


def every():
    return [function(1, 2) for function in TABLE.values()]  # calls: add, subtract


constant()  # calls: constant
any_key("+")  # calls: any_key
any_key("-")  # calls: any_key
with_get("-")  # calls: with_get
with_get("*")  # calls: with_get
every()  # calls: every
