def __getattr__(name):
    return make(name)
