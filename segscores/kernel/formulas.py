"""Formulas: from counts to scores, and the rule for division by zero.

Conventions
-----------
- Counts are sums over utterances, under column names: TP, PP and RP are the matched, predicted and reference counts of a group,
  `<group>_matched`, `<group>_predicted` and `<group>_reference`. A formula reads only counts. So the same formula computes the
  score of an utterance, of a corpus, or of many at once: counts may be numbers or arrays that broadcast.
- 0/0 is `zero_division`, and `divide` is the only place that divides.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Generic, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from .record import record

Column: TypeAlias = npt.NDArray[np.int64]
Count: TypeAlias = int | Column
Score: TypeAlias = float | npt.NDArray[np.float64]
#: The result of a tally function: columns with a value for each utterance.
Tallied: TypeAlias = dict[str, Column]
Counted = TypeVar("Counted")
#: A group's formulas: counts and the value of 0/0 in, scores out.
Formulas: TypeAlias = Callable[[Mapping[str, Count], float], dict[str, Score]]

#: A value of `zero_division` that asks for `Fraction`s.
AS_FRACTION = float("nan")


@record
class Counts(Generic[Counted]):
    """The matched, predicted and reference counts of words or boundaries: numbers, or arrays with a value for each utterance."""

    matched: Counted
    predicted: Counted
    reference: Counted

    def columns(self, group: str) -> dict[str, Counted]:
        """Return the columns of a group of precision, recall and F-score."""
        return {
            f"{group}_matched": self.matched,
            f"{group}_predicted": self.predicted,
            f"{group}_reference": self.reference,
        }


class Fraction(float):
    """A quotient of counts, with its terms: the numerator and the denominator."""

    terms: tuple[float, float]


def divide(numerator: Count | Score, denominator: Count | Score, zero_division: float) -> Score:
    """Return numerator / denominator, or `zero_division` where the denominator is 0.

    This is the whole policy on undefined scores, and no other function divides. Where the denominator is 0, the numerator
    is mostly 0 too, because it counts some of the same things. If it is not, as of boundaries where the reference has
    none, the score is `zero_division` too, because there is no finite one. Rates of errors: see `error_rate`.

    With AS_FRACTION for `zero_division`, a quotient of two numbers is a `Fraction`, which shows from which counts a score comes.

    >>> float(divide(3, 4, 0.0)), float(divide(0, 0, 1.0))
    (0.75, 1.0)
    """
    if isinstance(numerator, (int, float)) and isinstance(denominator, (int, float)):
        # Divide as floats: the result is the same as numpy's, in a tenth of the time.
        ratio = float(numerator) / float(denominator) if denominator else zero_division
        # Compare by identity, because nan, which AS_FRACTION is, equals nothing.
        if zero_division is AS_FRACTION:
            ratio = Fraction(ratio)
            ratio.terms = (numerator, denominator)
        return ratio
    top = np.asarray(numerator, np.float64)
    bottom = np.asarray(denominator, np.float64)
    if bottom.all():
        return top / bottom
    top, bottom = np.broadcast_arrays(top, bottom)
    quotient = np.full(bottom.shape, zero_division, np.float64)
    np.divide(top, bottom, out=quotient, where=bottom != 0)
    return quotient[()]  # a number, if the array has no dimension


def error_rate(errors: Count, reference: Count, zero_division: float) -> Score:
    """Return errors / reference; the number of errors where the reference is empty, and `zero_division` for 0/0.

    So does jiwer: what is inserted where nothing belongs is wrong, and not undefined.

    >>> float(error_rate(1, 4, 0.0)), float(error_rate(2, 0, 0.0)), float(error_rate(0, 0, 1.0))
    (0.25, 2.0, 1.0)
    """
    # errors 1 2 0, reference 4 0 0: the denominators are 4 1 0.
    has_insertions_alone = (reference == 0) & (errors > 0)
    return divide(errors, reference + has_insertions_alone, zero_division)


def as_score(count: Count) -> Score:
    """Return a count that is a score itself."""
    score: Score = np.asarray(count, np.float64)[()]  # a number, if the count is one
    return score


def quotients(
    terms: Mapping[str, tuple[str, str]], counts: Mapping[str, Count], zero_division: float
) -> dict[str, Score]:
    """Return the scores that are one count divided by another: `terms` are the names of both, by score.

    >>> quotients({"accuracy": ("right", "gaps")}, {"right": 3, "gaps": 4}, 0.0)
    {'accuracy': 0.75}
    """
    return {key: divide(counts[top], counts[bottom], zero_division) for key, (top, bottom) in terms.items()}


def precision_recall_fscore(group: str, counts: Mapping[str, Count], zero_division: float) -> dict[str, Score]:
    """Return precision TP / PP, recall TP / RP and F-score 2·TP / (PP + RP), their harmonic mean, of a group's counts."""
    matched = counts[f"{group}_matched"]
    predicted = counts[f"{group}_predicted"]
    reference = counts[f"{group}_reference"]
    return {
        f"{group}_precision": divide(matched, predicted, zero_division),
        f"{group}_recall": divide(matched, reference, zero_division),
        f"{group}_fscore": divide(2 * matched, predicted + reference, zero_division),
    }
