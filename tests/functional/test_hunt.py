"""The hunt of the mission on the real SGLang 0.5.9, through the command line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.network


@pytest.fixture
def ask(codemap: Any, sglang: str, kept_cache: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Asks about SGLang, as JSON."""
    monkeypatch.setenv("CODEMAP_CACHE_DIR", str(kept_cache))

    def run(*words: str) -> Any:
        return codemap(*words, "--json", tree=sglang)

    return run


def test_the_class_is_found_where_it_is(ask: Any) -> None:
    """One definition, in utils.py, sure."""
    said = ask("find-class", "GenerationBatchResult")
    assert said.code == 0
    assert said.answer["status"] == "found"
    [result] = said.answer["results"]
    assert (result["file"], result["line"], result["end_line"]) == ("sglang/srt/managers/utils.py", 25, 95)
    assert (result["name"], result["confidence"]) == (
        "sglang.srt.managers.utils.GenerationBatchResult",
        "certain",
    )
    assert "dataclass" in result["flags"]


def test_run_time_and_type_checkers_are_told_apart(ask: Any) -> None:
    """Which modules have the class when the program runs, and which only when it is checked."""
    [result] = ask("find-class", "GenerationBatchResult").answer["results"]
    kinds: dict[str, set[str]] = {}
    for row in result["exports"]:
        kinds.setdefault(row["import_kind"], set()).add(row["module"].removeprefix("sglang.srt."))
    assert kinds == {
        "runtime": {
            "disaggregation.decode", "managers.scheduler", "managers.scheduler_metrics_mixin",
            "managers.scheduler_pp_mixin", "managers.tp_worker", "speculative.eagle_worker",
            "speculative.eagle_worker_v2", "speculative.multi_layer_eagle_worker",
            "speculative.multi_layer_eagle_worker_v2", "speculative.ngram_worker",
        },
        "typing": {"disaggregation.prefill", "managers.overlap_utils", "managers.scheduler_output_processor_mixin"},
    }  # fmt: skip


def test_each_file_is_told_what_it_has_to_do_with_the_class(ask: Any) -> None:
    """Two import it, at a line, from a module, through a chain; one does not exist."""
    said = ask("find-class", "GenerationBatchResult", "--in", "eagle_worker_v2.py", "--in", "tp_worker.py",
               "--in", "tp_worker_overlap_event_loop.py")  # fmt: skip
    assert said.code == 0
    eagle, worker, missing = said.answer["expected_in"]
    for row, file, line in (
        (eagle, "sglang/srt/speculative/eagle_worker_v2.py", 26),
        (worker, "sglang/srt/managers/tp_worker.py", 40),
    ):
        assert (row["file"], row["status"], row["line"]) == (file, "imported", line)
        assert (row["from"], row["import_kind"]) == ("sglang.srt.managers.scheduler", "runtime")
        assert row["chain"] == ["sglang.srt.managers.scheduler", "sglang.srt.managers.utils"]
    assert (missing["file"], missing["status"]) == ("tp_worker_overlap_event_loop.py", "no_such_file")
    assert "sglang/srt/managers/tp_worker.py" in missing["nearest"]


def test_a_wrong_name_is_not_found_and_the_right_one_suggested(ask: Any) -> None:
    """Exit code 1."""
    said = ask("find-class", "GenBatchResult")
    assert (said.code, said.answer["status"], said.answer["results"]) == (1, "not_found", [])
    assert said.answer["suggestions"][0] == "GenerationBatchResult"


def test_two_schedulers_are_both_answered(ask: Any) -> None:
    """Ambiguous, exit code 0."""
    said = ask("find-class", "Scheduler")
    assert (said.code, said.answer["status"]) == (0, "ambiguous")
    assert {result["name"] for result in said.answer["results"]} == {
        "sglang.multimodal_gen.runtime.managers.scheduler.Scheduler",
        "sglang.srt.managers.scheduler.Scheduler",
    }


def test_a_typing_import_of_the_class_into_its_own_module_hides_nothing(ask: Any) -> None:
    """utils.py imports the name from scheduler.py for type checkers, and defines it: the definition it is."""
    [result] = ask("find", "sglang.srt.managers.utils.GenerationBatchResult").answer["results"]
    assert (result["file"], result["line"], result["shadowed_by"]) == (
        "sglang/srt/managers/utils.py",
        25,
        None,
    )
    [known] = [
        row
        for row in ask("imports", "sglang.srt.managers.utils").answer["results"]
        if "GenerationBatchResult" in row["names"]
    ]
    assert (known["module"], known["import_kind"], known["line"]) == (
        "sglang.srt.managers.scheduler",
        "typing",
        17,
    )


def test_the_whole_tree_is_seen(ask: Any) -> None:
    """1,404 files, all parsed, none left out."""
    answer = ask("status").answer
    assert len(answer["files"]) == answer["tree"]["files"] == 1404
    assert (answer["parse_errors"], answer["skipped"]) == ([], [])
    assert (answer["tree"]["name"], answer["tree"]["version"]) == ("sglang", "0.5.9")
    lines = {row["file"]: row["lines"] for row in answer["files"]}
    for file in ("sglang/srt/managers/utils.py", "sglang/srt/managers/scheduler.py"):
        text = Path(answer["tree"]["root"], file).read_text("utf-8")
        assert lines[file] == len(text.splitlines()) == text.count("\n")
