# Extraction in other processes.
#
# Plain child processes with pipes, not multiprocessing: nothing has to be importable as __main__ (a script
# without a guard that uses codemap as a library would start itself again), nothing forks a process that may
# have threads, and a child that dies is an end of file on its pipe, not a broken pool. A child runs isolated
# (-I -S) with our sys.path, so that a module in the current folder, which may be the very tree that is looked at,
# is never imported by accident. It sees bytes, never paths, and ends when its input does.
#
# A message is a length and a marshalled value. A child says READY, then answers a chunk of files by DONE after each
# file (progress, and the place where it died, if it does) and the batch.
#
# Chunks get smaller towards the end, so that the children finish together.
from __future__ import annotations

import contextlib
import marshal
import os
import sys
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from typing import IO, TYPE_CHECKING, Any, Final, NamedTuple

from codemap.index.extraction import Batch, Extracted, extract, given_up

if TYPE_CHECKING:
    from concurrent.futures import Executor
    from subprocess import Popen

CHUNK_LARGEST: Final = 4 << 20  # bytes of source
CHUNK_SMALLEST: Final = 128 << 10
READY: Final = True
DONE: Final = False
START_LIMIT: Final = 60.0  # seconds that a child may take until it is ready
FILE_LIMIT: Final = 120.0  # seconds that a child may spend on one file before it is given up


class Chunk(NamedTuple):
    """Files that are extracted together: a number for each, which comes back, and its bytes."""

    numbers: list[int]
    sources: list[bytes]


def usable_processors() -> int:
    """The number of processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def plan(sizes: Sequence[tuple[int, int]], jobs: int) -> list[list[int]]:
    """Cuts files, given as (number, size), into chunks: large ones first, then smaller ones."""
    remaining = sum([size for _, size in sizes])
    chunks: list[list[int]] = []
    chunk: list[int] = []
    filled = 0
    target = 0
    for number, size in sizes:
        if not chunk:
            target = min(max(remaining // (2 * jobs), CHUNK_SMALLEST), CHUNK_LARGEST)
        chunk.append(number)
        filled += size
        remaining -= size
        if filled >= target:
            chunks.append(chunk)
            chunk, filled = [], 0
    if chunk:
        chunks.append(chunk)
    return chunks


def halves(chunk: Chunk) -> tuple[Chunk, Chunk]:
    """Two chunks of about the same size."""
    parts: tuple[Chunk, Chunk] = (Chunk([], []), Chunk([], []))
    sizes = [0, 0]
    for number, source in sorted(zip(*chunk, strict=True), key=lambda one: len(one[1]), reverse=True):
        smaller = 0 if sizes[0] <= sizes[1] else 1
        parts[smaller].numbers.append(number)
        parts[smaller].sources.append(source)
        sizes[smaller] += len(source)
    return parts


# --- in the child ----------------------------------------------------------------------------------------


def serve() -> None:
    """Answers chunks from standard input until it ends, or until nobody listens."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent is told, and closes our input
    source, sink = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever prints must not get into the answers

    def done() -> None:
        _send(sink, DONE)

    with contextlib.suppress(BrokenPipeError):
        _send(sink, READY)
        while (sources := _receive(source)) is not None:
            batch = extract(sources, done)
            _send(sink, ([tuple(file) for file in batch.files], batch.buckets))
    os._exit(0)  # nothing to flush; tearing down a heap of syntax trees takes time


def _send(sink: IO[bytes], value: Any) -> None:
    data = marshal.dumps(value)
    sink.write(len(data).to_bytes(8, "little"))
    sink.write(data)
    sink.flush()


def _receive(source: IO[bytes]) -> Any:
    """The next value, None at the end of the input."""
    head = source.read(8)
    if len(head) < 8:
        return None
    size = int.from_bytes(head, "little")
    data = source.read(size)
    return marshal.loads(data) if len(data) == size else None


# --- in the parent ---------------------------------------------------------------------------------------

_START: Final = "import sys; sys.path[:] = sys.argv[1:]; from codemap.index.workers import serve; serve()"


class _CannotStart(Exception):
    """A child ended before it said that it is ready: no fault of any file."""


class Child:
    """One worker process, started at once."""

    def __init__(self) -> None:
        from subprocess import PIPE, Popen

        package = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
        path = [entry for entry in sys.path if entry and entry != package]
        flags = ["-I", "-S", *(["-B"] if sys.dont_write_bytecode else [])]
        try:
            self._process: Popen[bytes] | None = Popen(
                [sys.executable, *flags, "-c", _START, *path, package], stdin=PIPE, stdout=PIPE
            )
        except (OSError, TypeError):  # no such program, no memory; sys.executable is None when embedded
            self._process = None
        self._ready = False
        self.deadline = float("inf")  # when the main thread may kill it

    def run(self, sources: list[bytes], ticked: Callable[[], None]) -> Batch | int:
        """The batch of some files or, when the child died of it, the number of files that it finished."""
        from time import monotonic

        process = self._process
        if process is None or process.stdin is None or process.stdout is None:
            raise _CannotStart
        self.deadline = monotonic() + START_LIMIT
        finished = 0
        try:
            if not self._ready:
                if _receive(process.stdout) is not READY:
                    raise _CannotStart
                self._ready = True
            self.deadline = monotonic() + FILE_LIMIT
            _send(process.stdin, sources)
            while True:
                value = _receive(process.stdout)
                if value is None:
                    return finished
                if value is not DONE:
                    return Batch([Extracted(*file) for file in value[0]], value[1])
                finished += 1
                self.deadline = monotonic() + FILE_LIMIT
                ticked()
        except (OSError, EOFError, ValueError, TypeError):  # it died in the middle of a message
            if not self._ready:
                raise _CannotStart from None
            return finished
        finally:
            self.deadline = float("inf")

    def start(self, sources: list[bytes]) -> Callable[[], Batch | None]:
        """Begins with some files; what is returned waits for their batch, None when the child could not do it."""
        from threading import Thread

        outcome: list[Batch | int] = []

        def work() -> None:
            with contextlib.suppress(_CannotStart):
                outcome.append(self.run(sources, lambda: None))

        thread = Thread(target=work, daemon=True)
        thread.start()

        def wait() -> Batch | None:
            thread.join(FILE_LIMIT)
            if thread.is_alive():
                self.kill()
                thread.join()
            return outcome[0] if outcome and isinstance(outcome[0], Batch) else None

        return wait

    def kill(self) -> None:
        """Ends the process, whatever it does."""
        if self._process is not None:
            self._process.kill()

    def close(self) -> None:
        """Ends the process and waits for it."""
        process = self._process
        if process is None:
            return
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            try:
                if pipe is not None:
                    pipe.close()
            except OSError:
                pass


class Pool:
    """Worker processes, started at once, so that they are ready when the files have been read."""

    def __init__(self, jobs: int, ready: Child | None = None) -> None:
        """`ready` is a child that was started before, if there is one."""
        self._children = [*([ready] if ready else []), *[Child() for _ in range(jobs - (1 if ready else 0))]]
        self._stopped = False

    def run(
        self, chunks: Iterator[Chunk], advance: Callable[[int], None]
    ) -> Generator[tuple[list[int], Batch], None, None]:
        """The numbers and the batch of every chunk, in the order in which they get done.

        Chunks are taken from the iterator as workers need them. A file that kills its worker is tried once more
        alone, then given up. When no worker can be started the work is done here.
        """
        from queue import Empty, SimpleQueue
        from threading import Thread
        from time import monotonic

        todo: SimpleQueue[Chunk | None] = SimpleQueue()
        events: SimpleQueue[tuple[str, Any]] = SimpleQueue()
        threads = [
            Thread(target=self._work, args=(number, todo, events), daemon=True)
            for number in range(len(self._children))
        ]
        for thread in threads:
            thread.start()
        working, waiting = len(threads), 0
        watched, pause = monotonic(), FILE_LIMIT / 20

        def hand_out() -> int:
            chunk = next(chunks, None)
            todo.put(chunk)
            return 0 if chunk is None else 1

        try:
            for _ in range(2 * len(threads)):  # one in work and one waiting for each
                waiting += hand_out()
            while waiting and working:
                if monotonic() > watched + pause:
                    watched = monotonic()
                    for child in self._children:
                        if watched > child.deadline:
                            child.kill()
                try:
                    kind, value = events.get(timeout=pause)
                except Empty:
                    continue
                if kind == "files":
                    advance(value)
                elif kind == "batch":
                    yield value
                elif kind == "chunk":
                    waiting += hand_out() - 1
                elif kind == "away":
                    working -= 1
            if waiting:  # no worker is left, nobody else reads `todo`
                yield from self._here(todo, chunks, advance)
        finally:
            self._stopped = True
            for _ in threads:
                todo.put(None)
            while any(thread.is_alive() for thread in threads):
                for child in self._children:  # a thread may just have replaced one
                    child.kill()
                for thread in threads:
                    thread.join(0.05)
            for child in self._children:
                child.close()

    @staticmethod
    def _here(
        todo: Any, chunks: Iterator[Chunk], advance: Callable[[int], None]
    ) -> Iterator[tuple[list[int], Batch]]:
        """Does what the workers left: nothing, unless none could be started."""

        while True:
            chunk = next(chunks, None) if todo.empty() else todo.get()
            if chunk is not None:
                yield chunk.numbers, extract(chunk.sources)
                advance(len(chunk.numbers))
            elif todo.empty():
                return

    def _work(self, number: int, todo: Any, events: Any) -> None:
        """The thread of one child: hands it chunks and replaces it when it dies."""
        while True:
            chunk = todo.get()
            if chunk is None or self._stopped:
                break
            try:
                self._run_chunk(number, chunk, events)
            except _CannotStart:
                todo.put(chunk)
                break
            events.put(("chunk", None))
        events.put(("away", None))

    def _run_chunk(self, number: int, chunk: Chunk, events: Any) -> None:
        pieces: deque[tuple[Chunk, bool]] = deque([(chunk, False)])
        while pieces:
            piece, alone = pieces.popleft()
            outcome = self._children[number].run(piece.sources, lambda: events.put(("files", 1)))
            if isinstance(outcome, Batch):
                events.put(("batch", (piece.numbers, outcome)))
                continue
            if self._stopped:
                return
            self._children[number].close()
            self._children[number] = Child()
            events.put(("files", -outcome))
            if alone:
                reason = "reading this file killed the process that did it, or took too long"
                events.put(("batch", (piece.numbers, given_up(piece.sources[0], reason))))
                events.put(("files", 1))
                continue
            parts = [
                (piece.numbers[:outcome], piece.sources[:outcome], False),
                (piece.numbers[outcome : outcome + 1], piece.sources[outcome : outcome + 1], True),
                (piece.numbers[outcome + 1 :], piece.sources[outcome + 1 :], False),
            ]
            pieces.extendleft(
                reversed([(Chunk(names, files), single) for names, files, single in parts if names])
            )


def run_on_executor(
    executor: Executor, jobs: int, chunks: Iterator[Chunk], advance: Callable[[int], None]
) -> Generator[tuple[list[int], Batch], None, None]:
    """The same on an executor of `concurrent.futures`, whose workers can import codemap."""
    from concurrent.futures import FIRST_COMPLETED, Future, wait

    running: dict[Future[Batch], list[int]] = {}
    try:
        while True:
            while len(running) < 2 * jobs and (chunk := next(chunks, None)) is not None:
                running[executor.submit(extract, chunk.sources)] = chunk.numbers
            if not running:
                return
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                numbers = running.pop(future)
                yield numbers, future.result()
                advance(len(numbers))
    finally:
        for future in running:
            future.cancel()
