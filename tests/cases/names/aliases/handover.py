class First:
    def go(self): ...

_Kept = First
del First
_Kept.go  # resolves: handover.First.go
