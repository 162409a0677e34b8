# The text of a definition's header, cut from the source only for the results that are shown. A small scanner and
# not `tokenize`: a header is a few lines, and the file may be of a newer grammar or broken elsewhere.
from __future__ import annotations

_OPEN, _CLOSE = "([{", ")]}"
LONGEST = 2000  # characters of a header that are looked at; a default value may be a whole table


def source_lines(source: bytes, encoding: str) -> list[str]:
    """The lines of a file as Python counts them, without their ends."""
    if encoding in ("", "utf-8", "utf-8-sig"):
        text = source.decode("utf-8", "replace").removeprefix("\ufeff")
    else:  # a codec may be unknown, or have a fault of its own: as the parser reads such a file
        from codemap.source.decoding import decode

        text = decode(source).text.removeprefix("\ufeff")
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def header_text(lines: list[str], line: int, column: int = 0, parameter: bool = False) -> tuple[str, int]:
    """The header of a compound statement, or a simple statement, from a line and column on, and its last line.

    A header ends at its colon, a simple statement with its line, a parameter at its comma. White space and comments are normalised, text
    beyond LONGEST characters is left out and said with "...".
    """
    text = "\n".join(lines[line - 1 : line + 400])[column:]
    compound = text.lstrip().startswith(("class ", "def ", "async ", "class\\", "def\\", "async\\"))
    ends = "\n:" if compound else ",\n" if parameter else "\n;"
    pieces: list[str] = []
    depth = position = 0
    while position < len(text) and position < LONGEST:
        character = text[position]
        if character in "\"'":
            end = _string_end(text, position, _is_raw(text, position))
            pieces.append(text[position:end])
            position = end
            continue
        if character == "#":
            position = _end_of_line(text, position)
            continue
        if character == "\\" and text[position + 1 : position + 2] == "\n":
            pieces.append(" ")
            position += 2
            continue
        if character in _OPEN:
            depth += 1
        elif character in _CLOSE:
            depth -= 1
            if depth < 0:
                break
        elif depth <= 0 and character in ends:
            break
        pieces.append(character)
        position += 1
    cut = "..." if position >= LONGEST else ""
    return _normalised(pieces, compound) + cut, line + text.count("\n", 0, position)


def _normalised(pieces: list[str], compound: bool) -> str:
    """One line: white space outside strings becomes one blank, and none at the inner edges of brackets.

    The comma behind the last parameter or base goes with the line break behind it; that of a tuple stays.
    """
    kept: list[str] = []
    depth = 0
    for piece in pieces:
        if piece.isspace():
            if kept and kept[-1] != " " and kept[-1] not in _OPEN:
                kept.append(" ")
            continue
        if piece in _OPEN:
            depth += 1
        elif piece in _CLOSE:
            depth -= 1
            if kept and kept[-1] == " ":
                kept.pop()
                if compound and depth == 0 and kept[-1] == ",":
                    kept.pop()
        kept.append(piece)
    return "".join(kept).strip()


def _end_of_line(text: str, position: int) -> int:
    end = text.find("\n", position)
    return len(text) if end < 0 else end


def _is_raw(text: str, position: int) -> bool:
    """Whether the letters before a quote make it a raw string."""
    start = position
    while start > 0 and position - start < 2 and text[start - 1].isalpha():
        start -= 1
    return "r" in text[start:position].lower()


def _string_end(text: str, position: int, raw: bool) -> int:
    """The position behind the string literal that starts here."""
    quote = text[position : position + 3]
    quote = quote if quote in ('"""', "'''") else text[position]
    position += len(quote)
    while position < len(text) and not text.startswith(quote, position):
        if text[position] == "\n" and len(quote) == 1:
            return position
        position += 2 if text[position] == "\\" else 1
    return min(position + len(quote), len(text))
