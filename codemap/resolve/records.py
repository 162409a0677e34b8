# What name resolution hands back. A Resolution is never a bare "no": what was not found carries reasons, so
# that every layer above can tell "there is none" from "nobody can know".
#
# Lines start at 1, columns at 0, as in facts; answers turn columns around once, in queries/describe.py.
from __future__ import annotations

from typing import Final, NamedTuple

from codemap.model.answers import CERTAIN

# kinds of definition (the first six are those of CLI.md)
CLASS: Final = "class"
FUNCTION: Final = "function"
METHOD: Final = "method"
ATTRIBUTE: Final = "attribute"
MODULE: Final = "module"
CONSTANT: Final = "constant"
VARIABLE: Final = "variable"  # a local of a function
PARAMETER: Final = "parameter"
EXTERNAL: Final = "external"  # outside the tree: `name` is all that is known, `file` is ""

# kinds of import, strongest reason first (see docs/decisions/names-import-kinds.md)
RUNTIME: Final = "runtime"
TYPING: Final = "typing"
LAZY: Final = "lazy"
OPTIONAL: Final = "optional"


class Definition(NamedTuple):
    """One definition. `name` is qualified; two definitions are the same when all fields are equal.

    `owner` is the scope in which the name lives (0: the module; -1 for modules themselves and for what is
    outside the tree), `scope` the class's, function's or module's own scope (-1 for anything else). `binding` is
    the index in the outline's bindings (in the body's for locals), `store` that in the outline's attribute stores.
    """

    kind: str
    name: str
    file: str
    line: int = 1
    column: int = 0
    owner: int = -1
    scope: int = -1
    binding: int = -1
    store: int = -1


class Step(NamedTuple):
    """One import that a name travelled through: `module` (in `file`, at `line`) takes `name` from `source`."""

    module: str
    file: str
    line: int
    column: int
    import_kind: str
    source: str
    name: str


class Reason(NamedTuple):
    """Why a name, or one of its possibilities, could not be followed any further."""

    name: str
    file: str
    line: int
    text: str


class Found(NamedTuple):
    """One thing that a name may denote. `how` names the rule, `guard` the condition it stands under, if any."""

    definition: Definition
    confidence: str = CERTAIN
    how: str = "definition"
    guard: str = ""
    trail: tuple[Step, ...] = ()


class Resolution(NamedTuple):
    """All that a name may denote, in the order of preference, and the reasons for what is missing."""

    found: tuple[Found, ...] = ()
    reasons: tuple[Reason, ...] = ()


NOTHING: Final = Resolution()
