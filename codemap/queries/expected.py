# What a file that somebody named has to do with a definition: it defines it, imports it (from where, through which
# modules), only mentions it, does not know it, or does not exist.
from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from codemap.nearest import nearest
from codemap.queries.headers import source_lines
from codemap.queries.reexports import exports_of_definition
from codemap.resolve.attributes import follow_alias
from codemap.resolve.imports import import_kind, imported_module
from codemap.resolve.modules import imported
from codemap.resolve.program import Program
from codemap.resolve.records import LAZY, OPTIONAL, RUNTIME, TYPING, Definition, Found

# which of several imports of one file is told of: the one that surely runs first
_RANK: Final = {RUNTIME: 0, OPTIONAL: 1, LAZY: 2, TYPING: 3}
_NEAREST: Final = 3
_COMPARED: Final = 40


def expected_in(
    program: Program, name: str, found: Sequence[Definition], fragment: str
) -> list[dict[str, Any]]:
    """One entry for each file of the tree that `fragment` fits; one with `no_such_file` when there is none."""
    paths = program.modules.paths_matching(fragment)
    if not paths:
        return [_entry(fragment, "no_such_file", nearest=nearest_paths(program, fragment))]
    last = next((definition.name for definition in found), name).rpartition(".")[2]
    return [_relation(program, last, found, path) for path in paths]


def _entry(file: str, status: str, line: int | None = None, **more: Any) -> dict[str, Any]:
    return {"file": file, "status": status, "line": line, "nearest": [], **more}


def _relation(program: Program, last: str, found: Sequence[Definition], path: str) -> dict[str, Any]:
    lines = [definition.line for definition in found if definition.file == path]
    if lines:
        return _entry(path, "defined", min(lines))
    ways = _imports(program, last, found, path)
    if ways:
        return ways[0]
    line = _first_mention(program, last, path)
    return _entry(path, "mentioned", line) if line else _entry(path, "absent")


def _imports(program: Program, last: str, found: Sequence[Definition], path: str) -> list[dict[str, Any]]:
    """The imports of a file, in any scope, that lead to one of the definitions; the one that counts first."""
    view = program.view(path)
    wanted = set(found)
    names = {last, *(definition.name.rpartition(".")[2] for definition in found)}
    for definition in found:
        names.update(row["name"] for row in exports_of_definition(program, definition))
    rows: list[tuple[int, int, dict[str, Any]]] = []
    for row in view.outline.imports:
        if row.dynamic or not row.name:
            continue
        if row.name != "*" and not _may_lead(program, view.path, row.name, names):
            continue
        for name in sorted(names) if row.name == "*" else [row.bound]:
            for item in _behind(program, imported(program, view, row, name).found):
                if item.definition in wanted:
                    kind = import_kind(view, row)
                    source = imported_module(program, view, row)
                    home = program.modules.module_of(item.definition.file)
                    chain = list(dict.fromkeys([*(step.source for step in item.trail), home]))
                    entry = _entry(
                        path, "imported", row.line, import_kind=kind, chain=chain, **{"from": source}
                    )
                    rows.append((_RANK[kind], row.line, entry))
    rows.sort(key=lambda item: item[:2])
    return [entry for _, _, entry in rows]


def _behind(program: Program, found: Sequence[Found]) -> Iterator[Found]:
    """What was found, and what a variable among it is another name for."""
    for item in found:
        yield item
        if item.definition.scope < 0 and item.definition.binding >= 0:
            for other in follow_alias(program, item.definition).found:
                yield other._replace(trail=item.trail + other.trail)


def _may_lead(program: Program, path: str, imported_name: str, names: set[str]) -> bool:
    """Whether an imported name may be one of the names: it is, or it was renamed on its way (then all are tried)."""
    return imported_name in names or path not in program.mentioning(min(names))


def _first_mention(program: Program, name: str, path: str) -> int:
    """The first line, comments and strings included, on which the name stands as a word; 0 for none."""
    word = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
    view = program.view(path)
    for number, text in enumerate(source_lines(program.index.source(path), view.outline.encoding), 1):
        if word.search(text):
            return number
    return 0


def nearest_paths(program: Program, fragment: str) -> list[str]:
    """Paths of the tree that somebody may have meant, the most likely first.

    Ends of paths as long as the fragment are compared with it: those that share most of its words come first,
    the likest among them; letter by letter only where no path shares a word (comparing all takes long).
    """
    fragment = fragment.strip().replace("\\", "/")
    depth = fragment.count("/") + 1
    by_end: dict[str, list[str]] = {}
    for path in program.index.files:
        by_end.setdefault("/".join(path.split("/")[-depth:]), []).append(path)
    words = _words(fragment.rpartition(".")[0] or fragment)
    shared: dict[int, list[str]] = {}
    for end in by_end:
        low = end.lower()
        count = len([word for word in words if word in low])
        if count:
            shared.setdefault(count, []).append(end)
    ends: list[str] = []
    for count in sorted(shared, reverse=True):
        if len(ends) < _NEAREST:
            ends += nearest(
                fragment, sorted(shared[count])[:_COMPARED], limit=_NEAREST - len(ends), cutoff=0.4
            )
    if not ends:
        ends += nearest(fragment, by_end, limit=_NEAREST)
    return [path for end in ends for path in by_end[end]][:_NEAREST]


def _words(text: str) -> set[str]:
    """The words of a file's name, without the one-letter ones that every name holds."""
    return {word for word in re.split(r"[^a-z0-9]+", text.lower()) if len(word) > 1}
