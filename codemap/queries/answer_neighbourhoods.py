# The answers of `path` and `cycles` as graphs: what they found, not what lies around it.
from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from codemap.model.answers import CERTAIN, Answer
from codemap.queries.import_neighbourhoods import module_vertex
from codemap.queries.matching import match_name
from codemap.queries.neighbourhoods import ASKED, MORE, WEAKEST, Draft, Neighbourhood, Site, Vertex
from codemap.resolve.records import MODULE

if TYPE_CHECKING:
    from codemap.resolve.program import Program


def paths_drawn(program: Program, answer: Answer) -> Neighbourhood:
    """The ways of an answer of `path`; the weakest link of each is flagged, unless all of it is certain."""
    draft = Draft()
    for result in answer.results:
        names = result["path"]
        for number, name in enumerate(names):
            flags = (ASKED,) if number in (0, len(names) - 1) else ()
            draft.vertex(_vertex(program, name, number, flags))
        for number, (row, (source, target)) in enumerate(zip(result["sites"], pairwise(names), strict=True)):
            is_weakest = number == result["weakest"] and row["confidence"] != CERTAIN
            site = Site(row["file"], row["line"], row["column"], row["confidence"], row["how"], row["edge"])
            draft.edge(source, target, site, (WEAKEST,) if is_weakest else ())
    return _made(answer, draft)


def cycles_drawn(program: Program, answer: Answer) -> Neighbourhood:
    """The cycles of an answer of `cycles`: a shortest one of each set of modules, and how many more there are."""
    draft = Draft()
    for result in answer.results:
        drawn: dict[str, None] = {}
        for row in result["sites"]:
            for module in (row["from"], row["to"]):
                drawn[module] = None
                draft.vertex(module_vertex(program, module))
            site = Site(row["file"], row["line"], 1, CERTAIN, "import", row["import_kind"])
            draft.edge(row["from"], row["to"], site)
        rest = tuple(module for module in result["modules"] if module not in drawn)
        if rest:
            first = next(iter(drawn))
            one = Vertex(
                f"{len(rest)} more in the cycle of {first}",
                MORE,
                first.rpartition(".")[0] or first,
                flags=(MORE,),
                folded=rest,
                note=f"in cycles with {first.rpartition('.')[2]}",
            )
            draft.vertex(one)
    return _made(answer, draft)


def _made(answer: Answer, draft: Draft) -> Neighbourhood:
    notes: tuple[str, ...] = ()
    if answer.extra.get("more_paths"):
        notes = (f"the first {len(answer.results)} ways of this length are shown",)
    return Neighbourhood(
        answer.command,
        answer.target,
        answer.tree,
        answer.status,
        draft.sorted_vertices(),
        draft.edges(),
        answer.suggestions,
        answer.extra.get("missing", ""),
        notes,
    )


def _vertex(program: Program, name: str, distance: int, flags: tuple[str, ...]) -> Vertex:
    """A function, class or module by its qualified name, with the place of its definition."""
    for match in match_name(program, name, ()).matches:
        found = match.definition
        if found.name == name and found.file:
            module = program.modules.module_of(found.file)
            kind = "module" if found.kind == MODULE else found.kind
            return Vertex(name, kind, module, found.file, found.line, distance, flags)
    return Vertex(name, "function", name.rpartition(".")[0], distance=distance, flags=flags)
