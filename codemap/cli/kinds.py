# The kinds of definition that `find --kind` takes.
from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from codemap.errors import UsageError

KINDS: Final = ("class", "function", "method", "attribute", "module", "constant")


def kinds_of(words: Sequence[str]) -> tuple[str, ...]:
    """The kinds of `--kind class,function --kind method`. Raises UsageError."""
    kinds = tuple(dict.fromkeys(part.strip() for word in words for part in word.split(",") if part.strip()))
    for kind in kinds:
        if kind not in KINDS:
            from codemap.nearest import nearest

            near = nearest(kind, KINDS)
            hint = f"did you mean {near[0]}?" if near else f"kinds are {', '.join(KINDS)}"
            raise UsageError(f"--kind {kind} is no kind of definition", hint)
    return kinds
