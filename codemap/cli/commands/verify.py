"""`codemap verify`."""

# Its formats and exit codes are its own (CLI.md, Claims), and it may look at several trees: so it does not go through
# `question`, but opens what the claims pin, each tree once.
from __future__ import annotations

import inspect
import os
import time
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from codemap.cli import options, talk
from codemap.cli.asking import opened
from codemap.cli.output import write, write_file
from codemap.cli.question import as_command
from codemap.config import Settings, settle
from codemap.errors import UsageError
from codemap.model.answers import POSSIBLE, Answer

if TYPE_CHECKING:
    from codemap.api import Map

FORMATS: Final = ("text", "json", "junit", "sarif", "github")
CHECK: Final = "Check"


def verify(
    files: Annotated[
        list[str],
        typer.Argument(metavar="FILE...", help="Claims as YAML or JSON, or a report in Markdown."),
    ],
    fail_on: Annotated[
        str,
        typer.Option(
            "--fail-on",
            metavar="VERDICT",
            help="refuted (exit 1), undecided (exit 2) as well, or never.",
            rich_help_panel="Output",
        ),
    ] = "refuted",
    strict: Annotated[
        bool,
        typer.Option("--strict", help="What is not understood is undecided.", rich_help_panel="Output"),
    ] = False,
    format: Annotated[
        str | None,
        typer.Option(
            "--format", metavar="FORMAT", help="text, json, junit, sarif or github.", rich_help_panel="Output"
        ),
    ] = None,
    json: Annotated[
        bool, typer.Option("--json", help="Short for --format json.", rich_help_panel="Output")
    ] = False,
    also: Annotated[
        list[str] | None,
        typer.Option(
            "--also", metavar="FORMAT:FILE", help="A second report; repeatable.", rich_help_panel="Output"
        ),
    ] = None,
    baseline: Annotated[
        str | None,
        typer.Option(
            "--baseline",
            metavar="FILE",
            help="JSON of an earlier run; what it has does not fail again.",
            rich_help_panel="Output",
        ),
    ] = None,
) -> None:
    """Checks claims about the tree: verified, refuted, undecided or ambiguous, with the lines that decide.

    A claim that pins a tree is checked against that one. From Markdown, back-ticked names, paths, path:line and
    plain statements are taken; what is not understood is counted, never guessed."""  # fmt: skip


def _run(**values: Any) -> None:
    began = time.perf_counter()
    files, fail_on, strict = values.pop("files"), values.pop("fail_on"), values.pop("strict")
    also, baseline, asked = values.pop("also") or [], values.pop("baseline"), values.pop("format")
    if values["json"]:
        asked = "json"
    flags = options.take_flags({**values, "format": None})
    settings = settle(flags)
    chosen = _known(asked or settings.format)
    second = [_second(one) for one in also]
    talk.be_quiet(settings.quiet)
    least = flags["min_confidence"] or ""
    if not least and settings.min_confidence != POSSIBLE:
        least = settings.min_confidence
    from codemap.claims.verifying import verify as check

    maps = _Maps(settings)
    try:
        report = check(
            files, maps.engine, fail_on=fail_on, strict=strict, baseline=baseline, min_confidence=least
        )
    finally:
        maps.close()
    answer = report.answer
    shown = answer
    if settings.limit is not None and len(answer.results) > settings.limit:
        shown = answer._replace(results=answer.results[: settings.limit])
        talk.say(f"{len(answer.results) - settings.limit} more claims over --limit left out")
    write(rendered(shown, chosen))
    for form, path in second:
        write_file(os.path.abspath(os.path.expanduser(path)), [rendered(answer, form)])
    _talk(answer, chosen, maps)
    if settings.verbose:
        talk.say(f"answered in {time.perf_counter() - began:.3f} s")
    raise typer.Exit(report.exit_code)


class _Maps:
    """The trees of the claims, each opened once."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.maps: dict[str, Map] = {}

    def engine(self, tree: Any) -> Any:
        """The engine over a tree; "" is the one of the settings."""
        name = str(tree or self.settings.tree or "")
        if name not in self.maps:
            settings = self.settings._replace(tree=name or None)
            if tree:  # roots and exclusions of the command line are those of its own tree
                settings = settings._replace(roots=(), exclude=())
            self.maps[name] = opened(settings)
        return self.maps[name]._engine

    def close(self) -> None:
        """Lets the trees go."""
        for one in self.maps.values():
            one.close()


def _known(name: str) -> str:
    if name not in FORMATS:
        from codemap.nearest import nearest

        near = nearest(name, FORMATS)
        hint = f"did you mean {near[0]}?" if near else f"formats are {', '.join(FORMATS)}"
        raise UsageError(f"{name} is no format of verify", hint)
    return name


def _second(text: str) -> tuple[str, str]:
    form, colon, path = text.partition(":")
    if not colon or not path:
        raise UsageError(f"--also {text} is not FORMAT:FILE", "for example --also junit:claims.xml")
    return _known(form), path


def rendered(answer: Answer, form: str) -> str:
    """An answer of verify in one of its formats."""
    results, problems = answer.results, answer.extra["problems"]
    if form == "json":
        from codemap.render.json_report import to_json

        return to_json(answer)
    if form == "junit":
        from codemap.render.junit import to_junit

        return to_junit(results, problems)
    if form == "sarif":
        from codemap import __version__
        from codemap.claims.kinds import KINDS
        from codemap.render.sarif import to_sarif

        states = {name: kind.states for name, kind in KINDS.items()}
        return to_sarif(results, problems, answer.tree.root, __version__, states)
    if form == "github":
        from codemap.render.github import to_annotations

        return "".join(line + "\n" for line in to_annotations(results, problems))
    from codemap.render.claims_text import claim_lines

    return "".join(line + "\n" for line in claim_lines(results, problems))


def _talk(answer: Answer, chosen: str, maps: _Maps) -> None:
    """The sum on standard error, errors of the files, and a summary for GitHub's runner."""
    from codemap.render.claims_text import summary_line

    problems, left = answer.extra["problems"], answer.extra["not_understood"]
    line = summary_line(answer.extra["counts"], len(problems), len(left))
    for problem in problems:
        if chosen != "text":
            talk.complain(f"{problem['file']}:{problem['line']}: {problem['message']}")
    for row in left:
        talk.say(f"{row['file']}:{row['line']}: not understood: {row['text']}")
    talk.say(line)
    path = os.environ.get("GITHUB_STEP_SUMMARY")
    if chosen == "github" and path:
        from codemap.render.github import summary

        try:
            with open(path, "a", encoding="utf-8", errors="replace") as file:
                file.write(summary(answer.results, line))
        except OSError as error:
            talk.complain(f"the job summary cannot be written: {error.strerror}")


command = as_command(
    "verify",
    _run,
    list(inspect.signature(verify, eval_str=True).parameters.values()),
    verify.__doc__,
    CHECK,
    without=("format", "json"),
)
