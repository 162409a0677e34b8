import importlib


class Later:
    def __init__(self, module, name):
        self.module, self.name = module, name

    def __getattr__(self, attribute):
        return getattr(getattr(importlib.import_module(self.module), self.name), attribute)


class Plain:
    def __init__(self, module, name): ...


def later_module(name):
    return importlib.import_module(name)
