"""`super()` goes along the MRO of whatever instance it is; an override in the tree weakens a declared type."""


class Base:
    def __init__(self):
        self.prepare()  # calls: Base.prepare?, Left.prepare?, Right.prepare?

    def prepare(self):
        raise NotImplementedError

    def save(self):
        return "base"


class Left(Base):
    def prepare(self):
        return "left"

    def save(self):
        return super().save()  # calls: Right.save?, Base.save


class Right(Base):
    def prepare(self):
        return "right"

    def save(self):
        return super().save()  # calls: Base.save


class Both(Left, Right):
    def save(self):
        return super().save()  # calls: Left.save


def store(item: Base):
    return item.save()  # calls: Base.save~, Left.save?, Right.save?, Both.save?


store(Left())  # calls: store, Left
store(Right())  # calls: store, Right
store(Both())  # calls: store, Both
