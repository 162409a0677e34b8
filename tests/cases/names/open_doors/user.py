from main import late  # resolves: main.late likely
from main import born  # unknown: writes its globals()
