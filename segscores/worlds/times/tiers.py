"""Tiers: the choice of the tier of a file that has several, or of the tiers of all speakers."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...options.messages import OptionError
from ...options.suggestions import suggestion
from ...options.table import OPTIONS

_USUAL_TIERS = ("words", "word")
#: The most tiers that a message lists.
_MOST_LISTED = 20
#: The name of a tier with that of its speaker: `Ann - words` as of MFA, and `words@Ann` as of ELAN.
_OF_SPEAKER = re.compile(r"(?P<first>.+) - (?P<tier>.+)|(?P<of>.+)@(?P<last>.+)", re.DOTALL)


@dataclass(frozen=True)
class ChosenTiers:
    """The chosen tier of a file, or that of each speaker.

    Attributes:
        places: the indices of the tiers by their speakers, "" for a tier of no speaker.
    """

    places: Mapping[str, int]

    @property
    def speakers(self) -> frozenset[str]:
        """The names of the speakers."""
        return frozenset(self.places) - {""}


def is_usual_tier(name: str) -> bool:
    """Return whether a tier has the name of words, also after a speaker's."""
    return name.lower().endswith(_USUAL_TIERS)


def choose_tiers(tier: str | None, names: Sequence[str], have_intervals: Sequence[bool]) -> ChosenTiers:
    """Return the tiers of this name in any case, one, or one of each speaker, as in `Ann - words`; or of this number from 1.

    By default it is the only one, or `words`. Tiers of points are chosen only where no tier of intervals fits.
    """
    by_kind = _by_kind(names, have_intervals)
    fitting = _fitting_tiers(tier, by_kind)
    speakers = {_speaker_and_tier(names[at])[0]: at for at in fitting}
    has_one_of_each = "" not in speakers and len(speakers) == len(fitting) > 0
    if len(fitting) == 1 or has_one_of_each:
        return ChosenTiers(speakers)
    raise _unclear(tier, by_kind, is_missing=not fitting)


def choose_tier(tier: str | None, names: Sequence[str], have_intervals: Sequence[bool]) -> int:
    """Return the index of the only tier that `choose_tiers` returns; raise an error if it returns several."""
    places = choose_tiers(tier, names, have_intervals).places
    if len(places) > 1:
        raise _unclear(tier, _by_kind(names, have_intervals), is_missing=False)
    return next(iter(places.values()))


def _by_kind(names: Sequence[str], have_intervals: Sequence[bool]) -> tuple[dict[int, str], dict[int, str]]:
    """Return the names of the tiers of intervals, and of those of points, by their indices."""
    kinds: tuple[dict[int, str], dict[int, str]] = {}, {}
    for at, (name, has_intervals) in enumerate(zip(names, have_intervals, strict=True)):
        kinds[not has_intervals][at] = name
    return kinds


def _fitting_tiers(tier: str | None, by_kind: Sequence[Mapping[int, str]]) -> list[int]:
    """Return the tiers that fit in the best way, of intervals if any fits."""
    for names in by_kind:
        fitting = _fitting_of_kind(tier, names)
        if fitting or (names and tier is None):
            return fitting
    return []


def _fitting_of_kind(tier: str | None, names: Mapping[int, str]) -> list[int]:
    """Return the tiers that fit in the best way, from the names of tiers by their index."""
    wanted: Sequence[str] = _USUAL_TIERS
    if tier is not None:
        wanted = [tier.lower()]
    best_first = [
        [at for at, name in names.items() if name == tier],
        [at for at, name in names.items() if name.lower() in wanted],
        [at for at, name in names.items() if _speaker_and_tier(name)[1].lower() in wanted],
        [at for at in names if str(at + 1) == tier],
    ]
    for fitting in best_first:
        if fitting:
            return fitting
    if tier is None and len(names) == 1:
        return [*names]
    return []


def _speaker_and_tier(name: str) -> tuple[str, str]:
    """Return the speaker and the tier that a name consists of; the speaker is empty if it names none.

    >>> _speaker_and_tier("Ann - words"), _speaker_and_tier("words@Ann"), _speaker_and_tier("words")
    (('Ann', 'words'), ('Ann', 'words'), ('', 'words'))
    """
    match = _OF_SPEAKER.fullmatch(name)
    if match is None:
        return "", name
    return match["first"] or match["last"], match["tier"] or match["of"]


def _unclear(tier: str | None, by_kind: Sequence[Mapping[int, str]], *, is_missing: bool) -> OptionError:
    """Return the error of a tier that is not there, or of several that fit."""
    names: list[str] = []
    for kind in by_kind:
        names += kind.values()
    shown = [repr(name) for name in names[:_MOST_LISTED]]
    more = ""
    if len(names) > len(shown):
        more = f" and {len(names) - len(shown)} more"
    listed = f" The tiers are {', '.join(shown) or 'none'}{more}."
    if tier is None:
        expected = "expected one tier of intervals, or one that is called words: choose it with "
        return OptionError(expected, OPTIONS["tier"], f".{listed}")
    if not is_missing:
        return OptionError(OPTIONS["tier"].set((tier,)), f" fits several tiers.{listed} A number chooses one.")
    return OptionError(OPTIONS["tier"], f": there is no tier {tier!r}.{listed}{suggestion(tier, names)}")
