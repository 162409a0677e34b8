# Alone in a module: the index needs it for every question, and `facts` imports `ast` and all the handlers.
from __future__ import annotations

from typing import Final

EXTRACTOR_VERSION: Final = 5
"""Facts that were stored under another version are of no use and are read anew."""
