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
#: The largest median duration for which a unit is guessed, in this unit: 20 s, 1.5 s, and 3 s of 16,000 samples.
_LONGEST = {"s": 20.0, "ms": 1500.0, SAMPLES: 48_000.0}

Floats = npt.NDArray[np.float64]


@dataclass
class Units:
    """The units of the recordings of one side.

    Attributes:
        place: the name of the side, for messages.
        intervals: the recordings by name, or the reason why one can't be read; `settle_units` puts seconds into them.
        open: the names of recordings whose file names no unit.
        whole: the names of recordings that have whole numbers alone.
        sampled: the names of recordings that are in samples.
        named: the unit that an option names; empty if none does.
        has_frames: whether times are frames, of which the number per second has to be named.
    """

    place: str
    intervals: dict[str, Intervals | str]
    open: set[str] = field(default_factory=set)
    whole: set[str] = field(default_factory=set)
    sampled: set[str] = field(default_factory=set)
    named: str = ""
    has_frames: bool = False

    def set_unit(self, names: set[str], per_second: float) -> None:
        """Set the number of units in a second for these recordings."""
        for name in names:
            intervals = self.intervals[name]
            if isinstance(intervals, Intervals):
                self.intervals[name] = replace(intervals, per_second=per_second)

    def last_end(self, name: str) -> float:
        """Return the last end of a recording in seconds; 0 if it has none."""
        intervals = self.intervals[name]
        if isinstance(intervals, str) or not len(intervals.ends):
            return 0.0
        return float(np.max(np.asarray(intervals.ends, np.float64))) / intervals.per_second

    def is_undecided(self) -> bool:
        """Return whether all times of the files that name no unit are whole numbers."""
        return bool(self.open) and self.open <= self.whole


def settle_units(sides: Sequence[Units], pairs: Sequence[Sequence[str]], named_rate: float | None) -> list[Message]:
    """Set the units of all sides, whose recordings pair as `pairs` says; return what a person has to know.

    If the user has named the number of samples per second, whole numbers are samples.
    """
    has_rate = named_rate is not None
    sample_rate = _USUAL_RATE if named_rate is None else named_rate
    for side in sides:
        if side.named and not side.open:
            setting = OPTIONS["time_unit"].set((side.named,))
            raise OptionError(setting, f": {side.place} names its unit, or has a format of one unit: leave it out.")
        if side.has_frames and not has_rate:
            problem = f"{side.place}: its times are frames: name the frames per second with "
            raise OptionError(problem, OPTIONS["sample_rate"], ".")
        if side.named:
            _set_named(side, sample_rate)
        elif has_rate and side.is_undecided():
            side.set_unit(side.open, sample_rate)
            side.sampled |= side.open
            side.open = set()
        side.set_unit(side.sampled, sample_rate)
    if has_rate and not any(side.sampled for side in sides):
        setting = OPTIONS["sample_rate"].set(sample_rate)
        raise OptionError(setting, ": no side has samples; expected whole numbers without a unit. Leave it out.")
    messages = []
    undecided = [at for at, side in enumerate(sides) if side.is_undecided()]
    decided = [at for at in range(len(sides)) if at not in undecided]
    for at in undecided:
        factor = _factor(sides, pairs, at, decided)
        messages += _decide(sides[at], factor, sample_rate)
        decided.append(at)
    messages += _doubts(sides, pairs, sample_rate)
    return messages


def _set_named(side: Units, sample_rate: float) -> None:
    """Set the unit that the user has named."""
    side.set_unit(side.open, PER_SECOND.get(side.named, sample_rate))
    if side.named == SAMPLES:
        side.sampled |= side.open
    side.open = set()


def _factor(sides: Sequence[Units], pairs: Sequence[Sequence[str]], at: int, others: Sequence[int]) -> float:
    """Return how much later the recordings of a side end than the paired ones of other sides, by the median; 0 if unknown."""
    factors = []
    for other in others:
        for name, other_name in zip(pairs[at], pairs[other], strict=True):
            ends = sides[at].last_end(name), sides[other].last_end(other_name)
            if min(ends) > 0:
                factors.append(ends[0] / ends[1])
    if not factors:
        return 0.0
    return float(np.median(factors))


def agree(factor: float, expected: float = 1.0) -> bool:
    """Return whether a factor of last ends is near an expected one."""
    return 1 / AGREEMENT <= factor / expected <= AGREEMENT


def _decide(side: Units, factor: float, sample_rate: float) -> list[Message]:
    """Set the unit of the whole numbers of a side; return what was guessed."""
    units: Mapping[str, float] = {**PER_SECOND, SAMPLES: sample_rate}
    agreeing = [unit for unit, per_second in units.items() if agree(factor, per_second)]
    unit = _plausible_unit(side)
    is_sure = unit == "s" or _is_of_htk(side)
    if agreeing:
        unit = agreeing[0]
        is_sure = True
    side.set_unit(side.open, units[unit])
    if is_sure:
        return []
    rate = f", {sample_rate:g} a second" if unit == SAMPLES else ""
    decided = f"{side.place}: its times are whole numbers without a unit, read as {_NOUNS[unit]}{rate}"
    reason = f"the median word then lasts {_median(side) / units[unit]:.3g} s"
    return [Message(decided, f", because {reason}. Name the unit with ", OPTIONS["time_unit"], ".")]


def _plausible_unit(side: Units) -> str:
    """Return the unit in which the median duration is one of words or phones."""
    median = _median(side)
    if _is_of_htk(side):
        return "100ns"
    return next((unit for unit, longest in _LONGEST.items() if median <= longest), "100ns")


def _durations(side: Units) -> Floats:
    """Return the durations of all intervals without a known unit that have one."""
    recordings = [side.intervals[name] for name in side.open]
    lengths = [np.subtract(item.ends, item.starts) for item in recordings if isinstance(item, Intervals)]
    every = np.concatenate([np.zeros(0), *lengths])
    return every[every > 0]


def _median(side: Units) -> float:
    durations = _durations(side)
    return float(np.median(durations)) if len(durations) else 0.0


def _is_of_htk(side: Units) -> bool:
    """Return whether all durations are multiples of a millisecond in units of 100 ns, and larger than those of samples."""
    durations = _durations(side)
    return len(durations) > 0 and bool(np.all(durations % HTK_STEP == 0)) and _median(side) > 2 * HTK_STEP


def _doubts(sides: Sequence[Units], pairs: Sequence[Sequence[str]], sample_rate: float) -> list[Message]:
    """Return the doubts of sides whose recordings end at other times than those of the first side."""
    doubts = []
    for at in range(1, len(sides)):
        factor = _factor(sides, pairs, at, [0])
        if factor and not agree(factor):
            late, early = (sides[at], sides[0]) if factor > 1 else (sides[0], sides[at])
            remedy = _remedy(late, early, max(factor, 1 / factor), sample_rate)
            if remedy is not None:
                doubts.append(remedy)
    return doubts


def _remedy(late: Units, early: Units, factor: float, sample_rate: float) -> Message | None:
    """Return the option with which the recordings of both sides end at the same times; None if there is none."""
    start = f"{late.place} ends {factor:.3g} times as late as {early.place}: "
    if late.sampled and early.sampled:
        return None
    if late.sampled or early.sampled:
        wanted = sample_rate * factor if late.sampled else sample_rate / factor
        near = [rate for rate in _RATES if abs(rate / wanted - 1) < _NEAR_RATE]
        return Message(start, "is it ", OPTIONS["sample_rate"].set(near[0]), "?") if near else None
    # The factor is that of other units than seconds: it is more than AGREEMENT.
    units = [unit for unit, per_second in PER_SECOND.items() if agree(factor, per_second)]
    if not units or not late.open:
        return None
    return Message(start, f"are its times in {_NOUNS[units[0]]}? Then name the unit with ", OPTIONS["time_unit"], ".")
