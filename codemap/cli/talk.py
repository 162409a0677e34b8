# Everything on standard error. It must never be the reason why a question fails: a closed or full standard error
# is no one to talk to, and nothing else.
from __future__ import annotations

import contextlib
import os
import sys
from typing import TextIO

from codemap.render.wording import plain

_QUIET = False


def be_quiet(quiet: bool) -> None:
    """Whether `say` stays silent from now on; errors are always told."""
    global _QUIET
    _QUIET = quiet


def say(line: str) -> None:
    """One line of talk: `codemap: ...`; nothing with --quiet."""
    if not _QUIET:
        _write(f"{_name(36)} {plain(line)}\n")


def complain(message: str, hint: str = "") -> None:
    """An error: one line that says what, one with the way out."""
    lines = f"{_name(31)} {plain(message)}\n"
    if hint:
        lines += f"  hint: {plain(hint)}\n"
    _write(lines)


def show(text: str) -> None:
    """Several lines as they are, such as a traceback."""
    _write("\n".join(map(plain, text.rstrip("\n").split("\n"))) + "\n")


def _name(colour: int) -> str:
    return f"\x1b[1;{colour}mcodemap:\x1b[0m" if wants_colour(sys.stderr, "auto") else "codemap:"


def _write(text: str) -> None:
    with contextlib.suppress(OSError, ValueError, AttributeError):  # full, closed, not there
        sys.stderr.write(text.encode("utf-8", "backslashreplace").decode("utf-8"))
        sys.stderr.flush()


def wants_colour(stream: TextIO | None, choice: str) -> bool:
    """Whether a stream gets colour: `choice` (always, never), else NO_COLOR, FORCE_COLOR, else a terminal does."""
    if choice != "auto":
        return choice == "always"
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return is_terminal(stream) and os.environ.get("TERM") != "dumb"


def is_terminal(stream: TextIO | None) -> bool:
    """Whether a stream is a terminal; False for one that is closed."""
    try:
        return stream is not None and stream.isatty()
    except ValueError:
        return False
