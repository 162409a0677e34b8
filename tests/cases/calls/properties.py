"""Reading, writing and deleting a property calls its functions; what it gives is what the getter returns."""


class Engine:
    def start(self):
        return True


class Car:
    @property
    def engine(self):
        return Engine()  # calls: Engine

    @property
    def speed(self):
        return self._speed

    @speed.setter
    def speed(self, value):
        self._speed = value

    @speed.deleter
    def speed(self):
        del self._speed


car = Car()
car.engine.start()  # calls: Car.engine, Engine.start
car.speed = 3  # calls: Car.speed
car.speed += 1  # calls: Car.speed
del car.speed  # calls: Car.speed
