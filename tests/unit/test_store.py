"""Storage alone: postings, freshness, scanning, and the database file."""

# ruff: noqa: RUF001
from __future__ import annotations

import contextlib
import os
import random
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from codemap.errors import CacheError
from codemap.index import postings, store
from codemap.index.extraction import Batch, Extracted
from codemap.index.freshness import current_state, whole_digest
from codemap.index.scanning import Needle, defined_words, haystack
from codemap.index.store import Changed, Damaged, Store, TreeRow, clear, listing_text, own_files
from codemap.index.workers import plan
from codemap.model.facts import ROLE_CLASS, ROLE_DEFINE, ROLE_READ, STAR_WORD
from codemap.source.folders import FileEntry


@contextlib.contextmanager
def closing_database(path: Path) -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(path)
    with contextlib.closing(connection), connection:
        yield connection


def quiet(line: str) -> None:
    """For stores that have nothing to say in a test."""
    raise AssertionError(line)


def digest(number: int) -> bytes:
    return number.to_bytes(32, "big")


def batch(*files: dict[str, int]) -> Batch:
    facts = [
        Extracted(f"outline {at}".encode(), f"body {at}".encode(), 3, 0, False) for at in range(len(files))
    ]
    return Batch(facts, postings.pack(files))


_opened: list[Store] = []


@pytest.fixture(autouse=True)
def closing() -> Iterator[None]:
    """Closes what a test opened."""
    yield
    while _opened:
        _opened.pop().close()


def opened(cache: Path, extractor: int, say: Callable[[str], None]) -> Store:
    one = Store(cache, extractor, say)
    _opened.append(one)
    return one


def filled(cache: Path, say: Callable[[str], None] = quiet) -> Store:
    """A store with a tree of two files."""
    one = opened(cache, 1, say)
    one.tree("key")
    one.save_tree("key", str(cache), TreeRow("d", b"a\0s\0b\0s", digest(1) + digest(2), [0, 0]), {})
    one.add([digest(1), digest(2)], batch({"Pump": ROLE_DEFINE}, {"Pump": ROLE_READ}), "key", "d", [[0], [1]])
    return one


# --- postings --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [1, 20, 3000])
def test_a_segment_gives_back_what_was_packed(count: int) -> None:
    """Each word of a segment is found in its bucket with the files and roles it was packed with."""
    chance = random.Random(count)
    files = [
        {f"word{chance.randrange(count * 3)}": chance.randrange(1, 2048) for _ in range(30)}
        for _ in range(count)
    ]
    buckets = dict(postings.pack(files))
    for word in {word for words in files for word in words}:
        data = buckets[postings.LOOSE if len(buckets) == 1 else postings.bucket_of(word)]
        assert postings.lookup(data, word) == [
            (at, words[word]) for at, words in enumerate(files) if word in words
        ]
    assert len(buckets) in (1, postings.BUCKETS + 1)


def test_a_word_is_not_found_by_a_part_of_it() -> None:
    """Looking up a word never finds a longer or a shorter one."""
    [(_, data)] = postings.pack([{"Pump": 1, "PumpHouse": 2, "AirPump": 4}])
    assert postings.lookup(data, "Pump") == [(0, 1)]
    assert postings.lookup(data, "Pum") == postings.lookup(data, "House") == []


def test_merged_segments_keep_the_living_only() -> None:
    """Merging moves file numbers by their offset and leaves out what is not alive."""
    [(_, first)] = postings.pack([{"Pump": 1}, {"Pump": 2}])
    [(_, second)] = postings.pack([{"Pump": 4, "Valve": 8}])
    [(_, merged)] = postings.merge([(0, first), (7, second)], alive={1, 7})
    assert postings.lookup(merged, "Pump") == [(1, 2), (7, 4)]
    assert postings.lookup(merged, "Valve") == [(7, 8)]


def test_defined_words_have_a_bucket_of_their_own() -> None:
    """The names that a large segment defines stand in one bucket, so that did-you-mean reads only that."""
    buckets = dict(
        postings.pack([{f"w{at}": ROLE_READ for at in range(5000)} | {"Pump": ROLE_DEFINE | ROLE_CLASS}])
    )
    assert [word for word, _, _ in postings.lines(buckets[postings.DEFINED])] == ["Pump"]


# --- scanning --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "word", "found"),
    [
        (b"x = Pump()", "Pump", True),
        (b"x = PumpHouse()", "Pump", False),
        (b"x = my_Pump", "Pump", False),
        ("ﬁlter = 1".encode(), "filter", True),  # the ligature is normalised by Python
        ("x = 'ü' + ｐｕｍｐ".encode(), "pump", True),  # full-width letters too
        ("größe = 1".encode(), "größe", True),
        ("größe = 1".encode(), "gro\u0308ße", True),
        ("# coding: latin-1\ngröße = 1".encode("latin-1"), "größe", True),
        (b"# coding: utf-7\nx = +AFAAdQBtAHA-", "Pump", True),
        ("# coding: utf-16\nPump".encode("utf-16"), "Pump", True),
        (b"\xef\xbb\xbfPump = 1", "Pump", True),
        (b"from a import *", STAR_WORD, True),
        (b"from a import\t*", STAR_WORD, True),
        (b"from a import \\\n  *", STAR_WORD, True),
        (b"from a import b\nx = 2 * 3", STAR_WORD, False),
    ],
)
def test_words_are_found_in_bytes(source: bytes, word: str, found: bool) -> None:
    """A word is found as a whole identifier however the file is encoded and the identifier is spelt."""
    assert Needle(word).within(haystack(source)) is found


def test_words_asked_in_another_spelling_are_normalised() -> None:
    """A question may spell a word in a form that Python normalises."""
    assert Needle("ｐｕｍｐ").within(haystack(b"pump = 1"))


def test_defined_names_are_found_in_bytes() -> None:
    """Names behind class and def are found, decorated by a dataclass or continued on the next line."""
    source = b"@dataclass\nclass Pump: pass\nasync def  run(): pass\nclass \\\n  Valve: pass\nx = 'class'\n"
    assert defined_words([source]) == {"Pump", "run", "Valve"}
    assert defined_words([source], classes_only=True) == {"Pump", "Valve"}


# --- freshness -------------------------------------------------------------------------------------------


def looked_at(
    folder: Path, row: TreeRow | None, listed_at: int, stamp: str = "same"
) -> tuple[TreeRow, set[int]]:
    entries = [FileEntry(path.name, path.stat().st_size, stamp) for path in sorted(folder.iterdir())]
    state = current_state(
        entries,
        listing_text(entries),
        listed_at,
        row,
        lambda path: (folder / path).read_bytes(),
        lambda path: str(folder / path),
        1 << 20,
    )
    return TreeRow(state.digest, state.listing, state.digests, [0] * len(entries)), set(state.read)


def test_a_file_changed_a_moment_ago_is_looked_at_again(tmp_path: Path) -> None:
    """A stamp is not trusted when the file was changed within the clock's granularity of our looking."""
    (tmp_path / "a.py").write_bytes(b"x = 1")
    moment = (tmp_path / "a.py").stat().st_ctime_ns + 1_000_000
    row, _ = looked_at(tmp_path, None, moment)
    (tmp_path / "a.py").write_bytes(b"x = 2")
    again, read = looked_at(tmp_path, row, moment)
    assert read == {0}
    assert again.digest != row.digest


def test_a_file_that_rests_is_not_read_again(tmp_path: Path) -> None:
    """A file whose stamp is the recorded one is not read, another one is."""
    (tmp_path / "a.py").write_bytes(b"x = 1")
    later = (tmp_path / "a.py").stat().st_ctime_ns + 10**10
    row, read = looked_at(tmp_path, None, later)
    assert read == {0}
    assert looked_at(tmp_path, row, later)[1] == set()
    assert looked_at(tmp_path, row, later, stamp="other")[1] == {0}


def test_the_digest_is_of_paths_and_bytes() -> None:
    """A renamed file and a changed one change a tree's digest; an unreadable one is not in it."""
    assert whole_digest(["a", "b"], digest(1) + digest(2)) != whole_digest(["a", "c"], digest(1) + digest(2))
    assert whole_digest(["a", "b"], digest(1) + digest(2)) != whole_digest(["a", "b"], digest(1) + digest(3))
    assert whole_digest(["a", "b"], digest(1) + store.UNREADABLE) == whole_digest(["a"], digest(1))


# --- workers ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("jobs", [1, 2, 7])
def test_a_plan_has_every_file_once_and_ends_small(jobs: int) -> None:
    """Chunks hold all files once, in order, and get smaller so that workers finish together."""
    sizes = [(number, 20_000) for number in range(1000)]
    chunks = plan(sizes, jobs)
    assert [number for chunk in chunks for number in chunk] == list(range(1000))
    assert len(chunks[0]) >= len(chunks[-1])
    assert len(chunks) >= 2 * jobs


# --- the database file -----------------------------------------------------------------------------------


def test_what_was_stored_is_found(tmp_path: Path) -> None:
    """A second opening finds the tree, its contents and the words."""
    filled(tmp_path).close()
    one = opened(tmp_path, 1, quiet)
    row = one.tree("key")
    assert row is not None
    assert row.contents == [1, 2]
    assert one.outline(2, digest(2)) == b"outline 1"
    assert one.postings(["Pump", "Valve"]) == {"Pump": [(1, ROLE_DEFINE), (2, ROLE_READ)], "Valve": []}
    assert one.words(ROLE_DEFINE, {1, 2}) == {"Pump"}
    assert one.words(ROLE_DEFINE, {2}) == set()


def test_equal_bytes_are_stored_once(tmp_path: Path) -> None:
    """A content that is there already keeps its id, and its words are not counted twice."""
    one = filled(tmp_path)
    assert one.add([digest(2), digest(3)], batch({"Pump": 1}, {"Hose": 1}), "key", "d", [[1], []])[0] == 2
    assert one.ids([digest(1), digest(2), digest(3), digest(4)]).keys() == {digest(1), digest(2), digest(3)}


def test_an_id_is_not_enough_to_get_facts(tmp_path: Path) -> None:
    """Facts are given out only for the digest that they are of."""
    with pytest.raises(Changed):
        filled(tmp_path).outline(1, digest(2))


def test_small_segments_are_merged(tmp_path: Path) -> None:
    """However many single files were added, a word costs few rows and is found in all of them."""
    one = filled(tmp_path)
    for number in range(3, 120):
        one.add([digest(number)], batch({"Pump": ROLE_READ}), "key", "d", [[]])
    assert len(one.postings(["Pump"])["Pump"]) == 119
    with closing_database(one.path) as connection:
        (rows,) = connection.execute("SELECT count(*) FROM posting").fetchone()
    assert rows <= store.LOOSE_KEPT + 10


def test_what_no_tree_has_is_dropped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Contents that no tree refers to go away once there are many; ids learnt before are not misused."""
    monkeypatch.setattr(store, "COLLECT_ABOVE", 10)
    one, other = filled(tmp_path), opened(tmp_path, 1, quiet)
    other.tree("key")
    for number in range(3, 40):
        one.add([digest(number)], batch({"Pump": ROLE_READ}), "key", "d", [[]])
    one.save_tree("key", str(tmp_path), TreeRow("e", b"b\0t", digest(2), [2]), {})
    assert one.postings(["Pump"]) == {"Pump": [(2, ROLE_READ)]}
    assert one.outline(2, digest(2)) == b"outline 1"
    assert one.ids([digest(5)]) == {}
    with pytest.raises(Changed):
        other.postings(["Pump"])
    assert one.add([digest(50)], batch({"Hose": 1}), "key", "e", [[]]) == [40]  # no id is used twice


def test_trees_that_are_gone_are_dropped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A tree whose folder is no longer there does not keep its contents alive."""
    monkeypatch.setattr(store, "COLLECT_ABOVE", 1)
    one = filled(tmp_path)
    one.save_tree("gone", str(tmp_path / "nowhere"), TreeRow("g", b"", digest(1) + digest(2), [1, 2]), {})
    one.save_tree("key", str(tmp_path), TreeRow("e", b"", b"", []), {})
    assert one.tree("gone") is None


def test_scans_are_remembered_for_one_state_of_the_tree(tmp_path: Path) -> None:
    """A remembered scan counts only for the digest it was made for."""
    one = filled(tmp_path)
    one.save_scans("key", "d", {"Pump": [0, 1]})
    one.save_scans("key", "other", {"Valve": [0]})
    assert one.scans("key", "d", ["Pump", "Valve"]) == {"Pump": [0, 1]}
    assert one.scans("key", "other") == {}
    one.save_tree("key", str(tmp_path), TreeRow("e", b"", digest(1), [1]), {})
    assert one.scans("key", "e") == {}


@pytest.mark.parametrize("table", ["posting", "tree", "manifest"])
def test_a_flipped_bit_is_noticed(tmp_path: Path, table: str) -> None:
    """A value that is not what was written is damage, never an answer."""
    one = filled(tmp_path)
    one.close()
    column = {"posting": "posting SET data", "tree": "tree SET files"}
    with closing_database(one.path) as connection:
        target = column.get(table, "manifest SET data")
        name = target.rpartition(" ")[2]
        connection.execute(f"UPDATE {target} = CAST(substr({name}, 1, length({name}) - 1) || x'7f' AS BLOB)")
    again = opened(tmp_path, 1, quiet)

    def ask() -> None:
        again.tree("key")
        again.postings(["Pump"])

    with pytest.raises(Damaged):
        ask()


def test_a_lost_row_of_the_name_index_is_noticed(tmp_path: Path) -> None:
    """A bucket that must be there and is not is damage, not a word without files."""
    one = filled(tmp_path)
    with closing_database(one.path) as connection:
        connection.execute("DELETE FROM posting")
    with pytest.raises(Damaged):
        one.postings(["Pump"])


def test_another_version_is_another_file(tmp_path: Path) -> None:
    """Two versions of the extractor live side by side in one folder."""
    filled(tmp_path).close()
    assert opened(tmp_path, 2, quiet).tree("key") is None
    assert opened(tmp_path, 1, quiet).tree("key") is not None


def test_a_wrong_version_within_is_made_anew(tmp_path: Path) -> None:
    """A file whose version is not the one in its name is replaced, and that is said."""
    one = filled(tmp_path)
    one.close()
    with closing_database(one.path) as connection:
        connection.execute("PRAGMA user_version = 1")
    said: list[str] = []
    assert opened(tmp_path, 1, said.append).tree("key") is None
    assert len(said) == 1
    assert str(one.path) in said[0]


def test_old_versions_are_removed_after_a_while(tmp_path: Path) -> None:
    """When a new version makes its file, those of older versions that nobody wrote lately go."""
    paths = [filled(tmp_path).path, opened(tmp_path, 3, quiet).path]
    for path in paths:
        os.utime(path, (0, 0))
    opened(tmp_path, 2, quiet)
    assert [path.exists() for path in paths] == [False, True]


def test_the_folder_is_a_cache_for_its_owner(tmp_path: Path) -> None:
    """The cache folder is the owner's alone and tagged, so that backups leave it out."""
    opened(tmp_path / "deep" / "cache", 1, quiet)
    assert (tmp_path / "deep" / "cache").stat().st_mode & 0o777 == 0o700
    tag = (tmp_path / "deep" / "cache" / "CACHEDIR.TAG").read_bytes()
    assert tag.startswith(b"Signature: 8a477f597d28d172789f06886806bc55\n")


def test_clearing_removes_own_files_only(tmp_path: Path) -> None:
    """Files of anybody else survive `cache clear`."""
    filled(tmp_path).close()
    (tmp_path / "index-1.1.sqlite3-new4711").write_text("killed while it was made")
    others = ["notes.txt", "index-1.sqlite3", "index-1.1.sqlite3.bak", "index-a.b.sqlite3"]
    for name in others:
        (tmp_path / name).write_text("mine")
    assert clear(tmp_path) > 0
    assert own_files(tmp_path) == []
    assert sorted(os.listdir(tmp_path)) == sorted([*others, "CACHEDIR.TAG"])
    assert clear(tmp_path / "nowhere") == 0


def test_a_folder_in_the_place_of_the_file_is_an_error(tmp_path: Path) -> None:
    """A folder is never removed to make room; the error names the way out."""
    (tmp_path / "index-1.1.sqlite3").mkdir()
    with pytest.raises(CacheError) as caught:
        opened(tmp_path, 1, quiet)
    assert "CODEMAP_CACHE_DIR" in caught.value.hint
