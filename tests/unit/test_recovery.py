"""What of a broken file is kept, and what is said of the rest."""

from __future__ import annotations

import ast
import io
import random
import sys
import textwrap
import time
import tokenize
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from codemap.source.parsing import Parsed, mend_fstring, parse

PROGRAM = '''
"""A module."""
import os
from typing import (
    Any,
    List,
)

LIMIT = {"a": [1, 2], "b": (3, 4)}


class Worker(Base, metaclass=Meta):
    """A worker."""

    field: int = 1

    def first(self, items: List[int], *rest, key=None) -> Any:
        """Say the first.

        With a blank line: and a colon.
        """
        total = sum(
            item.value
            for item in items
        )
        return f"{total!r:>{self.width}} of {len(items)}"

    @property
    def second(self):
        text = \'\'\'
    several
lines\'\'\'
        if self.field and text:
            return [x for x in (1, 2, 3)]
        elif not text:
            raise ValueError("no text")
        else:
            return {**LIMIT, "c": 'd'}

    async def third(self, other):
        async with other as handle:
            await handle.send(b"x", end="\\n")
        try:
            del self.x[0]
        except (OSError, ValueError) as error:
            print("it's", error)
        finally:
            self.done = True


def fourth(a, b=lambda x: x + 1):
    while a < b:
        a += 1
    return a if a else b


def fifth():
    """Doc of fifth."""
    global LIMIT
    LIMIT = None
    return os.path.join("a", "b")


class Last:
    def sixth(self):
        return super().sixth()
'''


def definitions(parsed: Parsed) -> dict[str, int]:
    """Names of classes and functions and their lines."""
    kinds = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    return {node.name: node.lineno for node in ast.walk(parsed.module) if isinstance(node, kinds)}


def read(source: str) -> Parsed:
    """Parse a text; recovery itself must not have failed."""
    parsed = parse(textwrap.dedent(source).lstrip("\n").encode())
    assert not [error for error in parsed.errors if "recovery failed" in error.message]
    return parsed


def bound(parsed: Parsed) -> list[str]:
    """Names that top-level assignments bind, in order."""
    return [
        target.id
        for node in parsed.module.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    ]


def dumped(source: str) -> set[str]:
    """The functions of a text with all positions."""
    parsed = parse(source.encode())
    for node in ast.walk(parsed.module):
        if isinstance(node, ast.JoinedStr):
            mend_fstring(node, parsed)
    functions = [node for node in ast.walk(parsed.module) if isinstance(node, ast.FunctionDef)]
    return {ast.dump(function, include_attributes=True) for function in functions}


def places(parsed: Parsed) -> list[tuple[int, int]]:
    return [(error.line, error.column) for error in parsed.errors]


def test_class_keeps_its_good_methods() -> None:
    """A bad statement in a method costs that statement, not the method, the class or the file."""
    parsed = read("""
        import os
        class A(B):
            x = 1
            def good(self): return 1
            def bad(self):
                before = 1
                return = 3
                after = 2
            def last(self):
                return os
        def top(): pass
        """)
    assert definitions(parsed) == {"A": 2, "good": 4, "bad": 5, "last": 9, "top": 11}
    assert places(parsed) == [(7, 15)]
    assert parsed.recovered
    names = [node.id for node in ast.walk(parsed.module) if isinstance(node, ast.Name)]
    assert {"before", "after"} <= set(names)


def test_bad_heads_keep_name_and_body() -> None:
    """A class or function whose head cannot be read keeps its name and what is in it; other heads keep their block."""
    parsed = read("""
        class A(:
            def m(self):
                pass
        def f(x, y:
            return 1
        def g()
            return 2
        async def k(:
            await x
        if x = 3:
            def h(): pass
        else:
            def i(): pass
        """)
    assert definitions(parsed) == {"A": 1, "m": 2, "f": 4, "g": 6, "k": 8, "h": 11, "i": 13}
    assert [line for line, _ in places(parsed)] == [1, 4, 6, 8, 10]
    assert isinstance(parsed.module.body[3], ast.AsyncFunctionDef)


def test_missing_colon_keeps_parameters() -> None:
    """A head that lacks only its colon is read as if it had one."""
    parsed = read("""
        def g(a, b=1)
            return a
        class C(Base)
            x = 1
        """)
    function, klass = parsed.module.body
    assert isinstance(function, ast.FunctionDef)
    assert [argument.arg for argument in function.args.args] == ["a", "b"]
    assert isinstance(klass, ast.ClassDef)
    assert [base.id for base in klass.bases if isinstance(base, ast.Name)] == ["Base"]


def test_unclosed_bracket_costs_its_statement() -> None:
    """A bracket that is never closed ends where the next statement at its level begins."""
    parsed = read("""
        x = foo(1,
            2
        def f(): pass
        y = (1, 2
        z = 3
        class B:
            a = [1,
            def m(self): pass
            b = {1: 2
            def n(self): pass
        w = 4
        """)
    assert definitions(parsed) == {"f": 3, "B": 6, "m": 8, "n": 10}
    assert bound(parsed) == ["z", "w"]
    assert places(parsed) == [(1, 7), (4, 4), (7, 8), (9, 8)]


def test_unterminated_string_costs_its_line() -> None:
    """A string without its end costs its statement only, within brackets too."""
    parsed = read("""
        x = "abc
        def f(): pass
        y = foo("abc)
        z = 1
        def g(): return 'a
        w = 2
        """)
    assert definitions(parsed) == {"f": 2, "g": 5}
    assert bound(parsed) == ["z", "w"]


def test_unterminated_docstring_does_not_swap_code_and_text() -> None:
    """When a docstring is not closed, the code behind it is code again and later docstrings are docstrings."""
    parsed = read('''
        def f():
            """Doc of f.

            More.

        def g():
            """Doc of g."""
            return 2

        TEMPLATE = """
        def code(): pass
        """

        class C:
            """Doc of C.

            Long text.
            """
            def m(self):
                """Doc."""
                return 1
        ''')
    assert definitions(parsed) == {"f": 1, "g": 6, "C": 14, "m": 19}
    assert places(parsed) == [(2, 4)]


def test_stray_triple_quote() -> None:
    """Three quotes too many at the end of a line cost that line."""
    parsed = read('''
        x = 1 """
        def f(): pass
        class D:
            """Doc."""
            def m(self): pass
        ''')
    assert definitions(parsed) == {"f": 2, "D": 3, "m": 5}
    assert places(parsed) == [(1, 6)]


def test_python_2_file() -> None:
    """Of a Python 2 file each statement of the old language is an error and the rest is read."""
    parsed = read("""
        import os
        print "a"
        def f(x):
            print x
            return x
        try:
            exec "a"
        except Exception, e:
            raise E, "x"
        class A:
            def m(self):
                print >>f, `x`
                y = 0777
            def n(self): pass
        """)
    assert definitions(parsed) == {"f": 3, "A": 10, "m": 11, "n": 14}
    assert [line for line, _ in places(parsed)] == [2, 4, 7, 9, 12, 13]


def test_lost_body_is_no_stub() -> None:
    """A function whose only statement was lost has a body that says nothing, not `pass`."""
    parsed = read("""
        def f():
            return = 1
        """)
    function = parsed.module.body[0]
    assert isinstance(function, ast.FunctionDef)
    assert ast.unparse(function.body[0]) == "0"


def test_merge_conflict() -> None:
    """Conflict markers are errors; both sides are read."""
    parsed = read("""
        a = 1
        <<<<<<< HEAD
        b = 2
        =======
        c = 3
        >>>>>>> branch
        def f(): pass
        """)
    assert bound(parsed) == ["a", "b", "c"]
    assert places(parsed) == [(2, 0), (4, 0), (6, 0)]


def test_wrong_indentation() -> None:
    """Lines indented as nothing before them are lost; the block they stand in goes on."""
    parsed = read("""
        def f():
            x = 1
              y = 2
            z = 3
           w = 4
        def g(): pass
        """)
    function = parsed.module.body[0]
    assert isinstance(function, ast.FunctionDef)
    assert [ast.unparse(statement) for statement in function.body] == ["x = 1", "z = 3"]
    assert definitions(parsed) == {"f": 1, "g": 6}
    assert [line for line, _ in places(parsed)] == [3, 5]


def test_mixed_tabs_keep_the_definition() -> None:
    """A body that mixes tabs and blanks as Python refuses costs no other definition."""
    parsed = parse(
        b"class A:\n    def f(self):\n\treturn 1\n    def g(self):\n        return 2\ndef h(): pass\n"
    )
    assert definitions(parsed) == {"A": 1, "f": 2, "g": 4, "h": 6}
    assert parsed.recovered


def test_clauses_of_one_statement() -> None:
    """A bad clause of `try`, `match` or `if` leaves the others what they are."""
    parsed = read("""
        try:
            x = = 1
        except (A as b:
            def m(): pass
        finally:
            def n(): pass
        match x:
            case 1:
                def a(): pass
            case = 3:
                def b(): pass
            case 4:
                x y
                def c(): pass
        """)
    assert [type(node) for node in parsed.module.body] == [ast.Try, ast.Match]
    assert definitions(parsed) == {"m": 4, "n": 6, "a": 9, "b": 11, "c": 14}
    assert [line for line, _ in places(parsed)] == [2, 3, 10, 13]


def test_bad_decorator_keeps_what_it_decorates() -> None:
    """A decorator that cannot be read is lost alone."""
    parsed = read("""
        @a b
        @c
        def f():
            return 1
        @@
        class B: pass
        """)
    function = parsed.module.body[0]
    assert isinstance(function, ast.FunctionDef)
    assert [ast.unparse(decorator) for decorator in function.decorator_list] == ["c"]
    assert definitions(parsed) == {"f": 3, "B": 6}


def test_head_without_body() -> None:
    """A definition whose block is missing is still defined."""
    assert definitions(read("def f():\nclass A:\n# nothing\nx = 1\n")) == {"f": 1, "A": 2}


def test_bad_field_costs_its_f_string_value() -> None:
    """A field that is no expression is an error at its place; fields beside it are read on."""
    parsed = read("""
        def f():
            return f"{a b} {c}"
        """)
    assert "c" in [node.id for node in ast.walk(parsed.module) if isinstance(node, ast.Name)]
    assert [line for line, _ in places(parsed)] == [2]


def test_newer_grammar_in_a_broken_file() -> None:
    """What is newer than the interpreter is read in a broken file too."""
    parsed = read("""
        class A[T]:
            type B = list[T]
            def m[U](self, x: U) -> U:
                x = = 2
                try: pass
                except E, F: return f"{x["y"]}"
        lazy import z
        """)
    assert places(parsed) == [(4, 12)]
    klass, lazy = parsed.module.body
    assert [parameter.name for parameter in klass.type_params] == ["T"]  # type: ignore[attr-defined]
    assert [type(node).__name__ for node in klass.body] == ["TypeAlias", "FunctionDef"]  # type: ignore[attr-defined]
    assert lazy.is_lazy == 1  # type: ignore[attr-defined]


def test_positions_are_those_of_the_file() -> None:
    """Kept statements have the places that they have in the file, whatever was lost before them."""
    broken = PROGRAM.replace("    field: int = 1\n", "    field: int = = 1\n").replace(
        "LIMIT = {", "LIMIT = {{"
    )
    assert dumped(PROGRAM) - dumped(broken) == set()
    assert parse(broken.encode()).recovered


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("x = " + "(" * 5000 + ")" * 5000 + "\ndef f(): pass\n", {"f"}),
        ("x = " + "[" * 100_000 + "\ndef f(): pass\n", {"f"}),
        ("x = " + "-" * 100_000 + "1\ndef f(): pass\n", {"f"}),
        ("x = " + "+".join(["a"] * 100_000) + "\ndef f(): pass\n", {"f"}),
        ("x = a" + ".b" * 50_000 + "\ndef f(): pass\n", {"f"}),
        ("x = " + "f'{" * 3000 + "\ndef f(): pass\n", {"f"}),
        ("x = " + 'f("' * 3000 + "\ndef f(): pass\n", {"f"}),
        ("".join(" " * i + "if x:\n" for i in range(150)) + " " * 150 + "y\ndef f(): pass\n", {"f"}),
    ],
    ids=["parentheses", "open brackets", "minus", "plus", "attributes", "f-strings", "strings", "blocks"],
)
def test_too_deep_is_an_error(source: str, names: set[str]) -> None:
    """What is nested deeper than the interpreter bears is an error at its place, and the rest is read."""
    parsed = read(source)
    assert set(definitions(parsed)) == names
    assert parsed.errors


@pytest.mark.parametrize(
    "line",
    [
        'print "x"',
        "foo(1",
        'foo("x',
        "x = f'{(1",
        'x = """1\ndef f(): pass',
        "def f(:\n    x y",
        "    x",
        "]",
        "'''",
        "@",
    ],
)
def test_many_faults_stay_linear(line: str) -> None:
    """Thousands of faults of one kind cost seconds, not hours."""
    started = time.monotonic()
    assert read_exactly("x\n" + "\n".join([line] * 4001)).errors
    assert time.monotonic() - started < 30


@pytest.mark.parametrize("bad", ["x = = 1\n", "lazy import x\n"])
def test_large_file(bad: str) -> None:
    """One fault or one new statement in a large file costs a small multiple of parsing it."""
    source = "".join(f"X_{i} = {{'a': [1, 2, {i}], 'b': f'{{g({i})}}'}}\n" for i in range(3000)) + bad
    started = time.monotonic()
    parsed = read(source)
    assert len(parsed.module.body) == 3001
    assert time.monotonic() - started < 30


def test_long_line() -> None:
    """A line of half a megabyte is read, whole or broken."""
    source = "x = [" + "1, " * 200_000
    assert bound(read(source + "]\ny = 1\n")) == ["x", "y"]
    assert bound(read(source + "\ny = 1\n")) == ["y"]


# --- mutations ------------------------------------------------------------------------------------------------
def functions_of(source: str) -> dict[str, tuple[int, int]]:
    """First and last line of each function."""
    tree = ast.parse(source)
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    return {
        node.name: (node.lineno, node.end_lineno or 0) for node in ast.walk(tree) if isinstance(node, kinds)
    }


SPANS = functions_of(PROGRAM)
TOKENS = [
    token
    for token in tokenize.generate_tokens(io.StringIO(PROGRAM).readline)
    if token.type in (tokenize.NAME, tokenize.OP, tokenize.STRING, tokenize.NUMBER)
    or token.type == getattr(tokenize, "FSTRING_START", -1)
]
INSERTED = [
    "(",
    ")",
    "[",
    "}",
    ":",
    "=",
    "def",
    "class",
    "if",
    "'",
    '"',
    "\\",
    "$",
    "lambda",
    "1x",
    "f'{",
    ",",
    ".",
    "*",
    "->",
    "\n",
    "@",
]


def mutated(token: tokenize.TokenInfo, how: str, inserted: str) -> str:
    """The program with a token deleted, doubled, or with something inserted before it."""
    lines = PROGRAM.splitlines(keepends=True)
    first, last = token.start[0] - 1, token.end[0] - 1
    before = "".join(lines[:first]) + lines[first][: token.start[1]]
    after = lines[last][token.end[1] :] + "".join(lines[last + 1 :])
    if how == "delete":
        return before + after
    return before + (token.string if how == "double" else inserted) + " " + token.string + after


@given(st.sampled_from(TOKENS), st.sampled_from(["delete", "double", "insert"]), st.sampled_from(INSERTED))
@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_a_fault_in_one_function_leaves_the_others(
    token: tokenize.TokenInfo, how: str, inserted: str
) -> None:
    """After any small change in one function all other functions are found at their places, and errors have places."""
    source = mutated(token, how, inserted)
    parsed = read_exactly(source)
    for error in parsed.errors:
        assert 1 <= error.line <= parsed.lines + 1
        assert error.column >= 0
    assert parsed.recovered == bool(parsed.errors)
    shift = source.count("\n") - PROGRAM.count("\n")
    inside = {name for name, (first, last) in SPANS.items() if first <= token.start[0] <= last}
    if not inside:
        return  # a change of a class head or the module may take definitions away
    found = definitions(parsed)
    for name, (line, _) in SPANS.items():
        if name not in inside:
            assert found.get(name) in (line, line + shift), f"{name} is lost: {parsed.errors}"


def read_exactly(source: str) -> Parsed:
    parsed = parse(source.encode())
    assert not [error for error in parsed.errors if "recovery failed" in error.message], parsed.errors
    return parsed


@given(st.integers(0, 2**32))
@settings(max_examples=60, deadline=None)
def test_many_faults_at_once(seed: int) -> None:
    """A program with many random changes never makes parsing fail."""
    chance = random.Random(seed)
    pieces = [PROGRAM[at : at + 7] for at in range(0, len(PROGRAM), 7)]
    for _ in range(chance.randint(1, 30)):
        at = chance.randrange(len(pieces))
        pieces[at] = chance.choice(
            ["", pieces[at] * 2, chance.choice(INSERTED), pieces[chance.randrange(len(pieces))]]
        )
    parsed = read_exactly("".join(pieces))
    assert all(1 <= error.line <= parsed.lines + 1 for error in parsed.errors)


def test_files_of_the_standard_library_with_a_fault() -> None:
    """One bad line in a real file costs no definition of the file."""
    for name in ("argparse.py", "dataclasses.py", "typing.py"):
        source = Path(ast.__file__).with_name(name).read_text("utf-8")
        lines = source.splitlines(keepends=True)
        at = next(n for n, line in enumerate(lines) if n > len(lines) // 2 and line.startswith("    def "))
        indent = "    "
        broken = "".join([*lines[:at], f"{indent}x = = (\n", *lines[at:]])
        whole, part = definitions(parse(source.encode())), definitions(parse(broken.encode()))
        assert set(whole) == set(part), (sys.version, name)
