# From bytes to what the store keeps. One function for every way of running it (in the question's own process,
# in worker processes, in somebody's executor), so that a cold answer and a warm one rest on the same facts.
from __future__ import annotations

import gc
import re
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from codemap.index.postings import pack
from codemap.model.facts import ROLE_CLASS, ROLE_DEFINE, FileFacts, ParseError


class Extracted(NamedTuple):
    """The facts of one file, encoded."""

    outline: bytes
    body: bytes
    lines: int
    errors: int
    recovered: bool


class Batch(NamedTuple):
    """The facts of some files and their postings as one segment."""

    files: list[Extracted]
    buckets: list[tuple[int, bytes]]


_WORD = re.compile(rb"[A-Za-z_\x80-\xff][A-Za-z0-9_\x80-\xff]*")
_SOME_ROLE = 0xFFFF & ~(ROLE_DEFINE | ROLE_CLASS)


def extract(sources: Sequence[bytes], done: Callable[[], None] | None = None) -> Batch:
    """The facts of some files, encoded, and their postings; `done` is called after each file.

    A file on which the extractor itself fails has a parse error that says so, and bears all its words.
    """
    from codemap.semantic.encoding import encode_body, encode_outline
    from codemap.semantic.facts import read_rows

    files: list[Extracted] = []
    words: list[dict[str, int]] = []
    collecting = gc.isenabled()
    gc.disable()  # syntax trees have no cycles; the collector would walk them all and take half the time
    try:
        for source in sources:
            try:
                facts = read_rows(source)
            except RecursionError:
                facts = unreadable(source, "too deeply nested to be read")
            except Exception as error:  # a fault of ours must not take other files' answers away
                facts = unreadable(source, f"codemap cannot read this file: {type(error).__name__}: {error}")
            outline = facts.outline
            files.append(
                Extracted(
                    encode_outline(outline),
                    encode_body(facts.body),
                    outline.lines,
                    len(outline.errors),
                    outline.recovered,
                )
            )
            words.append(possible_words(source, facts.words) if outline.recovered else facts.words)
            if done is not None:
                done()
    finally:
        if collecting:
            gc.enable()
    return Batch(files, pack(words))


def unreadable(source: bytes, reason: str) -> FileFacts:
    """The facts of a file that cannot be read: one error, and all its words in every role."""
    from codemap.semantic.facts import read_facts
    from codemap.source.decoding import count_lines, encoding_of

    facts = read_facts(b"")
    outline = facts.outline._replace(
        lines=count_lines(source),
        encoding=encoding_of(source),
        recovered=True,
        errors=(ParseError(1, 0, reason),),
    )
    return facts._replace(outline=outline, words=possible_words(source, {}))


def possible_words(source: bytes, words: Mapping[str, int]) -> dict[str, int]:
    """The words of a file of which something was lost: what is lost may bear any word of its bytes, in any role.

    So a question about the word looks at the file, and says that it could not be read whole.
    """
    from codemap.index.scanning import defined_words, haystack, normal

    hay = haystack(source)
    possible = {normal(word.decode("utf-8", "replace")): _SOME_ROLE for word in _WORD.findall(hay)}
    for word in defined_words([hay]):
        possible[word] = _SOME_ROLE | ROLE_DEFINE
    for word in defined_words([hay], classes_only=True):
        possible[word] |= ROLE_CLASS
    for word, roles in words.items():
        possible[word] = possible.get(word, 0) | roles
    return dict(sorted(possible.items()))


def given_up(source: bytes, reason: str) -> Batch:
    """The batch of one file that no process survived."""
    from codemap.semantic.encoding import encode_body, encode_outline

    facts = unreadable(source, reason)
    outline = facts.outline
    file = Extracted(encode_outline(outline), encode_body(facts.body), outline.lines, 1, True)
    return Batch([file], pack([facts.words]))
