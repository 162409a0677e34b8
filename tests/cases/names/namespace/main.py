import outer.inner.leaf
from outer.inner import leaf  # resolves: outer.inner.leaf
from outer.inner.leaf import Leaf  # resolves: outer.inner.leaf.Leaf
from outer import nothing  # unknown: nothing

outer.inner.leaf.Leaf  # resolves: outer.inner.leaf.Leaf
