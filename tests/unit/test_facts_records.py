# Single fields of the records, and what does not fit on one line of a case file.
from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from codemap.model import facts
from codemap.model.facts import FileFacts
from codemap.semantic import encoding
from codemap.semantic import expressions as ops
from codemap.semantic.facts import read_facts

ROOT = Path(__file__).parents[2]


def read(text: str) -> FileFacts:
    """Facts of a text."""
    return read_facts(text.encode())


def binding(found: FileFacts, name: str) -> facts.Binding:
    """The last binding of a name in a module or class."""
    return [one for one in found.outline.bindings if one.name == name][-1]


def roles(found: FileFacts, word: str) -> set[str]:
    """The roles of a word, by the ends of their names."""
    bits = {name: bit for name, bit in vars(facts).items() if name.startswith("ROLE_")}
    return {name[5:].lower() for name, bit in bits.items() if found.words.get(word, 0) & bit}


def test_words_carry_every_role() -> None:
    """A word has one bit for each thing that the file does with it."""
    found = read(
        '"""doc word_in_doc"""\n'
        "from pkg.sub import Name as Alias\nfrom other import *\n"
        "class K(base.Parent):\n    '''also doc'''\n"
        "def f(p):\n    'doc too'\n    p.read; p.write = 1; p.call(key=2)\n    del p.gone\n"
        "x = 'text in_string, größe' + f'{p}fpart'\n'a statement of text'\n"
        "__all__ = ['K']\n"
        "match x:\n    case K(field=1): pass\n"
        "getattr(x, 'dotted.path')\n"
    )
    assert roles(found, "pkg") == roles(found, "sub") == {"import"}
    assert roles(found, "Name") == {"import", "rename"}
    assert roles(found, "Alias") == {"import", "bind"}
    assert roles(found, facts.STAR_WORD) == {"import"}
    assert roles(found, "K") == {"define", "class", "bind", "export", "read", "string"}
    assert roles(found, "Parent") == {"attribute", "base"}
    assert roles(found, "f") == {"define", "bind"}
    assert roles(found, "p") == {"bind", "read"}
    assert roles(found, "read") == {"attribute"}
    assert roles(found, "write") == roles(found, "gone") == {"store"}
    assert roles(found, "call") == {"attribute", "call"}
    assert roles(found, "key") == {"keyword"}
    assert roles(found, "field") == {"keyword", "attribute"}
    assert roles(found, "getattr") == {"read", "call"}
    for word in ("text", "in_string", "größe", "fpart", "dotted", "path"):
        assert roles(found, word) == {"string"}, word
    for word in ("doc", "word_in_doc", "also", "too", "statement"):
        assert word not in found.words


def test_long_strings_are_words_but_no_values() -> None:
    """A string of any length is searched for identifiers; its row keeps no text longer than 200 characters."""
    found = read(f"x = '{'n' * 300} needle'\ny = 'short'\n")
    assert roles(found, "needle") == {"string"}
    assert [row[4] for row in found.body.expressions] == [None, "short"]


def test_what_a_binding_may_be() -> None:
    """Aliases, callee, strings, annotation and constant describe the value as far as names can tell."""
    found = read(
        "A = mod.Class\nB = x if c else y.z\nC = p or q or 3\nD = Lazy('pkg.mod', 'Thing', k=1)\n"
        "E: typing.Final[int] = (1, -2, [None, {'a': b'x'}])\nF: 'ClassVar[int]'\nG = [1, n]\nH = J = f.g('s')\n"
        "K, L = A, 'text'\nM: int | None = 1\nN = (O := P)\n"
    )
    assert binding(found, "A").aliases == ("mod.Class",)
    assert binding(found, "B").aliases == ("x", "y.z")
    assert binding(found, "C").aliases == ("p", "q")
    assert (binding(found, "D").callee, binding(found, "D").strings) == ("Lazy", ("pkg.mod", "Thing"))
    assert (binding(found, "E").annotation, binding(found, "E").constant) == ("typing.Final", True)
    assert (binding(found, "F").annotation, binding(found, "F").kind) == ("ClassVar", facts.DECLARED)
    assert not binding(found, "G").constant
    assert binding(found, "H").callee == binding(found, "J").callee == "f.g"
    assert binding(found, "K").aliases == ("A",)
    assert binding(found, "L").constant
    assert binding(found, "M").annotation == ""
    assert binding(found, "N").aliases == binding(found, "O").aliases == ("P",)


def test_class_and_function_facts() -> None:
    """Bases, keywords and decorators are dotted chains, "" where they are something else; flags say what a body is."""
    found = read(
        "@d.e(1)\n@(lambda c: c)\nclass C(a.B, G[T], f(), metaclass=m.M, **kw):\n    'doc'\n"
        "    async def a(self): await self\n"
        "    def b(self): yield 1\n"
        "    def c(self):\n        'doc'\n        ...\n"
        "    def d(self):\n        'doc'\n        raise NotImplementedError('x')\n"
        "    def e(self): return None\n"
        "    @property\n    def f(self): return [1 for x in (yield)] if 0 else 1\n"
    )
    (one,) = found.outline.classes
    assert one.bases == ("a.B", "G", "")
    assert one.keywords == (("metaclass", "m.M"), ("**", "kw"))
    assert one.decorators == ("d.e", "")
    assert one.docstring
    assert len(one.base_values) == 3
    flags = [function.flags for function in found.outline.functions]
    assert flags == [
        ("async", "returns_none"),
        ("generator",),
        ("stub",),
        ("raises",),
        ("returns_none",),
        ("generator",),
    ]
    assert found.outline.functions[-1].decorators == ("property",)
    assert [function.docstring for function in found.outline.functions] == [
        False,
        False,
        True,
        True,
        False,
        False,
    ]


def test_a_scope_knows_its_lines() -> None:
    """The first line with decorators, the line of the keyword, the line of the colon, the last line."""
    found = read(
        "@one\n@two(\n  3)\nasync def f(\n    a=':', # : no\n) -> {1: 2}:\n    pass\n\n    pass\nclass C: pass\n"
    )
    function, other = found.outline.scopes[1:]
    assert (function.start_line, function.header_line, function.line, function.column) == (1, 4, 4, 10)
    assert (function.header_end, function.end_line) == (6, 9)
    assert (other.start_line, other.header_line, other.header_end, other.end_line) == (10, 10, 10, 10)


def test_parameters() -> None:
    """Every kind of parameter, with its annotation, its default and its own token, in the order written."""
    found = read("def f(a, b: int = 1, /, c=2, *d: str, e, f=3, **g): pass\n")
    rows = found.body.expressions
    shown = [
        (one.name, one.kind, one.column, one.default >= 0 and rows[one.default][4])
        for one in found.body.parameters
    ]
    assert shown == [
        ("a", "positional-only", 6, False), ("b", "positional-only", 9, 1), ("c", "positional", 24, 2),
        ("d", "*", 30, False), ("e", "keyword-only", 38, False), ("f", "keyword-only", 41, 3), ("g", "**", 48, False),
    ]  # fmt: skip
    assert [rows[one.annotation][3] for one in found.body.parameters if one.annotation >= 0] == ["int", "str"]
    assert found.outline.functions[0].parameters == tuple("abcdefg")


def test_what_a_module_getattr_looks_up() -> None:
    """The constants and the tables with which `__getattr__` compares its parameter."""
    found = read(
        "def __getattr__(name):\n    if name == 'A' or 'B' == name: return 1\n    if name in ('C', 'D'): return 2\n"
        "    if name in TABLE: return load(TABLE[name])\n    match name:\n        case 'E' | 'F': return 3\n"
        "    return other.lazy.get(name)\n"
        "class K:\n    def __getattr__(self, key):\n        if key == 'G': return 4\n"
        "def f():\n    def __getattr__(name): return name == 'H'\n"
    )
    module, method, _, inner = found.outline.functions
    assert module.getattr_names == ("A", "B", "C", "D", "E", "F")
    assert module.getattr_tables == ("TABLE", "other.lazy")
    assert method.getattr_names == ("G",)
    assert inner.getattr_names == ()


def test_branches_within_an_expression() -> None:
    """Operands behind `and` and `or`, arms of a conditional, what follows an `if` of a comprehension, say on what they hang."""
    found = read("x = a and a.b or c\ny = d.e if d else f\nz = [g.h for g in i if g]\nassert j, j.k\n")
    rows = found.body.expressions

    def under(attribute: str) -> set[tuple[str, bool]]:
        (id,) = [id for id, row in enumerate(rows) if row[0] == ops.ATTRIBUTE and row[4] == attribute]
        tests = [(test, truth) for first, last, test, truth in found.body.branches if first <= id <= last]
        return {(rows[test][3], truth) for test, truth in tests}

    assert under("b") == {("a", True)}
    assert under("e") == {("d", True)}
    assert under("h") == {("g", True)}
    assert under("k") == {("j", False)}


def test_private_names_are_as_written() -> None:
    """`__x` in a class is not mangled: places tell classes apart."""
    found = read("class C:\n    __x = 1\n    def f(self): self.__x\n")
    assert binding(found, "__x").name == "__x"
    assert roles(found, "__x") == {"bind", "attribute"}


def test_a_string_annotation_over_several_lines_keeps_places() -> None:
    """Names within a triple-quoted annotation stand on their own lines."""
    found = read('x: """\n    Outer[\n        Inner\n    ]\n"""\n')
    assert [row[1:] for row in found.body.expressions if row[0] == ops.NAME] == [
        (2, 4, "Outer"),
        (3, 8, "Inner"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "x = " + " + ".join(["a"] * 2000),
        "x = a" + ".b" * 1200,
        "x = a" + "[0]" * 1200,
        "x = " + "not " * 1200 + "a",
        "if a:\n    z = 1\n" + "".join(f"elif a == {i}:\n    z = {i}\n" for i in range(1000)),
        "__all__ = " + " + ".join(["['a']"] * 2000),
        "x: " + " | ".join(["a"] * 2000),
    ],
    ids=["sum", "attributes", "subscripts", "not", "elif", "all", "union"],
)
def test_deep_nesting_is_read(text: str) -> None:
    """What the parser reads is read whole, whatever the recursion limit, which is afterwards as it was."""
    limit = sys.getrecursionlimit()
    found = read(text + "\ny = 1\n")
    assert sys.getrecursionlimit() == limit
    assert found.outline.errors == ()
    assert binding(found, "y").line == text.count("\n") + 2
    encoding.decode_body(encoding.encode_body(found.body))


def test_deep_nesting_in_threads() -> None:
    """Two threads that read deep files at once do not disturb each other."""
    text = "x = a" + ".b" * 1200
    found: list[FileFacts] = []
    threads = [threading.Thread(target=lambda: found.append(read(text))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [one.outline.errors for one in found] == [()] * 4


def test_an_attribute_store_into_a_chain_has_values() -> None:
    """A store names its row and its value, an augmented one reads the same token before."""
    found = read("a.b.c += d\n")
    (store,) = found.outline.stores
    rows = found.body.expressions
    assert (store.receiver, store.kind, store.column) == ("a.b", facts.AUGMENTED, 4)
    assert rows[store.value][3] == "+="
    reads = [row[2] for row in rows if row[0] == ops.ATTRIBUTE and row[4] == "c"]
    assert reads == [4]


@pytest.mark.parametrize("place", [0, 1, 3, 7, 40, -1])
def test_a_damaged_blob_is_refused(place: int) -> None:
    """A flipped bit, a cut end, bytes of another kind: ValueError, never wrong facts."""
    found = read("import a\nclass C(a.B):\n    x = 1\ndef f(y): return C.x + y\n")
    for blob, decode in (
        (encoding.encode_outline(found.outline), encoding.decode_outline),
        (encoding.encode_body(found.body), encoding.decode_body),
    ):
        bad = bytearray(blob)
        bad[place] ^= 4
        for damaged in (bytes(bad), blob[:-1], blob[: len(blob) // 2], b"", b"O", blob + b"x"):
            with pytest.raises(ValueError, match="facts"):
                decode(damaged)
    with pytest.raises(ValueError, match="facts"):
        encoding.decode_body(encoding.encode_outline(found.outline))


def test_stored_facts_keep_the_classes_of_values() -> None:
    """True does not come back as 1, nor an attribute as a name that it equals."""
    found = read(
        "x = [1, True, 0, False, None, '1', 2**40, -1]\n" + "\n".join(f"v{i} = {i}" for i in range(40_000))
    )
    back = encoding.decode_body(encoding.encode_body(found.body))
    values = [row[4] for row in back.expressions[:9] if row[0] == ops.CONSTANT]
    assert [type(one) for one in values] == [int, bool, int, bool, type(None), str, int, int]
    assert back == found.body
    assert encoding.decode_outline(encoding.encode_outline(found.outline)) == found.outline


def test_parts_are_compared_and_replaced() -> None:
    """An outline from the store equals the one that was put there, and can be changed like a named tuple."""
    outline = read("x = 1\n").outline
    stored = encoding.decode_outline(encoding.encode_outline(outline))
    assert stored == outline
    assert stored._replace(lines=7).lines == 7
    assert stored._replace(lines=7) != outline
    assert "Binding" in repr(stored)
    with pytest.raises(AttributeError):
        stored.nothing  # type: ignore[attr-defined]  # noqa: B018


DIGEST = """
import hashlib, sys
sys.path.insert(0, sys.argv[1])
from codemap.semantic.encoding import encode_body, encode_outline
from codemap.semantic.facts import read_facts
for file in sys.stdin.read().split("\\n"):
    found = read_facts(open(file, "rb").read())
    whole = encode_outline(found.outline) + encode_body(found.body) + repr(found.words).encode()
    print(hashlib.sha256(whole).hexdigest())
"""


def interpreters() -> list[str]:
    """Other Python 3.11+ that can be run: on PATH, or as pyenv keeps them."""
    found = {shutil.which(f"python3.{minor}") for minor in range(11, 16)} - {None}
    found |= {str(path) for path in Path.home().glob(".pyenv/versions/3.1[1-9]*/bin/python")}
    working = []
    for one in sorted(str(path) for path in found):
        answer = subprocess.run(
            [one, "-c", "import sys; print(sys.version_info[:2])"],
            capture_output=True,
            text=True,
            check=False,
        )
        if answer.returncode == 0 and answer.stdout.strip() != str(sys.version_info[:2]):
            working.append(one)
    return working


def test_other_interpreters_read_the_same(tmp_path: Path) -> None:
    """The stored form of the same bytes is the same under every Python that is at hand."""
    others = interpreters()
    if not others:
        pytest.skip("no other Python 3.11+ on PATH")
    sources = sorted([*(ROOT / "tests/cases/semantic").rglob("*.py"), *(ROOT / "codemap").rglob("*.py")])
    files = [tmp_path / f"{number}-{source.name}" for number, source in enumerate(sources)]
    for source, file in zip(sources, files, strict=True):
        file.write_bytes(source.read_bytes())
    here = []
    for file in files:
        found = read_facts(file.read_bytes())
        whole = (
            encoding.encode_outline(found.outline)
            + encoding.encode_body(found.body)
            + repr(found.words).encode()
        )
        here.append(hashlib.sha256(whole).hexdigest())
    for other in others:
        answer = subprocess.run(
            [other, "-c", DIGEST, str(ROOT)],
            input="\n".join(map(str, files)),
            capture_output=True,
            text=True,
            check=False,
        )
        assert answer.returncode == 0, answer.stderr
        there = answer.stdout.split()
        assert [file.name for file, one, two in zip(files, here, there, strict=True) if one != two] == []


def test_a_keyword_has_its_own_place() -> None:
    """A keyword argument has a row at its own token, directly behind its value."""
    found = read("f(a,\n  key=\n    b, **c)\nclass C(metaclass=M): pass\n")
    rows = found.body.expressions
    (call,) = [row for row in rows if row[0] == ops.CALL]
    assert call[5] == ("key", "**")
    assert [rows[value + 1] for value in call[6]] == [
        (ops.KEYWORD, 2, 2, call[6][0], "key"),
        (ops.KEYWORD, 3, 7, call[6][1], "**"),
    ]
    assert [row[1:3] for row in rows if row[0] == ops.KEYWORD and row[4] == "metaclass"] == [(4, 8)]
