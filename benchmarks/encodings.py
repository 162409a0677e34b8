"""Size and speed of ways to keep facts as bytes, over every Python file below a folder.

    python benchmarks/encodings.py FOLDER [--every N] [--repeat N]

Prints a table: megabytes, seconds of processor time to write, seconds to read back (what is decoded when it is asked for: until then,
and with all parts), for outlines and for bodies.
"""

from __future__ import annotations

import argparse
import gc
import json
import marshal
import pickle
import time
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from codemap.model import facts
from codemap.semantic import encoding
from codemap.semantic.facts import read_facts, records

KINDS = {
    facts.Outline: (
        *(None,) * 3, facts.ParseError, facts.Scope, facts.Block, facts.Binding, facts.AttributeStore,
        facts.Import, facts.ExportOperation, facts.ClassFacts, facts.FunctionFacts,
    ),
    facts.Body: (None, None, facts.Binding, facts.Parameter, None, facts.Flow, None),
}  # fmt: skip


def plain(value: Any) -> Any:
    """Named tuples as tuples."""
    parts = [getattr(value, name) for name in value.parts()]
    return tuple(
        tuple(map(tuple, part)) if kind is not None else part
        for kind, part in zip(KINDS[type(value)], parts, strict=True)
    )


def named(kind: Any, value: Any) -> Any:
    """Tuples (or the lists of JSON) as named tuples again."""
    return kind(
        *[part if one is None else records(one, part) for one, part in zip(KINDS[kind], value, strict=True)]
    )


def writers(kind: Any) -> dict[str, tuple[Callable[[Any], bytes], Callable[[bytes], Any]]]:
    """Ways to write and to read one kind of record."""

    def squeezed(data: bytes) -> bytes:
        return zlib.compress(data, 1)

    outline = kind is facts.Outline
    write: Callable[[Any], bytes] = encoding.encode_outline if outline else encoding.encode_body
    back: Callable[[bytes], Any] = encoding.decode_outline if outline else encoding.decode_body
    return {
        "json": (
            lambda x: json.dumps(plain(x), separators=(",", ":")).encode(),
            lambda b: named(kind, json.loads(b)),
        ),
        "marshal 2": (lambda x: marshal.dumps(plain(x), 2), lambda b: named(kind, marshal.loads(b))),
        "marshal 2 + zlib 1": (
            lambda x: squeezed(marshal.dumps(plain(x), 2)),
            lambda b: named(kind, marshal.loads(zlib.decompress(b))),
        ),
        "pickle 5": (lambda x: pickle.dumps(plain(x), 5), lambda b: named(kind, pickle.loads(b))),
        "pickle 5, named": (lambda x: pickle.dumps(x, 5), pickle.loads),
        "columns": (write, back),
        "columns + zlib 1": (lambda x: squeezed(write(x)), lambda b: back(zlib.decompress(b))),
    }


def main() -> None:
    """Measure and print."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("folder", type=Path)
    options.add_argument("--every", type=int, default=1, help="only every N-th file")
    options.add_argument("--repeat", type=int, default=3, help="the best of so many rounds")
    given = options.parse_args()
    files = sorted(given.folder.rglob("*.py"))[:: given.every]
    read = [read_facts(file.read_bytes()) for file in files]
    gc.collect()
    gc.freeze()
    gc.disable()
    print(f"{len(files)} files")
    for kind, values in (
        (facts.Outline, [one.outline for one in read]),
        (facts.Body, [one.body for one in read]),
    ):
        for name, (write, back) in writers(kind).items():
            written = loaded = float("inf")
            for _ in range(given.repeat):
                start = time.process_time()
                blobs = [write(value) for value in values]
                written = min(written, time.process_time() - start)
                start = time.process_time()
                taken = [back(blob) for blob in blobs]
                loaded = min(loaded, time.process_time() - start)
            start = time.process_time()
            for value in taken:
                for part in value.parts():
                    getattr(value, part)
            rest = time.process_time() - start
            changed = sum(one != value for one, value in zip(taken, values, strict=True))
            size = sum(map(len, blobs)) / 1e6
            note = f"  ({changed} came back different)" if changed else ""
            print(
                f"{kind.__name__:8} {name:20} {size:8.2f} MB  write {written:6.3f} s  "
                f"read {loaded:6.3f} s, all parts {loaded + rest:6.3f} s{note}"
            )


if __name__ == "__main__":
    main()
