"""`with` calls `__enter__` and `__exit__`, and binds what the former gives, or what a generator yields."""

import contextlib


class Session:
    def send(self):
        return 1


class Pool:
    def __enter__(self):
        return Session()  # calls: Session

    def __exit__(self, *error):
        return None


@contextlib.contextmanager
def opened():
    yield Session()  # calls: Session


def first():
    with Pool() as session:  # calls: Pool, Pool.__enter__, Pool.__exit__
        session.send()  # calls: Session.send


def second():
    with opened() as session:  # calls: opened~
        session.send()  # calls: Session.send


first()  # calls: first
second()  # calls: second
