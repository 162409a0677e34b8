# What codemap knows of the tree: every file with its lines, what does not parse, what was left out, and the sizes.
# The size of the index is not among them: it depends on what was asked before, and an answer may not.
from __future__ import annotations

from codemap.model.answers import FOUND, Answer
from codemap.resolve.program import Program


def status(program: Program) -> Answer:
    """The files of the tree with their lines, parse errors, skipped files, and sizes in bytes and lines."""
    known = program.index.status()
    return Answer(
        "status",
        "",
        program.index.summary(),
        FOUND,
        extra={
            "files": [{"file": file, "lines": lines} for file, lines in known.files],
            "parse_errors": [
                {"file": file, "line": line, "message": message} for file, line, message in known.parse_errors
            ],
            "skipped": [{"file": row.file, "reason": row.reason} for row in known.skipped],
            "extensions": list(known.extensions),
            "sizes": {"source_bytes": known.source_bytes, "lines": sum(lines for _, lines in known.files)},
        },
    )
