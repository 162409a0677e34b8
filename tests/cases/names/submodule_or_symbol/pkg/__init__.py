from .tool import tool
from . import other
other = 1
late = 2
from .late import something
import pkg.unbound.inner
from .bridges import *
def kit(): ...
def free(): ...
