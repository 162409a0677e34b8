"""codemap: the truth about a large Python tree.

    import codemap

    with codemap.open_map("pypi:sglang==0.5.9") as tree:
        answer = tree.find_class("GenerationBatchResult", expected_in=["tp_worker.py"])

Every question returns an `Answer`; everything raised on purpose is a `CodemapError`.
"""

# The public surface, whole: what is not in __all__ may change without a word. Imported by every process of the
# command line, so nothing here may be heavy: `open_map` imports the rest when it is called.
from __future__ import annotations

from codemap.api import Map, open_map
from codemap.errors import (
    ArchiveError,
    CacheError,
    CodemapError,
    ConfigurationError,
    EmptyTree,
    FetchError,
    LayoutError,
    NoSuchModule,
    NoSuchTree,
    OutputError,
    TreeError,
    UsageError,
)
from codemap.model.answers import Answer, TreeSummary, UnresolvedSite

__version__ = "0.1.0.dev0"

__all__ = [
    "Answer",
    "ArchiveError",
    "CacheError",
    "CodemapError",
    "ConfigurationError",
    "EmptyTree",
    "FetchError",
    "LayoutError",
    "Map",
    "NoSuchModule",
    "NoSuchTree",
    "OutputError",
    "TreeError",
    "TreeSummary",
    "UnresolvedSite",
    "UsageError",
    "__version__",
    "open_map",
]
