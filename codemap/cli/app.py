# The command line as Typer reads it (standalone mode off, so that usage errors come here too and look like any other
# error). Plain questions do not come this way: see directly.py.
from __future__ import annotations

from typing import Annotated, Any

import typer
import typer.main

from codemap.cli import exit_codes, options, talk
from codemap.cli.lazily import LazyGroup, command_of

# BadParameter and its siblings have this base, which Typer does not export by name.
_UsageError: Any = typer.BadParameter.__bases__[0]


def _version(wanted: bool) -> None:
    if wanted:
        from codemap import __version__
        from codemap.cli.output import write

        write(f"codemap {__version__}\n")
        raise typer.Exit


app = typer.Typer(
    cls=LazyGroup,
    pretty_exceptions_enable=False,
    no_args_is_help=True,
    context_settings=options.HELP_FLAGS,
    epilog=exit_codes.EPILOG,
)


@app.callback()
def codemap(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    """The truth about a large Python tree: where a class lives, how its name travels, who imports it.

    The tree is read, never imported. Ask for example: codemap find-class NAME --tree FOLDER
    """


def done(words: list[str]) -> int:
    """Lets Typer read the command line, and gives the exit code. Raises what goes wrong, but for usage errors."""
    try:
        command = command_of(words[0]) if words else None
        if command is not None:  # the group is made only where it is needed: 2 ms
            code = command.main(words[1:], prog_name=f"codemap {words[0]}", standalone_mode=False)
        else:
            code = typer.main.get_command(app).main(words, prog_name="codemap", standalone_mode=False)
    except _UsageError as error:
        return _usage(error)
    except typer.Abort:
        return exit_codes.INTERRUPTED
    return code if isinstance(code, int) else exit_codes.ANSWERED


def _usage(error: Any) -> int:
    """A usage error, or help for a group that was called without a command."""
    context = error.ctx
    if type(error).__name__ == "NoArgsIsHelpError":
        print(context.get_help())
        return exit_codes.COULD_NOT_LOOK
    path: str = context.command_path if context is not None else "codemap"
    hint = f"{path} --help"
    if path == "codemap" and type(error).__name__ == "NoSuchOption":
        hint = f"options stand behind the command: codemap COMMAND {error.option_name} ...; codemap --help"
    talk.complain(error.format_message(), hint)
    return exit_codes.COULD_NOT_LOOK
