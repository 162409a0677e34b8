"""Generators: `yield from`, `send`, expressions; what `next` gives."""


class Seed:
    def grow(self):
        return 1


def seeds():
    yield Seed()  # calls: Seed


def all_seeds():
    yield from seeds()  # calls: seeds~


for seed in all_seeds():  # calls: all_seeds~
    seed.grow()  # calls: Seed.grow
next(seeds()).grow()  # calls: seeds~, Seed.grow
first = next(seed for seed in [Seed()])  # calls: Seed
first.grow()  # calls: Seed.grow
sorted([Seed()], key=lambda seed: seed.grow())[0].grow()  # calls: Seed, <lambda>, Seed.grow
list(filter(None, [Seed()]))[0].grow()  # calls: Seed, Seed.grow
max([Seed()], key=Seed.grow).grow()  # calls: Seed, Seed.grow
reversed_one = list(reversed([Seed()]))[0]  # calls: Seed
reversed_one.grow()  # calls: Seed.grow
