import pkg  # resolves: pkg
import pkg.beta  # resolves: pkg.beta
import pkg.alpha as al  # resolves: pkg.alpha
from pkg import Renamed  # resolves: pkg.beta.Beta
from pkg.alpha import Alpha, Alpha as Alef  # resolves: pkg.alpha.Alpha
from pkg import alpha as module  # resolves: pkg.alpha
import os.path
from os import path as p  # unknown: outside the tree: os
import torch.nn as nn  # unknown: outside the tree: torch

pkg.beta.Beta  # resolves: pkg.beta.Beta
pkg.Deep  # resolves: pkg.sub.deep.Deep
pkg.Deep.run  # resolves: pkg.alpha.Alpha.run
pkg.alpha.Alpha.run  # resolves: pkg.alpha.Alpha.run
al.Alpha  # resolves: pkg.alpha.Alpha
al.nope  # unknown: nope
module.Alpha  # resolves: pkg.alpha.Alpha
nn.Linear  # unknown: outside the tree: torch
os.path.join  # unknown: outside the tree: os


def late():
    from pkg.sub.deep import Deep as D
    return D  # resolves: pkg.sub.deep.Deep
