# The options that every question has, as one table. Typer makes its options from it, for help, completion and
# everything unusual; directly.py reads well-formed questions with it, without Typer. What values may be is checked
# where the same values of the settings file and of the environment are: config.py.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from typer.core import TyperOption

HELP_FLAGS: Final = {"help_option_names": ["-h", "--help"]}
VALUE, LIST, FLAG, COUNT = "value", "list", "flag", "count"


class Option(NamedTuple):
    """An option: the name of its value, how it is spelt, what kind it is, and its help."""

    name: str
    spellings: tuple[str, ...]
    kind: str
    metavar: str
    help: str
    panel: str = "Output"
    hidden: bool = False


SHARED: Final = (
    Option("tree", ("--tree",), VALUE, "TREE", "A folder, an installed distribution, a wheel or sdist, or "
           "pypi:NAME==VERSION; else CODEMAP_TREE, tree of the settings, the current folder.", "Tree"),
    Option("roots", ("--root",), LIST, "FOLDER", "Where module names begin; repeatable.", "Tree"),
    Option("python", ("--python",), VALUE, "EXE", "Interpreter or environment that has the distribution.", "Tree"),
    Option("exclude", ("--exclude",), LIST, "GLOB", "Paths to leave out; repeatable.", "Tree"),
    Option("jobs", ("--jobs",), VALUE, "N", "Processes that index; else one a processor.", "Tree"),
    Option("format", ("--format",), VALUE, "text|json", "Lines (tables on a terminal), or one JSON object."),
    Option("json", ("--json",), FLAG, "", "Short for --format json."),
    Option("min_confidence", ("--min-confidence",), VALUE, "LEVEL",
           "Only what is that sure: certain, likely, possible."),
    Option("limit", ("--limit",), VALUE, "N", "At most N results."),
    Option("color", ("--color",), VALUE, "WHEN", "Colour: auto (on a terminal), always, never."),
    Option("quiet", ("-q", "--quiet"), FLAG, "", "Nothing on standard error but errors."),
    Option("verbose", ("-v", "--verbose"), COUNT, "", "Say what is done; tracebacks for faults."),
    Option("debug", ("--debug",), FLAG, "", "Tracebacks for faults.", hidden=True),
)  # fmt: skip
_FLAGS: Final = (
    "tree",
    "roots",
    "python",
    "exclude",
    "jobs",
    "format",
    "min_confidence",
    "limit",
    "color",
    "quiet",
)


def shared() -> list[TyperOption]:
    """The options as Typer's, in the order of the help texts."""
    from typer.core import TyperOption

    return [
        TyperOption(
            param_decls=[option.name, *option.spellings],
            is_flag=True if option.kind == FLAG else None,
            multiple=option.kind == LIST,
            count=option.kind == COUNT,
            default=unset(option.kind) if option.kind in (FLAG, COUNT) else None,
            metavar=option.metavar if option.kind != FLAG else None,
            help=option.help,
            hidden=option.hidden,
            rich_help_panel=option.panel,
        )
        for option in SHARED
    ]


def unset(kind: str) -> Any:
    """The value of an option that is not given."""
    return {FLAG: False, COUNT: 0, LIST: ()}.get(kind)


def take_flags(values: dict[str, Any]) -> Mapping[str, Any]:
    """Takes the values of the shared options out of a command's, as flags for `config.settle`."""
    flags = {name: values.pop(name) for name in _FLAGS}
    flags["verbose"] = values.pop("verbose") + values.pop("debug")
    if values.pop("json"):
        flags["format"] = "json"
    return flags
