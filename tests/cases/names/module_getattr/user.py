import pkg
from pkg import Compared  # resolves: pkg.compared.Compared likely
from pkg import Renamed  # resolves: pkg.paired.Original likely
from pkg import nothing  # unknown: pkg has no nothing

pkg.OneOf  # resolves: pkg.several.OneOf likely
pkg.Other  # resolves: pkg.several.Other likely
pkg.FromTable  # resolves: pkg.tabled.FromTable likely
pkg.tools.saw  # resolves: pkg.tools.saw likely
