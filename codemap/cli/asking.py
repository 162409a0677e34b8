# Ask, print, and give the exit code: what a question is, however its words were read. No Typer here.
from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

from codemap.api import Map, open_map
from codemap.cli import exit_codes, talk
from codemap.cli.output import print_answer
from codemap.cli.progress import progress
from codemap.config import Settings, settle
from codemap.model.answers import NOT_FOUND, Answer
from codemap.render import wording
from codemap.render.selection import select


def answer(flags: Mapping[str, Any], ask: Callable[[Map, Settings], Answer]) -> int:
    """Asks, prints, and gives the exit code."""
    began = time.perf_counter()
    settings = settle(flags)
    talk.be_quiet(settings.quiet)
    with opened(settings) as tree:
        found = ask(tree, settings)
    found = select(found, settings.min_confidence, settings.limit)
    print_answer(found, settings)
    if found.status == NOT_FOUND and settings.format == "text" and not settings.quiet:
        talk.complain(*wording.not_found(found))
    for line in wording.remarks(found):
        talk.say(line)
    if settings.verbose:
        talk.say(f"asked {wording.tree_title(found.tree)} at {found.tree.root}, cache {settings.cache}")
        talk.say(f"answered in {time.perf_counter() - began:.3f} s")
    return exit_codes.code_of(found)


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
