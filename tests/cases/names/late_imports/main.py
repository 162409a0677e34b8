import importlib


class Holder:
    from tools import saw  # resolves: tools.saw

    def use(self):
        import tools as t
        from tools import hammer as h
        t.hammer  # resolves: tools.hammer
        return h  # resolves: tools.hammer

Holder.saw  # resolves: tools.saw
saw  # unknown: not bound


def dynamic():
    module = importlib.import_module("tools")
    return module.saw  # resolves: tools.saw likely


def relative():
    module = __import__("tools")
    return module.hammer  # resolves: tools.hammer likely
