"""Units of time: what whole numbers count where a file does not say it.

Conventions
-----------
- Whole numbers whose unit neither the file nor an option names may be seconds, milliseconds, samples, or HTK's 100 ns. Two
  observations decide: the last ends of the other side's recordings, if its unit is known, and the median duration of the words.
- A unit is decided if the last ends of both sides then agree to AGREEMENT. Otherwise the median duration makes a guess, which is
  said. Times with a point are seconds.
- Two sides whose last ends agree only if one of them is in another unit are doubted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from ...kernel.record import record
from ...options.messages import Message, OptionError
from ...options.table import OPTIONS
from .intervals import Intervals
from .lines import HTK_STEP

#: The units of time: their numbers per second. Those of samples are an option.
PER_SECOND = {"s": 1.0, "ms": 1e3, "us": 1e6, "100ns": 1e7}
SAMPLES = "samples"
_NOUNS = {
    "s": "seconds",
    "ms": "milliseconds",
    "us": "microseconds",
    "100ns": "units of 100 ns, as HTK's",
    SAMPLES: "samples",
}
#: The number of samples per second where none is named, as in TIMIT.
_USUAL_RATE = 16_000.0
#: The usual numbers of samples per second.
_RATES = (8000, 11025, 16000, 22050, 24000, 32000, 44100, 48000, 96000)
#: A number of samples per second is taken for a usual one that differs by a smaller share.
_NEAR_RATE = 0.02
#: Two last ends agree if neither is longer than the other by this factor.
AGREEMENT = 1.3
#: The largest median duration for which a unit is guessed, in this unit: 20 s, 1.5 s, and 3 s of 16,000 samples. The units are
#: tried in this order, from the longest to the shortest.
_LONGEST = {"s": 20.0, "ms": 1500.0, SAMPLES: 48_000.0}

#: The largest median duration of whole numbers that are read as seconds without a message: 15 may be milliseconds of phones.
_LONGEST_SURE = 10.0

Floats = npt.NDArray[np.float64]


@dataclass
class Units:
    """The units of the recordings of one side.

    Attributes:
        place: the name of the side, for messages.
        intervals: the recordings by name, or the reason why one can't be read; `settle_units` sets their units per second.
        without_unit: the names of recordings whose file names no unit.
        in_whole_numbers: the names of recordings that have whole numbers alone.
        in_samples: the names of recordings that are in samples.
        named: the unit that an option names; empty if none does.
        has_frames: whether times are frames, of which the number per second has to be named.
    """

    place: str
    intervals: dict[str, Intervals | str]
    without_unit: set[str] = field(default_factory=set)
    in_whole_numbers: set[str] = field(default_factory=set)
    in_samples: set[str] = field(default_factory=set)
    named: str = ""
    has_frames: bool = False

    def set_unit(self, names: set[str], per_second: float) -> None:
        """Set the number of units in a second for these recordings, but for those that can't be read."""
        for name in names:
            recording = self.intervals[name]
            # A string is the reason why a recording can't be read.
            if isinstance(recording, Intervals) and recording.per_second != per_second:
                self.intervals[name] = replace(recording, per_second=per_second)

    def last_end(self, name: str) -> float:
        """Return the last end of a recording in seconds; 0 if it has none."""
        recording = self.intervals[name]
        if isinstance(recording, str) or not len(recording.ends):
            return 0.0
        return float(np.max(np.asarray(recording.ends, np.float64))) / recording.per_second

    def is_undecided(self) -> bool:
        """Return whether all times of the files that name no unit are whole numbers."""
        return bool(self.without_unit) and self.without_unit <= self.in_whole_numbers


@record
class _PairedSide:
    """A side with the names of its recordings, of which the first pairs with the first of another side, and so on."""

    units: Units
    names: Sequence[str]

    def last_ends(self) -> list[float]:
        """Return the last end of each recording in seconds; 0 if it has none."""
        return [self.units.last_end(name) for name in self.names]


def settle_units(
    sides: Sequence[Units], names_of_sides: Sequence[Sequence[str]], named_rate: float | None
) -> list[Message]:
    """Set the units of all sides; return what a person has to know.

    The recordings of all sides pair by their places in the names of each side. If the user has named the number of samples per
    second, `named_rate`, whole numbers are samples.
    """
    sample_rate = _USUAL_RATE if named_rate is None else named_rate
    for side in sides:
        _check_named_units(side, has_rate=named_rate is not None)
        if side.named:
            _set_unit_of_files_without(side, side.named, sample_rate)
        elif named_rate is not None and side.is_undecided():
            _set_unit_of_files_without(side, SAMPLES, sample_rate)
        # The recordings of formats in samples, and again those above that are in samples: all have one rate.
        side.set_unit(side.in_samples, sample_rate)
    if named_rate is not None and not any(side.in_samples for side in sides):
        setting = OPTIONS["sample_rate"].set(sample_rate)
        raise OptionError(setting, ": no side has samples; expected whole numbers without a unit. Leave it out.")
    paired = [_PairedSide(side, names) for side, names in zip(sides, names_of_sides, strict=True)]
    decided = [side for side in paired if not side.units.is_undecided()]
    undecided = [side for side in paired if side.units.is_undecided()]
    messages = []
    for paired_side in undecided:
        # Each side that is decided helps to decide the next one.
        messages += _decide(paired_side.units, _times_later(paired_side, decided), sample_rate)
        decided.append(paired_side)
    messages += _doubts(paired, sample_rate)
    return messages


def _check_named_units(side: Units, *, has_rate: bool) -> None:
    """Raise an error if a unit is named for a side that has one, or if no rate is named for frames."""
    if side.named and not side.without_unit:
        setting = OPTIONS["time_unit"].set((side.named,))
        raise OptionError(setting, f": {side.place} names its unit, or has a format of one unit: leave it out.")
    if side.has_frames and not has_rate:
        problem = f"{side.place}: its times are frames: name the frames per second with "
        raise OptionError(problem, OPTIONS["sample_rate"], ".")


def _set_unit_of_files_without(side: Units, unit: str, sample_rate: float) -> None:
    """Set the unit of the recordings whose file names none."""
    # Only samples are not in PER_SECOND: the rate is how many there are.
    side.set_unit(side.without_unit, PER_SECOND.get(unit, sample_rate))
    if unit == SAMPLES:
        side.in_samples |= side.without_unit
    side.without_unit = set()


def _times_later(side: _PairedSide, others: Sequence[_PairedSide]) -> float:
    """Return how many times later the recordings of a side end than those of other sides, by the median; 0 if unknown.

    Recordings that end at 2 and 3 on this side, and at 1 and 3 on another one, end 1.5 times later.
    """
    factors = []
    for other in others:
        for end, other_end in zip(side.last_ends(), other.last_ends(), strict=True):
            if end > 0 and other_end > 0:
                factors.append(end / other_end)
    if not factors:
        return 0.0
    return float(np.median(factors))


def agree(times_later: float, expected: float = 1.0) -> bool:
    """Return whether the last ends of a side are as many times later as expected, or nearly."""
    return 1 / AGREEMENT <= times_later / expected <= AGREEMENT


def _decide(side: Units, times_later: float, sample_rate: float) -> list[Message]:
    """Set the unit of the whole numbers of a side; return what was guessed.

    The side ends so many times later than the others; 0 is unknown, and agrees with no unit.
    """
    units: Mapping[str, float] = {**PER_SECOND, SAMPLES: sample_rate}
    # Whole numbers that end 1000 times later than the seconds of other sides are milliseconds.
    agreeing = [unit for unit, per_second in units.items() if agree(times_later, per_second)]
    if agreeing:
        # The first of several units is taken, such as milliseconds, which samples may look like: samples come last.
        unit, *_ = agreeing
        is_sure = True
    else:
        unit = _plausible_unit(side)
        # Times that look like seconds or like HTK's are read so without a message.
        is_sure = (unit == "s" and _median(side) <= _LONGEST_SURE) or _is_of_htk(side)
    side.set_unit(side.without_unit, units[unit])
    if is_sure:
        return []
    rate = f", {sample_rate:g} a second" if unit == SAMPLES else ""
    decided = f"{side.place}: its times are whole numbers without a unit, read as {_NOUNS[unit]}{rate}"
    reason = f"the median word then lasts {_median(side) / units[unit]:.3g} s"
    return [Message(decided, f", because {reason}. Name the unit with ", OPTIONS["time_unit"], ".")]


def _plausible_unit(side: Units) -> str:
    """Return the unit in which the median duration is one of words or phones."""
    if _is_of_htk(side):
        return "100ns"
    median = _median(side)
    for unit, longest in _LONGEST.items():
        if median <= longest:
            return unit
    # Even in samples, the shortest of these units, the median word would last too long: the unit is a shorter one.
    return "100ns"


def _durations(side: Units) -> Floats:
    """Return the durations of all intervals without a known unit that have one."""
    recordings = [side.intervals[name] for name in side.without_unit]
    lengths = [np.subtract(item.ends, item.starts) for item in recordings if isinstance(item, Intervals)]
    durations = np.concatenate([np.zeros(0), *lengths])
    return durations[durations > 0]


def _median(side: Units) -> float:
    """Return the median of the durations without a known unit; 0 if there is none."""
    durations = _durations(side)
    return float(np.median(durations)) if len(durations) else 0.0


def _is_of_htk(side: Units) -> bool:
    """Return whether all durations are multiples of a millisecond in units of 100 ns, and larger than those of samples."""
    # In units of 100 ns, a median above 2 * HTK_STEP is more than 2 ms; of the usual samples it would be more than 1.25 s.
    durations = _durations(side)
    return len(durations) > 0 and bool(np.all(durations % HTK_STEP == 0)) and _median(side) > 2 * HTK_STEP


def _doubts(sides: Sequence[_PairedSide], sample_rate: float) -> list[Message]:
    """Return the doubts of predictions whose recordings end at other times than those of the reference, the first side."""
    doubts = []
    reference, *predictions = sides
    for prediction in predictions:
        times_later = _times_later(prediction, [reference])
        if times_later == 0 or agree(times_later):
            continue
        if times_later > 1:
            remedy = _remedy(prediction.units, reference.units, times_later, sample_rate)
        else:
            remedy = _remedy(reference.units, prediction.units, 1 / times_later, sample_rate)
        if remedy is not None:
            doubts.append(remedy)
    return doubts


def _remedy(late: Units, early: Units, times_later: float, sample_rate: float) -> Message | None:
    """Return the option with which the recordings of both sides end at the same times; None if there is none.

    `ann.ctm ends 1000 times as late as gold.ctm: are its times in milliseconds? Then name the unit with --time-unit.`
    """
    if late.in_samples and early.in_samples:
        # Another number of samples per second would move both ends.
        return None
    if late.in_samples:
        # With more samples in a second, the late side ends earlier.
        question = _question_of_rate(sample_rate * times_later)
    elif early.in_samples:
        # With fewer samples in a second, the early side ends later.
        question = _question_of_rate(sample_rate / times_later)
    elif late.without_unit:
        question = _question_of_unit(times_later)
    else:
        # The files of the late side name their unit, so that the option cannot. A larger unit of the early side is not proposed.
        question = None
    if question is None:
        return None
    return Message(f"{late.place} ends {times_later:.4g} times as late as {early.place}: ", question)


def _question_of_rate(rate: float) -> Message | None:
    """Return the question `is it --sample-rate 8000?` of the usual number of samples per second near a rate; None without one."""
    near = [usual_rate for usual_rate in _RATES if abs(usual_rate / rate - 1) < _NEAR_RATE]
    if not near:
        return None
    (usual_rate,) = near  # usual rates are too far apart for two
    return Message("is it ", OPTIONS["sample_rate"].set(usual_rate), "?")


def _question_of_unit(times_later: float) -> Message | None:
    """Return the question which unit the times are in that end so many times later than seconds; None if no unit agrees."""
    # 1000 times later: milliseconds. Seconds do not agree, because the two sides would then agree, and there is no doubt.
    units = [unit for unit, per_second in PER_SECOND.items() if agree(times_later, per_second)]
    if not units:
        return None
    (unit,) = units  # units are too far apart for two
    return Message(f"are its times in {_NOUNS[unit]}? Then name the unit with ", OPTIONS["time_unit"], ".")
