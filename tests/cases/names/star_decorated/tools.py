__all__ = ["named"]


def public(thing):
    __all__.append(thing.__name__)
    return thing


@public
def handed(): ...  # exports: user


def named(): ...  # exports: user
