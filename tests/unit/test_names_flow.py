"""What survives to the end of a module, compared with running it under every outcome of its conditions."""

from __future__ import annotations

import itertools
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from codemap.resolve.flow import outcome
from codemap.resolve.views import View
from codemap.semantic.facts import read_facts

Statement = tuple[Any, ...]


def blocks(depth: int, tries: bool) -> st.SearchStrategy[list[Statement]]:
    """Nested statements: definitions of `f`, conditions, loops, with, raise, and try where wanted."""
    simple = st.sampled_from([("def",), ("pass",), ("def",), ("class",), ("assign",)])
    if depth == 0:
        return st.lists(simple, min_size=1, max_size=2)
    inner = blocks(depth - 1, tries)
    choices = [
        simple,
        st.tuples(st.just("if"), inner),
        st.tuples(st.just("else"), inner, inner),
        st.tuples(st.just("elif"), inner, inner),
        st.tuples(st.just("elif else"), inner, inner, inner),
        st.tuples(st.just("with"), inner),
        st.tuples(st.just("raise if"), inner),
        st.tuples(st.just("typing"), inner, inner),
    ]
    if tries:
        choices += [
            st.tuples(st.just("try"), inner, inner),
            st.tuples(st.just("try else"), inner, inner, inner),
            st.tuples(st.just("try finally"), inner, inner, inner),
            st.tuples(st.just("try raise"), inner),
        ]
    return st.lists(st.one_of(choices), min_size=1, max_size=3)


class Writer:
    """Writes statements as source; conditions are `C[0]`, `C[1]`, ..."""

    def __init__(self) -> None:
        self.lines = [
            "from contextlib import nullcontext",
            "TYPE_CHECKING = False",
        ]
        self.conditions = 0

    def write(self, statements: list[Statement], indent: int = 0) -> None:
        for statement in statements:
            getattr(self, statement[0].replace(" ", "_") + "_")(indent, *statement[1:])

    def line(self, indent: int, text: str) -> None:
        self.lines.append("    " * indent + text)

    def condition(self) -> str:
        self.conditions += 1
        return f"C[{self.conditions - 1}]"

    def def_(self, indent: int) -> None:
        self.line(indent, "def f(): ...")

    def class_(self, indent: int) -> None:
        self.line(indent, f"class f: line = {len(self.lines) + 1}")

    def assign_(self, indent: int) -> None:
        self.line(indent, f"f = {len(self.lines) + 1}")

    def pass_(self, indent: int) -> None:
        self.line(indent, "pass")

    def if_(self, indent: int, body: list[Statement]) -> None:
        self.line(indent, f"if {self.condition()}:")
        self.write(body, indent + 1)

    def else_(self, indent: int, body: list[Statement], other: list[Statement]) -> None:
        self.if_(indent, body)
        self.line(indent, "else:")
        self.write(other, indent + 1)

    def elif_(self, indent: int, body: list[Statement], other: list[Statement]) -> None:
        self.if_(indent, body)
        self.line(indent, f"elif {self.condition()}:")
        self.write(other, indent + 1)

    def elif_else_(
        self, indent: int, body: list[Statement], other: list[Statement], last: list[Statement]
    ) -> None:
        self.elif_(indent, body, other)
        self.line(indent, "else:")
        self.write(last, indent + 1)

    def with_(self, indent: int, body: list[Statement]) -> None:
        self.line(indent, "with nullcontext():")
        self.write(body, indent + 1)

    def raise_if_(self, indent: int, body: list[Statement]) -> None:
        self.if_(indent, body)
        self.line(indent + 1, "raise SystemExit")

    def typing_(self, indent: int, body: list[Statement], other: list[Statement]) -> None:
        self.line(indent, "if TYPE_CHECKING:")
        self.write(body, indent + 1)
        self.line(indent, "else:")
        self.write(other, indent + 1)

    def _tried(self, indent: int, body: list[Statement]) -> None:
        self.line(indent, "try:")
        self.line(indent + 1, f"if {self.condition()}: int('')")
        self.write(body, indent + 1)
        self.line(indent + 1, f"if {self.condition()}: int('')")

    def try_(self, indent: int, body: list[Statement], handler: list[Statement]) -> None:
        self._tried(indent, body)
        self.line(indent, "except ValueError:")
        self.write(handler, indent + 1)

    def try_else_(
        self, indent: int, body: list[Statement], handler: list[Statement], last: list[Statement]
    ) -> None:
        self.try_(indent, body, handler)
        self.line(indent, "else:")
        self.write(last, indent + 1)

    def try_finally_(
        self, indent: int, body: list[Statement], handler: list[Statement], last: list[Statement]
    ) -> None:
        self.try_(indent, body, handler)
        self.line(indent, "finally:")
        self.write(last, indent + 1)

    def try_raise_(self, indent: int, body: list[Statement]) -> None:
        self._tried(indent, body)
        self.line(indent, "except ValueError:")
        self.line(indent + 1, "raise SystemExit")


def line_of(value: Any) -> int:
    """The line of the definition that a run left behind."""
    if isinstance(value, int):
        return value
    return value.line if isinstance(value, type) else value.__code__.co_firstlineno


def runs(source: str, conditions: int) -> set[int]:
    """The lines of `f` that are left at the end of the module, over all outcomes of its conditions (0: unbound)."""
    code = compile(source, "<generated>", "exec")
    left: set[int] = set()
    for outcomes in itertools.product((False, True), repeat=conditions):
        names: dict[str, Any] = {"C": outcomes}
        try:
            exec(code, names)
        except SystemExit:
            continue  # the module is never there
        left.add(line_of(names["f"]) if "f" in names else 0)
    return left


def survivors(source: str) -> tuple[set[int], bool]:
    """The lines of `f` that the facts leave, and whether one of them is said to be the only one."""
    view = View("m.py", "m", read_facts(source.encode()).outline)
    state = outcome(view, [(n, view.outline.bindings[n]) for n in view.bindings(0, "f")])
    return {entry.binding.line for entry in state.survivors}, any(entry.sure for entry in state.survivors)


@settings(max_examples=300, deadline=None)
@given(blocks(2, tries=False))
def test_without_try_exactly_the_definitions_that_a_run_can_leave_survive(
    statements: list[Statement],
) -> None:
    """Conditions, with, raise and TYPE_CHECKING: the survivors are those of all runs, no more and no fewer."""
    writer = Writer()
    writer.write(statements)
    if writer.conditions > 8:
        return
    source = "\n".join(writer.lines) + "\n"
    left = runs(source, writer.conditions)
    found, sure = survivors(source)
    if left:
        assert found == left - {0}, source
        assert sure == (len(left - {0}) == 1), source


@settings(max_examples=200, deadline=None)
@given(blocks(2, tries=True))
def test_with_try_no_definition_that_a_run_can_leave_is_lost(statements: list[Statement]) -> None:
    """Exceptions may come anywhere in a `try`: the survivors hold at least those of all runs."""
    writer = Writer()
    writer.write(statements)
    if writer.conditions > 10:
        return
    source = "\n".join(writer.lines) + "\n"
    left = runs(source, writer.conditions) - {0}
    found, _ = survivors(source)
    assert left <= found, source
