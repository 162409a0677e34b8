class Leaf: ...  # exports: main
