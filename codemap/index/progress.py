# What the index tells about long work. The command line draws it; the index never writes to a terminal.
from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """Told about work on files: `start` once with their number, `advance` as they are done, `finish` at the end.

    `finish` is called even when the work was interrupted. All calls come from the thread that asked.
    """

    def start(self, total: int) -> None: ...

    def advance(self, count: int) -> None: ...

    def finish(self) -> None: ...


class Silent:
    """Tells nobody."""

    def start(self, total: int) -> None:
        """Nothing."""

    def advance(self, count: int) -> None:
        """Nothing."""

    def finish(self) -> None:
        """Nothing."""
