import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from plain import Plain


def made(): ...


class Magic: ...


sys.modules[__name__] = Magic()
