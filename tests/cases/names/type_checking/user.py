from __future__ import annotations
import typing as t

if t.TYPE_CHECKING:
    from store import Row
    from model import Row as Shadowed
else:
    Shadowed = None

def use(row: Row):  # resolves: model.Row
    return row

Shadowed  # resolves: user.Shadowed
