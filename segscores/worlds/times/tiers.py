"""Tiers: the choice of the tier of a file that has several, or of the tiers of all speakers."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from ...kernel.record import record
from ...options.messages import OptionError
from ...options.suggestions import suggestion
from ...options.table import OPTIONS

#: The names of tiers of words, in lower case.
_USUAL_TIERS = ("words", "word")
#: The most tiers that a message lists.
_MOST_LISTED = 20
#: The name of a tier with that of its speaker: `Ann - words` as of MFA, and `words@Ann` as of ELAN.
_OF_SPEAKER = re.compile(
    r"(?P<first_speaker>.+) - (?P<last_tier>.+)|(?P<first_tier>.+)@(?P<last_speaker>.+)", re.DOTALL
)


@record
class ChosenTiers:
    """The chosen tier of a file, or that of each speaker.

    Attributes:
        index_of_speaker: the index of the tier of each speaker, among all tiers; "" stands for a tier of no speaker.
    """

    index_of_speaker: Mapping[str, int]

    @property
    def speakers(self) -> frozenset[str]:
        """The names of the speakers."""
        return frozenset(self.index_of_speaker) - {""}


def is_usual_tier(name: str) -> bool:
    """Return whether a tier has the name of words, also after a speaker's."""
    return name.lower().endswith(_USUAL_TIERS)


@record
class _Tiers:
    """The names of the tiers of a file by their indices: first those of intervals, then those of points."""

    of_intervals: Mapping[int, str]
    of_points: Mapping[int, str]

    @classmethod
    def of(cls, names: Sequence[str], have_intervals: Sequence[bool]) -> _Tiers:
        """Return the tiers of a file; `have_intervals` says of each whether it has intervals and no points."""
        of_intervals = {}
        of_points = {}
        for index, (name, has_intervals) in enumerate(zip(names, have_intervals, strict=True)):
            if has_intervals:
                of_intervals[index] = name
            else:
                of_points[index] = name
        return cls(of_intervals, of_points)

    @property
    def names(self) -> list[str]:
        """The names of all tiers, those of intervals first."""
        return [*self.of_intervals.values(), *self.of_points.values()]

    def fitting(self, tier: str | None) -> list[int]:
        """Return the indices of the tiers that fit in the best way: of intervals if one fits, else of points.

        `tier` is the name or number that the user gave; None: the usual names fit, or an only tier. The list is empty if no tier
        fits, and if without a name it is not clear which one is meant.

        >>> _Tiers.of(["phones", "events"], have_intervals=[True, False]).fitting(None)
        [0]
        >>> _Tiers.of(["phones", "syllables", "events"], have_intervals=[True, True, False]).fitting(None)
        []
        """
        fitting_intervals = _fitting_of_kind(tier, self.of_intervals)
        if fitting_intervals:
            return fitting_intervals
        if tier is None and self.of_intervals:
            # Several tiers of intervals, none of them `words`: one of these is meant, and not a tier of points.
            return []
        return _fitting_of_kind(tier, self.of_points)

    def listed(self) -> str:
        """Return a sentence that lists the names, such as `The tiers are 'words', 'phones'.`."""
        shown = [repr(name) for name in self.names[:_MOST_LISTED]]
        more = ""
        if len(self.names) > len(shown):
            more = f" and {len(self.names) - len(shown)} more"
        return f"The tiers are {', '.join(shown) or 'none'}{more}."


def choose_tiers(tier: str | None, names: Sequence[str], have_intervals: Sequence[bool]) -> ChosenTiers:
    """Return the tier that `tier` names, in any case or by its number from 1; or, as with `Ann - words`, that of each speaker.

    Where `tier` is None, it is the only one, or `words`. Tiers of points are chosen only where no tier of intervals fits.
    `have_intervals` says of each tier whether it has intervals, and no points.
    """
    tiers = _Tiers.of(names, have_intervals)
    fitting = tiers.fitting(tier)
    by_speaker = {_speaker_and_tier(names[index]).speaker: index for index in fitting}
    # The dict has one of two tiers with one speaker, or without a speaker.
    has_one_of_each_speaker = "" not in by_speaker and len(by_speaker) == len(fitting) > 0
    if len(fitting) == 1 or has_one_of_each_speaker:
        return ChosenTiers(by_speaker)
    raise _unclear(tier, tiers, is_missing=not fitting)


def choose_tier(tier: str | None, names: Sequence[str], have_intervals: Sequence[bool]) -> int:
    """Return the index of the only tier that `choose_tiers` returns; raise an error if it returns several."""
    indices = choose_tiers(tier, names, have_intervals).index_of_speaker.values()
    if len(indices) > 1:
        raise _unclear(tier, _Tiers.of(names, have_intervals), is_missing=False)
    (index,) = indices
    return index


def _fitting_of_kind(tier: str | None, names: Mapping[int, str]) -> list[int]:
    """Return the indices of the tiers of one kind that fit in the best way, from the names of all tiers of this kind.

    `tier` is what the user named: None if nothing.
    """
    wanted: Sequence[str] = _USUAL_TIERS
    if tier is not None:
        wanted = [tier.lower()]
    # The same name; the name in any case; the name behind that of a speaker; the number of the tier, from 1.
    best_first: list[Callable[[int, str], bool]] = [
        lambda _, name: name == tier,
        lambda _, name: name.lower() in wanted,
        lambda _, name: _speaker_and_tier(name).tier.lower() in wanted,
        lambda index, _: str(index + 1) == tier,
    ]
    for fits in best_first:
        fitting = [index for index, name in names.items() if fits(index, name)]
        if fitting:
            return fitting
    if tier is None and len(names) == 1:
        return [*names]
    return []


class _NameOfTier(NamedTuple):
    """The parts of the name of a tier."""

    speaker: str  #: empty if the name has none
    tier: str


def _speaker_and_tier(name: str) -> _NameOfTier:
    """Return the speaker and the tier that a name consists of.

    >>> _speaker_and_tier("Ann - words"), _speaker_and_tier("words")
    (_NameOfTier(speaker='Ann', tier='words'), _NameOfTier(speaker='', tier='words'))
    """
    match = _OF_SPEAKER.fullmatch(name)
    if match is None:
        return _NameOfTier("", name)
    return _NameOfTier(match["first_speaker"] or match["last_speaker"], match["last_tier"] or match["first_tier"])


def _unclear(tier: str | None, tiers: _Tiers, *, is_missing: bool) -> OptionError:
    """Return the error of a tier that is not there, or of several that fit.

    `--tier word fits several tiers. The tiers are 'word', 'Word'. A number chooses one.`
    """
    listed = f" {tiers.listed()}"
    # The hint at one name alone would lead to the same error of the other side, and back.
    of_each_side = (
        " If its name differs between the sides, name both in ",
        OPTIONS["tier"],
        ", that of the reference first.",
    )
    if tier is None:
        expected = "expected one tier of intervals, or one that is called words: choose it with "
        return OptionError(expected, OPTIONS["tier"], f".{listed}", *of_each_side)
    if not is_missing:
        return OptionError(OPTIONS["tier"].set((tier,)), f" fits several tiers.{listed} A number chooses one.")
    meant = suggestion(tier, tiers.names)
    return OptionError(OPTIONS["tier"], f": there is no tier {tier!r}.{listed}{meant}", *of_each_side)
