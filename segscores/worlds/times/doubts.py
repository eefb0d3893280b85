"""Doubts about recordings: words that are too long or too short for seconds, and durations that differ.

A column is of structs, whose fields `starts`, `ends` and `labels` are a list for each recording, in ticks.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ...kernel.arrays import numbers_of, offsets_of
from ...options.errors import warn
from ...options.messages import Message
from ...options.table import OPTIONS
from .intervals import SECOND
from .units import Units

#: A longer median word is a sign of other units than seconds, in ticks.
_LONG = 40 * SECOND
#: A shorter one is a sign too: phones last longer, and both ends of such a word are within the tolerance of each other.
_SHORT = SECOND // 100
#: The fewest words that show it.
_FEWEST_WORDS = 5
#: Last ends of a recording that differ by this factor are doubted.
_MANY_TIMES = 10
#: Known durations that differ by more cause a warning, in ticks.
_DIFFERENT = SECOND // 10


def warn_of_long_words(columns: Sequence[Any], units: Sequence[Units]) -> None:
    """Warn of sides whose words are so long that their unit is perhaps another one than seconds.

    `columns` and `units` have the recordings and the units of each side.
    """
    are_long = [_median_length(column) > _LONG for column in columns]
    if not any(are_long):
        return
    for units_of_side, is_long in zip(units, are_long, strict=True):
        if is_long:
            question = "half of the segments last over 40 seconds: are the times in milliseconds or samples? "
            warn(Message(f"{units_of_side.place}: {question}", _remedy_of_lengths(units, are_long)))


def warn_of_short_words(columns: Sequence[Any], places: Sequence[str]) -> None:
    """Warn of sides whose words are so short that their unit is perhaps another one than seconds; `places` are their names."""
    for column, place in zip(columns, places, strict=True):
        has_enough = len(column.field("ends").values) >= _FEWEST_WORDS
        if has_enough and 0 < _median_length(column) < _SHORT:
            warn(
                f"{place}: half of the segments last less than 0.01 seconds: are the times in minutes? Expected seconds."
            )


def _remedy_of_lengths(units: Sequence[Units], are_long: Sequence[bool]) -> Message:
    """Return the option that names the unit of the sides with long words; or advice where their files name a unit."""
    doubted = [units_of_side for units_of_side, is_long in zip(units, are_long, strict=True) if is_long]
    if not all(units_of_side.without_unit for units_of_side in doubted):
        return Message("Expected seconds: divide them by 1000, or by the samples per second.")
    if all(are_long):
        return _name_units("ms")
    # The option has a unit of the reference and one of all predictions, and none where files name their unit.
    reference, prediction, *_ = units
    reference_is_long, *_ = are_long
    if reference_is_long:
        return _name_units("ms", "s" if prediction.without_unit else None)
    return _name_units("s" if reference.without_unit else None, "ms")


def _name_units(*units: str | None) -> Message:
    """Return the advice to name the units of the sides; None for a side whose files name one: `Name the unit, as with …`."""
    return Message("Name the unit, as with ", OPTIONS["time_unit"].set(units), ".")


def _median_length(column: Any) -> float:
    """Return the median duration of the words of a side, in ticks; 0 if there is none."""
    lengths = np.asarray(column.field("ends").values) - np.asarray(column.field("starts").values)
    # A label is its number, or negative for silence.
    words = lengths[np.asarray(column.field("labels").values) >= 0]
    return float(np.median(words)) if len(words) else 0.0


def warn_of_durations(columns: Sequence[Any], places: Sequence[str], names: Sequence[str]) -> None:
    """Warn of recordings whose known durations differ on two sides.

    `columns` and `places` have the recordings and the name of each side, and `names` are those of the recordings.
    """
    reference, *others = (np.asarray(column.field("duration")) for column in columns)
    place_of_reference, *places_of_others = places
    for other, place in zip(others, places_of_others, strict=True):
        # An unknown duration is -1.
        are_known = np.minimum(other, reference) >= 0
        differ = np.flatnonzero((np.abs(other - reference) > _DIFFERENT) & are_known)
        if len(differ):
            recording, *_ = differ.tolist()
            durations = f"{reference[recording] / SECOND:g} s and {other[recording] / SECOND:g} s"
            first = f"{names[recording]} ({durations})"
            warn(
                f"{place_of_reference} and {place}: the durations of {len(differ)} of {len(names)} recordings differ by more "
                f"than 0.1 s, first of {first}: are they of the same audio?"
            )


def warn_of_ends(columns: Sequence[Any], places: Sequence[str], names: Sequence[str]) -> None:
    """Warn of recordings whose words end many times later on one side, with at least half as many words on the other side.

    The arguments are as of `warn_of_durations`.
    """
    reference, *others = map(_ends_and_counts, columns)
    place_of_reference, *places_of_others = places
    ends, counts = reference
    for (other_ends, other_counts), place in zip(others, places_of_others, strict=True):
        # A side that ends early may have heard nothing more: then it has few words.
        ends_late = (other_ends >= _MANY_TIMES * ends) & (2 * counts >= other_counts)
        ends_early = (ends >= _MANY_TIMES * other_ends) & (2 * other_counts >= counts)
        have_words = np.minimum(counts, other_counts) > 1
        are_apart = np.abs(other_ends - ends) > SECOND
        differ = np.flatnonzero((ends_late | ends_early) & have_words & are_apart)
        if len(differ):
            recording, *_ = differ.tolist()
            times = f"{ends[recording] / SECOND:g} s and {other_ends[recording] / SECOND:g} s"
            warn(
                f"{place_of_reference} and {place}: the last words of {len(differ)} of {len(names)} recordings end at very "
                f"different times, first of {names[recording]} ({times}): are their times in one unit?"
            )


def _ends_and_counts(column: Any) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return the end of the last word of each recording of a side, in ticks, and the number of its words."""
    ends = column.field("ends")
    # A label is its number, or negative for silence, which may go on to the end of the file.
    is_word = numbers_of(column.field("labels").values) >= 0
    recordings = np.repeat(np.arange(len(column)), np.diff(offsets_of(ends)))[is_word]
    last_ends = np.zeros(len(column), np.int64)
    np.maximum.at(last_ends, recordings, numbers_of(ends.values)[is_word])
    return last_ends, np.bincount(recordings, minlength=len(column))
