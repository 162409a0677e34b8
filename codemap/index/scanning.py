# Looking for identifiers in bytes that were never parsed: the first question about a large tree must not wait
# for an index. Every answer here is a superset of what the facts would say; false hits cost an extraction,
# a miss would be a wrong answer. Hence the care for what bytes hide from a plain search: identifiers that
# Python normalises (PEP 3131, NFKC) and encodings declared by a cookie (PEP 263).
#
# Patterns begin with a literal because `re` finds a literal prefix ten times faster than `\b(?:class|def)`.
from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable

from codemap.model.facts import STAR_WORD

# Encodings in which an ASCII byte is that ASCII character; files in any other one are decoded first.
_ASCII_ALIKE = frozenset(
    {"utf-8", "utf-8-sig", "iso-8859-1", "iso-8859-15", "ascii", "us-ascii", "cp1252", "windows-1252"}
)
_LETTERS = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_")
_WORD = rb"([A-Za-z_\x80-\xff][A-Za-z0-9_\x80-\xff]*)"
# Not plain \s: "class" also ends "dataclass", whose line end must not be taken for the gap.
_GAP = rb"(?:[ \t\f]|\\\r?\n|\\\r)+"


def normal(word: str) -> str:
    """The identifier as Python sees it (PEP 3131)."""
    if word.isascii():
        return word
    import unicodedata

    return unicodedata.normalize("NFKC", word)


def haystack(source: bytes) -> bytes:
    """The bytes in which the identifiers of a file can be searched as UTF-8."""
    if source.isascii():
        second = source.find(b"\n", source.find(b"\n") + 1)
        if b"coding" not in (source[:second] if second > 0 else source):
            return source
    from codemap.source.decoding import decode, encoding_of

    encoding = encoding_of(source)
    if source.isascii() and encoding.lower() in _ASCII_ALIKE:
        return source
    import unicodedata

    text, _, errors = decode(source)
    utf8 = encoding.startswith("utf-8") and not errors
    if utf8 and unicodedata.is_normalized("NFKC", text):
        return source
    both = unicodedata.normalize("NFKC", text) if utf8 else text + "\n" + unicodedata.normalize("NFKC", text)
    return source + b"\n" + both.encode("utf-8", "surrogatepass")


# Behind a word that is looked for as a base of classes, as what something else is named after, as an attribute
# that is stored into or deleted.
AS_BASE = "\0base"
AS_RENAMED = "\0renamed"
AS_STORED = "\0stored"


class Needle:
    """One word to look for, as a whole identifier; `STAR_WORD` looks for star imports, a word with `AS_BASE` (or
    another such mark) behind it for what such a word does."""

    __slots__ = ("_bytes", "within")

    def __init__(self, word: str) -> None:
        plain, mark, kind = word.partition("\0")
        self._bytes = normal(plain).encode("utf-8", "surrogatepass")
        self.within: Callable[[bytes], bool] = self._has_word
        """Whether the file of a haystack may bear the word."""
        if word == STAR_WORD:
            self.within = _has_star_import
        elif mark:
            looks = {AS_BASE: _is_base, AS_RENAMED: _is_renamed, AS_STORED: _is_stored}[mark + kind]
            self.within = lambda hay: self._has_word(hay) and looks(hay, self._bytes)

    def _has_word(self, hay: bytes) -> bool:
        # Not a pattern: behind a look-behind `re` does not search for the literal, and takes thirty times as long.
        word = self._bytes
        at = hay.find(word)
        while at >= 0:
            end = at + len(word)
            if (not at or hay[at - 1] not in _LETTERS) and (end == len(hay) or hay[end] not in _LETTERS):
                return True
            at = hay.find(word, at + 1)
        return False


def _is_base(hay: bytes, word: bytes) -> bool:
    """Whether a class statement may have the word among its bases."""
    return re.search(_HEADER + re.escape(word) + rb"(?!\w)", hay) is not None


def _is_renamed(hay: bytes, word: bytes) -> bool:
    """Whether something may be named after the word: `import word as other`, `other = word`, in one of its branches."""
    name = re.escape(word)
    pattern = re.compile(rb"(?<!\w)" + name + rb"[\s\\]+as(?!\w)|" + _BEFORE + name + _AFTER)
    return any(not _in_comment(hay, hay.find(word, match.start())) for match in pattern.finditer(hay))


def _in_comment(hay: bytes, at: int) -> bool:
    """Whether a place is surely in a comment: a # before it on its line, and no quotation mark before that."""
    start = max(hay.rfind(b"\n", 0, at), hay.rfind(b"\r", 0, at)) + 1
    sign = hay.find(b"#", start, at)
    if sign < 0:
        return False
    return hay.find(b'"', start, sign) < 0 and hay.find(b"'", start, sign) < 0


def _is_stored(hay: bytes, word: bytes) -> bool:
    """Whether `x.word` may be a target: of an assignment (in a tuple too), an annotation, a loop, `with`, `del`."""
    at = hay.find(word)
    while at >= 0:
        end = at + len(word)
        if hay[at - 1 : at] in b".\\ \t\r\n" and _DOTTED.search(hay, max(0, at - 40), at) is not None:
            found = _TARGET.match(hay, end)
            if found is not None and (found[1] is None or not _is_argument(hay, at)):
                return True
            if _DELETED.search(hay, max(0, at - 400), at) is not None:
                return True
        at = hay.find(word, at + 1)
    return False


def _is_argument(hay: bytes, at: int) -> bool:
    """Whether a place is within the brackets of a call or a subscript: looked for backwards to the statement's start."""
    depth = 0
    for _ in range(60):
        start = hay.rfind(b"\n", 0, at) + 1
        line = hay[start:at]
        if b"#" in line and b'"' not in line and b"'" not in line:
            line = line[: line.index(b"#")]
        for place in range(len(line) - 1, -1, -1):
            if line[place] in b")]}":
                depth += 1
            elif line[place] in b"([{":
                depth -= 1
                if depth < 0:
                    before = line[:place].rstrip()
                    if line[place] == 123 or (before and (before[-1] in _LETTERS or before[-1] in b")]")):
                        return True
                    depth = 0  # a bracket of its own: a tuple, perhaps of targets
        above = hay[hay.rfind(b"\n", 0, max(start - 1, 0)) + 1 : max(start - 1, 0)].rstrip()
        if start == 0 or (
            not depth and above[-1:] not in (b",", b"(", b"[", b"{", b"\\") and b"#" not in above
        ):
            return False
        at = start - 1
    return False


_DOTTED = re.compile(rb"\.(?:[\s\\]|#[^\n]*\n)*\Z")
_TARGET = re.compile(
    rb"(?!\w)[\s\\]*(?:#[^\n]*\s*)*(?:(?:[-+*/%@&|^]|//|\*\*|<<|>>)?=(?!=)|:|in\b"
    rb"|([,)\]])[\s\w.,*()\[\]'\"\\]*(?:=(?!=)|\bin\b|:))"
)
_DELETED = re.compile(rb"\bdel\b[^\n;]*(?:\([^;=]*)?\Z")
_HEADER = rb"class[ \t\f\\\r\n]+\w+(?:(?!:[ \t]*(?:#[^\n]*)?\r?\n)[\s\S])*?(?<!\w)"
_BEFORE = rb"(?:=|\(|,|\bor|\band|\belse|\bif)[\s\\]*(?:#[^\n]*\n\s*)*(?:[\w)]+\s*\.\s*)*"
_AFTER = rb"(?!\w)\s*(?:[\n\r),#;\\]|\Z|if\b|or\b|and\b|else\b)"


def _has_star_import(hay: bytes) -> bool:
    return _patterns()[2].search(hay) is not None


@functools.cache
def _patterns() -> tuple[re.Pattern[bytes], re.Pattern[bytes], re.Pattern[bytes]]:
    return (
        re.compile(rb"class" + _GAP + _WORD),
        re.compile(rb"def" + _GAP + _WORD),
        re.compile(rb"import[ \t\f\\\r\n]*\*"),
    )


def defined_words(hays: Iterable[bytes], classes_only: bool = False) -> set[str]:
    """Names that stand behind `class` (and `def`) in haystacks, those in strings and comments included."""
    classes, functions, _ = _patterns()
    found: set[bytes] = set()
    for hay in hays:
        found.update(classes.findall(hay))
        if not classes_only:
            found.update(functions.findall(hay))
    return {normal(word.decode("utf-8", "replace")) for word in found}
