# Registries: a decorator with the key, an entry of a dict, a store under the key, or a call with both.
from __future__ import annotations

from codemap.claims.checking.context import Context, last_part, refuted, undecided, verified
from codemap.claims.statements import Claim, Finding
from codemap.model import facts
from codemap.resolve.records import CLASS, FUNCTION, METHOD, Definition
from codemap.semantic import expressions as op


def registered(context: Context, claim: Claim) -> Finding:
    """Where the key stands, and what stands with it."""
    return context.about(claim, (CLASS, FUNCTION, METHOD), lambda one: _registered(context, claim, one))


def _registered(context: Context, claim: Claim, one: Definition) -> Finding:
    key = claim.object
    registry = str(claim.args.get("registry", ""))
    good: list[tuple[str, int]] = []
    other: list[tuple[str, int]] = []
    mine: list[tuple[str, int]] = []
    for path in sorted({one.file, *context.program.mentioning(last_part(one.name))}):
        table = context.table(path)
        for number, row in enumerate(table.rows):
            if row[0] == op.CALL:
                keys = [n for n in (*row[4], *row[6]) if table.rows[n][0] == op.CONSTANT]
                hits = [n for n in keys if _is_key(table.rows[n], key)]
                scope = table.decorated(number)
                if scope >= 0:
                    if path == one.file and scope == one.scope and keys:
                        (good if hits and _named(table.token(row[3]), registry) else mine).append(
                            (path, row[1])
                        )
                    elif hits and _named(table.token(row[3]), registry):
                        other.append((path, row[1]))
                elif hits:
                    rest = [n for n in (*row[4], *row[6]) if n not in hits]
                    if any(_is_it(context, path, n, one) for n in rest):
                        if _named(table.token(row[3]), registry) or _named(_owner(table, row[3]), registry):
                            good.append((path, row[1]))
            elif row[0] == op.DICT:
                for place, value in zip(row[3], row[4], strict=False):
                    if place < 0 or table.rows[place][0] != op.CONSTANT:
                        continue
                    hit = _is_key(table.rows[place], key)
                    is_it = _is_it(context, path, value, one)
                    at = (path, table.rows[place][1])
                    if hit and is_it and _holds(table, number, registry):
                        good.append(at)
                    elif is_it:
                        mine.append(at)
                    elif hit and registry and _holds(table, number, registry):
                        other.append(at)
            elif row[0] == op.STORE_SUBSCRIPT and table.rows[row[4]][0] == op.CONSTANT:
                hit, is_it = (
                    _is_key(table.rows[row[4]], key),
                    row[5] >= 0 and _is_it(context, path, row[5], one),
                )
                if hit and is_it and _named(table.token(row[3]), registry):
                    good.append((path, row[1]))
                elif is_it:
                    mine.append((path, row[1]))
    if good:
        return verified("registered", f"{one.name} stands under {key!r}", context.lines(good))
    here = context.at(one)
    if mine:
        return refuted("another key", f"{one.name} stands under another key", [here, *context.lines(mine)])
    if other:
        return refuted("another value", f"something else stands under {key!r}", [here, *context.lines(other)])
    view = context.program.view(one.file)
    row2 = view.function_facts(one.scope) or view.class_facts(one.scope) if one.scope >= 0 else None
    if row2 is not None and row2.decorators:
        return undecided("decorator", f"its decorator may register {one.name}", [here])
    word = str(key)
    if word.isidentifier() and not context.program.bearing(word, facts.ROLE_STRING):
        return context.closed(refuted("no such key", f"{key!r} stands in no string of the tree", [here]))
    return undecided("not seen", f"nothing is seen to register {one.name} under {key!r}", [here])


def _is_key(row: tuple[object, ...], key: object) -> bool:
    return row[4] is not None and ((row[4] == key and isinstance(row[4], bool) == isinstance(key, bool))
                                   or (isinstance(row[4], str) and row[4] == str(key)))  # fmt: skip


def _is_it(context: Context, path: str, value: int, one: Definition) -> bool:
    for found in context.engine.solver.solve("expression", path, value):
        inner = found[1] if found[0] == "bound" else found
        if inner[0] in ("class", "function") and (inner[1], inner[2]) == (one.file, one.scope):
            return True
    return False


def _named(token: str, registry: str) -> bool:
    return not registry or token == last_part(registry)


def _owner(table: object, callee: int) -> str:
    row = table.rows[callee]  # type: ignore[attr-defined]
    return str(table.token(row[3])) if row[0] == op.ATTRIBUTE else ""  # type: ignore[attr-defined]


def _holds(table: object, number: int, registry: str) -> bool:
    if not registry:
        return True
    for kind, row in table.holders(number):  # type: ignore[attr-defined]
        name = row.name if kind == "binding" else table.rows[row][4]  # type: ignore[attr-defined]
        if name == last_part(registry):
            return True
    return False
