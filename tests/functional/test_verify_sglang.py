"""Claims about a large tree that was not written here: every verdict as a reader of the source gives it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

CLAIMS = """\
claims:
  - {id: T01, kind: defined_in, subject: GenerationBatchResult, object: sglang/srt/managers/utils.py}
  - {id: T03, kind: returns, subject: EAGLEWorkerV2.forward_batch_generation, object: GenerationBatchResult, args: {fields: [next_draft_input], all_paths: true}}
  - {id: T05, kind: subclass, subject: StandaloneWorkerV2, object: EAGLEWorkerV2, args: {direct: true}}
  - {id: T07, kind: call_path, subject: srt.managers.scheduler.Scheduler.run_batch, object: [EAGLEWorkerV2.forward_batch_generation, EagleDraftWorker.draft, EagleDraftWorker.draft_forward], min_confidence: possible}
  - {id: T09, kind: import_kind, subject: sglang/srt/speculative/spec_info.py, object: NGRAMWorker, args: {import_kind: lazy}}
  - {id: F01, kind: defined_in, subject: GenerationBatchResult, object: sglang/srt/managers/tp_worker.py}
  - {id: F03, kind: abstract, subject: BaseSpecWorker, object: forward_batch_generation}
  - {id: F05, kind: writers_are, subject: srt.managers.scheduler.Scheduler.last_batch, object: [sglang/srt/managers/scheduler.py], quantifier: only}
  - {id: F07, kind: enum_members, subject: SpeculativeAlgorithm, object: [EAGLE, EAGLE3, MEDUSA, NGRAM, NONE], quantifier: all}
  - {id: F08, kind: path_exists, subject: sglang/srt/managers/tp_worker_overlap_event_loop.py}
  - {id: F09, kind: default_value, subject: ForwardMode.is_extend, object: "True", args: {parameter: include_draft_extend_v2}}
"""
REPORT = """\
Overlap uses `EAGLEWorkerV2` (sglang/srt/speculative/eagle_worker_v2.py, 878 lines); without it, `EAGLEWorker`.

- `GenerationBatchResult` is defined in `sglang/srt/managers/tp_worker.py`.
- `EAGLEWorkerV2.forward_batch_generation` returns a `GenerationBatchResult` containing `next_draft_input`.
- `FutureMap.store_to_map` (sglang/srt/managers/overlap_utils.py:151) reads `next_draft_input`.
- `EAGLEWorkerV2` inherits from `TpModelWorker`.
- `Scheduler.run_batch` calls `forward_batch_generation` on `self.model_worker`.
- The `GenBatchResult` dataclass carries `accept_lens`.
"""


def rows(codemap: Any, tree: str, path: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(codemap("verify", str(path), "--tree", tree, "--json").out)[
        "results"
    ]
    return found


@pytest.mark.network
def test_claims_about_sglang(codemap: Any, sglang: str, tmp_path: Path) -> None:
    """The ids say what is true (T) and what is not (F)."""
    (tmp_path / "claims.yaml").write_text(CLAIMS, "utf-8")
    for row in rows(codemap, sglang, tmp_path / "claims.yaml"):
        assert (row["id"], row["verdict"]) == (row["id"], "verified" if row["id"][0] == "T" else "refuted")


@pytest.mark.network
def test_a_report_about_sglang(codemap: Any, sglang: str, tmp_path: Path) -> None:
    """Line by line."""
    (tmp_path / "report.md").write_text(REPORT, "utf-8")
    by_line: dict[int, set[str]] = {}
    for row in rows(codemap, sglang, tmp_path / "report.md"):
        by_line.setdefault(row["source"]["line"], set()).add(row["verdict"])
    assert by_line == {
        1: {"verified"}, 3: {"refuted"}, 4: {"verified"}, 5: {"verified"}, 6: {"refuted"}, 7: {"verified"},
        8: {"refuted"},
    }  # fmt: skip
