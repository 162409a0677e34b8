something = 1
