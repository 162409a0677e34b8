# Kinds about imports, on the answers of `imports` and `cycles`.
from __future__ import annotations

from typing import Any, Final

from codemap.claims.checking.context import (
    Context,
    clean_path,
    counted,
    ends_with,
    last_part,
    listed,
    refuted,
    site_lines,
    undecided,
    verified,
)
from codemap.claims.statements import ONLY, Claim, Finding, Line
from codemap.model import facts
from codemap.queries.imports import cycles as cycles_of
from codemap.queries.imports import imports as imports_of
from codemap.resolve.modules import own_attribute
from codemap.semantic import expressions as op

Row = dict[str, Any]
_DYNAMIC: Final = ("import_module", "__import__")
_FEW: Final = 60


def imports(context: Context, claim: Claim) -> Finding:
    """Import statements of the module, wherever in it, and imports by name with a constant."""
    return _imported(context, claim, "")


def import_kind(context: Context, claim: Claim) -> Finding:
    """The kind of each site; with `only`, of all of them (a typing import contradicts no other kind)."""
    return _imported(context, claim, str(claim.args.get("import_kind", "")))


def _imported(context: Context, claim: Claim, kind: str) -> Finding:
    if kind and kind not in ("runtime", "typing", "lazy", "optional"):
        return undecided("unknown kind of import", f"{kind} is none of runtime, typing, lazy, optional")
    paths = _importers(context, claim.subject)
    if not paths:
        return _no_module(context, claim.subject)
    findings = [_in_file(context, claim, path, kind) for path in paths]
    return _joined(findings, claim.subject)


def _joined(findings: list[Finding], name: str) -> Finding:
    verdicts = {one.verdict for one in findings}
    if len(verdicts) == 1:
        return findings[0]
    lines = tuple(line for one in findings for line in (*one.evidence, *one.counter))
    told = "; ".join(one.reason for one in findings[:4])
    return Finding("ambiguous", "several modules", f"{name} may be several modules: {told}", lines[:12])


def _no_module(context: Context, name: str) -> Finding:
    return (
        context.missing(name) if "/" not in name and not name.endswith(".py") else context.no_such_file(name)
    )


def _importers(context: Context, name: str) -> tuple[str, ...]:
    found = context.files(name)
    if found:
        return found
    return tuple(
        dict.fromkeys(one.file for one in context.definitions(name, ("class", "function", "method")))
    )


def _in_file(context: Context, claim: Claim, path: str, kind: str) -> Finding:
    wanted = clean_path(str(claim.object))
    rows = sites_of(context, path, wanted)
    if not rows:
        open_sites = _dynamic(context, path)
        first = context.lines([(path, 1)])
        finding = refuted("imports", f"{path} does not import {wanted}", first)
        if open_sites:
            told = f"{path} imports modules by computed names"
            return undecided("dynamic import", told, context.lines(open_sites))
        broken = [row for row in context.broken if row[0] == path]
        if broken:
            return undecided("parse errors", f"{path} does not parse wholly", context.lines([broken[0][:2]]))
        module = next(iter(context.files(wanted)), "")
        return finding._replace(counter=first + context.lines([(module, 1)] if module else []))
    lines = site_lines(context, rows)
    told = ", ".join(f"line {row['line']} ({row['import_kind']})" for row in rows[:6])
    if not kind:
        return verified("import", f"{path} imports {wanted}: {told}", lines)
    fitting = [row for row in rows if row["import_kind"] == kind]
    others = [row for row in rows if row["import_kind"] != kind]
    if claim.quantifier == ONLY:
        others = [row for row in others if kind == "typing" or row["import_kind"] != "typing"]
        if fitting and not others:
            return verified(
                "import kind", f"every import of {wanted} is {kind}: {told}", site_lines(context, fitting)
            )
        return refuted("import kind", f"{path} imports {wanted}: {told}", site_lines(context, others or rows))
    if fitting:
        return verified("import kind", f"{path} imports {wanted}: {told}", site_lines(context, fitting))
    return refuted("import kind", f"{path} imports {wanted}: {told}", lines, rows[0]["import_kind"])


def sites_of(context: Context, path: str, wanted: str) -> list[Row]:
    """The imports of a file that bring a module or a symbol."""
    rows = [row for row in imports_of(context.program, path).results if row["file"] == path]
    modules = {context.program.modules.module_of(one) for one in context.files(wanted)}
    found: dict[int, Row] = {}
    head, _, last = wanted.rpartition(".")
    definitions = context.definitions(wanted) if wanted.replace(".", "").isidentifier() else []
    homes = {one.name for one in definitions}
    for row in rows:
        module = row["module"]
        names = row["names"]
        hit = module == wanted or module in modules or module.startswith(wanted + ".")
        hit = hit or ("/" not in wanted and "." not in wanted and ends_with(module, wanted))
        hit = hit or ("." in wanted and ends_with(module, wanted))
        if not hit and wanted in names:
            hit = True
        if not hit and head and last in names:
            hit = ends_with(module, head) or (
                any(ends_with(name, wanted) or ends_with(wanted, name) for name in homes)
                and _leads(context, path, last, homes)
            )
        if not hit and "*" in names and definitions:
            hit = _leads(context, path, last or wanted, homes, module)
        if not hit and not modules and not definitions and "." not in wanted:
            hit = module.partition(".")[0].casefold() == wanted.casefold()
        if hit:
            found.setdefault(row["line"] * 10_000 + row["column"], row)
    return [found[key] for key in sorted(found)]


def _leads(context: Context, path: str, name: str, homes: set[str], module: str = "") -> bool:
    """Whether a name of a file leads to one of some definitions, through one of its imports."""
    view = context.program.view(path)
    answer = own_attribute(context.program, view, name, outside=True)
    for item in answer.found:
        if item.definition.name in homes and (not module or any(s.source == module for s in item.trail)):
            return True
    return not module and not answer.found


def _dynamic(context: Context, path: str) -> list[tuple[str, int]]:
    """Imports of a file whose module is computed."""
    if not any(path in context.program.mentioning(word, facts.ROLE_CALL) for word in _DYNAMIC):
        return []
    table = context.table(path)
    known = {row.line for row in table.view.outline.imports if row.dynamic}
    found = []
    for word in _DYNAMIC:
        for call in table.calls(word):
            row = table.rows[call]
            first = table.rows[row[4][0]] if row[4] else None
            if first is None or first[0] != op.CONSTANT or (row[1] not in known and first[3] != "str"):
                found.append((path, row[1]))
    return found


# --- cycles ---------------------------------------------------------------------------------------------------------
def import_cycle(context: Context, claim: Claim) -> Finding:
    """Cycles at import time, those that only type checkers see, and modules that import each other in functions."""
    modules, lost = _modules(context, claim)
    if lost is not None:
        return lost
    kind = str(claim.args.get("import_kind", ""))
    row = _cycle(context, modules, kind)
    if row is not None:
        told = f"{row['import_kind']} cycle of {counted(len(row['modules']), 'module')}"
        return verified("import cycle", told, context.lines((s["file"], s["line"]) for s in row["sites"]))
    if not kind:
        way = _mutual(context, modules)
        if way:
            told = "they import each other, not all of it at import time"
            return verified("mutual import", told, way)
    lines = context.lines((path, 1) for one in modules for path in context.files(one)[:1])
    finding = refuted("no cycle", f"no {kind or 'import'} cycle has {' and '.join(sorted(modules))}", lines)
    if not kind and len(modules) > 1 and _any_way(context, modules):
        return undecided("lazy cycle", "only imports within functions close a cycle", lines)
    return context.closed(finding)


def no_cycle(context: Context, claim: Claim) -> Finding:
    """The contrary, at import time unless the claim says another kind."""
    modules, lost = _modules(context, claim)
    if lost is not None:
        return lost
    kind = str(claim.args.get("import_kind", "")) or "runtime"
    row = _cycle(context, modules, kind)
    if row is not None:
        told = f"{row['import_kind']} cycle of {counted(len(row['modules']), 'module')}"
        return refuted("import cycle", told, context.lines((s["file"], s["line"]) for s in row["sites"]))
    lines = context.lines((path, 1) for one in modules for path in context.files(one)[:1])
    return context.closed(verified("no cycle", f"no {kind} cycle has {' and '.join(sorted(modules))}", lines))


def _modules(context: Context, claim: Claim) -> tuple[set[str], Finding | None]:
    found: set[str] = set()
    for name in (claim.subject, *listed(claim.object)):
        files = context.files(name)
        names = {context.program.modules.module_of(path) for path in files}
        if not names:
            return found, _no_module(context, name)
        if len(names) > 1:
            told = f"{name} may be {', '.join(sorted(names)[:5])}"
            return found, Finding("ambiguous", "several modules", told, context.lines((p, 1) for p in files))
        found |= names
    return found, None


def _cycle(context: Context, modules: set[str], kind: str) -> Row | None:
    memo = context.__dict__.setdefault("_cycles", [])
    if not memo:
        memo.append(cycles_of(context.program).results)
    for row in memo[0]:
        if modules <= set(row["modules"]) and (not kind or row["import_kind"] == kind):
            return dict(row)
    return None


def _targets(context: Context, module: str) -> dict[str, Line]:
    found: dict[str, Line] = {}
    for path in context.program.modules.files_of(module):
        for row in imports_of(context.program, path).results:
            if row["file"] == path:
                found.setdefault(row["module"], context.line(path, row["line"]))
    return found


def _mutual(context: Context, modules: set[str]) -> tuple[Line, ...]:
    """The lines on which two modules import each other directly; () when they do not."""
    if len(modules) != 2:
        return ()
    one, other = sorted(modules)
    there, back = _targets(context, one).get(other), _targets(context, other).get(one)
    return (there, back) if there and back else ()


def _any_way(context: Context, modules: set[str]) -> bool:
    """Whether imports of any kind lead from each module to each other one."""
    return all(
        _reaches(context, one, other) for one in sorted(modules) for other in sorted(modules) if one != other
    )


def _reaches(context: Context, start: str, end: str) -> bool:
    seen = {start}
    work = [start]
    while work:
        for target in sorted(_targets(context, work.pop())):
            if target == end:
                return True
            if target not in seen and context.program.modules.files_of(target):
                seen.add(target)
                work.append(target)
    return False


# --- packages from outside ----------------------------------------------------------------------------------------------
def external_dep(context: Context, claim: Claim) -> Finding:
    """Imports of a package that is not in the tree."""
    package = str(claim.object).strip()
    words = {package, package.replace("-", "_")}
    files = _importers(context, claim.subject)
    folder = "" if files else context.folder(claim.subject)
    if folder:
        files = tuple(path for path in context.index.files if path.startswith(folder + "/"))
    elif not files and claim.subject == context.index.tree.name:
        files = context.index.files
    if not files:
        return _no_module(context, claim.subject)
    bearing = {
        path
        for word in words
        for path in context.program.mentioning(word.partition(".")[0], facts.ROLE_IMPORT)
    }
    rows: list[Row] = []
    for path in [one for one in files if one in bearing][:_FEW]:
        for row in imports_of(context.program, path).results:
            if row["file"] == path and any(
                row["module"] == word or row["module"].startswith(word + ".") for word in words
            ):
                rows.append(row)
    lines = site_lines(context, rows)
    if rows and not any(row["resolved"] for row in rows):
        return verified(
            "import from outside", f"{claim.subject} imports {package}, which is not in the tree", lines
        )
    if rows:
        compiled = [row for row in rows if str(row["target"]).endswith((".so", ".pyd"))]
        if compiled:
            return verified("compiled module", f"{package} is a compiled module of the tree", lines)
        return refuted("in the tree", f"{package} is in the tree itself", lines)
    open_sites = [place for path in files[:_FEW] for place in _dynamic(context, path)]
    finding = refuted(
        "imports", f"nothing in {claim.subject} imports {package}", context.lines([(files[0], 1)])
    )
    if open_sites:
        return undecided("dynamic import", f"{finding.reason} by name", context.lines(open_sites))
    return context.closed(finding)


__all__ = ["external_dep", "import_cycle", "import_kind", "imports", "last_part", "no_cycle", "sites_of"]
