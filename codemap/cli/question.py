# A command is a function from a Map to an Answer; this makes a Typer command of it: its own parameters and the
# shared ones, then ask, print, exit.
from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any, Concatenate, Final, ParamSpec

import typer
import typer.main
from typer.core import TyperCommand

from codemap.api import Map
from codemap.cli import options
from codemap.cli.asking import answer
from codemap.config import Settings
from codemap.model.answers import Answer

ASK: Final = "Ask"
MAINTAIN: Final = "Maintain"

P = ParamSpec("P")


def question(name: str, panel: str = ASK) -> Callable[[Callable[Concatenate[Map, P], Answer]], TyperCommand]:
    """Makes a command of a function that asks a Map; the docstring is its help.

    A parameter called `settings` is no option: it gets the settings that the question is asked with.
    """

    def decorate(function: Callable[Concatenate[Map, P], Answer]) -> TyperCommand:
        own = list(inspect.signature(function, eval_str=True).parameters.values())[1:]
        needs = any(each.name == "settings" for each in own)

        def run(**values: Any) -> None:
            flags = options.take_flags(values)

            def ask(tree: Map, settings: Settings) -> Answer:
                if needs:
                    values["settings"] = settings
                return function(tree, **values)  # type: ignore[call-arg]

            raise typer.Exit(answer(flags, ask))

        return as_command(
            name, run, [each for each in own if each.name != "settings"], function.__doc__, panel
        )

    return decorate


def as_command(
    name: str,
    run: Callable[..., None],
    own: Sequence[inspect.Parameter],
    doc: str | None,
    panel: str,
    without: Sequence[str] = (),
) -> TyperCommand:
    """A command of its own parameters and the shared options, but for those of `without`."""
    run.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for each in own]
    )
    run.__doc__ = doc
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    app.command(name, rich_help_panel=panel, context_settings=options.HELP_FLAGS)(run)
    command = typer.main.get_command(app)
    if not isinstance(command, TyperCommand):
        raise TypeError(f"{name} is not one command")
    command.params += [option for option in options.shared() if option.name not in without]
    return command
