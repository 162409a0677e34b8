import sys  # block: root
import typing as t
from typing import TYPE_CHECKING
from typing import TYPE_CHECKING as TC

if TYPE_CHECKING:
    import a  # block: typing TYPE_CHECKING
else:
    import a  # block: not typing TYPE_CHECKING
if t.TYPE_CHECKING:
    import a  # block: typing t.TYPE_CHECKING
if TC:
    import a  # block: typing TC
if MYPY:
    import a  # block: typing MYPY
if not TYPE_CHECKING:
    import a  # block: not typing not TYPE_CHECKING
else:
    import a  # block: typing not TYPE_CHECKING
if TYPE_CHECKING and sys:
    import a  # block: typing TYPE_CHECKING and sys
else:
    import a  # block: else TYPE_CHECKING and sys
if TYPE_CHECKING or sys:
    import a  # block: if TYPE_CHECKING or sys
else:
    import a  # block: not typing TYPE_CHECKING or sys
if False:
    import a  # block: dead False
elif 0:
    import a  # block: dead 0
else:
    import a  # block: else 0
if True:
    import a  # block: if True
else:
    import a  # block: dead True
if sys.version_info >= (
    3,
    11,
):
    import a  # block: if sys.version_info >= ( 3, 11, )
elif TYPE_CHECKING:
    import a  # block: typing TYPE_CHECKING
try:
    import a  # block: try
except (ImportError, OSError):
    a = None  # block: except ImportError, OSError
except ValueError as e:
    a = None  # block: except ValueError
except:
    a = 1  # block: except
else:
    import b  # block: try else
finally:
    import c  # block: finally
for x in a:
    y = x  # block: loop
else:
    y = 0  # block: loop else
while a:
    z = 1  # block: loop a
with open(a), suppress(b):
    z = 2  # block: with open(a), suppress(b)
match a:
    case [1, x] if x > 1:
        z = 3  # block: if x > 1
    case A() | B():
        z = 4  # block: case A() | B()
while False:
    z = 5  # block: dead False
