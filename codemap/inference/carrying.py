# Where a function goes as a value: from each place that names it without calling it, forward through variables,
# arguments, attributes, containers, results and decorators to the places where it may be called under another
# name. Forward steps go by what is written (a local name within its own scope, an argument to the parameter of what
# is called); where they cannot (an attribute of that name anywhere in the tree) the place is asked what it
# evaluates to before it is followed. What is found this way are candidates: `sites` asks each call what it calls.
from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from codemap.inference.hierarchy import aliases
from codemap.inference.names import decorator_names
from codemap.inference.parameters import constructor
from codemap.inference.stubs import is_stub
from codemap.inference.tables import ADDERS
from codemap.inference.values import BOUND, CERTAIN, CLASS, FUNCTION, MODULE, PROPERTY, Value, Values
from codemap.model import facts
from codemap.semantic import expressions as op

if TYPE_CHECKING:
    from codemap.inference.engine import Engine
    from codemap.inference.tables import Table

MOST_PLACES: Final = 4000
_DEEPEST: Final = 3  # containers within containers
_TAKERS: Final = frozenset(
    {"get", "pop", "setdefault", "popleft", "get_nowait", "popitem", "result", "__getitem__"}
)
_VIEWS: Final = frozenset({"values", "copy", "union", "difference"})
_THROUGH: Final = frozenset({
    op.CONDITIONAL, op.BOOLEAN, op.WALRUS, op.AWAIT, op.KEYWORD, op.MATCH_VALUE, op.MATCH_CLASS, op.MATCH_OR,
    op.MATCH_SEQUENCE, op.MATCH_MAPPING, op.REST,
})  # fmt: skip


class Place(NamedTuple):
    """An expression that may hold the function, within `depth` containers."""

    file: str
    expression: int
    depth: int


def carried(engine: Engine, path: str, scope: int) -> Values:
    """("at", file, expression) for expressions, other than calls by its own name, that may give the function."""
    walk = _Walk(engine, path, scope)
    walk.start()
    walk.go()
    if len(walk.seen) >= MOST_PLACES:
        row = walk.table.scope(scope)
        engine.cut(row.name, path, row.line, f"handed on to more than {MOST_PLACES} places")
    return {("at", place.file, place.expression): CERTAIN for place in walk.seen if place.depth == 0}


class _Walk:
    def __init__(self, engine: Engine, path: str, scope: int) -> None:
        self.engine = engine
        self.path = path
        self.scope = scope
        self.table = engine.table(path)
        kind = self.table.scope(scope).kind
        self.me: Value = (CLASS if kind == facts.CLASS else FUNCTION, path, scope)
        self.seen: dict[Place, None] = {}
        self.work: list[Place] = []
        self.words: set[tuple[str, int]] = set()
        self.locals: set[tuple[str, int, str, int, bool]] = set()

    def add(self, file: str, expression: int, depth: int) -> None:
        place = Place(file, expression, depth)
        if place not in self.seen and depth <= _DEEPEST and len(self.seen) < MOST_PLACES:
            self.seen[place] = None
            self.work.append(place)

    def go(self) -> None:
        while self.work:
            self.step(self.work.pop())

    # --- from definitions -------------------------------------------------------------------------------------
    def start(self) -> None:
        row = self.table.scope(self.scope)
        if row.kind == facts.LAMBDA:
            number = self.table.lambda_row(self.scope)
            if number >= 0:
                self.add(self.path, number, 0)
            return
        self.definition(self.path, self.scope, 0, True)
        self.decorators()

    def definition(self, path: str, scope: int, depth: int, own: bool) -> None:
        """Reads of the name of a function or class; `own`: of the one that is followed (its calls are known anyhow)."""
        table = self.engine.table(path)
        row = table.scope(scope)
        owner = row.parent
        while table.scope(owner).kind == facts.TYPE_PARAMETERS:
            owner = table.scope(owner).parent
        kind = table.scope(owner).kind
        if kind == facts.MODULE:
            self.global_name(path, row.name, depth, own)
        elif kind == facts.CLASS:
            values = self.engine.ask("defined", path, scope) if row.kind == facts.FUNCTION else {}
            if own and any(value[0] == PROPERTY for value in values):
                return
            self.local_name(table, owner, row.name, depth, own)
            self.attribute_name(row.name, depth, own)
        else:
            self.local_name(table, owner, row.name, depth, own)

    def decorators(self) -> None:
        """What decorates the function knows it by a parameter."""

        for expression, _ in decorator_names(self.engine, self.table, self.scope):
            self.handed(self.table.path, self.engine.ask("expression", self.table.path, expression), 0, "", 0)

    # --- names --------------------------------------------------------------------------------------------------
    def read(self, table: Table, number: int, depth: int, own: bool = False) -> None:
        parent = table.parent(number)
        if own and parent >= 0 and table.rows[parent][0] == op.CALL and table.rows[parent][3] == number:
            return
        self.add(table.path, number, depth)

    def local_name(self, table: Table, scope: int, name: str, depth: int, own: bool = False) -> None:
        key = (table.path, scope, name, depth, own)
        if key not in self.locals:
            self.locals.add(key)
            for read in table.reads_of(scope, name):
                self.read(table, read, depth, own)

    def global_name(self, path: str, name: str, depth: int, own: bool = False) -> None:
        if (path + ":" + name, depth) in self.words:
            return
        self.words.add((path + ":" + name, depth))
        table = self.engine.table(path)
        self.local_name(table, 0, name, depth, own)
        module = (MODULE, table.view.module)
        for word in sorted(aliases(self.engine, name)):
            for file in sorted(
                self.engine.program.mentioning(word, facts.ROLE_IMPORT | facts.ROLE_ATTRIBUTE)
            ):
                there = self.engine.table(file)
                bound = file != path and any(
                    item.kind == facts.IMPORT for _, item in there.outer_bindings(0, word)
                )
                for read in there.reads(word):
                    row = there.rows[read]
                    if row[0] == op.ATTRIBUTE:
                        if word == name and module in self.engine.ask("expression", file, row[3]):
                            self.read(there, read, depth, own)
                    elif bound or word != name:
                        owner = there.owner(read, word)
                        if owner == 0 or any(
                            item.kind == facts.IMPORT for _, item in there.local_bindings(owner, word)
                        ):
                            self.read(there, read, depth, own)

    def attribute_name(self, name: str, depth: int, own: bool = False) -> None:
        """Attributes of that name anywhere: followed where they evaluate to the function."""
        if ("." + name, depth) in self.words:
            return
        self.words.add(("." + name, depth))
        for file in sorted(self.engine.program.mentioning(name, facts.ROLE_ATTRIBUTE)):
            table = self.engine.table(file)
            for read in table.reads(name):
                if table.rows[read][0] != op.ATTRIBUTE:
                    continue
                parent = table.parent(read)
                called = parent >= 0 and table.rows[parent][0] == op.CALL and table.rows[parent][3] == read
                if called and (own or depth == 0):
                    if not own:
                        self.add(file, read, depth)
                    continue
                if depth > 0 or self.is_me(self.engine.ask("expression", file, read)):
                    self.read(table, read, depth, own)

    def is_me(self, values: Values) -> bool:
        return any(value == self.me or (value[0] == BOUND and value[1] == self.me) for value in values)

    # --- one step forward -----------------------------------------------------------------------------------------
    def step(self, place: Place) -> None:
        file, number, depth = place
        table = self.engine.table(file)
        self.kept(table, number, depth)
        parent = table.parent(number)
        if parent < 0:
            self.leaves(table, number, depth)
            return
        row = table.rows[parent]
        kind = row[0]
        if kind == op.CALL:
            self.call(table, parent, row, number, depth)
        elif kind in _THROUGH or (kind == op.BINARY and depth > 0):
            self.add(file, parent, depth)
        elif kind in (op.LIST, op.TUPLE, op.SET, op.DICT):
            self.add(file, parent, depth + 1)
        elif kind == op.STARRED:
            self.add(file, parent, depth)
        elif kind == op.SUBSCRIPT:
            if row[3] == number and depth > 0:
                sliced = table.rows[row[4]][0] == op.SLICE
                self.add(file, parent, depth if sliced else depth - 1)
        elif kind in (op.ITERATE, op.ELEMENT, op.MATCH_ITEM, op.MATCH_POSITIONAL):
            self.add(file, parent, max(depth - 1, 0))
            if depth > 0:
                self.add(file, parent, depth)  # `for key, value in table.items()`
        elif kind == op.ATTRIBUTE:
            self.method_of_container(table, parent, row, depth)
        elif kind == op.STORE_SUBSCRIPT:
            if row[5] == number:
                self.container(table, row[3], depth + 1)
        elif kind == op.COMPREHENSION:
            if number in row[6]:
                self.add(file, parent, depth + 1)
        elif kind == op.LAMBDA:
            for site in list(self.engine.ask("sites", file, row[3])):
                if site[2] >= 0:
                    self.add(site[1], site[2], depth)
        elif kind in (op.YIELD, op.YIELD_FROM):
            scope, _ = table.place(parent)
            self.results(file, scope, depth + (1 if kind == op.YIELD else 0))

    def kept(self, table: Table, number: int, depth: int) -> None:
        """Names that the value of an expression is given."""
        scopes = table.view.outline.scopes
        for kind, row in table.holders(number):
            if kind == "store":
                self.attribute_name(table.rows[row][4], depth)
                continue
            owner = scopes[row.scope].kind
            if owner == facts.MODULE:
                self.global_name(table.path, row.name, depth)
            elif owner == facts.CLASS:
                for read in table.reads(row.name):
                    if table.rows[read][0] == op.NAME and table.owner(read, row.name) == row.scope:
                        self.read(table, read, depth)
                self.attribute_name(row.name, depth)
            else:
                self.local_name(table, row.scope, row.name, depth)

    def leaves(self, table: Table, number: int, depth: int) -> None:
        """The value of a statement's own expression: returned, or a decorator, or a default."""
        for flow in table.flows_of(number):
            if flow.kind == "return":
                self.results(table.path, flow.scope, depth)
            elif flow.kind == "yield":
                self.results(table.path, flow.scope, depth + 1)
        decorated = table.decorated(number)
        if decorated >= 0:
            # calling what is here gives what the decorated name denotes
            self.definition(table.path, decorated, depth, False)
        parameter = table.default_of(number)
        if parameter is not None:
            self.local_name(table, parameter.function, parameter.name, depth)

    def results(self, path: str, scope: int, depth: int) -> None:
        """What a function gives goes where it is called, and where it decorates."""
        table = self.engine.table(path)
        if table.scope(scope).kind not in (facts.FUNCTION, facts.LAMBDA):
            return
        for site in list(self.engine.ask("sites", path, scope)):
            _, file, call, _, given = site
            if call >= 0:
                self.add(file, call, depth)
                continue
            for values in given:
                for value, _ in values:
                    if value[0] == FUNCTION:
                        self.definition(value[1], value[2], depth, False)
        values = self.engine.ask("defined", path, scope) if table.scope(scope).kind == facts.FUNCTION else {}
        if any(value[0] == PROPERTY for value in values):
            self.attribute_name(table.scope(scope).name, depth)

    # --- calls and containers -----------------------------------------------------------------------------------------
    def call(self, table: Table, call: int, row: tuple[object, ...], number: int, depth: int) -> None:
        if row[3] == number:
            return  # a call of it: a site
        callee = table.rows[row[3]]
        if callee[0] == op.ATTRIBUTE and callee[4] in ADDERS:
            self.container(table, callee[3], depth + 1)
        position, word = -1, ""
        positional: tuple[int, ...] = row[4]  # type: ignore[assignment]
        if number in positional:
            position = positional.index(number)
        else:
            values: tuple[int, ...] = row[6]  # type: ignore[assignment]
            if number not in values:
                return
            word = row[5][values.index(number)]  # type: ignore[index]
        targets = self.engine.ask("callees", table.path, call)
        self.handed(table.path, targets, position, word, depth)
        if depth == 0:
            for value in targets:
                if value[0] == CLASS and is_stub(value[1]):
                    self.add(table.path, call, 0)  # a partial, a wrapper of the standard library
                    break
                if value[0] == FUNCTION and is_stub(value[1]):
                    self.add(table.path, call, 0)
                    break

    def handed(self, path: str, targets: Values, position: int, word: str, depth: int) -> None:
        """A function gets the value as an argument."""
        for value in list(targets):
            shift = 1 if value[0] in (BOUND, CLASS) else 0
            function: Value | None = value[1] if value[0] == BOUND else value
            if value[0] == CLASS:
                function = constructor(self.engine, value)
            if function is None or function[0] != FUNCTION or is_stub(function[1]):
                continue
            there = self.engine.table(function[1])
            rows = there.parameters(function[2])
            for place, row in enumerate(rows):
                if row.kind == "*":
                    if position >= 0 and position + shift >= place:
                        self.local_name(there, function[2], row.name, depth + 1)
                elif row.kind == "**":
                    if word and not any(one.name == word for one in rows):
                        self.local_name(there, function[2], row.name, depth + 1)
                elif (position >= 0 and place == position + shift) or (word and row.name == word):
                    self.local_name(there, function[2], row.name, depth)
            if word == "**" and depth > 0:
                for row in rows:
                    self.local_name(there, function[2], row.name, depth if row.kind == "**" else depth - 1)

    def method_of_container(self, table: Table, attribute: int, row: tuple[object, ...], depth: int) -> None:
        parent = table.parent(attribute)
        if depth == 0 or parent < 0 or table.rows[parent][0] != op.CALL or table.rows[parent][3] != attribute:
            return
        if row[4] in _TAKERS:
            self.add(table.path, parent, depth - 1)
        elif row[4] in _VIEWS:
            self.add(table.path, parent, depth)
        elif row[4] == "items":
            self.add(table.path, parent, depth + 1)

    def container(self, table: Table, number: int, depth: int) -> None:
        """Something is put into the container that an expression denotes: follow the container's own name."""
        if depth > _DEEPEST:
            return
        row = table.rows[number]
        if row[0] == op.NAME:
            owner = table.owner(number, row[3])
            if owner > 0:
                self.local_name(table, owner, row[3], depth)
                return
            self.global_name(table.path, row[3], depth)
            for _, binding in table.outer_bindings(0, row[3]):
                if binding.kind == facts.IMPORT:  # the container is another module's
                    for path in sorted(self.engine.program.mentioning(row[3], facts.ROLE_BIND)):
                        if self.engine.table(path).outer_bindings(0, row[3]):
                            self.global_name(path, row[3], depth)
        elif row[0] == op.ATTRIBUTE:
            self.attribute_name(row[4], depth)
        elif row[0] == op.SUBSCRIPT:
            self.container(table, row[3], depth + 1)
        elif row[0] == op.CALL:
            callee = table.rows[row[3]]
            if callee[0] == op.ATTRIBUTE and callee[4] in ("setdefault", "get"):
                self.container(table, callee[3], depth + 1)
