from stars import *
def two(): ...
one  # resolves: stars.one
two  # resolves: rats.two
three  # unknown: three
