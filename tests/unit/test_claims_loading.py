"""Claims files: what is read, and what is told of the rest."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema

from codemap.claims.checking import _CHECKS, _NEVER
from codemap.claims.kinds import COUNTED, KINDS, SET_KINDS
from codemap.claims.lifting import lift_text
from codemap.claims.loading import parse_claims

DOCS = Path(__file__).parents[2] / "docs"
SCHEMA = json.loads((DOCS / "claims.schema.json").read_text("utf-8"))


def test_every_kind_has_a_check_a_row_and_its_place_in_the_schema() -> None:
    """What is published is what is there."""
    assert set(KINDS) == {*_CHECKS, *_NEVER, "diff"}
    assert {*KINDS, "unused"} == set(SCHEMA["$defs"]["claim"]["properties"]["kind"]["enum"])
    text = (DOCS / "claims.md").read_text("utf-8")
    assert [name for name in KINDS if f"| `{name}` |" not in text] == []
    assert set(SET_KINDS) <= {*COUNTED.values()}


def test_json_and_yaml_say_the_same() -> None:
    """Values keep their types; what is quoted is text."""
    rows = [
        {"id": "a", "kind": "constant", "subject": "pkg.N", "object": value}
        for value in (1, "1", True, 1.5, [1, "x"])
    ]
    jsonschema.Draft202012Validator(SCHEMA).validate({"claims": rows})
    found = parse_claims(json.dumps({"claims": rows}), "c.json")
    assert [claim.object for claim in found.claims] == [row["object"] for row in rows]
    plain = parse_claims(
        '- {kind: constant, subject: N, object: "1"}\n- {kind: constant, subject: N, object: 1}\n', "c.yaml"
    )
    assert [claim.object for claim in plain.claims] == ["1", 1]


def test_a_tree_at_the_head_is_that_of_every_claim_but_those_that_pin_one() -> None:
    """The version is part of the claim."""
    found = parse_claims(
        "tree: 'pypi:a==1'\nclaims:\n- {kind: symbol_exists, subject: X}\n"
        "- {kind: symbol_exists, subject: X, tree: 'pypi:a==2'}\n",
        "c.yaml",
    )
    assert [(claim.tree, claim.line) for claim in found.claims] == [("pypi:a==1", 3), ("pypi:a==2", 4)]


def test_hedged_and_denied_statements_are_not_lifted() -> None:
    """Between the names nothing may stand that a pattern does not know."""
    text = (
        "`Worker` is probably defined in `core.py`.\n`Worker` is not defined in `core.py`.\n"
        "`Worker` might call `helper`.\n"
    )
    found = lift_text(text, "r.md")
    assert {claim.kind for claim in found.claims} <= {"symbol_exists", "path_exists"}
    assert [row.line for row in found.not_understood] == [1, 2, 3]


def test_a_statement_over_two_lines_belongs_to_the_line_of_its_first_name() -> None:
    """Paragraphs are read whole."""
    found = lift_text("Here is much text, and then\n`Worker` is defined\nin `core.py`.\n", "r.md")
    assert [(claim.kind, claim.line) for claim in found.claims] == [("defined_in", 2)]
