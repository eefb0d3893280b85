"""Small functions over numpy arrays that several measures share."""

from __future__ import annotations

__all__ = ["sum_by_utterance"]

import numpy as np
import numpy.typing as npt

from .segmentation import Positions


def sum_by_utterance(values: npt.NDArray[np.int64] | npt.NDArray[np.bool_], counts: Positions) -> Positions:
    """The sum of each utterance's values.

    Args:
        values: those of all utterances, concatenated.
        counts: the number of values of each utterance.

    >>> sum_by_utterance(np.array([1, 2, 4]), np.array([2, 0, 1]))
    array([3, 0, 4])
    """
    running = np.concatenate(([0], np.cumsum(values, dtype=np.int64)))
    return np.diff(running[np.cumsum(counts)], prepend=0)
