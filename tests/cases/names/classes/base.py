class Root:
    level = 0

    def __init__(self):
        self.name = "root"

    def act(self): ...
    def shared(self): ...


class Left(Root):
    def act(self): ...


class Right(Root):
    def act(self): ...
    def shared(self): ...


class Bottom(Left, Right):
    def setup(self):
        self.ready = True

    class Inner:
        def deep(self): ...


class Mixin:
    def mark(self):
        self.marked = 1
