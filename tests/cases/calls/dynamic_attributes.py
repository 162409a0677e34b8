"""`getattr` and `setattr` with constants are plain attributes; a text of which only a part is known has candidates."""


class Pump:
    def __init__(self):
        setattr(self, "hook", self.on)

    def on(self):
        return 1

    def visit_name(self):
        return 2

    def visit_call(self):
        return 3

    def default(self):
        return 4

    def visit(self, kind):
        method = getattr(self, f"visit_{kind}", self.default)
        return method()  # calls: Pump.visit_name, Pump.visit_call, Pump.default

    def visit_any(self, kind):
        method = getattr(self, "visit_" + kind.strip(), self.default)
        return method()  # calls: Pump.visit_name?, Pump.visit_call?, Pump.visit_any?, Pump.default~


pump = Pump()  # calls: Pump
getattr(pump, "on")()  # calls: Pump.on
pump.hook()  # calls: Pump.on
pump.visit("name")  # calls: Pump.visit
pump.visit("call")  # calls: Pump.visit
pump.visit("none")  # calls: Pump.visit
pump.visit_any("".join(["name"]))  # calls: Pump.visit_any
