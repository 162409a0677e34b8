if "__main__" != __name__:
    from shop import Lamp
else:
    from shop import Till
    Lamp = None
