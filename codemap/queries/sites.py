# Where a definition may be called: sites to look at, found by words alone, so that a question about one function
# never evaluates the tree. A function is called under the names that it is known as; a special method, a property
# or a descriptor runs where something is done to what instances of its class are known as. Too many sites cost
# time; one too few would be a caller that nobody hears of, so words are followed generously.
from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

from codemap.inference.hierarchy import aliases
from codemap.inference.parameters import sinks
from codemap.inference.stubs import is_stub
from codemap.model import facts
from codemap.queries.targets import Place
from codemap.semantic import expressions as op

if TYPE_CHECKING:
    from codemap.inference.engine import Engine
    from codemap.inference.tables import Table

Word = tuple[str, str]  # a name, and the file that it is local to ("" for none)

_READ: Final = facts.ROLE_READ | facts.ROLE_ATTRIBUTE
_MOST_WORDS: Final = 80
_MOST_FILES: Final = 120
_CLIMB: Final = 8  # calls within calls that a function may be handed over in

_UNPACKING: Final = (op.ITERATE, op.ELEMENT, op.REST, op.STARRED, op.YIELD_FROM, op.CALL, op.COMPARE)
_ATTRIBUTES: Final = (op.ATTRIBUTE, op.STORE_ATTRIBUTE, op.DELETE_ATTRIBUTE, op.MATCH_ATTRIBUTE, op.CALL)
_SHOWING: Final = (op.FORMATTED, op.CALL)
# the expressions that may run a special method; those that are not here are operators
_BY_METHOD: Final[dict[str, tuple[int, ...]]] = {
    "__enter__": (op.ENTER,), "__exit__": (op.ENTER,), "__aenter__": (op.ENTER,), "__aexit__": (op.ENTER,),
    "__iter__": _UNPACKING, "__next__": _UNPACKING, "__aiter__": _UNPACKING, "__anext__": _UNPACKING,
    "__getitem__": (op.SUBSCRIPT, *_UNPACKING), "__setitem__": (op.STORE_SUBSCRIPT,),
    "__delitem__": (op.DELETE_SUBSCRIPT,), "__contains__": (op.COMPARE,), "__await__": (op.AWAIT,),
    "__call__": (op.CALL,), "__str__": _SHOWING, "__repr__": _SHOWING, "__format__": _SHOWING,
    "__get__": _ATTRIBUTES, "__set__": _ATTRIBUTES, "__delete__": _ATTRIBUTES, "__getattr__": _ATTRIBUTES,
    "__getattribute__": _ATTRIBUTES, "__setattr__": _ATTRIBUTES, "__delattr__": _ATTRIBUTES,
    "__bool__": (op.UNARY, op.BOOLEAN, op.CONDITIONAL, op.CALL),
    "__len__": (op.UNARY, op.BOOLEAN, op.CONDITIONAL, op.CALL),
    "__init__": (), "__new__": (), "__post_init__": (), "__init_subclass__": (), "__set_name__": (),
    "__class_getitem__": (op.SUBSCRIPT,), "__prepare__": (),
}  # fmt: skip
_OPERATORS: Final = (op.BINARY, op.UNARY, op.COMPARE, op.CALL)
_CONSTRUCTORS: Final = ("__init__", "__new__", "__post_init__", "__call__")


class Candidates:
    """Sites to look at: `expressions` (file, id) and `definitions` (file, scope of a `def` or `class`), sorted."""

    def __init__(self, engine: Engine, code: Place) -> None:
        self.engine = engine
        self.code = code
        self.expressions: set[tuple[str, int]] = set()
        self.definitions: set[tuple[str, int]] = set()
        table = engine.table(code[0])
        scope = table.scope(code[1])
        self.name = str(scope.name)
        if scope.kind == facts.CLASS:
            self._of_class(code)
            return
        words = words_of(engine, code)
        owner = scope.parent
        while table.scope(owner).kind == facts.TYPE_PARAMETERS:
            owner = table.scope(owner).parent
        in_class = scope.kind == facts.FUNCTION and table.scope(owner).kind == facts.CLASS
        if in_class and is_special(self.name):
            klass = (code[0], owner)
            self._special(klass, words)
        else:
            self._under(words)
        if in_class and self._may_be_accessor(table):
            for file, there in self._files((self.name, ""), _READ | facts.ROLE_STORE):
                self._accesses(file, there, self.name)
        for number in table.calls(""):
            self.expressions.add((code[0], number))

    def _of_class(self, klass: Place) -> None:
        engine = self.engine
        self._under(words_of(engine, klass))
        for path in family_files(engine, klass):
            there = engine.table(path)
            for word in ("cls", "type", "__class__"):
                self._calls(path, there, word)

    # -- under names ---------------------------------------------------------------------------------------
    def _files(self, word: Word, roles: int) -> Iterator[tuple[str, Table]]:
        engine = self.engine
        paths: Iterable[str] = [word[1]] if word[1] else sorted(engine.program.mentioning(word[0], roles))
        for path in paths:
            yield path, engine.table(path)

    def _under(self, words: Iterable[Word]) -> None:
        for word in words:
            for path, there in self._files(word, facts.ROLE_CALL | _READ):
                self._calls(path, there, word[0])
                self._decorators(path, there, word[0])

    def _calls(self, path: str, there: Table, word: str) -> None:
        """Calls under a word, and calls that what bears the word is handed over in."""
        for number in there.calls(word):
            self.expressions.add((path, number))
        for read in there.reads(word):
            inner, outer = read, there.parent(read)
            for _ in range(_CLIMB):
                if outer < 0:
                    break
                row = there.rows[outer]
                if row[0] == op.CALL and row[3] != inner:
                    self.expressions.add((path, outer))
                inner, outer = outer, there.parent(outer)

    def _decorators(self, path: str, there: Table, word: str) -> None:
        outline = there.view.outline
        decorated = [(row.scope, row.decorator_values) for row in outline.functions]
        decorated += [(row.scope, row.decorator_values) for row in outline.classes]
        for scope, decorators in decorated:
            if any(word in there.callee_tokens(one) for one in decorators if one >= 0):
                self.definitions.add((path, scope))

    # -- accessors -----------------------------------------------------------------------------------------
    def _may_be_accessor(self, table: Table) -> bool:
        function = table.view.function_facts(self.code[1])
        return function is not None and bool(function.decorators)

    def _accesses(self, path: str, there: Table, name: str) -> None:
        """Reads, writes and deletions of an attribute."""
        for number, row in enumerate(there.rows):
            if (row[0] in _ATTRIBUTES[:4]) and row[4] == name:
                self.expressions.add((path, number))

    # -- special methods -----------------------------------------------------------------------------------
    def _special(self, klass: Place, words: tuple[Word, ...]) -> None:
        engine = self.engine
        name = self.name
        family = set(family_files(engine, klass))
        for path in sorted(family):  # written out: `super().__exit__(..)`
            self._calls(path, engine.table(path), name)
        named = [word for word in words if not is_special(word[0])]
        if name in _CONSTRUCTORS:
            self._under([word for word in named if word[0] != "cls"])
            for path in sorted(family):
                self._calls(path, engine.table(path), "cls")
        if name in ("__init_subclass__", "__set_name__"):
            self._classes(klass, name == "__init_subclass__")
        ops = _BY_METHOD.get(name, _OPERATORS)
        if not ops:
            if self._is_metaclass(klass):
                self._instances_of_metaclass(klass)
            return
        if self._is_metaclass(klass):
            self._instances_of_metaclass(klass)
        self._done_to(instance_words(engine, klass), ops, family)

    def _done_to(self, words: tuple[Word, ...], ops: tuple[int, ...], own: set[str]) -> None:
        """Expressions of some ops one of whose operands bears one of the words."""
        by_file: dict[str, set[str]] = {}
        for word in words:
            for path in [word[1]] if word[1] else self.engine.program.mentioning(word[0]):
                by_file.setdefault(path, set()).add(word[0])
        for path in sorted(by_file.keys() | own):
            there = self.engine.table(path)
            wanted = by_file.get(path, set())
            for number, row in enumerate(there.rows):
                if row[0] not in ops:
                    continue
                for child in op.children(row):
                    tokens = there.callee_tokens(child)
                    if wanted.intersection(tokens) or (tokens == [""] and _may_give(there.rows[child][0])):
                        self.expressions.add((path, number))
                        break

    def _classes(self, klass: Place, below: bool) -> None:
        """Class statements that run a hook of a class: of its subclasses, or those that keep an instance of it."""
        if below:
            self.definitions.update(self.engine.subclasses(*klass))
            return
        for word in words_of(self.engine, klass):
            for path, there in self._files(word, _READ):
                self.definitions.update((path, row.scope) for row in there.view.outline.classes)

    def _is_metaclass(self, klass: Place) -> bool:
        meta = self.engine.stub_class("builtins.type")
        return meta is not None and meta in self.engine.mro(*klass)

    def _instances_of_metaclass(self, klass: Place) -> None:
        """Class statements with a metaclass, and the calls of such classes."""
        engine = self.engine
        mine = {klass, *engine.subclasses(*klass)}
        hosts: set[Place] = set()
        for one in sorted(mine):
            for word in words_of(engine, one):
                for path, there in self._files(word, _READ):
                    for row in there.view.outline.classes:
                        if any(keyword == "metaclass" for keyword, _ in row.keywords):
                            hosts.add((path, row.scope))
                            hosts.update(engine.subclasses(path, row.scope))
        self.definitions.update(hosts)
        if self.name in ("__call__", "__new__", "__init__"):
            for host in sorted(hosts):
                self._of_class(host)


def is_special(name: str) -> bool:
    """Whether a name is that of a special method: `__enter__`."""
    return len(name) > 4 and name.startswith("__") and name.endswith("__")


def _may_give(kind: int) -> bool:
    """Whether an expression without a token of its own may give an instance of a class of the tree."""
    return kind in (op.BINARY, op.UNARY, op.CALL, op.SUBSCRIPT, op.AWAIT, op.ITERATE, op.ELEMENT, op.ENTER)


def words_of(engine: Engine, code: Place) -> tuple[Word, ...]:
    """The names under which a function or a class is known, sorted."""
    found = {(word, file) for _, word, file in engine.solver.solve("known as", *code)}
    return tuple(sorted(found))


def family_files(engine: Engine, klass: Place) -> tuple[str, ...]:
    """The files of a class, its subclasses, and whatever stands with it in one of their MROs."""
    found = {klass[0]}
    for one in (klass, *engine.subclasses(*klass)):
        found.update(path for path, _ in engine.mro(*one) if not is_stub(path))
    return tuple(sorted(found))


def instance_words(engine: Engine, klass: Place) -> tuple[Word, ...]:
    """The names under which instances of a class, or of a subclass, may be kept, handed on or returned; sorted."""
    key = ("instance words", *klass)
    known: tuple[Word, ...] | None = engine.memo.get(key)
    if known is not None:
        return known
    found: dict[Word, None] = {}
    work: list[Word] = []
    for one in (klass, *engine.subclasses(*klass)):
        found["self", one[0]] = None
        for name in sorted(aliases(engine, str(engine.table(one[0]).scope(one[1]).name))):
            work += _instances_under(engine, (name, ""))
    work.reverse()
    while work and len(found) < _MOST_WORDS:
        word = work.pop()
        if word[0] and word not in found:
            found[word] = None
            work += _instances_under(engine, word)
    known = tuple(sorted(found))
    engine.memo[key] = known
    return known


def _instances_under(engine: Engine, word: Word) -> list[Word]:
    """The names that get what is known by a name, or what calling it gives, or what it is the annotation of."""
    key = ("instances under", *word)
    known: list[Word] | None = engine.memo.get(key)
    if known is not None:
        return known
    out: dict[Word, None] = {}
    paths = [word[1]] if word[1] else sorted(engine.program.mentioning(word[0], _READ | facts.ROLE_CALL))
    for path in paths[:_MOST_FILES]:
        there = engine.table(path)
        for read in there.reads(word[0]):
            parent = there.parent(read)
            called = parent >= 0 and there.rows[parent][0] == op.CALL and there.rows[parent][3] == read
            for sink in sinks(engine, there, parent if called else read):
                out[sink] = None
            for sink in _annotated(engine, there, read):
                out[sink] = None
    known = list(out)
    engine.memo[key] = known
    return known


def _annotated(engine: Engine, there: Table, read: int) -> list[Word]:
    """The names whose annotation holds a read."""
    roots = _annotations(engine, there)
    number = read
    while number >= 0:
        if number in roots:
            return roots[number]
        number = there.parent(number)
    return []


def _annotations(engine: Engine, there: Table) -> dict[int, list[Word]]:
    key = ("annotation roots", there.path)
    known: dict[int, list[Word]] | None = engine.memo.get(key)
    if known is None:
        known = {}
        outline = there.view.outline
        for row in (*outline.bindings, *there.body.bindings):
            if row.annotation_value >= 0:
                local = outline.scopes[row.scope].kind not in (facts.MODULE, facts.CLASS)
                known.setdefault(row.annotation_value, []).append((row.name, there.path if local else ""))
        for store in outline.stores:
            if store.annotation_value >= 0:
                known.setdefault(store.annotation_value, []).append((store.name, ""))
        for parameter in there.body.parameters:
            if parameter.annotation >= 0:
                known.setdefault(parameter.annotation, []).append((parameter.name, there.path))
        for function, annotation in there.body.returns:
            if annotation >= 0:
                known.setdefault(annotation, []).append((str(outline.scopes[function].name), ""))
        engine.memo[key] = known
    return known
