"""`for`, unpacking and star arguments call `__iter__` and `__next__`; an old sequence has `__getitem__` alone."""


class Countdown:
    def __init__(self):
        self.left = 2

    def __iter__(self):
        return self

    def __next__(self):
        self.left -= 1
        if self.left < 0:
            raise StopIteration
        return Item()  # calls: Item


class Item:
    def use(self):
        return 1


class Letters:
    def __getitem__(self, place):
        return "ab"[place]


def loop():
    for item in Countdown():  # calls: Countdown, Countdown.__iter__, Countdown.__next__
        item.use()  # calls: Item.use


def unpack():
    one, two = Countdown()  # calls: Countdown, Countdown.__iter__, Countdown.__next__
    one.use()  # calls: Item.use


def letters():
    for letter in Letters():  # calls: Letters, Letters.__getitem__
        letter.upper()


loop()  # calls: loop
unpack()  # calls: unpack
letters()  # calls: letters
