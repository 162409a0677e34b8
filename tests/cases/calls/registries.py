"""Registries: by decorator, by dict, by `__init_subclass__`. What a key names may be any of what was entered."""

HANDLERS = {}


def handles(kind):
    def enter(function):
        HANDLERS[kind] = function
        return function

    return enter


@handles("ping")  # calls: handles, handles.enter
def on_ping():
    return "pong"


@handles("stop")  # calls: handles, handles.enter
def on_stop():
    return None


def dispatch(kind):
    return HANDLERS[kind]()  # calls: on_ping?, on_stop?


class Plugin:
    known = []

    def __init_subclass__(cls):
        Plugin.known.append(cls)

    def run(self):
        raise NotImplementedError


class Echo(Plugin):  # calls: Plugin.__init_subclass__
    def run(self):
        return "echo"


def run_all():
    for kind in Plugin.known:
        kind().run()  # calls: Echo?, Echo.run?


dispatch("ping")  # calls: dispatch
dispatch("stop")  # calls: dispatch
run_all()  # calls: run_all
