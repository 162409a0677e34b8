"""`codemap cache dir` and `codemap cache clear`."""

from __future__ import annotations

import typer
import typer.main

from codemap.cli import options
from codemap.cli.output import write
from codemap.config import settle
from codemap.render.wording import size

app = typer.Typer(
    name="cache",
    add_completion=False,
    pretty_exceptions_enable=False,
    no_args_is_help=True,
    rich_markup_mode="rich",
    context_settings=options.HELP_FLAGS,
)


@app.callback(rich_help_panel="Maintain")
def cache() -> None:
    """The folder of indexes and fetched trees."""


@app.command("dir")
def directory() -> None:
    """Print the cache folder (CODEMAP_CACHE_DIR, or cache-dir in the settings, moves it)."""
    write(f"{settle({}).cache}\n")


@app.command("clear")
def clear() -> None:
    """Remove what codemap keeps in the cache folder; files of anybody else stay."""
    from codemap.cli.clearing import clear as clear_cache

    folder = settle({}).cache
    write(f"{size(clear_cache(folder))} removed from {folder}\n")


command = typer.main.get_command(app)
