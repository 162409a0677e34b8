"""The index of real small trees: fresh, lazy, the same whatever the order, the workers and the hash seed."""

# ruff: noqa: RUF001
from __future__ import annotations

import os
import random
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

import pytest

from codemap.errors import NoSuchModule
from codemap.index import build
from codemap.index.build import Index, open_index
from codemap.model.facts import ROLE_CALL, ROLE_CLASS, ROLE_DEFINE, ROLE_IMPORT, STAR_WORD
from codemap.semantic import facts, version
from codemap.source.trees import open_tree

FILES = {
    "pkg/__init__.py": "from .pump import Pump\n",
    "pkg/pump.py": "class Pump:\n    def run(self):\n        return self.flow\n",
    "pkg/plant.py": "from pkg.pump import *\n\ndef start():\n    Pump().run()\n",
    "pkg/empty/__init__.py": "",
    "pkg/broken.py": "def broken(:\n    pass\n\nclass Valve:\n    pass\n",
    "pkg/other.py": "x = 'no pumps here'\n",
}


def write(folder: Path, files: dict[str, str | bytes] | dict[str, str]) -> Path:
    for path, content in files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def rested(folder: Path) -> None:
    """Waits until no file of the folder counts as changed a moment ago."""
    import time

    newest = max(path.stat().st_ctime_ns for path in folder.rglob("*"))
    while time.time_ns() < newest + 150_000_000:
        time.sleep(0.02)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write(tmp_path / "tree", FILES)


@pytest.fixture
def look(tmp_path: Path) -> Iterable[Callable[..., Index]]:
    opened: list[Index] = []

    def look(folder: Path, cache: str = "cache", **options: object) -> Index:
        place = tmp_path / cache
        index = open_index(open_tree(str(folder), cache=place), cache=place, **options)  # type: ignore[arg-type]
        opened.append(index)
        return index

    yield look
    for index in opened:
        index.close()


@pytest.fixture
def lazily(monkeypatch: pytest.MonkeyPatch) -> None:
    """No tree is so small that it is indexed at the first question."""
    monkeypatch.setattr(build, "SMALL_TREE", 0)


def many(count: int = 120, lines: int = 60) -> dict[str, str]:
    """Enough source that worker processes are used."""
    chance = random.Random(count)
    files = {}
    for number in range(count):
        body = "".join(
            f"    def method_{chance.randrange(200)}(self, value):\n"
            f"        return self.part_{chance.randrange(50)}.call_{chance.randrange(90)}(value, name={at})\n"
            for at in range(lines)
        )
        files[f"pkg/sub{number % 7}/mod{number}.py"] = (
            f"from pkg import thing{number}\n\nclass Class{number}:\n{body}"
        )
    return files


def knowledge(index: Index, words: Iterable[str] = ("Pump", "run", "start", "Valve", STAR_WORD)) -> object:
    """All that an index says, to be compared."""
    return (
        index.digest,
        index.files,
        [index.mentioning(word) for word in words],
        [index.outline(path) for path in index.files],
        [index.body(path) for path in index.files],
        index.words(ROLE_DEFINE),
    )


# --- answers ---------------------------------------------------------------------------------------------


def test_files_that_mention_a_word(root: Path, look: Callable[..., Index]) -> None:
    """A small tree is indexed at the first question; roles are told apart exactly."""
    index = look(root)
    assert index.mentioning("Pump") == ("pkg/__init__.py", "pkg/plant.py", "pkg/pump.py")
    assert index.mentioning("Pump", roles=ROLE_CLASS) == ("pkg/pump.py",)
    assert index.mentioning("Pump", roles=ROLE_IMPORT) == ("pkg/__init__.py",)
    assert index.mentioning("run", "Valve", roles=ROLE_CALL | ROLE_CLASS) == ("pkg/broken.py", "pkg/plant.py")
    assert index.mentioning(STAR_WORD) == ("pkg/plant.py",)
    assert index.mentioning("nobody") == ()
    assert index.words(ROLE_CLASS) == {"Pump", "Valve"}


def test_summary_and_status(root: Path, look: Callable[..., Index]) -> None:
    """The status names every file with its lines, every parse error with its place."""
    index = look(root)
    summary = index.summary()
    assert (summary.files, summary.parse_errors, summary.root) == (6, 1, str(root))
    status = index.status()
    assert status.files == tuple((path, content.count("\n")) for path, content in sorted(FILES.items()))
    assert [(file, line) for file, line, _ in status.parse_errors] == [("pkg/broken.py", 1)]
    assert status.source_bytes == sum(map(len, FILES.values()))
    assert status.index_bytes > 0


def test_a_file_that_is_not_there(root: Path, look: Callable[..., Index]) -> None:
    """Asking for a file that the tree has not is an error of the question."""
    with pytest.raises(NoSuchModule):
        look(root).outline("pkg/nowhere.py")


def test_the_extractor_has_one_version() -> None:
    """The version that the index keys facts by is the extractor's."""
    assert facts.EXTRACTOR_VERSION == version.EXTRACTOR_VERSION


def test_equal_files_are_all_found(tmp_path: Path, look: Callable[..., Index]) -> None:
    """Files of equal bytes share one content, and a word is found in each of them."""
    index = look(write(tmp_path / "t", {"a.py": "Pump = 1\n", "b/c.py": "Pump = 1\n", "d.py": "x = 1\n"}))
    assert index.mentioning("Pump") == ("a.py", "b/c.py")
    assert index.outline("a.py") == index.outline("b/c.py")


def test_odd_files_are_diagnostics(tmp_path: Path, look: Callable[..., Index]) -> None:
    """Null bytes, wrong encodings, a byte order mark, deep nesting: the others are answered, these are told."""
    files: dict[str, str | bytes] = {
        "null.py": b"x = 1\0\n",
        "latin.py": b"# coding: latin-1\nPump = '\xe9'\n",
        "wrong.py": b"Pump = '\xe9\xff'\n",
        "bom.py": b"\xef\xbb\xbfPump = 1\n",
        "wide.py": "Pump = 1\n".encode("utf-16"),
        "deep.py": "x = " + "(" * 150 + "1" + ")" * 150 + "\n",
        "deeper.py": "x = " + "-" * 100_000 + "1\n",
        "attributes.py": "x = a" + ".b" * 50_000 + "\n",
        "crlf.py": b"class Pump:\r\n    pass\r\n",
        "cookie.py": b"# coding: no-such-thing\nPump = 1\n",
    }
    index = look(write(tmp_path / "t", files))
    assert len(index.status().files) == len(files)
    assert {"latin.py", "bom.py", "crlf.py"} <= set(index.mentioning("Pump"))
    broken = {file for file, _, _ in index.status().parse_errors}
    assert {"null.py", "wide.py"} <= broken
    assert not broken & {"latin.py", "bom.py", "crlf.py", "deep.py"}


def test_a_lost_statement_hides_no_word(tmp_path: Path, look: Callable[..., Index]) -> None:
    """A file of which something was lost is named for every word in its bytes, defined or used there."""
    index = look(write(tmp_path / "t", {"a.py": "class Valve(:\n    x = Pump\n\ny = 1\n", "b.py": "y = 1\n"}))
    assert index.mentioning("Pump") == index.mentioning("Valve", roles=ROLE_CLASS) == ("a.py",)
    assert index.mentioning("Pump", roles=ROLE_CLASS) == ()


# --- lazy ------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("lazily")
def test_a_cold_answer_is_a_superset_of_a_warm_one(tmp_path: Path, look: Callable[..., Index]) -> None:
    """Before a tree is indexed no file that bears a word is missed, however the word is spelt or encoded."""
    files: dict[str, str | bytes] = {
        **FILES,
        "ligature.py": "ﬁlter = ｐｕｍｐ = 1\nclass Ｃlass: pass\n",
        "latin.py": "# coding: latin-1\ngröße = Größe()\n".encode("latin-1"),
        "seven.py": b"# coding: utf-7\n+AFAAdQBtAHA- = 1\n",
        "star.py": "from pkg import \\\n   *\nfrom pkg.pump import(  a ,\n b)\n",
        "tabs.py": "class\tTabbed(object):\n  def\\\n    continued(self): pass\n  async  def  later(self): pass\n",
        "strings.py": "getattr(x, 'flow')\nfoo = {'key_word': 1}\nf'{nested.attribute!r:>{width}}'\n",
        **many(8, 20),
    }
    folder = write(tmp_path / "t", files)
    warm = look(folder, "warm")
    warm.complete()
    words = sorted(warm.words(build.ALL))
    assert {"filter", "pump", "größe", "later", "key_word", "width", STAR_WORD} <= set(words)
    cold = look(folder, "cold")
    for word in words:
        assert set(warm.mentioning(word)) <= set(cold.mentioning(word)), word
    for roles in (ROLE_CLASS, ROLE_DEFINE, ROLE_CLASS | ROLE_DEFINE):
        assert warm.words(roles) <= cold.words(roles)


@pytest.mark.usefixtures("lazily")
def test_a_question_extracts_what_it_touches_only(tmp_path: Path, look: Callable[..., Index]) -> None:
    """The first question about a large tree extracts the files that bear the word, and the next finds them there."""
    folder = write(tmp_path / "t", {**FILES, **many(30, 10)})
    index = look(folder)
    found = index.mentioning("Pump")
    assert [path for path, _ in index.outlines(found)] == list(found)
    assert len(index._unread()) == len(index.files) - 3
    index.close()
    again = look(folder)
    assert len(again._unread()) == len(again.files) - 3
    assert again.mentioning("Pump") == found
    assert again.mentioning("Pump", roles=ROLE_CLASS) == ("pkg/pump.py",)


@pytest.mark.usefixtures("lazily")
def test_a_repeated_question_reads_no_file(
    tmp_path: Path, look: Callable[..., Index], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was found in the bytes is remembered: the same question again does not read them."""
    monkeypatch.setattr(build, "SCAN_WORTH_KEEPING", 0)
    folder = write(tmp_path / "t", {**FILES, **many(10, 10)})
    rested(folder)
    first = look(folder)
    found, stars = first.mentioning("Pump"), first.mentioning(STAR_WORD)
    again = look(folder)
    for path in folder.rglob("*.py"):  # the same stamps, and no bytes to read
        assert path.stat()
    reads: list[str] = []
    monkeypatch.setattr(type(again.tree), "read", lambda _, path: reads.append(path))
    assert (again.mentioning("Pump"), again.mentioning(STAR_WORD)) == (found, stars)
    assert reads == []


@pytest.mark.usefixtures("lazily")
def test_remembered_scans_follow_edits(
    tmp_path: Path, look: Callable[..., Index], monkeypatch: pytest.MonkeyPatch
) -> None:
    """After edits, new files and removed ones, a remembered scan still names the right files."""
    monkeypatch.setattr(build, "SCAN_WORTH_KEEPING", 0)
    folder = write(tmp_path / "t", {**FILES, **many(10, 10)})
    assert "pkg/other.py" not in look(folder).mentioning("Pump")
    write(folder, {"pkg/other.py": "y = Pump\n", "aaa.py": "Pump\n", "pkg/plant.py": "pass\n"})
    (folder / "pkg/__init__.py").unlink()
    assert look(folder).mentioning("Pump") == ("aaa.py", "pkg/other.py", "pkg/pump.py")


@pytest.mark.usefixtures("lazily")
def test_parse_errors_of_a_large_tree_are_of_what_was_asked(root: Path, look: Callable[..., Index]) -> None:
    """A large tree's summary counts the broken files that the answer rests on, warm or cold alike."""
    index = look(root)
    index.complete()
    index.outline("pkg/pump.py")
    assert index.summary().parse_errors == 0
    index.outline("pkg/broken.py")
    assert index.summary().parse_errors == 1


@pytest.mark.usefixtures("lazily")
@pytest.mark.parametrize("killed", [False, True])
def test_a_helper_does_half_of_the_first_question(
    tmp_path: Path, look: Callable[..., Index], monkeypatch: pytest.MonkeyPatch, killed: bool
) -> None:
    """The first question's files are shared with a worker; one that has died changes nothing."""
    monkeypatch.setattr(build, "WORTH_SHARING", 0)
    folder = write(tmp_path / "t", {**FILES, **many(30, 10)})
    index = look(folder, jobs=2)
    assert index._helper is not None
    if killed:
        index._helper.kill()
    alone = look(folder, "alone", jobs=1)
    assert alone._helper is None
    found = index.mentioning("part_9", "Pump")
    assert len(found) > 5
    assert [index.outline(path) for path in found] == [alone.outline(path) for path in found]
    assert len(index._unread()) == len(index.files) - len(found)
    assert (index._helper is None) is killed


# --- fresh -----------------------------------------------------------------------------------------------


def test_an_edit_is_seen_at_once(root: Path, look: Callable[..., Index]) -> None:
    """An edit, a new file and a removed one are in the next answer, also right after the last look."""
    digests = {look(root).digest}
    assert look(root).mentioning("Hose") == ()
    (root / "pkg/other.py").write_text("Hose = 1\n")
    index = look(root)
    assert index.mentioning("Hose") == ("pkg/other.py",)
    digests.add(index.digest)
    (root / "new.py").write_text("Hose = 2\n")
    index = look(root)
    assert index.mentioning("Hose") == ("new.py", "pkg/other.py")
    digests.add(index.digest)
    (root / "pkg/other.py").unlink()
    index = look(root)
    assert index.mentioning("Hose") == ("new.py",)
    digests.add(index.digest)
    assert len(digests) == 4


def test_an_edit_that_hides_its_time_is_seen(root: Path, look: Callable[..., Index]) -> None:
    """An edit of the same size with the time of modification put back is not taken for no edit."""
    rested(root)
    target = root / "pkg/other.py"
    before = target.stat()
    assert look(root).mentioning("hoses") == ()
    target.write_text("x = 'no hoses here'\n")
    os.utime(target, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert target.stat().st_size == before.st_size
    assert look(root).mentioning("hoses") == ("pkg/other.py",)


def test_quick_edits_of_one_size_are_seen(root: Path, look: Callable[..., Index]) -> None:
    """Edits within the granularity of the file system's clock are never missed."""
    target = root / "pkg/other.py"
    for number in range(60):
        target.write_text(f"name{number:03}\n")
        assert look(root).mentioning(f"name{number:03}") == ("pkg/other.py",), number


def test_a_touched_file_is_not_extracted_again(root: Path, look: Callable[..., Index]) -> None:
    """New times and old bytes cost a hash, nothing else, and the digest stays."""
    first = look(root)
    first.complete()
    os.utime(root / "pkg/pump.py", ns=(1, 1))
    again = look(root)
    assert again.digest == first.digest
    assert again._unread() == []


def test_a_changed_tree_is_the_same_as_a_new_one(root: Path, look: Callable[..., Index]) -> None:
    """After any edits the index says what an index made from nothing says."""
    look(root).complete()
    chance = random.Random(7)
    for _ in range(12):
        write(root, {f"pkg/file{chance.randrange(6)}.py": f"Pump = run = {chance.randrange(99)}\n"})
        victim = root / f"pkg/file{chance.randrange(6)}.py"
        victim.unlink(missing_ok=True)
        assert knowledge(look(root)) == knowledge(look(root, f"new{chance.random()}"))


def test_a_file_that_changes_after_the_look(root: Path, look: Callable[..., Index]) -> None:
    """A file that changes between the look and its extraction is answered as it is then, and looked at anew."""
    rested(root)
    index = look(root)
    (root / "pkg/other.py").write_text("class Late: pass\n")
    assert index.outline("pkg/other.py").bindings[0].name in ("x", "Late")
    assert look(root).mentioning("Late") == ("pkg/other.py",)


def test_a_file_that_vanishes_after_the_look(root: Path, look: Callable[..., Index]) -> None:
    """A file that goes away between the look and its extraction is a diagnostic."""
    rested(root)
    look(root).close()
    index = look(root)
    (root / "pkg/other.py").unlink()
    index.complete()
    assert index.outline("pkg/other.py").errors
    assert [skipped.file for skipped in index.skipped] == ["pkg/other.py"]


# --- shared and the same ----------------------------------------------------------------------------------


def test_two_versions_share_what_they_have_in_common(tmp_path: Path, look: Callable[..., Index]) -> None:
    """A second version of a tree extracts only the files that differ."""
    old = write(tmp_path / "old", {**FILES, **many(20, 5)})
    new = write(tmp_path / "new" / "deeper", {**FILES, **many(20, 5), "pkg/pump.py": "class Pump: pass\n"})
    look(old).complete()
    index = look(new)
    assert [index.files[number] for number in index._unread()] == ["pkg/pump.py"]
    assert knowledge(index) == knowledge(look(new, "fresh"))


@pytest.mark.parametrize("jobs", [1, 2, 3])
def test_workers_change_nothing(
    tmp_path: Path, look: Callable[..., Index], monkeypatch: pytest.MonkeyPatch, jobs: int
) -> None:
    """The index is the same whatever the number of workers, and one made without them."""
    folder = write(tmp_path / "t", {**FILES, **many()})
    parallel = look(folder, "parallel", jobs=jobs)
    monkeypatch.setattr(build, "FEW_BYTES", 10_000)
    parallel.complete()
    monkeypatch.setattr(build, "FEW_BYTES", 1 << 40)
    alone = look(folder, "alone")
    words = ["Pump", "value", "method_7", "call_80", "Class3", "thing5", STAR_WORD]
    assert knowledge(parallel, words) == knowledge(alone, words)


@pytest.mark.parametrize("kind", [ThreadPoolExecutor, ProcessPoolExecutor])
def test_any_executor_will_do(tmp_path: Path, look: Callable[..., Index], kind: type) -> None:
    """An executor of concurrent.futures can do the extraction."""
    folder = write(tmp_path / "t", {**FILES, **many(40, 20)})
    options = (
        {"mp_context": __import__("multiprocessing").get_context("spawn")}
        if kind is ProcessPoolExecutor
        else {}
    )
    with kind(2, **options) as executor:
        index = look(folder, "executor", executor=executor)
        index.complete()
    assert knowledge(index) == knowledge(look(folder, "alone"))


def test_the_order_of_files_changes_nothing(tmp_path: Path, look: Callable[..., Index]) -> None:
    """Files written in another order, in another folder, give the same digest and the same facts."""
    files = list({**FILES, **many(20, 10)}.items())
    answers = []
    for seed in range(3):
        random.Random(seed).shuffle(files)
        answers.append(knowledge(look(write(tmp_path / f"t{seed}", dict(files)), f"cache{seed}")))
    assert answers[0] == answers[1] == answers[2]


def test_the_hash_seed_changes_nothing(tmp_path: Path) -> None:
    """Two hash seeds give the same bytes of facts and the same words."""
    folder = write(tmp_path / "t", {**FILES, **many(40, 20)})
    script = textwrap.dedent("""
        import hashlib, sys
        from pathlib import Path
        from codemap.index.build import open_index
        from codemap.source.trees import open_tree
        cache = Path(sys.argv[2])
        index = open_index(open_tree(sys.argv[1], cache=cache), cache=cache, jobs=int(sys.argv[3]))
        index.complete()
        said = [index.digest, sorted(index.words(0xFFFF)), index.status().files]
        said += [(path, index.outline(path), index.body(path)) for path in index.files]
        said += [index.mentioning(word) for word in sorted(index.words(0xFFFF))]
        print(hashlib.sha256(repr(said).encode()).hexdigest())
    """)
    printed = set()
    for seed, jobs in (("1", "1"), ("2", "2"), ("3", "2")):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)}
        command = [sys.executable, "-c", script, str(folder), str(tmp_path / f"cache{seed}"), jobs]
        printed.add(
            subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
        )
    assert len(printed) == 1


def test_progress_is_told(
    tmp_path: Path, look: Callable[..., Index], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Long work is told from start to finish, each file once."""
    said: list[object] = []

    class Told:
        def start(self, total: int) -> None:
            said.append(("start", total))

        def advance(self, count: int) -> None:
            said.append(count)

        def finish(self) -> None:
            said.append("finish")

    monkeypatch.setattr(build, "FEW_BYTES", 10_000)
    folder = write(tmp_path / "t", many(150, 10))
    index = look(folder, progress=Told(), jobs=2)
    index.complete()
    assert said[0] == ("start", 150)
    assert said[-1] == "finish"
    assert sum(one for one in said if isinstance(one, int)) == 150
