# Words for the rule that decided what a call calls, and for why nothing did. They are read off the expression of
# the callee and the value that was found: the rules themselves carry only how sure they are.
from __future__ import annotations

from typing import TYPE_CHECKING

from codemap.inference.values import BOUND, CLASS, EXTERNAL, INSTANCE, MODULE, PARTIAL, SUPER, Value, Values
from codemap.model import facts
from codemap.model.facts import Binding
from codemap.semantic import expressions as op

if TYPE_CHECKING:
    from codemap.inference.engine import Engine
    from codemap.inference.tables import Table

_DEEPEST = 8


def how_called(engine: Engine, table: Table, expression: int, value: Value) -> str:
    """A word for how the callee of a call came to be the value."""
    row = table.rows[expression]
    if value[0] == PARTIAL:
        return "partial"
    if row[0] == op.ATTRIBUTE:
        return _attribute(engine, table, expression, value)
    return how_known(engine, table, expression)


def how_known(engine: Engine, table: Table, expression: int, depth: int = 0) -> str:
    """A word for how the value of an expression is known."""
    if expression < 0 or depth > _DEEPEST:
        return "assignment"
    row = table.rows[expression]
    kind = row[0]
    if kind == op.NAME:
        bindings = visible_bindings(table, expression)
        if not bindings:
            return "builtin"
        return _binding(engine, table, bindings[-1], depth)
    if kind == op.CALL:
        callee = table.rows[row[3]]
        token = table.token(row[3])
        if token == "getattr" and callee[0] == op.NAME:
            return "getattr-constant"
        if token == "partial":
            return "partial"
        if token == "super" and callee[0] == op.NAME:
            return "super"
        values = engine.solver.solve("callees", table.path, expression)
        return "constructor" if any(one[0] == CLASS for one in values) else "return"
    if kind == op.SUBSCRIPT:
        return "registry"
    if kind == op.ATTRIBUTE:
        receivers = engine.solver.solve("expression", table.path, row[3])
        if any(one[0] == MODULE for one in receivers):
            return "import"
        return "assignment"
    if kind in (op.ITERATE, op.ELEMENT):
        return "iteration"
    if kind == op.ENTER:
        return "with"
    if kind in (op.WALRUS, op.AWAIT, op.STARRED):
        return how_known(engine, table, row[3], depth + 1)
    if kind == op.LAMBDA:
        return "lambda"
    if kind in (op.CONSTANT, op.FSTRING, op.LIST, op.TUPLE, op.DICT, op.SET, op.COMPREHENSION):
        return "literal"
    return "assignment"


def _binding(engine: Engine, table: Table, binding: Binding, depth: int) -> str:
    kind = binding.kind
    if kind == facts.IMPORT:
        return "import"
    if kind in (facts.FUNCTION_DEF, facts.CLASS_DEF):
        return "definition"
    if kind == facts.PARAMETER:
        rows = table.parameters(binding.scope)
        if rows and rows[0].name == binding.name and _is_method(table, binding.scope):
            return "self-annotation" if rows[0].annotation >= 0 else "self"
        if any(row.name == binding.name and row.annotation >= 0 for row in rows):
            return "annotation"
        return "argument"
    if kind == facts.FOR:
        return "iteration"
    if kind == facts.WITH_TARGET:
        return "with"
    if binding.annotation_value >= 0 and binding.value < 0:
        return "annotation"
    if binding.value >= 0:
        return how_known(engine, table, binding.value, depth + 1)
    return "assignment"


def _is_method(table: Table, scope: int) -> bool:
    scopes = table.view.outline.scopes
    parent = scopes[scope].parent
    if scopes[parent].kind == facts.TYPE_PARAMETERS:
        parent = scopes[parent].parent
    return bool(scopes[parent].kind == facts.CLASS)


def visible_bindings(table: Table, expression: int) -> list[Binding]:
    """The bindings of the scope that a name is looked up in."""
    name = table.rows[expression][3]
    scope, _ = table.place(expression)
    scopes = table.view.outline.scopes
    first = True
    while scope > 0:
        row = scopes[scope]
        if name in row.globals:
            break
        if row.kind == facts.CLASS:
            rows = table.outer_bindings(scope, name) if first else []
        else:
            rows = table.local_bindings(scope, name)
        if rows:
            earlier = [item[1] for item in rows if item[1].order <= expression]
            return earlier or [item[1] for item in rows]
        first = first and row.kind in (facts.TYPE_PARAMETERS, facts.COMPREHENSION)
        scope = row.parent
    return [item[1] for item in table.outer_bindings(0, name)]


def _attribute(engine: Engine, table: Table, expression: int, value: Value) -> str:
    """How a callee `receiver.name` is known: by how its receiver is."""
    row = table.rows[expression]
    receivers = engine.solver.solve("expression", table.path, row[3])
    tags = {one[0] for one in receivers}
    if MODULE in tags:
        return "import"
    if SUPER in tags:
        return "super"
    if value[0] == EXTERNAL:
        return "import"
    if CLASS in tags and value[0] != BOUND:
        return "class"
    if value[0] == BOUND and value[1][0] == "function" and value[2][0] == INSTANCE:
        owner = engine.table(value[1][1]).view.enclosing_class(value[1][2])
        places = [(one[1], one[2]) for one in receivers if one[0] == INSTANCE]
        if places and not any((value[1][1], owner) in engine.mro(*one) for one in places):
            if any(_is_protocol(engine, one) for one in places):
                return "protocol"
            return "subclass"
    how = how_known(engine, table, row[3])
    if how == "assignment":
        return _stored(engine, table, row[3]) or how
    return how


def _is_protocol(engine: Engine, place: tuple[str, int]) -> bool:
    row = engine.table(place[0]).view.class_facts(place[1])
    return row is not None and any(base.rpartition(".")[2] == "Protocol" for base in row.bases)


def _stored(engine: Engine, table: Table, expression: int) -> str:
    """How the value of `self.name` is known where a store in this file says so."""
    row = table.rows[expression]
    if row[0] != op.ATTRIBUTE:
        return ""
    for number in table.view.stores(row[4]):
        store = table.view.outline.stores[number]
        if store.value >= 0 and store.first_parameter:
            inner = table.rows[store.value]
            if inner[0] in (op.CALL, op.NAME):
                return how_known(engine, table, store.value, 1)
    return ""


# --- why nothing is known -------------------------------------------------------------------------------------------
def why_unknown(engine: Engine, table: Table, expression: int, values: Values) -> str:
    """The reason why the callee of a call is not known."""
    outside = sorted(value[1] for value in values if value[0] == EXTERNAL)
    if outside:
        return f"outside the tree: {outside[0]}"
    row = table.rows[expression]
    if row[0] == op.ATTRIBUTE:
        receivers = engine.solver.solve("expression", table.path, row[3])
        known = [one for one in receivers if one[0] not in ("none", EXTERNAL)]
        if known:
            return f"no attribute {row[4]} known of the receiver"
        away = sorted(one[1] for one in receivers if one[0] == EXTERNAL)
        if away:
            return f"outside the tree: {away[0]}.{row[4]}"
        return "receiver unknown: " + _why_value(engine, table, row[3])
    return _why_value(engine, table, expression)


def _why_value(engine: Engine, table: Table, expression: int) -> str:
    row = table.rows[expression]
    if row[0] == op.NAME:
        bindings = visible_bindings(table, expression)
        if not bindings:
            return f"{row[3]} is bound nowhere"
        if bindings[-1].kind == facts.PARAMETER:
            return f"parameter {row[3]} has no annotation and no known caller"
        return f"nothing known of {row[3]}"
    if row[0] == op.ATTRIBUTE:
        return f"dynamic attribute {row[4]}"
    if row[0] == op.SUBSCRIPT:
        return "element of a container whose content is unknown"
    if row[0] == op.CALL:
        return "result of a call that is not known"
    return "expression of unknown value"
