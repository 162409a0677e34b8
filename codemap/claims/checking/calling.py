# Kinds about calls, on the edges that `callers`, `callees` and `path` tell.
from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from codemap.claims.checking.context import (
    Context,
    ambiguous,
    counted,
    ends_with,
    last_part,
    listed,
    looks_like_path,
    refuted,
    undecided,
    verified,
)
from codemap.claims.statements import Claim, Finding, Line
from codemap.inference.edges import IMPLICIT, Edge, edges_at
from codemap.inference.hierarchy import aliases
from codemap.inference.values import CERTAIN, CLASS, EXTERNAL, FUNCTION, LIKELY
from codemap.model import facts
from codemap.model.answers import CONFIDENCES, POSSIBLE, UnresolvedSite
from codemap.queries.calls import _seen_through, edges_from, expressions_of, unresolved_from
from codemap.queries.paths import path as path_of
from codemap.queries.sites import is_special
from codemap.queries.targets import Target, name_of, targets_of
from codemap.resolve.records import CLASS as CLASS_KIND
from codemap.resolve.records import FUNCTION as FUNCTION_KIND
from codemap.resolve.records import METHOD, MODULE
from codemap.semantic import expressions as op

if TYPE_CHECKING:
    from codemap.inference.tables import Table

Code = tuple[str, int]  # a file and a scope of it
_CODE: Final = (FUNCTION_KIND, METHOD, CLASS_KIND, MODULE)


class Subject(NamedTuple):
    """The code that a subject means: a group of scopes for each candidate; `lost` is the finding if there is none."""

    name: str
    groups: tuple[list[Code], ...]
    lost: Finding | None = None

    def each(self, context: Context, check: Callable[[list[Code]], Finding]) -> Finding:
        """One finding of all candidates."""
        findings = [check(codes) for codes in self.groups]
        if len({one.verdict for one in findings}) == 1:
            return findings[0]
        told = "; ".join(
            f"{context.engine.qualified(*codes[0])}: {one.verdict}"
            for codes, one in zip(self.groups, findings, strict=True)
        )
        lines = context.lines((codes[0][0], line_of(context, codes[0])) for codes in self.groups)
        return ambiguous("several candidates", f"{self.name} may be several: {told}", lines)


def codes_of(context: Context, name: str) -> Subject:
    """The functions, classes or modules that a name means, each with what is defined inside it."""
    groups: list[list[Code]] = []
    if looks_like_path(name):
        groups = [_inside(context, path, 0) for path in context.files(name)]
        return Subject(name, tuple(groups), None if groups else context.no_such_file(name))
    found = context.definitions(name, (FUNCTION_KIND, METHOD)) or context.definitions(name, _CODE)
    for one in found:
        if one.scope >= 0:
            groups.append(_inside(context, one.file, one.scope))
    if groups:
        return Subject(name, tuple(groups))
    other = context.definitions(name)
    if other:
        told = f"{name} is a {other[0].kind}, no function"
        lines = context.lines((one.file, one.line) for one in other)
        return Subject(name, (), undecided("another kind", told, lines))
    return Subject(name, (), context.missing(name, (FUNCTION_KIND, METHOD)))


def _inside(context: Context, path: str, scope: int) -> list[Code]:
    scopes = context.table(path).view.outline.scopes
    found = [(path, scope)]
    for number, row in enumerate(scopes):
        if number == scope or row.kind not in (facts.FUNCTION, facts.CLASS):
            continue
        outer = row.parent
        while outer > 0 and outer != scope:
            outer = scopes[outer].parent
        if outer == scope:
            found.append((path, number))
    return found


def line_of(context: Context, code: Code) -> int:
    """The line on which code begins."""
    return int(context.table(code[0]).scope(code[1]).header_line) or 1


def edges_in(context: Context, codes: Iterable[Code]) -> list[Edge]:
    """The edges that begin in some code."""
    memo: dict[Code, list[Edge]] = context.__dict__.setdefault("_edges", {})
    found: list[Edge] = []
    for code in codes:
        if code not in memo:
            memo[code] = edges_from(context.engine, code)
        found += memo[code]
    return found


def calls_in(context: Context, codes: Iterable[Code], names: frozenset[str] | None = None) -> list[Edge]:
    """The edges of calls that are written, under some names or under any: what is implicit costs much more to ask."""
    memo: dict[Any, list[Edge]] = context.__dict__.setdefault("_calls", {})
    found: list[Edge] = []
    for code in codes:
        table = context.table(code[0])
        for number in _call_numbers(context, code):
            if names is None or table.token(table.rows[number][3]) in names:
                key = (code[0], number)
                if key not in memo:
                    memo[key] = [edge for edge in edges_at(context.engine, *key) if edge.kind != IMPLICIT]
                found += memo[key]
    return found


def _call_numbers(context: Context, code: Code) -> list[int]:
    memo: dict[Code, list[int]] = context.__dict__.setdefault("_call_numbers", {})
    if code not in memo:
        table = context.table(code[0])
        memo[code] = [n for n in expressions_of(table, code[1]) if table.rows[n][0] == op.CALL]
    return memo[code]


def edges_towards(context: Context, codes: list[Code], name: str, targets: list[Target]) -> list[Edge]:
    """The edges of some code among which those to the targets are: all of them only where it takes all to know."""
    bare = "." not in name

    def fits(edges: list[Edge]) -> bool:
        return any(_fits(context, edge, name, targets, bare) for edge in edges)

    words = frozenset(aliases(context.engine, last_part(name)))
    edges = calls_in(context, codes, words)
    if not fits(edges):
        edges = calls_in(context, codes)
        if not fits(edges) and (not targets or any(_runs_unwritten(context, one) for one in targets)):
            edges = edges_in(context, codes)
    return edges


def _runs_unwritten(context: Context, target: Target) -> bool:
    """Whether something other than a call may run a target: special methods, properties, what is decorated."""
    table = context.table(target.code[0])
    name = table.scope(target.code[1]).name
    if target.value[0] != FUNCTION:
        return True
    function = table.view.function_facts(target.code[1])
    return is_special(name) or (function is not None and bool(function.decorators))


def open_calls(context: Context, codes: Iterable[Code], name: str) -> list[UnresolvedSite]:
    """Calls of some code of which nobody knows what they call, and which could be of `name` ("" for any)."""
    engine = context.engine
    names = aliases(engine, name) if name else set()
    found: list[UnresolvedSite] = []
    for code in codes:
        table = context.table(code[0])
        for site in unresolved_from(engine, code):
            if not name or site.name in names or _could_be_any(table, site.expression):
                found.append(UnresolvedSite(site.name, site.file, site.line, site.reason))
    return list(dict.fromkeys(found))


def _could_be_any(table: Table, call: int) -> bool:
    """Whether the callee has no name of its own that tells: a local that holds a function, an element, a result."""
    callee = table.rows[table.rows[call][3]]
    if callee[0] == op.ATTRIBUTE:
        return False
    if callee[0] == op.NAME:
        return table.owner(table.rows[call][3], callee[3]) > 0
    return True


# --- calls, not_calls ---------------------------------------------------------------------------------------------------
def calls(context: Context, claim: Claim) -> Finding:
    """An edge as sure as the claim asks; one of several declared receivers is enough unless it asks for more."""
    subject = codes_of(context, claim.subject)
    if subject.lost is not None:
        return subject.lost
    wanted = [str(one) for one in listed(claim.object)]
    findings = [
        subject.each(context, lambda codes, name=name: edge_finding(context, codes, name, claim))  # type: ignore[misc]
        for name in wanted
    ]
    return joined(findings)


def joined(findings: list[Finding]) -> Finding:
    """A compound claim: one false part refutes it, one unknown part leaves it open."""
    for verdict in ("refuted", "ambiguous", "undecided"):
        for one in findings:
            if one.verdict == verdict:
                return one
    if not findings:
        return undecided("nothing said", "the claim names nothing")
    first = findings[0]
    lines = tuple(dict.fromkeys(line for one in findings for line in one.evidence))
    return first._replace(evidence=lines, reason="; ".join(one.reason for one in findings))


def edge_finding(context: Context, codes: list[Code], name: str, claim: Claim) -> Finding:
    """Whether some code calls what a name means."""
    engine = context.engine
    name = name.strip().removesuffix("()")
    bare = "." not in name and ":" not in name
    who = engine.qualified(*codes[0])
    targets = _targets(context, name)
    edges = edges_towards(context, codes, name, targets)
    hits = [edge for edge in edges if _fits(context, edge, name, targets, bare)]
    here = context.line(codes[0][0], line_of(context, codes[0]))
    if hits:
        places = context.lines(
            (edge.file, edge.line) for edge in sorted(hits, key=lambda e: (e.rank, e.file, e.line))
        )
        best = min(edge.rank for edge in hits)
        told = f"{who} calls {_named(context, hits)} ({CONFIDENCES[best]}: {hits[0].how})"
        if best <= CONFIDENCES.index(_least(context, claim, hits, edges)):
            if not bare or len(targets) < 2 or _all_bear(hits, name, context):
                return verified("call edge", told, places)
        return ambiguous("possible call", told, places)
    over = [edge for edge in edges if _overriding(context, edge, targets)]
    if over:
        told = f"{who} calls {_named(context, over)}, which overrides {name}"
        return ambiguous("override", told, context.lines((edge.file, edge.line) for edge in over))
    if not targets:
        lost = context.missing(name, (FUNCTION_KIND, METHOD, CLASS_KIND))
        sites = open_calls(context, codes, last_part(name))
        if sites and bare and all(site.name == name for site in sites):
            return undecided("outside the tree", f"{who} calls something named {name}", _open(context, sites))
        if sites:
            return undecided(
                "open calls", f"{lost.reason}; {who} has unresolved calls", _open(context, sites)
            )
        return lost._replace(counter=(here, *lost.counter)) if lost.verdict == "refuted" else lost
    sites = open_calls(context, codes, last_part(name))
    handed = _handed_over(context, codes, targets)
    if handed:
        return undecided("handed over", f"{who} hands {name} over, but does not call it itself", handed)
    finding = refuted(
        "no call", f"{who} does not call {name}", [here, *(_target_line(context, one) for one in targets[:3])]
    )
    inner = [edge for edge in edges if edge.callee[0] == FUNCTION and not edge.callee[1].startswith("<")]
    for edge in inner[:40]:
        below = calls_in(context, [(edge.callee[1], edge.callee[2])])
        if any(one.callee == target.value for one in below for target in targets):
            finding = finding._replace(
                suggestion=f"through {name_of(engine, edge.callee)}",
                counter=(*finding.counter, context.line(edge.file, edge.line)),
            )
            break
    return context.closed(finding._replace(open=tuple(sites)))


def _open(context: Context, sites: list[UnresolvedSite]) -> tuple[Line, ...]:
    return context.lines((site.file, site.line) for site in sites)


def _targets(context: Context, name: str) -> list[Target]:
    memo: dict[str, list[Target]] = context.__dict__.setdefault("_targets", {})
    if name not in memo:
        found = [one for one in targets_of(context.engine, name).targets if one.value[0] in (FUNCTION, CLASS)]
        if not found:
            for one in context.definitions(name, (FUNCTION_KIND, CLASS_KIND)):
                tag = CLASS if one.kind == CLASS_KIND else FUNCTION
                if one.scope > 0:
                    found.append(Target((tag, one.file, one.scope), (one.file, one.scope), one.name))
        memo[name] = found
    return memo[name]


def _target_line(context: Context, target: Target) -> Line:
    return context.line(target.code[0], line_of(context, target.code))


def _fits(context: Context, edge: Edge, name: str, targets: list[Target], bare: bool) -> bool:
    for target in targets:
        if edge.callee == target.value and _seen_through(context.engine, target, edge) is not None:
            return True
    if edge.callee[0] == EXTERNAL or str(edge.callee[1]).startswith("<"):
        if targets and not bare:
            return False
        said = name_of(context.engine, edge.callee).removesuffix("()")
        return ends_with(said, name) if not bare else last_part(said) == name and not targets
    return False


def _named(context: Context, edges: list[Edge]) -> str:
    names = sorted({name_of(context.engine, edge.callee) for edge in edges})
    return ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")


def _least(context: Context, claim: Claim, hits: list[Edge], edges: list[Edge]) -> str:
    """How sure the edge must be: as the claim says, else possible where one site has several receivers."""
    if claim.min_confidence:
        return claim.min_confidence
    sites: dict[tuple[str, int], set[Any]] = {}
    for edge in edges:
        if edge.callee[0] == FUNCTION:
            sites.setdefault((edge.file, edge.expression), set()).add(edge.callee)
    several = all(
        len({last_part(name_of(context.engine, one)) for one in sites.get((edge.file, edge.expression), ())})
        == 1
        and len(sites.get((edge.file, edge.expression), ())) > 1
        for edge in hits
    )
    return POSSIBLE if several else CONFIDENCES[LIKELY]


def _all_bear(hits: list[Edge], name: str, context: Context) -> bool:
    return all(last_part(name_of(context.engine, edge.callee)) == name for edge in hits)


def _overriding(context: Context, edge: Edge, targets: list[Target]) -> bool:
    """Whether an edge goes to a method that overrides one of the targets."""
    if edge.callee[0] != FUNCTION or str(edge.callee[1]).startswith("<"):
        return False
    for target in targets:
        if target.value[0] != FUNCTION or target.value == edge.callee:
            continue
        mine, theirs = context.table(target.code[0]), context.table(edge.callee[1])
        if mine.scope(target.code[1]).name != theirs.scope(edge.callee[2]).name:
            continue
        home = (target.code[0], mine.scope(target.code[1]).parent)
        other = (edge.callee[1], theirs.scope(edge.callee[2]).parent)
        if mine.scope(home[1]).kind == facts.CLASS and theirs.scope(other[1]).kind == facts.CLASS:
            if home in context.engine.mro(*other):
                return True
    return False


def _handed_over(context: Context, codes: list[Code], targets: list[Target]) -> list[Line]:
    """Where some code reads a target without calling it."""
    found: list[tuple[str, int]] = []
    scopes = set(codes)
    for target in targets:
        name = last_part(target.name)
        for path in {code[0] for code in codes}:
            table = context.table(path)
            for number in table.reads(name):
                row = table.rows[number]
                if (path, table.place(number)[0]) not in scopes:
                    continue
                parent = table.parent(number)
                if parent >= 0 and table.rows[parent][0] == op.CALL and table.rows[parent][3] == number:
                    continue
                values = context.engine.solver.solve("expression", path, number)
                if any(
                    one == target.value or (one[0] == "bound" and one[1] == target.value) for one in values
                ):
                    if target.value[0] == FUNCTION:
                        found.append((path, row[1]))
    return list(context.lines(found))


def not_calls(context: Context, claim: Claim) -> Finding:
    """No edge, and every call resolved."""
    subject = codes_of(context, claim.subject)
    if subject.lost is not None:
        return subject.lost
    findings = [
        subject.each(context, lambda codes, name=name: _never(context, codes, name))  # type: ignore[misc]
        for name in listed(claim.object)
    ]
    return joined(findings)


def _never(context: Context, codes: list[Code], name: str) -> Finding:
    engine = context.engine
    name = name.strip().removesuffix("()")
    edges = edges_in(context, codes)
    who = engine.qualified(*codes[0])
    targets = _targets(context, name)
    inside: set[Any] = {target.value for target in targets}
    for target in targets:
        if target.value[0] == CLASS:  # never touches a class: none of its methods either
            inside |= {(FUNCTION, *code) for code in _inside(context, *target.code)[1:]}
    bare = "." not in name
    hits = [
        edge for edge in edges
        if edge.callee in inside or _fits(context, edge, name, targets, bare) or _overriding(context, edge, targets)
    ]  # fmt: skip
    places = context.lines((edge.file, edge.line) for edge in hits)
    here = context.line(codes[0][0], line_of(context, codes[0]))
    sure = [edge for edge in hits if edge.rank <= LIKELY]
    if sure:
        return refuted(
            "call edge", f"{who} calls {_named(context, sure)}", context.lines((e.file, e.line) for e in sure)
        )
    if hits:
        return ambiguous("possible call", f"{who} may call {_named(context, hits)}", places)
    if not targets:
        known = context.definitions(name)
        if known:
            return undecided(
                "no function", f"{name} is a {known[0].kind}, no function", [context.at(known[0])]
            )
        lost = context.missing(name)
        if lost.verdict != "refuted":
            return lost
    sites = open_calls(context, codes, "")
    handed = _handed_over(context, codes, targets)
    if handed:
        return undecided("handed over", f"{who} hands {name} over", handed)
    told = f"{who} has no call of {name}"
    return context.closed(verified("no edge", told, [here], open=tuple(sites)))


def only_callees(context: Context, claim: Claim) -> Finding:
    """What a function calls of the tree must be in the list; built-in functions do not count."""
    subject = codes_of(context, claim.subject)
    if subject.lost is not None:
        return subject.lost
    return subject.each(context, lambda codes: _only(context, codes, listed(claim.object), claim.quantifier))


def _only(context: Context, codes: list[Code], names: list[str], quantifier: str) -> Finding:
    engine = context.engine
    who = engine.qualified(*codes[0])
    edges = [
        edge for edge in edges_in(context, codes) if edge.callee not in {(FUNCTION, *code) for code in codes}
    ]
    here = context.line(codes[0][0], line_of(context, codes[0]))
    extra: list[Edge] = []
    outside: list[Edge] = []
    seen: set[str] = set()
    hits: list[Edge] = []
    for edge in edges:
        callee = name_of(engine, edge.callee)
        fitting = [name for name in names if _is_listed(context, edge, callee, name)]
        if fitting:
            seen.update(fitting)
            hits.append(edge)
        elif edge.callee[0] == EXTERNAL:
            outside.append(edge)
        elif not str(edge.callee[1]).startswith("<"):
            if not (edge.callee[0] == FUNCTION and _is_constructor_of_listed(context, edge, names)):
                extra.append(edge)
    sure = [edge for edge in extra if edge.rank <= LIKELY]
    if sure and quantifier != "some":
        return refuted("one more", f"{who} also calls {_named(context, sure)}",
                       context.lines((e.file, e.line) for e in sure))  # fmt: skip
    missing = [name for name in names if name not in seen]
    if missing:
        findings = [edge_finding(context, codes, name, Claim("", "calls", "")) for name in missing]
        return joined(findings)
    places = context.lines((edge.file, edge.line) for edge in hits) or (here,)
    if quantifier == "some":
        return verified("call edges", f"{who} calls {', '.join(names)}", places)
    if extra:
        return ambiguous("possible call", f"{who} may also call {_named(context, extra)}", places)
    if outside:
        told = f"{who} also calls {_named(context, outside)}, outside the tree"
        return ambiguous("outside the tree", told, places)
    sites = open_calls(context, codes, "")
    return context.closed(
        verified("call edges", f"{who} calls nothing else of the tree", places, open=tuple(sites))
    )


def _is_listed(context: Context, edge: Edge, callee: str, name: str) -> bool:
    name = name.strip().removesuffix("()")
    if looks_like_path(name):
        return edge.callee[0] in (FUNCTION, CLASS) and edge.callee[1] in context.files(name)
    if ends_with(callee, name) or any(edge.callee == target.value for target in _targets(context, name)):
        return True
    return any(callee.startswith(one.name + ".") for one in context.definitions(name, (CLASS_KIND, MODULE)))


def _is_constructor_of_listed(context: Context, edge: Edge, names: list[str]) -> bool:
    callee = name_of(context.engine, edge.callee)
    head, _, last = callee.rpartition(".")
    return last in ("__init__", "__new__", "__post_init__") and any(ends_with(head, name) for name in names)


# --- paths and order ----------------------------------------------------------------------------------------------------
def call_path(context: Context, claim: Claim) -> Finding:
    """Each hop is a way of calls; the weakest link of all of them counts."""
    stops = [claim.subject, *(name.strip().removesuffix("()") for name in listed(claim.object))]
    if len(stops) < 2:
        return undecided("nothing said", "the claim names no end of the path")
    for stop in stops:
        if not _targets(context, stop):
            subject = codes_of(context, stop)
            if subject.lost is not None:
                return subject.lost
    places: list[tuple[str, int]] = []
    weakest = CERTAIN
    several = True
    told: list[str] = [stops[0]]
    for start, end in itertools.pairwise(stops):
        hop = _hop(context, start, end)
        if hop is None:
            return _no_way(context, start, end)
        rank, lines, declared, names = hop
        weakest = max(weakest, rank)
        several = several and (declared or rank <= LIKELY)
        places += lines
        told += names
    way = " -> ".join(last_part(name) if "." not in name else ".".join(name.split(".")[-2:]) for name in told)
    reason = f"{way}; weakest link {CONFIDENCES[weakest]}"
    least = claim.min_confidence or (POSSIBLE if several else CONFIDENCES[LIKELY])
    if weakest <= CONFIDENCES.index(least):
        return verified("call path", reason, context.lines(places))
    return ambiguous("possible path", reason, context.lines(places))


def _hop(context: Context, start: str, end: str) -> tuple[int, list[tuple[str, int]], bool, list[str]] | None:
    """The surest short way from one to the other: rank, sites, whether a possible link has several receivers, names."""
    engine = context.engine
    subject = codes_of(context, start)
    targets = _targets(context, end)
    direct: list[Edge] = []
    group: list[Edge] = []
    for codes in subject.groups:
        edges = edges_towards(context, codes, end, targets)
        group += edges
        direct += [edge for edge in edges if _fits(context, edge, end, targets, "." not in end)]
    if direct:
        best = min(direct, key=lambda edge: (edge.rank, edge.file, edge.line))
        claim = Claim("", "calls", start)
        several = _least(context, claim, [best], group) == POSSIBLE
        return best.rank, [(best.file, best.line)], several, [name_of(engine, best.callee)]
    for least in (CONFIDENCES[LIKELY], POSSIBLE):
        answer = path_of(engine, start, end, least)
        if answer.results:
            row = answer.results[0]
            rank = max(CONFIDENCES.index(site["confidence"]) for site in row["sites"])
            return rank, [(site["file"], site["line"]) for site in row["sites"]], False, list(row["path"][1:])
    return None


def _no_way(context: Context, start: str, end: str) -> Finding:
    from codemap.queries.calls import callers

    answer = callers(context.engine, end)
    lines = [_target_line(context, one) for one in _targets(context, end)[:2]]
    for codes in codes_of(context, start).groups[:2]:
        lines.insert(0, context.line(codes[0][0], line_of(context, codes[0])))
    called = ", ".join(sorted({row["caller"] for row in answer.results})[:4]) or "nothing"
    finding = refuted("no path", f"no calls lead from {start} to {end}; {called} calls it", lines)
    return context.closed(finding._replace(open=answer.unresolved))


def call_order(context: Context, claim: Claim) -> Finding:
    """One site before the other on every way through the function; branches and loops leave it open."""
    subject = codes_of(context, claim.subject)
    if subject.lost is not None:
        return subject.lost
    names = [name.strip().removesuffix("()") for name in listed(claim.object)]
    if len(names) < 2:
        return undecided("nothing said", "an order needs two functions")
    pairs = list(itertools.pairwise(names))
    return joined(
        [subject.each(context, lambda codes, p=pair: _ordered(context, codes, *p)) for pair in pairs]  # type: ignore[misc]
    )


def _ordered(context: Context, codes: list[Code], first: str, second: str) -> Finding:
    sites: list[list[Edge]] = []
    for name in (first, second):
        finding = edge_finding(context, codes, name, Claim("", "calls", "", min_confidence=POSSIBLE))
        if finding.verdict not in ("verified", "ambiguous"):
            return finding
        targets = _targets(context, name)
        own = [edge for edge in edges_towards(context, codes[:1], name, targets) if edge.expression >= 0]
        sites.append([edge for edge in own if _fits(context, edge, name, targets, "." not in name)])
    before, after = sites
    lines = context.lines((edge.file, edge.line) for edge in (*before, *after))
    if not before or not after:
        return undecided("inside another function", "not both are called by the function's own code", lines)
    table = context.table(codes[0][0])
    if _precedes(table, before, after):
        return verified("dominance", f"{first} is called before {second} on every way", lines)
    if _precedes(table, after, before):
        return refuted("dominance", f"{second} is called before {first} on every way", lines)
    return undecided("branches or loops", "the order depends on branches or loops", lines)


def _precedes(table: Table, before: list[Edge], after: list[Edge]) -> bool:
    """Whether each site of `after` has a site of `before` that has surely run, and none of `before` runs later."""
    blocks = table.view.outline.blocks
    for one in after:
        around = table.block_chain(table.place(one.expression)[1])
        if any(blocks[block].kind == facts.LOOP for block in around):
            loops = {block for block in around if blocks[block].kind == facts.LOOP}
            for other in before:
                theirs = table.block_chain(table.place(other.expression)[1])
                if loops & set(theirs):
                    return False
        if not any(
            other.expression < one.expression
            and table.place(other.expression)[0] == table.place(one.expression)[0]
            and table.place(other.expression)[1] in around
            and not table.tests(other.expression)
            for other in before
        ):
            return False
    last = max(edge.expression for edge in before)
    return all(edge.expression > last for edge in after)


__all__ = [
    "Code",
    "Subject",
    "call_order",
    "call_path",
    "calls",
    "codes_of",
    "counted",
    "not_calls",
    "only_callees",
]
