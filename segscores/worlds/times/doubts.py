"""Doubts about recordings: words that are too long or too short for seconds, and times that differ as those of one audio do not.

A column is of structs, whose fields `starts`, `ends` and `labels` are a list for each recording, in ticks.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ...kernel.arrays import Floats, Mask, Positions, numbers_of, offsets_of
from ...kernel.record import record
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
#: Times are rounded if they are multiples of so many ticks; and the fewest starts and ends that show it.
_ROUNDED = SECOND // 10
_FEWEST_ROUNDED = 40
#: The largest error of such a time.
_ROUNDING_ERROR = _ROUNDED // 2
#: Last ends of a recording that differ by this factor are doubted.
_MANY_TIMES = 10
#: Known durations that differ by more cause a warning, in ticks, and so do words that all begin later by more.
_DIFFERENT = SECOND // 10
#: The fewest words of a recording that begin later in a regular way,
_FEWEST_SHIFTED = 10
#: and the largest share of the longest delay, and of the deviation from even words, by which one of them may deviate from it.
_MOST_OF_DELAY = 0.1
_MOST_OF_UNEVENNESS = 0.2
#: The share of words whose delays are near the median one, and the largest share of it by which they deviate.
_SHARE_NEAR = 0.9
_MOST_OF_OFFSET = 0.25


def warn_of_times(
    columns: Sequence[Any], units: Sequence[Units], names: Sequence[str], *, are_units_doubted: bool
) -> None:
    """Warn of sides whose times are likely in another unit, or from another audio.

    `columns` and `units` have the recordings and the units of each side, and `names` are those of the recordings.
    """
    places = [units_of_side.place for units_of_side in units]
    _warn_of_long_words(columns, units)
    _warn_of_short_words(columns, units)
    _warn_of_durations(columns, places, names)
    if not are_units_doubted:
        doubts = _doubts_of_ends(columns, places, names) or _doubts_of_delays(columns, places, names)
        for doubt in doubts:
            warn(doubt)


def warn_of_rounded_times(columns: Sequence[Any], places: Sequence[str], tolerance: float) -> None:
    """Warn of a side whose times are rounded to a tenth of a second, beside one with finer times.

    There is no warning if the tolerance, in seconds, is as large as the rounding. `columns` and `places` have the recordings and
    the name of each side.
    """
    times_of_sides = [_times_of(column) for column in columns]
    are_many = min(map(len, times_of_sides)) >= _FEWEST_ROUNDED
    if not are_many or tolerance * SECOND >= _ROUNDING_ERROR:
        return
    are_rounded = [_are_rounded(times) for times in times_of_sides]
    rounded_places = [place for place, is_rounded in zip(places, are_rounded, strict=True) if is_rounded]
    if rounded_places and not all(are_rounded):
        problem = (
            f"{rounded_places[0]}: all times are multiples of 0.1 s, and those of the other side are finer: a boundary that is "
            f"rounded by more than {tolerance:g} s counts as wrong. If rounded times are right, add "
        )
        warn(Message(problem, OPTIONS["tolerance"].set(_ROUNDING_ERROR / SECOND), "."))


def _times_of(column: Any) -> Positions:
    """Return the starts and ends of all intervals of a side, in ticks."""
    return np.concatenate([numbers_of(column.field(name).values) for name in ("starts", "ends")])


def _are_rounded(times: Positions) -> bool:
    """Return whether times are multiples of a tenth of a second."""
    # Most sides have other times among the first ones: to look at these alone is quicker.
    return not (times[:_FEWEST_ROUNDED] % _ROUNDED).any() and not (times % _ROUNDED).any()


def _warn_of_long_words(columns: Sequence[Any], units: Sequence[Units]) -> None:
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


def _warn_of_short_words(columns: Sequence[Any], units: Sequence[Units]) -> None:
    """Warn of sides whose words are so short that their unit is perhaps another one; the arguments are as of long words."""
    for column, units_of_side in zip(columns, units, strict=True):
        has_enough = len(column.field("ends").values) >= _FEWEST_WORDS
        if has_enough and 0 < _median_length(column) < _SHORT:
            question: Sequence[object] = ["are the times in minutes? Expected seconds."]
            if units_of_side.named:
                question = ["is the unit right that ", OPTIONS["time_unit"], f" names, {units_of_side.named}?"]
            warn(Message(f"{units_of_side.place}: half of the segments last less than 0.01 seconds: ", *question))


def _remedy_of_lengths(units: Sequence[Units], are_long: Sequence[bool]) -> Message:
    """Return the option that names the unit of the sides with long words; or advice where no value of the option does."""
    reference, *predictions = units
    reference_is_long, *predictions_are_long = are_long
    doubted = [units_of_side for units_of_side, is_long in zip(units, are_long, strict=True) if is_long]
    # Files that name their unit take no unit of the option, and the option has one unit for all predictions.
    files_name_unit = not all(units_of_side.without_unit for units_of_side in doubted)
    predictions_differ = len(set(predictions_are_long)) > 1
    if files_name_unit or predictions_differ:
        return Message("Expected seconds: divide them by 1000, or by the samples per second.")
    if all(are_long):
        return _name_units("ms")
    if reference_is_long:
        predictions_need_unit = all(prediction.without_unit for prediction in predictions)
        return _name_units("ms", "s" if predictions_need_unit else None)
    return _name_units("s" if reference.without_unit else None, "ms")


def _name_units(*units: str | None) -> Message:
    """Return the advice to name the units of the sides; None for a side whose files name one: `Name the unit, as with …`."""
    return Message("Name the unit, as with ", OPTIONS["time_unit"].set(units), ".")


def _median_length(column: Any) -> float:
    """Return the median duration of the words of a side, in ticks; 0 if there is none."""
    lengths = np.asarray(column.field("ends").values) - np.asarray(column.field("starts").values)
    lengths_of_words = lengths[_is_word(column)]
    return float(np.median(lengths_of_words)) if len(lengths_of_words) else 0.0


def _is_word(column: Any) -> Mask:
    """Return a mask of the intervals of a side that are words: a label is its number, or negative for silence."""
    return numbers_of(column.field("labels").values) >= 0


def _warn_of_durations(columns: Sequence[Any], places: Sequence[str], names: Sequence[str]) -> None:
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


def _doubts_of_ends(columns: Sequence[Any], places: Sequence[str], names: Sequence[str]) -> list[str]:
    """Return the doubts about recordings whose words end many times later on one side: the last ones at 5 s and at 5000 s.

    The side that ends early has at least half as many words as the other. The arguments are as of `_warn_of_durations`.
    """
    doubts = []
    reference, *others = map(_ends_and_counts, columns)
    place_of_reference, *places_of_others = places
    ends, counts = reference
    for (other_ends, other_counts), place in zip(others, places_of_others, strict=True):
        # A side that ends early with few words may have heard no more of them.
        ends_late = (other_ends >= _MANY_TIMES * ends) & (2 * counts >= other_counts)
        ends_early = (ends >= _MANY_TIMES * other_ends) & (2 * other_counts >= counts)
        have_words = np.minimum(counts, other_counts) > 1
        are_apart = np.abs(other_ends - ends) > SECOND
        differ = np.flatnonzero((ends_late | ends_early) & have_words & are_apart)
        if len(differ):
            recording, *_ = differ.tolist()
            times = f"{ends[recording] / SECOND:g} s and {other_ends[recording] / SECOND:g} s"
            doubts.append(
                f"{place_of_reference} and {place}: the last words of {len(differ)} of {len(names)} recordings end at very "
                f"different times, first of {names[recording]} ({times}): are their times in one unit?"
            )
    return doubts


def _ends_and_counts(column: Any) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return the end of the last word of each recording of a side, in ticks, and the number of its words."""
    # Silence may go on to the end of the file.
    is_word = _is_word(column)
    recordings = _recordings_of(column)[is_word]
    last_ends = np.zeros(len(column), np.int64)
    np.maximum.at(last_ends, recordings, numbers_of(column.field("ends").values)[is_word])
    return last_ends, np.bincount(recordings, minlength=len(column))


def _recordings_of(column: Any) -> npt.NDArray[np.int64]:
    """Return the index of the recording of each interval of a side."""
    return np.repeat(np.arange(len(column)), np.diff(offsets_of(column.field("ends"))))


def _doubts_of_delays(columns: Sequence[Any], places: Sequence[str], names: Sequence[str]) -> list[str]:
    """Return the doubts about recordings whose words begin later on one side, by one time or by one that grows steadily.

    The arguments are as of `_warn_of_durations`.
    """
    doubts = []
    reference, *others = columns
    place_of_reference, *places_of_others = places
    for other, place in zip(others, places_of_others, strict=True):
        delays = _regular_delays(reference, other)
        if delays:
            first = delays[0]
            doubts.append(
                f"{place_of_reference} and {place}: the words of {len(delays)} of {len(names)} recordings begin later on one "
                f"side, by one time or one that grows, first of {names[first.recording]} ({first.in_words(place)}): is it an "
                "offset or a speed?"
            )
    return doubts


@record
class _RegularDelay:
    """The time by which the words of a recording begin later in the prediction, in ticks; negative if they begin earlier."""

    recording: int  #: its index
    of_first_word: float
    of_last_word: float

    def in_words(self, place: str) -> str:
        """Return the delays in words for a message: `predictions: 0.5 s earlier at the first word, 1 s earlier at the last`."""
        first, last = (
            f"{abs(ticks) / SECOND:.3g} s {'later' if ticks >= 0 else 'earlier'}"
            for ticks in (self.of_first_word, self.of_last_word)
        )
        return f"{place}: {first} at the first word, {last} at the last"


@record
class _Begins:
    """The starts of the words of a side in ticks, one recording after the other, and how many words each recording has."""

    starts: Floats
    recordings: Positions  #: the recording of each word
    counts: Positions

    @classmethod
    def of(cls, column: Any) -> _Begins:
        """Return the starts of the words of a side."""
        is_word = _is_word(column)
        recordings = _recordings_of(column)[is_word]
        starts = numbers_of(column.field("starts").values)[is_word].astype(np.float64)
        return cls(starts, recordings, counts=np.bincount(recordings, minlength=len(column)))


def _regular_delays(reference: Any, other: Any) -> list[_RegularDelay]:
    """Return the regular delays of the recordings that have one.

    Both sides of a recording have as many words. Starts at 1 2 4 and 3 4 6 have a delay of 2; at 1 2 4 and 1 3 7, one of 0 to 3.
    """
    begins = _Begins.of(reference)
    begins_of_other = _Begins.of(other)
    is_alike = (begins.counts == begins_of_other.counts) & (begins.counts >= _FEWEST_SHIFTED)
    if not is_alike.any():
        return []
    starts = begins.starts[is_alike[begins.recordings]]
    delays = begins_of_other.starts[is_alike[begins_of_other.recordings]] - starts
    lengths = begins.counts[is_alike]
    lasts = np.cumsum(lengths) - 1
    firsts = lasts - lengths + 1
    longest = np.maximum(np.abs(delays[firsts]), np.abs(delays[lasts]))
    # Words that follow each other evenly on both sides differ in a regular way, whatever they are.
    unevenness = _deviations(starts, np.arange(float(len(starts))), firsts, lasts)
    most = np.minimum(_MOST_OF_DELAY * longest, _MOST_OF_UNEVENNESS * unevenness)
    is_regular = (longest > _DIFFERENT) & (_deviations(delays, starts, firsts, lasts) < most)
    means = np.add.reduceat(delays, firsts) / lengths
    for index in np.flatnonzero(~is_regular & (np.abs(means) > _DIFFERENT)).tolist():
        of_recording = delays[firsts[index] : lasts[index] + 1]
        is_regular[index] = _is_offset(of_recording, most_jitter=float(_MOST_OF_UNEVENNESS * unevenness[index]))
    recordings = np.flatnonzero(is_alike)[is_regular].tolist()
    of_first_words = delays[firsts][is_regular].tolist()
    of_last_words = delays[lasts][is_regular].tolist()
    return [*map(_RegularDelay, recordings, of_first_words, of_last_words)]


def _is_offset(delays: Floats, most_jitter: float) -> bool:
    """Return whether a recording is later or earlier by one offset: nearly all of its delays are near a large median.

    Of the delays 5 5 6 5 4 5 5 5 5 90 s the median is 5 s, and nine of ten deviate from it by at most the jitter, 1 s. The jitter
    must be less than a share of the median, and than `most_jitter`, in ticks.
    """
    offset = float(np.median(delays))
    deviations = np.sort(np.abs(delays - offset))
    jitter = deviations[int(_SHARE_NEAR * (len(deviations) - 1))]
    return abs(offset) > _DIFFERENT and bool(jitter < min(_MOST_OF_OFFSET * abs(offset), most_jitter))


def _deviations(values: Floats, times: Floats, firsts: Positions, lasts: Positions) -> Floats:
    """Return the largest deviation in each recording of values from those that grow steadily in time, from the first to the last.

    The values 0 1 4 at the times 0 1 2 deviate from 0 2 4 by 1.
    """
    lengths = lasts - firsts + 1
    # Overlaps are an error later: of words that all begin at once there is no growth.
    growth = (values[lasts] - values[firsts]) / np.maximum(times[lasts] - times[firsts], 1)
    steady = np.repeat(values[firsts], lengths) + np.repeat(growth, lengths) * (
        times - np.repeat(times[firsts], lengths)
    )
    deviations: Floats = np.maximum.reduceat(np.abs(values - steady), firsts)
    return deviations
