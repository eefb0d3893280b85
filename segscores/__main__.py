"""`python -m segscores` is the command."""

import sys

from .apps.command.main import main

if __name__ == "__main__":
    sys.exit(main())
