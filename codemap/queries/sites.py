# Where a definition may be called: sites to look at, found by words alone, so that a question about one function
# never evaluates the tree. `travel` follows the names; here is where to start for what kind of definition: a
# function runs where it is called or handed over, a special method where something is done to an instance, an
# accessor where its attribute is read or written, a hook where a class is defined.
from __future__ import annotations

from typing import TYPE_CHECKING, Final

from codemap.inference.hierarchy import aliases
from codemap.inference.implicit import IMPLICIT_OPS
from codemap.inference.stubs import is_stub
from codemap.model import facts
from codemap.queries.travel import Place, Travel, Word, instance_words, start_of_decorated, words_of
from codemap.semantic import expressions as op

if TYPE_CHECKING:
    from codemap.inference.engine import Engine
    from codemap.inference.tables import Table

_ACCESSES: Final = (op.ATTRIBUTE, op.STORE_ATTRIBUTE, op.DELETE_ATTRIBUTE, op.MATCH_ATTRIBUTE)
_RUN_BY_CALLS: Final = (
    "__init__",
    "__new__",
    "__post_init__",
    "__attrs_post_init__",
    "__init_subclass__",
    "__set_name__",
)


class Candidates:
    """Sites to look at: `expressions` (file, id) and `definitions` (file, scope of a `def` or `class`)."""

    def __init__(self, engine: Engine, code: Place) -> None:
        self.engine = engine
        self.code = code
        self.expressions: set[Place] = set()
        self.definitions: set[Place] = set()
        self.cut: dict[str, int] = {}
        table = engine.table(code[0])
        scope = table.scope(code[1])
        self.name = str(scope.name)
        owner = scope.parent
        while table.scope(owner).kind == facts.TYPE_PARAMETERS:
            owner = table.scope(owner).parent
        in_class = scope.kind == facts.FUNCTION and table.scope(owner).kind == facts.CLASS
        if scope.kind == facts.CLASS:
            self._class(code)
        elif scope.kind == facts.LAMBDA:
            written = [n for n, row in enumerate(table.rows) if row[0] == op.LAMBDA and row[3] == code[1]]
            self._travel([], written[0] if written else -1)
        elif in_class and is_special(self.name):
            self._special((code[0], owner))
        else:
            self._travel([*self._names(code, 0), *start_of_decorated(engine, code)])
        if in_class:
            self._accessor(table)

    # -- functions and classes -------------------------------------------------------------------------------
    def _names(self, code: Place, depth: int) -> list[Word]:
        """The names of a definition, under other names too."""
        found = words_of(self.engine, code, depth)
        return [
            *found,
            *(
                Word(one, "", depth)
                for word in found
                if not word.file
                for one in sorted(aliases(self.engine, word.name))
            ),
        ]

    def _travel(self, start: list[Word], expression: int = -1, every: bool = False) -> None:
        """Sites from words, and from an expression of the definition's own file."""
        travel = Travel(self.engine, start)
        if expression >= 0:
            travel.climb(self.code[0], expression, 0)
        travel.go()
        for name in sorted({word.name for word in start if not word.file and not word.depth}):
            travel.strings(name)
        travel.go()
        for path, number in travel.done:
            there = self.engine.table(path)
            kind = there.rows[number][0]
            if kind == op.CALL or there.uses(number) or (every and kind in IMPLICIT_OPS):
                self.expressions.add((path, number))
        self.definitions.update(travel.defined)
        self.cut.update(travel.cut)
        for word in start:
            if not word.depth:
                self._evaluated(word.name)

    def _evaluated(self, name: str) -> None:
        """`eval("name()")` in a file that has the name."""
        engine = self.engine
        for word in ("eval", "exec"):
            for path in engine.program.mentioning(word, facts.ROLE_CALL) & engine.program.mentioning(name):
                self.expressions.update((path, call) for call in engine.table(path).calls(word))

    def _class(self, klass: Place) -> None:
        self._travel([*self._names(klass, 0), *start_of_decorated(self.engine, klass)])
        self._by_class_value(klass)
        if self._metaclass_of(klass):
            self.definitions.update(self._with_metaclass(klass))

    def _by_class_value(self, klass: Place) -> None:
        """`cls()`, `type(self)()`, `self.__class__()` in code of the class and its relatives."""
        for path in family_files(self.engine, klass):
            self._travel(
                [Word(name, path, depth) for name, depth in (("cls", 0), ("type", 1), ("__class__", 0))]
            )

    # -- methods of a class that something other than their name runs ---------------------------------------------
    def _accessor(self, table: Table) -> None:
        """Reads, writes and deletions of the attribute, where a decorator may have made the method a property."""
        function = table.view.function_facts(self.code[1])
        if function is None or not function.decorators:
            return
        for path in self.engine.program.mentioning(
            self.name, facts.ROLE_ATTRIBUTE | facts.ROLE_STORE | facts.ROLE_KEYWORD
        ):
            self.expressions.update(
                (path, number)
                for number, row in enumerate(self.engine.table(path).rows)
                if row[0] in _ACCESSES and row[4] == self.name
            )

    def _special(self, klass: Place) -> None:
        engine, name = self.engine, self.name
        for path in family_files(engine, klass):  # written out: `super().__exit__(..)`
            self._travel([Word(name, path, 0)])
        if name in ("__init__", "__new__", "__post_init__", "__attrs_post_init__"):
            for one in (klass, *engine.subclasses(*klass)):
                self._travel(self._names(one, 0))
            self._by_class_value(klass)
        if name == "__init_subclass__":
            self.definitions.update(engine.subclasses(*klass))
        if name not in _RUN_BY_CALLS:
            self._travel(instance_words(engine, klass), every=True)
        if name == "__set_name__":
            for word in words_of(engine, klass):
                for path in engine.program.mentioning(word.name):
                    self.definitions.update(
                        (path, row.scope) for row in engine.table(path).view.outline.classes
                    )
        if name in ("__get__", "__set__", "__delete__"):
            self._descriptor(klass)
        if self._metaclass_of(klass):
            hosts = self._with_metaclass(klass)
            self.definitions.update(hosts)
            if name in ("__call__", "__new__", "__init__"):
                for host in sorted(hosts):
                    self._travel(self._names(host, 0))
                    self._by_class_value(host)
            else:
                for host in sorted(hosts):
                    self._travel(self._names(host, 0), every=True)

    def _descriptor(self, klass: Place) -> None:
        """Accesses of the attributes that hold an instance of a descriptor."""
        engine = self.engine
        travel = Travel(engine, instance_words(engine, klass))
        travel.go()
        for name in sorted({word.name for word in travel.words if not word.depth and not word.file}):
            for path in engine.program.mentioning(name, facts.ROLE_ATTRIBUTE | facts.ROLE_STORE):
                self.expressions.update(
                    (path, number)
                    for number, row in enumerate(engine.table(path).rows)
                    if row[0] in _ACCESSES and row[4] == name
                )

    # -- metaclasses -------------------------------------------------------------------------------------------
    def _metaclass_of(self, klass: Place) -> bool:
        meta = self.engine.stub_class("builtins.type")
        return meta is not None and meta in self.engine.mro(*klass)

    def _with_metaclass(self, klass: Place) -> set[Place]:
        """Classes that may have the class, or a subclass of it, as their metaclass."""
        engine = self.engine
        hosts: set[Place] = set()
        for one in (klass, *engine.subclasses(*klass)):
            for word in self._names(one, 0):
                for path in engine.program.mentioning(word.name):
                    for row in engine.table(path).view.outline.classes:
                        if any(keyword == "metaclass" for keyword, _ in row.keywords):
                            hosts.update([(path, row.scope), *engine.subclasses(path, row.scope)])
        return hosts


def is_special(name: str) -> bool:
    """Whether a name is that of a special method: `__enter__`."""
    return len(name) > 4 and name.startswith("__") and name.endswith("__")


def family_files(engine: Engine, klass: Place) -> tuple[str, ...]:
    """The files of a class, its subclasses, and whatever stands with it in one of their MROs."""
    found = {klass[0]}
    for one in (klass, *engine.subclasses(*klass)):
        found.update(path for path, _ in engine.mro(*one) if not is_stub(path))
    return tuple(sorted(found))
