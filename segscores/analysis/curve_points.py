"""Points of a curve over thresholds: the thresholds or ratios that are asked for, and the gaps that each accepts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from ..kernel.arrays import Floats, Positions
from ..kernel.formulas import divide
from ..kernel.record import record
from ..options.messages import OptionError, OptionTypeError
from ..options.option import Option
from ..options.quoting import described, shortened
from ..options.table import OPTIONS
from ..reading.inputs import as_numpy


@record
class Points:
    """The points of a curve."""

    accepted: Positions  #: the number of accepted gaps at each point
    thresholds: Floats
    ratios: Floats


def points_at(falling: Floats, thresholds: Floats | None, ratios: Floats | None) -> Points:
    """Return the points with these thresholds, or with these ratios; `falling` are the scores of all gaps, the highest first.

    Without both there is a point without boundaries (threshold inf), and one for every distinct score.
    """
    if thresholds is not None:
        # Count the scores of at least the threshold. `searchsorted` needs rising values: both signs are turned.
        accepted = np.searchsorted(-falling, -thresholds, side="right")
    elif ratios is not None:
        # Half a gap is rounded up.
        accepted = np.floor(ratios * len(falling) + 0.5).astype(np.int64)
    else:
        # The scores .8 .8 .1 have the points of 0, 2 and 3 accepted gaps: before the first score, after the last one of equal
        # scores, and after all. Item k of the mask T F T T says whether k accepted gaps are a point.
        ends_equal_scores = falling[1:] != falling[:-1]
        ends_all = [True] if len(falling) else []
        accepted = np.flatnonzero(np.concatenate(([True], ends_equal_scores, ends_all)))
    if thresholds is None:
        # The threshold of k accepted gaps is the score of the last one: item k of inf .8 .8 .1 for the scores .8 .8 .1.
        thresholds = np.append(np.inf, falling)[accepted]
    if ratios is None:
        ratios = np.asarray(divide(accepted, len(falling), 0.0))
    return Points(accepted, thresholds, ratios)


def check_points(thresholds: Any, ratios: Any) -> tuple[Floats | None, Floats | None]:
    """Check thresholds or ratios, of which one or both are None, and return arrays; None stays None.

    If both are None, the curve has a point for every distinct score.
    """
    if thresholds is not None and ratios is not None:
        expected = ": expected one of them, or neither for every threshold."
        raise OptionError("received ", OPTIONS["thresholds"], " and ", OPTIONS["ratios"], expected)
    if thresholds is not None:
        return _check_numbers(OPTIONS["thresholds"], thresholds), None
    if ratios is None:
        return None, None
    checked = _check_numbers(OPTIONS["ratios"], ratios)
    outside = (checked < 0) | (checked > 1)
    if outside.any():
        # `argmax` gives the first that is outside.
        received = float(checked[np.argmax(outside)])
        raise OptionError(OPTIONS["ratios"], f": expected shares in [0, 1], received {received!r}.")
    return None, checked


def check_point(threshold: Any, ratio: Any) -> tuple[Floats | None, Floats | None]:
    """Check the point, which is a threshold or a ratio, and return an array of it, as `check_points` does of several.

    None is the one that was not given.
    """
    if threshold is None and ratio is None:
        raise ValueError("expected one of threshold and ratio, received neither.")
    if threshold is not None and ratio is not None:
        raise ValueError("expected one of threshold and ratio, received both.")
    if ratio is None:
        return np.array([_read_number(threshold, "threshold")]), None
    share = _read_number(ratio, "ratio")
    if not 0 <= share <= 1:
        raise ValueError(f"ratio: expected a share in [0, 1], received {share!r}.")
    return None, np.array([share])


def _read_number(value: Any, name: str) -> float:
    """Return a number as a float; `name` is that of the argument."""
    array = as_numpy(value, name)
    is_number = array.ndim == 0 and array.dtype.kind in "iuf"
    if not is_number:
        raise TypeError(f"{name}: expected a number, received {described(value)}.")
    if np.isnan(array):
        raise ValueError(f"{name}: expected a number, received nan.")
    return float(array)


def _check_numbers(option: Option, values: Any) -> Floats:
    """Return the values of an option as an array; raise an error if these are no numbers."""
    # `as_numpy` would take each of these as one object.
    is_to_list = isinstance(values, (range, pa.Array, pa.ChunkedArray))
    try:
        array = as_numpy(list(values) if is_to_list else values, option.name)
    except ValueError:
        # numpy refuses lists of different lengths. Those of one length have two dimensions, which are refused below.
        array = np.empty((0, 0))
    # numpy makes numbers of bools among numbers: their type has to be looked at before.
    has_bools = isinstance(values, (list, tuple)) and any(isinstance(value, bool) for value in values)
    # The kinds "iuf" are integers and floats. An empty array may have any kind: an error below says that it is empty.
    has_others = array.size > 0 and array.dtype.kind not in "iuf"
    if has_bools or array.ndim != 1 or has_others:
        raise OptionTypeError(option, f": expected a list of numbers, received {shortened(values)}.")
    if not array.size:
        raise OptionError(option, " is empty: expected at least one number, or leave it out for every threshold.")
    if np.isnan(array).any():
        index = int(np.argmax(np.isnan(array)))
        raise OptionError(option, f": expected numbers, received nan at index {index}.")
    return array.astype(np.float64)
