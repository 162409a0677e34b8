# Fields that are given without a dot: `C(x=1)` and `C(1)` of dataclasses, named tuples, attrs classes and typed
# dictionaries, `replace(o, x=1)` and its kin, positional patterns, keys of typed dictionaries, members of an
# enumeration by name.
from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from codemap.inference.fields import fields
from codemap.inference.values import CLASS, DISPLAY, EXTERNAL, FUNCTION, INSTANCE, LIKELY, PARTIAL, Value
from codemap.model import facts
from codemap.queries.family import Klass, undecided
from codemap.queries.occurrences import (
    CONSTRUCT,
    DELETE,
    PATTERN,
    READ,
    REPLACE,
    STRING,
    WRITE,
    Occurrence,
    Open,
    first_token,
    keyword_place,
    receiver_how,
)
from codemap.semantic import expressions as op

if TYPE_CHECKING:
    from codemap.inference.engine import Engine
    from codemap.inference.tables import Table
    from codemap.queries.members import Members

# functions that make a changed copy of their first argument
_COPIERS: Final = frozenset(
    {
        "dataclasses.replace",
        "copy.replace",
        "attrs.evolve",
        "attr.evolve",
        "attrs.assoc",
        "attr.assoc",
        "msgspec.structs.replace",
    }
)
_OPENED: Final = re.compile(rb"\s*\((?!\s*\))(?!(?:\s|#[^\n]*\n)*(?:\w+\s*=(?!=)|\*\*|\)))")


def collect(members: Members) -> None:
    """Adds the occurrences to those of `members`."""
    engine, family = members.engine, members.family
    assert family.klass is not None
    place = constructor(engine, family.klass)
    dictionary = _is_dictionary(engine, family.klass)
    keyed = dictionary or _is_enumeration(engine, family.klass)
    for path in members.files:
        table = engine.table(path)
        for number, row in enumerate(table.rows):
            if row[0] == op.CALL and members.name in row[5]:
                _keyword(members, table, number, row)
            elif keyed and row[0] in (op.SUBSCRIPT, op.STORE_SUBSCRIPT, op.DELETE_SUBSCRIPT):
                _key(members, table, number, row, dictionary)
            elif dictionary and row[0] == op.DICT:
                _literal(members, table, number, row)
            elif dictionary and row[0] == op.CALL and table.token(row[3]) in ("get", "pop", "setdefault"):
                _method_by_key(members, table, number, row)
    if place is not None and members.name in place[0]:
        _positional(members, place[0].index(members.name))


# --- constructors ------------------------------------------------------------------------------------------------
def constructor(engine: Engine, klass: Klass) -> tuple[list[str], list[str]] | None:
    """The fields that a class's made constructor takes by position and by keyword, None for a written constructor."""
    key = ("constructor", klass)
    if key in engine.memo:
        known: tuple[list[str], list[str]] | None = engine.memo[key]
        return known
    declared = fields(engine, *klass)
    answer: tuple[list[str], list[str]] | None = None
    if declared and not _writes_own(engine, klass):
        positional: list[str] = []
        by_keyword: list[str] = []
        only: dict[Klass, int] = {}
        for name, binding, home in declared:
            table = engine.table(home[0])
            settings = _settings(table, binding.value)
            if settings.get("init") is False:
                continue
            if home not in only:
                only[home] = _keyword_only_from(table, home[1])
            by_keyword.append(name)
            if not settings.get("kw_only", binding.order > only[home] >= 0):
                positional.append(name)
        answer = (positional, by_keyword)
    engine.memo[key] = answer
    return answer


def _writes_own(engine: Engine, klass: Klass) -> bool:
    """Whether a class of the MRO, before the one that makes the constructor, writes `__init__`."""
    for one in engine.mro(*klass):
        if one[0].startswith("<"):
            return False
        view = engine.program.view(one[0])
        if view.bindings(one[1], "__init__"):
            return True
        row = view.class_facts(one[1])
        if row is not None and row.decorators:
            return False
    return False


def _settings(table: Table, value: int) -> dict[str, bool]:
    if value < 0 or table.rows[value][0] != op.CALL:
        return {}
    row = table.rows[value]
    return {
        word: bool(table.rows[number][4])
        for word, number in zip(row[5], row[6], strict=True)
        if table.rows[number][0] == op.CONSTANT and table.rows[number][3] == "bool"
    }


def _keyword_only_from(table: Table, scope: int) -> int:
    """The order from which the fields of a class are keyword-only: 0 for `kw_only=True`, behind `_: KW_ONLY`; -1."""
    row = table.view.class_facts(scope)
    for value in row.decorator_values if row is not None else ():
        if _settings(table, value).get("kw_only"):
            return 0
    for binding in table.view.outline.bindings:
        if binding.scope == scope and binding.annotation.rpartition(".")[2] == "KW_ONLY":
            return binding.order
    return -1


def _keyword(members: Members, table: Table, number: int, row: tuple[Any, ...]) -> None:
    engine = members.engine
    value = row[6][row[5].index(members.name)]
    for callee, rank in sorted(engine.solver.solve("callees", table.path, number).items(), key=repr):
        found = _given_to(members, table, row, callee)
        if found is None:
            continue
        access, how, judged, least = found
        line, column = keyword_place(engine, table, number, members.name, value)
        scope, _ = table.place(number)
        members.found.append(
            Occurrence(
                table.path,
                line,
                column,
                scope,
                access if access == CONSTRUCT else WRITE,
                access,
                max(rank, least),
                how,
                judged[1],
                judged[0],
                number,
            )
        )
        return
    if not engine.solver.solve("callees", table.path, number) and _may_construct(members, table, row):
        members.open.append(
            Open(
                table.path,
                row[1],
                f"{table.token(row[3])}(... {members.name}=)",
                "nothing is known of what is called",
            )
        )


def _may_construct(members: Members, table: Table, row: tuple[Any, ...]) -> bool:
    """Whether a call of something unknown bears the name of a class of the family or of a copier."""
    token = table.token(row[3])
    return (
        token in ("cls", "replace", "_replace", "evolve")
        or token == members.family.owner.name.rpartition(".")[2]
    )


def _given_to(
    members: Members, table: Table, row: tuple[Any, ...], callee: Value
) -> tuple[str, str, tuple[str, str], int] | None:
    """Whether a call by keyword gives the field: access, how, (receiver, attribute), the surest rank."""
    engine, family = members.engine, members.family
    if callee[0] == PARTIAL:
        return None
    if callee[0] == CLASS and not callee[1].startswith("<"):
        one = family.judge({(INSTANCE, callee[1], callee[2], (), False): 0})
        place = constructor(engine, (callee[1], callee[2]))
        if one is None or place is None or members.name not in place[1]:
            return None
        return CONSTRUCT, "constructor-keyword", (one.receiver, one.attribute), one.rank
    name, target = "", -1
    if callee[0] == EXTERNAL:
        name = callee[1]
    elif callee[0] in (FUNCTION, CLASS, "bound"):
        inner = callee[1] if callee[0] == "bound" else callee
        if inner[0] in (FUNCTION, CLASS) and inner[1].startswith("<"):
            name = engine.qualified(inner[1], inner[2])
    if name == "functools.partial" and row[4]:
        for value, rank in engine.solver.solve("expression", table.path, row[4][0]).items():
            found = _given_to(members, table, row, value) if value[0] == CLASS else None
            if found is not None:
                return found[0], found[1], found[2], max(found[3], rank)
    if name in _COPIERS and row[4]:
        target = row[4][0]
    elif name.endswith("._replace") or (
        table.token(row[3]) == "_replace" and table.rows[row[3]][0] == op.ATTRIBUTE
    ):
        target = table.rows[row[3]][3]
    if target < 0:
        return None
    one = family.judge(dict(engine.solver.solve("expression", table.path, target)))
    return None if one is None else (REPLACE, "replace-keyword", (one.receiver, one.attribute), one.rank)


def _names_of(members: Members) -> list[str]:
    """The names that the class and its subclasses may be called by."""
    from codemap.inference.hierarchy import aliases

    engine, klass = members.engine, members.family.klass
    assert klass is not None
    own = engine.table(klass[0]).scope(klass[1]).name
    found = set(aliases(engine, own))
    for path, scope in engine.subclasses(*klass):
        found |= aliases(engine, engine.program.view(path).outline.scopes[scope].name)
    return sorted(found)


def _positional(members: Members, place: int) -> None:
    """Positional arguments of constructors, positional patterns."""
    engine = members.engine
    for word in _names_of(members):
        for path in sorted(engine.program.mentioning(word, facts.ROLE_CALL | facts.ROLE_READ)):
            if not _may_be_positional(members, path, word):
                continue
            table = engine.table(path)
            for number in table.calls(word):
                _argument(members, table, number, place)
            for number, row in enumerate(table.rows):
                if row[0] == op.MATCH_POSITIONAL and table.token(table.rows[row[3]][4]) == word:
                    _pattern(members, table, number, row)
    klass = members.family.klass
    assert klass is not None
    table = engine.table(klass[0])
    for number in table.calls("cls"):
        _argument(members, table, number, place)


def _may_be_positional(members: Members, path: str, word: str) -> bool:
    """Whether the bytes of a file may hold `Word(value, ...)` or a pattern; looked at before the file is read whole."""
    if path in members.files:
        return True
    source = members.engine.names.index.source(path)
    name = word.encode()
    at = source.find(name)
    while at >= 0:  # a pattern would be tried at every byte; `find` is a hundred times as fast
        if _OPENED.match(source, at + len(name)):
            return True
        at = source.find(name, at + 1)
    return False


def _argument(members: Members, table: Table, number: int, place: int) -> None:
    engine, family = members.engine, members.family
    row = table.rows[number]
    if len(row[4]) <= place and not any(table.rows[one][0] == op.STARRED for one in row[4]):
        return
    for callee, rank in sorted(engine.solver.solve("callees", table.path, number).items(), key=repr):
        if callee[0] != CLASS or callee[1].startswith("<"):
            continue
        judgement = family.judge({(INSTANCE, callee[1], callee[2], (), False): 0})
        made = constructor(engine, (callee[1], callee[2]))
        if judgement is None or made is None or members.name not in made[0]:
            continue
        at = made[0].index(members.name)
        argument, least = -1, 0
        for position, one in enumerate(row[4]):
            if table.rows[one][0] == op.STARRED:
                argument, least = one, LIKELY
                break
            if position == at:
                argument = one
                break
        if argument < 0:
            continue
        line, column = first_token(table, argument)
        scope, _ = table.place(number)
        members.found.append(
            Occurrence(
                table.path,
                line,
                column,
                scope,
                CONSTRUCT,
                CONSTRUCT,
                max(rank, judgement.rank, least),
                "constructor-positional",
                judgement.attribute,
                judgement.receiver,
                number,
                False,
            )
        )
        return


def _pattern(members: Members, table: Table, number: int, row: tuple[Any, ...]) -> None:
    """`case C(v)`: the field that stands at the place in `__match_args__`."""
    engine = members.engine
    match = table.rows[row[3]]
    for value, rank in engine.solver.solve("expression", table.path, match[4]).items():
        if value[0] != CLASS or value[1].startswith("<"):
            continue
        judgement = members.family.judge({(INSTANCE, value[1], value[2], (), True): rank})
        names = match_arguments(engine, (value[1], value[2]))
        if judgement is not None and row[4] < len(names) and names[row[4]] == members.name:
            scope, _ = table.place(number)
            members.found.append(
                Occurrence(
                    table.path,
                    row[1],
                    row[2],
                    scope,
                    READ,
                    PATTERN,
                    judgement.rank,
                    "positional-pattern",
                    judgement.attribute,
                    judgement.receiver,
                    number,
                    False,
                )
            )
            return


def match_arguments(engine: Engine, klass: Klass) -> list[str]:
    """`__match_args__` of a class: as written, else the positional fields of its constructor."""
    for value in engine.solver.solve("attribute", (CLASS, *klass), "__match_args__"):
        if value[0] == DISPLAY:
            table = engine.table(value[1])
            row = table.rows[value[2]]
            parts = [table.rows[one] for one in row[3]] if row[0] in (op.TUPLE, op.LIST) else []
            return [str(part[4]) for part in parts if part[0] == op.CONSTANT]
    made = constructor(engine, klass)
    return made[0] if made is not None else []


# --- keys ------------------------------------------------------------------------------------------------------------
def _is_dictionary(engine: Engine, klass: Klass) -> bool:
    return _has_base(engine, klass, ("TypedDict",))


def _is_enumeration(engine: Engine, klass: Klass) -> bool:
    return _has_base(engine, klass, ("Enum", "IntEnum", "StrEnum", "Flag", "IntFlag"))


def _has_base(engine: Engine, klass: Klass, names: tuple[str, ...]) -> bool:
    for one in engine.mro(*klass):
        if one[0].startswith("<"):
            continue
        row = engine.program.view(one[0]).class_facts(one[1])
        if row is not None and any(text.rpartition(".")[2] in names for text in row.bases):
            return True
    return False


def _key(members: Members, table: Table, number: int, row: tuple[Any, ...], dictionary: bool) -> None:
    index = table.rows[row[4]]
    if index[0] != op.CONSTANT or index[3] != "str" or index[4] != members.name:
        return
    values = dict(members.engine.solver.solve("expression", table.path, row[3]))
    wanted = INSTANCE if dictionary else CLASS
    access = {op.SUBSCRIPT: READ, op.STORE_SUBSCRIPT: WRITE, op.DELETE_SUBSCRIPT: DELETE}[row[0]]
    _add_key(
        members, table, number, row[3], row[4], access, {v: r for v, r in values.items() if v[0] == wanted}
    )
    if not values and dictionary:
        members.open.append(Open(table.path, row[1], f'["{members.name}"]', undecided(values)))


def _method_by_key(members: Members, table: Table, number: int, row: tuple[Any, ...]) -> None:
    callee = table.rows[row[3]]
    if callee[0] != op.ATTRIBUTE or not row[4]:
        return
    index = table.rows[row[4][0]]
    if index[0] == op.CONSTANT and index[3] == "str" and index[4] == members.name:
        values = dict(members.engine.solver.solve("expression", table.path, callee[3]))
        access = DELETE if callee[4] == "pop" else READ
        _add_key(members, table, number, callee[3], row[4][0], access, values)


def _add_key(
    members: Members,
    table: Table,
    number: int,
    receiver: int,
    key: int,
    access: str,
    values: dict[Value, int],
) -> None:
    judgement = members.family.judge(values)
    if judgement is None:
        return
    scope, _ = table.place(number)
    place = table.rows[key]
    by = receiver_how(members.engine, table, receiver, judgement.value)
    members.found.append(
        Occurrence(
            table.path,
            place[1],
            place[2] + 1,
            scope,
            STRING,
            access,
            judgement.rank,
            f"key-{by}",
            judgement.attribute,
            judgement.receiver,
            number,
        )
    )


def _literal(members: Members, table: Table, number: int, row: tuple[Any, ...]) -> None:
    """`{"x": 1}` where a typed dictionary is declared: a variable, a parameter, what a function returns."""
    engine = members.engine
    key = next(
        (
            one
            for one in row[3]
            if one >= 0 and table.rows[one][0] == op.CONSTANT and table.rows[one][4] == members.name
        ),
        -1,
    )
    if key < 0:
        return
    declared: dict[Value, int] = {}
    for kind, holder in table.holders(number):
        annotation = holder.annotation_value if kind == "binding" else -1
        if annotation >= 0:
            declared.update(engine.solver.solve("annotation", table.path, annotation))
    parent = table.parent(number)
    scope, _ = table.place(number)
    if parent >= 0 and table.rows[parent][0] == op.CALL and number != table.rows[parent][3]:
        declared.update(_parameter_types(engine, table, parent, number))
    elif parent < 0 and any(flow.kind == "return" and flow.value == number for flow in table.body.flows):
        annotation = table.return_annotation(scope)
        if annotation >= 0:
            declared.update(engine.solver.solve("annotation", table.path, annotation))
    judgement = members.family.judge(
        {value: rank for value, rank in declared.items() if value[0] == INSTANCE}
    )
    if judgement is not None:
        place = table.rows[key]
        members.found.append(
            Occurrence(
                table.path,
                place[1],
                place[2] + 1,
                scope,
                STRING,
                CONSTRUCT,
                max(judgement.rank, LIKELY),
                "key-annotation",
                judgement.attribute,
                judgement.receiver,
                number,
            )
        )


def _parameter_types(engine: Engine, table: Table, call: int, argument: int) -> dict[Value, int]:
    """The declared types of the parameters that an argument may go to."""
    row = table.rows[call]
    out: dict[Value, int] = {}
    for callee in sorted(engine.solver.solve("callees", table.path, call), key=repr):
        inner = callee[1] if callee[0] == "bound" else callee
        if inner[0] != FUNCTION or inner[1].startswith("<"):
            continue
        parameters = engine.table(inner[1]).parameters(inner[2])
        if argument in row[4]:
            at = row[4].index(argument) + (callee[0] == "bound")
            chosen = parameters[at : at + 1]
        else:
            word = row[5][row[6].index(argument)]
            chosen = [one for one in parameters if one.name == word]
        for one in chosen:
            if one.annotation >= 0 and one.kind not in ("*", "**"):
                out.update(engine.solver.solve("annotation", inner[1], one.annotation))
    return out
