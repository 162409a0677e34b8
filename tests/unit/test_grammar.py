"""The newest grammar, whatever interpreter runs."""

from __future__ import annotations

import ast
import json
import sys
import warnings
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codemap.source import grammar
from codemap.source.decoding import decode
from codemap.source.fallback import read
from codemap.source.parsing import FSTRINGS_NEED_MENDING, mend_fstring, parse

# Snippets of PEP 695, 696, 701, 750, 758, 798 and 810, each with the tree that CPython 3.15 itself gives, written as
# `dump` below writes it.
TREES: list[list[str]] = json.loads(Path(__file__).with_name("newest_trees.json").read_text("utf-8"))
FAULT_OF_3_13 = "f'{d['k # no comment'] = }'\n"  # 3.12 and 3.13 cut the text that `=` repeats at the `#`


def dump(node: object) -> str:
    """A tree with positions, written the same on all interpreters: fields sorted, empty ones left out."""
    if isinstance(node, list):
        return "[" + ", ".join(map(dump, node)) + "]"
    if not isinstance(node, ast.AST):
        return repr(node)
    fields = {
        name: dump(value)
        for name, value in ast.iter_fields(node)
        if name not in ("kind", "type_comment", "type_ignores", "is_lazy")
        and value is not None
        and value != []
    }
    if getattr(node, "is_lazy", 0):
        fields["is_lazy"] = "1"
    names = ("lineno", "col_offset", "end_lineno", "end_col_offset")
    places = [getattr(node, name, None) for name in names]
    written = ", ".join(f"{name}={fields[name]}" for name in sorted(fields))
    return type(node).__name__ + (str(places) if places[0] else "") + f"({written})"


def tree_of(source: str) -> ast.Module:
    """The tree of a text that has no error, f-strings mended."""
    parsed = parse(source.encode())
    assert parsed.errors == ()
    assert not parsed.recovered
    for node in ast.walk(parsed.module):
        if isinstance(node, ast.JoinedStr):
            mend_fstring(node, parsed)
    return parsed.module


def rewritten_tree_of(source: str) -> ast.Module:
    """The tree of a text read by rewriting, also where the interpreter could read it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        module, errors = read(decode((source + "\nlazy import forces_rewriting\n").encode()))
    assert errors == []
    module.body.pop()
    return module


@pytest.mark.parametrize(("source", "expected"), TREES, ids=[source for source, _ in TREES])
def test_newest_syntax(source: str, expected: str) -> None:
    """New syntax gives the tree that the newest interpreter gives, positions included."""
    if sys.version_info[:2] in ((3, 12), (3, 13)) and source == FAULT_OF_3_13:
        pytest.skip("a fault of this interpreter")
    assert dump(tree_of(source)) == expected


@pytest.mark.parametrize(("source", "expected"), TREES, ids=[source for source, _ in TREES])
def test_rewriting_reads_what_interpreters_read(source: str, expected: str) -> None:
    """Rewriting gives the same tree on interpreters that need it and on those that do not."""
    assert dump(rewritten_tree_of(source)) == expected


ROOT = Path(__file__).resolve().parents[2]
OWN = sorted(
    [*ROOT.glob("codemap/**/*.py"), *ROOT.glob("tests/unit/*.py"), Path(ast.__file__), Path(json.__file__)]
)


@pytest.mark.parametrize("path", OWN, ids=[path.name for path in OWN])
def test_two_ways_of_reading_agree(path: Path) -> None:
    """Real files read by rewriting and by the interpreter give the same tree, values and positions of f-strings too."""
    source = path.read_text("utf-8")
    assert dump(rewritten_tree_of(source)) == dump(tree_of(source))


@pytest.mark.skipif(not FSTRINGS_NEED_MENDING, reason="this interpreter gives right positions")
def test_mending_twice_changes_nothing() -> None:
    """A second call, also for a nested f-string that its outer one has mended, leaves positions as they are."""
    parsed = parse(b"x = f'{a}{f\"{b.c}\" + d:{e}}' f'{g}'\n")
    joined = [node for node in ast.walk(parsed.module) if isinstance(node, ast.JoinedStr)]
    mend_fstring(joined[0], parsed)
    once = dump(parsed.module)
    for node in joined:
        mend_fstring(node, parsed)
    assert dump(parsed.module) == once


@pytest.mark.parametrize(
    "source",
    [
        "f'{x}{x}' f'{x}'",
        "f'''a\n{x}\n  {\nx + y\n}\n{x:{w}\n}'''",
        "f'{x:{x}}{x!r:>{x}.{x}}'",
        "f'{ (x, y) }{x, y}{[x]}{ {x: y} }{(x)}'",
        "f'{f\"{x}{x}\"}{x}'",
        "'x' f'{x}' 'x'",
        "('x'  # x\n   f'{x}'\n\n  'x'\n  f'{x.x(x)[x]}')",
        "f'é{é}é{x}' + x",
        "f'{x}' + f'{x}'.x(f'{x}', x=f'{x}')",
        "rf'\\{x}\\d{x}'",
        "f'\\x41\\N{BULLET}{x}\\\n{x}'",
        "f'{{x}}{x}{{{x}}}'",
        "f'{x=}{x = !s}{ x.y = :>{x}}'",
        "f'{x if x else y}{lambda_(lambda: x)}{(lambda x: x)(1)}'",
        "f'{x,}{*x, y}'",
        "f'{-x}{not x}{x!=y}{x==y}'",
        'f"{\'x\'}{x[\'x\']}{x["""x"""] if 0 else 1}"'
        if sys.version_info >= (3, 12)
        else "f\"{'x'}{x['x']}\"",
        "f''",
        "f'{x}' ''",
        "'' f'{x}' '' 'x' ''",
        "f'{x:}'",
        "f'{[y for y in x if f\"{y}\" in y]}'",
    ],
)
def test_old_f_strings(source: str) -> None:
    """f-strings that all interpreters read have the positions of the newest one, by mending and by rewriting."""
    for text in (f"{source}\n", f"def f():\n    return g(x, {source}, x)\n", f"é = 'é', {source}\r\n"):
        assert dump(tree_of(text)) == dump(rewritten_tree_of(text))
        if not FSTRINGS_NEED_MENDING:
            assert dump(tree_of(text)) == dump(ast.parse(text))


def test_positions_in_f_strings() -> None:
    """Names in f-strings stand where they are written: repeated, nested, over lines, behind non-ASCII text."""
    source = "t = f'é{name} {name:{width}}' f\"{call(f'{name}', key=other)}\"\nu = f'''\n {name} {\n  other\n }'''\n"
    lines = source.encode().splitlines()
    names = [node for node in ast.walk(tree_of(source)) if isinstance(node, ast.Name) and node.id not in "tu"]
    assert len(names) == 8
    for node in names:
        written = lines[node.lineno - 1][node.col_offset : node.end_col_offset]
        assert written.decode() == node.id


def test_visitors_reach_new_nodes() -> None:
    """`ast.walk` and `ast.NodeVisitor` see type parameters, their bounds and defaults, and template strings."""
    module = tree_of("class A[T: Bound = Default](B): pass\ntype X[*Ts] = Value\ny = t'{inner!r:{spec}}'\n")
    names = {node.id for node in ast.walk(module) if isinstance(node, ast.Name)}
    assert {"Bound", "Default", "B", "Value", "inner", "spec"} <= names
    seen: list[str] = []

    class Visitor(ast.NodeVisitor):
        def visit_TypeVar(self, node: ast.AST) -> None:
            seen.append("T")

        def visit_TypeVarTuple(self, node: ast.AST) -> None:
            seen.append("Ts")

        def visit_Interpolation(self, node: ast.AST) -> None:
            seen.append("inner")

    Visitor().visit(module)
    assert seen == ["T", "Ts", "inner"]


def test_node_classes() -> None:
    """Where `ast` has a class it is that class, elsewhere one with the same fields."""
    fields = {
        "TypeAlias": ("name", "type_params", "value"),
        "TemplateStr": ("values",),
        "Interpolation": ("value", "str", "conversion", "format_spec"),
    }
    for name, expected in fields.items():
        kind = getattr(grammar, name)
        assert kind is getattr(ast, name, kind)
        assert kind._fields == expected
        assert issubclass(kind, ast.stmt if name == "TypeAlias" else ast.expr)
    for name in ("TypeVar", "ParamSpec", "TypeVarTuple"):
        assert issubclass(getattr(grammar, name), grammar.type_param)
        assert getattr(grammar, name) is getattr(ast, name, getattr(grammar, name))


@pytest.mark.parametrize(
    "source",
    [
        "type = 1\ntype(x)\ntype[x]: int = 2\ntype.x\ntype\n",
        "lazy = 1\nlazy(x)\nlazy.x\nprint(lazy, type)\n",
        "match = case = 1\nmatch[x]\n_ = type\n",
        "def f(type, lazy, *, t, f): return t, f\n",
        "t\n'x'\n",
        "from lazy import lazy\nimport type\n",
    ],
)
def test_soft_keywords_stay_names(source: str) -> None:
    """New keywords are names where they were names."""
    assert dump(tree_of(source)) == dump(ast.parse(source))
    assert dump(rewritten_tree_of(source)) == dump(ast.parse(source))


@pytest.mark.parametrize(
    "source",
    [
        "t'a' 'b'\n",
        "t'a' f'{b}'\n",
        "f'{}'\n",
        "f'{ }'\n",
        "f'{x!z}'\n",
        "f'{x'\n",
        "f'}'\n",
        "f'{x:{y}'\n",
        "f'{a b}'\n",
        "f'{lambda x: 1}'\n",
        "b'x' f'{y}'\n",
        "name f'{x}'\n",
        "f'{x}' name\n",
        "f'{x}' = 1\n",
        "class A[]: pass\n",
        "def f[T, , U](): pass\n",
        "def f[T: ](): pass\n",
        "class A[*Ts: int]: pass\n",
        "type X[] = int\n",
        "type X\n",
        "type X =\n",
        "type x.y = int\n",
        "type if = int\n",
        "try: pass\nexcept A, B as e: pass\n",
        "try: pass\nexcept , A: pass\n",
        "[*x, 1 for x in y]\n",
        "f(**x for x in y)\n",
        "{**x: 1 for x in y}\n",
        "lazy import\n",
        "lazy x\n",
        "lazy\nimport 1\n",
    ],
)
def test_errors_stay_errors(source: str) -> None:
    """What the newest grammar refuses is refused on every interpreter."""
    parsed = parse(source.encode())
    assert parsed.errors
    assert parsed.recovered
    assert not [error for error in parsed.errors if "recovery failed" in error.message]


# --- generated f-strings ----------------------------------------------------------------------------------------
NAMES = st.sampled_from(["x", "a.b", "c[0]", "f(y)", "é", "(p, q)", " z ", "[1, 2]", "u if v else w", "-n"])


def fields(quotes: str) -> st.SearchStrategy[str]:
    """Replacement fields that old interpreters read in an f-string with such quotes."""
    conversion = st.sampled_from(["", "", "!r", "!s"])
    spec = st.sampled_from(["", "", ":>10", ":{w}", ":a{w}b{p!r}", ":"])
    equals = st.sampled_from(["", "", "", "=", " = "])
    return st.builds(lambda *parts: "{" + "".join(parts) + "}", NAMES, equals, conversion, spec)


def literals() -> st.SearchStrategy[str]:
    """String literals, most of them f-strings."""

    def literal(prefix: str, quotes: str, parts: list[str]) -> str:
        return f"{prefix}{quotes}{''.join(parts)}{quotes}"

    text = st.sampled_from(["", "a", "é ", "{{", "}}", "\\n", "\\x41", "b c"])
    formatted = st.builds(
        literal,
        st.sampled_from(["f", "F", "rf", "fR"]),
        st.sampled_from(["'", '"', "'''", '"""']),
        st.lists(st.one_of(text, fields("'")), max_size=5),
    )
    plain = st.builds(
        literal,
        st.sampled_from(["", "r", "u"]),
        st.sampled_from(["'", '"""']),
        st.lists(text.filter(lambda t: "{" not in t), max_size=2),
    )
    return st.one_of(formatted, formatted, plain)


@given(st.lists(literals(), min_size=1, max_size=3), st.sampled_from([" ", "  ", " \\\n "]))
@settings(max_examples=300, deadline=None)
def test_generated_f_strings(parts: list[str], between: str) -> None:
    """Mending and rewriting agree on any adjacent literals, and with interpreters that give right positions."""
    source = f"value = call(arg, {between.join(parts)}, last)\n"
    mended = dump(tree_of(source))
    assert mended == dump(rewritten_tree_of(source))
    if sys.version_info >= (3, 13):
        assert mended == dump(ast.parse(source))
