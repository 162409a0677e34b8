# The forms of statements that are lifted. A pattern sees a sentence with its names marked (see lifting.py) and must
# cover everything between them: "is defined in" matches, "is probably not defined in" does not. Every entry gives
# claims, the marks that it used up, and what stays of the sentence for the patterns after it.
from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final, NamedTuple

_S, _P, _O, _E = "\ue000", "\ue001", "\ue002", "\ue003"
_NUMBERS: Final = {
    word: number
    for number, word in enumerate(
        [
            "zero",
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
        ]
    )
}
_ARTICLE: Final = r"(?:(?:an?|the|its|this|both|their|new|some|each|every) )*"
_NOUN: Final = (
    r"(?:(?:class|function|method|helper|dataclass|module|file|field|fields|attribute|attributes|parameter|parameters|"
    r"argument|arguments|member|members|property|constant|object|instance|enum|worker|package|coroutine|constructor|"
    r"exception|decorator|instances|classes|functions|methods|flag|flags|protocol|mixin|mixins) )*"
)
_TAIL: Final = r"(?: (?:class|function|method|dataclass|helper|enum|module|file|object|instance|protocol|mixin|worker|property))?"
_S1: Final = rf"{_ARTICLE}{_NOUN}{_S}(\d+){_E}{_TAIL}"
_P1: Final = rf"{_ARTICLE}{_NOUN}{_P}(\d+){_E}"
_ANY: Final = rf"{_ARTICLE}{_NOUN}[{_S}{_P}](\d+){_E}{_TAIL}"
_MARK: Final = rf"[{_S}{_P}]\d+{_E}"
_LIST: Final = rf"({_ARTICLE}{_NOUN}{_MARK}{_TAIL}(?:(?:, and |, or |, | and | or | & |/){_ARTICLE}{_NOUN}{_MARK}{_TAIL})*)"
_NUMBER: Final = rf"(\d[\d,]*|{'|'.join(_NUMBERS)})"
_STOP: Final = r"(?=$|[.;,:!?)]| (?:on|in|at|from|via|with|when|which|so|and|but|for|through|to|inside|as|after|before|if)\b| \()"
_END: Final = r"(?=$|[.;,:!?)]| (?:which|so|and|but|because|where)\b| \()"


class Lifted(NamedTuple):
    """A claim without its place: `offset` is where in the sentence its first name stands."""

    kind: str
    subject: str
    object: Any = None
    args: dict[str, Any] = {}
    at: str = ""
    quantifier: str = ""
    offset: int = 0


class Made(NamedTuple):
    """What a pattern makes of its match, and what stays of the sentence in its place."""

    claims: list[Lifted]
    keep: str = ""


class Names:
    """The marked names of a sentence; taking one marks it as used."""

    def __init__(self, names: list[str], offsets: list[int], used: set[int]) -> None:
        self.names = names
        self.offsets = offsets
        self.used = used

    def take(self, number: str | int) -> str:
        """A name by its number."""
        self.used.add(int(number))
        return self.names[int(number)]

    def taken(self, text: str) -> list[str]:
        """The names of a list of marks, files without their lines."""
        found = []
        for kind, number in re.findall(rf"([{_S}{_P}])(\d+){_E}", text):
            self.used.add(int(number))
            found.append(self.file(int(number)) if kind == _P else self.names[int(number)])
        return found

    def offset(self, number: str | int) -> int:
        """Where a name stands."""
        return self.offsets[int(number)]

    def file(self, number: str | int) -> str:
        """A path without its line."""
        self.used.add(int(number))
        return re.sub(r"(?::|#L)\d+.*$", "", self.names[int(number)])

    def pointer(self, number: str | int) -> str:
        """`file:line` of a path that has a line, else ""."""
        text = self.names[int(number)]
        return text if re.search(r"(?::|#L)\d+", text) else ""

    def path(self, number: int) -> Lifted:
        """That a path exists, with its line."""
        return Lifted(
            "path_exists", self.file(number), None, {}, self.pointer(number), offset=self.offset(number)
        )

    def located(self, symbol: str, path: str | int, offset: int) -> list[Lifted]:
        """That a symbol is defined in a file, at the line that a pointer names or around it."""
        found = [Lifted("defined_in", symbol, self.file(path), offset=offset)]
        if self.pointer(path):
            found.append(
                Lifted(
                    "line_shows", self.file(path), symbol, {"within": True}, self.pointer(path), offset=offset
                )
            )
        return found


Make = Callable[[re.Match[str], Names], Made | None]
PATTERNS: Final[list[tuple[re.Pattern[str], Make]]] = []


def _form(*patterns: str) -> Callable[[Make], Make]:
    def enter(make: Make) -> Make:
        for pattern in patterns:
            PATTERNS.append((re.compile(pattern, re.IGNORECASE), make))
        return make

    return enter


def number_of(text: str) -> int:
    """ "878", "1,265" or "three"."""
    return _NUMBERS[text.lower()] if text.lower() in _NUMBERS else int(text.replace(",", ""))


def _class_like(name: str) -> bool:
    return name.rpartition(".")[2][:1].isupper()


def _keep(match: re.Match[str], group: int = 1, kind: str = _S) -> str:
    return f"{kind}{match[group]}{_E}"


# --- files and places ------------------------------------------------------------------------------------------------
@_form(
    rf"{_P}(\d+){_E}(?: is| has| contains| spans|,)?(?: only| just| exactly)? (about |around |roughly |approximately |~ ?|some )?"
    rf"{_NUMBER} lines?(?: long| of code)?",
    rf"{_P}(\d+){_E} \((about |around |roughly |approximately |~ ?)?{_NUMBER} lines?(?: of code)?\)",
)
def _lines(match: re.Match[str], names: Names) -> Made:
    about = {"about": True} if match[2] else {}
    claim = Lifted(
        "line_count", names.file(match[1]), number_of(match[3]), about, offset=names.offset(match[1])
    )
    return Made([claim], _keep(match, 1, _P))


@_form(
    rf"{_S}(\d+){_E}{_TAIL} \((?:in |at |see |defined in |defined at )?{_P}(\d+){_E}\)",
    rf"{_S}(\d+){_E}{_TAIL} (?:at|@) {_P}(\d+){_E}",
)
def _in_brackets(match: re.Match[str], names: Names) -> Made:
    symbol = names.take(match[1])
    return Made(names.located(symbol, match[2], names.offset(match[1])), _keep(match))


@_form(
    rf"{_S1},? (?:is |are |was |which is |that is )?(?:also )?(?:defined|declared|implemented|located|found|introduced) "
    rf"(?:in|at|inside|within) {_P1}",
    rf"{_S1} (?:lives|resides|sits|is) in {_P1}{_END}",
    rf"(?:the )?definition of {_S1} (?:is|lives|sits) (?:in|at) {_P1}",
)
def _defined(match: re.Match[str], names: Names) -> Made:
    symbol = names.take(match[1])
    return Made(names.located(symbol, match[2], names.offset(match[1])), _keep(match))


@_form(rf"{_P1} (?:defines|declares|implements) {_LIST}")
def _defines(match: re.Match[str], names: Names) -> Made:
    path = match[1]
    offset = names.offset(path)
    claims = [one for symbol in names.taken(match[2]) for one in names.located(symbol, path, offset)]
    return Made(claims, _keep(match, 1, _P))


@_form(rf"\b(?:lives|resides|sits|is found|is located|is implemented|is defined) in {_P1}")
def _lives(match: re.Match[str], names: Names) -> Made | None:
    if re.search(rf"[{_S}{_O}]", match.string[: match.start()]):
        return None
    return Made([names.path(int(match[1]))], "")


# --- imports ----------------------------------------------------------------------------------------------------------
_KINDS: Final = {
    "lazily": "lazy", "only for typing": "typing", "for typing only": "typing", "under TYPE_CHECKING": "typing",
    "only for type checking": "typing", "at run time": "runtime", "at runtime": "runtime", "optionally": "optional",
    "only inside": "lazy", "inside a function": "lazy",
}  # fmt: skip


@_form(
    rf"{_ANY} imports {_LIST}(?: (lazily|only for typing|for typing only|under TYPE_CHECKING|only for type checking|"
    rf"at run time|at runtime|optionally))?{_STOP}"
)
def _imports(match: re.Match[str], names: Names) -> Made | None:
    subject = names.file(match[1])
    if _class_like(subject) and "/" not in subject:
        return None
    names.take(match[1])
    kind = next((value for key, value in _KINDS.items() if key.lower() == (match[3] or "").lower()), "")
    claims = [
        Lifted(
            "import_kind" if kind else "imports", subject, one, {"import_kind": kind} if kind else {},
            quantifier="only" if "only" in (match[3] or "") else "", offset=names.offset(match[1]),
        )
        for one in names.taken(match[2])
    ]  # fmt: skip
    return Made(claims)


@_form(rf"{_ANY} and {_ANY} import each other")
def _cycle(match: re.Match[str], names: Names) -> Made:
    offset = names.offset(match[1])
    return Made([Lifted("import_cycle", names.file(match[1]), names.file(match[2]), offset=offset)])


@_form(rf"{_S1} (?:is|can be) (?:exported|importable|imported|re-exported) from {_ANY}")
def _exported(match: re.Match[str], names: Names) -> Made:
    offset = names.offset(match[1])
    return Made(
        [Lifted("exported_from", names.take(match[1]), names.file(match[2]), offset=offset)], _keep(match)
    )


# --- classes ------------------------------------------------------------------------------------------------------------
@_form(
    rf"{_S1} (?:also |both )?(directly |indirectly )?(?:extends|inherits(?: directly)? from|inherits|derives from|subclasses|"
    rf"is (?:an? )?(?:direct )?subclass of|is derived from) {_LIST}"
)
def _extends(match: re.Match[str], names: Names) -> Made:
    subject = names.take(match[1])
    direct = "direct" in match[0].lower() and "indirect" not in match[0].lower()
    args = {"direct": True} if direct else {}
    offset = names.offset(match[1])
    claims = [Lifted("subclass", subject, one, args, offset=offset) for one in names.taken(match[3])]
    return Made(claims, _keep(match))


@_form(
    rf"only {_LIST} (?:extends?|subclass(?:es)?|inherits? from|derives? from) {_S1}",
)
def _only_extend(match: re.Match[str], names: Names) -> Made:
    offset = names.offset(match[2])
    return Made(
        [Lifted("subclasses_are", names.take(match[2]), names.taken(match[1]), {}, "", "only", offset)]
    )


@_form(rf"{_S1} overrides {_LIST}{_STOP}")
def _overrides(match: re.Match[str], names: Names) -> Made:
    subject = names.take(match[1])
    offset = names.offset(match[1])
    claims = [Lifted("overrides", subject, one, offset=offset) for one in names.taken(match[2])]
    return Made(claims, _keep(match))


@_form(rf"{_S1} (?:declares|has|defines) (?:the |an )?abstract methods? {_LIST}")
def _abstract(match: re.Match[str], names: Names) -> Made:
    subject = names.take(match[1])
    offset = names.offset(match[1])
    return Made(
        [Lifted("abstract", subject, one, offset=offset) for one in names.taken(match[2])], _keep(match)
    )


@_form(rf"{_S1} has (?:exactly |only )?the members {_LIST}{_END}", rf"the members of {_S1} are {_LIST}{_END}")
def _members(match: re.Match[str], names: Names) -> Made:
    offset = names.offset(match[1])
    return Made([Lifted("enum_members", names.take(match[1]), names.taken(match[2]), {}, "", "all", offset)])


@_form(
    rf"{_S1} (?:also )?(carries|has|contains|holds|includes|exposes|stores) {_ARTICLE}"
    rf"(?:(?:optional|extra|new) )?((?:fields?|attributes?|methods?|members?|property|properties) )?(?:called |named )?{_LIST}"
    rf"(?: (fields?|attributes?|methods?|members?|property|properties))?{_END}"
)
def _has(match: re.Match[str], names: Names) -> Made | None:
    subject = names.names[int(match[1])]
    listed = [names.names[int(number)] for number in re.findall(rf"(\d+){_E}", match[4])]
    if not _class_like(subject) or not all(one.isidentifier() for one in listed) or _P in match[4]:
        return None
    noun = (match[3] or match[5] or "").strip().lower()
    names.take(match[1])
    field = noun.startswith("field") or (match[2].lower() == "carries" and not noun)
    kind = "field_of" if field else "has_member"
    offset = names.offset(match[1])
    return Made([Lifted(kind, subject, one, offset=offset) for one in names.taken(match[4])], _keep(match))


# --- calls: counts and quantifiers before plain statements --------------------------------------------------------------
@_form(
    rf"{_S1} (?:is|gets) (?:only |exclusively )called (?:by|from|in|inside|within) {_LIST}{_STOP}",
    rf"{_S1} (?:is|gets) called (?:only|exclusively) (?:by|from|in|inside|within) {_LIST}{_STOP}",
)
def _called_only(match: re.Match[str], names: Names) -> Made:
    offset = names.offset(match[1])
    return Made([Lifted("callers_are", names.take(match[1]), names.taken(match[2]), {}, "", "only", offset)])


@_form(rf"only {_LIST} calls? {_S1}{_STOP}")
def _only_calls(match: re.Match[str], names: Names) -> Made:
    offset = names.offset(match[2])
    return Made([Lifted("callers_are", names.take(match[2]), names.taken(match[1]), {}, "", "only", offset)])


@_form(
    rf"{_S1} is (?:never (?:called|used|referenced)|unused|dead code|not (?:called|used) anywhere){_STOP}",
    rf"(?:nothing|no one|nobody) (?:calls|uses) {_S1}{_STOP}",
)
def _unused(match: re.Match[str], names: Names) -> Made:
    offset = names.offset(match[1])
    return Made([Lifted("callers_are", names.take(match[1]), [], {}, "", "only", offset)])


@_form(
    rf"{_S1} has (?:exactly |only )?{_NUMBER} (callers?|call sites?|subclasses|(?:direct )?subclasses?|members|methods|fields|"
    rf"parameters|overrides|writers?|readers?|mixins)",
    rf"there are (?:exactly |only )?{_NUMBER} (callers?|call sites?|subclasses|writers?|readers?|members) of {_S1}",
    rf"{_S1} is called (?:from|in|at) (?:exactly |only )?{_NUMBER} (places?|sites?|functions?|methods?)",
)
def _count(match: re.Match[str], names: Names) -> Made | None:
    groups = match.groups()
    digits = [one for one in groups if one]
    if match[0].lower().startswith("there are"):
        size, what, subject = digits
    else:
        subject, size, what = digits
    what = what.lower().removesuffix("s") if what.lower() != "subclasses" else "subclass"
    args: dict[str, Any] = {"of": {"caller": "callers", "call site": "callers", "place": "callers", "site": "callers",
                                   "function": "callers", "method": "methods", "subclasse": "subclasses",
                                   "subclass": "subclasses", "direct subclasse": "subclasses"}.get(what, what + "s")}  # fmt: skip
    if "is called" in match[0] and what in ("function", "method"):
        args = {"of": "callers", "functions": True}
    if "direct" in match[0].lower():
        args["direct"] = True
    offset = names.offset(subject)
    return Made(
        [Lifted("count", names.take(subject), number_of(size), args, offset=offset)], f"{_S}{subject}{_E}"
    )


@_form(
    rf"{_S1} (?:never|does not|doesn't|do not) (?:directly )?(?:calls?|invokes?|touch(?:es)?) {_LIST}{_STOP}"
)
def _not_calls(match: re.Match[str], names: Names) -> Made:
    subject = names.take(match[1])
    offset = names.offset(match[1])
    return Made([Lifted("not_calls", subject, one, offset=offset) for one in names.taken(match[2])])


@_form(rf"{_S1} only calls {_LIST}{_END}", rf"{_S1} calls only {_LIST}{_END}")
def _only_callees(match: re.Match[str], names: Names) -> Made:
    offset = names.offset(match[1])
    return Made([Lifted("only_callees", names.take(match[1]), names.taken(match[2]), {}, "", "only", offset)])


@_form(rf"{_S}(\d+){_E}((?: ?-> ?{_S}\d+{_E})+)")
def _path(match: re.Match[str], names: Names) -> Made:
    offset = names.offset(match[1])
    return Made([Lifted("call_path", names.take(match[1]), names.taken(match[2]), offset=offset)])


@_form(
    rf"{_S1} (?:first )?calls {_S1} (?:and then|, then|then|before(?: calling)?) (?:calls )?{_S1}{_STOP}",
    rf"{_S1} (?:first )?calls {_S1}, (?:and )?then (?:calls )?{_S1}{_STOP}",
)
def _order(match: re.Match[str], names: Names) -> Made:
    subject, first, second = (names.take(match[group]) for group in (1, 2, 3))
    offset = names.offset(match[1])
    return Made([Lifted("call_order", subject, [first, second], offset=offset)])


@_form(
    rf"{_S1} (?:then |also |directly |in turn |itself |eventually )?(?:calls|invokes) (?:into )?{_LIST}{_STOP}"
)
def _calls(match: re.Match[str], names: Names) -> Made | None:
    if _P in match[2]:
        return None
    subject = names.take(match[1])
    offset = names.offset(match[1])
    return Made([Lifted("calls", subject, one, offset=offset) for one in names.taken(match[2])], _keep(match))


@_form(rf"{_S1} (?:is|gets) (?:called|invoked) (?:by|from) {_LIST}{_STOP}")
def _called_by(match: re.Match[str], names: Names) -> Made:
    offset = names.offset(match[1])
    return Made([Lifted("callers_are", names.take(match[1]), names.taken(match[2]), {}, "", "some", offset)])


# --- bodies -----------------------------------------------------------------------------------------------------------
@_form(
    rf"{_S1} (?:always )?returns {_S1}(?: instances?| objects?)?"
    rf"(?: (?:containing|with|carrying|that (?:contains|has|carries)|whose fields? (?:is|are)|including) {_LIST}(?: set)?)?{_STOP}"
)
def _returns(match: re.Match[str], names: Names) -> Made | None:
    if not _class_like(names.names[int(match[2])]) and names.names[int(match[2])] not in _BUILTIN:
        return None
    subject, kind = names.take(match[1]), names.take(match[2])
    args: dict[str, Any] = {"fields": names.taken(match[3])} if match[3] else {}
    if "always" in match[0].lower():
        args["all_paths"] = True
    return Made([Lifted("returns", subject, kind, args, offset=names.offset(match[1]))], _keep(match))


_BUILTIN: Final = frozenset({"int", "str", "bool", "float", "list", "dict", "tuple", "set", "bytes"})


@_form(
    rf"{_S1} (?:constructs|creates|builds|instantiates) {_S1}(?: instances?| objects?)?"
    rf"(?: (?:with|passing) {_LIST})?{_STOP}"
)
def _constructs(match: re.Match[str], names: Names) -> Made | None:
    if not _class_like(names.names[int(match[2])]):
        return None
    subject, kind = names.take(match[1]), names.take(match[2])
    args = {"keywords": names.taken(match[3])} if match[3] else {}
    return Made([Lifted("constructs", subject, kind, args, offset=names.offset(match[1]))], _keep(match))


@_form(
    rf"{_S1} is (set|written|assigned|modified|updated|read) (?:only|exclusively) (?:in|by|inside|within|from) {_LIST}{_STOP}",
    rf"{_S1} is (?:only|exclusively) (set|written|assigned|modified|updated|read) (?:in|by|inside|within|from) {_LIST}{_STOP}",
)
def _writers(match: re.Match[str], names: Names) -> Made | None:
    subject = names.names[int(match[1])]
    if "." not in subject:
        return None
    kind = "readers_are" if match[2].lower() == "read" else "writers_are"
    offset = names.offset(match[1])
    return Made([Lifted(kind, names.take(match[1]), names.taken(match[3]), {}, "", "only", offset)])


@_form(rf"{_S1} (?:then |also )?(reads|writes|sets|assigns) {_LIST}{_STOP}")
def _accesses(match: re.Match[str], names: Names) -> Made | None:
    if _P in match[3]:
        return None
    kind = "reads" if match[2].lower() == "reads" else "writes"
    subject = names.take(match[1])
    offset = names.offset(match[1])
    return Made([Lifted(kind, subject, one, offset=offset) for one in names.taken(match[3])], _keep(match))


@_form(rf"{_S1} (raises|catches) {_LIST}{_STOP}")
def _raises(match: re.Match[str], names: Names) -> Made:
    subject = names.take(match[1])
    args = {"catches": True} if match[2].lower() == "catches" else {}
    offset = names.offset(match[1])
    return Made(
        [Lifted("raises", subject, one, args, offset=offset) for one in names.taken(match[3])], _keep(match)
    )


@_form(rf"{_S1} takes (?:exactly |only )?{_LIST}(?: as (?:an )?(?:arguments?|parameters?))?{_END}")
def _takes(match: re.Match[str], names: Names) -> Made | None:
    listed = [names.names[int(number)] for number in re.findall(rf"(\d+){_E}", match[2])]
    if not all(one.isidentifier() and one[0].islower() for one in listed):
        return None
    subject = names.take(match[1])
    offset = names.offset(match[1])
    return Made(
        [Lifted("signature", subject, one, offset=offset) for one in names.taken(match[2])], _keep(match)
    )


@_form(rf"{_S1} (?:defaults to|has the default(?: value)?|is by default) [{_S}{_O}](\d+){_E}")
def _defaults(match: re.Match[str], names: Names) -> Made | None:
    subject = names.names[int(match[1])]
    if "." not in subject:
        return None
    offset = names.offset(match[1])
    return Made([Lifted("default_value", names.take(match[1]), names.take(match[2]), offset=offset)])


@_form(rf"{_S1} is decorated (?:with|by) [{_S}](\d+){_E}")
def _decorated(match: re.Match[str], names: Names) -> Made:
    offset = names.offset(match[1])
    return Made(
        [Lifted("decorated", names.take(match[1]), names.take(match[2]), offset=offset)], _keep(match)
    )


_KIND_WORDS: Final = (
    r"(?:frozen )?dataclass|named ?tuple|typed ?dict|enum(?:eration)?|protocol|abstract class|async(?:hronous)? (?:function|method)|"
    r"coroutine|generator|property|static ?method|class ?method|context manager|class|function|method|exception"
)


@_form(rf"{_S1} is (?:an? |just a |simply a |implemented as an? )({_KIND_WORDS}){_END}")
def _kind(match: re.Match[str], names: Names) -> Made:
    word = match[2].lower().removeprefix("frozen ").replace("asynchronous", "async")
    offset = names.offset(match[1])
    return Made([Lifted("symbol_kind", names.take(match[1]), word, offset=offset)], _keep(match))


__all__ = ["PATTERNS", "Lifted", "Made", "Names", "number_of"]
