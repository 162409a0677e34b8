# complete: scope, binds
import os  # binds: os import


class Outer:  # scope: class Outer in module | binds: Outer class
    size = 1  # binds: size assign

    def method(self, n):  # scope: function method in class Outer | binds: method function, self parameter, n parameter
        def inner():  # scope: function inner in function method | binds: inner function
            return n

        return [i * n for i in range(n)]  # scope: comprehension <listcomp> in function method | binds: i for

    key = lambda self, *a, k=1, **kw: k  # scope: lambda <lambda> in class Outer | binds: self parameter, a parameter, k parameter, kw parameter, key assign


pairs = {k: v for k, v in os.environ}  # scope: comprehension <dictcomp> in module | binds: k for, v for, pairs assign
some = {a for a in "x" if (b := a)}  # scope: comprehension <setcomp> in module | binds: a for, b walrus @module, some assign


def total(xs):  # scope: function total in module | binds: total function, xs parameter
    if any((hit := x) for x in xs):  # scope: comprehension <genexpr> in function total | binds: x for, hit walrus @total
        return hit


async def a_sync():  # scope: function a_sync in module | binds: a_sync function
    async for x in y():  # binds: x for
        pass
