"""Bytes: trees in every form they come in, the files in them, the modules these are, and their syntax."""
