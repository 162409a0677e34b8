class Compared: ...  # exports: pkg lazy, user
