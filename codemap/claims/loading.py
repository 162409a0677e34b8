# Claims files are written by hand and by programs, and come with pull requests: they are data of strangers. YAML is
# read as events with line marks, never constructed: no tags, no aliases, a limit on size and depth, so that a file
# can neither run code nor grow in memory. JSON is YAML here, with JSON's own message when it is broken.
from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from codemap.claims.kinds import COUNTED, KINDS, SYNONYMS
from codemap.claims.statements import QUANTIFIERS, Claim, Claims, Problem
from codemap.errors import UsageError
from codemap.model.answers import CONFIDENCES
from codemap.nearest import nearest

LARGEST: Final = 8 << 20  # bytes of a claims file
_DEEPEST: Final = 40
_FIELDS: Final = frozenset(
    {"id", "kind", "subject", "object", "args", "at", "quantifier", "tree", "min_confidence", "text", "trees"}
)
_HEAD: Final = frozenset({"tree", "claims", "min_confidence", "version", "schema"})
_REPORTS: Final = (".md", ".markdown", ".mdown", ".txt", ".rst")


class Node(NamedTuple):
    """A value of the file with the line on which it begins; mappings have (key, line of the key, node)."""

    value: Any
    line: int


class Unreadable(Exception):
    """The file says something that is not read: message and line."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(message, line)
        self.message = message
        self.line = line


def is_report(path: str) -> bool:
    """Whether a file is prose to lift claims from, by the end of its name."""
    return path.lower().endswith(_REPORTS)


def read_bytes(path: str, largest: int) -> bytes:
    """The bytes of a file that a user named. Raises UsageError."""
    try:
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            data = file.read(largest + 1)
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}", "is the path right?") from error
    if len(data) > largest:
        raise UsageError(
            f"{path} has {size:,} bytes, more than the {largest:,} that are read", "split the file"
        )
    return data


def load_claims(path: str, shown: str = "") -> Claims:
    """The claims of a YAML or JSON file. `shown` is the name under which results point to it.

    What is wrong with one claim is a Problem at its line, and the others are still there. Raises UsageError for a
    file that cannot be read at all.
    """
    name = shown or path
    try:
        data = read_bytes(path, LARGEST)
    except UsageError as error:
        if "more than" not in error.message:
            raise
        return Claims(problems=(Problem(name, 1, error.message),))
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        return Claims(problems=(Problem(name, line, f"not UTF-8: byte {data[error.start]:#04x}"),))
    return parse_claims(text, name)


def parse_claims(text: str, name: str) -> Claims:
    """The claims of a text."""
    try:
        root = _read(text, name)
    except Unreadable as error:
        return Claims(problems=(Problem(name, error.line, error.message),))
    return _claims(root, name)


# --- the text as nodes ---------------------------------------------------------------------------------------------
def _read(text: str, name: str) -> Node:
    if name.lower().endswith(".json"):
        import json

        try:
            json.loads(text)
        except json.JSONDecodeError as error:
            raise Unreadable(f"no JSON: {error.msg} at column {error.colno}", error.lineno) from None
        except RecursionError:
            raise Unreadable(f"nested deeper than {_DEEPEST} levels", 1) from None
    import yaml

    try:
        events = yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        return _document(iter(events))
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = mark.line + 1 if mark is not None else 1
        words = getattr(error, "problem", None) or getattr(error, "reason", None) or str(error)
        raise Unreadable(f"no YAML: {words}", line) from None


def _document(events: Iterator[Any]) -> Node:
    import yaml

    for event in events:
        if isinstance(event, yaml.StreamEndEvent):
            return Node(None, 1)
        if isinstance(event, yaml.StreamStartEvent | yaml.DocumentStartEvent):
            continue
        node = _node(event, events, 0)
        for rest in events:
            if isinstance(rest, yaml.DocumentStartEvent):
                raise Unreadable("a second document: claims stand in one", _line(rest))
        return node
    return Node(None, 1)


def _node(event: Any, events: Iterator[Any], depth: int) -> Node:
    import yaml

    line = _line(event)
    if depth > _DEEPEST:
        raise Unreadable(f"nested deeper than {_DEEPEST} levels", line)
    if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
        raise Unreadable("anchors and aliases are not read: write the value out", line)
    if event.tag is not None and event.tag != "!":
        raise Unreadable(f"the tag {event.tag} is not read", line)
    if isinstance(event, yaml.SequenceStartEvent):
        items: list[Node] = []
        for inner in events:
            if isinstance(inner, yaml.SequenceEndEvent):
                break
            items.append(_node(inner, events, depth + 1))
        return Node(items, line)
    if isinstance(event, yaml.MappingStartEvent):
        rows: list[tuple[str, int, Node]] = []
        for inner in events:
            if isinstance(inner, yaml.MappingEndEvent):
                break
            key = _node(inner, events, depth + 1)
            if isinstance(key.value, list):
                raise Unreadable("a key must be text", key.line)
            rows.append((str(key.value), key.line, _node(next(events), events, depth + 1)))
        return Node(dict_of(rows), line)
    return Node(_scalar(event), line)


def _line(event: Any) -> int:
    return int(event.start_mark.line) + 1


class Mapping(dict[str, tuple[int, Node]]):
    """A mapping of the file: key -> (line of the key, value). `twice` are keys that stand in it more than once."""

    twice: tuple[tuple[str, int], ...] = ()


def dict_of(rows: list[tuple[str, int, Node]]) -> Mapping:
    """A mapping of rows; the first of several equal keys is kept."""
    found = Mapping()
    twice = []
    for key, line, node in rows:
        if key in found:
            twice.append((key, line))
        else:
            found[key] = (line, node)
    found.twice = tuple(twice)
    return found


def _scalar(event: Any) -> Any:
    """A scalar by JSON's rules: what is quoted is text, and so are YAML's dates and `yes`."""
    text: str = event.value
    if not event.implicit[0]:
        return text
    if text in ("", "~", "null", "Null", "NULL"):
        return None
    if text in ("true", "True", "TRUE"):
        return True
    if text in ("false", "False", "FALSE"):
        return False
    body = text[1:] if text[:1] in "+-" else text
    if body.isascii() and body.isdigit() and len(body) < 20:
        return int(text)
    if body[:1].isdigit() and not body.isalpha() and set(body) <= set("0123456789.eE+-"):
        try:
            return float(text)
        except ValueError:
            return text
    return text


def plain(node: Node) -> Any:
    """The value without its lines."""
    if isinstance(node.value, Mapping):
        return {key: plain(inner) for key, (_, inner) in node.value.items()}
    if isinstance(node.value, list):
        return [plain(inner) for inner in node.value]
    return node.value


# --- nodes as claims ------------------------------------------------------------------------------------------------
def _claims(root: Node, name: str) -> Claims:
    tree: Any = ""
    least = ""
    problems: list[Problem] = []
    rows: Any = root.value
    if isinstance(root.value, Mapping) and "kind" in root.value and "claims" not in root.value:
        rows = [root]
    elif isinstance(root.value, Mapping):
        for key, (line, node) in root.value.items():
            if key not in _HEAD:
                problems.append(Problem(name, line, _unknown("key", key, _HEAD)))
            elif key == "tree":
                tree = plain(node)
                if not isinstance(tree, str) or not tree:
                    problems.append(
                        Problem(name, line, "tree must be text: a folder, NAME or pypi:NAME==VERSION")
                    )
                    tree = ""
            elif key == "min_confidence":
                least = str(plain(node))
                if least not in CONFIDENCES:
                    problems.append(Problem(name, line, _unknown("confidence", least, CONFIDENCES)))
                    least = ""
        if "claims" not in root.value:
            problems.append(Problem(name, root.line, "no claims: the file needs a list called claims"))
        rows = root.value["claims"][1].value if "claims" in root.value else []
    if rows is None:
        rows = []
    if not isinstance(rows, list):
        problems.append(Problem(name, root.line, "claims must be a list"))
        rows = []
    claims: list[Claim] = []
    seen: dict[str, int] = {}
    for number, node in enumerate(rows, 1):
        claim = _claim(node, number, name, tree, least, problems)
        if claim is None:
            continue
        if claim.id in seen:
            problems.append(
                Problem(name, claim.line, f"the id {claim.id} is that of line {seen[claim.id]}", id=claim.id)
            )
        seen.setdefault(claim.id, claim.line)
        claims.append(claim)
    return Claims(tuple(claims), tuple(problems))


def _claim(
    node: Node, number: int, name: str, tree: str, least: str, problems: list[Problem]
) -> Claim | None:
    """A claim of a node; None with a problem noted when it is none."""
    if not isinstance(node.value, Mapping):
        problems.append(Problem(name, node.line, "a claim must be a mapping with id, kind and subject"))
        return None
    row = {key: plain(inner) for key, (_, inner) in node.value.items()}
    lines = {key: line for key, (line, _) in node.value.items()}
    identity = _text(row.get("id")) or f"#{number}"
    found: list[tuple[int, str]] = [(line, f"{key} is given twice") for key, line in node.value.twice]
    found += [(lines[key], _unknown("field", key, _FIELDS)) for key in row if key not in _FIELDS]
    claim = made(row, node.line, name, identity, tree, least, found, lines)
    problems += [Problem(name, line, text, _text(row.get("text")), identity) for line, text in found]
    return None if found else claim


def made(
    row: dict[str, Any],
    line: int,
    name: str,
    identity: str,
    tree: Any,
    least: str,
    found: list[tuple[int, str]],
    lines: dict[str, int],
) -> Claim:
    """A claim of plain fields; what is wrong with them is added to `found`."""

    def wrong(field: str, text: str) -> None:
        found.append((lines.get(field, line), text))

    kind = _text(row.get("kind"))
    args = row.get("args")
    if args is None:
        args = {}
    if not isinstance(args, dict):
        wrong("args", "args must be a mapping")
        args = {}
    if "trees" in row:
        args = {"trees": row["trees"], **args}
    said = row.get("object")
    if said is None and "object" in row and kind in ("default_value", "constant"):
        said = "None"
    if kind == "unused":
        said = []
    kind = SYNONYMS.get(kind, kind)
    for field in ("subject", "at", "quantifier", "min_confidence", "text", "tree"):
        value = row.get(field)
        if value is not None and not isinstance(value, str | int | float):
            wrong(field, f"{field} must be text")
            row = {**row, field: None}
    if not kind:
        wrong("kind", "no kind: every claim needs one")
    elif kind not in KINDS:
        wrong("kind", _unknown("kind", kind, KINDS))
    else:
        for need in KINDS[kind].needs:
            if not any(_has(row, said, args, one) for one in need.split("|")):
                wrong("kind", f"a claim of kind {kind} needs {need.replace('|', ' or ')}")
    quantifier = _text(row.get("quantifier"))
    if quantifier and quantifier not in QUANTIFIERS:
        wrong("quantifier", _unknown("quantifier", quantifier, QUANTIFIERS))
    confidence = _text(row.get("min_confidence"))
    if confidence and confidence not in CONFIDENCES:
        wrong("min_confidence", _unknown("confidence", confidence, CONFIDENCES))
    if kind == "count" and "of" in args:
        of = str(args["of"])
        if of not in COUNTED and of not in COUNTED.values():
            wrong("args", _unknown("set", of, COUNTED))
    return Claim(
        identity,
        kind,
        _text(row.get("subject")),
        said,
        args,
        _text(row.get("at")),
        quantifier,
        _text(row.get("tree")) or tree,
        confidence or least,
        _text(row.get("text")),
        name,
        line,
    )


def _has(row: dict[str, Any], said: Any, args: dict[str, Any], need: str) -> bool:
    if need.startswith("args."):
        return args.get(need[5:]) not in (None, "")
    if need == "object":
        return said is not None and said != ""
    return row.get(need) not in (None, "")


def _text(value: Any) -> str:
    return "" if value is None else str(value)


def _unknown(what: str, word: str, known: Any) -> str:
    near = nearest(word, known, limit=1)
    return f"unknown {what} {word}" + (f"; nearest: {near[0]}" if near else "")
