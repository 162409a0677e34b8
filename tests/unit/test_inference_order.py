"""What the engine finds depends on the program alone: not on the order of questions, the hash seed or the stack."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path

import pytest

from codemap.index.build import open_index
from codemap.inference.edges import definition_edges, edges_at, unresolved_at
from codemap.inference.engine import Engine
from codemap.inference.solver import MOST_VALUES, Solver
from codemap.inference.values import Values
from codemap.semantic import expressions as op
from codemap.source.trees import open_tree

CASES = Path(__file__).parents[1] / "cases"


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All annotated programs as one tree, in which the same names mean many things."""
    folder = tmp_path_factory.mktemp("tree")
    for kind in ("calls", "flow"):
        for program in (CASES / kind).glob("*.py"):
            (folder / program.name).write_bytes(program.read_bytes())
    return folder


def ask_all(folder: Path, cache: Path, seed: int, deepest: int = 250) -> dict[str, list[str]]:
    """Every edge of a tree, asked for in an order of its own."""
    cache.mkdir(exist_ok=True)
    engine = Engine(open_index(open_tree(str(folder), cache=cache), cache=cache))
    engine.solver.deepest = deepest
    work = [(path, one) for path in engine.files for one in range(-1, len(engine.table(path).rows))]
    random.Random(seed).shuffle(work)
    out: dict[str, list[str]] = {}
    for path, one in work:
        if one < 0:
            out[f"{path}:{one}"] = [repr(edge) for edge in definition_edges(engine, path)]
            continue
        out[f"{path}:{one}"] = [repr(edge) for edge in edges_at(engine, path, one)]
        if engine.table(path).rows[one][0] == op.CALL:
            out[f"{path}:{one}"] += [repr(item) for item in unresolved_at(engine, path, one)]
    return dict(sorted(out.items()))


def test_order(tree: Path, tmp_path: Path) -> None:
    """Two orders of the questions give the same edges, ranks and reasons."""
    assert ask_all(tree, tmp_path / "c", 1) == ask_all(tree, tmp_path / "c", 2)


def test_depth(tree: Path, tmp_path: Path) -> None:
    """How deep questions may nest before they are put off changes nothing."""
    assert ask_all(tree, tmp_path / "c", 1) == ask_all(tree, tmp_path / "c", 1, deepest=30)


def test_hash_seeds(tree: Path, tmp_path: Path) -> None:
    """Two hash seeds, in processes of their own, give the same bytes."""
    script = "import sys, json, pathlib; sys.path.insert(0, sys.argv[1]); import test_inference_order as me;"
    script += "print(json.dumps(me.ask_all(pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3]), 3)))"
    outputs = []
    for seed in ("1", "2"):
        run = subprocess.run(
            [sys.executable, "-c", script, str(Path(__file__).parent), str(tree), str(tmp_path / "c")],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(path for path in sys.path if path)},
            capture_output=True,
            text=True,
            check=True,
        )
        outputs.append(run.stdout)
    assert outputs[0] == outputs[1]
    assert len(json.loads(outputs[0])) > 100


# --- the solver by itself -----------------------------------------------------------------------------------------
def chain(length: int, deepest: int) -> tuple[Solver, list[int]]:
    """Questions each of which asks the next; the last one knows the answer."""
    asked: list[int] = []

    def rule(place: int) -> Values:
        asked.append(place)
        if place == length:
            return {("end",): 0}
        return dict(solver.ask("link", place + 1))

    solver = Solver({"link": rule}, deepest)
    return solver, asked


def test_a_chain_longer_than_the_stack() -> None:
    """A chain of ten thousand questions is answered, and costs no more than asking each a few times."""
    solver, asked = chain(10_000, 250)
    assert solver.solve("link", 0) == {("end",): 0}
    assert len(asked) < 4 * 10_000


def test_a_circle_longer_than_the_stack() -> None:
    """A circle that no stack holds comes to its end, and everybody in it knows what anyone knows."""
    size = 100

    def rule(place: int) -> Values:
        out = dict(solver.ask("ring", (place + 1) % size))
        if place in (3, 77):
            out["seen", place] = 0
        return out

    solver = Solver({"ring": rule}, 7)
    for place in range(size):
        assert set(solver.solve("ring", place)) == {("seen", 3), ("seen", 77)}


def test_ranks_only_become_surer() -> None:
    """A value found in two ways has the surer rank, and users hear of it."""

    def rule(word: str) -> Values:
        if word == "both":
            return {("value",): 2} | dict(solver.ask("one", "sure"))
        return {("value",): 0}

    solver = Solver({"one": rule})
    assert solver.solve("one", "both") == {("value",): 0}


def test_too_many_values_are_told() -> None:
    """Where more values come together than are of use, the place is noted and not cut in silence."""
    solver = Solver({"many": lambda: {("value", number): 0 for number in range(MOST_VALUES + 5)}})
    assert len(solver.solve("many")) == MOST_VALUES
    assert list(solver.crowded) == [("many",)]
