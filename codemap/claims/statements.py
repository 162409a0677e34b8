# The vocabulary of claims. A claim keeps the file and line it was written at, because every report of this folder
# points there first; a finding keeps lines of the code, because a verdict without them is an opinion.
from __future__ import annotations

from typing import Any, Final, NamedTuple

from codemap.model.answers import UnresolvedSite

# verdicts
VERIFIED: Final = "verified"
REFUTED: Final = "refuted"
UNDECIDED: Final = "undecided"
AMBIGUOUS: Final = "ambiguous"

# quantifiers
SOME: Final = "some"
ALL: Final = "all"
ONLY: Final = "only"
NONE: Final = "none"
COUNT: Final = "count"
QUANTIFIERS: Final = (SOME, ALL, ONLY, NONE, COUNT)


class Claim(NamedTuple):
    """One statement about a tree. `file` and `line` are where it was written; "" means that a field was not given.

    `object` and the values of `args` are as the file has them: text, numbers, booleans, None, lists, mappings.
    """

    id: str
    kind: str
    subject: str
    object: Any = None
    args: dict[str, Any] = {}
    at: str = ""
    quantifier: str = ""
    tree: Any = ""
    min_confidence: str = ""
    text: str = ""
    file: str = ""
    line: int = 0


class Problem(NamedTuple):
    """Something in a claims file that is no claim, or in a report that was not understood."""

    file: str
    line: int
    message: str
    text: str = ""
    id: str = ""


class Claims(NamedTuple):
    """What a file says: claims in the order of its lines, what is wrong in it, and, of reports, what was left."""

    claims: tuple[Claim, ...] = ()
    problems: tuple[Problem, ...] = ()
    not_understood: tuple[Problem, ...] = ()


class Line(NamedTuple):
    """A line of the tree, as evidence."""

    file: str
    line: int
    text: str


class Finding(NamedTuple):
    """A verdict and what it rests on. `rule` is a word for the rule that decided; `open` are the sites that could
    have decided otherwise."""

    verdict: str
    rule: str
    reason: str
    evidence: tuple[Line, ...] = ()
    counter: tuple[Line, ...] = ()
    suggestion: str = ""
    open: tuple[UnresolvedSite, ...] = ()


class Checked(NamedTuple):
    """A claim with its finding, and how much of the tree the finding rests on."""

    claim: Claim
    finding: Finding
    coverage: dict[str, Any] = {}


def result_of(checked: Checked) -> dict[str, Any]:
    """A checked claim as `codemap verify --json` gives it."""
    claim, finding = checked.claim, checked.finding
    result: dict[str, Any] = {
        "id": claim.id,
        "kind": claim.kind,
        "text": claim.text or plain_text(claim),
        "verdict": finding.verdict,
        "rule": finding.rule,
        "reason": finding.reason,
        "evidence": [line._asdict() for line in finding.evidence],
        "counter_evidence": [line._asdict() for line in finding.counter],
        "coverage": checked.coverage,
        "source": {"file": claim.file, "line": claim.line},
    }
    if finding.suggestion:
        result["suggestion"] = finding.suggestion
    return result


def plain_text(claim: Claim) -> str:
    """A claim in words, where its author gave none: `subclass: A, B`."""
    said = claim.object
    if isinstance(said, list | tuple):
        said = "[" + ", ".join(map(str, said)) + "]"
    words = [claim.subject or claim.at, *([] if said is None else [str(said)])]
    return f"{claim.kind}: {', '.join(words)}"
