# A group whose commands are imported when they are used: a question must not pay for the modules of the others.
# `codemap --help` imports them all, so that each command's help is written in one place, its own.
from __future__ import annotations

from importlib import import_module
from typing import Any, Final, cast

import typer
from typer.core import TyperCommand, TyperGroup

# In the order of `codemap --help`. A command's module is its name with "_" for "-".
COMMANDS: Final = (
    "find-class", "find", "show", "refs", "consumers", "producers", "callers", "callees", "path", "call-graph", "import-graph", "class-graph", "subclasses", "overrides", "imports", "cycles", "verify", "index", "status", "cache",
)  # fmt: skip


class LazyGroup(TyperGroup):
    """The commands of `COMMANDS`, each imported from codemap.cli.commands at its first use."""

    def __init__(self, **settings: Any) -> None:
        settings["commands"] = dict.fromkeys(COMMANDS)  # the names; Typer takes "did you mean" from them
        super().__init__(**settings)

    def get_command(self, ctx: typer.Context, cmd_name: str) -> TyperCommand | None:  # type: ignore[override]
        """The command of a name, None when there is none."""
        return command_of(cmd_name)


def command_of(name: str) -> TyperCommand | None:
    """The command of a name, None when there is none."""
    if name not in COMMANDS:
        return None
    return cast(TyperCommand, import_module(f"codemap.cli.commands.{name.replace('-', '_')}").command)
