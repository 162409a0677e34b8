"""Descriptors, `__set_name__`, cached properties, attributes that are made up when they are asked for."""

import functools


class Tool:
    def cut(self):
        return 1


class Field:
    def __set_name__(self, owner, name):
        self.name = name

    def __get__(self, instance, owner):
        return Tool()  # calls: Tool

    def __set__(self, instance, value):
        return None


class Box:  # calls: Field.__set_name__
    tool = Field()  # calls: Field

    @functools.cached_property
    def spare(self):
        return Tool()  # calls: Tool


class Proxy:
    def __init__(self, inner):
        self._inner = inner

    def __getattr__(self, name):
        return getattr(self._inner, name)


box = Box()  # calls: Box
box.tool.cut()  # calls: Field.__get__, Tool.cut
box.tool = 3  # calls: Field.__set__
box.spare.cut()  # calls: Box.spare~, Tool.cut
Proxy(box).anything if False else None  # calls: Proxy, Proxy.__getattr__~
