from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from store import Row


class Row: ...  # exports: store, user typing
Row  # resolves: model.Row
