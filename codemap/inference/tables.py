# A file's expression table with the look-ups that inference needs, each built when first used.
from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from typing import Any

from codemap.model import facts
from codemap.model.facts import Binding, Body, Parameter
from codemap.resolve.views import View
from codemap.semantic import expressions as op

# methods that put an argument into their receiver: position of the argument that becomes an element
ADDERS = {
    "append": 0, "add": 0, "insert": 1, "appendleft": 0, "put": 0, "put_nowait": 0, "push": 0,
    "setdefault": 1, "extend": 0, "update": 0, "extendleft": 0, "register": 0,
}  # fmt: skip
SPLICERS = ("extend", "update", "extendleft")


class Table:
    """One file: its view (outline) and its body."""

    body: Body
    rows: Any
    _starts: list[int]

    def __init__(self, view: View, load: Callable[[], Body]) -> None:
        self.view = view
        self.path = view.path
        self._load = load
        self._locals: dict[tuple[int, str], list[tuple[int, Binding]]] | None = None
        self._globals: dict[tuple[int, str], list[tuple[int, Binding]]] | None = None
        self._parameters: dict[int, list[Parameter]] | None = None
        self._returns: dict[int, int] | None = None
        self._flows: dict[int, list[Any]] | None = None
        self._parents: list[int] | None = None
        self._calls: dict[str, list[int]] | None = None
        self._tokens: dict[str, list[int]] | None = None
        self._stores: dict[str, list[int]] | None = None
        self._holders: dict[int, list[tuple[str, Any]]] | None = None
        self._mutations: dict[str, list[int]] | None = None
        self._branch: dict[int, list[tuple[int, bool]]] = {}
        self._lambdas: dict[int, int] | None = None
        self._owned: dict[str, dict[int, list[int]]] = {}
        self._uses: dict[int, str] | None = None
        self._decorated: dict[int, int] | None = None
        self._leaving: dict[int, list[Any]] | None = None
        self._defaults: dict[int, Parameter] | None = None

    def __getattr__(self, name: str) -> Any:
        """The body is read when something of it is first asked for: many files are asked for their bindings only."""
        if name == "body":
            self.body = self._load()
        elif name == "rows":
            self.rows = self.body.expressions
        elif name == "_starts":
            self._starts = [span[0] for span in self.body.spans]
        else:
            raise AttributeError(name)
        return self.__dict__[name]

    # -- where -------------------------------------------------------------------------------------------
    def place(self, expression: int) -> tuple[int, int]:
        """Scope and block of an expression."""
        span = self.body.spans[bisect_right(self._starts, expression) - 1]
        return span[1], span[2]

    def scope(self, scope: int) -> Any:
        return self.view.outline.scopes[scope]

    def block_chain(self, block: int) -> list[int]:
        """The block and those around it within the same scope, innermost first."""
        blocks = self.view.outline.blocks
        chain = [block]
        while blocks[block].kind != facts.ROOT:
            block = blocks[block].parent
            chain.append(block)
        return chain

    # -- bindings ----------------------------------------------------------------------------------------
    def local_bindings(self, scope: int, name: str) -> list[tuple[int, Binding]]:
        if self._locals is None:
            self._locals = {}
            for number, row in enumerate(self.body.bindings):
                self._locals.setdefault((row.scope, row.name), []).append((number, row))
        return self._locals.get((scope, name), [])

    def outer_bindings(self, scope: int, name: str) -> list[tuple[int, Binding]]:
        """Bindings that a module or class scope owns."""
        if self._globals is None:
            self._globals = {}
            for number, row in enumerate(self.view.outline.bindings):
                self._globals.setdefault((row.scope, row.name), []).append((number, row))
        return self._globals.get((scope, name), [])

    def parameters(self, function: int) -> list[Parameter]:
        if self._parameters is None:
            self._parameters = {}
            for row in self.body.parameters:
                self._parameters.setdefault(row.function, []).append(row)
        return self._parameters.get(function, [])

    def return_annotation(self, function: int) -> int:
        if self._returns is None:
            self._returns = dict(self.body.returns)
        return self._returns.get(function, -1)

    def flows(self, scope: int) -> list[Any]:
        if self._flows is None:
            self._flows = {}
            for row in self.body.flows:
                self._flows.setdefault(row.scope, []).append(row)
        return self._flows.get(scope, [])

    def lambda_body(self, scope: int) -> int:
        if self._lambdas is None:
            self._lambdas = {row[3]: row[4] for row in self.rows if row[0] == op.LAMBDA}
        return self._lambdas.get(scope, -1)

    def lambda_row(self, scope: int) -> int:
        """The LAMBDA expression that opens a scope, -1 when none does."""
        return next((n for n, row in enumerate(self.rows) if row[0] == op.LAMBDA and row[3] == scope), -1)

    def owner(self, expression: int, name: str) -> int:
        """The scope whose name it is that code at an expression reads: a function's own or that of one around it, a
        class body's for code right in it, else the module (0)."""
        scopes = self.view.outline.scopes
        current, _ = self.place(expression)
        direct = True
        while current > 0:
            row = scopes[current]
            if name in row.globals:
                return 0
            if row.kind == facts.CLASS:
                if direct and self.outer_bindings(current, name):
                    return current
            elif name not in row.nonlocals and self.local_bindings(current, name):
                return current
            direct = direct and row.kind == facts.TYPE_PARAMETERS
            current = row.parent
        return 0

    def reads_of(self, scope: int, name: str) -> list[int]:
        """The NAME expressions that read a name of a scope."""
        known = self._owned.get(name)
        if known is None:
            known = self._owned[name] = {}
            for read in self.reads(name):
                if self.rows[read][0] == op.NAME:
                    known.setdefault(self.owner(read, name), []).append(read)
        return known.get(scope, [])

    def flows_of(self, expression: int) -> list[Any]:
        """How the value of an expression leaves its function: rows of kind return and yield."""
        if self._leaving is None:
            self._leaving = {}
            for row in self.body.flows:
                if row.kind in ("return", "yield") and row.value >= 0:
                    self._leaving.setdefault(row.value, []).append(row)
        return self._leaving.get(expression, [])

    def default_of(self, expression: int) -> Parameter | None:
        """The parameter whose default an expression is."""
        if self._defaults is None:
            self._defaults = {row.default: row for row in self.body.parameters if row.default >= 0}
        return self._defaults.get(expression)

    def decorated(self, expression: int) -> int:
        """The scope of the function or class that an expression decorates, -1 when it is no decorator."""
        if self._decorated is None:
            outline = self.view.outline
            self._decorated = {
                value: row.scope for row in outline.functions for value in row.decorator_values
            }
            self._decorated.update(
                (value, row.scope) for row in outline.classes for value in row.decorator_values
            )
        return self._decorated.get(expression, -1)

    def uses(self, expression: int) -> str:
        """ "raise" for the operand of a `raise`, "test" for what an `if`, `while` or `assert` tests, else ""."""
        return self.all_uses().get(expression, "")

    def all_uses(self) -> dict[int, str]:
        """What `uses` tells, of all expressions of which it tells anything."""
        if self._uses is None:
            self._uses = {
                row.test: "test" for row in self.view.outline.blocks if row.kind == facts.IF and row.test >= 0
            }
            for flow in self.body.flows:
                if flow.kind in ("raise", "assert") and flow.value >= 0:
                    self._uses[flow.value] = "raise" if flow.kind == "raise" else "test"
        return self._uses

    # -- expressions ---------------------------------------------------------------------------------------
    def parent(self, expression: int) -> int:
        """The expression that has this one as an operand, -1 when it is a statement's own."""
        if self._parents is None:
            self._parents = op.parents(self.rows)
        return self._parents[expression]

    def calls(self, name: str) -> list[int]:
        """Calls whose callee's own token is `name` ("" for a callee that is no name)."""
        if self._calls is None:
            self._calls = {}
            for number, row in enumerate(self.rows):
                if row[0] == op.CALL:
                    for token in self.callee_tokens(row[3]):
                        self._calls.setdefault(token, []).append(number)
        return self._calls.get(name, [])

    def callee_tokens(self, expression: int) -> list[str]:
        """The names by which a callee may be known: its own token, or, where it has none (`table[k]()`, `make()()`),
        the tokens of what it is taken from; "" alone when there is none."""
        token = self.token(expression)
        if token:
            return [token]
        found: list[str] = []
        work = [expression]
        while work:
            row = self.rows[work.pop()]
            if row[0] in (op.SUBSCRIPT, op.CALL, op.AWAIT, op.WALRUS):
                token = self.token(row[3])
                if token:
                    found.append(token)
                else:
                    work.append(row[3])
            elif row[0] == op.CONDITIONAL:
                for one in row[4:6]:
                    token = self.token(one)
                    if token:
                        found.append(token)
                    else:
                        work.append(one)
            elif row[0] == op.BOOLEAN:
                for one in row[4]:
                    token = self.token(one)
                    if token:
                        found.append(token)
                    else:
                        work.append(one)
            elif row[0] == op.ATTRIBUTE:
                found.append(row[4])
        return sorted(set(found)) or [""]

    def all_calls(self) -> list[int]:
        self.calls("")
        assert self._calls is not None
        return sorted({number for numbers in self._calls.values() for number in numbers})

    def token(self, expression: int) -> str:
        """The last name of a chain: x of `x`, `a.x`."""
        row = self.rows[expression]
        if row[0] == op.NAME:
            return str(row[3])
        if row[0] == op.ATTRIBUTE:
            return str(row[4])
        return ""

    def texts(self) -> frozenset[str]:
        """The string constants of the file."""
        known: frozenset[str] | None = self.__dict__.get("_texts")
        if known is None:
            known = frozenset(
                row[4] for row in self.rows if row[0] == op.CONSTANT and row[3] == "str" and row[4]
            )
            self.__dict__["_texts"] = known
        return known

    def root_token(self, expression: int) -> str:
        """The name that a container within containers is reached by: d of `d[k]`, `d.setdefault(k, [])[0]`."""
        row = self.rows[expression]
        while True:
            if row[0] == op.SUBSCRIPT or row[0] == op.WALRUS:
                row = self.rows[row[3]]
            elif row[0] == op.CALL and self.rows[row[3]][0] == op.ATTRIBUTE:
                row = self.rows[self.rows[row[3]][3]]
            else:
                break
        return str(row[3] if row[0] == op.NAME else row[4] if row[0] == op.ATTRIBUTE else "")

    def reads(self, name: str) -> list[int]:
        """NAME and ATTRIBUTE expressions of a name."""
        if self._tokens is None:
            self._tokens = {}
            for number, row in enumerate(self.rows):
                if row[0] == op.NAME:
                    self._tokens.setdefault(row[3], []).append(number)
                elif row[0] == op.ATTRIBUTE:
                    self._tokens.setdefault(row[4], []).append(number)
        return self._tokens.get(name, [])

    def stores(self, name: str) -> list[int]:
        """STORE_ATTRIBUTE expressions of a name."""
        if self._stores is None:
            self._stores = {}
            for number, row in enumerate(self.rows):
                if row[0] == op.STORE_ATTRIBUTE:
                    self._stores.setdefault(row[4], []).append(number)
        return self._stores.get(name, [])

    def holders(self, expression: int) -> list[tuple[str, Any]]:
        """What keeps the value of an expression: ("binding", row) and ("store", row)."""
        if self._holders is None:
            self._holders = {}
            for row in (*self.view.outline.bindings, *self.body.bindings):
                if row.value >= 0:
                    self._holders.setdefault(row.value, []).append(("binding", row))
            for number, entry in enumerate(self.rows):
                if entry[0] == op.STORE_ATTRIBUTE and entry[5] >= 0:
                    self._holders.setdefault(entry[5], []).append(("store", number))
        return self._holders.get(expression, [])

    def mutations(self, name: str) -> list[int]:
        """Expressions that may put something into a container kept under `name`: `name.append(..)`, `name[k] = v`,
        `x.name.update(..)`, `name += ..`."""
        if self._mutations is None:
            self._mutations = {}
            for number, row in enumerate(self.rows):
                if row[0] == op.STORE_SUBSCRIPT:
                    self._mutations.setdefault(self.root_token(row[3]), []).append(number)
                elif row[0] == op.CALL:
                    callee = self.rows[row[3]]
                    if callee[0] == op.ATTRIBUTE and callee[4] in ADDERS:
                        self._mutations.setdefault(self.root_token(callee[3]), []).append(number)
                elif row[0] == op.BINARY and row[3].endswith("=") and row[3] in ("+=", "|="):
                    self._mutations.setdefault(self.root_token(row[4]), []).append(number)
        return self._mutations.get(name, [])

    def tests(self, expression: int) -> list[tuple[int, bool]]:
        """The tests within the same statement under which an expression runs (`a and b`, `x if t else y`)."""
        known = self._branch.get(expression)
        if known is None:
            known = self._branch[expression] = [
                (test, truth)
                for first, last, test, truth in self.body.branches
                if first <= expression <= last
            ]
        return known
