# complete: flow
def f(x):
    """Not a flow."""
    ...
    return x  # flow: return x


def g(x):
    y = yield x  # flow: yield x
    yield from y  # flow: yield from y, expression YIELD_FROM(y)
    return  # flow: return -


def h(x):
    assert x, "why"  # flow: assert x
    x.y()  # flow: expression x.y()
    raise E(x) from x  # flow: raise E(x), raise from x


k = lambda x: x.z  # flow: return x.z
