# A small evaluator of expressions for the few places where a name's meaning is computed by constants alone: a
# module's `__getattr__`, tables of lazy imports, `__all__ = [*A, *B]`. It knows literals, names, attributes,
# subscripts of literal tables, string building, comparisons, getattr, importlib and calls of functions of the
# tree. Whatever else comes, the value is unknown (None): it never guesses.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from codemap.model import facts
from codemap.model.answers import POSSIBLE
from codemap.model.facts import Binding
from codemap.resolve.attributes import attribute_of, binding_of
from codemap.resolve.modules import imported
from codemap.resolve.names import local_bindings, lookup_name
from codemap.resolve.naming import external, module_definition
from codemap.resolve.program import Program
from codemap.resolve.records import FUNCTION, METHOD, Found, Resolution
from codemap.resolve.views import View
from codemap.semantic import expressions as op

_DEEPEST: Final = 30


class Constant(NamedTuple):
    """A value that is known: a string, a number, True, False or None."""

    value: Any


class Literal(NamedTuple):
    """A container as written: the expression of a list, tuple, set or dict, and where it stands."""

    frame: Frame
    expression: int


class Frame(NamedTuple):
    """Code that is being evaluated: the scope of a file, with what its parameters are known to be."""

    program: Program
    view: View
    scope: int
    known: Mapping[str, Value]
    depth: int = 0

    def row(self, expression: int) -> tuple[Any, ...]:
        """The row of an expression in the file's table."""
        return self.program.body(self.view.path).expressions[expression]


Value = Constant | Literal | Resolution | None


def evaluate(frame: Frame, expression: int) -> Value:
    """The value of an expression; None where it is not known."""
    if expression < 0 or frame.depth > _DEEPEST:
        return None
    frame = frame._replace(depth=frame.depth + 1)
    row = frame.row(expression)
    kind = row[0]
    if kind == op.CONSTANT:
        return Constant(row[4]) if row[4] is not None or row[3] == "NoneType" else None
    if kind in (op.TUPLE, op.LIST, op.SET, op.DICT):
        return Literal(frame, expression)
    if kind == op.NAME:
        return _name(frame, row[3], expression)
    if kind == op.ATTRIBUTE:
        value = evaluate(frame, row[3])
        return (
            _resolved(attribute_of(frame.program, value, row[4], True))
            if isinstance(value, Resolution)
            else None
        )
    if kind == op.SUBSCRIPT:
        return _item(evaluate(frame, row[3]), evaluate(frame, row[4]))
    if kind == op.ELEMENT:
        return _item(evaluate(frame, row[3]), Constant(row[4]))
    if kind == op.CALL:
        return _call(frame, row)
    if kind == op.FSTRING:
        return _joined([evaluate(frame, part) for part in row[3]])
    if kind == op.FORMATTED:
        return evaluate(frame, row[3]) if not row[4] and row[5] < 0 else None
    if kind == op.BINARY:
        return _binary(row[3], evaluate(frame, row[4]), evaluate(frame, row[5]))
    if kind == op.CONDITIONAL:
        test = truth(frame, row[3])
        return None if test is None else evaluate(frame, row[4] if test else row[5])
    if kind == op.WALRUS:
        return evaluate(frame, row[3])
    if kind in (op.COMPARE, op.BOOLEAN, op.UNARY):
        answer = truth(frame, expression)
        return None if answer is None else Constant(answer)
    return None


def truth(frame: Frame, expression: int) -> bool | None:
    """Whether a condition holds; None where that is not known."""
    if expression < 0 or frame.depth > _DEEPEST:
        return None
    row = frame.row(expression)
    if row[0] == op.UNARY and row[3] == "not":
        inner = truth(frame, row[4])
        return None if inner is None else not inner
    if row[0] == op.BOOLEAN:
        parts = [truth(frame, part) for part in row[4]]
        decisive: bool = row[3] == "or"
        if decisive in parts:
            return decisive
        return None if None in parts else (not decisive)
    if row[0] == op.COMPARE:
        return _compare(row[3], evaluate(frame, row[4]), [evaluate(frame, part) for part in row[5]])
    value = evaluate(frame, expression)
    if isinstance(value, Constant):
        return bool(value.value)
    return None


def strings(value: Value) -> tuple[str, ...] | None:
    """The strings of a literal list, tuple or set (`*other` spliced in), or the keys of a dict; else None."""
    if not isinstance(value, Literal):
        return None
    row = value.frame.row(value.expression)
    found: list[str] = []
    for part in row[3]:
        if part < 0:
            return None
        inner = value.frame.row(part)
        if inner[0] == op.STARRED:
            more = strings(evaluate(value.frame, inner[3]))
            if more is None:
                return None
            found += more
            continue
        item = evaluate(value.frame, part)
        if not isinstance(item, Constant) or not isinstance(item.value, str):
            return None
        found.append(item.value)
    return tuple(found)


# --- one kind of expression each --------------------------------------------------------------------------------
def _resolved(answer: Resolution) -> Resolution | None:
    return answer if answer.found else None


def _name(frame: Frame, name: str, expression: int) -> Value:
    if name in frame.known:
        return frame.known[name]
    if name == "__name__":
        return Constant(frame.view.module)
    if name == "__package__":
        return Constant(frame.view.module if frame.view.package else frame.view.module.rpartition(".")[0])
    local = local_bindings(frame.program, frame.view, frame.scope).get(name, [])
    for _, binding in reversed(local):
        holds = feasible(frame, binding.block)
        if holds is False:
            continue
        if binding.kind == facts.IMPORT:
            if holds and binding.order <= expression:
                row = frame.view.outline.imports[binding.target]
                return _resolved(imported(frame.program, frame.view, row, name))
            continue
        if binding.order <= expression:
            return evaluate(frame, binding.value)
    answer = lookup_name(
        frame.program, frame.view, frame.scope, name, None if frame.scope > 0 else expression
    )
    if len(answer.found) == 1:
        definition = answer.found[0].definition
        binding_made = binding_of(frame.program, definition)
        if binding_made is not None and binding_made.value >= 0 and binding_made.kind != facts.PARAMETER:
            value = _global(frame, definition.file, binding_made)
            if value is not None:
                return value
    return _resolved(answer)


def _global(frame: Frame, path: str, binding: Binding) -> Value:
    there = Frame(frame.program, frame.program.view(path), binding.within, {}, frame.depth)
    return evaluate(there, binding.value)


def _item(container: Value, key: Value) -> Value:
    if not isinstance(container, Literal) or not isinstance(key, Constant):
        return None
    row = container.frame.row(container.expression)
    if row[0] == op.DICT:
        for at, value in zip(row[3], row[4], strict=True):
            here = evaluate(container.frame, at) if at >= 0 else None
            if isinstance(here, Constant) and here.value == key.value:
                return evaluate(container.frame, value)
            if at < 0:  # `**other`
                found = _item(evaluate(container.frame, value), key)
                if found is not None:
                    return found
        return None
    if (
        row[0] in (op.TUPLE, op.LIST)
        and isinstance(key.value, int)
        and -len(row[3]) <= key.value < len(row[3])
    ):
        return evaluate(container.frame, row[3][key.value])
    return None


def _joined(parts: list[Value]) -> Value:
    texts = [part.value for part in parts if isinstance(part, Constant) and isinstance(part.value, str)]
    return Constant("".join(texts)) if len(texts) == len(parts) else None


def _binary(operator: str, left: Value, right: Value) -> Value:
    if operator != "+" or not isinstance(left, Constant) or not isinstance(right, Constant):
        return None
    if isinstance(left.value, str) and isinstance(right.value, str):
        return Constant(left.value + right.value)
    return None


def _compare(operators: str, left: Value, rights: list[Value]) -> bool | None:
    if len(rights) != 1 or not isinstance(left, Constant):
        return None
    right = rights[0]
    if operators in ("==", "is", "!=", "is-not"):
        if not isinstance(right, Constant):
            return None
        return bool(left.value == right.value) == (operators in ("==", "is"))
    if operators in ("in", "not-in"):
        members = strings(right)
        return None if members is None else (left.value in members) == (operators == "in")
    return None


def _call(frame: Frame, row: tuple[Any, ...]) -> Value:
    function, positional, names, values = row[3:7]
    callee = frame.row(function)
    if callee[0] == op.ATTRIBUTE and callee[4] == "get" and positional:
        table = evaluate(frame, callee[3])
        if isinstance(table, Literal):
            found = _item(table, evaluate(frame, positional[0]))
            return found if found is not None or len(positional) < 2 else evaluate(frame, positional[1])
    target = evaluate(frame, function)
    if not isinstance(target, Resolution) or len(target.found) != 1:
        return None
    definition = target.found[0].definition
    arguments = [evaluate(frame, part) for part in positional]
    keywords = {name: evaluate(frame, part) for name, part in zip(names, values, strict=True)}
    if definition.name == "builtins.getattr" and len(arguments) >= 2:
        thing, name = arguments[0], arguments[1]
        if isinstance(thing, Resolution) and isinstance(name, Constant) and isinstance(name.value, str):
            return _resolved(attribute_of(frame.program, thing, name.value, False))
        return None
    if definition.name in ("importlib.import_module", "builtins.__import__"):
        package = keywords.get("package", arguments[1] if len(arguments) > 1 else None)
        return imported_by_call(frame, arguments[0] if arguments else keywords.get("name"), package)
    if definition.kind in (FUNCTION, METHOD) and definition.scope >= 0:
        return called(frame, definition.file, definition.scope, arguments, keywords)
    return None


def imported_by_call(frame: Frame, name: Value, package: Value) -> Value:
    """The module that `import_module(name, package)` gives."""
    if not isinstance(name, Constant) or not isinstance(name.value, str):
        return None
    module: str | None = name.value
    if name.value.startswith("."):
        base = package.value if isinstance(package, Constant) else frame.view.module
        module = _relative(str(base), name.value)
    if not module:
        return None
    definition = module_definition(frame.program, module, frame.view.path) or external(module)
    return Resolution((Found(definition, how="import"),))


def _relative(package: str, name: str) -> str | None:
    """`importlib.util.resolve_name` without its error."""
    dots = len(name) - len(name.lstrip("."))
    parts = package.split(".")
    if dots > len(parts):
        return None
    return ".".join([*parts[: len(parts) - dots + 1], *filter(None, [name[dots:]])])


# --- functions --------------------------------------------------------------------------------------------------
def called(
    frame: Frame, path: str, scope: int, arguments: list[Value], keywords: Mapping[str, Value] = {}
) -> Value:
    """What a function of the tree returns for these arguments: its first `return` that they lead to.

    Before a `return` that is surely reached may stand others whose conditions are not known: what they all agree
    on is the answer, and several things that a name may denote are possible at most.
    """
    program = frame.program
    view = program.view(path)
    function = view.function_facts(scope)
    if function is None or frame.depth > _DEEPEST:
        return None
    known = dict(zip(function.parameters, arguments, strict=False))
    known.update((name, value) for name, value in keywords.items() if name in function.parameters)
    inner = Frame(program, view, scope, dict(known), frame.depth + 1)
    perhaps: list[Value] = []
    for flow in program.body(path).flows:
        if flow.kind != "return" or flow.scope != scope:
            continue
        holds = feasible(inner, flow.block)
        value = evaluate(inner, flow.value) if holds is not False else None
        if value is None:
            continue
        if holds and not perhaps:
            return value
        perhaps.append(value)
        if holds:
            break
    asked = {one.value for one in arguments if isinstance(one, Constant)}
    return _either(perhaps, asked)


def _either(values: list[Value], asked: set[Any]) -> Value:
    """One of some values, of which nobody knows which: what bears the very name that was asked for comes first."""
    if not all(isinstance(value, Resolution) for value in values):
        return values[0] if all(value == values[0] for value in values) else None
    found = {
        item.definition: item for value in values if isinstance(value, Resolution) for item in value.found
    }
    if not found:
        return None
    named = [item for item in found.values() if item.definition.name.rpartition(".")[2] in asked]
    if len(named) == 1:
        return Resolution((named[0],))
    return Resolution(tuple(item._replace(confidence=POSSIBLE) for item in found.values()))


def feasible(frame: Frame, block: int) -> bool | None:
    """Whether the conditions around a block of the frame's function hold for what is known; None: unknown."""
    answer: bool | None = True
    blocks = frame.view.outline.blocks
    while block >= 0 and blocks[block].kind != facts.ROOT:
        row = blocks[block]
        holds: bool | None = None
        if row.kind == facts.IF:
            holds = truth(frame, row.test)
        elif row.kind == facts.ELSE:
            tests = [
                truth(frame, blocks[b].test) for b in frame.view.branches(block) if blocks[b].kind == facts.IF
            ]
            holds = None if None in tests or not tests else not any(tests)
        elif row.kind == facts.CASE:
            holds = _case(frame, block)
        elif row.kind in (facts.DEAD, facts.TYPING):
            holds = False
        elif row.kind in (facts.TRY, facts.WITH, facts.FINALLY):
            holds = True
        if holds is False:
            return False
        answer = answer if holds else None
        block = row.parent
    return answer


def _case(frame: Frame, block: int) -> bool | None:
    """Whether a case of a `match` is the one that is taken, as far as its pattern and those before it are constants."""
    blocks = frame.view.outline.blocks
    earlier: list[bool | None] = []
    for other in frame.view.branches(block):
        if other == block:
            break
        guarded = any(row.parent == other and row.kind == facts.IF for row in blocks)
        fits = _fits(frame, blocks[other].test)
        earlier.append(None if fits and guarded else fits)
    if True in earlier:
        return False
    here = _fits(frame, blocks[block].test)
    return None if here and None in earlier else here


def _fits(frame: Frame, pattern: int) -> bool | None:
    """Whether a pattern fits its subject: constants and alternatives of them; -1 is a pattern that always does."""
    if pattern < 0:
        return True
    row = frame.row(pattern)
    if row[0] == op.MATCH_OR:
        parts = [_fits(frame, part) for part in row[4]]
        return True if True in parts else None if None in parts else False
    if row[0] == op.MATCH_VALUE:
        return _compare("==", evaluate(frame, row[3]), [evaluate(frame, row[4])])
    return None
