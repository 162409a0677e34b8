# complete: exports
import sub

NAMES = ["n"]
__all__ = ["a", "b"]  # exports: = a, b
__all__ += ("c",)  # exports: += c
__all__ += sub.__all__  # exports: += + sub
__all__ = ["d"] + sub.__all__ + NAMES + list(sub.deep.__all__)  # exports: = d + sub + sub.deep + *NAMES
__all__ = [*NAMES, "e", *sub.__all__]  # exports: = e + sub + *NAMES
__all__.append("f")  # exports: append f
__all__.extend(["g", "h"])  # exports: += g, h
__all__.extend(sub.__all__)  # exports: += + sub
__all__.remove("g")  # exports: remove g
__all__.insert(0, "i")  # exports: append i
__all__ = __all__ + ["j"]  # exports: += j
__all__: list[str] = []  # exports: =
__all__ = [n for n in dir()]  # exports: =; unknown
__all__ += [sub.name]  # exports: unknown
__all__.sort()
if NAMES:
    __all__ += ["k"]  # exports: += k | block: if NAMES


class C:
    __all__ = ["not", "of", "the", "module"]


def f():
    __all__ = ["nor", "this"]
