"""What is stored on an instance is known wherever it is read: in the class, from outside, through a chain."""


class Pump:
    def start(self):
        return 1


class Valve:
    def open(self):
        return 2


class Plant:
    shared = Pump()  # calls: Pump

    def __init__(self, valve):
        self.pump = Pump()  # calls: Pump
        self.valve = valve
        self.late = None
        self.parts = {}

    def attach(self, name, part):
        self.parts[name] = part
        self.late = part

    def run(self):
        self.pump.start()  # calls: Pump.start
        self.valve.open()  # calls: Valve.open
        self.shared.start()  # calls: Pump.start
        if self.late is not None:
            self.late.open()  # calls: Valve.open
        self.parts["v"].open()  # calls: Valve.open


plant = Plant(Valve())  # calls: Plant, Valve
plant.attach("v", Valve())  # calls: Plant.attach, Valve
plant.run()  # calls: Plant.run
plant.pump.start()  # calls: Pump.start
local = plant
local.valve.open()  # calls: Valve.open
