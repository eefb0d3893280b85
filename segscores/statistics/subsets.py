"""Scores of subsets of the utterances, such as those of a child, an age or a genre, beside the scores of all.

Conventions
-----------
- A subset is the utterances with one value. Its scores are those of `score` on its utterances alone, except that a default window
  size is that of the whole reference. Its intervals leave out one of its utterances, or clusters, at a time; with fewer than
  two it has none (nan).
- Values are strings or numbers. Numbers are sorted, other values in order of appearance. More than ten numbers with fractions,
  such as difficulties, are cut into tenths of about equally many utterances; equal numbers stay together.
- Lengths are those of the reference in units, in bands: 1, 2-3, 4-7, and so on.
- The number of a tenth or a band, its place in a picture, is the mean of its utterances' numbers.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ..measures.registry import heading_of
from ..options.keywords import ComputeOptions
from ..options.option import check_needs
from ..options.table import options_in
from ..results.pictures import draw_points
from ..results.rendering import Tabular
from ..results.result import Result, Values
from ..results.scored import Scored, result_of
from ..scoring.pipeline import Plan, with_options
from ..scoring.utterance_tally import UtteranceTally
from ..sources.fold import sides_of, with_window_size
from ..sources.passes import tally_each
from ..sources.sides import check_units
from ..support.errors import warn
from ..support.quoting import shortened
from .clusters import MIN_CLUSTERS, with_clusters
from .corpus_scores import split_options
from .resampling import Resampling
from .system_comparison import deciding
from .utterance_scores import intervals_of, score_utterances

if TYPE_CHECKING:
    from typing_extensions import Unpack

#: The value of `by` that stands for the lengths of the utterances.
LENGTH = "length"
#: More numbers with fractions are cut into so many parts.
_PARTS = 10
#: Names of subsets that a warning lists.
_NAMED = 5


@dataclass(frozen=True)
class Subsets:
    """A division of utterances.

    Attributes:
        values: what the utterances of each subset have in common.
        numbers: the values as numbers; None if some are none.
        members: int64 (n_utterances,), the subset of each utterance.
    """

    values: Sequence[str]
    numbers: Sequence[float] | None
    members: npt.NDArray[np.int64]


def subsets_of(by: Any, lengths: npt.NDArray[np.int64]) -> Subsets:
    """The subsets of utterances by their values.

    Args:
        by: a value for each utterance, or LENGTH.
        lengths: int64 (n_utterances,), the number of units of each utterance.

    >>> found = subsets_of([36, 24, 24], np.array([4, 4, 9]))
    >>> found.values, found.members
    (['24', '36'], array([1, 0, 0]))
    >>> subsets_of("length", np.array([4, 4, 9])).values
    ['4-7', '8-15']
    """
    if isinstance(by, str) and by == LENGTH:
        # An integer in [2^(b-1), 2^b) has the binary exponent b.
        exponents, members = np.unique(np.frexp(lengths.astype(np.float64))[1], return_inverse=True)
        bands = [(1 << band >> 1, (1 << band) - 1) for band in exponents.tolist()]
        return _binned([f"{low}-{high}" if low < high else f"{high}" for low, high in bands], lengths, members)
    distinct: dict[str, int] = {}
    members = np.array([distinct.setdefault(value, len(distinct)) for value in _read(by, len(lengths))], np.int64)
    try:
        numbers = np.array([*map(float, distinct)])
    except ValueError:
        numbers = np.array([math.nan])
    if not np.isfinite(numbers).all():
        return Subsets(list(distinct), None, members)
    if len(numbers) > _PARTS and (numbers % 1).any():
        return _tenths(numbers[members])
    order = np.argsort(numbers, kind="stable")
    values = [list(distinct)[at] for at in order.tolist()]
    return Subsets(values, numbers[order].tolist(), np.argsort(order)[members])


def _read(by: Any, utterances: int) -> list[str]:
    """The value of each utterance as text."""
    expected = f'expected a string or a number for each utterance, or "{LENGTH}"'
    # Of numpy and pandas, whose missing values become None.
    given = pa.array(by, from_pandas=True) if hasattr(by, "dtype") else by
    given = given.to_pylist() if hasattr(given, "to_pylist") else given
    if isinstance(given, (str, bytes, Mapping)) or not hasattr(given, "__iter__"):
        raise TypeError(f"by: {expected}, received {shortened(by)}.")
    values = list(given)
    if len(values) != utterances:
        raise ValueError(f"by: received {len(values)} values for {utterances} utterances: expected one for each.")
    for at, value in enumerate(values):
        if value is None or str(value) in {"", "nan"}:
            raise ValueError(f"by: utterance {at} has no value: {expected}.")
        if not isinstance(value, (str, Real)):
            raise TypeError(f"by: {expected}, received {shortened(value)}.")
    return [value if isinstance(value, str) else str(value).removesuffix(".0") for value in values]


def _tenths(numbers: npt.NDArray[np.float64]) -> Subsets:
    below = np.searchsorted(np.sort(numbers), numbers)
    _, members = np.unique(_PARTS * below // len(numbers), return_inverse=True)
    ends = [(float(each.min()), float(each.max())) for each in _split(numbers, members)]
    names = [f"{low:.3g}-{high:.3g}" for low, high in ends]
    return _binned(names if len({*names}) == len(names) else [f"{low}-{high}" for low, high in ends], numbers, members)


def _binned(values: Sequence[str], numbers: npt.NDArray[Any], members: npt.NDArray[np.int64]) -> Subsets:
    return Subsets(values, [float(each.mean()) for each in _split(numbers, members)], members)


def _split(array: npt.NDArray[Any], members: npt.NDArray[np.int64], count: int = 0) -> list[npt.NDArray[Any]]:
    """The items of each subset, in order."""
    sizes = np.bincount(members, minlength=count)
    return np.split(array[np.argsort(members, kind="stable")], np.cumsum(sizes)[:-1])


@dataclass(frozen=True, eq=False, repr=False)
class SubsetScores(Tabular, Values):
    """The scores of subsets of the utterances beside those of all. Printed, it is the table of `score --by`.

    Attributes:
        by: what the values are, such as `age`.
        systems: of each prediction the scores of all utterances, with those of the subsets.
    """

    by: str
    systems: Sequence[Scored]

    @property
    def whole(self) -> dict[str, dict[str, float]]:
        """By prediction, the scores of all utterances, as `score` returns them."""
        return {each.prediction: each.with_ends() for each in self.systems}

    @property
    def scores(self) -> dict[str, dict[str, dict[str, float]]]:
        """By prediction and value, the scores of each subset, as `score` returns them."""
        return {each.prediction: {part.value: part.with_ends() for part in each.subsets} for each in self.systems}

    def result(self, reference: str = "references", signature: str = "") -> Result:
        """For people a column for each subset; for programs a row for each score of each subset."""
        found = result_of(self.systems, reference, signature, systems=self.by)
        return replace(found, record={**(found.record or {}), "by": self.by})

    def plot(self, key: str | None = None) -> Any:
        """A figure of matplotlib (extra `plot`): a score of each subset, with its interval; of all utterances, a dotted line.

        Args:
            key: the score; by default the first, or the F-score of its group.
        """
        first = self.systems[0]
        key = deciding(tuple(first.scores), key)
        numbers = [part.number for part in first.subsets if part.number is not None]
        return draw_points(
            [part.value for part in first.subsets],
            numbers or None,
            {each.prediction: [part.score_of(key) for part in each.subsets] for each in self.systems},
            {
                each.prediction: [part.intervals[key] for part in each.subsets if part.intervals]
                for each in self.systems
            },
            wholes={each.prediction: each.score_of(key) for each in self.systems},
            x_label=self.by,
            y_label=heading_of(key),
        )


@with_options
def score_by(references: Any, predictions: Any, by: Any, **options: Unpack[ComputeOptions]) -> SubsetScores:
    """Score subsets of the utterances, such as those of each child, age or genre, beside all of them.

    Args:
        references, predictions: utterances, in any form that `inputs` lists, or files; of several systems, a dict from names to
            their predictions.
        by: a value for each utterance, a string or a number; or `"length"`, bands of the reference's length in units.
        **options: those of `score`.

    Returns:
        The scores of each subset, which equal `score` of its utterances alone. Printed, it is a table.

    Raises:
        TypeError, ValueError: as `score`; or an utterance has no value.

    Warns:
        UserWarning: as `score`; or subsets are too small for reliable intervals.

    >>> found = score_by(
    ...     ["the dog", "a cat", "the cat"], ["thedog", "a cat", "the cat"], ["Adam", "Eve", "Eve"],
    ...     text_format="words", scores="token_recall",
    ... )
    >>> found
    score           prediction    Adam     Eve
    ------------  ------------  ------  ------
    token_recall        0.6667  0.0000  1.0000
    utterances               3       1       2
    >>> found.scores["prediction"]["Eve"]
    {'token_recall': 1.0}
    """
    plan, resampling, _ = split_options(options)
    check_needs(options, options, options_in(ComputeOptions))
    systems = predictions if isinstance(predictions, Mapping) else {"prediction": predictions}
    if not systems:
        raise ValueError("predictions: expected those of at least one system, received an empty dict.")
    labels = [f"system {name!r}" if len(systems) > 1 else "" for name in systems]
    sides = sides_of(plan.reading, references, *systems.values(), names=labels)
    check_units(sides)
    plan, _ = with_window_size(sides[0], plan)
    tallies, places, _ = tally_each(sides, plan)
    subsets = subsets_of(by, lengths_in(tallies, places))
    scored = []
    for name, tally, some in zip(systems, tallies, places, strict=True):
        scores, totals = score_utterances(tally, plan, resampling, prediction=name), tally.totals()
        counts = {"utterances": totals["utterances"]}
        whole = Scored.of(name, scores, plan.keys, totals, average=resampling.average, counts=counts)
        clustered = with_clusters(tally, resampling.clusters)
        scored.append(
            replace(whole, subsets=score_subsets(clustered, some, subsets, plan, resampling, prediction=name))
        )
    return SubsetScores(by if isinstance(by, str) else str(getattr(by, "name", None) or "value"), scored)


def lengths_in(
    tallies: Sequence[UtteranceTally], places: Sequence[npt.NDArray[np.int64]], utterances: int | None = None
) -> npt.NDArray[np.int64]:
    """The number of units of each utterance; 0 for one that no prediction was scored on.

    Args:
        places: the utterances of each tally.
        utterances: how many there are; by default those of the first tally.
    """
    lengths = np.zeros(len(tallies[0]) if utterances is None else utterances, np.int64)
    for tally, some in zip(tallies, places, strict=True):
        lengths[some] = np.maximum(lengths[some], tally.columns["units"])
    return lengths


def score_subsets(
    tally: UtteranceTally,
    places: npt.NDArray[np.int64],
    subsets: Subsets,
    plan: Plan,
    resampling: Resampling,
    *,
    prediction: str = "",
    with_counts: bool = False,
) -> list[Scored]:
    """The scores of each subset of a tally, whose utterances are those at some places among all."""
    parts, few = [], []
    split = _split(np.arange(len(tally)), subsets.members[places], len(subsets.values))
    for at, (value, members) in enumerate(zip(subsets.values, split, strict=True)):
        some = tally.take(members)
        totals = some.totals()
        number = None if subsets.numbers is None else subsets.numbers[at]
        part = Scored.of(
            prediction,
            some.scores(plan, resampling.average),
            plan.keys,
            totals,
            average=resampling.average,
            counts=totals if with_counts else {"utterances": totals["utterances"]},
            value=value,
            number=number,
        )
        if resampling.confidence is not None:
            count = some.scored_clusters()
            missing = dict.fromkeys(plan.keys, (math.nan, math.nan))
            part = replace(part, intervals=intervals_of(some, plan, resampling)[0] if count > 1 else missing)
            few += [value] * (count < MIN_CLUSTERS)
        parts.append(part)
    if few:
        named = ", ".join(few[:_NAMED]) + (f" and {len(few) - _NAMED} more" if len(few) > _NAMED else "")
        warn(
            f"subsets of fewer than {MIN_CLUSTERS} {tally.sampled_unit}s: {named}. Their intervals contain the true score less "
            f"often than their level says."
        )
    return parts
