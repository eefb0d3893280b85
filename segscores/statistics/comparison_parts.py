"""Parts of the tables and notes of a comparison: what they show of a score difference, of counts and of ranks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..results.result import Cell
from ..scoring.measures.registry import is_share
from .significance import ScoreDifference

#: For each column of a difference for programs, the field of `ScoreDifference`.
_FIELDS = {
    "difference": "difference",
    "difference_low": "low",
    "difference_high": "high",
    **{name: name for name in ("p_value", "p_corrected", "detectable", "won", "tied", "lost")},
}


def difference_cell(key: str, difference: ScoreDifference, *, is_defined: bool = True) -> Cell:
    """Return the cell of a difference, with its sign and its interval."""
    interval = difference.low, difference.high
    return Cell(difference.difference, interval, is_defined=is_defined, form="+.4f", is_share=is_share(key))


def difference_columns(verdicts: Sequence[str]) -> list[str]:
    """Return the columns of a difference for programs: its numbers, then the verdicts."""
    return [*_FIELDS, *verdicts]


def difference_values(difference: ScoreDifference | None, verdicts: Sequence[str]) -> list[Any]:
    """Return a difference for programs, as `difference_columns`; without a difference numbers are None and verdicts empty."""
    if difference is None:
        return [None] * len(_FIELDS) + [""] * len(verdicts)
    return [getattr(difference, field) for field in (*_FIELDS.values(), *verdicts)]


def answer_template(key: str, difference: ScoreDifference, margin: float | None) -> str:
    """Return the verdict on a difference as a template of a note.

    Its places are for the system, the baseline, the difference and its p-value.
    """
    if difference.verdict == "not distinguishable":
        answer = "No difference between {} and {} is shown"
    else:
        answer = "{} is " + difference.verdict + " than {}"
    figures = " by " + key + ": {}, p = {}"
    return answer + figures + _caution(difference, margin)


def _caution(difference: ScoreDifference, margin: float | None) -> str:
    """Return the end of a verdict: that by the margin, if there is one, or a caution if no difference is shown."""
    if margin is not None:
        return f"; by the margin of {margin:g}: {difference.against_margin}"
    if difference.verdict == "not distinguishable":
        return "; that they are equal is not shown either"
    return ""


def counts_template(counts: Mapping[str, int]) -> str:
    """Return counts by system as a template of a note, whose places are for the names.

    >>> counts_template({"old": 1, "new": 3})
    '1 of {}, 3 of {}'
    """
    return ", ".join(str(count) + " of {}" for count in counts.values())


def ranks_template(ranks: Mapping[str, tuple[int, int]]) -> str:
    """Return first and last ranks by system as a template of a note, whose places are for the names.

    >>> ranks_template({"old": (2, 3), "new": (1, 1)})
    '{} 2–3, {} 1'
    """
    shown = []
    for first, last in ranks.values():
        shown.append("{} " + (str(first) if first == last else f"{first}–{last}"))
    return ", ".join(shown)
