"""`python -m segscores` is the command."""

import sys

from .apps.command.main import main

sys.exit(main())
