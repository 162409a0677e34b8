class Till: ...  # exports: guarded, user


class Drawer: ...  # exports: guarded as Box, user as Box


class Lamp: ...  # exports: turned, user as Light
