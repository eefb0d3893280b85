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
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ...kernel.arrays import Mask, Positions, int64_array, large_lists, lengths_of, numbers_of, offsets_of, text_array
from ...kernel.segmentation import Segmentation
from ...options.errors import UtteranceError
from ...reading.inputs import CODES, LABELS, RECORDINGS

#: Ticks in a second.
SECOND = 1_000_000
#: The largest overlap of two intervals, and the longest silence at the end, that is taken for rounding, in ticks.
ROUNDING = 1000
#: The latest time, in seconds: 115 days. Times since 1970 are later.
LONGEST = 10_000_000
#: The usual labels of silence, in lower case.
SILENCE = ("sil", "sp", "spn", "<sil>", "<eps>", "<p:>")

Times: TypeAlias = "Sequence[float] | npt.NDArray[np.floating[Any]]"


@dataclass(frozen=True, eq=False)
class Intervals:
    """The intervals of a recording.

    Attributes:
        starts, ends: in seconds, or in samples; also `duration` and `begin`.
        labels: the labels of the intervals; empty if they have none and are all words.
        duration: the duration of the recording, if it is known: the time of its end.
        per_second: samples per second, where times are samples.
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
        if not self.begin:
            return absolute
        return absolute - round(self.begin * SECOND / self.per_second)


def structure_problem_of(intervals: Intervals) -> str:
    """Return why the times of a recording are no times, in whatever unit; empty if they are."""
    times = (intervals.starts, intervals.ends, intervals.duration or 0.0, intervals.begin or 0.0)
    try:
        arrays = [np.asarray(values, np.float64) for values in times]
        rate = float(intervals.per_second)
    except (TypeError, ValueError, OverflowError):
        return "a time is no number; expected seconds."
    if not 0 < rate < np.inf:
        return f"received {rate:g} samples per second; expected a number above 0."
    if arrays[0].ndim != 1 or arrays[1].ndim != 1 or arrays[2].ndim + arrays[3].ndim:
        return (
            "received lists of times that are no sequences of numbers; expected a number of seconds for each interval."
        )
    return ""


def problem_of(intervals: Intervals) -> str:
    """Return why the times of a recording cannot be scored; empty if they can be."""
    problem = structure_problem_of(intervals)
    if problem:
        return problem
    single = [[value or 0.0] for value in (intervals.begin, intervals.duration)]
    every = np.concatenate((intervals.starts, intervals.ends, *single)).astype(np.float64) / intervals.per_second
    if not np.isfinite(every).all():
        return "a time is no number; expected seconds."
    if every[-1] < 0 and not intervals.begin:
        return f"received a duration of {every[-1]:g} s; expected at least 0 s."
    if np.abs(every).max() > LONGEST:
        latest = every[np.argmax(np.abs(every))]
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
    labels = [_label_array(item) for item in readable]
    encoded = pa.concat_arrays([text_array([]), *labels]).dictionary_encode()
    names = [rename(name) for name in encoded.dictionary.to_pylist()]
    # labels A a B with the names a a b: the distinct names are a b, and the numbers 0 0 1.
    distinct = {name: number for number, name in enumerate(dict.fromkeys(names))}
    # Give intervals without labels, which are words, the last number.
    numbers = np.array([*(distinct[name] for name in names), len(distinct)])
    numbers[[at for at, name in enumerate(names) if _is_silent(name, silence)]] = -1
    codes = numbers[numbers_of(encoded.indices.fill_null(len(names)))].astype(np.int32)
    columns = []
    first = 0
    none = np.zeros(0, np.int64)
    for side in sides:
        recordings = [Intervals() if isinstance(item, str) else item for item in side]
        problems = [item if isinstance(item, str) else None for item in side]
        offsets = np.cumsum([0, *(len(item.starts) for item in recordings)])
        starts = np.concatenate([none, *(item.ticks(item.starts) for item in recordings)])
        ends = np.concatenate([none, *(item.ticks(item.ends) for item in recordings)])
        durations = [-1 if item.duration is None else int(item.ticks(item.duration)) for item in recordings]
        side_labels = pa.array(codes[first : first + int(offsets[-1])])
        first += len(side_labels)
        fields = [
            pa.array(problems, pa.large_string()),
            int64_array(np.array(durations, np.int64)),
            large_lists(offsets, int64_array(starts), LABELS),
            large_lists(offsets, int64_array(ends), LABELS),
            large_lists(offsets, side_labels, CODES),
        ]
        columns.append(pa.StructArray.from_arrays(fields, fields=list(RECORDINGS)))
    return columns, text_array([*distinct, ""])


def _is_silent(label: str, silence: Collection[str] | None) -> bool:
    label = label.strip()
    if silence is None:
        return not label or label.lower() in SILENCE
    return not label or label in silence


def _label_array(intervals: Intervals) -> pa.LargeStringArray:
    """Return the labels of a recording, which are null if it has none."""
    if len(intervals.labels):
        return text_array(intervals.labels)
    return pa.nulls(len(intervals.starts), pa.large_string())


@dataclass(frozen=True)
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


def from_recordings(array: pa.StructArray, names: pa.LargeStringArray, hint: str = "") -> Segmentation:
    """Read a column of recordings: their intervals, and silent segments in the gaps. `hint` is what to try with overlaps.

    >>> (column,), names = recordings_columns([[Intervals([0.5, 1.0], [0.9, 1.2], ["a", "b"], duration=2.0)]])
    >>> recording = from_recordings(column, names)
    >>> recording.word_ends, recording.of_words["labels"].codes
    (array([ 500000,  900000, 1000000, 1200000, 2000000]), array([-1,  0, -1,  1, -1]))
    """
    problems, durations, starts, ends, labels = array.flatten()
    if problems.null_count < len(problems):
        at = problems.is_valid().to_pylist().index(True)
        raise UtteranceError(at, problems[at].as_py())
    offsets = offsets_of(starts)
    inside = slice(int(offsets[0]), int(offsets[-1]))
    start = numbers_of(starts.values)[inside]
    end = numbers_of(ends.values)[inside]
    label = numbers_of(labels.values)[inside]
    recording = np.repeat(np.arange(len(array)), lengths_of(offsets[1:] - offsets[0]))
    shown = partial(_shown, start, end, label, names)
    _refuse(
        (end < start) | (start < 0),
        recording,
        lambda at: f"the interval {shown(at)} {'begins before 0' if start[at] < 0 else 'ends before it begins'}.",
    )
    are_long = bool((end > start).all())
    are_sorted = bool(((np.diff(start) > 0) | (np.diff(recording) > 0)).all())
    if not are_long or not are_sorted:
        # Drop intervals without a length, and sort the others by recording, start and end.
        kept = np.flatnonzero(end > start)
        kept = kept[np.lexsort((end[kept], start[kept], recording[kept]))]
        start = start[kept]
        end = end[kept]
        label = label[kept]
        recording = recording[kept]
    # ends 0.9 1.2 | 0.4 of two recordings: the ends before are 0 0.9 | 0.
    before = np.append(0, end)[: len(end)]
    before[np.diff(recording, prepend=-1) > 0] = 0
    shown = partial(_shown, start, end, label, names)
    _refuse(
        end <= before,
        recording,
        lambda at: (
            f"the interval {shown(at)} lies within the one before it, which ends at {before[at] / SECOND:g} s; "
            f"expected intervals that follow each other."
        ),
        hint,
    )
    _refuse(
        before - start > ROUNDING,
        recording,
        lambda at: (
            f"the interval {shown(at)} begins before {before[at] / SECOND:g} s, the end of the one before; "
            f"expected intervals that follow each other."
        ),
        hint,
    )
    gaps = np.flatnonzero(start > before)
    counts = np.bincount(recording, minlength=len(array))
    lasts = np.cumsum(counts)
    own_ends = np.where(counts > 0, np.append(end, 0)[lasts - 1], 0)
    duration = numbers_of(durations)
    units = np.where(duration - own_ends > ROUNDING, duration, own_ends)
    tails = np.flatnonzero(units > own_ends)
    # Silent segments stand after the last interval, and before intervals, in this order where two recordings meet.
    # 0.5–0.9 a, 1.0–1.2 b of 2 s: silent segments stand at 2 (the tail), 0 and 1 (the gaps), so the ends are .5 .9 1 1.2 2.
    places = np.concatenate((lasts[tails], gaps))
    segment_ends = np.insert(end, places, np.concatenate((units[tails], start[gaps])))
    codes = np.insert(label, places, -1).astype(np.int64)
    owners = np.insert(recording, places, np.concatenate((tails, recording[gaps])))
    # silent silent a silent: of neighbouring silent segments the last one is kept, which ends where all of them end.
    is_silent = codes < 0
    is_kept = np.append(~(is_silent[:-1] & is_silent[1:] & (owners[:-1] == owners[1:])), True)[: len(codes)]
    utterance_ends = np.cumsum(units)
    return Segmentation(
        text=None,
        word_ends=(segment_ends + (utterance_ends - units)[owners])[is_kept],
        utterance_ends=utterance_ends,
        utterance_units=units,
        unit="time",
        of_words={"labels": Labels(codes[is_kept], names)},
        of_utterances={"ends_known": duration >= 0},
    )


def _refuse(is_bad: Mask, recordings: Positions, describe: Any, hint: str = "") -> None:
    if is_bad.any():
        at = int(np.argmax(is_bad))
        raise UtteranceError(int(recordings[at]), describe(at), hint=hint)


def _shown(start: Positions, end: Positions, label: npt.NDArray[Any], names: pa.LargeStringArray, at: int) -> str:
    times = f"{start[at] / SECOND:g}–{end[at] / SECOND:g} s"
    if label[at] < 0:
        return times
    text = names[int(label[at])].as_py()
    return f"{times} with the label {text!r}" if text else times
