# The runner of tests/cases/semantic: what a comment there says is what `read_facts` has to find on the line
# (README.md there lists the comments).
from __future__ import annotations

import io
import re
import tokenize
from bisect import bisect_right
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from codemap.model import facts
from codemap.model.facts import FileFacts
from codemap.semantic import expressions as ops
from codemap.semantic.facts import read_facts

CASES = Path(__file__).parents[1] / "cases" / "semantic"
FILES = sorted(CASES.rglob("*.py"))
Found = dict[int, list[str]]


def said(text: str) -> tuple[dict[str, dict[int, list[str]]], list[str]]:
    """What the comments expect, by kind and line; the kinds that are complete."""
    expected: dict[str, dict[int, list[str]]] = defaultdict(dict)
    complete: list[str] = []
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type != tokenize.COMMENT:
            continue
        for part in re.split(r" \| (?=\w+:)", token.string.rpartition("# ")[2]):
            kind, _, rest = part.partition(":")
            if kind == "complete":
                complete = rest.replace(",", " ").split()
            elif kind in FINDERS:
                separator = "; " if kind == "exports" else ", "
                items = [rest.strip()] if kind in ("value", "block") else rest.strip().split(separator)
                expected[kind][token.start[0]] = items
    return expected, complete


class Reader:
    """Facts by line, in the words of the comments."""

    def __init__(self, found: FileFacts) -> None:
        self.outline, self.body = found.outline, found.body
        self.rows = found.body.expressions
        both = [*self.outline.bindings, *self.body.bindings]
        self.bindings = sorted(both, key=lambda one: one.order)

    def scope_name(self, scope: int) -> str:
        one = self.outline.scopes[scope]
        return "module" if one.kind == facts.MODULE else f"{one.kind} {one.name}"

    def block_of(self, expression: int) -> int:
        spans = self.body.spans
        return spans[bisect_right([span[0] for span in spans], expression) - 1][2]

    def term(self, id: int) -> str:
        """An expression as text."""
        if id < 0:
            return "-"
        op, _, _, *operands = self.rows[id]
        term = self.term

        def listed(ids: Any) -> str:
            return ", ".join(term(one) for one in ids)

        if op == ops.NAME:
            return str(operands[0])
        if op == ops.ATTRIBUTE:
            return f"{term(operands[0])}.{operands[1]}"
        if op == ops.CALL:
            named = [f"{name}={term(one)}" for name, one in zip(operands[2], operands[3], strict=True)]
            return f"{term(operands[0])}({', '.join([*map(term, operands[1]), *named])})"
        if op == ops.CONSTANT:
            return (
                repr(operands[1])
                if operands[1] is not None
                else {"ellipsis": "...", "NoneType": "None"}.get(operands[0], operands[0])
            )
        if op == ops.TUPLE:
            return f"({listed(operands[0])})"
        if op == ops.DICT:
            pairs = zip(*operands, strict=True)
            return f"{{{', '.join('**' + term(v) if k < 0 else term(k) + ': ' + term(v) for k, v in pairs)}}}"
        if op == ops.SUBSCRIPT:
            return f"{term(operands[0])}[{term(operands[1])}]"
        if op == ops.SLICE:
            return f"({':'.join(map(term, operands))})"
        if op == ops.STARRED:
            return f"*{term(operands[0])}"
        if op == ops.BINARY:
            return f"({term(operands[1])} {operands[0]} {term(operands[2])})"
        if op == ops.UNARY:
            return f"{operands[0]}{term(operands[1])}"
        if op == ops.BOOLEAN:
            return f"({f' {operands[0]} '.join(map(term, operands[1]))})"
        if op == ops.COMPARE:
            signs = operands[0].split()
            rest = [f"{sign} {term(one)}" for sign, one in zip(signs, operands[2], strict=True)]
            return f"({' '.join([term(operands[1]), *rest])})"
        if op == ops.CONDITIONAL:
            return f"({term(operands[1])} if {term(operands[0])} else {term(operands[2])})"
        if op == ops.LAMBDA:
            return f"lambda {term(operands[1])}"
        if op == ops.COMPREHENSION:
            return f"{operands[0]}[{listed(operands[3])} for {listed(operands[2])}]"
        if op == ops.WALRUS:
            return f"({operands[1]} := {term(operands[0])})"
        if op in (ops.AWAIT, ops.YIELD):
            return f"{ops.OP_NAMES[op].lower()} {term(operands[0])}"
        shown: list[str] = []
        for letter, operand in zip(ops.LAYOUT[op], operands, strict=True):
            if letter == "e":
                shown += [] if operand < 0 else [term(operand)]
            elif letter == "E":
                shown.append(listed(operand))
            elif letter == "N":
                shown.append(" ".join(operand))
            elif op in (ops.ITERATE, ops.ENTER, ops.CAUGHT):
                shown += ["async"] if operand else []
            elif operand != "":
                shown.append(str(operand))
        return f"{ops.OP_NAMES[op]}({', '.join(shown)})"


def binds(reader: Reader) -> Found:
    found: Found = defaultdict(list)
    for one in reader.bindings:
        owner = reader.outline.scopes[one.scope]
        name = "module" if one.scope == 0 else owner.name
        other = f" @{name}" if one.scope != one.within else ""
        found[one.line].append(f"{one.name} {one.kind}{other}")
    return found


def stores(reader: Reader) -> Found:
    found: Found = defaultdict(list)
    for one in reader.outline.stores:
        star = "*" if one.first_parameter else ""
        found[one.line].append(f"{one.receiver or '?'}{star} {one.name} {one.kind}")
    return found


def imported(reader: Reader) -> Found:
    found: Found = defaultdict(list)
    for one in reader.outline.imports:
        parts = [part for part in (one.module, one.name) if part]
        text = "." * one.level + ".".join(parts)
        renamed = f" as {one.alias}" if one.alias else ""
        mark = " dynamic" if one.dynamic else " lazy" if one.lazy else ""
        found[one.line].append(text + renamed + mark)
    return found


def exports(reader: Reader) -> Found:
    found: Found = defaultdict(list)
    for one in reader.outline.exports:
        names = ", ".join(one.names)
        rest = [f"+ {name}" for name in one.modules] + [f"+ *{name}" for name in one.reads]
        found[one.line].append(" ".join(part for part in (one.operation, names, *rest) if part))
    return found


def places(reader: Reader) -> list[tuple[int, int]]:
    """Line and block of everything that runs."""
    found = [(one.line, one.block) for one in reader.bindings]
    found += [(one.line, one.block) for one in reader.outline.imports]
    found += [(one.line, one.block) for one in reader.body.flows]
    return found


def block(reader: Reader) -> Found:
    found: Found = {}
    for line, number in places(reader):
        one = reader.outline.blocks[number]
        found[line] = [f"{one.kind} {one.text}".strip()]
    return found


def ends(reader: Reader) -> Found:
    return {line: [""] for line, number in places(reader) if reader.outline.blocks[number].terminates}


def scope(reader: Reader) -> Found:
    found: Found = defaultdict(list)
    for one in reader.outline.scopes[1:]:
        found[one.line].append(f"{one.kind} {one.name} in {reader.scope_name(one.parent)}")
    return found


def reads(reader: Reader) -> Found:
    found: Found = defaultdict(list)
    for row in reader.rows:
        if row[0] == ops.NAME:
            found[row[1]].append(row[3])
        elif row[0] == ops.ATTRIBUTE:
            found[row[1]].append(f".{row[4]}")
    return found


def value(reader: Reader) -> Found:
    found: Found = defaultdict(list)
    values = [(one.order, one.line, one.name, one.value) for one in reader.bindings]
    values += [
        (0, row[1], f"{reader.term(row[3])}.{row[4]}", row[5])
        for row in reader.rows
        if row[0] == ops.STORE_ATTRIBUTE
    ]
    for _, line, name, id in sorted(values, key=lambda one: one[0]):
        if id >= 0:
            found[line].append(f"{name} = {reader.term(id)}")
    return {line: [", ".join(shown)] for line, shown in found.items()}


def flow(reader: Reader) -> Found:
    found: Found = defaultdict(list)
    for one in reader.body.flows:
        found[one.line].append(f"{one.kind} {reader.term(one.value)}")
    return found


FINDERS = {
    "binds": binds, "stores": stores, "import": imported, "exports": exports, "block": block, "ends": ends,
    "scope": scope, "reads": reads, "value": value, "flow": flow,
}  # fmt: skip


@pytest.mark.parametrize("file", FILES, ids=[file.relative_to(CASES).as_posix() for file in FILES])
def test_a_case_file_says_what_is_found(file: Path) -> None:
    """Each comment of the file lists what is found on its line, and a complete kind lists all there is."""
    source = file.read_bytes()
    text = source.decode()
    expected, complete = said(text)
    reader = Reader(read_facts(source))
    assert reader.outline.errors == ()
    assert expected
    wrong = []
    for kind, lines in expected.items():
        found = FINDERS[kind](reader)
        checked = sorted({*lines, *found}) if kind in complete else sorted(lines)
        for line in checked:
            want, have = lines.get(line, []), found.get(line, [])
            if want != have:
                wrong.append(f"{file.name}:{line}: {kind}: comment {want}, found {have}")
    assert not wrong, "\n".join(wrong)
