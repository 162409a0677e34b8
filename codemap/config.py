# Three steps, after ruff: options as written (a pyproject.toml, the environment, flags), one after the other over
# the defaults, then Settings, which nobody changes. `KEYS` is the one list of what may be set; a flag, a key of
# the file and a variable of the environment are three spellings of the same entry.
#
# Every question pays for this module: tomllib (3 ms) is imported only for a file that speaks of codemap, and
# platformdirs (4 ms) only where the XDG rules are not the answer anyway.
from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from codemap.errors import ConfigurationError, UsageError
from codemap.model.answers import CONFIDENCES, POSSIBLE

FORMATS: Final = ("text", "json")
COLORS: Final = ("auto", "always", "never")


class Settings(NamedTuple):
    """Everything that shapes an answer besides the question. `tree` None is the current folder; `cache` is absolute."""

    tree: str | None = None
    roots: tuple[str, ...] = ()
    python: str | None = None
    exclude: tuple[str, ...] = ()
    jobs: int | None = None
    format: str = "text"
    min_confidence: str = POSSIBLE
    limit: int | None = None
    color: str = "auto"
    quiet: bool = False
    verbose: int = 0
    cache: Path = Path()


class _Wrong(Exception):
    """A value that a key cannot have; says what it takes."""


def _text(value: object) -> str:
    if not isinstance(value, str) or not value:
        raise _Wrong("takes a text")
    return value


def _texts(value: object) -> tuple[str, ...]:
    if not isinstance(value, list | tuple) or not all(isinstance(item, str) and item for item in value):
        raise _Wrong("takes a list of texts")
    return tuple(value)


def _count(value: object) -> int:
    if isinstance(value, str) and value.strip().isdecimal():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise _Wrong("takes a whole number from 1")
    return value


def _one_of(choices: tuple[str, ...]) -> Callable[[object], str]:
    def check(value: object) -> str:
        if not isinstance(value, str) or value not in choices:
            raise _Wrong(f"takes one of {', '.join(choices)}")
        return value

    return check


# Key as the file spells it -> what makes a value of it. The field of Settings has "_" for "-".
KEYS: Final[Mapping[str, Callable[[object], object]]] = {
    "tree": _text,
    "roots": _texts,
    "python": _text,
    "exclude": _texts,
    "jobs": _count,
    "format": _one_of(FORMATS),
    "min-confidence": _one_of(CONFIDENCES),
    "limit": _count,
    "color": _one_of(COLORS),
    "cache-dir": _text,
}
_LISTS: Final = ("roots", "exclude")


def settle(
    flags: Mapping[str, Any], *, folder: str = ".", environment: Mapping[str, str] | None = None
) -> Settings:
    """The settings that hold in a folder: defaults, then [tool.codemap], then the environment, then flags.

    `flags` maps fields of Settings to values; None and () mean "not given". Raises ConfigurationError for an
    unknown key or a wrong value, naming the file or the variable, and UsageError for a wrong flag.
    """
    environment = os.environ if environment is None else environment
    settled: dict[str, Any] = {**_from_file(folder), **_from_environment(environment)}
    cache = settled.pop("cache_dir", None)
    settled.update({field: _flag(field, value) for field, value in flags.items() if value not in (None, ())})
    settled["cache"] = Path(
        os.path.abspath(os.path.expanduser(cache)) if cache else default_cache(environment)
    )
    return Settings(**settled)


def _flag(field: str, value: Any) -> object:
    key = field.replace("_", "-")
    if key not in KEYS:
        return value
    try:
        return KEYS[key](value)
    except _Wrong as wrong:
        name = "root" if key == "roots" else key
        shown = value or "''"
        raise UsageError(f"--{name} {shown} cannot be used: it {wrong}", "see --help") from None


def default_cache(environment: Mapping[str, str]) -> str:
    """The user's cache folder as platformdirs names it."""
    if sys.platform == "linux" and "ANDROID_DATA" not in environment:
        base = environment.get("XDG_CACHE_HOME", "").strip()
        return os.path.join(base if os.path.isabs(base) else os.path.expanduser("~/.cache"), "codemap")
    from platformdirs import user_cache_dir

    return user_cache_dir("codemap", appauthor=False)


# --- the environment --------------------------------------------------------------------------------------------
def _from_environment(environment: Mapping[str, str]) -> dict[str, Any]:
    """CODEMAP_TREE, CODEMAP_ROOTS, ...; a list is separated as PATH is. An empty variable is not set."""
    found: dict[str, Any] = {}
    for key, make in KEYS.items():
        variable = "CODEMAP_" + key.upper().replace("-", "_")
        text = environment.get(variable)
        if not text:
            continue
        try:
            value = make([item for item in text.split(os.pathsep) if item] if key in _LISTS else text)
        except _Wrong as wrong:
            raise ConfigurationError(
                f"{variable}={text} cannot be used: it {wrong}", f"unset {variable}"
            ) from None
        found[key.replace("-", "_")] = value
    return found


# --- the file ---------------------------------------------------------------------------------------------------
def _from_file(folder: str) -> dict[str, Any]:
    """[tool.codemap] of the nearest pyproject.toml that has it, in the folder or above."""
    at = os.path.abspath(folder)
    while True:
        path = os.path.join(at, "pyproject.toml")
        try:
            with open(path, "rb", buffering=0) as file:
                data = file.read()
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
            data = b""
        except OSError as error:
            raise ConfigurationError(
                f"{path} cannot be read: {error.strerror}", "check its permissions"
            ) from error
        if b"codemap" in data:
            table = _table(path, data)
            if table is not None:
                return _checked(path, table)
        above = os.path.dirname(at)
        if above == at:
            return {}
        at = above


def _table(path: str, data: bytes) -> dict[str, Any] | None:
    import tomllib

    try:
        tool = tomllib.loads(data.decode("utf-8")).get("tool", {})
    except UnicodeDecodeError as error:
        raise ConfigurationError(f"{path} is not UTF-8: {error.reason}", "TOML is UTF-8, always") from error
    except tomllib.TOMLDecodeError as error:
        raise ConfigurationError(
            f"{path} is not TOML: {error}", "mend the file, or work in another folder"
        ) from error
    table = tool.get("codemap") if isinstance(tool, dict) else None
    if table is not None and not isinstance(table, dict):
        raise ConfigurationError(f"{path}: tool.codemap is not a table", "write it under [tool.codemap]")
    return table


def _checked(path: str, table: Mapping[str, object]) -> dict[str, Any]:
    folder = os.path.dirname(path)
    found: dict[str, Any] = {}
    for key, value in table.items():
        make = KEYS.get(key)
        if make is None:
            from codemap.nearest import nearest

            near = nearest(key.replace("_", "-"), KEYS)
            hint = f"did you mean {' or '.join(near)}?" if near else f"known keys: {', '.join(KEYS)}"
            raise ConfigurationError(f"{path}: unknown key {key!r} in [tool.codemap]", hint)
        try:
            made = make(value)
        except _Wrong as wrong:
            raise ConfigurationError(
                f"{path}: {key} = {value!r} in [tool.codemap] cannot be used: it {wrong}"
            ) from None
        if isinstance(made, str):
            if key in ("tree", "python"):
                made = _beside(folder, made)
            elif key == "cache-dir":
                made = os.path.join(folder, os.path.expanduser(made))
        found[key.replace("-", "_")] = made
    return found


def _beside(folder: str, value: str) -> str:
    """A path of the file is relative to the file; the name of a distribution, a URL or a command is no path."""
    if ":" in value.split("/", 1)[0] or value.startswith("~"):
        return value
    path = os.path.normpath(os.path.join(folder, value))
    return path if "/" in value or value.startswith(".") or os.path.exists(path) else value
