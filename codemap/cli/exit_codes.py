# Documented in `codemap --help`, README.md and the contract tests.
from __future__ import annotations

from typing import Final

from codemap.model.answers import NOT_FOUND, Answer

ANSWERED: Final = 0  # found, or ambiguous, or nothing where nothing is an answer
FINDING: Final = 1  # not found
COULD_NOT_LOOK: Final = 2  # usage, an unreadable tree, output that cannot be written
FAULT: Final = 3  # codemap itself failed
INTERRUPTED: Final = 130  # as a shell says of SIGINT

EPILOG: Final = (
    "Exit codes: 0 answered, 1 not found, 2 could not look (usage, unreadable tree), 3 a fault of codemap."
)


def code_of(answer: Answer) -> int:
    """The exit code that an answer stands for."""
    return FINDING if answer.status == NOT_FOUND else ANSWERED
