"""What happens to a cache: two writers, kill -9, a full disk, damage, other versions, missing rights, dying workers.

Nothing here is simulated that can be had: real processes are killed, real files damaged, a real disk filled.
"""

from __future__ import annotations

import contextlib
import os
import random
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from codemap.errors import CacheError
from codemap.index import build, workers
from codemap.index.build import Index, open_index
from codemap.model.facts import ROLE_DEFINE
from codemap.source.trees import open_tree

MENTIONED = ("Class3", "method_5", "part_9", "thing11", "value")

# What a process does: it indexes a tree and says what it found. A first argument "lazy" asks one question only.
SCRIPT = textwrap.dedent("""
    import sys
    from pathlib import Path
    from codemap.errors import CodemapError
    from codemap.index import build
    from codemap.source.trees import open_tree

    mode, root, cache, jobs = sys.argv[1:]
    build.SMALL_TREE, build.FEW_BYTES = (0 if mode == "lazy" else 1 << 30), 20_000
    try:
        index = build.open_index(open_tree(root, cache=Path(cache)), cache=Path(cache), jobs=int(jobs))
        print(index.digest, *index.mentioning("Class3", "part_9"), sep="\\n")
        print(sum(len(index.outline(path).scopes) for path in index.mentioning("Class3")))
    except CodemapError as error:
        print(type(error).__name__, error, "|", error.hint, file=sys.stderr)
        sys.exit(error.exit_code)
""")


def source(number: int, lines: int = 25) -> str:
    chance = random.Random(number)
    body = "".join(
        f"    def method_{chance.randrange(90)}(self, value):\n"
        f"        return self.part_{chance.randrange(20)}.call_{chance.randrange(90)}(value, key={at})\n"
        for at in range(lines)
    )
    return f"from pkg import thing{number}\n\nclass Class{number}:\n{body}"


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tree of 300 files that nobody changes."""
    folder = tmp_path_factory.mktemp("tree")
    (folder / "pkg").mkdir()
    for number in range(300):
        (folder / "pkg" / f"mod{number}.py").write_text(source(number))
    return folder


@pytest.fixture(scope="module")
def expected(root: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """What an undisturbed process says."""
    return run(root, tmp_path_factory.mktemp("undisturbed")).stdout


def start(
    root: Path, cache: Path, mode: str = "whole", jobs: int = 2, **options: object
) -> subprocess.Popen[str]:
    options.setdefault(
        "env", {**os.environ, "PYTHONPATH": os.pathsep.join(entry for entry in sys.path if entry)}
    )
    command = [sys.executable, "-c", SCRIPT, mode, str(root), str(cache), str(jobs)]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, **options)  # type: ignore[call-overload, no-any-return]


def finish(process: subprocess.Popen[str]) -> subprocess.CompletedProcess[str]:
    out, err = process.communicate(timeout=120)
    return subprocess.CompletedProcess(process.args, process.returncode, out, err)


def run(
    root: Path, cache: Path, mode: str = "whole", jobs: int = 2, **options: object
) -> subprocess.CompletedProcess[str]:
    return finish(start(root, cache, mode, jobs, **options))


_opened: list[Index] = []


@pytest.fixture(autouse=True)
def closing() -> Iterator[None]:
    """Closes what a test opened."""
    yield
    while _opened:
        _opened.pop().close()


def look(root: Path, cache: Path, **options: object) -> Index:
    index = open_index(open_tree(str(root), cache=cache), cache=cache, **options)  # type: ignore[arg-type]
    _opened.append(index)
    return index


def answers(index: Index) -> object:
    with index:
        said = [index.digest, index.words(ROLE_DEFINE), [index.mentioning(word) for word in MENTIONED]]
        return [*said, [(index.outline(path), index.body(path)) for path in index.files[::17]]]


def database(cache: Path) -> Path:
    [path] = cache.glob("index-*.sqlite3")
    return path


# --- several processes ------------------------------------------------------------------------------------


def test_two_processes_index_one_tree(root: Path, tmp_path: Path, expected: str) -> None:
    """Two writers at once both answer right, and what they leave is whole."""
    cache = tmp_path / "cache"
    for result in [
        finish(process) for process in [start(root, cache), start(root, cache), start(root, cache, "lazy")]
    ]:
        assert (result.returncode, result.stdout, result.stderr) == (0, expected, "")
    assert not look(root, cache)._unread()
    assert answers(look(root, cache)) == answers(look(root, tmp_path / "fresh"))


def test_two_processes_index_two_trees(root: Path, tmp_path: Path, expected: str) -> None:
    """Two trees that share files can be indexed into one cache at the same time."""
    other = tmp_path / "other"
    shutil.copytree(root, other)
    (other / "pkg/mod3.py").write_text("class Class3: part_9 = 1\n")
    cache = tmp_path / "cache"
    first, second = [finish(process) for process in [start(root, cache), start(other, cache)]]
    assert (first.returncode, first.stdout) == (0, expected)
    assert second.returncode == 0
    assert second.stdout.splitlines()[0] != expected.splitlines()[0]
    assert answers(look(other, cache)) == answers(look(other, tmp_path / "fresh"))


def test_readers_do_not_wait_for_a_writer(root: Path, tmp_path: Path, expected: str) -> None:
    """While one process holds the file for writing, another that has all it needs answers."""
    cache = tmp_path / "cache"
    time.sleep(0.2)  # so that no file counts as changed a moment ago
    look(root, cache).complete()
    with contextlib.closing(sqlite3.connect(database(cache), isolation_level=None)) as writer:
        writer.execute("BEGIN IMMEDIATE")
        begun = time.monotonic()
        result = run(root, cache)
        assert time.monotonic() - begun < 20
    assert (result.returncode, result.stdout) == (0, expected)


@pytest.mark.parametrize("seed", range(6))
def test_kill_in_the_middle(root: Path, tmp_path: Path, expected: str, seed: int) -> None:
    """After kill -9 at any moment the next run answers right, and no worker is left behind."""
    cache = tmp_path / "cache"
    process = start(root, cache, start_new_session=True)
    time.sleep(random.Random(seed).uniform(0.05, 1.2))
    process.kill()
    process.communicate()
    for _ in range(200):  # the workers end by themselves
        if not _alive(process.pid):
            break
        time.sleep(0.05)
    else:
        pytest.fail("workers outlive the process that started them")
    result = run(root, cache)
    assert (result.returncode, result.stdout, result.stderr) == (0, expected, "")
    assert answers(look(root, cache)) == answers(look(root, tmp_path / "fresh"))


def _alive(group: int) -> bool:
    """Whether a process of a group runs, those that ended and were not waited for left out."""
    for entry in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            state, _, of_group = entry.read_text().rpartition(")")[2].split()[:3]
            if int(of_group) == group and state not in "ZX":
                return True
    return False


def test_an_interrupted_index_is_continued(root: Path, tmp_path: Path) -> None:
    """What was stored before a kill need not be extracted again."""
    cache = tmp_path / "cache"
    process = start(root, cache)
    while process.poll() is None and not _stored(cache):
        time.sleep(0.01)
    process.kill()
    process.communicate()
    assert len(look(root, cache)._unread()) < 300


def _stored(cache: Path) -> int:
    try:
        with contextlib.closing(sqlite3.connect(f"file:{database(cache)}?mode=ro", uri=True)) as connection:
            found: int = connection.execute("SELECT count(*) FROM content").fetchone()[0]
            return found
    except (sqlite3.Error, ValueError):
        return 0


def test_interrupting_from_the_keyboard(root: Path, tmp_path: Path) -> None:
    """Control-C ends the workers too."""
    process = start(root, tmp_path / "cache", start_new_session=True)
    time.sleep(0.6)
    os.killpg(process.pid, signal.SIGINT)
    finish(process)
    assert not _alive(process.pid)


# --- workers ------------------------------------------------------------------------------------------------


def test_killed_workers_are_replaced(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers that are killed from outside lose nothing: their files are read by others."""
    monkeypatch.setattr(build, "FEW_BYTES", 20_000)
    killed: list[int] = []
    done = threading.Event()

    def killer() -> None:
        while not done.is_set() and len(killed) < 3:
            for child in _children():
                if child not in killed:
                    time.sleep(0.15)
                    with contextlib.suppress(OSError):
                        os.kill(child, signal.SIGKILL)
                        killed.append(child)
                    break
            time.sleep(0.01)

    thread = threading.Thread(target=killer)
    thread.start()
    index = look(root, tmp_path / "cache", jobs=2)
    index.complete()
    done.set()
    thread.join()
    assert killed
    assert index.status().parse_errors == ()
    assert answers(index) == answers(look(root, tmp_path / "fresh", jobs=1))


def _children() -> list[int]:
    found = []
    for entry in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            if int(entry.read_text().rpartition(")")[2].split()[1]) == os.getpid():
                found.append(int(entry.parent.name))
    return sorted(found)


def test_a_file_that_no_worker_survives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that takes a worker too long is tried alone, then skipped with its reason; the others are answered."""
    monkeypatch.setattr(build, "FEW_BYTES", 1)
    folder = tmp_path / "t"
    folder.mkdir()
    for number in range(12):
        (folder / f"mod{number}.py").write_text(source(number))
    (folder / "mod5.py").write_text("x = [" + "Pump(1, [a.b.c, -2]), " * 150_000 + "]\n")
    monkeypatch.setattr(workers, "FILE_LIMIT", 1.0)
    with look(folder, tmp_path / "cache", jobs=2) as index:
        index.complete()
        [(file, line, message)] = index.status().parse_errors
        assert (file, line) == ("mod5.py", 1)
        assert "took too long" in message
        assert index.mentioning("Pump") == (
            "mod5.py",
        )  # its words are known, so a question says that it was not read
        assert index.mentioning("Class7") == ("mod7.py",)


def test_a_script_without_a_guard(root: Path, tmp_path: Path, expected: str) -> None:
    """A script that uses codemap at its top level, without `if __name__ == "__main__"`, runs once."""
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(entry for entry in sys.path if entry)}
    command = [sys.executable, str(script), "whole", str(root), str(tmp_path / "cache"), "2"]
    result = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=True)
    assert (result.stdout, result.stderr) == (expected, "")


def test_workers_import_nothing_from_the_tree(tmp_path: Path) -> None:
    """A tree with modules named like the standard library's, in the current folder, is never imported."""
    folder = tmp_path / "t"
    folder.mkdir()
    for name in ("ast", "re", "signal", "marshal", "codemap", "sqlite3", "gc", "enum"):
        (folder / f"{name}.py").write_text(
            "open('imported', 'w').close(); raise SystemExit(9)\n" + source(1, 300)
        )
    environment = {"PYTHONPATH": os.pathsep.join(entry for entry in sys.path if entry), "PYTHONSAFEPATH": "1"}
    result = run(folder, tmp_path / "cache", cwd=folder, env={**os.environ, **environment})
    assert result.returncode == 0, result.stderr
    assert not (folder / "imported").exists()


def test_no_worker_can_be_started(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no process can be started (an embedded Python) the work is done in this one."""
    monkeypatch.setattr(build, "FEW_BYTES", 20_000)
    monkeypatch.setattr(sys, "executable", "/nonexistent/python")
    assert answers(look(root, tmp_path / "a")) == answers(look(root, tmp_path / "b"))
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with look(root, tmp_path / "c") as index:
        index.complete()
        assert index.status().parse_errors == ()


# --- the disk -------------------------------------------------------------------------------------------------


def test_a_full_disk(root: Path, tmp_path: Path, expected: str) -> None:
    """A full disk is one line with a way out and exit code 2; the cache is as it was."""
    cache = tmp_path / "cache"
    assert run(root, cache, "lazy").returncode == 0
    before = answers(look(root, cache))
    other = tmp_path / "other"
    shutil.copytree(root, other)
    for path in other.rglob("*.py"):
        path.write_text(path.read_text() + "y = 1\n")
    limit = 300_000

    def no_larger_files() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

    result = run(other, cache, preexec_fn=no_larger_files)
    assert result.returncode == 2
    assert result.stdout == ""
    assert result.stderr.startswith("CacheError")
    assert "CODEMAP_CACHE_DIR" in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert answers(look(root, cache)) == before
    assert run(root, cache).stdout == expected
    assert run(other, cache).returncode == 0


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=700k", "none", str(folder)], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("only root can mount a small disk")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


def test_a_really_full_disk(root: Path, small_disk: Path, expected: str, tmp_path: Path) -> None:
    """The same on a file system that has no room, with a remount as the way out."""
    result = run(root, small_disk / "cache")
    assert result.returncode == 2, result.stdout
    assert result.stderr.startswith("CacheError")
    assert "CODEMAP_CACHE_DIR" in result.stderr
    subprocess.run(["mount", "-o", "remount,size=64m", str(small_disk)], check=True)
    assert run(root, small_disk / "cache").stdout == expected
    assert answers(look(root, small_disk / "cache")) == answers(look(root, tmp_path / "fresh"))


# --- damage ---------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def few(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("few")
    for number in range(24):
        (folder / f"mod{number}.py").write_text(source(number, 12))
    return folder


@pytest.fixture(scope="module")
def good(few: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, object]:
    cache = tmp_path_factory.mktemp("good")
    time.sleep(0.2)
    said = answers(look(few, cache))
    answers(look(few, cache))
    return cache, said


@pytest.mark.parametrize("seed", range(60))
def test_random_damage(few: Path, good: tuple[Path, object], tmp_path: Path, seed: int) -> None:
    """Whatever bytes of the file are overwritten, the answers are right; damage that matters is said."""
    cache = tmp_path / "cache"
    shutil.copytree(good[0], cache)
    chance = random.Random(seed)
    content = bytearray(database(cache).read_bytes())
    for _ in range(chance.choice([1, 4, 30])):
        at, length = chance.randrange(len(content)), chance.choice([1, 8, 300])
        content[at : at + length] = chance.randbytes(len(content[at : at + length]))
    database(cache).write_bytes(content)
    said: list[str] = []
    assert answers(look(few, cache, say=said.append)) == good[1]
    assert answers(look(few, cache, say=said.append)) == good[1]
    assert all("made anew" in line for line in said)


@pytest.mark.parametrize("kept", [0, 1, 20, 100, 4096, 5000, 0.5, 0.99])
def test_a_truncated_file(few: Path, good: tuple[Path, object], tmp_path: Path, kept: float) -> None:
    """A file that is cut off anywhere is made anew."""
    cache = tmp_path / "cache"
    shutil.copytree(good[0], cache)
    path = database(cache)
    os.truncate(path, int(kept * path.stat().st_size) if isinstance(kept, float) else kept)
    said: list[str] = []
    assert answers(look(few, cache, say=said.append)) == good[1]
    assert len(said) == (1 if kept else 0)


def test_a_damaged_log(few: Path, good: tuple[Path, object], tmp_path: Path) -> None:
    """A write-ahead log that is no log does no harm."""
    cache = tmp_path / "cache"
    shutil.copytree(good[0], cache)
    Path(f"{database(cache)}-wal").write_bytes(random.Random(1).randbytes(100_000))
    assert answers(look(few, cache)) == good[1]


@pytest.mark.parametrize("what", ["text", "foreign", "older", "newer"])
def test_a_file_of_somebody_else(few: Path, good: tuple[Path, object], tmp_path: Path, what: str) -> None:
    """A text, another program's database or another version's in the place of the index is replaced, and that is said."""
    cache = tmp_path / "cache"
    shutil.copytree(good[0], cache)
    path = database(cache)
    if what == "text":
        path.write_text("this is no database\n" * 500)
    elif what == "foreign":
        path.unlink()
        with contextlib.closing(sqlite3.connect(path)) as connection:
            connection.execute("CREATE TABLE content (id INTEGER)")
            connection.commit()
    else:
        with contextlib.closing(sqlite3.connect(path)) as connection:
            connection.execute(f"PRAGMA user_version = {1 if what == 'older' else 2**30}")
            connection.commit()
    said: list[str] = []
    assert answers(look(few, cache, say=said.append)) == good[1]
    assert len(said) == 1
    assert str(path) in said[0]


def test_a_cache_that_is_removed_while_in_use(few: Path, good: tuple[Path, object], tmp_path: Path) -> None:
    """`cache clear` in another terminal does not spoil a running answer."""
    cache = tmp_path / "cache"
    index = look(few, cache)
    index.outline("mod3.py")
    for path in cache.glob("index-*"):
        path.unlink()
    assert answers(index) == good[1]
    assert answers(look(few, cache)) == good[1]


# --- rights -----------------------------------------------------------------------------------------------------


def without_privileges(root: Path, cache: Path, mode: str = "whole") -> subprocess.CompletedProcess[str]:
    """Runs without root's right to read and write everything."""

    def drop() -> None:
        import ctypes

        for capability in (1, 2):  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
            ctypes.CDLL(None).prctl(24, capability, 0, 0, 0)  # PR_CAPBSET_DROP

    return run(root, cache, mode, preexec_fn=drop) if os.getuid() == 0 else run(root, cache, mode)


def read_only(folder: Path) -> None:
    for path in folder.iterdir():
        path.chmod(0o444)
    folder.chmod(0o555)


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Path]:
    """A folder in which a test may take rights away."""
    yield tmp_path
    for folder, _, _ in os.walk(tmp_path):
        os.chmod(folder, 0o755)


def test_a_read_only_cache_answers(root: Path, place: Path, expected: str) -> None:
    """An index that cannot be written answers, after an edit too, and is left as it was."""
    tree, cache = place / "tree", place / "cache"
    shutil.copytree(root, tree)
    assert run(tree, cache).returncode == 0
    read_only(cache)
    before = {path.name: path.read_bytes() for path in cache.iterdir()}
    result = without_privileges(tree, cache)
    assert (result.returncode, result.stdout, result.stderr) == (0, expected, "")
    (tree / "pkg/mod3.py").write_text("part_9 = 1\n")
    result = without_privileges(tree, cache)
    assert result.returncode == 0, result.stderr
    assert result.stdout != expected
    assert "pkg/mod3.py" in result.stdout
    assert {path.name: path.read_bytes() for path in cache.iterdir()} == before


@pytest.mark.parametrize("rights", [0o555, 0o000])
def test_a_cache_folder_without_rights(root: Path, place: Path, rights: int) -> None:
    """A cache that can be neither read nor made is one line that names the way out."""
    cache = place / "cache"
    cache.mkdir()
    cache.chmod(rights)
    result = without_privileges(root, cache)
    assert result.returncode == 2
    assert result.stderr.startswith("CacheError")
    assert str(cache) in result.stderr
    assert "CODEMAP_CACHE_DIR" in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_an_unreadable_cache_file(root: Path, place: Path) -> None:
    """A database that cannot be read is not removed, and the error names the way out."""
    cache = place / "cache"
    assert run(root, cache, "lazy").returncode == 0
    database(cache).chmod(0o000)
    cache.chmod(0o555)
    result = without_privileges(root, cache)
    assert result.returncode == 2
    assert "CODEMAP_CACHE_DIR" in result.stderr
    assert database(cache).exists()


def test_a_file_in_the_place_of_the_cache_folder(root: Path, tmp_path: Path) -> None:
    """A cache folder that is a file is an error, not a fault."""
    (tmp_path / "cache").write_text("")
    with pytest.raises(CacheError):
        look(root, tmp_path / "cache")


def test_an_unreadable_source_file(root: Path, place: Path) -> None:
    """A file without read permission is left out with its reason; the rest is answered."""
    tree, cache = place / "tree", place / "cache"
    shutil.copytree(root, tree)
    (tree / "pkg/mod4.py").chmod(0o000)
    result = without_privileges(tree, cache)
    assert result.returncode == 0, result.stderr
    assert "pkg/mod3.py" in result.stdout
