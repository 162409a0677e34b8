# The options that every question has. Typer would read them from each command's signature, at 4 ms a question
# (annotations compiled, copied and read twice); made as the objects that Typer makes of them they cost 0.5. What
# their values may be is checked where the same values of the settings file and the environment are: config.py.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from typer.core import TyperOption

HELP_FLAGS: Final = {"help_option_names": ["-h", "--help"]}
_TREE: Final = "Tree"
_OUTPUT: Final = "Output"


def shared() -> list[TyperOption]:
    """The options, in the order of the help texts."""

    def value(words: str, metavar: str, help: str, panel: str, *, multiple: bool = False) -> TyperOption:
        return TyperOption(
            param_decls=words.split(), metavar=metavar, help=help, multiple=multiple, rich_help_panel=panel
        )

    def flag(words: str, help: str, *, hidden: bool = False) -> TyperOption:
        return TyperOption(
            param_decls=words.split(),
            is_flag=True,
            default=False,
            help=help,
            hidden=hidden,
            rich_help_panel=_OUTPUT,
        )

    return [
        value("tree --tree", "TREE", "A folder, an installed distribution, a wheel or sdist, or pypi:NAME==VERSION; "
              "else CODEMAP_TREE, tree of the settings, the current folder.", _TREE),
        value("roots --root", "FOLDER", "Where module names begin; repeatable.", _TREE, multiple=True),
        value("python --python", "EXE", "Interpreter or environment that has the distribution.", _TREE),
        value("exclude --exclude", "GLOB", "Paths to leave out; repeatable.", _TREE, multiple=True),
        value("jobs --jobs", "N", "Processes that index; else one a processor.", _TREE),
        value("format --format", "text|json", "Lines (tables on a terminal), or one JSON object.", _OUTPUT),
        flag("json --json", "Short for --format json."),
        value("min_confidence --min-confidence", "LEVEL", "Only what is that sure: certain, likely, possible.",
              _OUTPUT),
        value("limit --limit", "N", "At most N results.", _OUTPUT),
        value("color --color", "WHEN", "Colour: auto (on a terminal), always, never.", _OUTPUT),
        flag("quiet -q --quiet", "Nothing on standard error but errors."),
        TyperOption(param_decls=["verbose", "-v", "--verbose"], count=True, default=0, metavar="",
                    help="Say what is done; tracebacks for faults.", rich_help_panel=_OUTPUT),
        flag("debug --debug", "Tracebacks for faults.", hidden=True),
    ]  # fmt: skip


def take_flags(values: dict[str, Any]) -> Mapping[str, Any]:
    """Takes the values of the shared options out of a command's, as flags for `config.settle`."""
    flags = {
        name: values.pop(name)
        for name in (
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
    }
    flags["verbose"] = values.pop("verbose") + values.pop("debug")
    if values.pop("json"):
        flags["format"] = "json"
    return flags
