# What holds for the facts of every file, whatever is in it.
from __future__ import annotations

import ast
import re
import unicodedata
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from codemap.model import facts
from codemap.model.facts import FileFacts
from codemap.semantic import encoding
from codemap.semantic import expressions as ops
from codemap.semantic.facts import read_facts

ROOT = Path(__file__).parents[2]
FILES = sorted([*(ROOT / "tests/cases/semantic").rglob("*.py"), *(ROOT / "codemap").rglob("*.py")])
IDENTIFIER = re.compile(r"[^\W\d]\w*")


def check(source: bytes, tokens: bool = True) -> FileFacts:
    """Read facts of a file and check what must hold for all."""
    found = read_facts(source)
    outline, body = found.outline, found.body
    rows = body.expressions
    scopes, blocks = len(outline.scopes), len(outline.blocks)

    for id, row in enumerate(rows):
        assert len(row) == 3 + len(ops.LAYOUT[row[0]])
        assert all(0 <= child < id for child in ops.children(row)), (id, row)
        assert all(
            0 < operand < scopes
            for operand, letter in zip(row[3:], ops.LAYOUT[row[0]], strict=True)
            if letter == "s"
        )
    firsts = [first for first, _, _ in body.spans]
    assert firsts == sorted(set(firsts))
    assert firsts[:1] == [0]
    assert all(0 <= scope < scopes and 0 <= block < blocks for _, scope, block in body.spans)
    assert outline.blocks[0].kind == facts.ROOT
    for number, scope in enumerate(outline.scopes):
        assert scope.parent < number
        assert scope.start_line <= scope.header_line <= max(scope.header_end, scope.header_line)
        assert scope.line <= max(scope.end_line, scope.line)
    for number, block in enumerate(outline.blocks):
        assert block.parent < number
        assert 0 <= block.scope < scopes
        assert -1 <= block.test < len(rows)

    owned = {facts.MODULE, facts.CLASS}
    assert all(outline.scopes[one.scope].kind in owned for one in outline.bindings)
    assert all(outline.scopes[one.scope].kind not in owned for one in body.bindings)
    for one in (*outline.bindings, *body.bindings):
        assert -1 <= one.value < len(rows)
        assert one.value < one.order <= len(rows) or one.value == -1
        assert found.words[one.name] & (facts.ROLE_BIND | facts.ROLE_IMPORT)
        assert outline.blocks[one.block].scope == one.within
    for bindings in (outline.bindings, body.bindings):
        assert [one.order for one in bindings] == sorted(one.order for one in bindings)
    for store in outline.stores:
        assert rows[store.target][0] in (ops.STORE_ATTRIBUTE, ops.DELETE_ATTRIBUTE)
        assert found.words[store.name] & facts.ROLE_STORE
    for first, last, test, _ in body.branches:
        assert 0 <= test < first <= last + 1 <= len(rows)
    assert all(found.words[row[3]] & facts.ROLE_READ for row in rows if row[0] == ops.NAME)
    assert all(found.words[row[4]] & facts.ROLE_ATTRIBUTE for row in rows if row[0] == ops.ATTRIBUTE)
    assert list(found.words) == sorted(found.words)
    if tokens and not outline.errors:
        check_tokens(source, found)

    first, second = encoding.encode_outline(outline), encoding.encode_body(body)
    assert encoding.decode_outline(first) == outline
    assert encoding.decode_body(second) == body
    assert encoding.encode_outline(encoding.decode_outline(first)) == first
    assert encoding.encode_body(encoding.decode_body(second)) == second
    return found


def check_tokens(source: bytes, found: FileFacts) -> None:
    """Every place is that of the name's own token."""
    text = source.decode("utf-8-sig")
    lines = re.split(r"\r\n|\r|\n", text)
    places = [(row[1], row[2], row[3]) for row in found.body.expressions if row[0] == ops.NAME]
    places += [
        (row[1], row[2], row[4])
        for row in found.body.expressions
        if row[0] in (ops.ATTRIBUTE, ops.STORE_ATTRIBUTE, ops.DELETE_ATTRIBUTE, ops.MATCH_ATTRIBUTE)
    ]
    places += [(one.line, one.column, one.name) for one in (*found.outline.bindings, *found.body.bindings)]
    places += [(one.line, one.column, one.name) for one in found.outline.stores]
    places += [(one.line, one.column, one.name) for one in found.body.parameters]
    places += [
        (one.line, one.column, one.name or one.module.partition(".")[0])
        for one in found.outline.imports
        if not one.dynamic and one.name != "*"
    ]
    for line, column, name in places:
        token = IDENTIFIER.match(lines[line - 1], column)
        if token is None:  # within a string that is not written as it reads
            assert lines[line - 1][column] in "\"'rRuUbBfF"
        else:
            assert unicodedata.normalize("NFKC", token[0]) == name or lines[line - 1][token.end()] in "\"'"


@pytest.mark.parametrize("file", FILES, ids=[file.relative_to(ROOT).as_posix() for file in FILES])
def test_facts_of_a_real_file_hold_together(file: Path) -> None:
    """Ids, spans, scopes, blocks, words, tokens and the stored form agree with each other."""
    check(file.read_bytes())


@pytest.mark.parametrize("file", FILES[:20], ids=[file.name for file in FILES[:20]])
def test_all_names_of_the_tree_are_words(file: Path) -> None:
    """Whatever `ast` sees as a name, an attribute or a keyword is in the words of the file."""
    source = file.read_bytes()
    words = read_facts(source).words
    for node in ast.walk(ast.parse(source)) if "type_parameters" not in file.name else ():
        if isinstance(node, ast.Name):
            assert node.id in words
        elif isinstance(node, ast.Attribute):
            assert node.attr in words
        elif isinstance(node, ast.keyword) and node.arg:
            assert words[node.arg] & facts.ROLE_KEYWORD
        elif isinstance(node, ast.arg):
            assert words[node.arg] & facts.ROLE_BIND


SOURCES = [file.read_bytes() for file in FILES if len(file.read_bytes()) < 12_000]


@settings(
    max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
@given(st.sampled_from(SOURCES), st.data())
def test_a_mutated_file_never_fails(source: bytes, data: st.DataObject) -> None:
    """Bytes cut out, put in or moved: facts are read, hold together and come back from their stored form."""
    for _ in range(data.draw(st.integers(1, 3))):
        start = data.draw(st.integers(0, len(source)))
        end = min(len(source), start + data.draw(st.integers(0, 60)))
        pieces = st.sampled_from([b"", b"(", b")", b":", b"\n", b"    ", b"\\\n", b"'", b'"""', b"\xc3\xa9", b"\xff", b"\0",
                                  b"lambda: ", b"await ", b" := ", b"*", b"global x\n", b"f'{x}'", b"\r", b"\x0c"])  # fmt: skip
        source = source[:start] + data.draw(pieces) + source[end:]
    check(source, tokens=False)


NAMES = st.sampled_from(["a", "b", "self", "é", "__x", "TYPE_CHECKING", "ß1"])


def expressions() -> st.SearchStrategy[str]:
    """Text of expressions."""
    leaves = st.one_of(
        NAMES, st.sampled_from(["1", "None", "'a b'", "...", "b''", "-2.5j", "f'{a!r:>{b}}ü'"])
    )

    def larger(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        two, three = st.tuples(inner, inner), st.tuples(inner, inner, inner)
        return st.one_of(
            st.tuples(inner, NAMES).map(lambda x: f"({x[0]}).{x[1]}"),
            three.map(lambda x: f"{x[0]}({x[1]}, *{x[2]}, k={x[1]}, **{x[2]})"),
            three.map(lambda x: f"({x[0]} if {x[1]} else {x[2]})"),
            two.map(lambda x: f"({x[0]} and {x[1]} or not {x[0]})"),
            two.map(lambda x: f"({x[0]} < {x[1]} is not {x[0]})"),
            two.map(lambda x: f"({x[0]} + -{x[1]})"),
            three.map(lambda x: f"{x[0]}[{x[1]}:{x[2]}, ...]"),
            three.map(lambda x: f"[({x[0]}, *{x[1]}) for q, (r, *s) in {x[2]} if {x[0]} for t in q]"),
            two.map(lambda x: f"{{**{x[0]}, {x[0]}: {x[1]}}}"),
            two.map(lambda x: f"(lambda u, /, v={x[0]}, *w, z, **y: {x[1]})"),
            two.map(lambda x: f"(n := [{x[0]}, {x[1]}])"),
        )

    return st.recursive(leaves, larger, max_leaves=6)


def statements() -> st.SearchStrategy[list[str]]:
    """Lines of statements, indented as a body."""
    value = expressions()
    simple = st.one_of(
        value,
        st.tuples(NAMES, value).map(lambda x: f"{x[0]} = {x[1]}"),
        st.tuples(NAMES, NAMES, value).map(lambda x: f"{x[0]}.{x[1]}, [*m, {x[0]}[0]] = {x[2]}"),
        st.tuples(NAMES, value).map(lambda x: f"{x[0]}.k += {x[1]}"),
        st.tuples(NAMES, value).map(lambda x: f"{x[0]}: '{x[0]}[{x[0]}]' = {x[1]}"),
        NAMES.map(lambda x: f"del {x}, {x}.y"),
        NAMES.map(lambda x: f"from .{x} import {x} as {x}, {x}x"),
        NAMES.map(lambda x: f"__all__ += ['{x}'] + {x}.__all__"),
        st.sampled_from(["pass", "import os.path, é as z", "raise", "assert a, b"]),
    ).map(lambda line: [line])

    def larger(inner: st.SearchStrategy[list[str]]) -> st.SearchStrategy[list[str]]:
        body = st.lists(inner, min_size=1, max_size=3).map(
            lambda parts: ["    " + line for part in parts for line in part]
        )
        two = st.tuples(body, body)
        return st.one_of(
            st.tuples(NAMES, value, body).map(lambda x: [f"def {x[0]}(self, b: '{x[0]}' = {x[1]}, *c, d, **e):", *x[2]]),
            st.tuples(NAMES, value, body).map(lambda x: [f"@{x[0]}", f"class {x[0]}({x[1]}, metaclass={x[0]}):", *x[2]]),
            st.tuples(value, two).map(lambda x: [f"if {x[0]}:", *x[1][0], "elif TYPE_CHECKING:", *x[1][1]]),
            st.tuples(value, two).map(lambda x: [f"for i, j in {x[0]}:", *x[1][0], "    break", "else:", *x[1][1]]),
            st.tuples(value, body).map(lambda x: [f"while {x[0]}:", *x[1], "    continue", "    x"]),
            st.tuples(NAMES, two).map(lambda x: ["try:", *x[1][0], f"except ({x[0]}) as  {x[0]} :", *x[1][1]]),
            st.tuples(value, body).map(lambda x: [f"with ({x[0]}) as (p, q), r:", *x[1]]),
            st.tuples(NAMES, value, two).map(
                lambda x: [
                    f"match {x[1]}:",
                    f"    case {{'k': {x[0]}, **o}} if {x[1]}:", *("    " + line for line in x[2][0]),
                    f"    case A(b, c={x[0]} ) | [b, *_, {x[0]}]:", *("    " + line for line in x[2][1]),
                ]
            ),
        )  # fmt: skip

    return st.recursive(simple, larger, max_leaves=8)


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
@given(st.lists(statements(), max_size=4))
def test_a_generated_program_holds_together(parts: list[list[str]]) -> None:
    """Whatever the grammar allows is read, with every name at its token."""
    source = "\n".join(line for part in parts for line in part).encode()
    try:
        ast.parse(source)
    except SyntaxError:
        check(source, tokens=False)
    else:
        assert check(source).outline.errors == ()
