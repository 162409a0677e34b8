"""F-strings of which the reading takes for granted that their fields stand where they should."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codemap.source.parsing import FSTRINGS_NEED_MENDING, fields_in_place, mend_fstring, parse

TEXTS = st.sampled_from(["a ", "{{", "}}", "ü", "\\n", "\\N{DASH}", "\t", "\n", "\\\n", "a\nb\n", "#"])
FIELDS = st.sampled_from(
    [
        "{a}", "{ a}", "{a }", "{a.b(c)[0]}", "{(a)}", "{(a).b}", "{a, b}", "{(a, b)}", "{*a, b}", "{(a), b}", "{a!r}",
        "{a:x}", "{a:>{w}}", "{a:{w}.{p}}", "{a=}", "{a + b = }", "{[i for i in x]}", "{x for x in y}", "{(x for x in y)}",
        "{ {1: 2}[b] }", "{'{'}", "{f'{z}'}", "{a if b else c}", "{-a}", "{\na}", "{\n  a}", "{a\n}", "{a,\n b}", "{(a +\n b)}",
        "{f(\na)}", "{ü}", "{(lambda: a)()}",
    ]
)  # fmt: skip


@st.composite
def literals(draw: st.DrawFn) -> str:
    """One f-string or plain string, often one that is good."""
    quote = draw(st.sampled_from(['"', '"""']))
    prefix = draw(st.sampled_from(["f", "F", "rf", "", "r"]))
    body = "".join(draw(st.lists(st.one_of(TEXTS, FIELDS), max_size=4)))
    return prefix + quote + (body if quote == '"""' else body.replace("\n", " ")) + quote


@st.composite
def statements(draw: st.DrawFn) -> str:
    """An assignment of adjacent literals."""
    between = draw(st.sampled_from([" ", "\n", "  # {\n   ", "\\\n"]))
    written = between.join(draw(st.lists(literals(), min_size=1, max_size=3)))
    return draw(st.sampled_from(["", "ü = 'ü{'; "])) + f"x = call(b, ({written}), c)\n"


def expressions(node: ast.JoinedStr) -> list[str]:
    """The expressions of the fields with their places."""
    fields = [part for part in node.values if not isinstance(part, ast.Constant)]
    return [ast.dump(field.value, include_attributes=True) for field in fields]  # type: ignore[attr-defined]


@settings(max_examples=300, deadline=None)
@given(statements())
def test_what_is_in_place_needs_no_mending(source: str) -> None:
    """Where the fields are said to be in place, mending moves none of their expressions."""
    parsed = parse(source.encode())
    for node in ast.walk(parsed.module):
        if isinstance(node, ast.JoinedStr) and fields_in_place(node, parsed.byte_lines):
            before = expressions(node)
            mend_fstring(node, parsed)
            assert expressions(node) == before


@pytest.mark.parametrize(
    "source",
    [
        'f"{a} and {b.c(d)!r:>10}"',
        '(f"{a}"\n    f"ü {b}, {c}"\n    "d")',
        'f"{(a).b}"',
        'f"no field"',
    ],
)
def test_usual_fstrings_are_in_place(source: str) -> None:
    """What people write is told to be in place, on every interpreter."""
    parsed = parse(source.encode())
    node = parsed.module.body[0].value  # type: ignore[attr-defined]
    assert fields_in_place(node, parsed.byte_lines)


@pytest.mark.parametrize(
    "source", ['f"{a:{b}}"', 'f"{{}} {a}"', 'f"{ a}"', 'f"{a, b}"', 'f"{(a, b)}"', 'f"""\n{a,\nb}"""']
)
def test_unusual_fstrings_are_mended(source: str) -> None:
    """Braces of anything but a field, and fields that do not begin behind their brace, are looked at closely."""
    parsed = parse(source.encode())
    node = parsed.module.body[0].value  # type: ignore[attr-defined]
    assert not fields_in_place(node, parsed.byte_lines) or not FSTRINGS_NEED_MENDING
