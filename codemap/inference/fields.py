# Fields that a class statement declares: dataclasses, attrs classes, named tuples, typed dictionaries.
from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.model import facts
from codemap.model.facts import Binding

if TYPE_CHECKING:
    from codemap.inference.engine import Engine

_DECORATORS = frozenset(
    {"dataclass", "define", "frozen", "mutable", "attrs", "s", "attr", "dataclass_transform", "Struct"}
)
_BASES = frozenset({"NamedTuple", "TypedDict", "BaseModel", "Struct"})


def fields(engine: Engine, path: str, scope: int) -> list[tuple[str, Binding, tuple[str, int]]]:
    """(name, binding, class) of the fields that the constructor takes, in its order; empty for other classes."""
    out: dict[str, tuple[str, Binding, tuple[str, int]]] = {}
    like = False
    for klass in reversed(engine.mro(path, scope)):
        if klass[0].startswith("<"):
            continue
        table = engine.table(klass[0])
        row = table.view.class_facts(klass[1])
        if row is None:
            continue
        here = any(text.rpartition(".")[2] in _DECORATORS for text in row.decorators) or any(
            text.rpartition(".")[2] in _BASES for text in row.bases
        )
        like = like or here
        if not like:
            continue
        for binding in table.view.outline.bindings:
            if binding.scope != klass[1] or binding.within != klass[1]:
                continue
            if (
                binding.kind in (facts.DECLARED, facts.ANNOTATED)
                and binding.annotation.rpartition(".")[2] != "ClassVar"
            ) or (
                binding.kind == facts.ASSIGN
                and binding.callee.rpartition(".")[2] in ("field", "ib", "attrib")
            ):
                out[binding.name] = (binding.name, binding, klass)
    return list(out.values())


def is_named_tuple(engine: Engine, path: str, scope: int) -> bool:
    """Whether a class derives from `NamedTuple`, so that its fields have positions."""
    for klass in engine.mro(path, scope):
        row = None if klass[0].startswith("<") else engine.table(klass[0]).view.class_facts(klass[1])
        if row is not None and any(text.rpartition(".")[2] == "NamedTuple" for text in row.bases):
            return True
    return False
