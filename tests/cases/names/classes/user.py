import torch
from base import Bottom, Mixin, Root as R

class Mine(Mixin, Bottom):
    alias = R

class Torchy(torch.nn.Module, Bottom): ...
class Odd(make_base(), Bottom): ...
class Loop(Loop): ...

Bottom.act  # resolves: base.Left.act
Bottom.shared  # resolves: base.Right.shared
Bottom.level  # resolves: base.Root.level
Bottom.name  # resolves: base.Root.name
Bottom.Inner.deep  # resolves: base.Bottom.Inner.deep
Mine.ready  # resolves: base.Bottom.ready
Mine.marked  # resolves: base.Mixin.marked
Mine.act  # resolves: base.Left.act
Mine.alias.act  # resolves: base.Root.act
Torchy.act  # resolves: base.Left.act likely
Torchy.forward  # unknown: torch.nn.Module
Odd.act  # resolves: base.Left.act likely
Odd.nope  # unknown: a base that is an expression
Mine.nope  # unknown: nope
