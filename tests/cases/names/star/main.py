from pkg import *
from plain import *

given  # resolves: pkg.core.given
taken  # resolves: pkg.extra.taken
spliced  # resolves: pkg.core.spliced
hidden  # unknown: not bound
_private  # unknown: not bound
public  # resolves: plain.public
removed  # unknown: not bound
both  # resolves: plain.both
imported_there  # resolves: pkg.core.given
