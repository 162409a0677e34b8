# Workflow commands of GitHub's runner, and a job summary. The runner reads `%0A` as a line end and cuts properties at
# `,` and `:`; it shows ten annotations of a level a step, so the worst come first.
from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from codemap.render.claims_text import VERDICTS

_LEVELS: Final = {"refuted": "error", "undecided": "warning", "ambiguous": "warning"}


def to_annotations(
    results: Sequence[Mapping[str, Any]], problems: Sequence[Mapping[str, Any]]
) -> Iterator[str]:
    """The workflow commands, without line ends; nothing for verified and accepted claims."""
    for problem in problems:
        yield _command("error", problem["file"], problem["line"], "claims file", problem["message"])
    for result in sorted(results, key=lambda one: VERDICTS.index(one["verdict"])):
        level = _LEVELS.get(result["verdict"])
        if level is None or result.get("accepted"):
            continue
        source = result["source"]
        rows = [*result["counter_evidence"], *result["evidence"]]
        hint = [result["suggestion"]] if result.get("suggestion") else []
        told = [f"{row['file']}:{row['line']}: {row['text']}" for row in rows[:5]]
        message = "\n".join([f"{result['text']}: {result['reason']}", *hint, *told])
        yield _command(level, source["file"], source["line"], f"{result['verdict']}: {result['id']}", message)


def _command(level: str, file: str, line: int, title: str, message: str) -> str:
    properties = f"file={_property(file)},line={max(line, 1)},title={_property(title)}"
    return f"::{level} {properties}::{_message(message)}"


def _message(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _message(text).replace(":", "%3A").replace(",", "%2C")


def summary(results: Sequence[Mapping[str, Any]], line: str) -> str:
    """A job summary in Markdown: a table of the claims, the worst first."""
    rows = [f"### codemap verify\n\n{_cell(line)}\n", "| verdict | claim | why |", "|---|---|---|"]
    for result in sorted(results, key=lambda one: VERDICTS.index(one["verdict"])):
        source = f"{result['source']['file']}:{result['source']['line']}"
        cells = (result["verdict"], f"{result['text']} ({source})", result["reason"])
        rows.append(f"| {' | '.join(map(_cell, cells))} |")
    return "\n".join(rows) + "\n"


def _cell(text: str) -> str:
    for character, other in (
        ("&", "&amp;"),
        ("<", "&lt;"),
        (">", "&gt;"),
        ("|", "\\|"),
        ("`", "\\`"),
        ("[", "\\["),
    ):
        text = text.replace(character, other)
    return " ".join(text.split())
