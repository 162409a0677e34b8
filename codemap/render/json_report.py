# ensure_ascii stays on: file names that are not UTF-8 arrive as lone surrogates, which no encoder of a terminal
# takes, and `\udcff` gives the same bytes in every locale. docs/answer.schema.json describes the result.
from __future__ import annotations

from codemap.model.answers import Answer

SCHEMA = "codemap.answer/1"


def to_json(answer: Answer) -> str:
    """An answer as one JSON object on one line, keys sorted, ASCII only, with a newline at the end."""
    import json

    report = {
        **answer.extra,
        "schema": SCHEMA,
        "command": answer.command,
        "target": answer.target,
        "tree": answer.tree._asdict(),
        "status": answer.status,
        "results": answer.results,
        "unresolved": [site._asdict() for site in answer.unresolved],
        "suggestions": answer.suggestions,
    }
    return json.dumps(report, sort_keys=True) + "\n"
