# How answers are put into words, for lines and for a terminal alike: the two differ in shape, never in what they
# say. Nothing here ends in a newline or knows about colour.
from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from codemap.model.answers import NOT_FOUND, Answer, TreeSummary

IMPORT_KINDS: Final = {
    "runtime": "at run time",
    "typing": "for type checkers only",
    "lazy": "lazily",
    "optional": "where it can",
}
_ON_CALLS: Final = ("callers", "callees", "path")
# What a terminal cannot be trusted with: file names and source text come from other people.
_CONTROLS: Final = {
    code: f"\\x{code:02x}" for code in (*range(0x20), *range(0x7F, 0xA0), 0x2028, 0x2029, 0x202D, 0x202E)
}


def plain(text: str) -> str:
    """Text without control characters, which are shown as escapes."""
    return text.translate(_CONTROLS)


def place(result: Mapping[str, Any]) -> str:
    """`path:line:column`; the column is 1 where only the line is known."""
    return f"{result['file']}:{result['line']}:{result.get('column') or 1}"


def tree_title(tree: TreeSummary) -> str:
    """`sglang 0.5.9`."""
    return f"{tree.name} {tree.version}" if tree.version else tree.name


def counted(number: int, noun: str, plural: str = "") -> str:
    """`1 file`, `1404 files`."""
    return f"{number} {noun if number == 1 else plural or noun + 's'}"


def size(number: int) -> str:
    """Bytes as people read them: `19.7 MB`."""
    for unit, factor in (("GB", 1_000_000_000), ("MB", 1_000_000), ("kB", 1_000)):
        if number >= factor:
            return f"{number / factor:.1f} {unit}"
    return counted(number, "byte")


def described(result: Mapping[str, Any]) -> str:
    """The flags and the state of a definition, as `dataclass, shadowed by ...`; may be empty."""
    words = list(result["flags"])
    by = result.get("shadowed_by")
    if by:
        words.append(f"shadowed by the {by['kind']} at {by['file']}:{by['line']}")
    guard = result.get("guard")
    if guard:
        words.append(guard if isinstance(guard, str) else "in one branch only")
    patched = result.get("patched")
    if patched:
        sites = ", ".join(f"{row['file']}:{row['line']}" for row in patched)
        words.append(f"replaced at {sites}")
    return ", ".join(words)


# The answers that are places: what stands at each, as a word and the rest.
SITES: Final[dict[str, Callable[[Mapping[str, Any]], tuple[str, str]]]] = {
    "refs": lambda result: (result["role"], f"in {result['name']}"),
    "consumers": lambda result: (result["access"], f"{result['attribute']} in {result['name']}"),
    "producers": lambda result: (result["access"], f"{result['attribute']} in {result['name']}"),
    "subclasses": lambda result: ("direct" if result["direct"] else "indirect", f"subclass {result['name']}"),
    "overrides": lambda result: ("direct" if result["direct"] else "indirect", f"override {result['name']}"),
    "callers": lambda result: (result.get("edge", "call"), f"of {result['callee']} in {result['caller']}"),
    "callees": lambda result: (result.get("edge", "call"), f"of {result['callee']} in {result['caller']}"),
    "path": lambda result: ("path", chain_of(result["path"])),
}


def chain_of(modules: Sequence[str]) -> str:
    """The modules a name travels through."""
    return " -> ".join(modules)


def expectation(row: Mapping[str, Any]) -> str:
    """What a file that was named with --in has to do with the class, without the file and its line."""
    status = row["status"]
    if status == "defined":
        return "defines it"
    if status == "imported":
        text = f"imports it from {row['from']} {IMPORT_KINDS[row['import_kind']]}"
        return f"{text} (chain: {chain_of(row['chain'])})" if len(row["chain"]) > 1 else text
    if status == "mentioned":
        return "mentions the name, and does not import it"
    if status == "absent":
        return "does not mention it"
    return "no such file" + (f"; nearest: {', '.join(row['nearest'])}" if row["nearest"] else "")


def not_found(answer: Answer) -> tuple[str, str]:
    """The message and the hint for an answer without a result."""
    what = {"find-class": "class named", "find": "definition of", "imports": "module"}.get(answer.command, "")
    if answer.command in _ON_CALLS:
        what = "definition of"
    message = (
        f"no {what} {answer.extra.get('missing', answer.target)} in {tree_title(answer.tree)}"
        if what
        else f"nothing in {answer.tree.name}"
    )
    near = answer.suggestions
    return (
        message,
        f"did you mean {', '.join(near[:-1])}{' or ' if near[1:] else ''}{near[-1]}?" if near else "",
    )


def nothing_called(answer: Answer) -> str:
    """An answer of no results, with what it does not cover."""
    what = {"callers": "no caller of", "callees": "nothing called by", "path": "no way of calls"}[
        answer.command
    ]
    left_out = answer.extra.get("left_out", {}).get("below_confidence")
    text = f"{what} {answer.target} {'so sure' if left_out else 'known'}"
    if answer.unresolved:
        bear = "call" if answer.command == "callees" else "call under the name"
        text += f"; {counted(len(answer.unresolved), bear, bear.replace('call', 'calls', 1))} could not be decided"
    return text


def remarks(answer: Answer) -> list[str]:
    """What has to be said about an answer besides its results: ambiguity, what was left out, broken files."""
    lines = []
    if answer.status == "ambiguous" and answer.command in _ON_CALLS:
        lines.append(
            f"{answer.target} fits several definitions, all are answered for; write more of the name"
        )
    elif answer.status == "ambiguous":
        lines.append(
            f"{answer.target} is ambiguous: {counted(len(answer.results), 'result')}; write more of the name"
        )
    left_out = answer.extra.get("left_out", {})
    if left_out.get("below_confidence"):
        lines.append(
            f"{counted(left_out['below_confidence'], 'result')} less sure than --min-confidence left out"
        )
    if left_out.get("over_limit"):
        lines.append(f"{counted(left_out['over_limit'], 'more result')} over --limit left out")
    if answer.tree.parse_errors and answer.command != "status":
        files = counted(answer.tree.parse_errors, "file")
        lines.append(f"{files} with parse errors: `codemap status` lists them")
    if answer.command in _ON_CALLS and answer.status != NOT_FOUND and not answer.results:
        lines.append(nothing_called(answer))
    if answer.extra.get("more_paths"):
        lines.append(f"more ways of the same length left out: the first {len(answer.results)} are shown")
    if answer.status == NOT_FOUND and answer.unresolved:
        lines.append(f"{counted(len(answer.unresolved), 'place')} could not be decided")
    return lines
