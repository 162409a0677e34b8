# "Did you mean": shared by trees (distributions, folders), questions (names, files) and settings (keys).
# difflib is imported only when something was not found: it costs 10 ms of start-up.
from __future__ import annotations

from collections.abc import Iterable


def nearest(word: str, candidates: Iterable[str], limit: int = 5, cutoff: float = 0.6) -> tuple[str, ...]:
    """The candidates most like `word`, best first, ties in alphabetical order.

    Letters' case is ignored for likeness; the measure is Ratcliff and Obershelp's (difflib), and candidates
    that share the beginning of the word come first among equals.
    """
    from difflib import SequenceMatcher

    low = word.lower()
    matcher = SequenceMatcher(autojunk=False)
    matcher.set_seq2(low)
    scored: list[tuple[float, int, str]] = []
    for candidate in set(candidates):
        other = candidate.lower()
        matcher.set_seq1(other)
        if matcher.real_quick_ratio() < cutoff or matcher.quick_ratio() < cutoff:
            continue
        ratio = matcher.ratio()
        if ratio >= cutoff:
            scored.append((-round(ratio, 3), 0 if other[:1] == low[:1] else 1, candidate))
    scored.sort()
    return tuple(candidate for _, _, candidate in scored[:limit])
