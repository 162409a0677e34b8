def __getattr__(name):
    if name.startswith("P"):
        from .parts import Pump as made

        return made
    elif name == "Hose":
        from .parts import Hose as made
    elif name == "Tap":
        from .parts import Tap as made
    else:
        raise AttributeError(name)
    return made
