from guarded import Till, Box  # resolves: shop.Drawer
from guarded import lamp  # unknown: bound only when the file is run as a program
from guarded import Lamp  # unknown: bound only when the file is run as a program
from turned import Lamp as Light  # resolves: shop.Lamp
