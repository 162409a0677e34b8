"""What is handed to a function of the tree is called there; what is handed outside is called at that site."""

import functools
import threading
from concurrent.futures import ThreadPoolExecutor


def apply(function, value):
    return function(value)  # calls: double, Shop.price


def double(value):
    return 2 * value


def size(value):
    return -value


class Shop:
    def price(self, value):
        return value

    def load(self):
        with ThreadPoolExecutor(1) as pool:
            pool.submit(self.price, 4).result()  # calls: Shop.price~


def tick():
    return None


apply(double, 1)  # calls: apply
apply(Shop().price, 1)  # calls: apply, Shop
Shop().load()  # calls: Shop, Shop.load
list(map(double, [1, 2]))  # calls: double
sorted([2, 1], key=size)  # calls: size
max([1, 2], key=lambda value: size(value))  # calls: <lambda>, size
thread = threading.Thread(target=tick)  # calls: tick~
thread.start()
thread.join()
late = functools.partial(double, 5)  # calls: double~
late()  # calls: double
