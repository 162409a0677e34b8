from magic import made  # resolves: magic.made possible
from magic import Plain  # resolves: plain.Plain possible
