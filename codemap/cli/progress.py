# A bar for long work, on a terminal only. rich is imported when there is something to show, which a warm question
# never has.
from __future__ import annotations

import sys
from typing import Any

from codemap.cli.talk import is_terminal
from codemap.index.progress import Progress, Silent


class Bar:
    """Draws `Indexing ━━━━ 812/1404 0:00:01` on standard error and takes it away at the end."""

    def __init__(self) -> None:
        self._bar: Any = None
        self._task: Any = None

    def start(self, total: int) -> None:
        """A bar for `total` files."""
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        self._bar = Progress(*columns, console=Console(stderr=True), transient=True)
        self._task = self._bar.add_task("Indexing", total=total)
        self._bar.start()

    def advance(self, count: int) -> None:
        """`count` files more are done."""
        if self._bar is not None:
            self._bar.advance(self._task, count)

    def finish(self) -> None:
        """Takes the bar away."""
        if self._bar is not None:
            self._bar.stop()
            self._bar = None


def progress(quiet: bool) -> Progress:
    """A bar where somebody may be looking, else silence."""
    return Bar() if not quiet and is_terminal(sys.stderr) else Silent()
