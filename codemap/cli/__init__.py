"""The command line: parse, ask, render, exit."""
