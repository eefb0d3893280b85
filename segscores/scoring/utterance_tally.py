"""Utterance tally: the counts of every utterance, for results that need more than their sums.

Conventions
-----------
- A column has a value for each utterance, in the order of the input. The sums of the columns are the counts of `Tally`, and the
  formulas are the same: applied to columns they compute the scores of utterances, applied to sums the scores of the corpus.
- What does not add up, such as word types, is held as an `UtteranceStatistic` by the name of its group.
- Utterances may belong to clusters, such as documents or speakers: utterances of one cluster may depend on each other,
  different clusters are independent. Whole clusters are then resampled, exchanged or split. The counts of a cluster are
  the sums over its utterances, and its types are their union. Clusters do not change scores.
- An utterance that is left out keeps its place, with counts of 0 except for `skipped_utterances`.
  Its scores are always nan, and no mean includes it. The number of such utterances is the same for every average.
- The macro average of a score is its mean over the utterances in which the score is defined. If the user gives
  `zero_division`, a score of 0/0 has this value, and the utterance is left out only if it is nan. Blank utterances, in which
  neither side has a word, are always left out, so that adding or dropping them on both sides changes nothing. The mean over no
  utterance is `zero_division`.
- The average `"cluster"` is the same mean over clusters: the score of a cluster is the score of its counts and its types.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from itertools import chain
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ..kernel.arrays import ArrayJoiner, Floats, Mask
from ..kernel.comparison import Comparison
from ..kernel.formulas import Count, Tallied, divide
from ..kernel.incidence import IncidenceBuilder
from ..kernel.record import record
from ..options.messages import OptionError
from ..options.table import OPTIONS
from .measures.group import SKIPPED
from .measures.registry import compute_scores, groups_of, plain_scores, undefined_keys
from .measures.statistic import UtteranceStatistic
from .measures.unit_error import INSERTIONS
from .plan import Plan
from .tally import UNITS, UTTERANCES, tally_columns

Integers: TypeAlias = npt.NDArray[np.int64]


@record
class UtteranceTally:
    """The counts of each utterance of a corpus.

    >>> from segscores.scoring.mismatch import compare_segmentations
    >>> from segscores.reading.readers import from_words_text
    >>> both = compare_segmentations(from_words_text(b"the dog\\na dog\\n"), from_words_text(b"the dog\\nadog\\n"))
    >>> tally = tally_utterances(both, None, Plan.of(text_format="words", scores=("token", "type")))
    >>> tally.columns["token_matched"], tally.totals()["type_reference"]
    (array([2, 0]), 3)
    >>> tally.macro(["token_recall", "type_recall"])
    {'token_recall': 0.5, 'type_recall': 0.5}
    """

    #: column name → int64 (n_utterances,): the counts of the selected groups, and `units` and `utterances`, 1 if the utterance
    #: was scored
    columns: Tallied
    #: by group: what its utterances add to counts that are no sums, such as their types
    statistics: Mapping[str, UtteranceStatistic] = field(default_factory=dict)
    #: int64 (n_utterances,), the cluster of each utterance, numbered from 0; None if each utterance is its own cluster
    clusters: Integers | None = None
    noun: str = "utterance"  #: what a row is, in messages

    def __len__(self) -> int:
        return len(self.columns[UTTERANCES])

    @property
    def cluster_count(self) -> int:
        """The number of clusters; without clusters, of utterances."""
        if self.clusters is None:
            return len(self)
        return int(self.clusters.max(initial=-1)) + 1

    @property
    def sampled_unit(self) -> str:
        """The unit of resampling: `"cluster"`, or without clusters a row, by its noun."""
        return self.noun if self.clusters is None else "cluster"

    def scored_clusters(self) -> int:
        """Return the number of clusters with a scored utterance; without clusters, of scored utterances."""
        if self.clusters is None:
            return int(self.is_scored.sum())
        return len(np.unique(self.clusters[self.is_scored]))

    def by_cluster(self) -> UtteranceTally:
        """Return the tally whose rows are the clusters, for means over clusters."""
        if self.clusters is None:
            needed = OPTIONS["clusters"]
            raise OptionError(OPTIONS["average"].set("cluster"), ": it needs ", needed, ", which it averages.")
        columns = {name: self.sum_by_cluster(values) for name, values in self.columns.items()}
        # Without `clusters` of its own: each row is one.
        return UtteranceTally(columns, self.cluster_statistics())

    def sum_by_cluster(self, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return the sums of a column over each cluster, (cluster_count,); without clusters the column itself.

        Sums of integers are exact below 2⁵³.
        """
        if self.clusters is None:
            return values
        return np.bincount(self.clusters, weights=values, minlength=self.cluster_count).astype(values.dtype)

    def cluster_statistics(self) -> Mapping[str, UtteranceStatistic]:
        """Return the statistics of each cluster; without clusters, of each utterance."""
        if self.clusters is None:
            return self.statistics
        return {name: statistic.unite(self.clusters, self.cluster_count) for name, statistic in self.statistics.items()}

    @property
    def is_scored(self) -> Mask:
        """A mask of the utterances that were not left out: bool (n_utterances,)."""
        return np.asarray(self.columns[UTTERANCES] > 0)

    @property
    def has_text(self) -> Mask:
        """A mask of the utterances that are not blank: bool (n_utterances,)."""
        # Where units are aligned, a prediction may have inserted units where the reference is blank. Otherwise no column of
        # insertions is there.
        insertions = self.columns.get(INSERTIONS, np.int64(0))
        return np.asarray(self.columns[UNITS] + insertions > 0)

    @property
    def skipped(self) -> int:
        """The number of utterances that were left out."""
        return int((~self.is_scored).sum())

    def totals(self) -> dict[str, int]:
        """Return every count that the formulas read, as in `Tally.totals`."""
        totals = {column: int(values.sum()) for column, values in self.columns.items()}
        for statistic in self.statistics.values():
            totals |= statistic.totals()
        return totals

    def has_counts_of(self, other: UtteranceTally) -> bool:
        """Return whether another tally of the same utterances has the same counts in each of them."""
        # The columns first: counting types takes long, and two systems rarely agree in all columns.
        columns_are_equal = all(np.array_equal(values, other.columns[name]) for name, values in self.columns.items())
        if not columns_are_equal:
            return False
        other_counts = other._counts_of_utterances()
        return all(np.array_equal(values, other_counts[name]) for name, values in self._counts_of_utterances().items())

    def _counts_of_utterances(self) -> dict[str, Count]:
        """Return the counts of each utterance, those of its types too."""
        counts: dict[str, Count] = dict(self.columns)
        for statistic in self.statistics.values():
            counts |= statistic.by_utterance()
        return counts

    def scores(self, plan: Plan, average: str = "micro") -> dict[str, float]:
        """Return the scores of the corpus, or their means over its utterances (`"macro"`) or clusters, as plain floats."""
        if average == "cluster":
            return self.by_cluster().scores(plan, "macro")
        if average == "macro":
            return self.macro(plan.keys, plan.zero_division_of_utterances, empty=plan.zero_division)
        return plain_scores(self.totals(), plan.keys, plan.zero_division)

    def per_utterance(self, keys: Sequence[str], zero_division: float = math.nan) -> dict[str, Floats]:
        """Return the scores of every utterance: key → float64 (n_utterances,), nan if the utterance was left out.

        The naive equivalent is `score` on each utterance alone, also for type scores.
        """
        OPTIONS["zero_division"].check(zero_division)
        self.check_keys(keys)
        scores = compute_scores(self._counts_of_utterances(), keys, zero_division)
        return {key: np.where(self.is_scored, value, np.nan) for key, value in scores.items()}

    def macro(
        self, keys: Sequence[str], zero_division: float = math.nan, *, empty: float = math.nan
    ) -> dict[str, float]:
        """Return the mean of each score over the utterances; `empty` if every utterance is left out."""
        # The number of skipped utterances is a score that is no mean.
        means = {SKIPPED: 0.0}
        if SKIPPED in self.columns:
            means[SKIPPED] = float(self.columns[SKIPPED].sum())
        for key, values in self.averaged(keys, zero_division).items():
            defined = values[~np.isnan(values)]
            means[key] = float(divide(math.fsum(defined.tolist()), len(defined), empty))
        return {key: means[key] for key in keys}

    def undefined(self, keys: Sequence[str], average: str = "micro") -> list[str]:
        """Return the scores that are 0/0 in the corpus or, for a mean, in every utterance or cluster that it could count."""
        if average == "micro":
            return undefined_keys(self.totals(), keys)
        averaged = self.by_cluster() if average == "cluster" else self
        return [key for key, values in averaged.averaged(keys, math.nan).items() if np.isnan(values).all()]

    def averaged(self, keys: Sequence[str], zero_division: float) -> dict[str, Floats]:
        """Return the values whose mean is the macro average: as `per_utterance`, with nan for blank utterances.

        `skipped_utterances`, a count, is left out.
        """
        scores = self.per_utterance(keys, zero_division)
        return {key: np.where(self.has_text, values, np.nan) for key, values in scores.items() if key != SKIPPED}

    def check_keys(self, keys: Sequence[str]) -> None:
        """Check that the counts of these scores were tallied."""
        for group in groups_of(tuple(keys)):
            # The counts of a group are in columns, or in a statistic.
            has_columns = self.columns.keys() >= set(group.columns)
            is_tallied = group.name in self.statistics or has_columns
            if not is_tallied:
                problem = f"the tally has no counts for the scores of {group.name!r}"
                raise ValueError(f"{problem}: name the group when it is made.")
        known = set(chain.from_iterable(group.keys for group in groups_of(tuple(keys))))
        unknown = set(keys) - known
        if unknown:
            raise ValueError(f"unknown score {min(unknown)!r}: expected one such as 'token_fscore'.")

    def take(self, utterances: Integers) -> UtteranceTally:
        """Return the tally of a corpus of these utterances, by index; they may repeat.

        Of counts 2 5 7, the utterances 2 0 2 have the counts 7 2 7.
        """
        columns = {column: values[utterances] for column, values in self.columns.items()}
        statistics = {name: statistic.take(utterances) for name, statistic in self.statistics.items()}
        clusters = None
        if self.clusters is not None:
            # Number the clusters anew, in their order, so that those without a taken utterance leave no gap: 5 2 5 become 1 0 1.
            _, clusters = np.unique(self.clusters[utterances], return_inverse=True)
        return UtteranceTally(columns, statistics, clusters, self.noun)


def concatenate(tallies: Iterable[UtteranceTally]) -> UtteranceTally:
    """Return the tally of the utterances of one or more tallies of the same options, in order, which are read one at a time.

    If all have clusters, equal numbers mean the same cluster.
    """
    builder = TallyBuilder()
    for tally in tallies:
        builder.add(tally)
    return builder.tally()


class TallyBuilder:
    """A joiner of tallies, whose arrays wait until all are there."""

    def __init__(self) -> None:
        self._arrays = ArrayJoiner()
        self._incidences: dict[str, IncidenceBuilder] = {}
        self._first: UtteranceTally | None = None
        self._count = 0

    def add(self, tally: UtteranceTally) -> None:
        """Add the next tally."""
        # A value that is no array, such as a tokenizer's vocabulary in a statistic, is the same in all tallies: `tally`
        # takes it from the first one. A tally without utterances may lack it.
        if self._first is None or len(self._first) == 0:
            self._first = tally
        self._count += len(tally)
        for name, values in tally.columns.items():
            self._arrays.add(f"column {name}", values)
        if tally.clusters is not None:
            self._arrays.add("clusters", tally.clusters)
        for name, statistic in tally.statistics.items():
            # An incidence has the types of each utterance, each with a value, and `combine` unites values of the same type.
            if name not in self._incidences:
                self._incidences[name] = IncidenceBuilder(statistic.incidence.combine)
            self._incidences[name].add(statistic.incidence)

    def tally(self) -> UtteranceTally:
        """Return the tally of the utterances of all added tallies."""
        assert self._first is not None, "there is a tally"
        columns = {name: self._arrays.join(f"column {name}") for name in self._first.columns}
        clusters = None
        if "clusters" in self._arrays.waiting:
            # If some tallies lack clusters, the whole has none.
            clusters_of_some = self._arrays.join("clusters")
            all_have_clusters = len(clusters_of_some) == self._count
            clusters = clusters_of_some if all_have_clusters else None
        statistics = {}
        # The statistics of all tallies differ only in their incidences: the types of their utterances.
        for name, statistic in self._first.statistics.items():
            statistics[name] = statistic.with_incidence(self._incidences[name].incidence())
        return UtteranceTally(columns, statistics, clusters)


def tally_utterances(comparison: Comparison, good: Mask | None, plan: Plan) -> UtteranceTally:
    """Tally a comparison utterance by utterance; `good` is a mask of the compared ones among all, None if none was left out.

    An utterance that was left out has its row too, with counts of 0.
    """
    if plan.ignored_words is not None:
        comparison = plan.ignored_words.leave_out(comparison)
    columns = tally_columns(comparison, plan.groups, plan.settings)
    statistics: dict[str, UtteranceStatistic] = {}
    for group in plan.groups:
        if group.statistic is not None:
            statistics[group.name] = group.statistic.utterance_statistic.of(comparison, **plan.settings[group.name])
    tally = UtteranceTally(columns, statistics)
    if good is not None:
        tally = _spread(tally, good)
    if plan.reading.skips:
        tally.columns[SKIPPED] = (~tally.is_scored).astype(np.int64)
    return tally


def _spread(tally: UtteranceTally, good: Mask) -> UtteranceTally:
    """Add a row of counts of 0 for each utterance that a tally lacks: `good` is True for those that it has."""
    columns = {}
    for column, values in tally.columns.items():
        # The counts 2 5 of the first and the third of three utterances become 2 0 5.
        spread = np.zeros(len(good), values.dtype)
        spread[good] = values
        columns[column] = spread
    statistics = {name: statistic.spread(good) for name, statistic in tally.statistics.items()}
    return UtteranceTally(columns, statistics)
