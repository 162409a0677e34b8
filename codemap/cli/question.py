# A command is a function from a Map to an Answer; this makes a Typer command of it: its own parameters and the
# shared ones, then ask, print, exit.
from __future__ import annotations

import inspect
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Concatenate, Final, ParamSpec

import typer
import typer.main
from typer.core import TyperCommand

from codemap.api import Map, open_map
from codemap.cli import exit_codes, options, talk
from codemap.cli.output import print_answer
from codemap.cli.progress import progress
from codemap.config import Settings, settle
from codemap.model.answers import NOT_FOUND, Answer
from codemap.render import wording
from codemap.render.selection import select

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

            raise typer.Exit(_answer(flags, ask))

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


def opened(settings: Settings) -> Map:
    """The map that the settings name."""
    return open_map(
        settings.tree,
        roots=settings.roots,
        python=settings.python,
        exclude=settings.exclude,
        cache=settings.cache,
        jobs=settings.jobs,
        progress=progress(settings.quiet),
        say=talk.say,
    )


def _answer(flags: Mapping[str, Any], ask: Callable[[Map, Settings], Answer]) -> int:
    """Asks, prints, and gives the exit code."""
    began = time.perf_counter()
    settings = settle(flags)
    talk.be_quiet(settings.quiet)
    with opened(settings) as tree:
        answer = ask(tree, settings)
    answer = select(answer, settings.min_confidence, settings.limit)
    print_answer(answer, settings)
    if answer.status == NOT_FOUND and settings.format == "text" and not settings.quiet:
        talk.complain(*wording.not_found(answer))
    for line in wording.remarks(answer):
        talk.say(line)
    if settings.verbose:
        talk.say(f"asked {wording.tree_title(answer.tree)} at {answer.tree.root}, cache {settings.cache}")
        talk.say(f"answered in {time.perf_counter() - began:.3f} s")
    return exit_codes.code_of(answer)
