"""From the bytes of a source file to its text, as Python itself would read it (PEP 263), and how many lines it has."""

# Undecodable bytes, an unknown coding cookie, null bytes and UTF-16 are errors for Python; here they are errors with a
# place, and the text is still given (with U+FFFD for what cannot be decoded), so that recovery has something to read.
from __future__ import annotations

import re
from typing import Final, NamedTuple

from codemap.model.facts import ParseError

_BOM: Final = b"\xef\xbb\xbf"
_WIDE_BOMS: Final = (
    (b"\xff\xfe\x00\x00", "utf-32-le"),
    (b"\x00\x00\xfe\xff", "utf-32-be"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
)
# A cookie stands in a comment of the first or the second line; the second counts only when the first is blank or a comment.
_COOKIE: Final = re.compile(rb"[ \t\f]*#[^\r\n]*?coding[:=][ \t]*([-\w.]+)")
_BLANK: Final = re.compile(rb"[ \t\f]*(?:#[^\r\n]*)?(?:\r\n|\r|\n)")
_LINE_END: Final = re.compile(r"\r\n|\r|\n")


class Decoded(NamedTuple):
    """The text of a file without its BOM, the codec's name, and what was wrong with the bytes."""

    text: str
    encoding: str
    errors: tuple[ParseError, ...] = ()


def count_lines(source: bytes) -> int:
    """The number of lines as Python counts them.

    `\\n`, `\\r\\n` and `\\r` end a line, nothing else does (no form feed, no U+2028); a last line without an end
    counts, and an empty file has none.
    """
    if source.startswith(_BOM):
        source = source[3:]
    elif source.startswith((b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff")):
        source = decode(source).text.encode("utf-8", "surrogatepass")
    if not source:
        return 0
    ends = source.count(b"\n")
    if b"\r" in source:
        ends += source.count(b"\r") - source.count(b"\r\n")
    return ends if source.endswith((b"\n", b"\r")) else ends + 1


def split_lines(text: str) -> list[str]:
    """The lines without their ends, as Python splits them; the part after the last line end is a line too."""
    return _LINE_END.split(text)


def cookie(source: bytes) -> tuple[str, int] | None:
    """The encoding that a coding cookie names and the line it is on, or None."""
    start = 3 if source.startswith(_BOM) else 0
    for line in (1, 2):
        match = _COOKIE.match(source, start)
        if match is not None:
            return match[1].decode("latin-1"), line
        blank = _BLANK.match(source, start)
        if blank is None:
            return None
        start = blank.end()
    return None


def encoding_of(source: bytes) -> str:
    """The name of the encoding that Python would read these bytes in."""
    for bom, codec in _WIDE_BOMS:
        if source.startswith(bom):
            return codec
    if source.startswith(_BOM):
        return "utf-8-sig"
    found = cookie(source)
    return normal_name(found[0]) if found is not None else "utf-8"


def normal_name(encoding: str) -> str:
    """One spelling for the encodings that have several, by the rules of CPython's tokenizer."""
    name = encoding[:12].lower().replace("_", "-")
    if name == "utf-8" or name.startswith("utf-8-"):
        return "utf-8"
    if name in ("latin-1", "iso-8859-1", "iso-latin-1") or name.startswith(
        ("latin-1-", "iso-8859-1-", "iso-latin-1-")
    ):
        return "iso-8859-1"
    return encoding


def decode(source: bytes) -> Decoded:
    """The text of the bytes; never raises. With errors, what could not be decoded is U+FFFD in the text."""
    for bom, codec in _WIDE_BOMS:
        if source.startswith(bom):
            text = source[len(bom) :].decode(codec, "replace")
            return Decoded(
                text, codec, (ParseError(1, 0, f"{codec[:6]} text is not readable as Python source"),)
            )
    encoding = encoding_of(source)
    body = source[3:] if encoding == "utf-8-sig" else source
    codec = "utf-8" if encoding == "utf-8-sig" else encoding
    errors: tuple[ParseError, ...] = ()
    found = cookie(source)
    if found is not None and encoding == "utf-8-sig" and normal_name(found[0]) != "utf-8":
        errors = (ParseError(found[1], 0, f"encoding problem: {found[0]} with BOM"),)
    try:
        return Decoded(body.decode(codec), encoding, errors)
    except UnicodeDecodeError as error:
        return Decoded(_replaced(body, codec), encoding, (*errors, _undecodable(error, body, codec)))
    except Exception:  # an unknown codec, one that is no text encoding, a codec with a fault of its own
        line = found[1] if found is not None else 1
        return Decoded(
            _replaced(body, "utf-8"),
            encoding,
            (*errors, ParseError(line, 0, f"unknown encoding: {encoding}")),
        )


def _replaced(body: bytes, codec: str) -> str:
    try:
        return body.decode(codec, "replace")
    except Exception:  # a codec may know no "replace"
        return body.decode("utf-8", "replace")


def _undecodable(error: UnicodeDecodeError, body: bytes, codec: str) -> ParseError:
    before = _replaced(body[: error.start], codec)
    lines = split_lines(before)
    byte = body[error.start : error.start + 1]
    return ParseError(
        len(lines), len(lines[-1]), f"'{codec}' codec can't decode byte 0x{byte.hex()}: {error.reason}"
    )
