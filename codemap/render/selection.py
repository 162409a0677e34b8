# What `--min-confidence` and `--limit` leave of an answer. Applied in one place, before any renderer, so that
# text and JSON show the same results; what was left out is counted and said.
from __future__ import annotations

from collections.abc import Callable
from typing import Any

from codemap.model.answers import CONFIDENCES, POSSIBLE, Answer


def select(answer: Answer, min_confidence: str = POSSIBLE, limit: int | None = None) -> Answer:
    """The answer with the results that are at least so sure, the first `limit` of them.

    When some were left out, `extra["left_out"]` says how many: `{"below_confidence": 2, "over_limit": 10}`.
    The status stays what the tree says: a name whose places are all unsure is found, with no result shown.
    """
    enough = CONFIDENCES[: CONFIDENCES.index(min_confidence) + 1]
    sure: Callable[[dict[str, Any]], bool] = lambda result: result["confidence"] in enough  # noqa: E731
    kept = tuple(filter(sure, answer.results))
    shown = kept if limit is None else kept[:limit]
    left_out = {"below_confidence": len(answer.results) - len(kept), "over_limit": len(kept) - len(shown)}
    if not any(left_out.values()):
        return answer
    return answer._replace(results=shown, extra={**answer.extra, "left_out": left_out})
