# The kinds of claims, in one table: what `loading` demands of a claim, what `explain` says of a kind, and what the
# published schema lists come from here.
from __future__ import annotations

from typing import Final, NamedTuple


class Kind(NamedTuple):
    """What a kind states. `needs` are fields that a claim of it must have; "a|b" means one of them."""

    states: str
    subject: str
    object: str
    needs: tuple[str, ...]
    example: str
    verdicts: str


_SUBJECT = ("subject",)
_BOTH = ("subject", "object")

KINDS: Final[dict[str, Kind]] = {
    "path_exists": Kind("a file or folder is in the tree", "a path, or the end of one", "", _SUBJECT,
        "see srt/speculative/eagle_utils.py", "ambiguous where several paths end so"),
    "line_count": Kind("a file has so many lines", "a file", "a number; `args: {about: true}` allows 5%", _BOTH,
        "worker.py is 878 lines", "lines as Python counts them"),
    "line_shows": Kind("a line holds a text or defines a symbol", "a file, or `at: file:line`", "text or symbol",
        ("at|subject", "object"), "utils.py:25 defines Result", "refuted with the line where it really is"),
    "symbol_exists": Kind("something of that name is defined", "a symbol", "", _SUBJECT,
        "there is a helper `_get_plan`", "undecided where a file does not parse"),
    "defined_in": Kind("a symbol is defined in a file", "a symbol", "a file, module or folder", _BOTH,
        "X is defined in worker.py", "refuted where it is only imported there"),
    "symbol_kind": Kind("what a symbol is", "a symbol", "class, function, method, property, dataclass, enum, ...",
        _BOTH, "it is a NamedTuple", "from the statement, its decorators and bases"),
    "exported_from": Kind("a name can be imported from a module", "a symbol", "a module", _BOTH,
        "importable from managers.scheduler", "undecided behind a module's open __getattr__"),
    "resolves_to": Kind("what a name finally is", "a name", "a qualified name", _BOTH,
        "pkg.Engine is lang.api.Engine", "ambiguous where branches bind it differently"),
    "imports": Kind("a module imports another one, or a name", "a module or file", "a module or symbol", _BOTH,
        "scheduler.py imports zmq", "undecided where names are imported dynamically"),
    "import_kind": Kind("how it is imported", "a module or file", "a module or symbol",
        ("subject", "object", "args.import_kind"), "imported only for typing",
        "runtime, typing, lazy or optional; one site of the kind is enough, with `quantifier: only` all must be"),
    "import_cycle": Kind("modules import each other", "a module", "a module, or a list", _SUBJECT,
        "A and B import each other", "`args: {import_kind: runtime}` leaves typing imports out"),
    "no_cycle": Kind("modules are in no import cycle", "a module", "a module, or a list", _SUBJECT,
        "there is no cycle between A and B", "undecided where a file does not parse"),
    "subclass": Kind("a class derives from another", "a class", "a class; `args: {direct: true}`", _BOTH,
        "A inherits from B", "undecided where a base cannot be read"),
    "subclasses_are": Kind("the subclasses of a class", "a class", "a list of classes", _BOTH,
        "only two classes extend Cache", "verified only where every base is known"),
    "has_member": Kind("a class has a member, its own or inherited", "a class", "a name", _BOTH,
        "Scheduler has an attribute tree_cache", "refuted only where nothing is set dynamically"),
    "overrides": Kind("a method overrides one of a base", "a class or a method", "a method", _BOTH,
        "WorkerV2 overrides draft", ""),
    "abstract": Kind("a method is abstract, or a class leaves it so", "a class or a method", "a method", _SUBJECT,
        "Base declares the abstract method run", ""),
    "signature": Kind("the parameters of a function", "a function", "parameters, or one parameter", _SUBJECT,
        "verify takes batch", "one name: there is such a parameter; in brackets: exactly these"),
    "default_value": Kind("the default of a parameter or a field", "a function, or Class.field",
        "a value; `args: {parameter: p}`", _BOTH, "is_verify defaults to True", "undecided where computed"),
    "annotation": Kind("the annotation of a parameter, a field or a return", "a function or field",
        "an annotation; `args: {parameter: p}`", _BOTH, "annotated Optional[Indices]", ""),
    "returns": Kind("what a function returns", "a function", "a type; `args: {fields: [..], all_paths: true}`",
        _BOTH, "run returns a Result with `tokens`", "undecided where a return is not known"),
    "constructs": Kind("a function makes an instance", "a function", "a class; `args: {keywords: [..]}`", _BOTH,
        "verify builds a Result", ""),
    "field_of": Kind("a class has a field", "a class", "a name", _BOTH, "Result carries tokens", ""),
    "enum_members": Kind("the members of an enumeration", "an enumeration", "a list of names", _BOTH,
        "the algorithms are EAGLE, NGRAM and NONE", "`quantifier: some` allows others"),
    "calls": Kind("a function calls another", "a function, class or module", "a function", _BOTH, "A calls B",
        "refuted only where no unresolved call could be it"),
    "not_calls": Kind("a function does not call another", "a function", "a function or class", _BOTH,
        "run never calls B", "verified only where every call is resolved"),
    "only_callees": Kind("what a function calls of the tree", "a function", "a list of functions", _BOTH,
        "run only calls A and B", ""),
    "callers_are": Kind("who calls a function", "a function", "a list of callers, files, modules or classes",
        _BOTH, "called only by event_loop", "an empty list: nothing uses it"),
    "call_path": Kind("calls lead from a function to another", "a function", "a function, or a list on the way",
        _BOTH, "run -> draft -> forward", "the weakest link counts"),
    "call_order": Kind("a function calls one before the other", "a function", "a list of functions", _BOTH,
        "prefill runs before verify", "undecided in branches and loops"),
    "reads": Kind("a function reads an attribute", "a function", "Class.attribute", _BOTH, "A reads T.x", ""),
    "writes": Kind("a function writes an attribute", "a function", "Class.attribute", _BOTH, "A sets T.x", ""),
    "writers_are": Kind("who writes an attribute", "Class.attribute", "a list of functions, files, ...", _BOTH,
        "last_batch is set only in scheduler.py", "constructors, replace and setattr count"),
    "readers_are": Kind("who reads an attribute", "Class.attribute", "a list of functions, files, ...", _BOTH,
        "only run reads last_batch", ""),
    "constant": Kind("the value of a constant", "a module's or class's name", "a value", _BOTH,
        "the default page size is 64", "undecided where computed"),
    "decorated": Kind("a decorator is on a definition", "a function or class", "a decorator", _BOTH,
        "run is decorated with torch.no_grad", ""),
    "registered": Kind("something is registered under a key", "a function or class", "a key", _BOTH,
        "registered under 'ping'", ""),
    "conditional": Kind("calls happen under a guard", "a function; `args: {call: g}` for its calls of g",
        "the text of the guard", _BOTH, "only when enable_overlap", "undecided where other words mean the same"),
    "raises": Kind("a function raises an exception", "a function", "an exception; `args: {catches: true}`", _BOTH,
        "raises ValueError", "undecided where only what it calls may raise"),
    "flags": Kind("async, generator, property, ...", "a function", "a flag", _BOTH, "it is a coroutine", ""),
    "count": Kind("how many there are", "a symbol", "a number; `args: {of: callers}`",
        ("subject", "object", "args.of"), "three callers", "call sites, unless `args: {functions: true}`"),
    "nested": Kind("a function or class is defined inside another", "a symbol", "the function around it",
        _SUBJECT, "sample is a closure of run", ""),
    "external_dep": Kind("a module uses a package from outside", "a module, file or folder", "a package", _BOTH,
        "uses sgl_kernel", ""),
    "diff": Kind("a claim holds in one tree and not in another", "", "`args: {claim: {..}, trees: [old, new]}`",
        ("args.claim", "args.trees|trees"), "gone in 0.5.12", ""),
    "behaviour": Kind("what happens at run time", "", "", (), "is thread-safe", "always undecided"),
    "performance": Kind("how fast or large something is", "", "", (), "30% faster", "always undecided"),
    "intent": Kind("what somebody meant", "", "", (), "meant for tests only", "always undecided"),
}  # fmt: skip

# other words for the same; `unused` is callers_are with an empty list
SYNONYMS: Final = {"unused": "callers_are", "behavior": "behaviour", "moved": "diff"}
SET_KINDS: Final = (
    "callers_are", "subclasses_are", "writers_are", "readers_are", "only_callees", "enum_members",
)  # fmt: skip
# what `args.of` of a count may be: a set kind by its name or in a word
COUNTED: Final = {
    "callers": "callers_are", "call sites": "callers_are", "call_sites": "callers_are", "calls": "callers_are",
    "subclasses": "subclasses_are", "writers": "writers_are", "writes": "writers_are", "readers": "readers_are",
    "reads": "readers_are", "callees": "only_callees", "members": "enum_members", "enum_members": "enum_members",
    "lines": "lines", "parameters": "parameters", "methods": "methods", "fields": "fields", "bases": "bases",
    "mixins": "mixins", "overrides": "overrides", "imports": "imports", "classes": "classes",
    "functions": "functions", "references": "references", "calls_in": "only_callees",
}  # fmt: skip
