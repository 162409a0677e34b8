"""docs/cli.md says what the help texts say. `python tests/functional/test_cli_page.py` writes it."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

PAGE = Path(__file__).resolve().parents[2] / "docs" / "cli.md"


def commands() -> Iterator[tuple[str, Any]]:
    """Every command with its full name, subcommands after their group."""
    import typer.main

    from codemap.cli.app import app
    from codemap.cli.lazily import COMMANDS

    group: Any = typer.main.get_command(app)
    for name in COMMANDS:
        command = group.get_command(None, name)
        yield name, command
        for inner, subcommand in getattr(command, "commands", {}).items():
            yield f"{name} {inner}", subcommand


def spelt(parameter: Any) -> str:
    """`--limit N`, `-q, --quiet`, `NAME`."""
    value = parameter.metavar or "|".join(getattr(parameter.type, "choices", ()))
    if parameter.param_type_name == "argument":
        return f"`{value}`"
    return f"`{', '.join(sorted(parameter.opts, key=len))}{' ' + value if value else ''}`".replace("|", "\\|")


def section(name: str, command: Any) -> str:
    rows = [f"| {spelt(each)} | {each.help} |" for each in command.params if not each.hidden]
    table = "\n".join(["| | |", "|---|---|", *rows]) + "\n" if rows else ""
    return f"## codemap {name}\n\n{inspect.cleandoc(command.help)}\n\n{table}"


def page() -> str:
    head = (
        "# The command line\n\nWritten by `python tests/functional/test_cli_page.py` from the help texts.\n"
    )
    return "\n".join([head, *(section(name, command) for name, command in commands())])


def test_the_page_says_what_the_help_says() -> None:
    """Every command, every option, every word."""
    assert PAGE.read_text("utf-8") == page()


def test_every_option_is_on_the_page() -> None:
    """The page cannot lose an option by the way it is made."""
    text = PAGE.read_text("utf-8")
    for name, command in commands():
        assert f"## codemap {name}\n" in text
        for parameter in command.params:
            assert parameter.hidden or parameter.opts[-1] in text or parameter.metavar in text


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
