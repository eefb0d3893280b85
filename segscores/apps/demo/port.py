"""The port of the demo. It is checked before gradio is imported, which reads it too."""

from __future__ import annotations

import os
import sys

from ...options.quoting import shortened

VARIABLE = "GRADIO_SERVER_PORT"
_DEFAULT = "7860"
_LARGEST = 65_535


def read_port() -> int:
    """Return the port that the environment names; end the process with a message if it names none."""
    text = os.environ.get(VARIABLE, _DEFAULT)
    # A longer text is no port, and Python reads no number of thousands of digits.
    is_number = text.isdecimal() and len(text) < 10
    if is_number and 1 <= int(text) <= _LARGEST:
        return int(text)
    sys.exit(f"{VARIABLE}: expected a number from 1 to {_LARGEST}, received {shortened(text)}.")
