from ..alpha import Alpha  # resolves: pkg.alpha.Alpha
from .. import alpha  # resolves: pkg.alpha
from ... import nothing  # unknown: leaves the tree
from . import absent  # unknown: pkg.sub has no absent
import pkg.beta as b  # resolves: pkg.beta

class Deep(alpha.Alpha):  # resolves: pkg.alpha.Alpha
    pass

b.Beta  # resolves: pkg.beta.Beta
