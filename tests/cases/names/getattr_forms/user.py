from cased import Pump  # resolves: cased.parts.Pump likely
from cased import Hose  # resolves: cased.parts.Hose likely
from cased import Tap  # resolves: cased.parts.Tap likely
from cased import Valve  # unknown: cased has no Valve

from turned import Hose  # resolves: turned.parts.Hose likely
from turned import Tap  # unknown: decides at run time
from loader import Pump  # resolves: loader.parts.Pump likely
from loader import Gone  # unknown: decides at run time

from guessed import Pump  # resolves: guessed.parts.Pump likely
from guessed import Tap  # resolves: guessed.parts.Tap likely
from guessed import Part  # resolves: guessed.parts.Pump possible, guessed.parts.Hose possible, guessed.parts.Tap possible
