from . import core, extra
from .core import *
from .extra import *

NAMES = ["spliced"]
__all__ = ["given"] + extra.__all__
__all__ += [*NAMES, "removed"]
__all__.remove("removed")
__all__.append("both")
