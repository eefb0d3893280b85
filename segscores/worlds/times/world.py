"""The world of recordings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ...kernel.segmentation import Segmentation
from ...options.errors import warn
from ...options.messages import OptionError
from ...options.table import OPTIONS
from ...reading.world import World
from .by_label import confused_labels, divide_by_label
from .comparison import TimedComparison, begins_of, compare_times, is_word, labels_as_text
from .drawing import MOST_DRAWN, timed_differences_at
from .intervals import SECOND
from .recordings import recording_sides

#: The default tolerance in seconds.
TOLERANCE = 0.02
#: A tolerance from this number of seconds on is doubted.
_LONG = 5


def _compare(reference: Segmentation, prediction: Segmentation, values: Mapping[str, Any]) -> TimedComparison:
    """Compare recordings within the tolerance of the options, which is in seconds."""
    return compare_times(reference, prediction, round(float(values["tolerance"]) * SECOND))


def _digest(recordings: Segmentation, digest_of: Callable[[Segmentation], int]) -> int:
    """Return the digest of the times of recordings and of the labels of their words.

    `digest_of` digests text: its bytes, and where words and utterances end in them. It reads neither units nor their number.
    """
    if not len(recordings.utterance_ends):
        # A part without a recording has no labels.
        return 0
    segment_counts = recordings.word_counts()
    # Ends count from the beginning of their recording.
    ends = recordings.word_ends - np.repeat(begins_of(recordings), segment_counts)
    # Write the times as text, which can be digested. Each segment, a word or silence, becomes a word of 8 bytes, which are one
    # number: a silence that ends at 30 becomes 60, twice its end, and a word that ends at 30 becomes 61.
    text = (2 * ends + is_word(recordings)).astype("<i8").view(np.uint8)
    times = Segmentation(
        text=text,
        word_ends=8 * np.arange(1, len(ends) + 1),
        utterance_ends=8 * np.cumsum(segment_counts),
        utterance_units=segment_counts,
        unit="character",  # a `Segmentation` has a unit, which a digest does not read
    )
    # A digest has 64 bits, and so has the sum of two.
    return (digest_of(times) + digest_of(labels_as_text(recordings))) % (1 << 64)


def _check(values: Mapping[str, Any], aligns: bool) -> dict[str, Any]:
    """Return the options of groups with the tolerance of recordings; raise an error for what units alone have.

    `aligns` says whether units that differ are to be aligned.
    """
    if aligns:
        problem = ": recordings have no units that could differ: leave it out."
        raise OptionError(OPTIONS["on_mismatch"].set("align"), problem)
    if values["rates_tolerance"] is not None:
        setting = OPTIONS["rates_tolerance"].set(values["rates_tolerance"])
        raise OptionError(setting, ": it counts units, which recordings do not have: use ", OPTIONS["tolerance"], ".")
    tolerance = values["tolerance"]
    return {**values, "tolerance": TOLERANCE if tolerance is None else tolerance}


def _warn(values: Mapping[str, Any]) -> None:
    """Warn of a tolerance that is perhaps in milliseconds."""
    tolerance = values["tolerance"]
    if tolerance >= _LONG:
        warn(f"tolerance: {tolerance:g} seconds; is it in milliseconds? Then pass {tolerance / 1000:g}.")


WORLD = World(
    name="times",
    gives=frozenset({"times", "word_labels"}),
    default_scores=("boundary_noedge", "token", "rates", "lenient"),
    open=recording_sides,
    compare=_compare,
    length_unit=SECOND,
    divide=divide_by_label,
    confuse=confused_labels,
    draw=timed_differences_at,
    most_drawn=MOST_DRAWN,
    sign=lambda options: {"tol": f"{options['tolerance']}s"},
    digest=_digest,
    check=_check,
    reach=lambda options: float(options["tolerance"]),
    warn=_warn,
)
