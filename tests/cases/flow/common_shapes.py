"""Common shapes side by side: buses of handlers, factories, templates, caches, containers within containers."""

import abc
import contextlib
import functools
from collections import defaultdict, deque, OrderedDict
from typing import Any, Callable, ClassVar, Iterator, Optional, ParamSpec, Self, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


class Node:
    registry: ClassVar[dict[str, type["Node"]]] = {}

    def visit(self) -> int:
        return 1

    def chain(self) -> Self:
        return self

    @classmethod
    def make(cls) -> "Node":
        return cls()

    @staticmethod
    def helper():
        return Node()


class Leaf(Node):
    def visit(self) -> int:
        return 2

    def leaf_only(self):
        return 3


def timed(function: Callable[P, R]) -> Callable[P, R]:
    @functools.wraps(function)
    def wrapper(*args: P.args, **kwargs: P.kwargs) -> R:
        return function(*args, **kwargs)

    return wrapper


@timed
def build() -> Leaf:
    return Leaf()


class Bus:
    def __init__(self):
        self.handlers = defaultdict(list)
        self.queue = deque()
        self.single = {}

    def on(self, name, handler):
        self.handlers[name].append(handler)
        self.single.setdefault(name, []).append(handler)

    def emit(self, name):
        for handler in self.handlers[name]:
            handler()  # calls: listener?
        for handler in self.single.get(name, ()):
            handler()  # calls: listener?

    def push(self, item):
        self.queue.append(item)

    def drain(self):
        while self.queue:
            self.queue.popleft().visit()  # calls: Node.visit?


def listener():
    return 1


class Shape(abc.ABC):
    @abc.abstractmethod
    def area(self): ...

    def describe(self):
        return self.area()  # calls: Shape.area?, Square.area


class Square(Shape):
    def area(self):
        return 4


class Base:
    def template(self):
        return self.hook()  # calls: Base.hook~, Child.hook?

    def hook(self):
        return 0


class Child(Base):
    def hook(self):
        return super().hook() + 1  # calls: Base.hook


class Config:
    def __init__(self, node: Optional[Node] = None):
        self.node = node or Leaf()  # calls: Leaf
        self._cache: dict[str, Leaf] = {}

    @property
    def current(self) -> Node:
        return self.node

    def get(self, name):
        if name not in self._cache:
            self._cache[name] = Leaf()  # calls: Leaf
        return self._cache[name]


@contextlib.contextmanager
def scoped() -> Iterator[Leaf]:
    yield Leaf()  # calls: Leaf


def local_class():
    class Inner:
        def ping(self):
            return 1

    return Inner()  # calls: local_class.Inner


build().leaf_only()  # calls: timed.wrapper, Leaf.leaf_only
Node.make().visit()  # calls: Node.make, Node.visit, Leaf.visit?
Leaf().chain().leaf_only()  # calls: Leaf, Node.chain, Leaf.leaf_only
Node.helper().visit()  # calls: Node.helper, Node.visit
bus = Bus()  # calls: Bus
bus.on("x", listener)  # calls: Bus.on
bus.emit("x")  # calls: Bus.emit
bus.push(Node())  # calls: Bus.push, Node
bus.drain()  # calls: Bus.drain
Square().describe()  # calls: Square, Shape.describe
Child().template()  # calls: Child, Base.template
Config().current.visit()  # calls: Config, Config.current, Node.visit~, Leaf.visit
Config().get("a").leaf_only()  # calls: Config, Config.get, Leaf.leaf_only
with scoped() as leaf:  # calls: scoped~
    leaf.leaf_only()  # calls: Leaf.leaf_only
local_class().ping()  # calls: local_class, local_class.Inner.ping
with contextlib.ExitStack() as stack:
    stack.enter_context(scoped()).leaf_only()  # calls: scoped~, Leaf.leaf_only
items: list[Any] = [Leaf()]  # calls: Leaf
items[0].leaf_only()  # calls: Leaf.leaf_only
a, *rest = [Leaf(), Node()]  # calls: Leaf, Node
a.leaf_only()  # calls: Leaf.leaf_only
rest[0].visit()  # calls: Node.visit
x = y = Leaf()  # calls: Leaf
y.leaf_only()  # calls: Leaf.leaf_only
(lambda n: n.leaf_only())(Leaf())  # calls: <lambda>, Leaf, Leaf.leaf_only
ordered = OrderedDict()
ordered["k"] = Leaf()  # calls: Leaf
ordered["k"].leaf_only()  # calls: Leaf.leaf_only
names = {Leaf: "leaf", Node: "node"}
for kind in names:
    kind().visit()  # calls: Leaf, Node, Leaf.visit, Node.visit
{"a": Leaf()}.pop("a").leaf_only()  # calls: Leaf, Leaf.leaf_only
try:
    raise KeyError("x")
except (KeyError, ValueError) as error:
    error.args
pair = (Leaf(), Node())  # calls: Leaf, Node
pair[1].visit()  # calls: Node.visit
nested = {"a": {"b": [Leaf()]}}  # calls: Leaf
nested["a"]["b"][0].leaf_only()  # calls: Leaf.leaf_only
copy = dict(nested)
copy["a"]["b"][0].leaf_only()  # calls: Leaf.leaf_only
merged = {**nested, "c": 1}
merged["a"]["b"][0].leaf_only()  # calls: Leaf.leaf_only
both = [Leaf()] + [Leaf()]  # calls: Leaf
both[0].leaf_only()  # calls: Leaf.leaf_only
sl = [Leaf(), Node()][1:]  # calls: Leaf, Node
sl[0].visit()  # calls: Node.visit
functools.reduce(lambda acc, leaf: leaf, [Leaf()]).leaf_only()  # calls: Leaf, <lambda>, Leaf.leaf_only
