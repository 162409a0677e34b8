word = 1
