"""Utterance tally: the counts of every utterance, for what needs more than their sums.

Conventions
-----------
- A column has a value for each utterance, in the order of the input. The sums of the columns are those of `Tally`, and the
  formulas are the same: on a column they give the score of each utterance, on its sum that of the corpus.
- Word types do not add up. For them there is a list of (utterance, type) pairs, each once, with the sides that have the type
  there, ordered by utterance. It gives the lexicons of any utterances, taken any number of times, at five bytes a pair.
- The type scores of an utterance are those of a corpus of that utterance alone.
- Utterances may belong to clusters, such as documents or speakers: utterances of one cluster depend on each other, and
  clusters do not. What resamples, exchanges or splits utterances then does so with whole clusters, whose counts are the sums
  over their utterances and whose types are the union. Scores do not change.
- An utterance that `on_mismatch="skip"` leaves out keeps its place, with counts of 0 except for `skipped_utterances`. Its scores
  are nan whatever `zero_division` is, and it is in no mean.
- The macro average of a score is its mean over the utterances. An utterance with 0/0 counts with `zero_division`; where that
  is nan it is left out. Blank utterances, in which neither side has a word, are left out always: added or dropped on both sides
  they change nothing. The mean of no utterance is `zero_division`.
"""

from __future__ import annotations

__all__ = [
    "PREDICTION",
    "REFERENCE",
    "TypeIncidence",
    "UtteranceTally",
    "concatenate",
    "tally_compared",
    "tally_utterances",
]

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ..kernel.comparison import Comparison
from ..kernel.formulas import Count, Tallied, check_zero_division, divide
from ..measures.registry import compute_scores, groups_of
from ..reading.inputs import Column
from .options import Plan
from .pipeline import map_comparisons, with_window_size
from .tally import tally_columns_of

Integers: TypeAlias = npt.NDArray[np.int64]
Floats: TypeAlias = npt.NDArray[np.float64]

#: The bits of a pair's sides.
REFERENCE, PREDICTION = 1, 2


@dataclass(frozen=True)
class TypeIncidence:
    """Which word types each utterance has, and on which side.

    Attributes:
        types: large_binary, the distinct words of both sides, as bytes.
        ends: int64 (n_utterances,), the number of pairs up to and with each utterance.
        ids: int32 (n_pairs,), the index in `types` of each pair's type; no type comes twice in an utterance.
        sides: uint8 (n_pairs,), REFERENCE, PREDICTION or both together.
    """

    types: pa.LargeBinaryArray
    ends: Integers
    ids: npt.NDArray[np.int32]
    sides: npt.NDArray[np.uint8]

    @property
    def utterances(self) -> npt.NDArray[np.int32]:
        """The utterance of each pair, int32 (n_pairs,)."""
        return np.repeat(np.arange(len(self.ends), dtype=np.int32), np.diff(self.ends, prepend=0))

    def lexicon_sizes(self) -> dict[str, int]:
        """The columns of the type scores for all utterances together."""
        sides = self.sides_of_types()
        return {
            "type_matched": int((sides == REFERENCE | PREDICTION).sum()),
            "type_predicted": int((sides & PREDICTION > 0).sum()),
            "type_reference": int((sides & REFERENCE > 0).sum()),
        }

    def utterance_lexicon_sizes(self) -> Tallied:
        """The columns of the type scores for each utterance by itself, int64 (n_utterances,)."""
        return {
            "type_matched": self._count_pairs(self.sides == REFERENCE | PREDICTION),
            "type_predicted": self._count_pairs(self.sides & PREDICTION > 0),
            "type_reference": self._count_pairs(self.sides & REFERENCE > 0),
        }

    def sides_of_types(self) -> npt.NDArray[np.uint8]:
        """The sides that each type is on somewhere, uint8 (n_types,)."""
        sides = np.zeros(len(self.types), np.uint8)
        for bit in (REFERENCE, PREDICTION):
            on_side = np.zeros(len(self.types), bool)
            on_side[self.ids[self.sides & bit > 0]] = True
            sides[on_side] |= bit
        return sides

    def take(self, utterances: Integers) -> TypeIncidence:
        """The incidence of these utterances, in this order, with the types that they have."""
        lengths = np.diff(self.ends, prepend=0)
        taken = lengths[utterances]
        ends = np.cumsum(taken)
        # A pair's index: where its utterance begins, and its place from where the utterance begins among those taken.
        pairs = np.arange(int(taken.sum())) + np.repeat((self.ends - lengths)[utterances] - (ends - taken), taken)
        kept, ids = np.unique(self.ids[pairs], return_inverse=True)
        indices = pa.Int32Array.from_buffers(pa.int32(), len(kept), [None, pa.py_buffer(kept)])
        return TypeIncidence(self.types.take(indices), ends, ids.astype(np.int32), self.sides[pairs])

    def unite(self, clusters: Integers, count: int) -> TypeIncidence:
        """The incidence of clusters of utterances: a type is on a side where any utterance of the cluster has it there.

        Args:
            clusters: int64 (n_utterances,), the cluster of each utterance, in [0, count).
            count: how many clusters there are.
        """
        # Cluster, type and sides in one number: one sort brings the pairs together that become one.
        width = max(1, len(self.types))
        keys = np.repeat(clusters, np.diff(self.ends, prepend=0)) * width + self.ids
        keys = np.unique((keys << 8) | self.sides)
        places, sides = keys >> 8, (keys & 255).astype(np.uint8)
        firsts = np.flatnonzero(np.diff(places, prepend=-1))
        joined = np.bitwise_or.reduceat(sides, firsts) if len(firsts) else sides
        owners, ids = np.divmod(places[firsts], width)
        return TypeIncidence(self.types, np.cumsum(np.bincount(owners, minlength=count)), ids.astype(np.int32), joined)

    def _count_pairs(self, counted: npt.NDArray[np.bool_]) -> Integers:
        running = np.concatenate(([0], np.cumsum(counted, dtype=np.int64)))
        return np.diff(running[self.ends], prepend=0)


@dataclass(frozen=True)
class UtteranceTally:
    """The counts of each utterance of a corpus.

    Attributes:
        columns: column name → int64 (n_utterances,), those of the groups asked for, and `units` and `utterances`, 1 where the
            utterance was scored.
        types: for the type scores; None where no group needs the words.
        clusters: int64 (n_utterances,), the cluster of each utterance, numbered from 0; None where each utterance is its own.

    >>> from segscores.reading.inputs import read_pair
    >>> plan = Plan.of(text_format="words", scores=("token", "type"))
    >>> tally = tally_utterances(*read_pair(["the dog", "a dog"], ["the dog", "adog"]), plan)
    >>> tally.columns["token_matched"], tally.totals()["type_reference"]
    (array([2, 0]), 3)
    >>> tally.macro(["token_recall", "type_recall"])
    {'token_recall': 0.5, 'type_recall': 0.5}
    """

    columns: Tallied
    types: TypeIncidence | None = None
    clusters: Integers | None = None

    def __len__(self) -> int:
        return len(self.columns["utterances"])

    @property
    def cluster_count(self) -> int:
        """How many clusters there are; without any, how many utterances."""
        if self.clusters is None:
            return len(self)
        return int(self.clusters.max(initial=-1)) + 1

    def scored_clusters(self) -> int:
        """How many clusters have a scored utterance; without any, how many utterances were scored."""
        if self.clusters is None:
            return int(self.is_scored.sum())
        return len(np.unique(self.clusters[self.is_scored]))

    def sum_by_cluster(self, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """The sums of a column over each cluster, (cluster_count,); without clusters the column itself.

        Sums of integers are exact below 2⁵³.
        """
        if self.clusters is None:
            return values
        return np.bincount(self.clusters, weights=values, minlength=self.cluster_count).astype(values.dtype)

    def cluster_types(self) -> TypeIncidence:
        """The types of each cluster; without clusters those of each utterance.

        Raises:
            ValueError: no words were tallied.
        """
        if self.types is None:
            raise ValueError("the tally has no types: name the group 'type' when it is made.")
        return self.types if self.clusters is None else self.types.unite(self.clusters, self.cluster_count)

    @property
    def is_scored(self) -> npt.NDArray[np.bool_]:
        """Which utterances were not left out, bool (n_utterances,)."""
        return np.asarray(self.columns["utterances"] > 0)

    def totals(self) -> dict[str, int]:
        """Every count that the formulas read, those of `Tally.totals`."""
        totals = {column: int(values.sum()) for column, values in self.columns.items()}
        return totals if self.types is None else totals | self.types.lexicon_sizes()

    def scores(self, plan: Plan) -> dict[str, float]:
        """The scores of the corpus, as plain floats.

        Args:
            plan: that it was tallied with.
        """
        scores = compute_scores(self.totals(), plan.keys, plan.zero_division)
        return {key: float(value) for key, value in scores.items()}

    def per_utterance(self, keys: Sequence[str], zero_division: float = 0.0) -> dict[str, Floats]:
        """The scores of every utterance.

        Args:
            keys: names of scores, of groups that were tallied.
            zero_division: the value of 0/0, in [0, 1] or nan.

        Returns:
            Key → float64 (n_utterances,), nan where the utterance was left out. The naive equivalent is `score` on each
            utterance alone.
        """
        check_zero_division(zero_division)
        self.check_keys(keys)
        columns: dict[str, Count] = dict(self.columns)
        if self.types is not None:
            columns |= self.types.utterance_lexicon_sizes()
        scores = compute_scores(columns, keys, zero_division)
        return {key: np.where(self.is_scored, value, np.nan) for key, value in scores.items()}

    def macro(self, keys: Sequence[str], zero_division: float = 0.0) -> dict[str, float]:
        """The mean over the utterances of each score.

        Args:
            keys: names of scores, of groups that were tallied.
            zero_division: the value of 0/0 in an utterance; nan leaves such utterances out.

        Returns:
            Plain floats by key; `zero_division` where every utterance is left out.
        """
        means = {}
        for key, values in self.averaged(keys, zero_division).items():
            defined = values[~np.isnan(values)]
            means[key] = float(divide(float(defined.sum()), len(defined), zero_division))
        return means

    def averaged(self, keys: Sequence[str], zero_division: float) -> dict[str, Floats]:
        """What the macro average is the mean of: as `per_utterance`, and nan for blank utterances too."""
        # Where units were aligned, a prediction may have inserted the words of a blank reference.
        has_units = self.columns["units"] + self.columns.get("unit_insertions", np.int64(0)) > 0
        scores = self.per_utterance(keys, zero_division)
        return {key: np.where(has_units, values, np.nan) for key, values in scores.items()}

    def check_keys(self, keys: Sequence[str]) -> None:
        """Check that there are the counts for these scores.

        Raises:
            ValueError: a score of a group that was not tallied, or no score at all.
        """
        for group in groups_of(keys):
            if self.types is None if group.needs_words else not self.columns.keys() >= set(group.columns):
                raise ValueError(
                    f"the tally has no counts for the scores of {group.name!r}: name the group when it is made."
                )
        unknown = set(keys).difference(key for group in groups_of(keys) for key in group.keys)
        if unknown:
            raise ValueError(f"unknown score {min(unknown)!r}: expected such as 'token_fscore'.")

    def take(self, utterances: Integers) -> UtteranceTally:
        """The tally of a corpus of these utterances, which may repeat.

        Args:
            utterances: int64 (any,), indices.
        """
        return UtteranceTally(
            {column: values[utterances] for column, values in self.columns.items()},
            None if self.types is None else self.types.take(utterances),
            # Numbered anew: a cluster of which no utterance is taken leaves no gap.
            None if self.clusters is None else np.unique(self.clusters[utterances], return_inverse=True)[1],
        )


def tally_utterances(references: Column, predictions: Column, plan: Plan) -> UtteranceTally:
    """Tally two columns of the same length and form, utterance by utterance.

    The corpus that `scoring.tally_columns` sums up; the two have the same totals.

    Raises:
        TypeError: the form does not go with the options.
        ValueError: there is no utterance, or one cannot be scored; the message has its index.
    """
    plan = with_window_size(plan, references)
    parts = map_comparisons(
        references, predictions, plan, lambda comparison, kept: tally_compared(comparison, kept, plan)
    )
    return concatenate(list(parts))


def concatenate(parts: Sequence[UtteranceTally]) -> UtteranceTally:
    """The tally of all utterances of the parts, one part after another.

    Args:
        parts: at least one, made with the same options. Where all have clusters, the same number is the same cluster.
    """
    if len(parts) == 1:
        return parts[0]
    columns = {column: np.concatenate([part.columns[column] for part in parts]) for column in parts[0].columns}
    of_parts = [part.clusters for part in parts if part.clusters is not None]
    clusters = np.concatenate(of_parts) if len(of_parts) == len(parts) else None
    incidences = [part.types for part in parts if part.types is not None]
    if not incidences:
        return UtteranceTally(columns, clusters=clusters)
    types, ids = join_types(incidences)
    pairs_before = np.cumsum([0, *(len(part.ids) for part in incidences[:-1])])
    incidence = TypeIncidence(
        types,
        np.concatenate([start + part.ends for start, part in zip(pairs_before, incidences, strict=True)]),
        np.concatenate(ids),
        np.concatenate([part.sides for part in incidences]),
    )
    return UtteranceTally(columns, incidence, clusters)


def join_types(parts: Sequence[TypeIncidence]) -> tuple[pa.LargeBinaryArray, list[npt.NDArray[np.int32]]]:
    """One table of types for several incidences, and the ids of each in it."""
    encoded = pa.concat_arrays([part.types for part in parts]).dictionary_encode()
    new_ids = np.split(_int32(encoded.indices), np.cumsum([len(part.types) for part in parts[:-1]]))
    return encoded.dictionary, [new[part.ids] for new, part in zip(new_ids, parts, strict=True)]


def tally_compared(comparison: Comparison, kept: npt.NDArray[np.bool_] | None, plan: Plan) -> UtteranceTally:
    """Tally a part of both sides, utterance by utterance.

    Args:
        comparison, kept: what `scoring.compare_sides` gave for the part.
        plan: what is counted.
    """
    tally = _tally_comparison(comparison, plan)
    if kept is None:
        return tally
    tally = _spread(tally, kept)
    if "skipped_utterances" in tally.columns:
        tally.columns["skipped_utterances"] += ~kept
    return tally


def _tally_comparison(comparison: Comparison, plan: Plan) -> UtteranceTally:
    groups = plan.groups
    columns = tally_columns_of(comparison, groups, plan.settings)
    if any("skipped_utterances" in group.columns for group in groups):
        columns["skipped_utterances"] = np.zeros_like(columns["utterances"])
    return UtteranceTally(columns, _incidence(comparison) if plan.needs_lexicons else None)


def _spread(tally: UtteranceTally, kept: npt.NDArray[np.bool_]) -> UtteranceTally:
    """The tally with a place, of counts of 0, for each utterance that is not in it.

    Args:
        tally: of the others.
        kept: bool (n_utterances,), which are in it.
    """

    def placed(values: Integers) -> Integers:
        places = np.zeros(len(kept), values.dtype)
        places[kept] = values
        return places

    columns = {column: placed(values) for column, values in tally.columns.items()}
    if tally.types is None:
        return UtteranceTally(columns)
    ends = np.cumsum(placed(np.diff(tally.types.ends, prepend=0)))
    return UtteranceTally(columns, replace(tally.types, ends=ends))


def _incidence(comparison: Comparison) -> TypeIncidence:
    sides = comparison.reference, comparison.prediction
    words = [side.words() for side in sides]
    encoded = pa.concat_arrays(words).dictionary_encode()
    types = encoded.dictionary
    counts = comparison.utterance_reference, comparison.utterance_prediction
    utterances = np.concatenate([np.repeat(np.arange(len(count)), count) for count in counts])
    # Utterance, type and side in one number, so that one sort brings both sides of a pair together.
    pairs = (utterances * max(1, len(types)) + _int32(encoded.indices)) * 2
    pairs[len(words[0]) :] += 1
    pairs.sort()
    is_first = np.diff(pairs >> 1, prepend=-1) > 0
    firsts = np.flatnonzero(is_first)
    bits = (1 << (pairs & 1)).astype(np.uint8)
    pair_sides = np.bitwise_or.reduceat(bits, firsts) if len(firsts) else bits
    pair_utterances, ids = np.divmod(pairs[firsts] >> 1, max(1, len(types)))
    ends = np.cumsum(np.bincount(pair_utterances, minlength=len(counts[0])))
    return TypeIncidence(types, ends, ids.astype(np.int32), pair_sides)


def _int32(indices: pa.Int32Array) -> npt.NDArray[np.int32]:
    # Not np.asarray: where pandas is installed that imports it.
    return np.frombuffer(indices.buffers()[1] or b"", np.int32)[indices.offset : indices.offset + len(indices)]
