# For pipes: one thing a line, beginning with the place, so that grep, editors and people can follow it. This runs
# in the fastest questions: no rich here.
from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from codemap.model.answers import CERTAIN, Answer
from codemap.render.wording import (
    SITES,
    chain_of,
    counted,
    described,
    expectation,
    place,
    plain,
    size,
    tree_title,
)


def to_lines(answer: Answer) -> Iterator[str]:
    """The lines of an answer, without line ends: results, what belongs to them, then what could not be decided."""
    writer = _WRITERS.get(answer.command, _sites)
    for line in writer(answer):
        yield plain(line)
    for site in answer.unresolved:
        yield plain(f"{site.file}:{site.line}:1: unresolved {site.name}: {site.reason}")


def _definitions(answer: Answer) -> Iterator[str]:
    for result in answer.results:
        words = described(result)
        sure = "" if result["confidence"] == CERTAIN else f" ({result['confidence']}: {result['how']})"
        yield f"{place(result)}: {result['kind']} {result['name']}{f' [{words}]' if words else ''}{sure}"
        for row in result["exports"]:
            yield f"{place(row)}: {row['import_kind']} re-export {row['module']}.{row['name']}"
    for row in answer.extra.get("expected_in", ()):
        where = f"{row['file']}:{row['line']}:1" if row["line"] else row["file"]
        yield f"{where}: {expectation(row)}"


def _cards(answer: Answer) -> Iterator[str]:
    from codemap.render.card_text import card_lines

    yield from card_lines(answer)


def _sites(answer: Answer) -> Iterator[str]:
    tell = SITES.get(answer.command)
    for result in answer.results:
        words = " ".join(tell(result)) if tell is not None else result.get("name", "")
        yield f"{place(result)}: {words} ({result['confidence']}: {result['how']})"


def _imports(answer: Answer) -> Iterator[str]:
    for result in answer.results:
        names = f": {', '.join(result['names'])}" if result["names"] else ""
        yield f"{place(result)}: {result['import_kind']} import {result['module']}{names}"


def _cycles(answer: Answer) -> Iterator[str]:
    for result in answer.results:
        yield f"{place(result)}: {result['import_kind']} cycle of {cycle_of(result)}"


def cycle_of(result: dict[str, Any]) -> str:
    """`3 modules: a -> b -> a`; a shortest cycle stands for a larger set of modules."""
    way = [site["from"] for site in result.get("sites", ())] or result["modules"]
    return f"{counted(len(result['modules']), 'module')}: {chain_of([*way, way[0]])}"


def _status(answer: Answer) -> Iterator[str]:
    extra = answer.extra
    sizes = extra["sizes"]
    yield (
        f"{tree_title(answer.tree)}: {counted(answer.tree.files, 'file')}, {counted(sizes['lines'], 'line')}, "
        f"{size(sizes['source_bytes'])}, {counted(len(extra['parse_errors']), 'parse error')}, "
        f"{len(extra['skipped'])} skipped"
    )
    for row in extra["parse_errors"]:
        yield f"{place(row)}: parse error: {row['message']}"
    for row in extra["skipped"]:
        yield f"{row['file']}:1:1: skipped: {row['reason']}"
    for path in extra.get("extensions", ()):
        yield f"{path}:1:1: compiled module, no source to read"


def _index(answer: Answer) -> Iterator[str]:
    tree = answer.tree
    yield f"{tree_title(tree)}: {counted(tree.files, 'file')} indexed, {tree.parse_errors} with parse errors"


def _calls(answer: Answer) -> Iterator[str]:
    for result in answer.results:
        yield call_line(result)


def call_line(result: Mapping[str, Any], note: str = "") -> str:
    """`path:line:column: caller calls callee (likely: annotation)`."""
    words = [] if result["edge"] == "call" else [result["edge"]]
    if result["confidence"] != CERTAIN or words:
        words.append(f"{result['confidence']}: {result['how']}")
    if note:
        words.append(note)
    told = f" ({', '.join(words)})" if words else ""
    return f"{place(result)}: {result['caller']} calls {result['callee']}{told}"


def _path(answer: Answer) -> Iterator[str]:
    for number, result in enumerate(answer.results):
        if number:
            yield ""
        for hop, site in enumerate(result["sites"]):
            note = "weakest link" if hop == result["weakest"] and site["confidence"] != CERTAIN else ""
            yield call_line(site, note)


_WRITERS: Final[dict[str, Callable[[Answer], Iterator[str]]]] = {
    "find-class": _definitions,
    "find": _definitions,
    "show": _cards,
    "callers": _calls,
    "callees": _calls,
    "path": _path,
    "imports": _imports,
    "cycles": _cycles,
    "status": _status,
    "index": _index,
}
