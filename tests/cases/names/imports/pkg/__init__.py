from . import alpha
from .beta import Beta as Renamed
from .sub.deep import Deep
