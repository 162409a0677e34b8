# Facts as bytes, for the store. Measured against JSON, marshal and pickle in docs/decisions/facts-encoding.md.
#
# Everything is laid out in columns, section by section (the records of a kind, the expressions of an op), and all
# columns in two streams: one of integers (an array of 16 or 32 bits), one of numbers of other values (names, texts,
# tuples of names), which stand once each in a table. A column whose values are all equal is that value. Columns are
# made and put together again by `zip`, so no Python code runs per record. The expressions, a section for each op, are
# put in order again by the sequence of ops.
#
# A blob is: a letter (outline or body), the format's version, the CRC-32 of the rest, and the rest as marshal
# version 2, whose form has been the same in every Python since 2.5 (later versions depend on reference counts).
# marshal is safe to read only when its bytes are as written, hence the checksum first.
from __future__ import annotations

import marshal
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice, repeat
from operator import itemgetter
from typing import Any, Final, TypeVar
from zlib import crc32

from codemap.model.facts import (
    AttributeStore,
    Binding,
    Block,
    Body,
    ClassFacts,
    ExportOperation,
    Flow,
    FunctionFacts,
    Import,
    Outline,
    Parameter,
    ParseError,
    Scope,
)
from codemap.semantic.expressions import LAYOUT

FORMAT: Final = 1

# One letter a field: i integer, o any other value (truth values too).
_SCHEMAS: Final[dict[type, str]] = {
    Scope: "ooiiiiiiiooi",
    Block: "ioiiioio",
    Binding: "ooiiiiiiooooo" + "iii",
    AttributeStore: "oooiiiiooiiii",
    Import: "iooo" + "iiiii" + "oo",
    ExportOperation: "ooooii",
    ClassFacts: "iooooooo" + "o",
    FunctionFacts: "iooooooo" + "o",
    ParseError: "iio",
    Parameter: "iooiiii",
    Flow: "oiiiii",
}
# Those of expressions: op, line, column, operands. E is a tuple of integers of any length, v a constant.
_LAYOUTS: Final = tuple(["iii" + text.translate(str.maketrans("esnN", "iioo")) for text in LAYOUT])
# The sections: place in the blob, kind of record (or the form of plain rows).
_OUTLINE_SECTIONS: Final[dict[str, tuple[int, type]]] = {
    "errors": (0, ParseError),
    "scopes": (1, Scope),
    "blocks": (2, Block),
    "bindings": (3, Binding),
    "stores": (4, AttributeStore),
    "imports": (5, Import),
    "exports": (6, ExportOperation),
    "classes": (7, ClassFacts),
    "functions": (8, FunctionFacts),
}
_BODY_SECTIONS: Final[dict[str, tuple[int, type | str]]] = {
    "spans": (0, "iii"),
    "bindings": (1, Binding),
    "parameters": (2, Parameter),
    "returns": (3, "ii"),
    "flows": (4, Flow),
    "branches": (5, "iiio"),
}
_RecordT = TypeVar("_RecordT")
_Row = tuple[Any, ...]
# Number of rows, where its columns begin in either stream, and by column the value that all of them have, as a tuple
# of one; None where there are no rows.
_Section = tuple[int, int, int, tuple[tuple[Any, ...] | None, ...]] | None


# --- the two streams --------------------------------------------------------------------------------------


def _pack(numbers: list[int]) -> bytes:
    # struct is twice as fast as array here; imported by writers only, a warm question does not need it
    import struct

    for code in "hiq":
        try:
            return code.encode() + struct.pack(f"<{len(numbers)}{code}", *numbers)
        except struct.error:
            continue
    raise ValueError("a number of more than 64 bits")


def _unpack(packed: bytes) -> memoryview:
    """A view of the integers; `tolist` of a part of it decodes that part."""
    code = chr(packed[0])
    if sys.byteorder == "big":
        import struct

        count = (len(packed) - 1) // struct.calcsize(f"<{code}")
        packed = b"_" + struct.pack(f"={count}{code}", *struct.unpack_from(f"<{count}{code}", packed, 1))
    return memoryview(packed)[1:].cast(code)  # type: ignore[call-overload,no-any-return]


class _Writer:
    __slots__ = ("_constants", "_ids", "_integers", "_others")

    def __init__(self) -> None:
        self._integers: list[int] = []
        self._others: list[int] = []
        self._ids: defaultdict[Any, int] = defaultdict()
        self._ids.default_factory = self._ids.__len__
        self._constants: dict[tuple[type, Any], int] = {}

    def section(self, rows: Sequence[_Row], schema: str) -> _Section:
        """Lay out rows of one form; gives what it takes to read them back."""
        if not rows:
            return None
        count = len(rows)
        start, other_start = len(self._integers), len(self._others)
        fixed: list[tuple[Any, ...] | None] = []
        add, number = self._integers.extend, self._ids.__getitem__
        for letter, column in zip(schema, zip(*rows, strict=True), strict=True):
            if letter != "v" and column[0] == column[-1] and column.count(column[0]) == count:
                fixed.append(column[:1])
                continue
            fixed.append(None)
            if letter == "i":
                add(column)
            elif letter == "o":
                self._others.extend(map(number, column))
            elif letter == "E":
                add(map(len, column))
                add(chain.from_iterable(column))
            else:  # True is 1 for a dict: the class is part of the key
                known = self._constants
                add([known.setdefault((type(one), one), len(known)) for one in column])
        return count, start, other_start, tuple(fixed)

    def expressions(self, rows: Sequence[_Row]) -> tuple[tuple[_Section, ...], bytes]:
        """Lay out the expression table; gives the sections by op and the sequence of ops."""
        by_op: list[list[_Row]] = [[] for _ in _LAYOUTS]
        for row in rows:
            by_op[row[0]].append(row)
        sections = [self.section(part, schema) for part, schema in zip(by_op, _LAYOUTS, strict=True)]
        return tuple(sections), bytes(map(itemgetter(0), rows))

    def sealed(self, letter: bytes, *content: Any) -> bytes:
        """The blob."""
        constants = tuple([value for _, value in self._constants])
        streams = (tuple(self._ids), constants, _pack(self._integers), _pack(self._others))
        payload = marshal.dumps((*streams, *content), 2)
        return letter + bytes([FORMAT]) + crc32(payload).to_bytes(4, "little") + payload


class _Reader:
    __slots__ = ("_constants", "_integers", "_others", "_values", "content")

    def __init__(self, letter: bytes, blob: bytes) -> None:
        if blob[:2] != letter + bytes([FORMAT]):
            raise ValueError("no facts of this format")
        payload = memoryview(blob)[6:]
        if crc32(payload).to_bytes(4, "little") != blob[2:6]:
            raise ValueError("damaged facts")
        self._values, self._constants, integers, others, *content = marshal.loads(payload)
        self._integers = _unpack(integers)
        self._others = _unpack(others)
        self.content: list[Any] = content

    def section(self, section: _Section, schema: str) -> Iterator[_Row]:
        """Rows of one form."""
        if section is None:
            return iter(())
        count, at, other, fixed = section
        integers, value = self._integers, self._values.__getitem__
        columns: list[Iterable[Any]] = []
        for letter, only in zip(schema, fixed, strict=True):
            if only is not None:
                columns.append(repeat(only[0], count))
            elif letter == "o":
                columns.append(map(value, self._others[other : other + count].tolist()))
                other += count
            elif letter == "E":
                lengths = integers[at : at + count].tolist()
                at += count
                end = at + sum(lengths)
                columns.append(map(tuple, map(islice, repeat(iter(integers[at:end].tolist())), lengths)))
                at = end
            else:
                column = integers[at : at + count].tolist()
                columns.append(column if letter == "i" else map(self._constants.__getitem__, column))
                at += count
        return zip(*columns, strict=True)

    def records(self, section: _Section, kind: type[_RecordT]) -> tuple[_RecordT, ...]:
        """The records of a section."""
        made: Any = map(tuple.__new__, repeat(kind), self.section(section, _SCHEMAS[kind]))
        return tuple(made)

    def expressions(self, sections: tuple[_Section, ...], order: bytes) -> tuple[_Row, ...]:
        """The expression table."""
        by_op = [self.section(section, schema) for section, schema in zip(sections, _LAYOUTS, strict=True)]
        return tuple(map(next, map(by_op.__getitem__, order)))


# --- outlines and bodies ----------------------------------------------------------------------------------


class _StoredOutline(Outline):
    """An outline whose sections are decoded when they are first asked for."""

    __slots__ = ("_reader",)

    def __init__(self, reader: _Reader) -> None:
        self._reader = reader
        (self.lines, self.encoding, self.recovered), _ = reader.content

    def __getattr__(self, name: str) -> Any:
        if name not in _OUTLINE_SECTIONS:
            raise AttributeError(name)
        reader: _Reader = self._reader
        place, kind = _OUTLINE_SECTIONS[name]
        records: tuple[Any, ...] = reader.records(reader.content[1][place], kind)
        setattr(self, name, records)
        return records


class _StoredBody(Body):
    """A body whose sections are decoded when they are first asked for."""

    __slots__ = ("_reader",)

    def __init__(self, reader: _Reader) -> None:
        self._reader = reader

    def __getattr__(self, name: str) -> Any:
        reader: _Reader = self._reader
        ops, order, sections = reader.content
        found: tuple[Any, ...]
        if name == "expressions":
            found = reader.expressions(ops, order)
        elif name in _BODY_SECTIONS:
            place, kind = _BODY_SECTIONS[name]
            section = sections[place]
            found = (
                tuple(reader.section(section, kind))
                if isinstance(kind, str)
                else reader.records(section, kind)
            )
        else:
            raise AttributeError(name)
        setattr(self, name, found)
        return found


def encode_outline(outline: Outline) -> bytes:
    """An outline as bytes, the same for equal outlines on every interpreter."""
    writer = _Writer()
    sections = [
        writer.section(getattr(outline, name), _SCHEMAS[kind])
        for name, (_, kind) in _OUTLINE_SECTIONS.items()
    ]
    head = (outline.lines, outline.encoding, outline.recovered)
    return writer.sealed(b"O", head, tuple(sections))


def decode_outline(blob: bytes) -> Outline:
    """The outline that `encode_outline` was given. Raises ValueError when the bytes are not as it wrote them."""
    return _StoredOutline(_Reader(b"O", blob))


def encode_body(body: Body) -> bytes:
    """A body as bytes, the same for equal bodies on every interpreter."""
    writer = _Writer()
    ops, order = writer.expressions(body.expressions)
    sections = [
        writer.section(getattr(body, name), kind if isinstance(kind, str) else _SCHEMAS[kind])
        for name, (_, kind) in _BODY_SECTIONS.items()
    ]
    return writer.sealed(b"B", ops, order, tuple(sections))


def decode_body(blob: bytes) -> Body:
    """The body that `encode_body` was given. Raises ValueError when the bytes are not as it wrote them."""
    return _StoredBody(_Reader(b"B", blob))
