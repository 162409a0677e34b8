from rats import *
def one(): ...
one  # resolves: stars.one
two  # resolves: rats.two
