from ._native import speed
