# Inside, everything raises; here an error becomes a line and an exit code, and nothing else in the project prints one.
from __future__ import annotations

from collections.abc import Callable, Sequence

from codemap.cli import exit_codes, talk
from codemap.errors import CodemapError


def guarded(action: Callable[[], int], words: Sequence[str]) -> int:
    """Does something for the command line `words`, and gives the exit code, whatever happens."""
    talk.be_quiet(False)
    try:
        return action()
    except CodemapError as error:
        talk.complain(error.message, error.hint)
        return error.exit_code
    except KeyboardInterrupt:
        return exit_codes.INTERRUPTED
    except Exception as error:
        return _fault(error, words)


def _fault(error: Exception, words: Sequence[str]) -> int:
    """Something that nobody foresaw."""
    if any(word in ("--debug", "--verbose") or (word[:2] in ("-v", "-q") and "v" in word) for word in words):
        import traceback

        talk.show("".join(traceback.format_exception(error)))
    first = str(error).split("\n")[0]
    talk.complain(
        f"{type(error).__name__}{': ' if first else ''}{first}",
        "this is a fault of codemap, please report it, with what --debug says",
    )
    return exit_codes.FAULT
