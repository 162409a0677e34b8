"""`python -m codemap`: the command line."""

from codemap.cli.start import run

run()
