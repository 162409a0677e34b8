# complete: binds, reads
match command:  # reads: command
    case Go(to=n, how=Fast()) as g if allowed(n):  # reads: Go, Fast, allowed, n | binds: n match, g match
        pass
    case mod.Point(x, 0):  # reads: mod, .Point | binds: x match
        pass
    case [first, *rest, last]:  # binds: first match, rest match, last match
        pass
    case {"k": v, K.x: 2, **others}:  # reads: K, .x | binds: v match, others match
        pass
    case -1 | None | "s" | K.y:  # reads: K, .y
        pass
    case (a as b) | [b]:  # binds: a match, b match, b match
        pass
    case {**rest}:  # binds: rest match
        pass
    case other:  # binds: other match
        pass
