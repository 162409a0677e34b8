from tools import *

named  # resolves: tools.named
handed  # resolves: tools.handed likely
