# Which bindings of a name survive to the end of its scope. A scope's bindings are walked from the last to the
# first; each one that surely runs kills everything before it, and the branches of one statement kill what is
# before the statement only together. Nothing is evaluated: a condition is true or false, except for
# TYPE_CHECKING, whose branch never runs, and for blocks that control never leaves.
#
# See docs/decisions/names-flow.md for the choices and what they cost.
from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from codemap.model import facts
from codemap.model.facts import Binding
from codemap.resolve.views import View

_TRANSPARENT = (facts.WITH, facts.FINALLY, facts.NOT_TYPING)
_PROPERTY_PARTS = ("setter", "getter", "deleter")


class Entry(NamedTuple):
    """A binding of a name in its scope, and what becomes of it.

    `sure` is true when it is the only one that can be left at the scope's end; `guard` says under which condition
    it stands ("" when none); `by` is the binding that replaces it (None for a survivor); `together` are the
    other definitions of the same thing: overload stubs, a property's setter and deleter.
    """

    binding: Binding
    number: int
    sure: bool
    guard: str
    by: Binding | None = None
    together: tuple[int, ...] = ()


class Outcome(NamedTuple):
    """`survivors` and `replaced` stand in source order. `typing` are those that exist for type checkers only,
    `dead` those in code that never runs to the scope's end, `program` those that an import does not run
    (`if __name__ == "__main__":`), `deleted` the `del` that took the name away."""

    survivors: tuple[Entry, ...]
    replaced: tuple[Entry, ...]
    typing: tuple[Entry, ...]
    dead: tuple[Entry, ...]
    deleted: Binding | None
    program: tuple[Entry, ...] = ()


def outcome(view: View, numbered: Iterable[tuple[int, Binding]], *, imported: bool = False) -> Outcome:
    """What is left of the bindings of one name in one scope, given in the order in which they run.

    With `imported` as an import of the file leaves it, else as either an import or a run of the file itself does.
    """
    groups = _group(view, [item for item in numbered if item[1].kind != facts.AUGMENTED] or list(numbered))
    valued = [group for group in groups if group[0][1].kind != facts.DECLARED]
    groups = valued or groups
    killers: dict[int, Binding] = {}
    survivors: list[Entry] = []
    replaced: list[Entry] = []
    typing: list[Entry] = []
    dead: list[Entry] = []
    program: list[Entry] = []
    deleted: Binding | None = None
    for group in reversed(groups):
        number, binding = group[0]
        chain = _chain(view, binding.block, imported)
        entry = Entry(
            binding, number, False, guard_of(view, chain), None, tuple(item[0] for item in group[1:])
        )
        kinds = {view.outline.blocks[block].kind for block in chain}
        if facts.TYPING in kinds:
            typing.append(entry)
            continue
        if facts.DEAD in kinds or any(_leaves(view, block) for block in chain):
            dead.append(entry)
            continue
        if imported and view.only_as_program(binding.block):
            program.append(entry)
            continue
        killer = next((killers[block] for block in chain if block in killers), None)
        if binding.kind == facts.DELETE:
            if killer is None:
                deleted = deleted or binding
                _kill(view, chain, binding, killers)
            continue
        if killer is not None:
            replaced.append(entry._replace(by=killer))
            continue
        survivors.append(entry)
        _kill(view, chain, binding, killers)
    if len(survivors) == 1 and deleted is None:
        survivors = [survivors[0]._replace(sure=True)]
    for rows in (survivors, replaced, typing, dead, program):
        rows.reverse()
    return Outcome(tuple(survivors), tuple(replaced), tuple(typing), tuple(dead), deleted, tuple(program))


def guard_of(view: View, chain: Iterable[int]) -> str:
    """The innermost condition of a chain of blocks, as a reader would say it: "if IS_CUDA", "except ImportError"."""
    for block in chain:
        row = view.outline.blocks[block]
        if row.kind == facts.ROOT:
            continue
        if row.kind == facts.TYPING:
            return "if TYPE_CHECKING"
        if row.kind == facts.ELSE:
            return f"else of {row.text}" if row.text else "else"
        if row.kind == facts.DEAD:
            return "never runs"
        return f"{row.kind} {row.text}".strip()
    return ""


def _chain(view: View, block: int, imported: bool) -> list[int]:
    blocks = view.outline.blocks
    chain: list[int] = []
    while block >= 0:
        row = blocks[block]
        if row.kind == facts.ROOT:
            chain.append(block)
            break
        if not _always_runs(view, block) and not (imported and view.runs_as(block) == "import"):
            chain.append(block)
        block = row.parent
    return chain


def _always_runs(view: View, block: int) -> bool:
    """Whether control that comes out behind the statement has surely been through the block."""
    row = view.outline.blocks[block]
    if row.kind in _TRANSPARENT:
        return True
    if row.kind in (facts.IF, facts.ELSE, facts.TRY, facts.TRY_ELSE) and not row.terminates:
        others = [
            other
            for other in view.branches(block)
            if other != block
            and view.outline.blocks[other].kind in (facts.IF, facts.ELSE, facts.EXCEPT, facts.NOT_TYPING)
        ]
        if row.kind == facts.IF and not others:
            return False
        return all(_leaves(view, other) for other in others)
    return False


def _leaves(view: View, block: int) -> bool:
    """Whether control that enters the block never comes to the end of a module or class scope."""
    blocks = view.outline.blocks
    row = blocks[block]
    if not row.terminates or view.outline.scopes[row.scope].kind not in (facts.MODULE, facts.CLASS):
        return False
    while row.kind != facts.ROOT:
        if row.parent < 0:
            break
        row = blocks[row.parent]
        if row.kind in (facts.LOOP, facts.TRY):
            return False  # break, continue; or an exception that is caught around it
    return True


def _kill(view: View, chain: list[int], binding: Binding, killers: dict[int, Binding]) -> None:
    """Note that whatever ran earlier in the innermost block of the chain is gone, and so on outwards."""
    for position, block in enumerate(chain):
        killers.setdefault(block, binding)
        if position + 1 == len(chain) or not _exhausted(view, block, killers):
            return


def _exhausted(view: View, block: int, killers: dict[int, Binding]) -> bool:
    """Whether every way through the statement of `block` binds the name."""
    blocks = view.outline.blocks
    branches = view.branches(block)
    kinds = {blocks[branch].kind for branch in branches}
    if facts.ELSE in kinds:
        needed = [branch for branch in branches if blocks[branch].kind in (facts.IF, facts.ELSE)]
    elif facts.EXCEPT in kinds:
        needed = [branch for branch in branches if blocks[branch].kind == facts.EXCEPT]
        whole = [branch for branch in branches if blocks[branch].kind in (facts.TRY, facts.TRY_ELSE)]
        if not any(branch in killers for branch in whole):
            return False
    else:
        return False
    return all(branch in killers or _leaves(view, branch) for branch in needed)


def _group(view: View, numbered: list[tuple[int, Binding]]) -> list[list[tuple[int, Binding]]]:
    """Bindings that make up one thing, the one that stands for it first.

    Overload stubs belong to the implementation behind them, setters to the getter before them, and functions
    that are handed to a registry by a decorator do not replace one another.
    """
    groups: list[list[tuple[int, Binding]]] = []
    stubs: list[tuple[int, Binding]] = []
    for number, binding in numbered:
        item = (number, binding)
        decorators = view.decorators(binding) if binding.kind == facts.FUNCTION_DEF else ()
        last_parts = [decorator.rpartition(".")[2] for decorator in decorators]
        if "overload" in last_parts and (not stubs or stubs[-1][1].block == binding.block):
            stubs.append(item)
            continue
        if binding.kind == facts.FUNCTION_DEF and stubs:
            groups.append([item, *stubs])
            stubs = []
            continue
        if stubs:
            groups.append(stubs)
            stubs = []
        if groups and _belongs(view, groups[-1][0][1], binding, decorators):
            groups[-1].append(item)
        else:
            groups.append([item])
    if stubs:
        groups.append(stubs)
    return groups


def _belongs(view: View, earlier: Binding, binding: Binding, decorators: tuple[str, ...]) -> bool:
    """Whether a function goes on with what the function before it began."""
    if earlier.kind != facts.FUNCTION_DEF or earlier.block != binding.block:
        return False
    return _continues(binding.name, decorators) or _both_registered(view, earlier, decorators)


def _continues(name: str, decorators: tuple[str, ...]) -> bool:
    """Whether a function adds to the property or the generic function of its own name: `@x.setter def x`."""
    return any(
        head == name and (part in _PROPERTY_PARTS or part == "register")
        for head, _, part in (decorator.rpartition(".") for decorator in decorators)
    )


def _both_registered(view: View, earlier: Binding, decorators: tuple[str, ...]) -> bool:
    mine = {decorator for decorator in decorators if decorator.endswith(".register")}
    return bool(mine & {text for text in view.decorators(earlier) if text.endswith(".register")})
