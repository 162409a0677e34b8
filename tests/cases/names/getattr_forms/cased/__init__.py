def __getattr__(name):
    match name:
        case "Pump":
            from .parts import Pump

            return Pump
        case "Hose" | "Tap":
            from . import parts

            return getattr(parts, name)
        case _:
            raise AttributeError(name)
