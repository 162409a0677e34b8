# Under which names a value travels, and what is done to it on its way: the sites that a question about calls looks
# at. Everything here is by words and by the shape of expressions; whether a site really calls the target is for
# the engine to say. So words are followed generously: one site too many costs a millisecond, one too few is a
# caller that nobody hears of.
#
# A word has a depth: the number of calls it takes to get the value from it. A function is known by its own name
# at depth 0; a factory that returns it has it at depth 1, and so has a class its instances. Climbing from a read
# to the expressions around it, a call takes one off, a `return` puts one on.
from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from codemap.inference.edges import named_scope
from codemap.inference.stubs import is_stub
from codemap.inference.tables import ADDERS
from codemap.inference.values import BOUND, CLASS, FUNCTION, INSTANCE, Value
from codemap.model import facts
from codemap.semantic import expressions as op

if TYPE_CHECKING:
    from codemap.inference.engine import Engine
    from codemap.inference.tables import Table

Place = tuple[str, int]

_READ: Final = facts.ROLE_READ | facts.ROLE_ATTRIBUTE
_MOST_WORDS: Final = 150
_MOST_FILES: Final = 150  # a derived name that more files bear is not followed, which is said
_DEEPEST: Final = 3
_SETTLED: Final = (op.COMPARE, op.FSTRING, op.TSTRING, op.FORMATTED, op.DELETE_ATTRIBUTE, op.DELETE_SUBSCRIPT)
# methods of containers that give what was put in
_GIVERS: Final = frozenset({
    "get", "pop", "popitem", "items", "values", "copy", "setdefault", "popleft", "get_nowait", "__getitem__", "__get__",
    "__iter__", "__next__", "result",
})  # fmt: skip
_ON_INSTANCES: Final = {
    "__iter__": 0, "__next__": 0, "__getitem__": 0, "__enter__": 0, "__aenter__": 0, "__anext__": 0, "__aiter__": 0,
    "__call__": 1, "__get__": 0, "__getattr__": 0, "__await__": 0,
}  # fmt: skip


class Word(NamedTuple):
    """A name that a value may be had by, after `depth` calls; `file` is where the name is local to, else ""."""

    name: str
    file: str
    depth: int


class Travel:
    """Follows values from words. What it meets: `done` (file, expression) for what is done to the value itself, calls
    that it is handed over in among them; `defined` (file, scope) for definitions that it decorates; `cut` for names
    that are too common to be followed."""

    def __init__(self, engine: Engine, start: Iterable[Word]) -> None:
        self.engine = engine
        self.done: dict[Place, None] = {}
        self.defined: dict[Place, None] = {}
        self.cut: dict[str, int] = {}
        self.words: dict[Word, None] = {}
        self._first = set(start)
        self._work = sorted(self._first, reverse=True)

    def go(self) -> None:
        """Follows every word to its end."""
        while self._work:
            word = self._work.pop()
            if not word.name or word in self.words or word.depth > _DEEPEST:
                continue
            if len(self.words) >= _MOST_WORDS:
                self.cut[word.name] = -1
                continue
            self.words[word] = None
            self._follow(word)

    def climb(self, path: str, expression: int, depth: int) -> None:
        """Follows the value of one expression."""
        _Climb(self, self.engine.table(path)).up(expression, depth)

    def strings(self, name: str) -> None:
        """Follows texts that spell a name: `getattr(x, "name")` may be what the name is."""
        for path in sorted(self.engine.program.mentioning(name, facts.ROLE_STRING)):
            climb = _Climb(self, self.engine.table(path))
            for number, row in enumerate(climb.table.rows):
                if row[0] == op.CONSTANT and row[4] == name and row[3] == "str":
                    climb.up(number, 0)
        for start in [name[: place + 1] for place, letter in enumerate(name[:-1]) if letter == "_" and place]:
            for path in sorted(self.engine.program.mentioning(start, facts.ROLE_STRING)):
                climb = _Climb(self, self.engine.table(path))
                for call in climb.table.calls("getattr"):
                    if _begins(climb.table, climb.table.rows[call], start):
                        climb.up(call, 0)

    def add(self, word: Word) -> None:
        """Another word to be followed."""
        if word.name and word not in self.words:
            self._work.append(word)

    def _follow(self, word: Word) -> None:
        engine = self.engine
        paths = (
            [word.file]
            if word.file
            else sorted(engine.program.mentioning(word.name, _READ | facts.ROLE_CALL))
        )
        if len(paths) > _MOST_FILES and word not in self._first:
            self.cut[word.name] = len(paths)
            return
        for path in paths:
            climb = _Climb(self, engine.table(path))
            for read in climb.table.reads(word.name):
                climb.up(read, word.depth)
        if not word.file:
            for path in sorted(engine.program.mentioning(word.name, facts.ROLE_IMPORT)):
                for row in engine.program.view(path).outline.imports:
                    if row.name == word.name and row.alias:
                        self.add(Word(row.alias, "", word.depth))


class _Climb:
    """From an expression to those around it, within one file."""

    def __init__(self, travel: Travel, table: Table) -> None:
        self.travel = travel
        self.table = table
        self.shape = shape_of(travel.engine, table)
        self.seen: set[tuple[int, int]] = set()

    def up(self, number: int, depth: int) -> None:
        work = [(number, depth)]
        while work:
            item = work.pop()
            if item in self.seen or item[1] > _DEEPEST:
                continue
            self.seen.add(item)
            work += self._step(*item)

    def _step(self, number: int, depth: int) -> list[tuple[int, int]]:
        table, travel, path = self.table, self.travel, self.table.path
        rows = table.rows
        self._kept(number, depth)
        if depth == 0 and table.uses(number):
            travel.done[path, number] = None
        for scope in self.shape.decorates.get(number, ()):
            if depth == 0:
                travel.defined[path, scope] = None
            else:
                self._name_of_scope(scope, depth - 1)
                for word in start_of_decorated(travel.engine, (path, scope)):
                    travel.add(word._replace(depth=depth - 1))
        out: list[tuple[int, int]] = []
        for parent in self.shape.parents.get(number, ()):
            row = rows[parent]
            kind = row[0]
            if depth == 0:
                travel.done[path, parent] = None
            if kind == op.CALL:
                out += self._call(number, depth, parent)
            elif kind == op.ATTRIBUTE:
                if row[4] in _GIVERS:
                    out += [
                        (call, depth)
                        for call in self.shape.parents.get(parent, ())
                        if rows[call][0] == op.CALL and rows[call][3] == parent
                    ]
            elif kind == op.STORE_SUBSCRIPT:
                if row[5] == number:
                    self._into(row[3], depth)
            elif kind in (op.SUBSCRIPT, op.MATCH_ITEM):
                if row[3] == number:
                    out.append((parent, depth))
            elif kind == op.CONDITIONAL:
                if row[3] != number:
                    out.append((parent, depth))
            elif kind == op.LAMBDA:
                out.append((parent, depth + 1))
            elif kind == op.UNARY:
                if row[3] != "not":
                    out.append((parent, depth))
            elif kind not in _SETTLED and kind != op.STORE_ATTRIBUTE:
                out.append((parent, depth))
        return out

    def _call(self, number: int, depth: int, call: int) -> list[tuple[int, int]]:
        """The value is called, or handed over in a call."""
        table = self.table
        row = table.rows[call]
        if row[3] == number:
            return [(call, depth - 1)] if depth else []
        callee = table.rows[row[3]]
        if callee[0] == op.ATTRIBUTE and callee[4] in ADDERS and number in row[4]:
            self._into(callee[3], depth)
        for place, one in enumerate(row[4]):
            if one == number:
                return self._handed(call, depth, place, "")
        for word, one in zip(row[5], row[6], strict=False):
            if one == number:
                return self._handed(call, depth, -1, "" if word == "**" else word)
        return []

    def _handed(self, call: int, depth: int, place: int, word: str) -> list[tuple[int, int]]:
        """The value is an argument of a call: it has the parameter's name, or is in what comes out."""
        engine, travel = self.travel.engine, self.travel
        away = False
        values = list(engine.solver.solve("callees", self.table.path, call))
        for value in values:
            function, shift = (value[1], 1) if value[0] == BOUND else (value, 0)
            if function[0] == CLASS and not is_stub(function[1]):
                made = list(engine.solver.solve("constructors", function[1], function[2]))
                if made:
                    for one in made:
                        if one[1][0] == FUNCTION and not is_stub(one[1][1]):
                            self._parameter(one[1], place + 1, word, depth)
                        else:  # a constructor outside the tree
                            away = True
                else:
                    self._field(function, place, word, depth)
            elif function[0] == FUNCTION and not is_stub(function[1]):
                self._parameter(function, place + shift, word, depth)
            else:
                away = True
        if word and (away or not values):
            travel.add(Word(word, "", depth))
        return [(call, depth)] if away or not values else []

    def _parameter(self, function: Value, place: int, word: str, depth: int) -> None:
        path = function[1]
        rows = self.travel.engine.table(path).parameters(function[2])
        chosen = [row for row in rows if word and row.name == word]
        if not word and 0 <= place < len(rows) and rows[place].kind in ("positional", "positional-only"):
            chosen = [rows[place]]
        if not chosen:
            chosen = [row for row in rows if row.kind in ("*", "**")]
        for row in chosen:
            self.travel.add(Word(row.name, path, depth))

    def _field(self, klass: Value, place: int, word: str, depth: int) -> None:
        """A class without a written constructor: what is handed over is kept in a field."""
        from codemap.inference.fields import fields

        if word:
            self.travel.add(Word(word, "", depth))
            return
        names = [item[0] for item in fields(self.travel.engine, klass[1], klass[2])]
        for name in names[place : place + 1] if place >= 0 else names:
            self.travel.add(Word(name, "", depth))

    def _into(self, container: int, depth: int) -> None:
        """The value is put into a container."""
        for name in self.table.callee_tokens(container):
            self._named(name, depth)

    def _named(self, name: str, depth: int) -> None:
        """A name of this file that has the value: a local one unless the module or a class binds it."""
        self.travel.add(Word(name, "" if name in self.shape.outer else self.table.path, depth))
        if name not in self.shape.local:
            self.travel.add(Word(name, "", depth))

    def _kept(self, number: int, depth: int) -> None:
        table, travel = self.table, self.travel
        scopes = table.view.outline.scopes
        for kind, row in table.holders(number):
            if kind == "binding":
                local = scopes[row.scope].kind not in (facts.MODULE, facts.CLASS)
                travel.add(Word(row.name, table.path if local else "", depth))
            else:
                travel.add(Word(table.rows[row][4], "", depth))
        for scope in self.shape.returns.get(number, ()):
            self._name_of_scope(scope, depth + 1)
        for word in self.shape.annotates.get(number, ()):
            if depth:  # a name that is annotated with a class has an instance of it
                travel.add(Word(word[0], word[1], word[2] + depth - 1))

    def _name_of_scope(self, scope: int, depth: int) -> None:
        """A function or class whose result, or which itself, has the value."""
        table, engine = self.table, self.travel.engine
        row = table.scope(scope)
        if row.kind == facts.LAMBDA:
            return  # its body is an operand: climbed
        owner = row.parent
        while table.scope(owner).kind == facts.TYPE_PARAMETERS:
            owner = table.scope(owner).parent
        inside = table.scope(owner).kind
        name = str(row.name)
        function = table.view.function_facts(scope)
        if function is not None and any("property" in text for text in function.decorators):
            depth -= 1
        self.travel.add(Word(name, table.path if inside == facts.FUNCTION else "", max(depth, 0)))
        if inside == facts.CLASS and name in _ON_INSTANCES:
            for word in instance_words(engine, (table.path, owner)):
                self.travel.add(
                    word._replace(depth=min(word.depth + depth - 1 + _ON_INSTANCES[name], _DEEPEST + 1))
                )


def _begins(table: Table, call: tuple[Any, ...], start: str) -> bool:
    """Whether the name of a `getattr` is put together from a text and something unknown: `f"visit_{kind}"`."""
    if len(call[4]) < 2:
        return False
    row = table.rows[call[4][1]]
    if row[0] == op.FSTRING and row[3]:
        first = table.rows[row[3][0]]
    elif row[0] == op.BINARY:
        first = table.rows[row[4]]
    else:
        return False
    return bool(first[0] == op.CONSTANT and first[3] == "str" and str(first[4] or "").startswith(start))


class Shape(NamedTuple):
    """What surrounds the expressions of one file."""

    parents: dict[int, list[int]]  # a value that several names unpack has several
    returns: dict[int, list[int]]  # expression -> functions that return or yield it
    decorates: dict[int, list[int]]  # expression -> definitions that it decorates
    annotates: dict[int, list[tuple[str, str, int]]]  # part of an annotation -> name, file, depth
    outer: frozenset[str]  # names of the module and its classes
    local: frozenset[str]  # names of functions


def shape_of(engine: Engine, table: Table) -> Shape:
    """The shape of a file, read once."""
    key = ("shape", table.path)
    known: Shape | None = engine.memo.get(key)
    if known is not None:
        return known
    outline, body = table.view.outline, table.body
    parents: dict[int, list[int]] = {}
    for number, row in enumerate(table.rows):
        for child in op.children(row):
            parents.setdefault(child, []).append(number)
    returns: dict[int, list[int]] = {}
    for flow in body.flows:
        if flow.kind in ("return", "yield", "yield from") and flow.value >= 0:
            returns.setdefault(flow.value, []).append(named_scope(table, flow.scope))
    decorates: dict[int, list[int]] = {}
    decorated = [(row.scope, row.decorator_values) for row in outline.functions]
    decorated += [(row.scope, row.decorator_values) for row in outline.classes]
    for scope, values in decorated:
        for value in values:
            decorates.setdefault(value, []).append(scope)
    outer = frozenset(row.name for row in outline.bindings)
    local = frozenset(row.name for row in body.bindings)
    known = Shape(parents, returns, decorates, _annotated(table), outer, local)
    engine.memo[key] = known
    return known


def _annotated(table: Table) -> dict[int, list[tuple[str, str, int]]]:
    """The expressions within annotations, with the names that are annotated."""
    outline = table.view.outline
    roots: list[tuple[int, str, str, int]] = []
    for row in (*outline.bindings, *table.body.bindings):
        if row.annotation_value >= 0:
            local = outline.scopes[row.scope].kind not in (facts.MODULE, facts.CLASS)
            roots.append((row.annotation_value, row.name, table.path if local else "", 0))
    roots += [(one.annotation_value, one.name, "", 0) for one in outline.stores if one.annotation_value >= 0]
    roots += [
        (one.annotation, one.name, table.path, 0) for one in table.body.parameters if one.annotation >= 0
    ]
    roots += [
        (annotation, str(outline.scopes[function].name), "", 1)
        for function, annotation in table.body.returns
        if annotation >= 0
    ]
    found: dict[int, list[tuple[str, str, int]]] = {}
    for root, name, file, depth in roots:
        work = [root]
        while work:
            number = work.pop()
            found.setdefault(number, []).append((name, file, depth))
            work += op.children(table.rows[number])
    return found


# --- where to start --------------------------------------------------------------------------------------------
def words_of(engine: Engine, code: Place, depth: int = 0) -> list[Word]:
    """The names that a function or a class has by its own statement."""
    table = engine.table(code[0])
    row = table.scope(code[1])
    owner = row.parent
    while table.scope(owner).kind == facts.TYPE_PARAMETERS:
        owner = table.scope(owner).parent
    local = table.scope(owner).kind in (facts.FUNCTION, facts.LAMBDA)
    return [Word(str(row.name), code[0] if local else "", depth)]


def start_of_decorated(engine: Engine, code: Place) -> list[Word]:
    """The parameters under which the decorators of a function or a class get it."""
    table = engine.table(code[0])
    row = table.view.function_facts(code[1]) or table.view.class_facts(code[1])
    found: list[Word] = []
    for expression in row.decorator_values if row is not None else ():
        if expression < 0:
            continue
        for value in engine.solver.solve("expression", code[0], expression):
            found += _first_parameter(engine, value)
    return found


def _first_parameter(engine: Engine, value: Value) -> list[Word]:
    """Where a decorator puts what it is given."""
    if value[0] == INSTANCE and not is_stub(value[1]):
        calls = list(engine.solver.solve("attribute", value, "__call__"))
        return [word for one in calls if one[0] == BOUND for word in _first_parameter(engine, one)]
    function, shift = (value[1], 1) if value[0] == BOUND else (value, 0)
    if function[0] == CLASS and not is_stub(function[1]):
        made = list(engine.solver.solve("constructors", function[1], function[2]))
        function, shift = (made[0][1], 1) if made else (function, 0)
    if function[0] != FUNCTION or is_stub(function[1]):
        return []
    rows = engine.table(function[1]).parameters(function[2])
    return [Word(one.name, function[1], 0) for one in rows[shift : shift + 1]]


def instance_words(engine: Engine, klass: Place) -> list[Word]:
    """Where to start for the instances of a class and of its subclasses."""
    found: list[Word] = []
    for one in (klass, *engine.subclasses(*klass)):
        found += words_of(engine, one, 1)
        found.append(Word("self", one[0], 0))
    return found
