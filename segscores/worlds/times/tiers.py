"""Tiers: the choice of the tier of a file that has several."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...options.messages import OptionError
from ...options.suggestions import suggestion
from ...options.table import OPTIONS

_USUAL_TIERS = ("words", "word")
#: The most tiers that a message lists.
_MOST_LISTED = 20


def is_usual_tier(name: str) -> bool:
    """Return whether a tier has the name of words, also after a speaker's."""
    return name.lower().endswith(_USUAL_TIERS)


def _fitting_tiers(tier: str | None, names: Mapping[int, str]) -> list[int]:
    """Return the tiers that fit in the best way, from the names of tiers by their index."""
    wanted: Sequence[str] = _USUAL_TIERS
    if tier is not None:
        wanted = [tier.lower()]
    endings_of_speakers = tuple(f" - {name}" for name in wanted)
    best_first = [
        [at for at, name in names.items() if name == tier],
        [at for at, name in names.items() if name.lower() in wanted],
        [at for at, name in names.items() if name.lower().endswith(endings_of_speakers)],
        [at for at in names if str(at + 1) == tier],
    ]
    for fitting in best_first:
        if fitting:
            return fitting
    if tier is None and len(names) == 1:
        return [*names]
    return []


def choose_tier(tier: str | None, names: Sequence[str], have_intervals: Sequence[bool]) -> int:
    """Return the index of a tier of intervals: of this name, in any case, also after a speaker's as in `Ann - words`, or of
    this number from 1; by default the only one, or `words`.
    """
    usable = [at for at, has_intervals in enumerate(have_intervals) if has_intervals]
    fitting = _fitting_tiers(tier, {at: names[at] for at in usable})
    if len(fitting) == 1:
        return fitting[0]
    shown = [repr(names[at]) for at in usable[:_MOST_LISTED]]
    more = ""
    if len(usable) > len(shown):
        more = f" and {len(usable) - len(shown)} more"
    listed = f" The tiers of intervals are {', '.join(shown) or 'none'}{more}."
    if tier is None:
        expected = "expected one tier of intervals, or one that is called words: choose it with "
        raise OptionError(expected, OPTIONS["tier"], f".{listed}")
    if fitting:
        raise OptionError(OPTIONS["tier"].set((tier,)), f" fits several tiers.{listed} A number chooses one.")
    hint = suggestion(tier, [names[at] for at in usable])
    if tier in names or str(tier) in map(str, range(1, len(names) + 1)):
        hint = " It is a tier of points, which have no duration."
    raise OptionError(OPTIONS["tier"], f": there is no tier {tier!r} of intervals.{listed}{hint}")
