# Everything on standard output, written in one go at the end: an answer is either there or it is not. Bytes are
# written as they were read, so that a file name that is not UTF-8 comes out as the same name.
from __future__ import annotations

import contextlib
import errno
import os
import sys
from collections.abc import Iterable

from codemap.cli.talk import is_terminal, wants_colour
from codemap.config import Settings
from codemap.errors import OutputError
from codemap.model.answers import Answer


def print_answer(answer: Answer, settings: Settings) -> None:
    """Prints an answer as the settings say. Raises OutputError."""
    if settings.format == "json":
        from codemap.render.json_report import to_json

        write(to_json(answer))
    elif is_terminal(sys.stdout) and os.environ.get("TERM") != "dumb":
        write(_rich_text(answer, settings))
    else:
        from codemap.render.text import to_lines

        lines = list(to_lines(answer))
        if wants_colour(sys.stdout, settings.color):
            lines = [_painted(line) for line in lines]
        write("".join([line + "\n" for line in lines]))


def _rich_text(answer: Answer, settings: Settings) -> str:
    from rich.console import Console

    from codemap.render import terminal

    coloured = wants_colour(sys.stdout, settings.color)
    console = Console(
        force_terminal=True,
        no_color=not coloured,
        highlight=False,
        emoji=False,
        color_system="auto" if coloured else None,
    )
    with console.capture() as captured:
        terminal.print_answer(answer, console)
    return captured.get()


def _painted(line: str) -> str:
    """A line with its place in colour, as grep does."""
    place, colon, rest = line.partition(": ")
    return f"\x1b[35m{place}\x1b[0m{colon}{rest}" if colon else line


def write(text: str) -> None:
    """Writes to standard output and flushes. A reader that went away is no error; anything else is OutputError."""
    if sys.stdout is None:
        raise OutputError("standard output is closed", "send the output somewhere")
    encoding = sys.stdout.encoding or "utf-8"
    try:
        data = text.encode(encoding, "surrogateescape")
    except UnicodeEncodeError:
        data = text.encode(encoding, "backslashreplace")
    write_bytes(data)


def write_bytes(data: bytes) -> None:
    """Writes bytes to standard output, as `write` does text."""
    if sys.stdout is None:
        raise OutputError("standard output is closed", "send the output somewhere")
    try:
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        _forget()
    except OSError as error:
        _forget()
        if error.errno == errno.EPIPE:
            return
        reason = error.strerror or str(error)
        raise OutputError(f"standard output cannot be written: {reason}", "is the disk full?") from error


def write_file(path: str, pieces: Iterable[str | bytes]) -> None:
    """Writes a file that is there as a whole or, when anything fails, as it was. Raises OutputError."""
    import tempfile

    folder = os.path.dirname(path) or "."
    try:
        handle, draft = tempfile.mkstemp(prefix=f".{os.path.basename(path)}.", dir=folder)
    except OSError as error:
        raise OutputError(f"{path} cannot be written: {error.strerror}", "is the folder there?") from error
    try:
        with open(handle, "wb") as file:
            file.writelines(
                piece.encode("utf-8", "surrogateescape") if isinstance(piece, str) else piece
                for piece in pieces
            )
            file.flush()
            os.fsync(file.fileno())
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(draft, 0o666 & ~mask)
        os.replace(draft, path)
    except BaseException as error:
        with contextlib.suppress(OSError):
            os.unlink(draft)
        if isinstance(error, OSError):
            raise OutputError(f"{path} cannot be written: {error.strerror}", "is the disk full?") from error
        raise


def _forget() -> None:
    """Lets Python's own flush at exit go nowhere, which would fail a second time, with a traceback."""
    try:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, sys.stdout.fileno())
        os.close(null)
    except (OSError, ValueError):
        pass
