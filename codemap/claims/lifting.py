# Claims out of prose. Reports are read by fixed patterns over marked names, never guessed at: a sentence becomes a
# claim only when a pattern covers how its names stand to each other, and whatever is left is listed. No language
# model has a part in it.
#
# Three steps: markdown.py gives the prose by blocks with its lines, `_Sentence` marks names and paths in it, and the
# patterns (patterns.py) say what each form of statement claims.
from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from codemap.claims.loading import LARGEST, read_bytes
from codemap.claims.markdown import Block, blocks_of
from codemap.claims.patterns import PATTERNS, Lifted, Names
from codemap.claims.statements import Claim, Claims, Problem
from codemap.errors import UsageError

_POINTER = r"(?:(?::|\#L)\d+(?:(?:-L?|:)\d+)?)?"
_CODE_SPAN: Final = re.compile(r"(`+)(.+?)(?<!`)\1(?!`)", re.DOTALL)
_BARE_PATH: Final = re.compile(rf"(?<![\w/.`@-])(?:[\w.-]+/)*[\w-]+\.pyi?{_POINTER}(?![\w/])")
_PATH: Final = re.compile(
    rf"(?:\.?/)?(?:[\w.-]+/)*[\w.-]+\.pyi?{_POINTER}|(?:[\w.-]+/){{2,}}[\w.-]*|[\w.-]+/"
)
_SYMBOL: Final = re.compile(r"@?[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*(?:\(.*\))?", re.DOTALL)
_SENTENCE: Final = re.compile(r"(?<=[.;!?])\s+|(?<=:)\s+(?=[A-Z])")
# the ends of names of files that are no Python, and what reports put into code marks that is no name of the tree
_OTHER_FILES: Final = frozenset(
    [
        "json",
        "yaml",
        "yml",
        "md",
        "txt",
        "toml",
        "cfg",
        "ini",
        "csv",
        "cu",
        "cpp",
        "cuh",
        "cc",
        "h",
        "hpp",
        "c",
        "sh",
        "so",
        "bin",
        "pt",
        "pth",
        "lock",
        "html",
        "xml",
        "log",
        "rst",
        "whl",
        "safetensors",
        "ipynb",
        "js",
        "ts",
        "rs",
        "go",
        "java",
        "sql",
        "env",
        "gz",
        "zip",
        "tar",
        "proto",
        "dockerfile",
        "png",
        "svg",
        "jpg",
        "parquet",
        "npz",
        "pkl",
    ]
)
_TELLING: Final = re.compile(r"\d|\b(?:only|never|all|every|always|none|no)\b", re.IGNORECASE)
SYMBOL, PATH, OTHER = "\ue000", "\ue001", "\ue002"
END: Final = "\ue003"


def lift_report(path: str, shown: str = "") -> Claims:
    """The claims that a Markdown report makes, each with its line. Raises UsageError for a file that is not there."""
    name = shown or path
    try:
        data = read_bytes(path, LARGEST)
    except UsageError as error:
        if "more than" not in error.message:
            raise
        return Claims(problems=(Problem(name, 1, error.message),))
    return lift_text(data.decode("utf-8", "replace"), name)


def lift_text(text: str, name: str) -> Claims:
    """The claims of a text in Markdown, in the order of its lines."""
    claims: list[Claim] = []
    left: list[Problem] = []
    for block in blocks_of(text):
        if block.header is not None:
            found = list(_table_row(block))
            claims += [_claim(one, block.line_at(0), name, block.text) for one in found]
            if found:
                continue
        for start, end in _sentences(block.text):
            sentence = _Sentence(block.text[start:end])
            lifted, understood = sentence.claims()
            for one in lifted:
                claims.append(_claim(one, block.line_at(start + one.offset), name, sentence.plain))
            if not understood and (sentence.names or _TELLING.search(sentence.plain)) and not block.heading:
                if len(sentence.plain.split()) > 2:
                    line = block.line_at(
                        start + len(block.text[start:end]) - len(block.text[start:end].lstrip())
                    )
                    left.append(Problem(name, line, "not understood", sentence.plain[:300]))
    seen: set[tuple[Any, ...]] = set()
    kept: list[Claim] = []
    for claim in claims:
        key = (
            claim.line,
            claim.kind,
            claim.subject,
            str(claim.object),
            str(claim.args),
            claim.at,
            claim.quantifier,
        )
        if key not in seen:
            seen.add(key)
            kept.append(claim)
    kept.sort(key=lambda claim: claim.line)
    numbers: dict[int, int] = {}
    numbered: list[Claim] = []
    for claim in kept:
        count = numbers[claim.line] = numbers.get(claim.line, 0) + 1
        numbered.append(claim._replace(id=f"L{claim.line}.{count}"))
    return Claims(tuple(numbered), (), tuple(left))


def _claim(one: Lifted, line: int, name: str, text: str) -> Claim:
    return Claim(
        "", one.kind, one.subject, one.object, one.args, one.at, one.quantifier,
        text=" ".join(text.replace("`", "").split())[:300], file=name, line=line,
    )  # fmt: skip


def _sentences(text: str) -> Iterator[tuple[int, int]]:
    """Start and end of the sentences of a block; marks of code and brackets hold together what is in them."""
    hidden = _CODE_SPAN.sub(lambda match: "x" * len(match[0]), text)
    hidden = re.sub(r"\([^()]*\)", lambda match: "x" * len(match[0]), hidden)
    hidden = re.sub(r"\b(?:e\.g|i\.e|cf|etc|vs|approx)\.", lambda match: "x" * len(match[0]), hidden)
    start = 0
    for match in _SENTENCE.finditer(hidden):
        if text[start : match.start()].strip():
            yield start, match.start()
        start = match.end()
    if text[start:].strip():
        yield start, len(text)


class _Sentence:
    """A sentence with its names marked: every mark is a character for the kind, a number, and an end."""

    def __init__(self, text: str) -> None:
        self.plain = " ".join(text.split())
        self.names: list[str] = []
        self.offsets: list[int] = []
        self.marked = self._mark(text)

    def _mark(self, text: str) -> str:
        pieces: list[str] = []
        position = 0
        for match in re.finditer(f"{_CODE_SPAN.pattern}|{_BARE_PATH.pattern}", text, re.DOTALL):
            pieces.append(_prose(text[position : match.start()]))
            inner = match[2].strip() if match[2] is not None else match[0]
            pieces.append(self._token(inner, match.start()))
            position = match.end()
        pieces.append(_prose(text[position:]))
        return re.sub(r"\s+", " ", "".join(pieces)).strip()

    def _token(self, inner: str, offset: int) -> str:
        kind = OTHER
        if _PATH.fullmatch(inner) and not re.fullmatch(r"[\w.]+/", inner):
            kind = PATH
        elif " -> " in inner or " → " in inner:
            parts = [part.strip() for part in re.split(r"->|→", inner)]
            if all(_SYMBOL.fullmatch(part) for part in parts):
                return " -> ".join(self._token(part, offset) for part in parts)
        elif _SYMBOL.fullmatch(inner):
            plain = inner.removeprefix("@").partition("(")[0]
            last = plain.rpartition(".")[2]
            if not plain.startswith(("self.", "cls.")) and not (
                "." in plain and last.lower() in _OTHER_FILES
            ):
                kind, inner = SYMBOL, plain
        self.names.append(inner)
        self.offsets.append(offset)
        return f"{kind}{len(self.names) - 1}{END}"

    def claims(self) -> tuple[list[Lifted], bool]:
        """What the sentence claims, and whether a pattern has understood it."""
        found: list[Lifted] = []
        used: set[int] = set()
        names = Names(self.names, self.offsets, used)
        marked = self.marked
        understood = False
        for pattern, make in PATTERNS:
            while True:
                match = pattern.search(marked)
                if match is None:
                    break
                made = make(match, names)
                if made is None:
                    break
                found += made.claims
                understood = True
                rest = marked[: match.start()] + made.keep + marked[match.end() :]
                if rest == marked:
                    break
                marked = rest
        for number, text in enumerate(self.names):
            if number in used:
                continue
            if f"{PATH}{number}{END}" in self.marked:
                found.append(names.path(number))
                used.add(number)
            elif f"{SYMBOL}{number}{END}" in self.marked and is_name(text):
                found.append(
                    Lifted("symbol_exists", text, None, {"mentioned": True}, offset=self.offsets[number])
                )
        return found, understood


def _prose(text: str) -> str:
    """Prose without emphasis and links' targets."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"<[^<>]*>", " ", text)
    return text.replace("**", "").replace("__", "").replace("→", "->").replace("⟶", "->")


def is_name(text: str) -> bool:
    """Whether a text in code marks can only be a name of code: `FutureMap`, `run_batch`, `Scheduler.run`."""
    last = text.rpartition(".")[2]
    if last.isupper() or len(last) < 3 or (last.startswith("__") and "." not in text):
        return False
    if re.search(r"[a-z0-9][A-Z]|[A-Z][a-z]", last) and last not in ("True", "False", "None"):
        return True
    return "_" in last.strip("_") or ("." in text and any(part[:1].isupper() for part in text.split(".")))


def _table_row(block: Block) -> Iterator[Lifted]:
    """A row of a table whose head says which column names a symbol, a file, a number of lines."""
    header = [cell.lower() for cell in block.header or ()]
    cells = block.cells
    symbol = path = lines = None
    for head, (start, cell) in zip(header, cells, strict=False):
        sentence = _Sentence(cell)
        marks = re.findall(f"([{SYMBOL}{PATH}])(\\d+){END}", sentence.marked)
        only = len(marks) == 1 and re.fullmatch(f"[{SYMBOL}{PATH}]\\d+{END}\\s*", sentence.marked)
        if (
            only
            and marks[0][0] == PATH
            and re.search(r"file|path|where|location|module|defined|source", head)
        ):
            path = (sentence.names[0], start)
        elif (
            only
            and marks[0][0] == SYMBOL
            and re.search(r"symbol|class|function|method|name|what|type|component", head)
        ):
            symbol = (sentence.names[0], start)
        elif re.search(r"\b(?:lines|loc|size)\b", head):
            number = re.fullmatch(r"\s*(~|about )?\s*([\d,]+)(?: lines)?\s*", cell)
            if number is not None:
                lines = (int(number[2].replace(",", "")), bool(number[1]), start)
    if symbol is not None and path is not None:
        names = Names([path[0]], [0], set())
        yield from names.located(symbol[0], 0, symbol[1])
    elif path is not None:
        yield Names([path[0]], [0], set()).path(0)
    elif symbol is not None and is_name(symbol[0]):
        yield Lifted("symbol_exists", symbol[0], None, {"mentioned": True})
    if lines is not None and path is not None:
        file = Names([path[0]], [0], set()).file(0)
        yield Lifted("line_count", file, lines[0], {"about": True} if lines[1] else {})


__all__ = ["is_name", "lift_report", "lift_text"]
