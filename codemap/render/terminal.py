# For people: the same words as text.py, in a shape that a terminal shows well. Everything that comes from the tree
# goes in as Text, never as markup: a file may be called `[red]`. Wide content folds, it is never cut.
from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from codemap.model.answers import CERTAIN, LIKELY, NOT_FOUND, Answer
from codemap.render.text import cycle_of
from codemap.render.wording import IMPORT_KINDS, SITES, chain_of, counted, described, plain, size, tree_title

_SURE: Final = {CERTAIN: "green", LIKELY: "yellow"}
_MARKS: Final = {
    "defined": ("✓", "green"),
    "imported": ("✓", "green"),
    "mentioned": ("?", "yellow"),
    "absent": ("✗", "red"),
    "no_such_file": ("✗", "red"),
}


def print_answer(answer: Answer, console: Console) -> None:
    """Prints an answer as tables and trees."""
    painter = _PAINTERS.get(answer.command, _sites)
    for part in painter(answer):
        console.print(part)
    if answer.unresolved:
        table = _grid()
        for site in answer.unresolved:
            table.add_row(_where(answer, site.file, site.line), _text(f"{site.name}: {site.reason}"))
        console.print(_section("Could not be decided", table))


# --- pieces -----------------------------------------------------------------------------------------------------
def _text(words: str, style: str = "") -> Text:
    return Text(plain(words), style, overflow="fold")


def _where(answer: Answer, file: str, line: int | None) -> Text:
    """`path:line`, which a click opens where the terminal knows links."""
    text = _text(file, "magenta")
    if line:
        text.append(f":{line}", "cyan")
    path = Path(answer.tree.root, file)
    if path.is_absolute() and plain(file) == file:
        text.stylize(f"link {_uri(path)}")
    return text


def _uri(path: Path) -> str:
    try:
        return path.as_uri()
    except (UnicodeError, ValueError):
        return ""


def _grid(columns: int = 2) -> Table:
    table = Table.grid(padding=(0, 2))
    for _ in range(columns):
        table.add_column(overflow="fold")
    return table


def _indented(part: RenderableType, by: int = 2) -> Padding:
    return Padding(part, (0, 0, 0, by), expand=False)


def _section(title: str, *content: RenderableType) -> RenderableType:
    return Group(Text(), Text(title, "bold"), *map(_indented, content))


# --- find-class, find ---------------------------------------------------------------------------------------------
def _definitions(answer: Answer) -> Iterable[RenderableType]:
    for number, result in enumerate(answer.results):
        if number:
            yield Text()
        yield from _definition(answer, result)
    rows = answer.extra.get("expected_in", ())
    if rows:
        yield _section("The files you named", *(_expected(answer, row) for row in rows))


def _definition(answer: Answer, result: Mapping[str, Any]) -> Iterable[RenderableType]:
    head = Text(overflow="fold")
    head.append(f"{result['kind']} ", "bold blue")
    head.append(plain(result["name"]), "bold")
    words = described(result)
    if words:
        head.append(f"  {plain(words)}", "dim")
    yield head
    sure = Text(overflow="fold")
    sure.append_text(_where(answer, result["file"], result["line"]))
    sure.append("  ")
    sure.append(result["confidence"], _SURE.get(result["confidence"], "red"))
    if result["how"] != "definition":
        sure.append(f" ({plain(result['how'])})", "dim")
    yield _indented(sure)
    for decorator in result["decorators"]:
        yield _indented(_text(f"@{decorator}", "dim"))
    if result["signature"]:
        yield _indented(_text(result["signature"]))
    by_kind: dict[str, list[dict[str, Any]]] = {}
    for row in result["exports"]:
        by_kind.setdefault(row["import_kind"], []).append(row)
    last = result["name"].rpartition(".")[2]
    for kind in (
        *(kind for kind in IMPORT_KINDS if kind in by_kind),
        *sorted(set(by_kind) - set(IMPORT_KINDS)),
    ):
        title = f"Re-exported {IMPORT_KINDS.get(kind, kind)} by {counted(len(by_kind[kind]), 'module')}"
        yield _section(title, *(_export(answer, row, last) for row in by_kind[kind]))


def _export(answer: Answer, row: Mapping[str, Any], last: str) -> Text:
    """The place of a re-export; module and name are told where the path and the class do not tell them."""
    text = _where(answer, row["file"], row["line"])
    stem = row["file"].rpartition(".")[0].removesuffix("/__init__").replace("/", ".")
    if row["name"] != last or stem != row["module"]:
        text.append(f"  as {plain(row['module'])}.{plain(row['name'])}", "dim")
    return text


def _expected(answer: Answer, row: Mapping[str, Any]) -> RenderableType:
    mark, style = _MARKS[row["status"]]
    text = Text(f"{mark} ", style, overflow="fold")
    missing = row["status"] == "no_such_file"
    text.append_text(_text(row["file"], "magenta") if missing else _where(answer, row["file"], row["line"]))
    return Group(text, *(_indented(line, 4) for line in _explained(answer, row)))


def _explained(answer: Answer, row: Mapping[str, Any]) -> Iterable[Text]:
    if row["status"] == "imported":
        yield _text(f"imports it {IMPORT_KINDS[row['import_kind']]} from {row['from']}")
        if len(row["chain"]) > 1:
            yield _text(f"through {chain_of(row['chain'])}", "dim")
    elif row["status"] == "no_such_file":
        yield _text("no such file in the tree" + ("; nearest:" if row["nearest"] else ""), "red")
        for path in row["nearest"]:
            yield _where(answer, path, None)
    else:
        words = {"defined": "defines it", "mentioned": "mentions the name, and does not import it"}
        yield _text(words.get(row["status"], "does not mention it"))


# --- answers that are places ---------------------------------------------------------------------------------------
def _cards(answer: Answer) -> Iterable[RenderableType]:
    from codemap.render.card_terminal import cards

    yield from cards(answer)


def _named(result: Mapping[str, Any]) -> tuple[str, str]:
    return "", str(result.get("name", ""))


def _sites(answer: Answer) -> Iterable[RenderableType]:
    tell = SITES.get(answer.command, _named)
    by_file: dict[str, list[dict[str, Any]]] = {}
    for result in answer.results:
        by_file.setdefault(result["file"], []).append(result)
    if not by_file:
        yield Text("None.")
    for number, (file, results) in enumerate(by_file.items()):
        if number:
            yield Text()
        yield _where(answer, file, None)
        table = _grid(3)
        table.columns[0].justify = "right"
        for result in results:
            word, rest = tell(result)
            text = _text(rest)
            if result["confidence"] != CERTAIN:
                text.append(f"  {result['confidence']}", _SURE.get(result["confidence"], "red"))
            text.append(f"  {plain(result['how'])}", "dim")
            table.add_row(_text(str(result["line"]), "cyan"), _text(word, "bold"), text)
        yield _indented(table)


# --- the others ----------------------------------------------------------------------------------------------------
def _imports(answer: Answer) -> Iterable[RenderableType]:
    by_file: dict[str, list[dict[str, Any]]] = {}
    for result in answer.results:
        by_file.setdefault(result["file"], []).append(result)
    for number, (file, results) in enumerate(by_file.items()):
        if number:
            yield Text()
        yield _where(answer, file, None)
        table = _grid(3)
        table.columns[0].justify = "right"
        for result in results:
            kind = result["import_kind"]
            module = _text(
                result["module"], "" if result.get("resolved", True) else "blue"
            )  # blue: outside the tree
            if result["names"]:
                module.append(f" {plain(', '.join(result['names']))}", "dim")
            style = {"typing": "blue", "lazy": "yellow", "optional": "yellow"}.get(kind, "green")
            table.add_row(_text(str(result["line"]), "cyan"), _text(kind, style), module)
        yield _indented(table)


def _cycles(answer: Answer) -> Iterable[RenderableType]:
    kinds = {"runtime": "Cycles at import time", "typing": "Cycles for type checkers only"}
    found = False
    for kind, title in kinds.items():
        results = [result for result in answer.results if result["import_kind"] == kind]
        if results:
            found = True
            yield _section(f"{title}: {len(results)}", *(_cycle(answer, result) for result in results))
    if not found:
        yield Text("No module imports itself through others.")


def _cycle(answer: Answer, result: dict[str, Any]) -> RenderableType:
    sites = result.get("sites", ())
    if not sites:
        return _text(cycle_of(result))
    more = len(result["modules"]) - len(sites)
    title = counted(len(result["modules"]), "module") + (", a shortest cycle in them:" if more > 0 else "")
    lines: list[RenderableType] = [Text(title, "yellow")]
    for site in sites:
        lines.append(_indented(_where(answer, site["file"], site["line"])))
        lines.append(_indented(_text(f"imports {site['to']}"), 4))
    return Group(*lines)


def _status(answer: Answer) -> Iterable[RenderableType]:
    extra = answer.extra
    yield Text(plain(tree_title(answer.tree)), "bold")
    facts = _grid()
    facts.add_row(Text("root", "dim"), _text(answer.tree.root, "magenta"))
    facts.add_row(Text("files", "dim"), Text(str(answer.tree.files)))
    facts.add_row(Text("lines", "dim"), Text(str(extra["sizes"]["lines"])))
    facts.add_row(Text("source", "dim"), Text(size(extra["sizes"]["source_bytes"])))
    facts.add_row(Text("digest", "dim"), _text(answer.tree.digest))
    yield _indented(facts)
    for key, title, word in (("parse_errors", "Parse errors", "message"), ("skipped", "Skipped", "reason")):
        rows = extra[key]
        if not rows:
            yield _section(f"{title}: none")
            continue
        table = _grid()
        for row in rows:
            table.add_row(_where(answer, row["file"], row.get("line")), _text(row[word]))
        yield _section(f"{title}: {len(rows)}", table)
    compiled = extra.get("extensions", ())
    if compiled:
        title = f"Compiled modules, no source to read: {len(compiled)}"
        yield _section(title, *(_text(path, "magenta") for path in compiled))


def _index(answer: Answer) -> Iterable[RenderableType]:
    tree = answer.tree
    broken = f", {counted(tree.parse_errors, 'file')} with parse errors" if tree.parse_errors else ""
    yield Text.assemble((plain(tree_title(tree)), "bold"), f"  {counted(tree.files, 'file')} indexed{broken}")


# --- callers, callees, path ---------------------------------------------------------------------------------------
def _callers(answer: Answer) -> Iterable[RenderableType]:
    yield from _calls(answer, "callee", "caller")


def _callees(answer: Answer) -> Iterable[RenderableType]:
    yield from _calls(answer, "caller", "callee")


def _calls(answer: Answer, asked: str, told: str) -> Iterable[RenderableType]:
    """A table for each definition that was asked for: who, where, how sure, by which rule."""
    by_asked: dict[str, list[dict[str, Any]]] = {}
    for result in answer.results:
        by_asked.setdefault(result[asked], []).append(result)
    if not by_asked and answer.status != NOT_FOUND:
        yield Text(f"No {told} known.")
    for number, (name, results) in enumerate(sorted(by_asked.items())):
        if number:
            yield Text()
        yield _text(name, "bold")
        table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
        for title in (told, "at", "sure", "how"):
            table.add_column(title, overflow="fold")
        for result in results:
            how = result["how"] if result["edge"] == "call" else f"{result['how']}, {result['edge']}"
            table.add_row(
                _text(result[told]),
                _where(answer, result["file"], result["line"]),
                _text(result["confidence"], _SURE.get(result["confidence"], "red")),
                _text(how, "dim"),
            )
        yield _indented(table)


def _path(answer: Answer) -> Iterable[RenderableType]:
    if not answer.results and answer.status != NOT_FOUND:
        yield Text("No way of calls known.")
    for number, result in enumerate(answer.results):
        if number:
            yield Text()
        yield _text(result["path"][0], "bold")
        for hop, site in enumerate(result["sites"]):
            line = Text("→ ", overflow="fold")
            line.append(plain(site["callee"]), "bold")
            line.append("  ")
            line.append(site["confidence"], _SURE.get(site["confidence"], "red"))
            how = f" {site['how']}" + (
                ", weakest link" if hop == result["weakest"] and site["confidence"] != CERTAIN else ""
            )
            line.append(plain(how), "dim")
            yield _indented(line)
            yield _indented(_where(answer, site["file"], site["line"]), 4)


# what card_terminal.py is made of too
SURE, text, where, grid, indented, section, definition = (
    _SURE, _text, _where, _grid, _indented, _section, _definition,
)  # fmt: skip

_PAINTERS: Final[dict[str, Callable[[Answer], Iterable[RenderableType]]]] = {
    "find-class": _definitions,
    "find": _definitions,
    "show": _cards,
    "callers": _callers,
    "callees": _callees,
    "path": _path,
    "imports": _imports,
    "cycles": _cycles,
    "status": _status,
    "index": _index,
}
