# The vocabulary of what ONE file says about itself. Records are NamedTuples and not dataclasses because a
# question reads them back by the thousand from flat rows (`Binding(*row)`), and because making a frozen
# slotted dataclass costs half a millisecond of start-up each.
#
# An outline is what name resolution needs; a body is what the resolution engine needs besides. They are
# stored apart so that a question about names never decodes an expression table.
#
# Lines start at 1, columns at 0 and count characters. An index of -1 means "none".
from __future__ import annotations

from typing import Any, Final, NamedTuple, Self

# --- scopes ------------------------------------------------------------------------------------------
MODULE: Final = "module"
CLASS: Final = "class"
FUNCTION: Final = "function"
LAMBDA: Final = "lambda"
COMPREHENSION: Final = "comprehension"
TYPE_PARAMETERS: Final = "type parameters"  # PEP 695 annotation scope


class Scope(NamedTuple):
    """A lexical scope. Scope 0 is the module; a parent comes before its children.

    `line`, `column` are those of the name in `class NAME` / `def NAME` (the identifier itself), else of the
    expression; `start_line` is the first line with decorators, `end_line` the last line of the body.
    `header_line` is the line of the `class`/`def`/`async` keyword and `header_end` the line of the colon's
    statement end, so that a signature can be cut from the source. `globals`/`nonlocals` are declared names, sorted.
    """

    kind: str
    name: str  # "<module>", "<lambda>", "<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>" where unnamed
    parent: int
    block: int  # the block of the parent scope in which it is defined
    line: int
    column: int
    start_line: int
    header_line: int
    end_line: int
    globals: tuple[str, ...] = ()
    nonlocals: tuple[str, ...] = ()
    header_end: int = 0


# --- blocks: under which conditions a statement runs ----------------------------------------------------
ROOT: Final = "root"  # the body of a scope
IF: Final = "if"
ELSE: Final = "else"  # of an `if`
TYPING: Final = "typing"  # `if TYPE_CHECKING:` (any spelling of it)
NOT_TYPING: Final = "not typing"  # its `else:`, or `if not TYPE_CHECKING:`
TRY: Final = "try"
EXCEPT: Final = "except"
TRY_ELSE: Final = "try else"
FINALLY: Final = "finally"
LOOP: Final = "loop"  # body of for / while
LOOP_ELSE: Final = "loop else"
WITH: Final = "with"
CASE: Final = "case"
DEAD: Final = "dead"  # after return / raise / continue / break in the same block, `if False:`, `if 0:`


class Block(NamedTuple):
    """A run of statements under one condition. Block 0 is the root of the module.

    `statement` groups the branches of one statement: an `if` and its `else`, a `try` and its handlers; -1 for ROOT and
    for what follows the end of a run (DEAD). An `elif` is an `if` within the `else`, as in the syntax tree.
    `text` of an ELSE is that of its `if`, of WITH its managers ("suppress(ImportError)").
    `text` is a short form of the condition as written ("IS_CUDA", "ImportError, OSError", "sys.version_info >= (3, 11)").
    `test` is the expression id (body) of the condition (that of its `if` for an ELSE), of CAUGHT for a handler, of
    ITERATE for a `for`, of the first ENTER for a `with`, of the MATCH row for a case; else -1 (`case _`, `except:`).
    A guard of a case is an IF block within the CASE block.
    `terminates` is true when control never leaves the block's end (ends in return, raise, continue, break).
    """

    parent: int
    kind: str
    scope: int
    line: int
    statement: int
    text: str = ""
    test: int = -1
    terminates: bool = False


# --- bindings -------------------------------------------------------------------------------------------
# kinds of binding
IMPORT: Final = "import"
CLASS_DEF: Final = "class"
FUNCTION_DEF: Final = "function"
ASSIGN: Final = "assign"
ANNOTATED: Final = "annotated"  # `x: T = v`
DECLARED: Final = (
    "declared"  # `x: T` without a value: binds nothing at run time, declares a field or a global
)
AUGMENTED: Final = "augmented"
FOR: Final = "for"
WITH_TARGET: Final = "with target"
EXCEPT_NAME: Final = "except name"
PARAMETER: Final = "parameter"
WALRUS: Final = "walrus"
MATCH: Final = "match"
DELETE: Final = "delete"
TYPE_ALIAS: Final = "type alias"
TYPE_PARAMETER: Final = "type parameter"


class Binding(NamedTuple):
    """A name is bound, declared or deleted. Bindings of a scope stand in the order in which they run.

    `scope` is the scope that OWNS the name (the module for `global X`), `within` the scope whose code does it.
    `line`, `column` are of the name token itself (of the alias' bound name for imports).
    `target` is the scope id of the class or function bound, or the index in `Outline.imports`, else -1.
    `aliases`: dotted chains the value may be: `K = mod.Class` -> ("mod.Class",); `a if c else b.c`, `x or y`
    -> both; empty when the value is anything else.
    `callee`, `strings`: `X = LazyImport("pkg.mod", "Thing")` -> "LazyImport", ("pkg.mod", "Thing") (constant
    string positional arguments; for `a = b = call()` both bindings have it).
    These, `annotation` and `constant` are filled in outlines only: in a body, `value` says more.
    `except ... as e` is followed by a DELETE of `e` at the same place, at the end of the handler.
    `annotation`: the annotation as dotted head text where simple ("TypeAlias", "ClassVar", "Final", "int"), else "".
    `constant`: the value is a literal (number, string, None, bool, bytes, or tuple/list/set/dict of them).
    `value` is the expression id of the value in the body (-1 where none); `order` is the number of expressions
    that ran before it in the file, for ordering against reads (expression ids).
    """

    name: str
    kind: str
    scope: int
    within: int
    block: int
    line: int
    column: int
    target: int = -1
    aliases: tuple[str, ...] = ()
    callee: str = ""
    strings: tuple[str, ...] = ()
    annotation: str = ""
    constant: bool = False
    value: int = -1
    annotation_value: int = -1
    order: int = 0


class AttributeStore(NamedTuple):
    """`self.x = v`, `Valve.open = f`, `del a.b.c`, `self.n += 1`: the receiver is a dotted chain.

    `receiver` "self", "Valve", "mod.Class", "self.worker", "" for any other expression (`f().x = 1`); `kind` ASSIGN, ANNOTATED, DECLARED, AUGMENTED, FOR,
    WITH_TARGET, DELETE; `scope` the scope whose code does it; `line`, `column` of the attribute's name token.
    `first_parameter` is true when the receiver is the first parameter of a method or classmethod of a class, in
    functions within the method too. An AUGMENTED one is also read, by an ATTRIBUTE row at the same place.
    """

    receiver: str
    name: str
    kind: str
    scope: int
    block: int
    line: int
    column: int
    first_parameter: bool = False
    aliases: tuple[str, ...] = ()
    target: int = -1  # expression id of the stored ATTRIBUTE
    value: int = -1
    annotation_value: int = -1
    order: int = 0


# --- imports --------------------------------------------------------------------------------------------
class Import(NamedTuple):
    """One imported name. `import a.b` : module "a.b", name ""; `from ..m import n as k`: level 2, module "m",
    name "n", alias "k"; `from m import *`: name "*". `import a.b` binds "a", `import a.b as c` binds "c" = a.b.

    `dynamic` is the callee for `importlib.import_module("x")` and `__import__("x")` with constant arguments
    (a relative name keeps its dots in `level`); it binds nothing by itself. `lazy` marks a PEP 810 import.
    `line`, `column` are of the imported name's token (module token for `import m`), `statement_line` of the keyword.
    """

    level: int
    module: str
    name: str
    alias: str
    scope: int
    block: int
    line: int
    column: int
    statement_line: int
    dynamic: str = ""
    lazy: bool = False

    @property
    def bound(self) -> str:
        """The name that the statement binds in its scope, "" for `*` and dynamic imports."""
        if self.dynamic or self.name == "*":
            return ""
        return self.alias or self.name or self.module.partition(".")[0]


class ExportOperation(NamedTuple):
    """One step that builds `__all__`: `operation` is "=", "+=", "append", "remove" or "unknown".

    `names` are constant strings; `modules` dotted chains whose `__all__` is taken over (`__all__ += sub.__all__`
    -> ("sub",)); `reads` names whose value is spliced in (`__all__ = [*NAMES]`, `+ NAMES`).
    """

    operation: str
    names: tuple[str, ...]
    modules: tuple[str, ...]
    reads: tuple[str, ...]
    block: int
    line: int


# --- definitions ------------------------------------------------------------------------------------------
class ClassFacts(NamedTuple):
    """A class statement. `bases` are dotted chains, with subscripts dropped (`Generic[T]` -> "Generic"), or ""
    for any other expression; `keywords` are (name, dotted value or ""); decorators are dotted chains of the
    decorator or of the callee of a decorator call, "" for others.

    `*_values` are expression ids in the body.
    """

    scope: int
    bases: tuple[str, ...]
    keywords: tuple[tuple[str, str], ...]
    decorators: tuple[str, ...]
    base_values: tuple[int, ...] = ()
    keyword_values: tuple[int, ...] = ()
    decorator_values: tuple[int, ...] = ()
    type_parameters: tuple[str, ...] = ()
    docstring: bool = False


class FunctionFacts(NamedTuple):
    """A function or a method. `flags` are among "async", "generator", "stub" (body is only `...`, pass or a
    docstring), "raises" (body is only docstring + `raise NotImplementedError`), "returns_none".

    "returns_none": no `return` has a value, and it is none of the others. `getattr_names`, for a module's or class'
    `__getattr__`: constant strings that its parameter is compared with; `getattr_tables`: dotted chains it is looked up
    in (`name in TABLE`, `TABLE[name]`, `TABLE.get(name)`).
    """

    scope: int
    decorators: tuple[str, ...]
    flags: tuple[str, ...]
    decorator_values: tuple[int, ...] = ()
    parameters: tuple[str, ...] = ()
    type_parameters: tuple[str, ...] = ()
    docstring: bool = False
    getattr_names: tuple[str, ...] = ()
    getattr_tables: tuple[str, ...] = ()


class ParseError(NamedTuple):
    """Something the file says that no grammar reads. Line from 1, column from 0."""

    line: int
    column: int
    message: str


class Sections:
    """Something of several parts, compared by them. A part may be decoded when it is first asked for, so this is no
    tuple: what comes from the store is a subclass that fills its slots on demand."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        """Equal parts."""
        if not isinstance(other, Sections) or type(self).parts() != type(other).parts():
            return NotImplemented
        return all(getattr(self, part) == getattr(other, part) for part in type(self).parts())

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        """As it would be made."""
        shown = ", ".join(f"{part}={getattr(self, part)!r}" for part in type(self).parts())
        return f"{type(self).__name__}({shown})"

    def _replace(self, **changes: Any) -> Self:
        """A copy with other parts, as named tuples have it."""
        kept = {part: getattr(self, part) for part in type(self).parts()}
        made: Self = self._plain()(**{**kept, **changes})
        return made

    @classmethod
    def _plain(cls) -> type[Any]:
        return cls

    @classmethod
    def parts(cls) -> tuple[str, ...]:
        """The names of the parts, in the order in which they are given."""
        raise NotImplementedError


class Outline(Sections):
    """What name resolution needs of a file: module and class bindings, imports, definitions, `__all__`."""

    __slots__ = (
        "bindings", "blocks", "classes", "encoding", "errors", "exports", "functions", "imports", "lines",
        "recovered", "scopes", "stores",
    )  # fmt: skip

    def __init__(
        self,
        lines: int,
        encoding: str,
        recovered: bool,  # some statements were lost; the rest was read
        errors: tuple[ParseError, ...],
        scopes: tuple[Scope, ...],
        blocks: tuple[Block, ...],
        bindings: tuple[Binding, ...],  # owned by module and class scopes only
        stores: tuple[AttributeStore, ...],
        imports: tuple[Import, ...],
        exports: tuple[ExportOperation, ...],
        classes: tuple[ClassFacts, ...],
        functions: tuple[FunctionFacts, ...],
    ) -> None:
        self.lines = lines
        self.encoding = encoding
        self.recovered = recovered
        self.errors = errors
        self.scopes = scopes
        self.blocks = blocks
        self.bindings = bindings
        self.stores = stores
        self.imports = imports
        self.exports = exports
        self.classes = classes
        self.functions = functions

    @classmethod
    def _plain(cls) -> type[Any]:
        return Outline

    @classmethod
    def parts(cls) -> tuple[str, ...]:
        """The names of the parts."""
        return (
            "lines", "encoding", "recovered", "errors", "scopes", "blocks", "bindings", "stores", "imports",
            "exports", "classes", "functions",
        )  # fmt: skip


# --- the body: an expression table and what flows where -----------------------------------------------------
class Parameter(NamedTuple):
    """`kind`: "positional-only", "positional", "*", "keyword-only", "**". Values are expression ids."""

    function: int  # scope
    name: str
    kind: str
    line: int
    column: int
    annotation: int
    default: int


class Flow(NamedTuple):
    """A value leaves or is tested: `kind` "return", "yield", "yield from", "raise", "assert", "expression"
    (a statement of its own), "elements" (see semantic/expressions)."""

    kind: str
    scope: int
    block: int
    value: int
    line: int
    order: int


class Body(Sections):
    """What the resolution engine needs besides the outline.

    `expressions` is a table of rows `(op, line, column, operand...)` (operands documented in
    `codemap.semantic.expressions`); an operand that is an expression is an id, so children come before parents.
    `spans` are `(first expression id, scope, block)`: the scope and block of an expression is that of the last
    span at or before it. `bindings` are those owned by function-like scopes (parameters first).
    `returns` are `(function scope, annotation)`. `branches` are `(first, last, test, truth)`: the expressions
    first..last run only where the expression `test` was true (or false): arms of `a if t else b`, later operands of
    `and` and `or`, what follows an `if` of a comprehension, the message of an `assert`.
    """

    __slots__ = ("bindings", "branches", "expressions", "flows", "parameters", "returns", "spans")

    def __init__(
        self,
        expressions: tuple[tuple[Any, ...], ...],
        spans: tuple[tuple[int, int, int], ...],
        bindings: tuple[Binding, ...],
        parameters: tuple[Parameter, ...],
        returns: tuple[tuple[int, int], ...],
        flows: tuple[Flow, ...],
        branches: tuple[tuple[int, int, int, bool], ...] = (),
    ) -> None:
        self.expressions = expressions
        self.spans = spans
        self.bindings = bindings
        self.parameters = parameters
        self.returns = returns
        self.flows = flows
        self.branches = branches

    @classmethod
    def _plain(cls) -> type[Any]:
        return Body

    @classmethod
    def parts(cls) -> tuple[str, ...]:
        """The names of the parts."""
        return ("expressions", "spans", "bindings", "parameters", "returns", "flows", "branches")


# --- the name index ------------------------------------------------------------------------------------------
# What a file does with a word, one bit each; the roles of a word in a file are or-ed together.
ROLE_DEFINE: Final = 1  # class or def statement of that name
ROLE_BIND: Final = 2  # assigned, parameter, for/with/except/match target, del, global
ROLE_IMPORT: Final = 4  # imported name, alias, or a part of an imported module's dotted name
ROLE_READ: Final = 8  # a Name in load context
ROLE_ATTRIBUTE: Final = 16  # .name in load context
ROLE_STORE: Final = 32  # .name = ..., del .name
ROLE_CALL: Final = 64  # name(...) or x.name(...)
ROLE_KEYWORD: Final = 128  # f(name=...), keyword pattern
ROLE_STRING: Final = 256  # an identifier within a string constant that is no docstring
ROLE_EXPORT: Final = 512  # in __all__
ROLE_CLASS: Final = 1024  # class statement of that name (besides ROLE_DEFINE)
ROLE_BASE: Final = 2048  # the last part of a base in a class statement
ROLE_RENAME: Final = (
    4096  # gets another name: `import name as other`, `other = mod.name` in a module or class body
)

STAR_WORD: Final = "*"  # the word under which a file with a star import is entered (ROLE_IMPORT)


class FileFacts(NamedTuple):
    """Everything one file says about itself: a pure function of its bytes."""

    outline: Outline
    body: Body
    words: dict[str, int]  # word -> roles
