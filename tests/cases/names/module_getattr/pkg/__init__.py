import importlib

_TABLE = {"FromTable": ".tabled"}
_PAIRS = {"Renamed": (".paired", "Original")}
_SUBMODULES = ["tools"]


def __getattr__(name):
    if name == "Compared":
        from .compared import Compared
        return Compared
    if name in ("OneOf", "Other"):
        from . import several
        return getattr(several, name)
    if name in _TABLE:
        return getattr(importlib.import_module(_TABLE[name], __name__), name)
    if name in _PAIRS:
        module_name, attribute = _PAIRS[name]
        module = importlib.import_module(module_name, package=__package__)
        return getattr(module, attribute)
    if name in _SUBMODULES:
        return importlib.import_module(f".{name}", __name__)
    raise AttributeError(name)
