import pkg
import pkg.quiet
from pkg.tool import extra  # resolves: pkg.tool.extra
import pkg.tool as t

pkg.tool  # resolves: pkg.tool.tool
t  # resolves: pkg.tool.tool
pkg.other  # resolves: pkg.other
pkg.late  # resolves: pkg.late
pkg.quiet.word  # resolves: pkg.quiet.word
pkg.unbound.inner.y  # resolves: pkg.unbound.inner.y
pkg.bridges  # resolves: pkg.bridges.bridges
from pkg.kit import bolts  # resolves: pkg.kit.bolts
pkg.kit  # resolves: pkg.kit likely
pkg.free  # resolves: pkg.free
