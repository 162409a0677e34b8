# complete: stores
class C:
    def __init__(self, other):
        self.a = 1  # stores: self* a assign
        self.b: int = 2  # stores: self* b annotated
        self.c: int  # stores: self* c declared
        self.d += 1  # stores: self* d augmented
        self.e.f = 3  # stores: self.e f assign
        other.g = 4  # stores: other g assign
        del self.h  # stores: self* h delete
        for self.i in ():  # stores: self* i for
            pass
        with x as self.j:  # stores: self* j with target
            pass
        f().k = 5  # stores: ? k assign
        self.l, y.m = 6, 7  # stores: self* l assign, y m assign

        def later():
            self.n = 8  # stores: self* n assign

    @classmethod
    def make(cls):
        cls.o = 9  # stores: cls* o assign

    @staticmethod
    def plain(self):
        self.p = 10  # stores: self p assign


def free(self):
    self.q = 11  # stores: self q assign


C.r = free  # stores: C r assign
mod.D.s = free  # stores: mod.D s assign
