# The way of a file that the interpreter refuses: rewrite what is newer than its grammar; if that is not enough, recover.
from __future__ import annotations

import ast
from typing import Final

from codemap.model.facts import ParseError
from codemap.source.decoding import Decoded
from codemap.source.lines import logical_lines
from codemap.source.mending import TreeMender
from codemap.source.positions import SourceText
from codemap.source.recovery import read_module, recover
from codemap.source.rewriting import Rewriter

_NULLS: Final = 20  # null bytes reported one by one


def read(decoded: Decoded) -> tuple[ast.Module, list[ParseError]]:
    """The tree of a text in the newest grammar or of what is good of it, and what is wrong."""
    errors = list(decoded.errors)
    text = decoded.text
    if "\0" in text:
        errors += _nulls(text)
        text = text.replace("\0", " ")
    source = SourceText(text)
    lines = logical_lines(source)
    rewriter = Rewriter(source)
    rewritten = rewriter.whole(lines)
    module = _whole(rewritten) if rewritten != text or errors else None
    if module is None:
        module, bad = recover(source, lines, rewritten)
        errors += bad
    mender = TreeMender(source, rewriter)
    mender.module(module)
    return module, errors + mender.errors


def _whole(text: str) -> ast.Module | None:
    try:
        return read_module(text)
    except SyntaxError:
        return None


def _nulls(text: str) -> list[ParseError]:
    """An error for each null character, up to some number."""
    source = SourceText(text)
    errors: list[ParseError] = []
    at = text.find("\0")
    while at >= 0 and len(errors) < _NULLS:
        errors.append(ParseError(*source.character_place(at), "source code cannot contain null bytes"))
        at = text.find("\0", at + 1)
    return errors
