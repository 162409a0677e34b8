match s:
    case Go(p, to=n) as g:  # value: p = MATCH_POSITIONAL(MATCH_CLASS(s, Go, 1, to), 0), n = MATCH_ATTRIBUTE(MATCH_CLASS(s, Go, 1, to), to), g = MATCH_CLASS(s, Go, 1, to)
        pass
    case [a, *b, c]:  # value: a = ELEMENT(MATCH_SEQUENCE(s, 1, 1, 1), 0), b = REST(MATCH_SEQUENCE(s, 1, 1, 1), 1, -1), c = ELEMENT(MATCH_SEQUENCE(s, 1, 1, 1), -1)
        pass
    case {"k": v, **r}:  # value: v = MATCH_ITEM(MATCH_MAPPING(s, 'k'), 'k'), r = MATCH_REST(MATCH_MAPPING(s, 'k'))
        pass
    case A() | B() as x:  # value: x = MATCH_OR(s, MATCH_CLASS(s, A, 0, ), MATCH_CLASS(s, B, 0, ))
        pass
    case 3 as y:  # value: y = MATCH_VALUE(s, 3)
        pass
    case z:  # value: z = s
        pass
