import os


def shown(): return 1
first = shown  # resolves: main.shown
def shown(): return 2


def reader():
    return shown  # resolves: main.shown


class Node: ...
class Node(Node): ...  # resolves: main.Node


def gone(): ...
del gone


def after():
    return gone  # unknown: deleted at line 18


if os.name == "nt":
    def path(): return "nt"
else:
    def path(): return "posix"

path  # resolves: main.path likely, main.path likely

if os.name:
    def both(): return 1
elif os.sep:
    def both(): return 2
both  # resolves: main.both likely, main.both likely


def replaced(): return 1
if os.name:
    def replaced(): return 2
else:
    def replaced(): return 3
replaced  # resolves: main.replaced likely, main.replaced likely

def kept(): return 1
if os.name:
    def kept(): return 2
kept  # resolves: main.kept likely, main.kept likely

if os.name:
    def only(): ...
else:
    raise RuntimeError
only  # resolves: main.only

if False:
    def never(): ...
else:
    def never(): ...
never  # resolves: main.never

try:
    def tried(): ...
finally:
    pass
tried  # resolves: main.tried

with open("x"):
    def within(): ...
within  # resolves: main.within


def body():
    pass
body: object  # unknown: builtins
