"""Checking claims: one module for each group of kinds."""

# Modules of kinds are imported when a claim of theirs comes: a file of paths alone needs no engine's rules.
from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from codemap.claims.statements import (
    REFUTED,
    UNDECIDED,
    VERIFIED,
    Checked,
    Claim,
    Finding,
)
from codemap.errors import CodemapError

if TYPE_CHECKING:
    from codemap.claims.checking.context import Context
    from codemap.inference.engine import Engine

# kind -> module and function
_CHECKS: Final = {
    "path_exists": "files", "line_count": "files", "line_shows": "files",
    "symbol_exists": "symbols", "defined_in": "symbols", "symbol_kind": "symbols", "exported_from": "symbols",
    "resolves_to": "symbols", "flags": "symbols", "nested": "symbols",
    "imports": "importing", "import_kind": "importing", "import_cycle": "importing", "no_cycle": "importing",
    "external_dep": "importing",
    "subclass": "classes", "has_member": "classes", "field_of": "classes", "overrides": "classes",
    "abstract": "classes",
    "signature": "functions", "default_value": "functions", "annotation": "functions", "constant": "functions",
    "decorated": "functions",
    "returns": "bodies", "constructs": "bodies", "raises": "bodies", "conditional": "bodies",
    "calls": "calling", "not_calls": "calling", "only_callees": "calling", "call_path": "calling",
    "call_order": "calling",
    "reads": "accesses", "writes": "accesses",
    "registered": "registering",
    "callers_are": "sets.set_claim", "subclasses_are": "sets.set_claim", "writers_are": "sets.set_claim",
    "readers_are": "sets.set_claim", "enum_members": "sets.set_claim", "count": "sets.count",
}  # fmt: skip
_NEVER: Final = ("behaviour", "performance", "intent")

Open = Callable[[Any], "Engine"]  # a tree as a claim names it ("" for the one that is asked) -> its engine


class Checker:
    """Checks claims, each against its tree; a tree is opened once for all its claims."""

    def __init__(self, open_tree: Open) -> None:
        self._open = open_tree
        self._contexts: dict[str, Context] = {}
        self.failures: dict[str, CodemapError] = {}

    def context(self, tree: str) -> Context:
        """What checks of a tree share. Raises TreeError where it cannot be looked at."""
        if tree in self.failures:
            raise self.failures[tree]
        known = self._contexts.get(tree)
        if known is None:
            from codemap.claims.checking.context import Context

            try:
                known = self._contexts[tree] = Context(self._open(tree))
            except CodemapError as error:
                self.failures[tree] = error
                raise
        return known

    def check(self, claims: Iterable[Claim]) -> Iterator[Checked]:
        """The claims with their findings, in order."""
        for claim in claims:
            yield self.check_one(claim)

    def check_one(self, claim: Claim) -> Checked:
        """One claim with its finding."""
        if claim.kind in _NEVER:
            reason = f"what a tree says of {claim.kind} is not enough to decide it"
            return Checked(claim, Finding(UNDECIDED, claim.kind, reason), {})
        if claim.kind == "diff":
            return self._diff(claim)
        try:
            context = self.context(str(claim.tree or ""))
        except CodemapError as error:
            return Checked(claim, Finding(UNDECIDED, "no tree", error.message, suggestion=error.hint), {})
        finding = finding_of(context, claim)
        return Checked(claim, finding, coverage_of(context, finding))

    def _diff(self, claim: Claim) -> Checked:
        """The inner claim holds in the first tree and not in the second."""
        trees, inner = claim.args.get("trees"), claim.args.get("claim")
        if not isinstance(trees, list) or len(trees) != 2 or not isinstance(inner, dict):
            reason = "a diff needs args.trees, a list of two, and args.claim, a claim"
            return Checked(claim, Finding(UNDECIDED, "not understood", reason), {})
        from codemap.claims.loading import made

        wrong: list[tuple[int, str]] = []
        plain = made(inner, claim.line, claim.file, claim.id, "", claim.min_confidence, wrong, {})
        if wrong or plain.kind == "diff":
            reason = wrong[0][1] if wrong else "a diff within a diff"
            return Checked(claim, Finding(UNDECIDED, "not understood", reason), {})
        old, new = (self.check_one(plain._replace(tree=str(tree))) for tree in trees)
        first, second = old.finding, new.finding
        reason = (
            f"{trees[0]}: {first.verdict} ({first.reason}); {trees[1]}: {second.verdict} ({second.reason})"
        )
        evidence = (*first.evidence, *first.counter)
        more = (*second.evidence, *second.counter)
        coverage = {"trees": [old.coverage, new.coverage]}
        if first.verdict == VERIFIED and second.verdict == REFUTED:
            return Checked(claim, Finding(VERIFIED, "both trees", reason, evidence + more), coverage)
        if first.verdict == REFUTED or second.verdict == VERIFIED:
            return Checked(claim, Finding(REFUTED, "both trees", reason, (), evidence + more), coverage)
        return Checked(claim, Finding(UNDECIDED, "both trees", reason, evidence + more), coverage)


def finding_of(context: Context, claim: Claim) -> Finding:
    """The finding on a claim about one tree."""
    place = _CHECKS[claim.kind]
    module, _, name = place.partition(".")
    check = getattr(import_module(f"codemap.claims.checking.{module}"), name or claim.kind)
    finding: Finding = check(context, claim)
    return finding


def coverage_of(context: Context, finding: Finding) -> dict[str, Any]:
    """How much of the tree a finding rests on."""
    tree = context.index.tree
    return {
        "tree": tree.name,
        "version": tree.version,
        "files": len(context.index.files),
        "parse_errors": len(context.broken_files),
        "unresolved": [site._asdict() for site in finding.open[:12]],
        "unresolved_count": len(finding.open),
    }


__all__ = ["Checker", "coverage_of", "finding_of"]
