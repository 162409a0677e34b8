# SARIF 2.1.0 (OASIS, 2020). A claim's own line is the place of its result, because that is what is to be put right;
# the lines of the tree are related places, under a base that names the tree's root.
from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Any, Final
from urllib.parse import quote

SCHEMA: Final = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_LEVELS: Final = {"refuted": "error", "undecided": "warning", "ambiguous": "warning", "verified": "none"}
_KINDS: Final = {"refuted": "fail", "undecided": "fail", "ambiguous": "fail", "verified": "pass"}


def to_sarif(
    results: Sequence[Mapping[str, Any]],
    problems: Sequence[Mapping[str, Any]],
    root: str,
    version: str,
    states: Mapping[str, str],
) -> str:
    """Checked claims as one SARIF log. `states` says of each kind of claim what it states."""
    import json

    kinds = sorted({result["kind"] for result in results})
    rules: list[dict[str, Any]] = [
        {"id": kind, "shortDescription": {"text": f"A claim that {states.get(kind, kind)}"}} for kind in kinds
    ]
    if problems:
        rules.append({"id": "claims-file", "shortDescription": {"text": "A claims file can be read"}})
    places = {rule["id"]: place for place, rule in enumerate(rules)}
    rows = [_problem(problem, places["claims-file"]) for problem in problems]
    rows += [_result(result, places[result["kind"]]) for result in results]
    base = PurePath(root).as_uri() + "/" if PurePath(root).is_absolute() else ""
    run: dict[str, Any] = {
        "tool": {"driver": {"name": "codemap", "semanticVersion": version, "rules": rules}},
        "columnKind": "unicodeCodePoints",
        "results": rows,
    }
    if base:
        run["originalUriBaseIds"] = {"TREE": {"uri": base}}
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(log, indent=1, sort_keys=True) + "\n"


def _result(result: Mapping[str, Any], place: int) -> dict[str, Any]:
    hint = f" ({result['suggestion']})" if result.get("suggestion") else ""
    row: dict[str, Any] = {
        "ruleId": result["kind"],
        "ruleIndex": place,
        "kind": _KINDS[result["verdict"]],
        "level": _LEVELS[result["verdict"]],
        "message": {"text": f"{result['verdict']}: {result['text']}: {result['reason']}{hint}"},
        "locations": [_location(result["source"]["file"], result["source"]["line"])],
        "partialFingerprints": {"claim/v1": f"{result['kind']}:{result['id']}:{result['text']}"},
        "properties": {"verdict": result["verdict"], "rule": result["rule"]},
    }
    related = [
        {
            **_location(line["file"], line["line"], "TREE"),
            "id": number,
            "message": {"text": line["text"] or " "},
        }
        for number, line in enumerate([*result["counter_evidence"], *result["evidence"]], 1)
        if line["file"]
    ]
    if related:
        row["relatedLocations"] = related
    if result.get("accepted"):
        row["suppressions"] = [{"kind": "external", "justification": "in the baseline"}]
    return row


def _problem(problem: Mapping[str, Any], place: int) -> dict[str, Any]:
    return {
        "ruleId": "claims-file",
        "ruleIndex": place,
        "level": "error",
        "message": {"text": problem["message"]},
        "locations": [_location(problem["file"], problem["line"])],
    }


def _location(file: str, line: int, base: str = "") -> dict[str, Any]:
    path = PurePath(file)
    artifact: dict[str, Any] = {
        "uri": path.as_uri()
        if path.is_absolute()
        else quote(path.as_posix().encode("utf-8", "surrogateescape"))
    }
    if base:
        artifact["uriBaseId"] = base
    return {"physicalLocation": {"artifactLocation": artifact, "region": {"startLine": max(line, 1)}}}
