bolts = 1
