"""The last binding wins; branches are all seen; what a test rules out is not."""


class Dog:
    def bark(self):
        return 1


class Cat:
    def meow(self):
        return 2


def last():
    pet = Dog()  # calls: Dog
    pet = Cat()  # calls: Cat
    return pet.meow()  # calls: Cat.meow


def either(flag):
    pet = Dog() if flag else Cat()  # calls: Dog, Cat
    if isinstance(pet, Dog):
        return pet.bark()  # calls: Dog.bark
    return pet.meow()  # calls: Cat.meow


def optional(flag):
    pet = None
    if flag:
        pet = Dog()  # calls: Dog
    if pet is not None:
        pet.bark()  # calls: Dog.bark


def matched(pet):
    match pet:
        case Dog():
            pet.bark()  # calls: Dog.bark
        case Cat() as cat:
            cat.meow()  # calls: Cat.meow


def walrus():
    if (pet := Dog()) is not None:  # calls: Dog
        pet.bark()  # calls: Dog.bark


last()  # calls: last
either(True)  # calls: either
either(False)  # calls: either
optional(True)  # calls: optional
matched(Dog())  # calls: matched, Dog
matched(Cat())  # calls: matched, Cat
walrus()  # calls: walrus
