# Where both `codemap` and `python -m codemap` begin. Imports make some hundred thousand objects that all stay, and
# Python's collector walks them again and again: 8 % of a warm question (docs/decisions/start-up.md). What a question
# itself leaves in cycles is little.
from __future__ import annotations

import gc
import sys
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line and returns the exit code."""
    from codemap.cli.boundary import guarded

    words = list(sys.argv[1:] if arguments is None else arguments)
    return guarded(lambda: _done(words), words)


def _done(words: list[str]) -> int:
    from codemap.cli.directly import asked

    code = asked(words)
    if code is None:
        from codemap.cli.app import done

        code = done(words)
    return code


def run() -> None:
    """The console script."""
    gc.set_threshold(100_000, 20, 20)
    sys.exit(main())
