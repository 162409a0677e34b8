from extension import *


def early(): ...


def late(): ...


from _accelerated import *


def after(): ...


def add():
    globals().update(born=1)


early  # resolves: main.early likely
after  # resolves: main.after
unknown_here  # unknown: _accelerated is outside the tree and imported with *
