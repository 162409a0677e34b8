from .part import made
