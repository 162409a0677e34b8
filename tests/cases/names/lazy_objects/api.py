import importlib

from kit import Later, Plain, later_module

Motor = Later("engine", "Engine")
NotLazy = Plain("engine", "Engine")
module = later_module("engine")
direct = importlib.import_module("engine")
attribute = getattr(importlib.import_module("engine"), "Engine")

Motor.start  # resolves: engine.Engine.start likely
NotLazy.start  # unknown: not known by name
module.Engine  # resolves: engine.Engine likely
direct.Engine  # resolves: engine.Engine likely
attribute.start  # resolves: engine.Engine.start likely
