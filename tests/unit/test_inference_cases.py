"""Small programs that say on the line what they call; they are also run, so that what they say is true.

`# calls: A.run, B.run?` are the definitions of the program that the line calls, and no others: a name bare is certain
or likely, with `?` only possible. A class stands for its constructors. `~` marks what Python runs elsewhere than the
line seems to (coroutines, generators), so that the trace cannot show it. `# unknown: reason` is a call without callee.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FrameType, ModuleType
from typing import Any

import pytest

from codemap.index.build import open_index
from codemap.inference.edges import edges_of, unresolved_of
from codemap.inference.engine import Engine
from codemap.inference.stubs import is_stub
from codemap.inference.values import CLASS, EXTERNAL, POSSIBLE
from codemap.source.trees import open_tree

CASES = Path(__file__).parents[1] / "cases"
PROGRAMS = sorted([*(CASES / "calls").glob("*.py"), *(CASES / "flow").glob("*.py")])
MARK = re.compile(r"#\s*(calls|unknown):\s*(.*)$")


def marks(path: Path, word: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(path.read_text().splitlines(), 1):
        found = MARK.search(line)
        if found and found[1] == word:
            yield number, found[2].strip()


def engine_for(folder: Path, tmp_path: Path) -> Engine:
    cache = tmp_path / "cache"
    cache.mkdir(exist_ok=True)
    return Engine(open_index(open_tree(str(folder), cache=cache), cache=cache))


def called(engine: Engine, path: str) -> dict[int, dict[str, int]]:
    """line -> name within the module -> rank; constructors count as their class."""
    out: dict[int, dict[str, int]] = {}
    for edge in edges_of(engine, path):
        tag, *place = edge.callee
        if tag == EXTERNAL or is_stub(place[0]):
            continue
        row = engine.table(place[0]).scope(place[1])
        name = engine.qualified(place[0], place[1]).partition(".")[2]
        if row.name == "<lambda>":
            name = "<lambda>"
        if tag != CLASS and row.name in ("__init__", "__new__", "__post_init__"):
            continue
        ranks = out.setdefault(edge.line, {})
        ranks[name] = min(edge.rank, ranks.get(name, POSSIBLE))
    return out


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_calls(program: Path, tmp_path: Path) -> None:
    """Each annotated line calls what it says, as surely as it says, and nothing else."""
    folder = tmp_path / "tree"
    folder.mkdir()
    (folder / program.name).write_bytes(program.read_bytes())
    engine = engine_for(folder, tmp_path)
    found = called(engine, program.name)
    wrong = []
    for line, text in marks(program, "calls"):
        names = {name.strip().rstrip("~") for name in text.split(",")}
        got = {name + ("?" if rank == POSSIBLE else "") for name, rank in found.get(line, {}).items()}
        if names != got:
            wrong.append(f"{program.name}:{line}: says {sorted(names)}, found {sorted(got)}")
    for line, text in marks(program, "unknown"):
        reasons = [item.reason for item in unresolved_of(engine, program.name) if item.line == line]
        if not any(text in reason for reason in reasons):
            wrong.append(f"{program.name}:{line}: says unknown {text!r}, found {reasons}")
    assert not wrong, "\n".join(wrong)


def run_traced(program: Path) -> dict[int, set[str]]:
    """Runs a program and notes which of its functions each of its lines calls."""
    seen: dict[int, set[str]] = {}
    code = compile(program.read_bytes(), str(program), "exec")

    def own(frame: FrameType | None) -> bool:
        return frame is not None and frame.f_code.co_filename == str(program)

    def note(frame: FrameType, event: str, _: Any) -> None:
        back = frame.f_back
        if event != "call" or not own(frame) or not own(back) or back is None:
            return
        name = qualified(frame.f_code)
        if name:
            seen.setdefault(back.f_lineno, set()).add(name)

    sys.setprofile(note)
    module = ModuleType(program.stem)
    sys.modules[program.stem] = module  # dataclasses look their module up
    try:
        exec(code, vars(module))
    finally:
        sys.setprofile(None)
        del sys.modules[program.stem]
    return seen


def qualified(code: CodeType) -> str:
    name = code.co_qualname.replace("<locals>.", "")
    if name.endswith(("<listcomp>", "<genexpr>", "<setcomp>", "<dictcomp>", "<module>")):
        return ""
    if not code.co_flags & 0x2 or code.co_flags & 0x2A0:  # a class body; resumed, not called
        return ""
    return "" if name.endswith(("__init__", "__new__", "__post_init__")) else name


RUNNABLE = [path for path in PROGRAMS if path.stem != "unknown"]


@pytest.mark.parametrize("program", RUNNABLE, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_truth(program: Path) -> None:
    """What the programs say of themselves is what happens when they run."""
    seen = run_traced(program)
    text = program.read_text()
    wrong = []
    for line, names in marks(program, "calls"):
        said = {name.strip() for name in names.split(",")}
        every = {name.rstrip("?~") for name in said}
        sure = {name for name in said if not name.endswith(("?", "~"))}
        sure = {
            name for name in sure if f"class {name.rpartition('.')[2]}" not in text and name != "<lambda>"
        }
        ran = {name for name in seen.get(line, set()) if "<lambda>" not in name}
        if not ran <= every:
            wrong.append(f"{program.name}:{line}: ran {sorted(ran - every)} besides")
        if not sure <= ran:
            wrong.append(f"{program.name}:{line}: {sorted(sure - ran)} did not run")
    assert not wrong, "\n".join(wrong)
