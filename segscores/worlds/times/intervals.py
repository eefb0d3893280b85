"""Times: from the intervals of recordings to segmentations.

Conventions
-----------
- Times are in ticks, which are microseconds: a time is rounded once, when it is read.
- A recording is an utterance. Its words are intervals. Gaps between them, before the first one, and after the last one up to a
  known duration are silent segments, and so are intervals with a label of silence; neighbouring silent segments are one.
- Intervals are sorted by their starts. An interval without duration is dropped. Two may overlap by rounding, by at most ROUNDING:
  the second then begins where the first ends, and ends later. So every segment has a duration.
- Times are at most LONGEST. So times of many recordings, one after the other, are integers of 64 bits.

`formats` reads files, `recordings` pairs recordings.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from itertools import chain, groupby
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ...kernel.arrays import (
    Floats,
    Mask,
    Positions,
    first_true,
    int64_array,
    large_lists,
    numbers_of,
    offsets_of,
    text_array,
)
from ...kernel.record import record
from ...kernel.segmentation import Segmentation
from ...options.errors import UtteranceError, text_problem
from ...options.messages import Message
from ...reading.inputs import CODES, LABELS, RECORDINGS

#: Ticks in a second.
SECOND = 1_000_000
#: The largest overlap of two intervals, and the longest silence at the end, that is taken for rounding, in ticks.
ROUNDING = 1000
#: The latest time, in seconds: 115 days. Times since 1970 are later.
LONGEST = 10_000_000
#: Overlaps of a larger share of the intervals of a run have another cause than single wrong times.
_MANY = 0.2
#: The usual labels of silence, in lower case.
SILENCE = ("sil", "sp", "spn", "<sil>", "<eps>", "<p:>")

Times: TypeAlias = "Sequence[float] | npt.NDArray[np.floating[Any]]"


@dataclass(frozen=True, eq=False)
class Intervals:
    """The intervals of a recording.

    Attributes:
        starts, ends: the times of the intervals. These, `duration` and `begin` are in a unit of which a second has `per_second`.
        labels: the labels of the intervals; empty if they have none and are all words.
        duration: the time at which the recording ends, if it is known; its duration, if it begins at 0.
        per_second: 1 for seconds, 1000 for milliseconds, and the sample rate for samples.
        begin: the time at which the recording begins, if it is known; a part of a recording may keep its times.
    """

    starts: Times = ()
    ends: Times = ()
    labels: Sequence[str] = ()
    duration: float | None = None
    per_second: float = 1
    begin: float | None = None

    def ticks(self, values: Any) -> Positions:
        """Convert times to ticks from the beginning of the recording."""
        absolute = np.rint(np.asarray(values, np.float64) * (SECOND / self.per_second)).astype(np.int64)
        return absolute - begin_in_ticks(self)


def beginning_at(intervals: Intervals, begin: float) -> Intervals:
    """Return a recording with another beginning, or itself if that is the same; an unknown one is 0."""
    if (intervals.begin or 0.0) == begin:
        return intervals
    return replace(intervals, begin=begin)


def begin_in_ticks(intervals: Intervals) -> int:
    """Return the time at which a recording begins, in ticks; 0 if it is not known."""
    if not intervals.begin:
        return 0
    return round(intervals.begin * SECOND / intervals.per_second)


def structure_problem_of(intervals: Intervals) -> str:
    """Return why the times of a recording are no times, in whatever unit, or its labels no text; empty if they are.

    Unlike `problem_of`, it does not look at the size of the times, for which their unit has to be known.
    """
    # NumPy reads numbers in strings, and arithmetic does not.
    if any(isinstance(value, str) for value in (intervals.duration, intervals.begin, intervals.per_second)):
        return "a time is no number; expected seconds."
    try:
        starts = np.asarray(intervals.starts, np.float64)
        ends = np.asarray(intervals.ends, np.float64)
        duration = np.asarray(intervals.duration or 0.0, np.float64)
        begin = np.asarray(intervals.begin or 0.0, np.float64)
        rate = float(intervals.per_second)
    except (TypeError, ValueError, OverflowError):
        return "a time is no number; expected seconds."
    if not 0 < rate < np.inf:
        return f"received {rate:g} samples per second; expected a number above 0."
    are_sequences = starts.ndim == 1 and ends.ndim == 1
    are_single_numbers = duration.ndim == 0 and begin.ndim == 0
    if not (are_sequences and are_single_numbers):
        return (
            "received lists of times that are no sequences of numbers; expected a number of seconds for each interval."
        )
    return _problem_of_labels(intervals.labels)


def _problem_of_labels(labels: Sequence[str]) -> str:
    """Return why labels are no text; empty if they are."""
    try:
        "".join(labels).encode()
    except UnicodeEncodeError:
        odd = next(label for label in labels if text_problem(label))
        return f"the label {odd!r} {text_problem(odd)}; expected Unicode text."
    return ""


def problem_of(intervals: Intervals) -> str:
    """Return why the times of a recording cannot be scored; empty if they can be.

    The recording is one in which `structure_problem_of` finds no problem.
    """
    # An unknown time is 0, with which nothing is wrong.
    times = np.concatenate((intervals.starts, intervals.ends, [intervals.begin or 0.0], [intervals.duration or 0.0]))
    seconds = times.astype(np.float64) / intervals.per_second
    if not np.isfinite(seconds).all():
        return "a time is no number; expected seconds."
    duration = float(intervals.duration or 0.0) / intervals.per_second
    # A recording that begins before 0 may end before 0, too.
    if duration < 0 and not intervals.begin:
        return f"received a duration of {duration:g} s; expected at least 0 s."
    if np.abs(seconds).max() > LONGEST:
        latest = seconds[np.argmax(np.abs(seconds))]
        hint = "Are the times samples or milliseconds, or counted from 1970?"
        return f"a time is {latest:g} s; expected at most {LONGEST:,} s from the beginning of the recording. {hint}"
    return ""


def recordings_columns(
    sides: Sequence[Sequence[Intervals | str]],
    silence: Collection[str] | None = None,
    rename: Callable[[str], str] = str,
) -> tuple[list[pa.StructArray], pa.LargeStringArray]:
    """Make columns of recordings, with numbers of labels (-1 for silence), and return them with the labels of all columns.

    A string in place of a recording is the reason why it can't be scored. Blank labels are silence; the others are those in
    `silence`, or by default those of SILENCE in any case. `rename` returns the label with which a label is compared.
    """
    readable = [item for item in chain.from_iterable(sides) if isinstance(item, Intervals)]
    labels = [text_array([])]
    for has_labels, items in groupby(readable, lambda item: len(item.labels) > 0):
        labels.append(_label_array([*items], has_labels=has_labels))
    encoded = pa.concat_arrays(labels).dictionary_encode()
    names = [rename(name) for name in encoded.dictionary.to_pylist()]
    # labels A a B with the names a a b: the distinct names are a b, and the numbers 0 0 1.
    distinct = {name: number for number, name in enumerate(dict.fromkeys(names))}
    # A label is silence as it is written, or as it is compared.
    named_silence = frozenset(silence or ())
    numbers = []
    for label, name in zip(encoded.dictionary.to_pylist(), names, strict=True):
        is_silent = label.strip() in named_silence or _is_silent(name, silence)
        numbers.append(-1 if is_silent else distinct[name])
    # An interval without a label, which is null, is a word. Its number follows those of all labels, and its name is blank.
    numbers.append(len(distinct))
    places_of_names = numbers_of(encoded.indices.fill_null(len(names)))
    codes = np.array(numbers, np.int32)[places_of_names]
    columns = []
    codes_before = 0
    for side in sides:
        interval_count = sum(len(item.starts) for item in side if isinstance(item, Intervals))
        columns.append(_column_of(side, codes[codes_before : codes_before + interval_count]))
        codes_before += interval_count
    return columns, text_array([*distinct, ""])


def _column_of(side: Sequence[Intervals | str], codes: npt.NDArray[np.int32]) -> pa.StructArray:
    """Make a column of the recordings of a side, or of their problems, with the numbers of the labels of all intervals."""
    problems = [item if isinstance(item, str) else None for item in side]
    recordings = [Intervals() if isinstance(item, str) else item for item in side]
    # An unknown duration is -1.
    durations = [-1 if item.duration is None else int(item.ticks(item.duration)) for item in recordings]
    offsets = np.cumsum([0, *(len(item.starts) for item in recordings)], dtype=np.int64)
    counts = np.diff(offsets)
    ticks_per_unit = np.repeat(np.array([SECOND / item.per_second for item in recordings], np.float64), counts)
    begins = np.repeat(np.array([begin_in_ticks(item) for item in recordings], np.int64), counts)
    starts = _ticks_of([item.starts for item in recordings], ticks_per_unit) - begins
    ends = _ticks_of([item.ends for item in recordings], ticks_per_unit) - begins
    fields = [
        pa.array(problems, pa.large_string()),
        int64_array(np.array(durations, np.int64)),
        large_lists(offsets, int64_array(starts), LABELS),
        large_lists(offsets, int64_array(ends), LABELS),
        large_lists(offsets, pa.array(codes), CODES),
    ]
    return pa.StructArray.from_arrays(fields, fields=list(RECORDINGS))


def _ticks_of(times: Sequence[Times], ticks_per_unit: Floats) -> Positions:
    """Return the times of all recordings in ticks, one after the other; `ticks_per_unit` has the number for each time."""
    no_times = np.zeros(0)
    in_units = np.concatenate([no_times, *(np.asarray(values, np.float64) for values in times)])
    return np.rint(in_units * ticks_per_unit).astype(np.int64)


def _is_silent(label: str, silence: Collection[str] | None) -> bool:
    """Return whether a label is one of silence: a blank one, one of `silence`, or by default one of SILENCE in any case."""
    label = label.strip()
    if silence is None:
        return not label or label.lower() in SILENCE
    return not label or label in silence


def _label_array(recordings: Sequence[Intervals], *, has_labels: bool) -> pa.LargeStringArray:
    """Return the labels of recordings, which all have labels or all have none; they are null if they have none."""
    if has_labels:
        return text_array([*chain.from_iterable(item.labels for item in recordings)])
    return pa.nulls(sum(len(item.starts) for item in recordings), pa.large_string())


@record
class Labels:
    """The labels of the segments of recordings: the column `labels` of words."""

    codes: Positions  #: int64, the number of each segment's label, -1 for silence
    names: pa.LargeStringArray  #: the labels of all segments that were read together

    def take(self, kept: Mask) -> Labels:
        """Return the labels of the kept segments."""
        return Labels(self.codes[kept], self.names)

    def join(self, others: Sequence[Labels]) -> Labels:
        """Return these labels and others that were read together with them, in order."""
        return Labels(np.concatenate([self.codes, *(other.codes for other in others)]), self.names)


@record
class _Run:
    """The intervals of several recordings, one recording after the other.

    Attributes:
        starts, ends: in ticks from the beginning of their recordings.
        codes: the numbers of their labels, -1 for silence.
        recordings: the number of the recording of each interval.
        names: the labels by their numbers.
    """

    starts: Positions
    ends: Positions
    codes: npt.NDArray[np.signedinteger[Any]]
    recordings: Positions
    names: pa.LargeStringArray

    def in_order(self) -> _Run:
        """Return the intervals that have a length, sorted by recording, start and end."""
        have_lengths = bool((self.ends > self.starts).all())
        are_sorted = bool(((np.diff(self.starts) > 0) | (np.diff(self.recordings) > 0)).all())
        if have_lengths and are_sorted:
            return self
        kept = np.flatnonzero(self.ends > self.starts)
        # The last key counts first.
        kept = kept[np.lexsort((self.ends[kept], self.starts[kept], self.recordings[kept]))]
        return replace(
            self,
            starts=self.starts[kept],
            ends=self.ends[kept],
            codes=self.codes[kept],
            recordings=self.recordings[kept],
        )

    def previous_ends(self) -> Positions:
        """Return the end of the interval before each one; 0 before the first interval of a recording."""
        # ends 0.9 1.2 | 0.4 of two recordings: the previous ends are 0 0.9 | 0.
        previous = np.append(0, self.ends)[: len(self.ends)]
        previous[np.diff(self.recordings, prepend=-1) > 0] = 0
        return previous

    def check_times(self) -> None:
        """Raise an error for the first interval that begins before 0, or ends before it begins."""
        bad = first_true((self.ends < self.starts) | (self.starts < 0))
        if bad >= 0:
            if self.starts[bad] < 0:
                raise self._error(bad, f"the interval {self._shown(bad)} begins before 0.")
            hint = ""
            if self._have_durations_for_ends():
                hint = (
                    "As durations, the second times would fit: expected ends, or a table with a column called duration."
                )
            raise self._error(bad, f"the interval {self._shown(bad)} ends before it begins.", hint)

    def _have_durations_for_ends(self) -> bool:
        """Return whether intervals follow each other if their ends are durations."""
        starts_again = np.diff(self.recordings) > 0
        follows = self.starts[:-1] + self.ends[:-1] <= self.starts[1:] + ROUNDING
        return bool((follows | starts_again).all()) and len(self.starts) > 1

    def check_overlaps(self, previous_ends: Positions, hint: str) -> None:
        """Raise an error for the first interval that lies within the one before it; else for the first longer overlap."""
        expected = "expected intervals that follow each other"
        overlapping_count = int((self.starts < previous_ends - ROUNDING).sum())
        if overlapping_count > max(1, _MANY * len(self.starts)):
            # Where a few intervals overlap, no other cause is likely than the one of the hint.
            causes = "are they of several tiers, speakers or recordings, or are their ends durations?"
            question = f"{overlapping_count} do not: {causes} "
            hint = Message(question, hint)
        within = first_true(self.ends <= previous_ends)
        if within >= 0:
            end = f"{previous_ends[within] / SECOND:g} s"
            received = f"the interval {self._shown(within)} lies within the one before it, which ends at {end}"
            raise self._error(within, f"{received}; {expected}.", hint)
        overlapping = first_true(previous_ends - self.starts > ROUNDING)
        if overlapping >= 0:
            end = f"{previous_ends[overlapping] / SECOND:g} s"
            received = f"the interval {self._shown(overlapping)} begins before {end}, the end of the one before"
            raise self._error(overlapping, f"{received}; {expected}.", hint)

    def _error(self, interval: int, problem: str, hint: str = "") -> UtteranceError:
        """Return the error of the recording of an interval, by the number of the interval."""
        return UtteranceError(int(self.recordings[interval]), problem, hint=hint)

    def _shown(self, interval: int) -> str:
        """Return an interval for a message: `0.5–0.9 s with the label 'dog'`, or `0.5–0.9 s` if it has no label."""
        times = f"{self.starts[interval] / SECOND:g}–{self.ends[interval] / SECOND:g} s"
        code = int(self.codes[interval])
        if code < 0:
            return times
        label = self.names[code].as_py()
        return f"{times} with the label {label!r}" if label else times


def from_recordings(array: pa.StructArray, names: pa.LargeStringArray, hint: str = "") -> Segmentation:
    """Read a column of recordings: their intervals, and silent segments in the gaps. `hint` is what to try with overlaps.

    >>> (column,), names = recordings_columns([[Intervals([0.5, 1.0], [0.9, 1.2], ["a", "b"], duration=2.0)]])
    >>> recording = from_recordings(column, names)
    >>> recording.word_ends, recording.of_words["labels"].codes
    (array([ 500000,  900000, 1000000, 1200000, 2000000]), array([-1,  0, -1,  1, -1]))
    """
    problems, durations, starts, ends, labels = array.flatten()
    if problems.null_count < len(problems):
        first_bad = problems.is_valid().to_pylist().index(True)
        raise UtteranceError(first_bad, problems[first_bad].as_py())
    # The lists of starts, ends and labels have the same offsets. A slice of a column begins within its values.
    offsets = offsets_of(starts)
    inside = slice(int(offsets[0]), int(offsets[-1]))
    intervals = _Run(
        starts=numbers_of(starts.values)[inside],
        ends=numbers_of(ends.values)[inside],
        codes=numbers_of(labels.values)[inside],
        recordings=np.repeat(np.arange(len(array)), np.diff(offsets)),
        names=names,
    )
    intervals.check_times()
    intervals = intervals.in_order()
    previous_ends = intervals.previous_ends()
    intervals.check_overlaps(previous_ends, hint)
    return _with_silence(intervals, previous_ends, numbers_of(durations))


def _with_silence(intervals: _Run, previous_ends: Positions, durations: Positions) -> Segmentation:
    """Return the segments of recordings: their intervals, and silent segments in the gaps and up to known durations."""
    # Recordings of 2 and 1 intervals: the stops are 2 3, and the last intervals 1 2.
    counts = np.bincount(intervals.recordings, minlength=len(durations))
    stops = np.cumsum(counts)
    # A recording without intervals ends at 0. The array gets a 0 at its end, because a stop of 0 takes its last number.
    last_ends = np.where(counts > 0, np.append(intervals.ends, 0)[stops - 1], 0)
    # An unknown duration is -1. A recording then lasts up to its last interval.
    lengths = np.where(durations - last_ends > ROUNDING, durations, last_ends)
    with_tail = np.flatnonzero(lengths > last_ends)
    after_gap = np.flatnonzero(intervals.starts > previous_ends)
    # Silent segments stand after the last interval, and before intervals, in this order where two recordings meet.
    # 0.5–0.9 a, 1.0–1.2 b of 2 s: silent segments stand at 2 (the tail), 0 and 1 (the gaps), so the ends are .5 .9 1 1.2 2.
    places = np.concatenate((stops[with_tail], after_gap))
    segment_ends = np.insert(intervals.ends, places, np.concatenate((lengths[with_tail], intervals.starts[after_gap])))
    codes = np.insert(intervals.codes, places, -1).astype(np.int64)
    recordings = np.insert(intervals.recordings, places, np.concatenate((with_tail, intervals.recordings[after_gap])))
    is_kept = ~_begins_longer_silence(codes < 0, recordings)
    utterance_ends = np.cumsum(lengths)
    begins = utterance_ends - lengths
    return Segmentation(
        text=None,
        word_ends=(segment_ends + begins[recordings])[is_kept],
        utterance_ends=utterance_ends,
        utterance_units=lengths,
        unit="time",
        of_words={"labels": Labels(codes[is_kept], intervals.names)},
        of_utterances={"ends_known": durations >= 0},
    )


def _begins_longer_silence(is_silent: Mask, recordings: Positions) -> Mask:
    """Return a mask of the silent segments after which the silence of their recording goes on.

    Of neighbouring silent segments the last one ends where all of them end, so that it stands for all.

    >>> _begins_longer_silence(np.array([True, True, False, True]), np.array([0, 0, 0, 0])).tolist()
    [True, False, False, False]
    """
    goes_on = np.zeros(len(is_silent), bool)
    goes_on[:-1] = is_silent[:-1] & is_silent[1:] & (recordings[:-1] == recordings[1:])
    return goes_on
