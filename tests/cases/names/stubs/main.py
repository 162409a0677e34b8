from pkg import speed  # resolves: pkg._native.speed
from pkg.both import real  # resolves: pkg.both.real
from pkg.both import only_in_stub  # resolves: pkg.both.only_in_stub
