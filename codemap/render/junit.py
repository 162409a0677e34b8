# JUnit's XML as the common readers take it (Jenkins, GitLab, GitHub actions): one suite a file, one test a claim.
# There is no one schema; this keeps to what all of them have. No time stamps: same bytes for the same verdicts.
from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any
from xml.sax.saxutils import escape, quoteattr

_FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def to_junit(results: Sequence[Mapping[str, Any]], problems: Sequence[Mapping[str, Any]]) -> str:
    """Checked claims as JUnit XML: refuted claims fail, undecided and ambiguous ones are skipped."""
    files: dict[str, list[str]] = {}
    counts: dict[str, list[int]] = {}
    for problem in problems:
        name = problem["id"] or f"line {problem['line']}"
        body = f'<error type="claims file" message={_attribute(problem["message"])}/>'
        _add(files, counts, problem["file"], _case(problem["file"], problem["line"], name, body), 1)
    for result in results:
        source = result["source"]
        name = f"{result['id']}: {result['text']}"
        body, place = "", -1
        if result["verdict"] == "refuted" and not result.get("accepted"):
            text = _text("\n".join(_told(result)))
            body = f'<failure type="refuted" message={_attribute(result["reason"])}>{text}</failure>'
            place = 0
        elif result["verdict"] != "verified":
            body = f"<skipped message={_attribute(result['verdict'] + ': ' + result['reason'])}/>"
            place = 2
        else:
            body = f"<system-out>{_text(chr(10).join(_told(result)))}</system-out>"
        _add(files, counts, source["file"], _case(source["file"], source["line"], name, body), place)
    total = [sum(row[place] for row in counts.values()) for place in range(3)]
    tests = sum(len(rows) for rows in files.values())
    lines = [
        '<?xml version="1.0" encoding="utf-8"?>',
        f'<testsuites name="codemap verify" tests="{tests}" failures="{total[0]}" errors="{total[1]}">',
    ]
    for file, rows in files.items():
        failures, errors, skipped = counts[file]
        lines.append(
            f'  <testsuite name={_attribute(file)} tests="{len(rows)}" failures="{failures}" errors="{errors}" '
            f'skipped="{skipped}">'
        )
        lines += rows
        lines.append("  </testsuite>")
    return "\n".join([*lines, "</testsuites>", ""])


def _add(files: dict[str, list[str]], counts: dict[str, list[int]], file: str, case: str, place: int) -> None:
    files.setdefault(file, []).append(case)
    row = counts.setdefault(file, [0, 0, 0])
    if place >= 0:
        row[place] += 1


def _case(file: str, line: int, name: str, body: str) -> str:
    head = f'classname={_attribute(file)} name={_attribute(name)} file={_attribute(file)} line="{line}"'
    return f"    <testcase {head}>{body}</testcase>"


def _told(result: Mapping[str, Any]) -> list[str]:
    rows = [*result["counter_evidence"], *result["evidence"]]
    hint = [result["suggestion"]] if result.get("suggestion") else []
    return [result["reason"], *hint, *(f"{row['file']}:{row['line']}: {row['text']}" for row in rows)]


def _attribute(text: str) -> str:
    return quoteattr(_FORBIDDEN.sub("\ufffd", text), {"\n": "&#10;", "\r": "&#13;", "\t": "&#9;"})


def _text(text: str) -> str:
    return escape(_FORBIDDEN.sub("\ufffd", text))
