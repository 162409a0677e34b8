from model import Row  # resolves: model.Row
