# GraphML as networkx, yEd and Gephi read it: a directed graph whose edges are call sites, so that two calls of the
# same function are two edges. XML has no way to write most control characters and lone surrogates: they are
# written as escapes.
from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from codemap.model.graphs import CallGraph

_KEYS: Final = (
    ("kind", "node", "string"), ("file", "node", "string"), ("line", "node", "int"),
    ("file", "edge", "string"), ("line", "edge", "int"), ("column", "edge", "int"),
    ("confidence", "edge", "string"), ("how", "edge", "string"), ("edge", "edge", "string"),
)  # fmt: skip
_UNWRITABLE: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def chunks(graph: CallGraph) -> Iterator[str]:
    """The document, in ASCII."""
    yield '<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n'
    for name, owner, kind in _KEYS:
        yield f'<key id="{owner}-{name}" for="{owner}" attr.name="{name}" attr.type="{kind}"/>\n'
    yield '<graph id="calls" edgedefault="directed">\n'
    for row in graph.vertices:
        place = _data("node-file", row.file) + _data("node-line", str(row.line)) if row.file else ""
        yield f'<node id="{_text(row.name)}">{_data("node-kind", row.kind)}{place}</node>\n'
    for number, edge in enumerate(graph.edges):
        data = "".join(
            _data(f"edge-{name}", str(getattr(edge, name))) for name, owner, _ in _KEYS if owner == "edge"
        )
        yield (
            f'<edge id="e{number}" source="{_text(edge.caller)}" target="{_text(edge.callee)}">{data}</edge>\n'
        )
    yield "</graph>\n</graphml>\n"


def _data(key: str, value: str) -> str:
    return f'<data key="{key}">{_text(value)}</data>'


def _text(text: str) -> str:
    text = _UNWRITABLE.sub(lambda found: f"\\x{ord(found[0]):02x}", text)
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")
    text = text.replace("\t", "&#9;").replace("\n", "&#10;").replace("\r", "&#13;")
    return text.encode("ascii", "xmlcharrefreplace").decode("ascii")
