# Which bindings of a local name may be the ones that a read sees. Bindings are walked from the read backwards;
# one that surely ran since (it stands in the read's own block or one around it) hides what is before it, and one
# that control never leaves towards the read is no candidate. In a loop those behind the read come round again.
from __future__ import annotations

from codemap.inference.tables import Table
from codemap.model import facts
from codemap.model.facts import Binding

_TRANSPARENT = (facts.WITH, facts.FINALLY, facts.NOT_TYPING, facts.TRY_ELSE)


def reaching(
    table: Table, bindings: list[tuple[int, Binding]], at: int, block: int
) -> list[tuple[int, Binding]]:
    """The bindings that a read of expression `at`, in `block`, may see. They are given in the order in which they run."""
    blocks = table.view.outline.blocks
    around = table.block_chain(block)
    inside = set(around)
    loops = [one for one in around if blocks[one].kind == facts.LOOP]
    found: list[tuple[int, Binding]] = []
    cut_in: int | None = None  # the block of the binding that hides the rest
    killed: dict[int, set[int]] = {}
    for item in reversed(bindings):
        binding = item[1]
        if binding.order > at or binding.kind == facts.DECLARED:
            continue
        if not _reaches(table, binding.block, inside):
            continue
        chain = table.block_chain(binding.block)
        if any(one in killed_blocks(killed) for one in chain):
            continue
        if binding.kind != facts.DELETE:
            found.append(item)
        home = binding.block
        while home not in inside and blocks[home].kind in _TRANSPARENT:
            home = blocks[home].parent
        if home in inside:
            cut_in = home
            break
        _exhaust(table, home, killed)
        if any(one in killed.get(-1, ()) for one in inside):
            cut_in = next(one for one in around if one in killed[-1])
            break
    found.reverse()
    # what comes round again
    for loop in loops:
        if cut_in is not None and loop in table.block_chain(cut_in):
            break
        for item in bindings:
            binding = item[1]
            if (
                binding.order > at
                and binding.kind not in (facts.DELETE, facts.DECLARED)
                and item not in found
            ) and loop in table.block_chain(binding.block):
                found.append(item)
    return found


def killed_blocks(killed: dict[int, set[int]]) -> set[int]:
    return killed.get(-1, set())


def _exhaust(table: Table, block: int, killed: dict[int, set[int]]) -> None:
    """Note a binding in a branch; when every branch of the statement has one, what is before the statement is hidden."""
    blocks = table.view.outline.blocks
    while True:
        row = blocks[block]
        hidden = killed.setdefault(-1, set())
        hidden.add(block)
        if row.kind == facts.ROOT:
            return
        siblings = [one for one in table.view.branches(block) if blocks[one].parent == row.parent]
        kinds = {blocks[one].kind for one in siblings}
        if row.kind in (facts.IF, facts.ELSE, facts.TYPING, facts.NOT_TYPING):
            if not kinds & {facts.ELSE, facts.NOT_TYPING} and row.kind != facts.NOT_TYPING:
                return
            needed = [one for one in siblings if blocks[one].kind != facts.TYPING]
        elif row.kind in (facts.TRY, facts.EXCEPT, facts.TRY_ELSE):
            needed = [one for one in siblings if blocks[one].kind == facts.EXCEPT]
            if not any(one in hidden for one in siblings if blocks[one].kind in (facts.TRY, facts.TRY_ELSE)):
                return
        elif row.kind in _TRANSPARENT:
            needed = []
        else:
            return
        if not all(one in hidden or blocks[one].terminates for one in needed):
            return
        block = row.parent


def _reaches(table: Table, block: int, inside: set[int]) -> bool:
    """Whether control can go from the block to the read."""
    blocks = table.view.outline.blocks
    while block not in inside:
        row = blocks[block]
        if row.kind in (facts.TYPING, facts.DEAD):
            return False
        if row.terminates and row.kind != facts.TRY:
            # a loop's `continue`, `break` lead back or behind it; a return or raise does not
            return _in_loop(table, row.parent, inside)
        for other in table.view.branches(block):
            if other in inside and other != block:
                kinds = (row.kind, blocks[other].kind)
                if kinds[0] in (facts.IF, facts.ELSE, facts.CASE) and kinds[1] in (
                    facts.IF,
                    facts.ELSE,
                    facts.CASE,
                ):
                    return _shares_loop(table, row.parent)
                if kinds[0] == facts.EXCEPT and kinds[1] in (facts.EXCEPT, facts.TRY_ELSE):
                    return _shares_loop(table, row.parent)
        if row.kind == facts.ROOT:
            return True
        block = row.parent
    return True


def _in_loop(table: Table, block: int, inside: set[int]) -> bool:
    blocks = table.view.outline.blocks
    while blocks[block].kind != facts.ROOT:
        if blocks[block].kind in (facts.LOOP, facts.TRY):
            return True
        block = blocks[block].parent
    return False


def _shares_loop(table: Table, block: int) -> bool:
    blocks = table.view.outline.blocks
    while blocks[block].kind != facts.ROOT:
        if blocks[block].kind == facts.LOOP:
            return True
        block = blocks[block].parent
    return False
