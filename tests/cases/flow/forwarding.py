"""What is handed on in `*args` and `**kwargs` arrives; partials and wrappers hand it on too."""

import functools


class Lamp:
    def light(self):
        return 1


def target(lamp, *, spare=None):
    lamp.light()  # calls: Lamp.light
    if spare is not None:
        spare.light()  # calls: Lamp.light


def forward(*args, **kwargs):
    return target(*args, **kwargs)  # calls: target


def call(function, *args):
    return function(*args)  # calls: target


bound = functools.partial(target, Lamp())  # calls: Lamp, target~
forward(Lamp(), spare=Lamp())  # calls: forward, Lamp
call(target, Lamp())  # calls: call, Lamp
bound(spare=Lamp())  # calls: Lamp, target~
