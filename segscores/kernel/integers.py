"""Checks of whole numbers that users give, so that the arithmetic cannot overflow."""

from __future__ import annotations

import numpy as np

from .errors import OptionError
from .quoting import shortened

#: The largest distance or size in units. Sums of distances still fit into 63 bits: 2 ** 31 units in 2 GB of text, each
#: at most this far off.
LARGEST_DISTANCE = 1_000_000_000


def check_integer(option: str, value: object, *, least: int, most: int, what: str = "a whole number") -> int:
    """Check an option that is a whole number.

    >>> check_integer("tolerance", -1, least=0, most=9)
    Traceback (most recent call last):
    ...
    segscores.kernel.errors.OptionError: tolerance: expected a whole number from 0 to 9, received -1.
    """
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise TypeError(f"{option}: expected {what} from {least} to {most}, received {shortened(value)}.")
    if not least <= value <= most:
        raise OptionError(option, f"expected {what} from {least} to {most}, received {shortened(value)}.")
    return int(value)
