# Kinds about what the body of a function does: what it returns, builds, raises, under which guards it calls.
from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final

from codemap.claims.checking.calling import Code, Subject, calls_in, codes_of, edges_in, open_calls
from codemap.claims.checking.context import (
    Context,
    ambiguous,
    ends_with,
    last_part,
    listed,
    refuted,
    undecided,
    verified,
)
from codemap.claims.statements import Claim, Finding, Line
from codemap.inference.values import (
    BOUND,
    CLASS,
    COROUTINE,
    DISPLAY,
    EXTERNAL,
    FUNCTION,
    GENERATOR,
    INSTANCE,
    LIKELY,
    MODULE,
    NONE,
    NUMBER,
    TEXT,
    Values,
)
from codemap.model import facts
from codemap.queries.construction import constructor
from codemap.queries.occurrences import lines_of
from codemap.resolve.records import CLASS as CLASS_KIND
from codemap.resolve.records import FUNCTION as FUNCTION_KIND
from codemap.resolve.records import METHOD, Definition
from codemap.semantic import expressions as op

if TYPE_CHECKING:
    from codemap.inference.tables import Table

Klass = tuple[str, int]
_CODE: Final = (FUNCTION_KIND, METHOD)
_DEEPEST: Final = 4
_DISPLAYS: Final = {op.LIST: "list", op.DICT: "dict", op.TUPLE: "tuple", op.SET: "set"}

HIT, NO, MAYBE = "hit", "no", "maybe"


class Wanted:
    """A type that a claim names: classes of the tree or of the standard library, and whether None is allowed."""

    def __init__(self, context: Context, text: str) -> None:
        plain = text.strip().strip("'\"`")
        optional = re.fullmatch(r"(?:typing\.)?Optional\[(.+)\]", plain)
        self.none = plain == "None" or optional is not None
        plain = optional[1] if optional else plain
        members = [part.strip() for part in plain.split("|")] if "[" not in plain else [plain]
        self.none = self.none or "None" in members
        self.names = [one for one in members if one != "None"]
        self.tree: set[Klass] = set()
        self.missing: list[str] = []
        self.outside: list[str] = []
        for name in self.names:
            found = {
                (one.file, one.scope) for one in context.definitions(name, (CLASS_KIND,)) if one.scope >= 0
            }
            builtin = context.engine.stub_class(f"builtins.{name}") or (
                context.engine.stub_class(name) if "." in name else None
            )
            if found:
                self.tree |= found
            elif builtin is not None:
                self.tree.add(builtin)
            elif re.fullmatch(r"[\w.]+", name):
                self.missing.append(name)
            else:
                self.outside.append(name)


def returns(context: Context, claim: Claim) -> Finding:
    """The values of the return statements; `fields` by constructor keywords or by writes before the return."""
    wanted = Wanted(context, str(claim.object))
    if wanted.outside:
        from codemap.claims.checking.functions import annotation

        finding = annotation(context, claim._replace(args={"parameter": "return"}))
        if finding.verdict == "verified" and not claim.args.get("fields"):
            return finding
        return undecided(
            "not followed", f"{claim.object} is compared as an annotation only", finding.evidence
        )
    if wanted.missing:
        lost = context.missing(wanted.missing[0], (CLASS_KIND,))
        if lost.verdict != "refuted":
            return lost

    def check(one: Definition) -> Finding:
        return _returns(context, claim, one, wanted)

    return context.about(claim, _CODE, check)


def _returns(context: Context, claim: Claim, one: Definition, wanted: Wanted) -> Finding:
    table = context.table(one.file)
    here = context.at(one)
    flows = return_flows(table, one.scope)
    every = bool(claim.args.get("all_paths"))
    declared = _declared(context, table, one.scope, wanted)
    if not flows:
        if declared in (HIT, NO) and _is_stub(table, one.scope):
            if declared == HIT and not claim.args.get("fields"):
                return verified("annotation", f"{one.name} is declared to return {claim.object}", [here])
            return undecided("no body", f"{one.name} has no body that returns", [here])
        function = table.view.function_facts(one.scope)
        if function is not None and ({"stub", "raises", "generator"} & set(function.flags)):
            return undecided("no body", f"{one.name} has no return statement to look at", [here])
        if wanted.none and not wanted.names:
            return verified("no return", f"{one.name} returns nothing", [here])
        return refuted("no return", f"{one.name} returns nothing", [here])
    judged = [(flow, _judge(context, table, flow, wanted)) for flow in flows]
    hits = [flow for flow, word in judged if word == HIT]
    misses = [flow for flow, word in judged if word == NO]
    unknown = [flow for flow, word in judged if word == MAYBE]
    if every and not hits_none(wanted) and falls_through(table, one.scope) and not _never_none(flows):
        return refuted(
            "falls through", f"{one.name} may end without a return", context.lines([(one.file, one.line)])
        )
    lines = context.lines((one.file, flow.line) for flow in hits)
    if every and misses:
        other = context.lines((one.file, flow.line) for flow in misses)
        return refuted("another type", f"{one.name} returns something else too", other)
    if every and unknown:
        if not (declared == HIT and not misses):
            other = context.lines((one.file, flow.line) for flow in unknown)
            return undecided("not known", f"not every return of {one.name} is known", other)
        hits, lines = [*hits, *unknown], context.lines((one.file, flow.line) for flow in (*hits, *unknown))
    if not hits:
        if unknown and declared == HIT:
            hits = unknown
            lines = context.lines([(one.file, one.line), *((one.file, flow.line) for flow in unknown)])
        elif unknown or declared == HIT:
            other = context.lines((one.file, flow.line) for flow in (unknown or misses))
            return undecided("not known", f"what {one.name} returns is not known", [here, *other])
        else:
            other = context.lines((one.file, flow.line) for flow in misses)
            if wanted.missing and not wanted.tree:
                lost = context.missing(wanted.missing[0], (CLASS_KIND,))
                return lost._replace(counter=other + lost.counter)
            return refuted("another type", f"{one.name} returns {_shown(context, table, misses)}", other)
    told = f"{one.name} returns {claim.object}"
    fields = [last_part(name) for name in listed(claim.args.get("fields"))]
    if not fields:
        return verified("return statements", told, lines)
    return _with_fields(context, claim, one, table, hits, wanted, fields, every, told)


def _with_fields(
    context: Context,
    claim: Claim,
    one: Definition,
    table: Table,
    hits: list[Any],
    wanted: Wanted,
    fields: list[str],
    every: bool,
    told: str,
) -> Finding:
    from codemap.claims.checking.classes import member

    for field in fields:
        for place in sorted(wanted.tree):
            finding = member(context, context.engine.class_definition(*place), field, True)
            if finding.verdict == "refuted" and len(wanted.tree) == 1:
                return finding
    places: list[tuple[str, int]] = []
    words: list[str] = []
    for flow in hits:
        for field in fields:
            word, where = given(
                context, table, one.scope, flow.value, flow.order, flow.block, field, wanted, 0
            )
            words.append(word)
            places += [(one.file, flow.line), *where]
    lines = context.lines(places)
    names = ", ".join(fields)
    by_field = [words[place :: len(fields)] for place in range(len(fields))]
    if all(word == HIT for word in words):
        return verified("fields given", f"{told} with {names}", lines)
    if not every and all(HIT in row for row in by_field):
        return verified("fields given", f"{told} with {names}, on some paths", lines)
    if (every and NO in words) or any(set(row) == {NO} for row in by_field):
        return refuted("field not given", f"{told}, but not with {names} on every path" if every else
                       f"{told}, but nothing gives it {names}", lines)  # fmt: skip
    return undecided("field not known", f"{told}; whether with {names} is not known", lines)


def return_flows(table: Table, scope: int) -> list[Any]:
    """The return statements of a function that can be reached."""
    blocks = table.view.outline.blocks
    return [
        flow
        for flow in table.flows(scope)
        if flow.kind == "return"
        and all(blocks[one].kind != facts.DEAD for one in table.block_chain(flow.block))
    ]


def hits_none(wanted: Wanted) -> bool:
    """Whether None is among the types."""
    return wanted.none


def _never_none(flows: list[Any]) -> bool:
    return not flows


def falls_through(table: Table, scope: int) -> bool:
    """Whether control may reach the end of a function, as far as its blocks tell."""
    blocks = table.view.outline.blocks
    root = next((n for n, row in enumerate(blocks) if row.kind == facts.ROOT and row.scope == scope), -1)
    if root < 0:
        return True
    return not blocks[root].terminates and not _ends(blocks, root)


def _ends(blocks: Any, block: int) -> bool:
    """Whether every way through a block ends in a return or raise: the last statement with all its branches."""
    if blocks[block].terminates:
        return True
    inner = [
        n
        for n, row in enumerate(blocks)
        if row.parent == block and row.scope == blocks[block].scope and row.kind != facts.ROOT
    ]
    if not inner:
        return False
    statements: dict[int, list[int]] = {}
    for number in inner:
        statements.setdefault(blocks[number].statement, []).append(number)
    for group in statements.values():
        kinds = {blocks[number].kind for number in group}
        if facts.DEAD in kinds or facts.LOOP in kinds:
            continue
        if facts.WITH in kinds and all(_ends(blocks, number) for number in group):
            return True
        if facts.IF in kinds and facts.ELSE in kinds and all(_ends(blocks, number) for number in group):
            return True
        if facts.TRY in kinds and all(
            _ends(blocks, number) for number in group if blocks[number].kind in (facts.TRY, facts.EXCEPT)
        ):
            return True
        if kinds == {facts.CASE} and all(_ends(blocks, number) for number in group):
            if any(blocks[number].test < 0 for number in group):
                return True
    return False


def _is_stub(table: Table, scope: int) -> bool:
    function = table.view.function_facts(scope)
    return function is not None and bool({"stub", "raises"} & set(function.flags))


def _declared(context: Context, table: Table, scope: int, wanted: Wanted) -> str:
    """What the return annotation says of the type."""
    number = table.return_annotation(scope)
    if number < 0:
        return MAYBE
    return _word(
        context, dict(context.engine.solver.solve("annotation", table.path, number)), wanted, declared=True
    )


def _judge(context: Context, table: Table, flow: Any, wanted: Wanted) -> str:
    if flow.value < 0:
        return HIT if wanted.none else NO
    values = dict(context.engine.solver.solve("expression", table.path, flow.value))
    word = _word(context, values, wanted)
    if word == MAYBE and not values:
        row = table.rows[flow.value]
        if row[0] == op.CONSTANT:
            return HIT if row[3] in wanted.names else NO
    return word


def _word(context: Context, values: Values, wanted: Wanted, *, declared: bool = False) -> str:
    """HIT when the type is among the values, NO when it surely is not, MAYBE otherwise."""
    engine = context.engine
    known = [value for value in values if value != (NONE,)]
    unsure = not values
    for value in values:
        if value == (NONE,):
            if wanted.none:
                return HIT
            continue
        place = _class_of(context, value)
        if place is None:
            unsure = True
            continue
        order = engine.mro(*place)
        if wanted.tree & set(order):
            return HIT
        if value[0] == INSTANCE and value[4] and any(place in engine.mro(*one) for one in wanted.tree):
            unsure = True  # declared as a base of it
        if values[value] > LIKELY and not declared:
            unsure = True
    if unsure:
        return MAYBE
    return NO if known or values else MAYBE


def _class_of(context: Context, value: Any) -> Klass | None:
    """The class of a value; None when it is not known."""
    engine = context.engine
    tag = value[0]
    if tag == INSTANCE:
        return (value[1], value[2])
    if tag == TEXT or tag == "pattern":
        return engine.stub_class("builtins.str")
    if tag == NUMBER:
        return engine.stub_class("builtins.int")
    if tag == DISPLAY:
        row = engine.table(value[1]).rows[value[2]]
        name = _DISPLAYS.get(row[0]) or (row[3] if row[0] == op.COMPREHENSION else "")
        return engine.stub_class(f"builtins.{name}") if name in ("list", "dict", "tuple", "set") else None
    if tag == CLASS:
        return engine.stub_class("builtins.type")
    if tag in (FUNCTION, BOUND, MODULE, COROUTINE, GENERATOR):
        return engine.stub_class("builtins.object")
    return None


def _shown(context: Context, table: Table, flows: list[Any]) -> str:
    names: dict[str, None] = {}
    for flow in flows:
        if flow.value < 0:
            names["None"] = None
            continue
        for value in context.engine.solver.solve("expression", table.path, flow.value):
            place = _class_of(context, value)
            names["None" if value == (NONE,) else context.engine.qualified(*place) if place else "?"] = None
    return ", ".join(sorted(names)[:4]) or "something else"


def given(
    context: Context,
    table: Table,
    scope: int,
    value: int,
    order: int,
    block: int,
    field: str,
    wanted: Wanted,
    depth: int,
) -> tuple[str, list[tuple[str, int]]]:
    """Whether what an expression gives has had a field set: HIT, NO or MAYBE, with the lines that set it."""
    if value < 0 or depth > _DEEPEST:
        return MAYBE, []
    row = table.rows[value]
    if row[0] == op.AWAIT:
        return given(context, table, scope, row[3], order, block, field, wanted, depth)
    if row[0] == op.CONDITIONAL:
        both = [
            given(context, table, scope, one, order, block, field, wanted, depth) for one in (row[4], row[5])
        ]
        return _all([word for word, _ in both]), [place for _, places in both for place in places]
    if row[0] == op.NAME:
        return _of_name(context, table, scope, row[3], value, order, block, field, wanted, depth)
    if row[0] == op.CALL:
        return _of_call(context, table, value, field, wanted, depth)
    return MAYBE, []


def _all(words: Iterable[str]) -> str:
    found = set(words)
    if found == {HIT}:
        return HIT
    return NO if NO in found and MAYBE not in found else MAYBE


def _of_name(
    context: Context,
    table: Table,
    scope: int,
    name: str,
    value: int,
    order: int,
    block: int,
    field: str,
    wanted: Wanted,
    depth: int,
) -> tuple[str, list[tuple[str, int]]]:
    around = table.block_chain(block)
    before = [row for _, row in table.local_bindings(scope, name) if row.order <= order]
    ruling = [row for row in before if row.block in around]
    since = ruling[-1].order if ruling else 0
    maybe: list[tuple[str, int]] = []
    for number in table.stores(field):
        row = table.rows[number]
        target = table.rows[row[3]]
        if target[0] == op.NAME and target[3] == name and since <= number < order:
            where, inside = table.place(number)
            if where == scope and inside in around:
                return HIT, [(table.path, row[1])]
            maybe.append((table.path, row[1]))
    passed_on = _handed_over(table, name, since, order)
    sources = [ruling[-1]] if ruling else before
    words: list[str] = []
    places: list[tuple[str, int]] = []
    for row in sources:
        if row.kind == facts.PARAMETER or row.value < 0:
            words.append(MAYBE)
            continue
        word, where2 = given(context, table, scope, row.value, row.order, row.block, field, wanted, depth + 1)
        words.append(word)
        places += where2
    word = _all(words) if words else MAYBE
    if word == NO and (maybe or passed_on):
        return MAYBE, [*places, *maybe]
    return word, places


def _handed_over(table: Table, name: str, since: int, until: int) -> bool:
    """Whether a local is handed to a call, which may set fields of it."""
    for number in table.reads(name):
        if since <= number < until and table.rows[number][0] == op.NAME:
            parent = table.parent(number)
            if parent >= 0 and table.rows[parent][0] in (op.CALL, op.STARRED, op.LIST, op.TUPLE, op.DICT):
                return True
    return False


def _of_call(
    context: Context, table: Table, call: int, field: str, wanted: Wanted, depth: int
) -> tuple[str, list[tuple[str, int]]]:
    row = table.rows[call]
    engine = context.engine
    words: list[str] = []
    places: list[tuple[str, int]] = []
    for callee in sorted(engine.solver.solve("callees", table.path, call), key=repr):
        inner = callee[1] if callee[0] in (BOUND, "static", "classmethod") else callee
        if inner[0] == CLASS:
            if not wanted.tree & set(engine.mro(inner[1], inner[2])):
                continue
            made = constructor(engine, (inner[1], inner[2]))
            if field in row[5]:
                words.append(HIT)
                places.append((table.path, table.rows[row[6][row[5].index(field)]][1]))
            elif "**" in row[5] or any(table.rows[one][0] == op.STARRED for one in row[4]):
                words.append(MAYBE)
            elif made is not None:
                at = made[0].index(field) if field in made[0] else len(row[4])
                words.append(HIT if at < len(row[4]) else NO)
                places.append((table.path, row[1]))
            else:
                words.append(MAYBE)
        elif inner[0] == FUNCTION and not inner[1].startswith("<"):
            other = engine.table(inner[1])
            flows = return_flows(other, inner[2])
            for flow in flows:
                if flow.value < 0:
                    continue
                values = dict(engine.solver.solve("expression", inner[1], flow.value))
                if values and _word(context, values, wanted) == NO:
                    continue
                word, where = given(
                    context, other, inner[2], flow.value, flow.order, flow.block, field, wanted, depth + 1
                )
                words.append(word)
                places += [(inner[1], flow.line), *where]
            if not flows:
                words.append(MAYBE)
        else:
            words.append(MAYBE)
    return (_all(words) if words else MAYBE), places


# --- constructs -----------------------------------------------------------------------------------------------------
def constructs(context: Context, claim: Claim) -> Finding:
    """Calls of the class in the function, with the keywords that they give."""
    subject = codes_of(context, claim.subject)
    if subject.lost is not None:
        return subject.lost
    classes = context.definitions(str(claim.object), (CLASS_KIND,))
    if not classes:
        return context.missing(str(claim.object), (CLASS_KIND,))
    wanted = {(one.file, one.scope) for one in classes}
    keywords = listed(claim.args.get("keywords"))
    return subject.each(context, lambda codes: _constructs(context, codes, classes, wanted, keywords))


def _constructs(
    context: Context, codes: list[Code], classes: list[Definition], wanted: set[Klass], keywords: list[str]
) -> Finding:
    engine = context.engine
    edges = [
        edge for edge in calls_in(context, codes)
        if edge.callee[0] == CLASS and (edge.callee[1], edge.callee[2]) in wanted and edge.expression >= 0
    ]  # fmt: skip
    name = classes[0].name
    here = context.lines((one[0], _line_of(context, one)) for one in codes[:1])
    good = [edge for edge in edges if edge.rank <= LIKELY]
    lines = context.lines((edge.file, edge.line) for edge in good or edges)
    if edges and not good:
        return ambiguous("possible", f"it may construct {name}", lines)
    if good and keywords:
        best: list[str] = keywords
        for edge in good:
            row = engine.table(edge.file).rows[edge.expression]
            if row[0] != op.CALL:
                continue
            made = constructor(engine, (edge.callee[1], edge.callee[2]))
            by_place = made[0][: len(row[4])] if made is not None else []
            left = [one for one in keywords if one not in row[5] and one not in by_place]
            if left and "**" in row[5]:
                return undecided("keywords not known", f"{name} is given **keywords", lines)
            best = min(best, left, key=len)
        if best:
            return refuted("keyword", f"{name} is constructed without {', '.join(best)}", lines)
        return verified("constructor call", f"constructs {name} with {', '.join(keywords)}", lines)
    if good:
        if len(wanted) > 1 and len({(e.callee[1], e.callee[2]) for e in good}) < len(wanted):
            return ambiguous("several classes", f"constructs one of {len(wanted)} classes of the name", lines)
        return verified("constructor call", f"constructs {name}", lines)
    for edge in calls_in(context, codes):
        if edge.callee[0] == FUNCTION and not edge.callee[1].startswith("<"):
            inner = calls_in(context, [(edge.callee[1], edge.callee[2])])
            if any(one.callee[0] == CLASS and (one.callee[1], one.callee[2]) in wanted for one in inner):
                told = f"not itself: it calls {engine.qualified(edge.callee[1], edge.callee[2])}, which does"
                return ambiguous("in what it calls", told, context.lines([(edge.file, edge.line)]))
    sites = open_calls(context, codes, last_part(name))
    finding = refuted("no call", f"it does not construct {name}", [*here, context.at(classes[0])])
    return context.closed(finding._replace(open=tuple(sites)))


def _line_of(context: Context, code: Code) -> int:
    return int(context.table(code[0]).scope(code[1]).header_line) or 1


# --- raises ----------------------------------------------------------------------------------------------------------
def raises(context: Context, claim: Claim) -> Finding:
    """The raise statements of the function itself; what it calls may raise anything."""
    subject = codes_of(context, claim.subject)
    if subject.lost is not None:
        return subject.lost
    said = last_part(str(claim.object))
    if claim.args.get("catches"):
        return subject.each(context, lambda codes: _catches(context, codes, str(claim.object)))

    def check(codes: list[Code]) -> Finding:
        hits: list[tuple[str, int]] = []
        others: list[tuple[str, int]] = []
        for path, scope in codes:
            table = context.table(path)
            for flow in table.flows(scope):
                if flow.kind == "raise":
                    row_hit = flow.value >= 0 and _raised(context, table, flow.value, str(claim.object))
                    (hits if row_hit else others).append((path, flow.line))
        if hits:
            return verified("raise", f"raises {said}", context.lines(hits))
        here = context.lines([(codes[0][0], _line_of(context, codes[0])), *others])
        calls = [edge for edge in edges_in(context, codes) if not str(edge.callee[1]).startswith("<")]
        if not others and not calls and not open_calls(context, codes, ""):
            return refuted("no raise", f"raises nothing, and calls nothing that may raise {said}", here)
        return undecided("in what it calls", f"does not raise {said} itself; what it calls may", here)

    return subject.each(context, check)


def _raised(context: Context, table: Table, value: int, said: str) -> bool:
    row = table.rows[value]
    callee = row[3] if row[0] == op.CALL else value
    if table.token(callee) == last_part(said):
        return True
    for one in context.engine.solver.solve("expression", table.path, value):
        if one[0] in (INSTANCE, CLASS):
            if any(ends_with(context.engine.qualified(*c), said) for c in [(one[1], one[2])]):
                return True
    return False


def _catches(context: Context, codes: list[Code], said: str) -> Finding:
    hits, others = [], []
    for path, scope in codes:
        view = context.program.view(path)
        for block in view.outline.blocks:
            if block.kind == facts.EXCEPT and block.scope == scope:
                names = [part.strip(" ()") for part in block.text.partition(" as ")[0].split(",")]
                if any(name and (ends_with(name, said) or ends_with(said, name)) for name in names):
                    hits.append((path, block.line))
                else:
                    others.append((path, block.line))
    if hits:
        return verified("except", f"catches {said}", context.lines(hits))
    here = context.lines([(codes[0][0], _line_of(context, codes[0])), *others])
    return refuted("no handler", f"has no handler of {said}", here)


# --- guards -----------------------------------------------------------------------------------------------------------
def conditional(context: Context, claim: Claim) -> Finding:
    """The guards around each site: one of them, or a part of it joined by `and`, must be the text."""
    inner = claim.args.get("call") or claim.args.get("callee") or claim.args.get("calls")
    guard = " ".join(str(claim.object).split())
    sites: list[tuple[str, int]] = []
    if inner:
        subject = codes_of(context, claim.subject)
        if subject.lost is not None:
            return subject.lost
        for codes in subject.groups:
            sites += [
                (edge.file, edge.expression)
                for edge in edges_in(context, codes)
                if edge.expression >= 0 and _is_named(context, edge, str(inner))
            ]
        if not sites:
            tokens = last_part(str(inner))
            sites = [
                (path, number)
                for codes in subject.groups for path, scope in codes
                for number in context.table(path).calls(tokens)
                if context.table(path).place(number)[0] == scope
            ]  # fmt: skip
    else:
        from codemap.queries.calls import edges_to
        from codemap.queries.targets import targets_of

        wanted = targets_of(context.engine, claim.subject)
        if not wanted.targets:
            return context.missing(claim.subject)
        for target in wanted.targets:
            if target.value[0] in (FUNCTION, CLASS):
                sites += [(edge.file, edge.expression) for edge in edges_to(context.engine, target)]
        sites = [site for site in sites if site[1] >= 0]
    sites = sorted(set(sites))
    if not sites:
        return undecided("no site", f"no call of {inner or claim.subject} is known there")
    good, bare, other = [], [], []
    for path, number in sites:
        table = context.table(path)
        texts = guards_of(context, table, number)
        place = (path, int(table.rows[number][1]))
        if any(_implies(text, guard) for text in texts):
            good.append(place)
        elif not texts and not _left_early(table, number):
            bare.append(place)
        else:
            other.append(place)
    if len(good) == len(sites):
        return verified("guards", f"every call is under {guard}", context.lines(good))
    if bare and inner:
        return refuted("unguarded", "a call is under no guard at all", context.lines(bare))
    return undecided(
        "other guards", f"not every call is under the text {guard}", context.lines([*bare, *other])
    )


def _is_named(context: Context, edge: Any, name: str) -> bool:
    from codemap.queries.targets import name_of

    return ends_with(name_of(context.engine, edge.callee), name)


def guards_of(context: Context, table: Table, number: int) -> list[str]:
    """The conditions, as written, that hold where an expression runs."""
    blocks = table.view.outline.blocks
    found: list[str] = []
    for block in table.block_chain(table.place(number)[1]):
        row = blocks[block]
        if row.kind == facts.IF and row.text:
            found.append(row.text)
        elif row.kind == facts.ELSE and row.text:
            found.append(f"not ({row.text})" if " " in row.text else f"not {row.text}")
    for test, truth in table.tests(number):
        text = _text_of(table, test, lines_of(context.engine, table.path))
        if text:
            found.append(text if truth else f"not {text}")
    return found


def _text_of(table: Table, number: int, lines: list[str]) -> str:
    """A name or dotted chain as written, "" for anything else."""
    row = table.rows[number]
    if row[0] == op.NAME:
        return str(row[3])
    if row[0] == op.ATTRIBUTE:
        inner = _text_of(table, row[3], lines)
        return f"{inner}.{row[4]}" if inner else ""
    if row[0] == op.CALL and not row[4] and not row[5]:
        inner = _text_of(table, row[3], lines)
        return f"{inner}()" if inner else ""
    if row[0] == op.UNARY and row[3] == "not":
        inner = _text_of(table, row[4], lines)
        return f"not {inner}" if inner else ""
    return ""


def _implies(text: str, guard: str) -> bool:
    """Whether a condition has the text as a whole, or as one of the parts that `and` joins."""
    parts = _conjuncts(" ".join(text.split()))
    wanted = _conjuncts(guard)
    return all(any(_is_same(part, one) for part in parts) for one in wanted)


def _conjuncts(text: str) -> list[str]:
    depth, start, found = 0, 0, []
    if re.search(r"\bor\b", text) and "(" not in text:
        return [text]
    for match in re.finditer(r"[()\[\]{}]|\band\b|\bor\b", text):
        word = match[0]
        if word in "([{":
            depth += 1
        elif word in ")]}":
            depth -= 1
        elif depth == 0 and word == "or":
            return [text]
        elif depth == 0:
            found.append(text[start : match.start()].strip())
            start = match.end()
    return [*found, text[start:].strip()]


def _is_same(part: str, wanted: str) -> bool:
    if part == wanted:
        return True
    negated = part.startswith("not ")
    if negated != wanted.startswith("not "):
        return False
    one, other = part.removeprefix("not ").strip("() "), wanted.removeprefix("not ").strip("() ")
    return re.fullmatch(r"[\w.()]+", one) is not None and ends_with(one, other)


def _left_early(table: Table, number: int) -> bool:
    """Whether the function may have been left before the expression."""
    scope, _ = table.place(number)
    return any(flow.kind in ("return", "raise") and flow.order <= number for flow in table.flows(scope))


__all__ = ["EXTERNAL", "Line", "Subject", "conditional", "constructs", "raises", "returns"]
