"""What is put into containers comes out of them; under constant keys in straight-line code, exactly that."""


class Gear:
    def turn(self):
        return 1


class Cog:
    def lift(self):
        return 2


def first():
    return 1


def second():
    return 2


def strong():
    table = {"a": first}
    table["a"] = second
    table["a"]()  # calls: second
    table.update({"a": first})
    table["a"]()  # calls: first


def unpacked():
    gear, cog = Gear(), Cog()  # calls: Gear, Cog
    gear.turn()  # calls: Gear.turn
    cog.lift()  # calls: Cog.lift


def zipped():
    for gear, cog in zip([Gear()], [Cog()]):  # calls: Gear, Cog
        gear.turn()  # calls: Gear.turn
        cog.lift()  # calls: Cog.lift


def appended():
    gears = []
    gears.append(Gear())  # calls: Gear
    for place, gear in enumerate(gears):
        gear.turn()  # calls: Gear.turn?
    gears[0].turn()  # calls: Gear.turn?


def comprehended():
    gears = [Gear() for _ in range(2)]  # calls: Gear
    [gear.turn() for gear in gears]  # calls: Gear.turn
    by_name = {"x": cog for cog in (Cog(),)}  # calls: Cog
    by_name["x"].lift()  # calls: Cog.lift


def starred(*gears, **cogs):
    gears[0].turn()  # calls: Gear.turn
    cogs["left"].lift()  # calls: Cog.lift


def generated():
    yield Gear()  # calls: Gear


strong()  # calls: strong
unpacked()  # calls: unpacked
zipped()  # calls: zipped
appended()  # calls: appended
comprehended()  # calls: comprehended
starred(Gear(), left=Cog())  # calls: starred, Gear, Cog
for made in generated():  # calls: generated~
    made.turn()  # calls: Gear.turn
