# Keeps the facts of one tree fresh, and no fresher than questions need.
#
# A warm question costs: one listing, one comparison of it with the recorded one, one lookup in the name index for
# each word, one row for each outline. A cold question about a large tree reads every file once (to know its digest,
# and because the words are looked for in the same bytes), extracts the files that bear the word and stores those.
#
# Files are known by their number in the listing; contents by their id in the store (0: not extracted).
from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple, Self, TypeVar

from codemap.errors import CacheError, NoSuchModule, TreeError
from codemap.index.progress import Progress, Silent
from codemap.index.store import (
    UNREADABLE,
    Changed,
    Damaged,
    Store,
    TreeRow,
    listing_text,
)
from codemap.model.answers import TreeSummary
from codemap.model.facts import (
    ROLE_BASE,
    ROLE_CLASS,
    ROLE_DEFINE,
    ROLE_RENAME,
    ROLE_STORE,
    STAR_WORD,
    Body,
    FileFacts,
    Outline,
)
from codemap.semantic.encoding import decode_body, decode_outline
from codemap.semantic.version import EXTRACTOR_VERSION

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from codemap.index.extraction import Batch
    from codemap.index.freshness import State
    from codemap.index.workers import Child, Chunk
    from codemap.source.modules import ModuleMap
    from codemap.source.trees import Skipped, Tree

ALL: Final = 0xFFFF  # every role
SMALL_TREE: Final = 4 << 20  # bytes of source that are indexed wholly at the first question
BYTES_KEPT: Final = 96 << 20  # bytes of source that a question keeps in memory for its next word
FEW_BYTES: Final = 768 << 10  # less is extracted in this process: starting others takes longer
WORTH_SHARING: Final = 64 << 10  # bytes of source of which a helper takes one half
TOGETHER: Final = 48  # files that a question named and that are extracted as soon as one is asked for
SCAN_WORTH_KEEPING: Final = 1 << 20  # bytes of source that were looked through

R = TypeVar("R")


class IndexStatus(NamedTuple):
    """What the index knows of the whole tree: files with their lines, parse errors as (file, line, message)."""

    files: tuple[tuple[str, int], ...]
    parse_errors: tuple[tuple[str, int, str], ...]
    skipped: tuple[Skipped, ...]
    extensions: tuple[str, ...]
    source_bytes: int
    index_bytes: int
    index_path: Path


def open_index(
    tree: Tree,
    *,
    cache: Path,
    jobs: int | None = None,
    progress: Progress | None = None,
    executor: Executor | None = None,
    say: Callable[[str], None] | None = None,
) -> Index:
    """The index of a tree, fresh as of now; what is not there yet is extracted when a question needs it.

    `jobs` is the number of worker processes (default: one for each processor), `executor` does their work instead
    where given. `say` is told one line when a damaged cache is made anew (default: it goes to standard error).
    Raises CacheError when the cache folder cannot be used or the disk is full.
    """
    return Index(tree, cache, jobs, progress or Silent(), executor, say or _to_standard_error)


def _to_standard_error(line: str) -> None:
    sys.stderr.write(f"codemap: {line}\n")


class Index:
    """Facts about the files of one tree. Use it from one thread."""

    def __init__(
        self,
        tree: Tree,
        cache: Path,
        jobs: int | None,
        progress: Progress,
        executor: Executor | None,
        say: Callable[[str], None],
    ) -> None:
        self.tree = tree
        self._jobs = jobs
        self._progress = progress
        self._executor = executor
        self._root = str(tree.root)
        self._asked: dict[
            int, bool
        ] = {}  # files whose outline was asked for -> whether they have parse errors
        self._scanned: dict[str, list[int]] = {}  # word -> files not extracted at the time that may bear it
        self._hays: dict[int, bytes] = {}
        self._kept = 0
        self._expected: set[int] = set()  # what the last question named and is not extracted yet
        self._helper: Child | None = None
        self._numbers: dict[str, int] = {}
        self._owner: dict[int, int] = {}  # content id -> the last file that has it; `_twins` -> the others
        self._twins: dict[int, list[int]] = {}
        self._paths: tuple[str, ...] = ()
        self._row = TreeRow("", b"", b"", [])
        self._store = Store(cache, EXTRACTOR_VERSION, say)
        try:
            self._look()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Closes the cache file."""
        if self._helper is not None:
            self._helper.close()
            self._helper = None
        self._store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # --- the tree as it is now -------------------------------------------------------------------------

    @property
    def modules(self) -> ModuleMap:
        """Modules and the files they are."""
        return self.tree.modules

    def _look(self) -> None:
        """Compares the tree with the record and reads what changed."""
        listed_at = time.time_ns()
        listing = self.tree.listing()
        entries = listing.files
        text = listing_text(entries)
        self._paths = tuple([entry.path for entry in entries])
        self._sizes = [entry.size for entry in entries]
        self._small = sum(self._sizes) <= SMALL_TREE
        self._listing = listing
        self._sources: dict[int, bytes] = {}
        self._failed: dict[int, str] = {}
        row = self._retried(lambda: self._store.tree(self.tree.key))
        if row is not None and row.listing == text and len(row.contents) == len(entries):
            self._row = row
        else:
            if row is None:
                self._call_for_help()
            from codemap.index.freshness import current_state

            state = current_state(
                entries,
                text,
                listed_at,
                row,
                self.tree.read,
                lambda path: os.path.join(self._root, path),
                BYTES_KEPT,
            )
            self._failed = state.failed
            self._sources = state.read
            self._record(state, row)
        self.digest = self._row.digest
        if self._failed:
            self.files = tuple(
                [path for number, path in enumerate(self._paths) if number not in self._failed]
            )
        else:
            self.files = self._paths

    def _call_for_help(self) -> None:
        """Starts a worker that will be ready for the first question's files when all files have been read."""
        if not self._small and self._executor is None and self._processes() > 1:
            from codemap.index.workers import Child

            self._helper = Child()

    def _processes(self) -> int:
        if self._jobs is None:
            from codemap.index.workers import usable_processors

            self._jobs = usable_processors()
        return self._jobs

    def _record(self, state: State, row: TreeRow | None) -> None:
        """Stores what is now known of the tree."""
        contents = [0] * len(self._paths)
        scans: dict[str, list[int]] = {}
        if row is not None:
            for number, at in state.before.items():
                contents[number] = row.contents[at]
            scans = self._carried_scans(state, row)
        self._row = TreeRow(state.digest, state.listing, state.digests, contents)
        self._retried(self._fill_contents)
        if row is not None and (row.listing, row.digests) == (state.listing, state.digests):
            return  # only files that were changed a moment ago
        self._retried(lambda: self._store.save_tree(self.tree.key, self._root, self._row, scans))

    def _carried_scans(self, state: State, row: TreeRow) -> dict[str, list[int]]:
        """What earlier scans found, brought up to the changed files; nothing when too much has changed."""
        changed = [number for number in range(len(self._paths)) if number not in state.before]
        if len(changed) > 64 or any(
            number not in self._sources for number in changed if number not in self._failed
        ):
            return {}
        old = self._retried(lambda: self._store.scans(self.tree.key, row.digest))
        if not old:
            return {}
        from codemap.index.scanning import Needle

        now_at = {at: number for number, at in state.before.items()}
        carried = {}
        for word, numbers in old.items():
            needle = Needle(word)
            kept = [now_at[at] for at in numbers if at in now_at]
            kept += [
                number
                for number in changed
                if number not in self._failed and needle.within(self._hay(number))
            ]
            carried[word] = sorted(kept)
        return carried

    def _fill_contents(self) -> None:
        """Asks the store for the contents that are not known to be there."""
        missing = [number for number, content in enumerate(self._row.contents) if not content]
        found = self._store.ids({self._digest_of(number) for number in missing} - {UNREADABLE})
        for number in missing:
            self._row.contents[number] = found.get(self._digest_of(number), 0)
        self._owner = {}

    def _retried(self, action: Callable[[], R]) -> R:
        """Does something with the store, and once more after a damaged or changed cache was put right."""
        for _ in range(4):
            try:
                return action()
            except (Damaged, Changed) as trouble:
                problem = trouble
            try:
                if isinstance(problem, Damaged):
                    self._store.rebuild(str(problem))
                if self._row.listing:
                    self._row.contents = [0] * len(self._paths)
                    self._scanned = {}
                    self._fill_contents()
                    self._store.save_tree(self.tree.key, self._root, self._row, {})
            except (Damaged, Changed):
                continue
        raise CacheError(
            f"the cache {self._store.path} is damaged again and again: {problem}", "run `codemap cache clear`"
        )

    # --- bytes -----------------------------------------------------------------------------------------

    def _digest_of(self, number: int) -> bytes:
        return self._row.digests[32 * number : 32 * number + 32]

    def _number_of(self, path: str) -> int:
        if not self._numbers:
            self._numbers = {path: number for number, path in enumerate(self._paths)}
        number = self._numbers.get(path)
        if number is None:
            raise NoSuchModule(f"no file {path} in {self.tree.name}")
        return number

    def source(self, path: str) -> bytes:
        """The bytes of a file."""
        number = self._number_of(path)
        return self._sources[number] if number in self._sources else self.tree.read(path)

    def _hay(self, number: int) -> bytes:
        hay = self._hays.get(number)
        if hay is None:
            from codemap.index.scanning import haystack

            source = self._load(number)
            if source is None:
                return b""
            hay = haystack(source)
            self._kept += len(source)
            if self._kept <= BYTES_KEPT:
                self._hays[number] = hay
        return hay

    # --- words -----------------------------------------------------------------------------------------

    def mentioning(self, *words: str, roles: int = ALL, together: bool = True) -> tuple[str, ...]:
        """The files that may bear one of the words, as an identifier, in one of the roles; sorted.

        `STAR_WORD` stands for star imports. Files that are not extracted yet are looked through as bytes, where
        roles cannot be told apart: the answer may name too many files, never too few. `together` says that all of
        them will be asked for: the first that is asked for has the others extracted along with it.
        """
        if self._small:
            self.complete()
        asked = sorted({self._normal(word) for word in words})
        numbers = self._retried(lambda: self._bearing(asked, roles))
        if 0 in self._row.contents:
            expected = {number for number in numbers if not self._row.contents[number]}
            self._expected = expected if together and len(expected) <= TOGETHER else set()
        paths = self._paths
        return tuple([paths[number] for number in sorted(numbers)])

    def hold(self) -> None:
        """Indexes the whole tree and keeps the name index in memory, for work that asks for thousands of words."""
        self.complete()
        self._retried(self._store.hold)

    @staticmethod
    def _normal(word: str) -> str:
        if word.isascii():
            return word
        from codemap.index.scanning import normal

        return normal(word)

    def _bearing(self, words: Sequence[str], roles: int) -> set[int]:
        numbers: set[int] = set()
        contents = self._row.contents
        unread = [number for number, content in enumerate(contents) if not content] if 0 in contents else []
        if len(unread) < len(contents):
            owner, twins = self._find_owners()
            for entries in self._store.postings(words).values():
                for content, has in entries:
                    if has & roles and content in owner:
                        numbers.add(owner[content])
                        numbers.update(twins.get(content, ()))
        unread = [number for number in unread if number not in self._failed]
        if unread:
            narrowed = self._narrowed(words, roles)
            if narrowed is not words:
                bearing = {one for found in self._scan(words, unread).values() for one in found}
                unread = [number for number in unread if number in bearing]
            for found in self._scan(narrowed, unread).values():
                numbers.update([number for number in found if not contents[number]])
        return numbers

    @staticmethod
    def _narrowed(words: Sequence[str], roles: int) -> Sequence[str]:
        """What to look for in bytes, where some roles can be told from others."""
        if roles & ALL & ~(ROLE_BASE | ROLE_RENAME | ROLE_STORE):
            return words
        from codemap.index.scanning import AS_BASE, AS_RENAMED, AS_STORED

        told = ((AS_BASE, ROLE_BASE), (AS_RENAMED, ROLE_RENAME), (AS_STORED, ROLE_STORE))
        marks = [mark for mark, role in told if roles & role]
        return [word if word == STAR_WORD else word + mark for word in words for mark in marks]

    def _find_owners(self) -> tuple[dict[int, int], dict[int, list[int]]]:
        if not self._owner:
            contents = self._row.contents
            self._owner = dict(zip(contents, range(len(contents)), strict=True))
            self._twins = {}
            if len(self._owner) < len(contents):
                for number, content in enumerate(contents):
                    if self._owner[content] != number:
                        self._twins.setdefault(content, []).append(number)
            self._owner.pop(0, None)
        return self._owner, self._twins

    def _scan(self, words: Sequence[str], unread: Sequence[int]) -> dict[str, list[int]]:
        """The files, among those not extracted, in whose bytes each word stands; remembered."""
        missing = [word for word in words if word not in self._scanned]
        if missing:
            self._scanned.update(self._store.scans(self.tree.key, self.digest, missing))
            missing = [word for word in missing if word not in self._scanned]
        if missing:
            from codemap.index.scanning import Needle

            found: dict[str, list[int]] = {word: [] for word in missing}
            narrowed = any("\0" in word for word in missing)
            if (
                STAR_WORD not in self._scanned and not narrowed
            ):  # will be asked next, and now the bytes are at hand
                found[STAR_WORD] = []
            needles = [(Needle(word).within, places) for word, places in found.items()]
            for number in unread:
                hay = self._hay(number)
                for within, places in needles:
                    if within(hay):
                        places.append(number)
            self._scanned.update(found)
            if narrowed or sum([self._sizes[number] for number in unread]) > SCAN_WORTH_KEEPING:
                self._store.save_scans(self.tree.key, self.digest, found)
        return {word: self._scanned[word] for word in words}

    def words(self, roles: int) -> set[str]:
        """Words that files of the tree bear in one of the roles.

        For files that are not extracted yet: the names behind `class` and `def` in their bytes.
        """
        if self._small:
            self.complete()
        return self._retried(lambda: self._words(roles))

    def _words(self, roles: int) -> set[str]:
        found = self._store.words(roles, set(self._row.contents) - {0})
        unread = self._unread()
        if unread and roles & (ROLE_CLASS | ROLE_DEFINE):
            from codemap.index.scanning import defined_words

            found |= defined_words(map(self._hay, unread), classes_only=not roles & ROLE_DEFINE)
        return found

    # --- facts -----------------------------------------------------------------------------------------

    def outline(self, path: str) -> Outline:
        """The outline of a file; it is extracted and stored if it is not there yet."""
        number = self._number_of(path)
        outline = self._fact(number, lambda facts: facts.outline, self._store.outline, decode_outline)
        self._asked[number] = bool(outline.errors)
        return outline

    def body(self, path: str) -> Body:
        """The body of a file; it is extracted and stored if it is not there yet."""
        return self._fact(self._number_of(path), lambda facts: facts.body, self._store.body, decode_body)

    # --- facts of what is no file of the tree ------------------------------------------------------------

    def outline_of(self, source: bytes) -> Outline:
        """The outline of some bytes, kept in the cache like that of a file of the tree."""
        return self._beside(source, self._store.outline, decode_outline)

    def body_of(self, source: bytes) -> Body:
        """The body of some bytes, kept in the cache like that of a file of the tree."""
        return self._beside(source, self._store.body, decode_body)

    def _beside(self, source: bytes, load: Callable[[int, bytes], bytes], decode: Callable[[bytes], R]) -> R:
        from hashlib import sha256

        digest = sha256(source).digest()

        def once() -> R:
            content = self._store.ids({digest}).get(digest, 0)
            if not content:
                from codemap.index.extraction import extract

                [content] = self._store.add([digest], extract([source]), "", "", [[]])
            try:
                return decode(load(content, digest))
            except ValueError as error:
                raise Damaged("the facts of a stub cannot be decoded") from error

        return self._retried(once)

    def outlines(self, paths: Iterable[str]) -> Iterator[tuple[str, Outline]]:
        """The outlines of files in the order given; those not there yet are extracted together first."""
        wanted = list(paths)
        numbers = [self._number_of(path) for path in wanted]
        if not all(self._row.contents[number] for number in numbers):
            self._retried(lambda: self._extract(numbers))
        for path in wanted:
            yield path, self.outline(path)

    def _fact(
        self,
        number: int,
        part: Callable[[FileFacts], R],
        load: Callable[[int, bytes], bytes],
        decode: Callable[[bytes], R],
    ) -> R:
        def once() -> R:
            if not self._row.contents[number]:
                self._extract(self._expected if number in self._expected else [number])
            if number in self._failed:
                from codemap.index.extraction import unreadable

                return part(unreadable(b"", f"cannot be read: {self._failed[number]}"))
            try:
                return decode(load(self._row.contents[number], self._digest_of(number)))
            except ValueError as error:
                raise Damaged(f"the facts of {self._paths[number]} cannot be decoded") from error

        return self._retried(once)

    def _unread(self) -> list[int]:
        return [
            number
            for number, content in enumerate(self._row.contents)
            if not content and number not in self._failed
        ]

    def complete(self) -> None:
        """Extracts every file that is not there yet, with workers and progress when there is much to do."""
        if 0 in self._row.contents:
            self._retried(lambda: self._extract(self._unread()))

    def _extract(self, numbers: Iterable[int]) -> None:
        """Extracts and stores the facts of those files that are not there yet."""
        groups: dict[bytes, list[int]] = {}  # files of equal bytes are extracted once
        for number in sorted(set(numbers)):
            if not self._row.contents[number] and number not in self._failed:
                groups.setdefault(self._digest_of(number), []).append(number)
        if not groups:
            return
        sizes = [(group[0], self._sizes[group[0]]) for group in groups.values()]
        total = sum([size for _, size in sizes])
        if total <= FEW_BYTES and self._executor is None:
            for chunk in self._chunks([[number for number, _ in sizes]]):
                for done, batch in self._extract_here(chunk):
                    self._add(done, batch, groups)
            return
        from contextlib import closing

        from codemap.index.workers import Pool, plan, run_on_executor

        jobs = self._processes()
        chunks = self._chunks(plan(sizes, jobs))
        self._progress.start(len(sizes))
        try:
            if self._executor is not None:
                work = run_on_executor(self._executor, jobs, chunks, self._progress.advance)
            else:
                helper, self._helper = self._helper, None
                work = Pool(min(jobs, 1 + total // FEW_BYTES), helper).run(chunks, self._progress.advance)
            with closing(work):
                for done, batch in work:
                    self._add(done, batch, groups)
        finally:
            self._progress.finish()
        self._store.checkpoint()

    def _extract_here(self, chunk: Chunk) -> Iterator[tuple[list[int], Batch]]:
        """Extracts a few files in this process, one half of them in the helper where there is one."""
        from codemap.index.extraction import extract

        numbers, sources = chunk
        if self._helper is not None and sum([len(source) for source in sources]) > WORTH_SHARING:
            from codemap.index.workers import halves

            mine, other = halves(chunk)
            waiting = self._helper.start(other.sources)
            yield mine.numbers, extract(mine.sources)
            batch = waiting()
            numbers, sources = other
            if batch is not None:
                yield numbers, batch
                return
            self._helper.close()
            self._helper = None
        yield numbers, extract(sources)

    def _chunks(self, plan: Iterable[Sequence[int]]) -> Iterator[Chunk]:
        """The chunks of a plan with the bytes of their files, which are not kept here any longer."""
        from codemap.index.workers import Chunk

        for planned in plan:
            loaded = [(number, source) for number in planned if (source := self._load(number)) is not None]
            for number, _ in loaded:
                self._sources.pop(number, None)
                self._hays.pop(number, None)
            if loaded:
                yield Chunk([number for number, _ in loaded], [source for _, source in loaded])

    def _load(self, number: int) -> bytes | None:
        """The bytes of a file with the digest that is noted for them, None when they cannot be read any more."""
        source = self._sources.get(number)
        if source is not None:
            return source
        try:
            source = self.tree.read(self._paths[number])
        except (OSError, TreeError) as error:
            self._failed[number] = getattr(error, "strerror", None) or str(error)
            return None
        from hashlib import sha256

        digest = sha256(source).digest()
        if digest != self._digest_of(number):  # it was changed after we looked: go on with what it is now
            digests = self._row.digests[: 32 * number] + digest + self._row.digests[32 * number + 32 :]
            from codemap.index.freshness import whole_digest

            self.digest = whole_digest(self._paths, digests)
            self._row = TreeRow(self.digest, self._row.listing, digests, self._row.contents)
            self._scanned = {}
        return source

    def _add(self, numbers: Sequence[int], batch: Batch, groups: dict[bytes, list[int]]) -> None:
        """Stores a batch and notes its content ids."""
        digests = [self._digest_of(number) for number in numbers]
        places = [groups.get(digest, [number]) for number, digest in zip(numbers, digests, strict=True)]
        contents = self._store.add(digests, batch, self.tree.key, self.digest, places)
        for content, owners in zip(contents, places, strict=True):
            for owner in owners:
                self._row.contents[owner] = content
        self._owner = {}

    # --- summaries -------------------------------------------------------------------------------------

    def summary(self) -> TreeSummary:
        """The tree, and the number of files with parse errors among those that the answers rest on.

        These are all files of a small tree, and of a larger one those whose outline was asked for.
        """
        if self._small:
            self.complete()
            broken = self._retried(self._store.with_errors)
            errors = len([content for content in self._row.contents if content in broken])
        else:
            errors = sum(self._asked.values())
        return TreeSummary(
            self.tree.name, self.tree.version, self._root, self.digest, len(self.files), errors
        )

    def status(self) -> IndexStatus:
        """Lines, parse errors and sizes of the whole tree, which is completed first."""
        self.complete()
        numbers = [number for number in range(len(self._paths)) if number not in self._failed]
        counts = self._retried(lambda: self._store.counts([self._row.contents[number] for number in numbers]))
        errors = [
            (self._paths[number], error.line, error.message)
            for number, (_, broken) in zip(numbers, counts, strict=True)
            if broken
            for error in self.outline(self._paths[number]).errors
        ]
        return IndexStatus(
            files=tuple(
                [(self._paths[number], lines) for number, (lines, _) in zip(numbers, counts, strict=True)]
            ),
            parse_errors=tuple(errors),
            skipped=self.skipped,
            extensions=self._listing.extensions,
            source_bytes=sum([self._sizes[number] for number in numbers]),
            index_bytes=self._store.size(),
            index_path=self._store.path,
        )

    @property
    def skipped(self) -> tuple[Skipped, ...]:
        """Files that are left out, and why, sorted."""
        if not self._failed:
            return self._listing.skipped
        from codemap.source.trees import Skipped

        failed = [
            Skipped(self._paths[number], f"cannot be read: {why}") for number, why in self._failed.items()
        ]
        return tuple(sorted([*self._listing.skipped, *failed]))
