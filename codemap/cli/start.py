# Where both `codemap` and `python -m codemap` begin: before Typer is imported, because of the first line. Imports
# make some hundred thousand objects that all stay, and Python's collector walks them again and again: 8 % of a warm
# question (docs/decisions/start-up.md). What a question itself leaves in cycles is little.
from __future__ import annotations

import gc
import sys

gc.set_threshold(100_000, 20, 20)


def run() -> None:
    """The console script."""
    from codemap.cli.app import main

    sys.exit(main())
