# complete: binds, reads
def decorate(f):  # binds: decorate function, f parameter
    return f  # reads: f


@decorate  # reads: decorate
def run(a=decorate, *, b: decorate = 1) -> decorate:  # binds: run function, a parameter, b parameter | reads: decorate, decorate, decorate
    return run  # reads: run


class K(run):  # reads: run | binds: K class
    x = y = run  # reads: run | binds: x assign, y assign
    x.a[y] = x  # reads: x, x, .a, y


x, (y, *z) = run()  # reads: run | binds: x assign, y assign, z assign
for i in x:  # reads: x | binds: i for
    pass
with x as m, y as (n, o):  # reads: x, y | binds: m with target, n with target, o with target
    pass
try:
    pass
except x as e:  # reads: x | binds: e except name, e delete
    print(e)  # reads: print, e
x += y  # reads: x, y | binds: x augmented
x: run = y  # reads: y, run | binds: x annotated
w: run  # reads: run | binds: w declared
del x, (y, z)  # binds: x delete, y delete, z delete
print(q := i, q)  # reads: print, i, q | binds: q walrus
z = [(c, d) for c in x for d in c if d]  # reads: x, c, d, c, d | binds: c for, d for, z assign
t = lambda u=x: u  # reads: x, u | binds: u parameter, t assign
