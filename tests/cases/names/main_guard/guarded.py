from shop import Till, Drawer as Box

if __name__ == "__main__":
    from shop import Lamp

    Box = Lamp
    lamp = Lamp()
    Lamp  # resolves: shop.Lamp


def light():
    return Lamp  # resolves: shop.Lamp
