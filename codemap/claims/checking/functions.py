# Kinds about the header of a function and about values that are written down: parameters, defaults, annotations,
# constants, decorators. Headers are cut from the source by the queries; here their text is compared.
from __future__ import annotations

import ast
import warnings
from typing import Any, Final

from codemap.claims.checking.context import (
    Context,
    ambiguous,
    counted,
    ends_with,
    last_part,
    listed,
    literal,
    refuted,
    undecided,
    verified,
)
from codemap.claims.statements import ALL, ONLY, SOME, Claim, Finding, Line
from codemap.model import facts
from codemap.queries.class_card import _declaration
from codemap.queries.construction import constructor
from codemap.queries.describe import describe
from codemap.queries.matching import Match
from codemap.resolve.attributes import binding_of, lookup_attribute, lookup_dotted
from codemap.resolve.records import ATTRIBUTE, CLASS, CONSTANT, FUNCTION, METHOD, Definition

_CODE: Final = (FUNCTION, METHOD)
_VALUES: Final = (ATTRIBUTE, CONSTANT)
_TYPING: Final = {
    "List": "list", "Dict": "dict", "Tuple": "tuple", "Set": "set", "FrozenSet": "frozenset", "Type": "type",
    "Text": "str",
}  # fmt: skip


# --- headers as syntax -----------------------------------------------------------------------------------------------
def parsed(text: str) -> ast.AST | None:
    """A text as Python, None when it is none."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return None


def header_of(context: Context, function: Definition) -> ast.arguments | None:
    """The parameters of a function as its header has them; None when this interpreter cannot read it."""
    card = describe(context.program, Match(function, "certain", "definition"))
    node = parsed(f"{card['signature'].rstrip(':')}: ...")
    body = getattr(node, "body", None)
    if not body or not isinstance(body[0], ast.FunctionDef | ast.AsyncFunctionDef):
        return None
    return body[0].args


def returned(context: Context, function: Definition) -> ast.expr | None:
    """The return annotation."""
    card = describe(context.program, Match(function, "certain", "definition"))
    node = parsed(f"{card['signature'].rstrip(':')}: ...")
    body = getattr(node, "body", None)
    if not body or not isinstance(body[0], ast.FunctionDef | ast.AsyncFunctionDef):
        return None
    return body[0].returns


def parameters_of(arguments: ast.arguments) -> dict[str, tuple[ast.arg, ast.expr | None]]:
    """Name (with its stars) -> the parameter and its default, in order."""
    found: dict[str, tuple[ast.arg, ast.expr | None]] = {}
    plain = [*arguments.posonlyargs, *arguments.args]
    defaults: list[ast.expr | None] = [None] * (len(plain) - len(arguments.defaults)) + list(
        arguments.defaults
    )
    for one, default in zip(plain, defaults, strict=True):
        found[one.arg] = (one, default)
    if arguments.vararg is not None:
        found["*" + arguments.vararg.arg] = (arguments.vararg, None)
    for one, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        found[one.arg] = (one, default)
    if arguments.kwarg is not None:
        found["**" + arguments.kwarg.arg] = (arguments.kwarg, None)
    return found


def functions_meant(
    context: Context, claim: Claim, name: str = ""
) -> tuple[list[Definition], Finding | None]:
    """The functions that a subject means; a class means its constructor. With the finding when there are none."""
    name = name or claim.subject
    found = context.definitions(name, _CODE)
    if found:
        return found, None
    classes = context.definitions(name, (CLASS,))
    made: list[Definition] = []
    for klass in classes:
        answer = lookup_attribute(context.program, klass, "__init__")
        made += [item.definition for item in answer.found if item.definition.kind == METHOD]
    if made:
        return made, None
    if classes:
        return [], undecided(
            "made constructor", f"{name} has no written constructor", [context.at(classes[0])]
        )
    other = context.definitions(name)
    if other:
        told = f"{name} is a {other[0].kind}, no function"
        return [], refuted("another kind", told, context.lines((one.file, one.line) for one in other))
    return [], context.missing(name, _CODE)


# --- parameters --------------------------------------------------------------------------------------------------------
def signature(context: Context, claim: Claim) -> Finding:
    """One name asks for a parameter, a list in brackets for exactly these."""
    wanted = claim.args.get("parameter") if claim.object in (None, "") else claim.object
    if wanted in (None, ""):
        return undecided("nothing said", "the claim names no parameter")
    if not context.definitions(claim.subject, _CODE):
        made = _made_signature(context, claim, wanted)
        if made is not None:
            return made
    found, lost = functions_meant(context, claim)
    if lost is not None:
        return lost

    def check(one: Definition) -> Finding:
        here = context.at(one)
        arguments = header_of(context, one)
        if arguments is None:
            return undecided("header not read", f"the header of {one.name} cannot be read", [here])
        rows = parameters_of(arguments)
        if one.kind == METHOD and rows and not _is_static(context, one):
            first = next(iter(rows))
            bare = {name: row for name, row in rows.items() if name != first}
        else:
            bare = rows
        finding = _compare(rows, bare, wanted, claim, one.name, here)
        stubs = list(_overloads(context, one))
        if stubs and finding.verdict == "refuted":
            lines = [here, *context.lines(stubs)]
            return ambiguous("overloads", f"{one.name} has {counted(len(stubs), 'overload')}", lines)
        return finding

    return context.each(found, check, claim.subject)


def _made_signature(context: Context, claim: Claim, wanted: Any) -> Finding | None:
    """The constructor that a decorator writes."""
    classes = [one for one in context.definitions(claim.subject, (CLASS,)) if one.scope >= 0]
    if len(classes) != 1:
        return None
    klass = classes[0]
    made = constructor(context.engine, (klass.file, klass.scope))
    if made is None:
        return None
    rows: dict[str, tuple[ast.arg, ast.expr | None]] = {
        name: (ast.arg(arg=name), None) for name in dict.fromkeys([*made[0], *made[1]])
    }
    return _compare(rows, rows, wanted, claim, klass.name, context.at(klass))


def _is_static(context: Context, one: Definition) -> bool:
    return "staticmethod" in describe(context.program, Match(one, "certain", "definition"))["flags"]


def _overloads(context: Context, one: Definition) -> list[tuple[str, int]]:
    from codemap.queries.definitions import matches_of

    return [
        (row.definition.file, row.definition.line)
        for row in matches_of(context.program, one.name).matches
        if row.how == "overload" and row.definition.file == one.file
    ]


def _compare(
    rows: dict[str, Any], bare: dict[str, Any], wanted: Any, claim: Claim, name: str, here: Line
) -> Finding:
    """Parameters as the claim has them against those of the header."""
    told = f"{name}({', '.join(rows)})"
    exact = False
    said: dict[str, tuple[ast.arg, ast.expr | None]] = {}
    if isinstance(wanted, list | tuple):
        names = [str(one).strip() for one in wanted]
        text = ", ".join(names)
    else:
        text = str(wanted).strip()
        exact = text.startswith("(") and text.rstrip().endswith(")")
        text = text[1:-1] if exact else text
    node = parsed(f"def f({text}): ...")
    body = getattr(node, "body", None)
    if not body:
        return undecided("not understood", f"{wanted} is no list of parameters", [here])
    said = parameters_of(body[0].args)
    single = len(said) == 1 and not exact and not isinstance(wanted, list | tuple)
    missing = [one for one in said if one not in rows and "*" + one not in rows and "**" + one not in rows]
    if missing:
        if any(one.startswith("**") for one in rows) and not exact and claim.quantifier not in (ALL, ONLY):
            return undecided(
                "takes more by keyword", f"{told} takes any keyword, {missing[0]} perhaps", [here]
            )
        return refuted("no such parameter", f"{told} has no {', '.join(missing)}", [here], told)
    for one, (argument, default) in said.items():
        real, given = rows.get(one) or rows.get("*" + one) or rows["**" + one]
        if argument.annotation is not None and not same_annotation(argument.annotation, real.annotation):
            return refuted("annotation", f"{told}: {one} is annotated otherwise", [here])
        if default is not None and (given is None or ast.dump(default) != ast.dump(given)):
            shown = "no default" if given is None else ast.unparse(given)
            return refuted("default", f"{told}: {one} has {shown}", [here])
    if single or claim.quantifier == SOME:
        return verified("parameters", told, [here])
    claimed = list(said)
    if claimed in (list(bare), list(rows)):
        return verified("parameters", told, [here])
    if sorted(claimed) in (sorted(bare), sorted(rows)):
        return refuted("order of parameters", told, [here], told)
    if exact or claim.quantifier in (ALL, ONLY):
        return refuted("parameters", told, [here], told)
    extra = [one for one in bare if one not in said]
    return ambiguous("more parameters", f"{told} also has {', '.join(extra)}", [here])


# --- annotations -----------------------------------------------------------------------------------------------------
def same_annotation(one: ast.expr | None, other: ast.expr | None) -> bool:
    """Whether two annotations say the same: `Optional[X]` is `X | None`, a shorter dotted name is the longer one."""
    if one is None or other is None:
        return one is other
    return _same(_normal(one), _normal(other))


def _normal(node: ast.expr) -> Any:
    """An annotation as nested tuples: ("name", parts), ("union", members), ("of", head, arguments), ("text", ...)."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        inner = parsed(node.value.strip())
        body = getattr(inner, "body", None)
        if body and isinstance(body[0], ast.Expr):
            return _normal(body[0].value)
        return ("text", node.value)
    if isinstance(node, ast.Constant):
        return ("name", (repr(node.value),)) if node.value is None else ("text", repr(node.value))
    if isinstance(node, ast.Name | ast.Attribute):
        parts = tuple(ast.unparse(node).split("."))
        return ("name", (*parts[:-1], _TYPING.get(parts[-1], parts[-1])))
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return _union([_normal(node.left), _normal(node.right)])
    if isinstance(node, ast.Subscript):
        head = ast.unparse(node.value).split(".")[-1]
        inside = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        arguments = [_normal(one) for one in inside]
        if head == "Optional":
            return _union([*arguments, ("name", ("None",))])
        if head == "Union":
            return _union(arguments)
        if head == "Literal":
            return ("of", ("name", ("Literal",)), tuple(("text", ast.unparse(one)) for one in inside))
        return ("of", _normal(node.value), tuple(arguments))
    if isinstance(node, ast.List):
        return ("list", tuple(_normal(one) for one in node.elts))
    return ("text", ast.unparse(node))


def _union(members: list[Any]) -> Any:
    flat: list[Any] = []
    for one in members:
        flat += one[1] if one[0] == "union" else [one]
    return ("union", tuple(sorted(dict.fromkeys(flat), key=repr)))


def _same(one: Any, other: Any) -> bool:
    if one[0] != other[0]:
        return False
    if one[0] == "name":
        short, long = sorted((one[1], other[1]), key=len)
        return bool(long[-len(short) :] == short)
    if one[0] == "union":
        left, right = list(one[1]), list(other[1])
        return len(left) == len(right) and all(any(_same(a, b) for b in right) for a in left)
    if one[0] == "of":
        inner = len(one[2]) == len(other[2]) and all(map(_same, one[2], other[2]))
        return inner and _same(one[1], other[1])
    if one[0] == "list":
        return len(one[1]) == len(other[1]) and all(map(_same, one[1], other[1]))
    return bool(one == other)


def annotation(context: Context, claim: Claim) -> Finding:
    """The text of the annotation, normalised."""
    node = parsed(str(claim.object).strip())
    body = getattr(node, "body", None)
    if not body or len(body) != 1 or not isinstance(body[0], ast.Expr):
        return undecided("not understood", f"{claim.object} is no annotation")
    wanted = body[0].value
    name = claim.args.get("parameter")
    if name is None and not context.definitions(claim.subject, _CODE):
        found = context.definitions(claim.subject, _VALUES)
        if found:
            return context.each(found, lambda one: _field_annotation(context, one, wanted), claim.subject)
    found, lost = functions_meant(context, claim)
    if lost is not None:
        return lost

    def check(one: Definition) -> Finding:
        here = context.at(one)
        if name in (None, "return"):
            real = returned(context, one)
            return _annotated(real, wanted, f"what {one.name} returns", here)
        arguments = header_of(context, one)
        if arguments is None:
            return undecided("header not read", f"the header of {one.name} cannot be read", [here])
        rows = parameters_of(arguments)
        row = rows.get(str(name)) or rows.get(f"*{name}") or rows.get(f"**{name}")
        if row is None:
            return refuted("no such parameter", f"{one.name}({', '.join(rows)}) has no {name}", [here])
        return _annotated(row[0].annotation, wanted, f"{name} of {one.name}", here)

    return context.each(found, check, claim.subject)


def _annotated(real: ast.expr | None, wanted: ast.expr, what: str, here: Line) -> Finding:
    if real is None:
        return refuted("no annotation", f"{what} is not annotated", [here])
    told = f"{what} is annotated {ast.unparse(real)}"
    if same_annotation(wanted, real):
        return verified("annotation", told, [here])
    return refuted("annotation", told, [here], ast.unparse(real))


def _field_annotation(context: Context, one: Definition, wanted: ast.expr) -> Finding:
    here = context.at(one)
    binding = binding_of(context.program, one)
    if binding is None:
        return undecided("set by a method", f"{one.name} is set by a method", [here])
    declared, _ = _declaration(context.engine, context.table(one.file), binding)
    node = parsed(declared) if declared else None
    body = getattr(node, "body", None)
    real = body[0].value if body and isinstance(body[0], ast.Expr) else None
    return _annotated(real, wanted, one.name, here)


# --- values -----------------------------------------------------------------------------------------------------------
def default_value(context: Context, claim: Claim) -> Finding:
    """The default expression; what is computed is compared as it is written."""
    name = claim.args.get("parameter")
    if name is None and not context.definitions(claim.subject, _CODE):
        found = context.definitions(claim.subject, _VALUES)
        if found:
            return context.each(found, lambda one: _value(context, one, claim.object), claim.subject)
        head, _, last = claim.subject.rpartition(".")
        if head and context.definitions(head, _CODE) and last.isidentifier():
            claim = claim._replace(subject=head)  # `function.parameter`
            name = last
    if name is not None and not context.definitions(claim.subject, _CODE):
        fields = context.definitions(f"{claim.subject}.{name}", _VALUES)
        made = [
            one for one in context.definitions(claim.subject, (CLASS,))
            if one.scope >= 0 and constructor(context.engine, (one.file, one.scope)) is not None
        ]  # fmt: skip
        if fields and made:
            return context.each(fields, lambda one: _value(context, one, claim.object), claim.subject)
    if name is None:
        if not context.definitions(claim.subject, _CODE):
            return context.missing(claim.subject)
        return undecided("no parameter", "a default of a function needs args.parameter")
    found, lost = functions_meant(context, claim)
    if lost is not None:
        return lost

    def check(one: Definition) -> Finding:
        here = context.at(one)
        arguments = header_of(context, one)
        if arguments is None:
            return undecided("header not read", f"the header of {one.name} cannot be read", [here])
        rows = parameters_of(arguments)
        row = rows.get(str(name))
        if row is None:
            return refuted("no such parameter", f"{one.name}({', '.join(rows)}) has no {name}", [here])
        if row[1] is None:
            return refuted("no default", f"{name} of {one.name} has no default", [here])
        places = [(one.file, one.line), *_parameter_place(context, one, str(name))]
        return compare_value(
            ast.unparse(row[1]), claim.object, f"{name} of {one.name}", context.lines(places)
        )

    return context.each(found, check, claim.subject)


def _parameter_place(context: Context, one: Definition, name: str) -> list[tuple[str, int]]:
    rows = context.table(one.file).parameters(one.scope)
    return [(one.file, row.line) for row in rows if row.name == name]


def compare_value(real: str, said: Any, what: str, lines: Any) -> Finding:
    """A value as it is written against the one that is claimed."""
    told = f"{what} is {real}"
    known, value = literal(real)
    claimed = said if not isinstance(said, str) else said.strip()
    options: list[Any] = [claimed]
    if isinstance(claimed, str):
        read, other = literal(claimed)
        options = [other] if read else []
        options.append(claimed)
        if not known and _plain(real) == _plain(claimed):
            return verified("as written", told, lines)
    if known:
        if any(_equal(value, option) for option in options):
            return verified("literal", told, lines)
        return refuted("literal", told, lines, real)
    return undecided("computed", f"{told}, which is computed", lines)


def _plain(text: str) -> str:
    node = parsed(text)
    return ast.unparse(node) if node is not None else text


def _equal(one: Any, other: Any) -> bool:
    if isinstance(one, bool) or isinstance(other, bool) or one is None or other is None:
        return one is other
    if isinstance(one, int | float) and isinstance(other, int | float):
        return one == other
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return type(one) is type(other) and len(one) == len(other) and all(map(_equal, one, other))
    return type(one) is type(other) and bool(one == other)


def constant(context: Context, claim: Claim) -> Finding:
    """The binding that gives the value, and every other one."""
    found = context.definitions(claim.subject, _VALUES)
    if not found:
        return context.about(claim, _VALUES, lambda one: _value(context, one, claim.object))
    return context.each(found, lambda one: _value(context, one, claim.object), claim.subject)


def _value(context: Context, one: Definition, said: Any) -> Finding:
    here = context.at(one)
    binding = binding_of(context.program, one)
    if binding is None:
        return undecided("set by a method", f"{one.name} is set by methods, not by a constant", [here])
    view = context.program.view(one.file)
    numbers = view.bindings(one.owner, binding.name) if one.owner >= 0 else []
    rows = [view.outline.bindings[number] for number in numbers]
    giving = [row for row in rows if row.kind != facts.DECLARED]
    if not giving:
        return refuted("no value", f"{one.name} is declared without a value", [here])
    if any(row.kind not in (facts.ASSIGN, facts.ANNOTATED) for row in giving):
        lines = context.lines((one.file, row.line) for row in giving)
        return undecided("changed", f"{one.name} is changed after it is set", lines)
    findings = []
    for row in giving:
        _, text = _declaration(context.engine, context.table(one.file), row)
        text, made = _field_default(text)
        lines = context.lines([(one.file, row.line)])
        if made:
            findings.append(compare_value(made, said, one.name, lines))
        elif text:
            findings.append(compare_value(text, said, one.name, lines))
        else:
            findings.append(undecided("no text", f"the value of {one.name} is not read", lines))
    if len({finding.verdict for finding in findings}) == 1:
        finding = findings[0]
        if finding.verdict == "verified":
            changed = _changed_elsewhere(context, one, binding.name)
            if changed:
                return undecided("changed", f"{finding.reason}; other code sets it too", changed)
        return finding
    every = [line for finding in findings for line in (*finding.evidence, *finding.counter)]
    return ambiguous("several values", "; ".join(finding.reason for finding in findings), every)


def _field_default(text: str) -> tuple[str, str]:
    """`field(default=3)` -> 3, `field(default_factory=list)` -> []; the text itself otherwise."""
    node = parsed(text)
    body = getattr(node, "body", None)
    if not body or not isinstance(body[0], ast.Expr) or not isinstance(body[0].value, ast.Call):
        return text, ""
    call = body[0].value
    if last_part(ast.unparse(call.func)) not in ("field", "Field", "ib", "attrib"):
        return text, ""
    for keyword in call.keywords:
        if keyword.arg == "default":
            return text, ast.unparse(keyword.value)
        if keyword.arg in ("default_factory", "factory"):
            made = {"list": "[]", "dict": "{}", "tuple": "()"}.get(ast.unparse(keyword.value), "")
            return text, made
    if call.args and last_part(ast.unparse(call.func)) == "Field":
        return text, ast.unparse(call.args[0])
    return text, ""


def _changed_elsewhere(context: Context, one: Definition, name: str) -> list[Line]:
    """Other code that sets a module's or a class's name."""
    from codemap.queries.patches import patches_of
    from codemap.resolve.records import MODULE

    view = context.program.view(one.file)
    if one.owner == 0:
        owner = Definition(MODULE, view.module, one.file, 1, 0, -1, 0)
    else:
        owner = context.engine.class_definition(one.file, one.owner)
        if view.outline.scopes[one.owner].kind != facts.CLASS:
            return []
        row = view.class_facts(one.owner)
        if row is not None and row.decorators:
            return []  # of a field, other values are no other default
    return list(context.lines((row.file, row.line) for row in patches_of(context.program, owner, name)))


# --- decorators --------------------------------------------------------------------------------------------------------
def decorated(context: Context, claim: Claim) -> Finding:
    """The decorators of the statement, as written and as resolved."""
    text = str(claim.object).strip().lstrip("@")
    head = text.partition("(")[0]

    def check(one: Definition) -> Finding:
        here = context.at(one)
        view = context.program.view(one.file)
        row = view.class_facts(one.scope) or view.function_facts(one.scope) if one.scope >= 0 else None
        if row is None:
            return refuted("no statement", f"{one.name} is a {one.kind}, which has no decorators", [here])
        start = view.outline.scopes[one.scope].start_line
        lines = context.lines((one.file, number) for number in range(start, one.line + 1))
        told = f"{one.name} has {', '.join('@' + (c or '...') for c in row.decorators) or 'no decorators'}"
        scope = view.outline.scopes[one.scope].parent
        for written, value in zip(row.decorators, row.decorator_values, strict=False):
            names = {written} if written else set()
            if written:
                names |= {
                    i.definition.name
                    for i in lookup_dotted(context.program, view, scope, written, value).found
                }
            if any(ends_with(name, head) or name == head for name in names):
                if "(" in text and not any(
                    text.replace(" ", "") in line.text.replace(" ", "") for line in lines
                ):
                    continue
                return verified("decorator", told, lines)
        if "" in row.decorators:
            return undecided("unreadable decorator", told, lines)
        return refuted("decorators", told, lines)

    return context.about(claim, (CLASS, FUNCTION, METHOD), check)


__all__ = ["annotation", "constant", "decorated", "default_value", "listed", "signature"]
