made = 1
