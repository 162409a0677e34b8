# complete: binds, reads
x = (a  # reads: a | binds: x assign
     . b  # reads: .b
     . c (  # reads: .c
     ))


async   \
    def \
    odd(a, *args, b=1, **kw): pass  # binds: odd function, a parameter, args parameter, b parameter, kw parameter


class  Spaced  (  # binds: Spaced class
    x  # reads: x
    ): pass


try: pass
except (x  # comment as e # reads: x
        ) as  e: pass  # binds: e except name, e delete


import o.p as \
    q  # binds: q import

é = "ü"; ñ.öl = é.ß; z = ñ  # reads: é, .ß, ñ, ñ | binds: é assign, z assign
ｆｕｌｌ = ﬁx.ﬂ  # reads: fix, .fl | binds: full assign


def ünï(ä, é=ñ): return ä  # reads: ñ, ä | binds: ünï function, ä parameter, é parameter


from ö import ä as ß, ç  # binds: ß import, ç import
