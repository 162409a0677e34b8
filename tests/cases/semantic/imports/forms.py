# complete: import, binds
import os  # import: os | binds: os import
import a.b.c, d.e as f  # import: a.b.c, d.e as f | binds: a import, f import
from . import g  # import: .g | binds: g import
from ..h.i import j as k, l  # import: ..h.i.j as k, ..h.i.l | binds: k import, l import
from m import *  # import: m.*
from n import (
    o,  # import: n.o | binds: o import
    p as q,  # import: n.p as q | binds: q import
)


def later():  # binds: later function
    from r import s  # import: r.s | binds: s import


import importlib  # import: importlib | binds: importlib import
t = importlib.import_module("u.v")  # import: u.v dynamic | binds: t assign
w = __import__("x")  # import: x dynamic | binds: w assign
importlib.import_module(".y", __package__)  # import: .y dynamic
importlib.import_module("..y", package=__name__)  # import: ..y dynamic
importlib.import_module(".z", "pkg.sub")  # import: pkg.sub.z dynamic
importlib.import_module(w)
importlib.import_module(".z", w)
importlib.import_module(f"a{w}")
importlib.import_module("no module")
