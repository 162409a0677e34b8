"""`python -m codemap`: the command line."""

import sys

from codemap.cli.app import main

sys.exit(main())
