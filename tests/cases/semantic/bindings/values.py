def pair():
    return 1, 2


a, b = pair()  # value: a = ELEMENT(pair(), 0), b = ELEMENT(pair(), 1)
a, *b, c = pair()  # value: a = ELEMENT(pair(), 0), b = REST(pair(), 1, -1), c = ELEMENT(pair(), -1)
*a, b = pair()  # value: a = REST(pair(), 0, -1), b = ELEMENT(pair(), -1)
a, (b, c) = pair()  # value: a = ELEMENT(pair(), 0), b = ELEMENT(ELEMENT(pair(), 1), 0), c = ELEMENT(ELEMENT(pair(), 1), 1)
a, b = b, a  # value: a = b, b = a
a = b = pair()  # value: a = pair(), b = pair()
[a, b] = (pair, 1)  # value: a = pair, b = 1
for n, c in enumerate(a):  # value: n = ELEMENT(ITERATE(enumerate(a)), 0), c = ELEMENT(ITERATE(enumerate(a)), 1)
    pass
with pair() as p, pair() as (q, r):  # value: p = ENTER(pair()), q = ELEMENT(ENTER(pair()), 0), r = ELEMENT(ENTER(pair()), 1)
    pass
try:
    pass
except (KeyError, OSError) as e:  # value: e = CAUGHT((KeyError, OSError))
    pass
x += 1  # value: x = (x += 1)
x = f"a{b!r:>{c}}" "z"  # value: x = FSTRING('a', FORMATTED(b, r, FSTRING('>', FORMATTED(c))), 'z')
x = a if b else c  # value: x = (a if b else c)
x = a and b or c  # value: x = ((a and b) or c)
x = a < b is not c  # value: x = (a < b is-not c)
x = f(a, *b, k=c, **d)  # value: x = f(a, *b, k=c, **=d)
x = a.b[c:d:e, ...]  # value: x = a.b[((c:d:e), ...)]
x = {**a, "k": b}  # value: x = {**a, 'k': b}
x = {k: v for k, v in a if k}  # value: k = ELEMENT(ITERATE(a), 0), v = ELEMENT(ITERATE(a), 1), x = dict[k, v for ITERATE(a)]
x = lambda y: y  # value: x = lambda y
x = -a + ~b  # value: x = (-a + ~b)
x = (y := 1)  # value: y = 1, x = (y := 1)
a.b = c  # value: a.b = c
a.b, c[0] = d  # value: a.b = ELEMENT(d, 0)
x = 10**30 and 100000000000000000000000  # value: x = ((10 ** 30) and int)


async def f():
    async with a as b:  # value: b = ENTER(a, async)
        x = await b  # value: x = await b
    async for c in a:  # value: c = ITERATE(a, async)
        y = yield c  # value: y = yield c
