"""The errors codemap raises on purpose.

CodemapError                   message, hint (the way out); the CLI prints both and exits with `exit_code`
├── UsageError                 a flag or a setting cannot be used together or is not known
├── TreeError                  the tree cannot be looked at
│   ├── NoSuchTree             no folder, archive or distribution of that name (has .nearest)
│   ├── EmptyTree              there is no Python file in it
│   ├── ArchiveError           a wheel or source distribution is broken or reaches outside its folder
│   └── FetchError             pip could not bring a requirement
├── NoSuchModule               a module or file that a question names is not in the tree (has .nearest)
├── ConfigurationError         [tool.codemap] has an unknown key or a wrong value (has .file)
├── CacheError                 the cache cannot be read or written
├── LayoutError                a picture cannot be laid out, or not in time (has .vertices)
└── OutputError                an output file cannot be written
"""

from __future__ import annotations


class CodemapError(Exception):
    """Base of all errors that codemap raises on purpose; `exit_code` 2 means "could not look"."""

    exit_code = 2

    def __init__(self, message: str, hint: str = "", *details: object) -> None:
        super().__init__(message, hint, *details)  # args equal the parameters, so that it pickles
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return self.message


class UsageError(CodemapError):
    """A flag or a setting cannot be used so."""


class TreeError(CodemapError):
    """The tree cannot be looked at."""


class NoSuchTree(TreeError):
    """No folder, archive or distribution of that name."""

    def __init__(self, message: str, hint: str = "", nearest: tuple[str, ...] = ()) -> None:
        super().__init__(message, hint, nearest)
        self.nearest = nearest


class EmptyTree(TreeError):
    """There is no Python file in the tree."""


class ArchiveError(TreeError):
    """A wheel or a source distribution is broken, or a member reaches outside its folder."""


class FetchError(TreeError):
    """pip could not bring a requirement."""


class NoSuchModule(CodemapError):
    """A module or a file that a question names is not in the tree."""

    exit_code = 1

    def __init__(self, message: str, hint: str = "", nearest: tuple[str, ...] = ()) -> None:
        super().__init__(message, hint, nearest)
        self.nearest = nearest


class ConfigurationError(CodemapError):
    """[tool.codemap] has an unknown key or a wrong value."""


class CacheError(CodemapError):
    """The cache cannot be read or written."""


class LayoutError(CodemapError):
    """A picture cannot be laid out: Graphviz is not there, failed, or took too long."""

    def __init__(self, message: str, hint: str = "", vertices: int = 0) -> None:
        super().__init__(message, hint, vertices)
        self.vertices = vertices


class OutputError(CodemapError):
    """An output file cannot be written."""
