# Checked claims as lines: the claim's own place first, so that an editor jumps to the report; then the lines of the
# tree that speak for the verdict, as places of their own. Results here and in the other reports are plain mappings.
from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from codemap.render.wording import counted, plain

VERDICTS: Final = ("refuted", "undecided", "ambiguous", "verified")  # worst first


def claim_lines(results: Sequence[Mapping[str, Any]], problems: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """The lines of a report, without line ends."""
    for problem in problems:
        yield plain(f"{problem['file']}:{problem['line']}:1: error: {problem['message']}")
    for result in results:
        source = result["source"]
        known = " (accepted)" if result.get("accepted") else ""
        hint = f"; {result['suggestion']}" if result.get("suggestion") else ""
        yield plain(
            f"{source['file']}:{source['line']}:1: {result['verdict']}{known} {result['id']}: {result['text']}: "
            f"{result['reason']}{hint} ({result['rule']})"
        )
        for name in ("counter_evidence", "evidence"):
            if result["verdict"] == "verified" and name == "counter_evidence":
                continue
            for line in result[name]:
                yield plain(f"  {line['file']}:{line['line']}:1: {line['text']}")


def summary_line(counts: Mapping[str, int], problems: int, left: int) -> str:
    """`5 claims: 2 refuted, 3 verified`."""
    said = [f"{counts[word]} {word}" for word in VERDICTS if counts.get(word)]
    line = f"{counted(sum(counts.values()), 'claim')}: {', '.join(said) or 'nothing to check'}"
    if problems:
        line += f"; {counted(problems, 'error')} in the files"
    if left:
        line += f"; {counted(left, 'statement')} not understood"
    return line
