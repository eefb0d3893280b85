"""Collections of recordings: lists of intervals, as Python has them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...options.messages import OptionTypeError
from ...options.quoting import described
from ...options.table import OPTIONS
from .intervals import Intervals

_EXPECTED = "expected for each recording a list of (start, end) or (start, end, label) in seconds, or an Intervals"


def odd_times(where: str, value: Any, hint: str = "") -> OptionTypeError:
    """Return the error of a value that is no recording, or no collection of them.

    `text_format="times", references, utterance 3: received 'dog'; expected for each recording a list of (start, end) …`
    """
    received = f", {where}: received {described(value)}; {_EXPECTED}.{hint}"
    return OptionTypeError(OPTIONS["text_format"].set("times"), received)


def intervals_of(items: Any, where: str) -> Intervals:
    """Return the intervals of a recording of a collection; `where` is its place for messages.

    A recording is an `Intervals`, an array with a start and an end in each row, or any iterable of pairs or triples.
    """
    if isinstance(items, Intervals):
        _check_fields(items, where)
        return items
    if isinstance(items, np.ndarray) and items.ndim == 2 and items.shape[1] == 2:
        return Intervals(items[:, 0], items[:, 1])
    intervals = _intervals_of_rows(items)
    if intervals is not None:
        return intervals
    # Where a recording is expected, (0.5, 0.9) or (0.5, 0.9, "a") is an interval: the list of them is one recording.
    is_one_interval = isinstance(items, Sequence) and len(items) in (2, 3) and isinstance(items[0], (int, float))
    hint = ""
    if is_one_interval:
        hint = " Is this one recording? Pass a list of recordings."
    raise odd_times(where, items, hint)


def _check_fields(recording: Intervals, where: str) -> None:
    """Raise an error if starts, ends and labels are no sequences of one length, or a label is no string.

    Labels may also be empty.
    """
    try:
        starts, ends, labels = map(len, (recording.starts, recording.ends, recording.labels))
    except TypeError:
        raise odd_times(where, recording, " Its starts, ends and labels are sequences.") from None
    if starts != ends or labels not in (0, starts):
        counts = f"{starts} starts, {ends} ends and {labels} labels"
        raise ValueError(f"{where}: received {counts}; expected equal numbers.")
    # Look at each label only if a type is wrong: a recording may have very many.
    types_of_labels = set(map(type, recording.labels))
    if all(issubclass(kind, str) for kind in types_of_labels):
        return
    odd = next(label for label in recording.labels if not isinstance(label, str))
    raise TypeError(f"{where}: received the label {described(odd)}; expected a string, which is blank for silence.")


def _intervals_of_rows(items: Any) -> Intervals | None:
    """Return the intervals of pairs (start, end) or of triples (start, end, label); None if these are neither.

    >>> _intervals_of_rows([(0.0, 0.5, "a"), (0.5, 0.9, "b")]).labels, _intervals_of_rows([(0.0,)])
    (('a', 'b'), None)
    """
    try:
        rows = list(items)
        if not rows:
            return Intervals(np.zeros(0), np.zeros(0))
        columns = [*zip(*rows, strict=True)]
        if len(columns) not in (2, 3):
            return None
        starts, ends = (np.array(column, np.float64) for column in columns[:2])
    except (TypeError, ValueError, OverflowError):
        # Some value is no iterable or no number, or rows have different lengths.
        return None
    has_labels = len(columns) == 3
    labels: Sequence[str] = columns[2] if has_labels else ()
    types_of_labels = set(map(type, labels))
    # Strings of NumPy are strings too.
    are_strings = all(issubclass(kind, str) for kind in types_of_labels)
    if not are_strings:
        return None
    return Intervals(starts, ends, labels)
