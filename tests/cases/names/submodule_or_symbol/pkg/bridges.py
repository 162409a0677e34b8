__all__ = ["bridges"]
def bridges(): ...  # exports: pkg
