"""Fields and classes of the real SGLang 0.5.9, each site read in the source by a person."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

pytestmark = pytest.mark.network

MANAGERS = "sglang/srt/managers"
SPECULATIVE = "sglang/srt/speculative"
NEXT = {
    f"{MANAGERS}/utils.py:47": "definition",
    f"{MANAGERS}/overlap_utils.py:158": "read",
    f"{MANAGERS}/scheduler.py:2347": "read",
    f"{MANAGERS}/scheduler.py:2357": "read",
    f"{SPECULATIVE}/eagle_worker_v2.py:571": "read",
    f"{SPECULATIVE}/eagle_worker_v2.py:666": "write",
    f"{SPECULATIVE}/eagle_worker_v2.py:814": "construct",
    f"{SPECULATIVE}/multi_layer_eagle_worker_v2.py:519": "read",
    f"{SPECULATIVE}/multi_layer_eagle_worker_v2.py:610": "write",
    f"{SPECULATIVE}/multi_layer_eagle_worker_v2.py:719": "construct",
}
OUTPUT = f"{MANAGERS}/scheduler_output_processor_mixin.py"
COPY_DONE = {
    "sglang/srt/disaggregation/prefill.py:449",
    f"{MANAGERS}/scheduler.py:2333",
    f"{MANAGERS}/utils.py:38",
    f"{MANAGERS}/utils.py:78",
    *(f"{OUTPUT}:{line}" for line in (132, 133, 279, 280, 370, 371, 382, 383, 422, 423)),
}


@pytest.fixture
def ask(codemap: Any, sglang: str, kept_cache: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Asks about SGLang, as JSON, at likely or better."""
    monkeypatch.setenv("CODEMAP_CACHE_DIR", str(kept_cache))

    def run(*words: str) -> Any:
        said = codemap(*words, "--json", "--min-confidence", "likely", tree=sglang)
        assert said.code == 0
        return said.answer

    return run


def sites(answer: Any, key: str) -> dict[str, str]:
    return {f"{row['file']}:{row['line']}": row[key] for row in answer["results"]}


def test_the_ten_sites_of_a_field(ask: Any) -> None:
    """Definition, two constructor keywords, two writes, five reads, and none of the locals of its name."""
    answer = ask("refs", "GenerationBatchResult.next_draft_input")
    assert sites(answer, "role") == NEXT
    assert len(answer["results"]) == 10


def test_who_reads_and_who_writes_it(ask: Any) -> None:
    """The same sites by what they do."""
    read = ask("consumers", "GenerationBatchResult.next_draft_input")
    written = ask("producers", "GenerationBatchResult.next_draft_input")
    assert set(sites(read, "access")) == {place for place, role in NEXT.items() if role == "read"}
    assert sites(written, "access") == {
        place: role for place, role in NEXT.items() if role in ("write", "construct")
    }
    names = {row["attribute"] for row in (*read["results"], *written["results"])}
    assert names == {"sglang.srt.managers.utils.GenerationBatchResult.next_draft_input"}


def test_two_classes_with_a_field_of_one_name(ask: Any) -> None:
    """The sites by type, and none of the four of EmbeddingBatchResult."""
    answer = ask("refs", "GenerationBatchResult.copy_done")
    assert set(sites(answer, "role")) == COPY_DONE
    assert len(answer["results"]) == 14
    other = set(sites(ask("refs", "EmbeddingBatchResult.copy_done"), "role"))
    assert {f"{MANAGERS}/scheduler.py:{line}" for line in (232, 238, 245, 250)} <= other
    assert f"{MANAGERS}/utils.py:78" not in other


def test_the_57_references_of_a_class(ask: Any) -> None:
    """Imports, annotations, constructions, one isinstance, the definition: one for each token, none for a comment."""
    answer = ask("refs", "GenerationBatchResult")
    assert Counter(row["role"] for row in answer["results"]) == {
        "definition": 1, "import": 15, "annotation": 27, "construct": 13, "read": 1,
    }  # fmt: skip
    assert "sglang/srt/layers/logits_processor.py" not in {row["file"] for row in answer["results"]}


def test_the_card_tells_who_guards_against_none(ask: Any) -> None:
    """Of the twelve readers of an optional field one uses it without a test: the one that has just been given it."""
    [card] = ask("show", "GenerationBatchResult")["results"]
    fields = {field["name"]: field for field in card["fields"]}
    assert fields["next_draft_input"]["default"] == "None"
    assert Counter(row["none_check"] for row in fields["copy_done"]["read_by"]) == {
        "tests": 5, "guarded": 6, "unguarded": 1,
    }  # fmt: skip
    assert len(card["constructed"]) == 14
