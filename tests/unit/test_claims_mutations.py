"""True claims are made from source by syntax alone, false ones from them by rule: no false one may come out verified,
no true one refuted, and of the false ones at least nine in ten are refuted and not left open."""

from __future__ import annotations

import ast
import importlib.util
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from codemap.api import open_map
from codemap.claims.checking import Checker
from codemap.claims.loading import made
from codemap.claims.statements import REFUTED, VERIFIED, Claim

# trees that nobody of this project wrote, and its own
TREES = ("rich", "typer", "jsonschema", "codemap.source")
EACH = 14  # claims of a kind and a tree


class Pair(NamedTuple):
    """A claim that the source makes true, and one made from it that is false; either may be None."""

    true: dict[str, Any] | None
    false: dict[str, Any] | None


def folder_of(package: str) -> Path:
    spec = importlib.util.find_spec(package)
    assert spec is not None
    assert spec.submodule_search_locations
    return Path(next(iter(spec.submodule_search_locations)))


class Source:
    """A tree by its syntax trees: top-level classes and functions, those whose name is unique in the tree."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.modules: dict[str, ast.Module] = {}
        for path in sorted(root.rglob("*.py")):
            self.modules[path.relative_to(root).as_posix()] = ast.parse(path.read_bytes())
        names: Counter[str] = Counter()
        for tree in self.modules.values():
            for node in ast.walk(tree):
                if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                    names[node.name] += 1
                elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                    names[node.id] += 1
                elif isinstance(node, ast.alias) and node.asname and node.asname != node.name:
                    names[node.asname] += 1
                elif isinstance(node, ast.arg):
                    names[node.arg] += 1
        self.classes: list[tuple[str, ast.ClassDef]] = []
        self.functions: list[tuple[str, ast.FunctionDef]] = []
        for file, tree in self.modules.items():
            for node in tree.body:
                if isinstance(node, ast.ClassDef) and names[node.name] == 1:
                    self.classes.append((file, node))
                elif isinstance(node, ast.FunctionDef) and names[node.name] == 1:
                    self.functions.append((file, node))
        self.by_name = {node.name: (file, node) for file, node in self.classes}

    def methods(self) -> Iterator[tuple[str, ast.ClassDef, ast.FunctionDef]]:
        for file, klass in self.classes:
            for node in klass.body:
                if (
                    isinstance(node, ast.FunctionDef)
                    and [other.name for other in klass.body if isinstance(other, ast.FunctionDef)].count(
                        node.name
                    )
                    == 1
                ):
                    yield file, klass, node


def claim(kind: str, subject: str, said: Any = None, **more: Any) -> dict[str, Any]:
    return {"kind": kind, "subject": subject, "object": said, **more}


def places(source: Source) -> Iterator[Pair]:
    """Where things are: another file."""
    files = [file for file in source.modules if source.modules[file].body]
    for number, (file, node) in enumerate([*source.classes, *source.functions]):
        other = files[(number * 7 + 3) % len(files)]
        yield Pair(
            claim("defined_in", node.name, file),
            claim("defined_in", node.name, other) if other != file else None,
        )


def sizes(source: Source) -> Iterator[Pair]:
    """How long files are: a few lines more."""
    for file in source.modules:
        lines = len((source.root / file).read_bytes().splitlines())
        yield Pair(claim("line_count", file, lines), claim("line_count", file, lines + 7))


def kinds(source: Source) -> Iterator[Pair]:
    """What things are: a class is no function."""
    for _, node in source.classes:
        yield Pair(claim("symbol_kind", node.name, "class"), claim("symbol_kind", node.name, "function"))
        yield Pair(claim("symbol_exists", f"{node.name}"), claim("symbol_exists", f"{node.name}Quux"))
    for _, node in source.functions:
        yield Pair(claim("flags", node.name, "not async"), claim("flags", node.name, "async"))


def bases(source: Source) -> Iterator[Pair]:
    """What a class derives from: a wrong base."""
    for number, (_, node) in enumerate(source.classes):
        named = [base.id for base in node.bases if isinstance(base, ast.Name) and base.id in source.by_name]
        others = source.classes[(number * 5 + 11) % len(source.classes)][1].name
        if len(named) != len(node.bases):
            continue
        family = set(above(source, node.name))
        wrong = claim("subclass", node.name, others) if others not in family and others != node.name else None
        for base in named:
            yield Pair(claim("subclass", node.name, base, args={"direct": True}), wrong)
        if not named:
            yield Pair(None, wrong)


def above(source: Source, name: str, seen: frozenset[str] = frozenset()) -> Iterator[str]:
    """The names of a class and of what it derives from."""
    yield name
    if name in source.by_name and name not in seen:
        for base in source.by_name[name][1].bases:
            yield from above(source, ast.unparse(base).split("[")[0].split(".")[-1], seen | {name})


def members(source: Source) -> Iterator[Pair]:
    """What classes have: a neighbour's member."""
    rows = list(source.methods())
    for number, (_, klass, node) in enumerate(rows):
        _, other, theirs = rows[(number * 3 + 17) % len(rows)]
        alone = all(base in source.by_name for base in list(above(source, klass.name)))
        strange = any(
            isinstance(inner, ast.FunctionDef) and inner.name == theirs.name
            for base in above(source, klass.name) if base in source.by_name
            for inner in ast.walk(source.by_name[base][1])
        )  # fmt: skip
        children = any(
            klass.name in set(above(source, one.name)) for _, one in source.classes if one is not klass
        )
        wrong = None
        if alone and not strange and not children and theirs.name not in dir(object) and other is not klass:
            if (
                not klass.decorator_list
                and not klass.keywords
                and not words(klass) & {theirs.name, "setattr"}
            ):
                wrong = claim("has_member", klass.name, theirs.name)
        yield Pair(claim("has_member", klass.name, node.name), wrong)


def words(node: ast.AST) -> set[str]:
    found = {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
    return found | {one.attr for one in ast.walk(node) if isinstance(one, ast.Attribute)}


def headers(source: Source) -> Iterator[Pair]:
    """Parameters and defaults: one dropped, another value."""
    for _, node in source.functions:
        if node.decorator_list:
            continue
        names = [one.arg for one in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]
        if not node.args.vararg and not node.args.kwarg and not node.args.kwonlyargs and len(names) > 1:
            yield Pair(
                claim("signature", node.name, f"({', '.join(names)})"),
                claim("signature", node.name, f"({', '.join(names[:-1])})"),
            )
            yield Pair(claim("signature", node.name, names[0]), claim("signature", node.name, "quux"))
        plain = [*node.args.posonlyargs, *node.args.args]
        for one, default in zip(plain[::-1], node.args.defaults[::-1], strict=False):
            if isinstance(default, ast.Constant) and isinstance(default.value, int | str | None):
                wrong = "not so" if not isinstance(default.value, str) else 12345
                yield Pair(
                    claim("default_value", node.name, repr(default.value), args={"parameter": one.arg}),
                    claim("default_value", node.name, wrong, args={"parameter": one.arg}),
                )
        for one in plain:
            if one.annotation is not None and not isinstance(one.annotation, ast.Constant):
                yield Pair(
                    claim("annotation", node.name, ast.unparse(one.annotation), args={"parameter": one.arg}),
                    claim("annotation", node.name, "frozenset[bytes]", args={"parameter": one.arg}),
                )


def calls(source: Source) -> Iterator[Pair]:
    """Who calls whom: another function, one caller less."""
    for file, tree in source.modules.items():
        own = {node.name: node for place, node in source.functions if place == file}
        callers: dict[str, list[str]] = {name: [] for name in own}
        called_only = {id(one.func) for one in ast.walk(tree) if isinstance(one, ast.Call)}
        handed = {
            one.id for one in ast.walk(tree) if isinstance(one, ast.Name) and id(one) not in called_only
        }
        for caller in own.values():
            called = {
                one.func.id for one in ast.walk(caller) if isinstance(one, ast.Call) and isinstance(one.func, ast.Name)
            }  # fmt: skip
            nested = any(
                isinstance(one, ast.FunctionDef | ast.ClassDef | ast.Lambda) and one is not caller
                for one in ast.walk(caller)
            )
            for name in sorted(called & set(own)):
                if own[name].decorator_list or caller.decorator_list:
                    continue
                strange = sorted(set(own) - words(caller))
                plain = [
                    one for one in strange
                    if not own[one].decorator_list and one != caller.name and one not in handed
                ]  # fmt: skip
                yield Pair(
                    claim("calls", caller.name, name),
                    claim("calls", caller.name, plain[0]) if plain and not nested else None,
                )
                yield Pair(None, claim("not_calls", caller.name, name))
        for name, node in own.items():
            if not name.startswith("_") or node.decorator_list:
                continue
            uses = [one for one in ast.walk(tree) if isinstance(one, ast.Name) and one.id == name]
            for top in tree.body:
                if isinstance(top, ast.FunctionDef) and top.name in own and top.name != name:
                    if any(
                        isinstance(one, ast.Call) and isinstance(one.func, ast.Name) and one.func.id == name
                        for one in ast.walk(top)
                    ):
                        callers[name].append(top.name)
            users = sum(
                isinstance(one, ast.Call) and isinstance(one.func, ast.Name) and one.func.id == name
                for top in tree.body if isinstance(top, ast.FunctionDef) and top.name in callers[name]
                for one in ast.walk(top)
            )  # fmt: skip
            if users != len(uses) or any(
                name in words(other) or name in ast.dump(other)
                for place, other in source.modules.items()
                if place != file
            ):
                continue
            if len(callers[name]) > 1:
                yield Pair(
                    claim("callers_are", name, callers[name], quantifier="only"),
                    claim("callers_are", name, callers[name][1:], quantifier="only"),
                )
            if callers[name]:
                yield Pair(None, claim("callers_are", name, []))
                yield Pair(
                    claim("count", name, users, args={"of": "callers"}),
                    claim("count", name, users + 1, args={"of": "callers"}),
                )


def imports(source: Source) -> Iterator[Pair]:
    """What modules import: a package that is not imported; a kind that it has not."""
    for file, tree in source.modules.items():
        named = {
            alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names
        }
        text = (source.root / file).read_text("utf-8")
        top = {alias.name for node in tree.body if isinstance(node, ast.Import) for alias in node.names}
        wrong = claim("imports", file, "sqlite3") if "sqlite3" not in text else None
        for name in sorted(named):
            kind = None
            if (
                name in top
                and sum(name in ast.unparse(n) for n in ast.walk(tree) if isinstance(n, ast.Import)) == 1
            ):
                kind = claim("import_kind", file, name, args={"import_kind": "typing"})
            yield Pair(claim("imports", file, name), kind)
        yield Pair(None, wrong)


RULES = (places, sizes, kinds, bases, members, headers, calls, imports)


def pairs_of(source: Source) -> Iterator[Pair]:
    """Some of each rule, spread over the tree."""
    for rule in RULES:
        found = list(rule(source))
        by_kind: dict[str, list[Pair]] = {}
        for pair in found:
            by_kind.setdefault(str((pair.true or pair.false or {}).get("kind")), []).append(pair)
        for rows in by_kind.values():
            step = max(1, len(rows) // EACH)
            yield from rows[::step][: EACH * 2]


def as_claim(row: dict[str, Any], number: int) -> Claim:
    wrong: list[tuple[int, str]] = []
    one = made(row, number, "made.yaml", str(number), "", "", wrong, {})
    assert wrong == []
    return one


@pytest.mark.slow
@pytest.mark.parametrize("package", TREES)
def test_no_false_claim_is_verified_and_no_true_one_refuted(package: str, tmp_path: Path) -> None:
    """And nine false ones in ten are refuted."""
    root = folder_of(package)
    source = Source(root)
    false: Counter[str] = Counter()
    wrong: list[str] = []
    with open_map(root, cache=tmp_path) as tree:
        checker = Checker(lambda _: tree._engine)
        for number, pair in enumerate(pairs_of(source)):
            if pair.true is not None:
                finding = checker.check_one(as_claim(pair.true, number)).finding
                if finding.verdict == REFUTED:
                    wrong.append(f"true, refuted: {pair.true}: {finding.reason}")
                assert finding.verdict != VERIFIED or finding.evidence
            if pair.false is not None:
                finding = checker.check_one(as_claim(pair.false, number)).finding
                false[finding.verdict] += 1
                if finding.verdict == VERIFIED:
                    wrong.append(f"false, verified: {pair.false}: {finding.reason}")
                assert finding.verdict != REFUTED or finding.counter, pair.false
    print(package, dict(false))
    assert wrong == []
    assert sum(false.values()) >= 60
    assert false[REFUTED] >= 0.9 * sum(false.values())
