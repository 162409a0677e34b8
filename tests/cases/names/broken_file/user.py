from half import Kept  # resolves: half.Kept likely
from half import after  # resolves: half.after likely

Kept.method  # resolves: half.Kept.method likely
