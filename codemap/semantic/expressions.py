# The table of expressions: what a row of `Body.expressions` means. The resolution engine lives from it, so it
# is flat (ids instead of nesting, no recursion to read it) and post-ordered: the operands of a row, and every
# expression that runs before it, have smaller ids. The subtree of an operand is therefore a run of ids that
# ends at the operand.
#
# A row is `(op, line, column, *operands)`. Operand letters in LAYOUT, one a place:
#   e  expression id (-1: none)      E  tuple of expression ids
#   s  scope id                      i  plain integer
#   n  name (text)                   N  tuple of names
#   v  a constant's value
#
# op                 operands                                 position, remarks
# NAME               name                                     a name that is read
# ATTRIBUTE          object, name                             the attribute's own token
# STORE_ATTRIBUTE    object, name, value                      `o.name = value`, token; value -1 for a bare `o.name: T`
# DELETE_ATTRIBUTE   object, name                             `del o.name`
# CALL               function, positional, names, values      names "**" for `**kw`; positional may hold STARRED;
#                                                             position of the callee's own token where it has one
# KEYWORD            value, name                              a keyword argument (of a class statement too) at its own
#                                                             token. It follows its value directly: that of keyword i
#                                                             of a CALL is row values[i] + 1
# SUBSCRIPT          object, index                            the bracketed expression's start
# STORE_SUBSCRIPT    object, index, value                     `o[i] = value` (value as for STORE_ATTRIBUTE)
# DELETE_SUBSCRIPT   object, index
# SLICE              lower, upper, step                       -1 where left out
# CONSTANT           type name, value                         "str" "int" "float" "complex" "bytes" "bool" "NoneType"
#                                                             "ellipsis"; value kept for str up to 200 characters,
#                                                             int of at most 64 bits and bool, else None
# TUPLE, LIST, SET   elements                                 may hold STARRED
# DICT               keys, values                             key -1 for `**other`
# LAMBDA             scope, body
# COMPREHENSION      kind, scope, iterables, elements         kind "list" "set" "dict" "generator"; iterables are
#                                                             ITERATE ids; a dict's elements are key and value;
#                                                             one DICT/STARRED element for `{**d for ..}`, `[*x for ..]`
# BINARY             operator, left, right                    "+", "@", "|" ...; "+=" ... where augmented
# UNARY              operator, operand                        "-", "+", "~", "not"
# BOOLEAN            operator, operands                       "and", "or"
# COMPARE            operators, left, comparators             operators is one text, blanks between: "< is-not"
# CONDITIONAL        test, then, otherwise                    ids in the order in which they run: test first
# AWAIT              operand
# YIELD              operand                                  -1 for a bare `yield`; the value is what send() gives
# YIELD_FROM         operand
# STARRED            operand
# FSTRING            parts                                    CONSTANT and FORMATTED
# TSTRING            parts                                    PEP 750
# FORMATTED          operand, conversion, specification       conversion "", "s", "r", "a"
# WALRUS             value, name                              its binding stands in the bindings too
# STRING_ANNOTATION  inner                                    an annotation within quotes, parsed; -1: unreadable
# UNKNOWN            operands                                 an expression of a grammar newer than this program
#
# What flows without being written (position of the expression that causes it):
# ITERATE            iterable, asynchronous                   an element, by iter() and next() (aiter(), anext())
# ELEMENT            object, index                            by destructuring; index negative from the end
# REST               object, from, to                         the list of `*rest`; to: 0 or negative, as in a slice
# ENTER              manager, asynchronous                    what __enter__ gives; every `with` item has one
# CAUGHT             type, group                              the exception of `except T as e`; group 1: `except*`;
#                                                             emitted for every handler that names a type
# MATCH_VALUE        subject, value                           the subject where it equals (or is) the value
# MATCH_CLASS        subject, class, positional, names        the subject where it is an instance; count, keywords
# MATCH_POSITIONAL   match, index                             attribute that __match_args__ names
# MATCH_ATTRIBUTE    match, name                              `Class(name=...)`: a read of the attribute, its token
# MATCH_SEQUENCE     subject, before, star, after             star 1 where there is a `*`; ELEMENT, REST read from it
# MATCH_MAPPING      subject, keys
# MATCH_ITEM         match, key                               value of a key of a mapping pattern
# MATCH_REST         match                                    the dict of `**rest`
# MATCH_OR           subject, alternatives
from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

NAME: Final = 0
ATTRIBUTE: Final = 1
STORE_ATTRIBUTE: Final = 2
DELETE_ATTRIBUTE: Final = 3
CALL: Final = 4
SUBSCRIPT: Final = 5
STORE_SUBSCRIPT: Final = 6
DELETE_SUBSCRIPT: Final = 7
SLICE: Final = 8
CONSTANT: Final = 9
TUPLE: Final = 10
LIST: Final = 11
SET: Final = 12
DICT: Final = 13
LAMBDA: Final = 14
COMPREHENSION: Final = 15
BINARY: Final = 16
UNARY: Final = 17
BOOLEAN: Final = 18
COMPARE: Final = 19
CONDITIONAL: Final = 20
AWAIT: Final = 21
YIELD: Final = 22
YIELD_FROM: Final = 23
STARRED: Final = 24
FSTRING: Final = 25
TSTRING: Final = 26
FORMATTED: Final = 27
WALRUS: Final = 28
STRING_ANNOTATION: Final = 29
UNKNOWN: Final = 30
ITERATE: Final = 31
ELEMENT: Final = 32
REST: Final = 33
ENTER: Final = 34
CAUGHT: Final = 35
MATCH_VALUE: Final = 36
MATCH_CLASS: Final = 37
MATCH_POSITIONAL: Final = 38
MATCH_ATTRIBUTE: Final = 39
MATCH_SEQUENCE: Final = 40
MATCH_MAPPING: Final = 41
MATCH_ITEM: Final = 42
MATCH_REST: Final = 43
MATCH_OR: Final = 44
KEYWORD: Final = 45

# Operand letters of each op, by number; see the head of this module.
LAYOUT: Final[tuple[str, ...]] = (
    "n",  # NAME
    "en",  # ATTRIBUTE
    "ene",  # STORE_ATTRIBUTE
    "en",  # DELETE_ATTRIBUTE
    "eENE",  # CALL
    "ee",  # SUBSCRIPT
    "eee",  # STORE_SUBSCRIPT
    "ee",  # DELETE_SUBSCRIPT
    "eee",  # SLICE
    "nv",  # CONSTANT
    "E",  # TUPLE
    "E",  # LIST
    "E",  # SET
    "EE",  # DICT
    "se",  # LAMBDA
    "nsEE",  # COMPREHENSION
    "nee",  # BINARY
    "ne",  # UNARY
    "nE",  # BOOLEAN
    "neE",  # COMPARE
    "eee",  # CONDITIONAL
    "e",  # AWAIT
    "e",  # YIELD
    "e",  # YIELD_FROM
    "e",  # STARRED
    "E",  # FSTRING
    "E",  # TSTRING
    "ene",  # FORMATTED
    "en",  # WALRUS
    "e",  # STRING_ANNOTATION
    "E",  # UNKNOWN
    "ei",  # ITERATE
    "ei",  # ELEMENT
    "eii",  # REST
    "ei",  # ENTER
    "ei",  # CAUGHT
    "ee",  # MATCH_VALUE
    "eeiN",  # MATCH_CLASS
    "ei",  # MATCH_POSITIONAL
    "en",  # MATCH_ATTRIBUTE
    "eiii",  # MATCH_SEQUENCE
    "eE",  # MATCH_MAPPING
    "ee",  # MATCH_ITEM
    "e",  # MATCH_REST
    "eE",  # MATCH_OR
    "en",  # KEYWORD
)

OP_NAMES: Final[tuple[str, ...]] = (
    "NAME", "ATTRIBUTE", "STORE_ATTRIBUTE", "DELETE_ATTRIBUTE", "CALL", "SUBSCRIPT", "STORE_SUBSCRIPT",
    "DELETE_SUBSCRIPT", "SLICE", "CONSTANT", "TUPLE", "LIST", "SET", "DICT", "LAMBDA", "COMPREHENSION", "BINARY",
    "UNARY", "BOOLEAN", "COMPARE", "CONDITIONAL", "AWAIT", "YIELD", "YIELD_FROM", "STARRED", "FSTRING", "TSTRING",
    "FORMATTED", "WALRUS", "STRING_ANNOTATION", "UNKNOWN", "ITERATE", "ELEMENT", "REST", "ENTER", "CAUGHT",
    "MATCH_VALUE", "MATCH_CLASS", "MATCH_POSITIONAL", "MATCH_ATTRIBUTE", "MATCH_SEQUENCE", "MATCH_MAPPING",
    "MATCH_ITEM", "MATCH_REST", "MATCH_OR", "KEYWORD",
)  # fmt: skip

# A string constant longer than this has no value in its row: no name of anything is that long.
LONGEST_STRING: Final = 200

# where in a row the single ids and the tuples of ids stand
_SINGLE: Final = tuple(tuple(3 + i for i, letter in enumerate(text) if letter == "e") for text in LAYOUT)
_SEVERAL: Final = tuple(tuple(3 + i for i, letter in enumerate(text) if letter == "E") for text in LAYOUT)


def children(row: tuple[Any, ...]) -> list[int]:
    """The ids of the expressions that a row has as operands, in the order of the table, without -1."""
    op = row[0]
    found: list[int] = [row[place] for place in _SINGLE[op] if row[place] != -1]
    for place in _SEVERAL[op]:
        found += [child for child in row[place] if child != -1]
    return found


def parents(rows: Sequence[tuple[Any, ...]]) -> list[int]:
    """For each expression the first that has it as an operand, -1 where none has; KEYWORD, which only names the value
    for the call that has both, does not count."""
    found = [-1] * len(rows)
    for number, row in enumerate(rows):
        op = row[0]
        if op == KEYWORD:
            continue
        for place in _SINGLE[op]:
            child = row[place]
            if child != -1 and found[child] == -1:
                found[child] = number
        for place in _SEVERAL[op]:
            for child in row[place]:
                if child != -1 and found[child] == -1:
                    found[child] = number
    return found
