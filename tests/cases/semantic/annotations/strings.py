# complete: reads
from __future__ import annotations


def f(a: "Foo", b: "list[Bar]", c: Optional["pkg.Baz"]) -> "Foo | None":  # reads: Foo, list, Bar, Optional, pkg, .Baz, Foo
    x: "Local" = 1  # reads: Local
    y: Literal["data"] = 2  # reads: Literal
    z: Annotated["T", "meta"] = 3  # reads: Annotated, T


class C(Base["Item"]):  # reads: Base, Item
    field: "ClassVar[int]" = 0  # reads: ClassVar, int


T = TypeVar("T", bound="Bound")  # reads: TypeVar, Bound
v = cast("Target", w)  # reads: cast, Target, w
odd: "not an ex pression"
escaped: "A\x42C" = 1  # reads: ABC
joined: "Al" "pha"  # reads: Alpha
A: TypeAlias = "B | C"  # reads: B, C, TypeAlias
U: "X" | "Y"  # reads: X, Y
