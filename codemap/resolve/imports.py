# What an import statement says: its kind and the module it means. Nothing here follows it any further.
from __future__ import annotations

import re

from codemap.model import facts
from codemap.model.facts import Import
from codemap.resolve.program import Program
from codemap.resolve.records import LAZY, OPTIONAL, RUNTIME, TYPING
from codemap.resolve.views import View

# what an `except` has to catch for an import in its `try` to be optional
_IMPORT_ERRORS = frozenset({"ImportError", "ModuleNotFoundError", "Exception", "BaseException", ""})

_SUPPRESSED = re.compile(r"\bsuppress\(([^()]+)\)")


def import_kind(view: View, row: Import) -> str:
    """ "typing", "lazy", "optional" or "runtime": the strongest reason why the import may not run with its module.

    Under `if TYPE_CHECKING:` it is typing; in a function, with PEP 810's `lazy`, through `import_module` in
    one, or under `if __name__ == "__main__":` it is lazy; in a `try` or `with suppress(ImportError)` that
    survives its failure, or in such a handler, it is optional. What never runs (`if False:`) is typing too: for that
    it was written when there was no TYPE_CHECKING.
    """
    return kind_of_block(view, row.block, row.lazy)


def kind_of_block(view: View, block: int, later: bool = False) -> str:
    """The kind of an import that stands in a block; `later` where it runs later than its block all the same."""
    kind = RUNTIME
    blocks, scopes = view.outline.blocks, view.outline.scopes
    while block >= 0:
        here = blocks[block]
        if here.kind == facts.TYPING or (here.kind == facts.DEAD and here.statement >= 0):
            return TYPING
        if here.kind == facts.TRY:
            handlers = [blocks[other] for other in view.branches(block) if blocks[other].kind == facts.EXCEPT]
            if any(_catches_import_errors(handler.text) for handler in handlers):
                kind = OPTIONAL
        elif here.kind == facts.EXCEPT and _catches_import_errors(here.text):
            kind = OPTIONAL
        elif here.kind == facts.WITH:
            caught = _SUPPRESSED.search(here.text)
            kind = OPTIONAL if caught and _catches_import_errors(caught[1]) else kind
        if here.kind == facts.ROOT and scopes[here.scope].kind in (facts.FUNCTION, facts.LAMBDA):
            later = True
        if view.runs_as(block) == "program":
            later = True  # if ever: not when the module is imported
        block = here.parent if here.kind != facts.ROOT else _block_of_scope(view, here.scope)
    return LAZY if later else kind


def _block_of_scope(view: View, scope: int) -> int:
    return view.outline.scopes[scope].block if scope > 0 else -1


def _catches_import_errors(text: str) -> bool:
    """Whether a handler's text ("ImportError, OSError", "" for a bare one) catches a failed import."""
    names = text.partition(" as ")[0].strip("() ").split(",")
    return any(name.strip().rpartition(".")[2] in _IMPORT_ERRORS for name in names)


def imported_module(program: Program, view: View, row: Import) -> str:
    """The absolute name of the module that the statement names; "" when its dots climb out of the tree."""
    if row.level == 0:
        return row.module
    return program.modules.resolve_relative(view.path, row.level, row.module) or ""


def runs_at_import(view: View, row: Import) -> bool:
    """Whether the import runs when its module is imported: not in a function, dead code or `__main__` part."""
    if row.lazy:
        return False
    scope = row.scope
    while scope >= 0:
        here = view.outline.scopes[scope]
        if here.kind not in (facts.MODULE, facts.CLASS):
            return False
        scope = here.parent
    block = row.block
    while block >= 0:
        place = view.outline.blocks[block]
        if place.kind == facts.DEAD or view.runs_as(block) == "program":
            return False
        block = place.parent if place.kind != facts.ROOT else _block_of_scope(view, place.scope)
    return True
