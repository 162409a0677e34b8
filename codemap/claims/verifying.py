# From files to an answer: load or lift, check, compare with a baseline, count. The command line and the library call
# this one function; nothing here prints.
from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

from codemap.claims.checking import Checker
from codemap.claims.lifting import lift_report
from codemap.claims.loading import is_report, load_claims, read_bytes
from codemap.claims.statements import (
    AMBIGUOUS,
    REFUTED,
    UNDECIDED,
    VERIFIED,
    Checked,
    Claim,
    Finding,
    Problem,
    result_of,
)
from codemap.errors import UsageError
from codemap.model.answers import FOUND, NOT_FOUND, Answer

FAIL_ON: Final = ("refuted", "undecided", "never")
_LARGEST_BASELINE: Final = 64 << 20


class Report(NamedTuple):
    """The answer of `verify` and the exit code that it stands for."""

    answer: Answer
    exit_code: int


def verify(
    files: Sequence[str],
    open_tree: Callable[[Any], Any],
    *,
    fail_on: str = "refuted",
    strict: bool = False,
    baseline: str | None = None,
    min_confidence: str = "",
) -> Report:
    """Checks the claims of files: YAML and JSON by their fields, Markdown by what can be lifted from it.

    `open_tree` gives the engine over a tree, by the name that a claim pins, "" for the one that is asked.
    `strict` makes what is not understood undecided. `baseline` is the JSON of an earlier run: what it has as refuted
    or undecided does not fail again. Raises UsageError for files that cannot be read.
    """
    if fail_on not in FAIL_ON:
        raise UsageError(f"--fail-on {fail_on} is none of {', '.join(FAIL_ON)}")
    accepted = _baseline(baseline) if baseline else frozenset()
    claims: list[Claim] = []
    problems: list[Problem] = []
    left: list[Problem] = []
    checker = Checker(open_tree)
    for file in dict.fromkeys(files):
        found = lift_report(file) if is_report(file) else load_claims(file)
        claims += [_settled(claim, min_confidence) for claim in found.claims]
        problems += found.problems
        left += found.not_understood
    checked = list(checker.check(claims))
    if strict:
        checked += [_unread(problem) for problem in (*problems, *left)]
        checked.sort(key=lambda one: (files.index(one.claim.file), one.claim.line))
    results = [result_of(one) for one in checked]
    for result in results:
        if result["verdict"] != VERIFIED and _key(result) in accepted:
            result["accepted"] = True
    counts = dict.fromkeys((VERIFIED, REFUTED, UNDECIDED, AMBIGUOUS), 0)
    for result in results:
        counts[result["verdict"]] += 1
    tree = _summary(checker, claims, open_tree)
    answer = Answer(
        "verify",
        list(files),  # type: ignore[arg-type]  # a list, as CLI.md has it
        tree,
        FOUND if results else NOT_FOUND,
        tuple(results),
        extra={
            "counts": counts,
            "problems": [problem._asdict() for problem in problems],
            "not_understood": [problem._asdict() for problem in left],
        },
    )
    fresh = [result for result in results if not result.get("accepted")]
    return Report(answer, _exit_code(fresh, fail_on, bool(problems or checker.failures)))


def _exit_code(results: Sequence[dict[str, Any]], fail_on: str, failed: bool) -> int:
    verdicts = {result["verdict"] for result in results}
    if fail_on != "never" and REFUTED in verdicts:
        return 1
    if failed:
        return 2
    if fail_on == "undecided" and verdicts & {UNDECIDED, AMBIGUOUS}:
        return 2
    return 0


def _settled(claim: Claim, min_confidence: str) -> Claim:
    """The claim with its tree made findable from here, and the confidence of the command line where it has none."""
    tree = claim.tree
    folder = os.path.dirname(claim.file)
    if (
        tree
        and folder
        and not os.path.isabs(tree)
        and ":" not in tree
        and ("/" in tree or tree.startswith("."))
    ):
        beside = os.path.join(folder, tree)
        tree = beside if os.path.exists(beside) else tree
    return claim._replace(tree=tree, min_confidence=claim.min_confidence or min_confidence)


def _unread(problem: Problem) -> Checked:
    claim = Claim(
        problem.id or f"line {problem.line}",
        "unreadable",
        "",
        text=problem.text,
        file=problem.file,
        line=problem.line,
    )
    return Checked(claim, Finding(UNDECIDED, "not understood", problem.message), {})


def _summary(checker: Checker, claims: Sequence[Claim], open_tree: Callable[[Any], Any]) -> Any:
    """The tree of the envelope: that of the first claim whose tree could be looked at, else the one that is asked."""
    for claim in claims:
        if claim.kind != "diff" and claim.tree not in checker.failures and claim.kind in _CHECKED:
            return checker.context(claim.tree).index.summary()
    if checker.failures:
        raise next(iter(checker.failures.values()))
    return open_tree("").names.index.summary()


class _Any(frozenset[str]):
    """The kinds that look at a tree: all but those that are never decided."""

    def __contains__(self, kind: object) -> bool:
        return kind not in ("behaviour", "performance", "intent", "unreadable")


_CHECKED: Final = _Any()


def _baseline(path: str) -> frozenset[tuple[str, str, str]]:
    data = read_bytes(path, _LARGEST_BASELINE)
    try:
        rows = json.loads(data)["results"]
        return frozenset(_key(row) for row in rows if row["verdict"] != VERIFIED)
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise UsageError(f"{path} is no baseline", "a baseline is what verify --json printed") from error


def _key(result: dict[str, Any]) -> tuple[str, str, str]:
    """What makes a finding the same as an earlier one: lines and ids may have moved."""
    return str(result["kind"]), str(result["text"]), str(result["verdict"])
