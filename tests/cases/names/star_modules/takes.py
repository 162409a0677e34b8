from modules import *  # resolves: modules

part.made  # resolves: modules.part.made
