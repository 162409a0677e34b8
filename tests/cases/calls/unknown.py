"""What cannot be known is said, with the reason."""

import os

import torch


def outside(value):
    torch.relu(value)  # unknown: outside the tree: torch.relu


def parameter(thing):
    thing.run()  # unknown: parameter thing has no annotation and no known caller


def standard():
    os.getcwd()
