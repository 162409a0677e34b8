import importlib

_PARTS = {"parts": ["Pump", "Hose"]}
_HOME = {name: module for module, names in _PARTS.items() for name in names}


def __getattr__(name):
    if name in _HOME:
        return getattr(importlib.import_module("." + _HOME[name], __name__), name)
    raise AttributeError(name)
