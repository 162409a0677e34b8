class Kept:
    def method(self): ...


def broken(:
    pass


def after(): ...
