"""Utterance tally: the counts of every utterance, for results that need more than their sums.

Conventions
-----------
- A column has a value for each utterance, in the order of the input. The sums of the columns are the counts of `Tally`, and the
  formulas are the same: applied to columns they compute the scores of utterances, applied to sums the scores of the corpus.
- Word types do not add up. They are held as a list of distinct (utterance, type) pairs, ordered by utterance, with the sides that
  have the type there. From it follow the lexicons of any utterances, also repeated ones, at five bytes per pair.
- Utterances may belong to clusters, such as documents or speakers: utterances of one cluster may depend on each other,
  different clusters are independent. Whole clusters are then resampled, exchanged or split. The counts of a cluster are
  the sums over its utterances, and its types are their union. Clusters do not change scores.
- An utterance that `on_mismatch="skip"` leaves out keeps its place, with counts of 0 except for `skipped_utterances`.
  Its scores are always nan, and no mean includes it. The number of such utterances is the same for every average.
- The macro average of a score is its mean over the utterances in which the score is defined. If the user gives
  `zero_division`, a score of 0/0 has this value, and the utterance is left out only if it is nan. Blank utterances, in which
  neither side has a word, are always left out, so that adding or dropping them on both sides changes nothing. The mean over no
  utterance is `zero_division`.
- The average `"cluster"` is the same mean over clusters: the score of a cluster is the score of its counts and its types.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ..kernel.arrays import Floats, Mask, int64_array, last_of, lengths_of, numbers_of, sum_by_utterance
from ..kernel.comparison import Comparison
from ..kernel.formulas import Count, Tallied, columns_of, divide
from ..options.messages import OptionError
from ..options.table import OPTIONS
from .measures.registry import compute_scores, groups_of, plain_scores
from .measures.token_use import TokenUse, names_of, tokens_of
from .plan import Plan
from .tally import tally_columns

Integers: TypeAlias = npt.NDArray[np.int64]

#: The bits of the sides that have a type.
REFERENCE = 1
PREDICTION = 2
TOKEN = 4
#: The number of pairs in a slice.
_PAIRS_AT_ONCE = 1 << 20
#: The number of types from which `TallyBuilder` unifies them.
_FEWEST_TYPES = 1 << 18

#: The number of utterances left out: the name of the score and of the column that it sums.
SKIPPED = "skipped_utterances"


@dataclass(frozen=True)
class TypeIncidence:
    """The word types of each utterance, and the sides that have them."""

    types: pa.LargeBinaryArray  #: large_binary, the distinct words of both sides, as bytes
    ends: Integers  #: int64 (n_utterances,), the number of pairs up to and including each utterance
    #: int32 (n_pairs,), the index in `types` of each pair's type; the types of an utterance are distinct
    ids: npt.NDArray[np.int32]
    sides: npt.NDArray[np.uint8]  #: uint8 (n_pairs,), REFERENCE, PREDICTION, TOKEN or several together
    has_words: bool = True  #: whether there are the words of both sides, and not only tokens
    #: int64 (n_pairs,), how often the utterance has the type as a token; None if tokens are not counted
    counts: Integers | None = None
    #: the options and the size for the scores of tokens, without counts; None if tokens are not counted
    use: TokenUse | None = None

    @property
    def utterances(self) -> npt.NDArray[np.int32]:
        """The utterance of each pair, int32 (n_pairs,)."""
        return np.repeat(np.arange(len(self.ends), dtype=np.int32), lengths_of(self.ends))

    def lexicon_sizes(self) -> dict[str, int]:
        """Return the columns of the type scores, and of the scores of tokens, for all utterances together."""
        sizes = {column: int(mask.sum()) for column, mask in self.masks_of(self.sides_of_types()).items()}
        if self.use is None:
            return sizes
        counts = enumerate(self.token_counts().tolist())
        return sizes | replace(self.use, counts=Counter({str(at): n for at, n in counts if n})).totals()

    def token_counts(self) -> Integers:
        """Count how often each type occurs as a token, int64 (n_types,)."""
        return np.bincount(self.ids, self.counts, len(self.types)).astype(np.int64)

    def utterance_lexicon_sizes(self) -> Tallied:
        """Return the columns of the type scores, and of the scores of tokens, for each utterance separately, (n_utterances,)."""
        sizes: list[Tallied] = []
        for types in self.slices():
            lengths = lengths_of(types.ends)
            columns = {column: sum_by_utterance(mask, lengths) for column, mask in self.masks_of(types.sides).items()}
            sizes.append(columns | types.columns_of_tokens())
        return {column: np.concatenate([columns[column] for columns in sizes]) for column in sizes[0]}

    def columns_of_tokens(self) -> dict[str, npt.NDArray[Any]]:
        """Return the columns of the scores of tokens for each utterance; none if tokens are not counted."""
        if self.use is None or self.counts is None:
            return {}
        terms = self.use.terms(self.counts), self.counts > 0, self.counts
        return self.use.columns(*map(self.sum_pairs, terms))

    def sum_pairs(self, values: npt.NDArray[Any]) -> Floats:
        """Sum a value of each pair by utterance, float64 (n_utterances,)."""
        return np.bincount(self.utterances, values, len(self.ends)).astype(np.float64)

    def masks_of(self, sides: npt.NDArray[np.uint8]) -> dict[str, Mask]:
        """Return, for each column of the type scores, a mask of the types that count, by the sides that have them."""
        if not self.has_words:
            return {}
        is_reference = sides & REFERENCE > 0
        is_predicted = sides & PREDICTION > 0
        return columns_of("type", is_reference & is_predicted, is_predicted, is_reference)

    def sides_of_types(self) -> npt.NDArray[np.uint8]:
        """Return the sides on which each type occurs, uint8 (n_types,)."""
        sides = np.zeros(len(self.types), np.uint8)
        for types in self.slices():
            for bit in (REFERENCE, PREDICTION):
                sides[types.ids[types.sides & bit > 0]] |= bit
        return sides

    def slices(self) -> Iterator[TypeIncidence]:
        """Yield the incidence of consecutive utterances, so that work on pairs takes little memory."""
        pairs = len(self.ids)
        cuts = np.unique(np.searchsorted(self.ends, np.arange(_PAIRS_AT_ONCE, pairs, _PAIRS_AT_ONCE))).tolist()
        for start, stop in pairwise([0, *cuts, len(self.ends)]):
            # With the ends 2 5 9 the utterances from 1 to before 3 have the pairs from 2 to before 9, and the ends 3 7.
            first = last_of(self.ends[:start])
            last = last_of(self.ends[:stop])
            ends = self.ends[start:stop] - first
            counts = None if self.counts is None else self.counts[first:last]
            yield replace(self, ends=ends, ids=self.ids[first:last], sides=self.sides[first:last], counts=counts)

    def take(self, utterances: Integers) -> TypeIncidence:
        """Return the incidence of these utterances, in this order, with their types."""
        lengths = lengths_of(self.ends)
        starts = (self.ends - lengths)[utterances]
        lengths = lengths[utterances]
        ends = np.cumsum(lengths)
        # The index of a pair is the beginning of its utterance plus its place within the utterance: with the ends 2 5 9, the
        # utterances 2 and 0 begin at 5 and 0, and have the pairs 5 6 7 8 and 0 1.
        pairs = np.arange(int(lengths.sum())) + np.repeat(starts - (ends - lengths), lengths)
        numbers, ids = np.unique(self.ids[pairs], return_inverse=True)
        types = self.types.take(int64_array(numbers.astype(np.int64)))
        counts = None if self.counts is None else self.counts[pairs]
        sides = self.sides[pairs]
        return replace(self, types=types, ends=ends, ids=ids.astype(np.int32), sides=sides, counts=counts)

    def unite(self, clusters: Integers, count: int) -> TypeIncidence:
        """Return the incidence of clusters of utterances: a cluster has a type on a side if any of its utterances has."""
        # Write cluster, type and sides in one number, so that one sort groups the pairs to unite.
        width = max(1, len(self.types))
        all_places = np.repeat(clusters, lengths_of(self.ends)) * width + self.ids
        keys = np.unique((all_places << 8) | self.sides)
        places = keys >> 8
        sides = (keys & 255).astype(np.uint8)
        # Places 3 3 4 8 8 8 have their firsts at 0 2 3.
        firsts = np.flatnonzero(np.diff(places, prepend=-1))
        joined = _reduce(np.bitwise_or, sides, firsts)
        owners, ids = np.divmod(places[firsts], width)
        ends = np.cumsum(np.bincount(owners, minlength=count))
        counts = None
        if self.counts is not None:
            counts = np.bincount(np.searchsorted(places[firsts], all_places), self.counts, len(ids)).astype(np.int64)
        return replace(self, ends=ends, ids=ids.astype(np.int32), sides=joined, counts=counts)


@dataclass(frozen=True)
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
    types: TypeIncidence | None = None  #: the types, for type scores; None if no group needs the words
    #: int64 (n_utterances,), the cluster of each utterance, numbered from 0; None if each utterance is its own cluster
    clusters: Integers | None = None

    def __len__(self) -> int:
        return len(self.columns["utterances"])

    @property
    def cluster_count(self) -> int:
        """The number of clusters; without clusters, of utterances."""
        if self.clusters is None:
            return len(self)
        return int(self.clusters.max(initial=-1)) + 1

    @property
    def sampled_unit(self) -> str:
        """The unit of resampling: `"cluster"`, or without clusters `"utterance"`."""
        return "utterance" if self.clusters is None else "cluster"

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
        if self.types is None:
            return UtteranceTally(columns)
        return UtteranceTally(columns, self.cluster_types())

    def sum_by_cluster(self, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return the sums of a column over each cluster, (cluster_count,); without clusters the column itself.

        Sums of integers are exact below 2⁵³.
        """
        if self.clusters is None:
            return values
        return np.bincount(self.clusters, weights=values, minlength=self.cluster_count).astype(values.dtype)

    def cluster_types(self) -> TypeIncidence:
        """Return the types of each cluster; without clusters, of each utterance."""
        if self.types is None:
            raise ValueError("the tally has no types: name the group 'type' when it is made.")
        if self.clusters is None:
            return self.types
        return self.types.unite(self.clusters, self.cluster_count)

    @property
    def is_scored(self) -> Mask:
        """A mask of the utterances that were not left out: bool (n_utterances,)."""
        return np.asarray(self.columns["utterances"] > 0)

    @property
    def has_text(self) -> Mask:
        """A mask of the utterances that are not blank: bool (n_utterances,)."""
        # With aligned units, a prediction may have inserted words where the reference is blank.
        return np.asarray(self.columns["units"] + self.columns.get("unit_insertions", np.int64(0)) > 0)

    @property
    def skipped(self) -> int:
        """The number of utterances that `on_mismatch="skip"` left out."""
        return int((~self.is_scored).sum())

    def totals(self) -> dict[str, int]:
        """Return every count that the formulas read, as in `Tally.totals`."""
        totals = {column: int(values.sum()) for column, values in self.columns.items()}
        if self.types is not None:
            totals |= self.types.lexicon_sizes()
        return totals

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
        columns: dict[str, Count] = dict(self.columns)
        if self.types is not None:
            columns |= self.types.utterance_lexicon_sizes()
        scores = compute_scores(columns, keys, zero_division)
        return {key: np.where(self.is_scored, value, np.nan) for key, value in scores.items()}

    def macro(
        self, keys: Sequence[str], zero_division: float = math.nan, *, empty: float = math.nan
    ) -> dict[str, float]:
        """Return the mean of each score over the utterances; `empty` if every utterance is left out."""
        means = {SKIPPED: float(self.columns.get(SKIPPED, np.zeros(0)).sum())}
        for key, values in self.averaged(keys, zero_division).items():
            defined = values[~np.isnan(values)]
            means[key] = float(divide(math.fsum(defined.tolist()), len(defined), empty))
        return {key: means[key] for key in keys}

    def averaged(self, keys: Sequence[str], zero_division: float) -> dict[str, Floats]:
        """Return the values whose mean is the macro average: as `per_utterance`, with nan for blank utterances.

        `skipped_utterances`, a count, is left out.
        """
        scores = self.per_utterance(keys, zero_division)
        return {key: np.where(self.has_text, values, np.nan) for key, values in scores.items() if key != SKIPPED}

    def check_keys(self, keys: Sequence[str]) -> None:
        """Check that the counts of these scores were tallied."""
        for group in groups_of(keys):
            is_tallied = self.types is not None
            if group.statistic is None:
                is_tallied = self.columns.keys() >= set(group.columns)
            if not is_tallied:
                problem = f"the tally has no counts for the scores of {group.name!r}"
                raise ValueError(f"{problem}: name the group when it is made.")
        unknown = set(keys).difference(*(group.keys for group in groups_of(keys)))
        if unknown:
            raise ValueError(f"unknown score {min(unknown)!r}: expected one such as 'token_fscore'.")

    def take(self, utterances: Integers) -> UtteranceTally:
        """Return the tally of a corpus of these utterances, by index; they may repeat."""
        columns = {column: values[utterances] for column, values in self.columns.items()}
        types = None
        if self.types is not None:
            types = self.types.take(utterances)
        clusters = None
        if self.clusters is not None:
            # Renumber clusters, so that those without a taken utterance leave no gap.
            _, clusters = np.unique(self.clusters[utterances], return_inverse=True)
        return UtteranceTally(columns, types, clusters)


def concatenate(tallies: Iterable[UtteranceTally]) -> UtteranceTally:
    """Return the tally of the utterances of one or more tallies of the same options, in order, which are read one at a time.

    If all have clusters, equal numbers mean the same cluster.
    """
    builder = TallyBuilder()
    for tally in tallies:
        builder.add(tally)
    return builder.tally()


class TallyBuilder:
    """A joiner of tallies. The arrays of each name wait in a list, so that joining them takes the memory of one array."""

    def __init__(self) -> None:
        self._arrays: dict[str, list[npt.NDArray[Any]]] = {}
        self._first: UtteranceTally | None = None
        self._count = self._pairs = self._unified = 0
        #: A table of types for the first `_unified` arrays of ids, and one for each later tally; ids count over all tables.
        self._types: list[pa.LargeBinaryArray] = []

    def add(self, tally: UtteranceTally) -> None:
        """Add the next tally."""
        self._first = self._first or tally
        self._count += len(tally)
        arrays: dict[str, npt.NDArray[Any]] = {f"column {name}": values for name, values in tally.columns.items()}
        if tally.clusters is not None:
            arrays["clusters"] = tally.clusters
        if tally.types is not None:
            types = tally.types
            before = sum(map(len, self._types))
            arrays |= {"ends": types.ends + self._pairs, "sides": types.sides, "ids": types.ids + np.int32(before)}
            if types.counts is not None:
                arrays["counts"] = types.counts
            self._pairs += len(types.ids)
            self._types.append(types.types)
        for name, values in arrays.items():
            # Copy a view, which would hold a larger array in memory.
            self._arrays.setdefault(name, []).append(values if values.base is None else values.copy())
        # Unifying takes time for all types, so it waits until there are many more.
        if self._types and sum(map(len, self._types)) > max(_FEWEST_TYPES, 3 * len(self._types[0])):
            self._unify()

    def tally(self) -> UtteranceTally:
        """Return the tally of the utterances of all added tallies."""
        assert self._first is not None, "there is a tally"
        columns = {name: self._join(f"column {name}") for name in self._first.columns}
        clusters = self._join("clusters") if "clusters" in self._arrays else None
        if clusters is not None and len(clusters) != self._count:
            clusters = None
        if self._first.types is None:
            return UtteranceTally(columns, clusters=clusters)
        self._unify()
        ends, ids, sides = map(self._join, ("ends", "ids", "sides"))
        self._unified = 1
        counts = self._join("counts") if "counts" in self._arrays else None
        types = replace(self._first.types, types=self._types[0], ends=ends, ids=ids, sides=sides, counts=counts)
        return UtteranceTally(columns, types, clusters)

    def _join(self, name: str) -> npt.NDArray[Any]:
        arrays = self._arrays[name]
        if len(arrays) > 1:
            arrays[:] = [np.concatenate(arrays)]
        return arrays[0]

    def _unify(self) -> None:
        """Make one table of the types. The types of the first table keep their numbers."""
        types = pa.chunked_array(self._types)
        if len(self._types) < 2 or not len(types):
            # Arrow 18 does not combine dictionaries of nothing.
            self._types = self._types[:1]
            return
        encoded = types.dictionary_encode().combine_chunks()
        new = numbers_of(encoded.indices)
        ids = self._arrays["ids"]
        ids[self._unified :] = [new[old] for old in ids[self._unified :]]
        self._types = [encoded.dictionary]
        self._unified = len(ids)
        pa.default_memory_pool().release_unused()


def tally_utterances(comparison: Comparison, is_compared: Mask | None, plan: Plan) -> UtteranceTally:
    """Tally a comparison utterance by utterance; `is_compared` is the mask of `compare_by_rule`."""
    if plan.ignored_words is not None:
        comparison = plan.ignored_words.leave_out(comparison)
    columns = tally_columns(comparison, plan.groups, plan.settings)
    if any(SKIPPED in group.columns for group in plan.groups):
        columns[SKIPPED] = np.zeros_like(columns["utterances"])
    has_pairs = any(group.statistic is not None for group in plan.groups)
    tally = UtteranceTally(columns, _incidence(comparison, plan) if has_pairs else None)
    if is_compared is None:
        return tally
    tally = _spread(tally, is_compared)
    if SKIPPED in tally.columns:
        tally.columns[SKIPPED] += ~is_compared
    return tally


def _spread(tally: UtteranceTally, is_compared: Mask) -> UtteranceTally:
    """Add counts of 0 for each utterance that a tally lacks."""

    def spread(values: Integers) -> Integers:
        column = np.zeros(len(is_compared), values.dtype)
        column[is_compared] = values
        return column

    columns = {column: spread(values) for column, values in tally.columns.items()}
    if tally.types is None:
        return UtteranceTally(columns)
    ends = np.cumsum(spread(lengths_of(tally.types.ends)))
    return UtteranceTally(columns, replace(tally.types, ends=ends))


def _reduce(function: np.ufunc, values: npt.NDArray[Any], firsts: Integers) -> npt.NDArray[Any]:
    """Reduce groups of values that follow each other; `firsts` is the place of the first value of each."""
    if not len(firsts):  # `reduceat` refuses an empty array
        return values
    reduced: npt.NDArray[Any] = function.reduceat(values, firsts)
    return reduced


def _incidence(comparison: Comparison, plan: Plan) -> TypeIncidence:
    needs_types = "type" in plan.settings
    # In the order of the bits of the sides.
    texts: list[tuple[pa.LargeBinaryArray, Integers]] = []
    counts_of_words = comparison.utterance_reference, comparison.utterance_prediction
    for side, count in zip((comparison.reference, comparison.prediction), counts_of_words, strict=True):
        if needs_types:
            texts.append((side.words(), count))
        else:
            texts.append((pa.nulls(0, pa.large_binary()), 0 * count))
    use: TokenUse | None = None
    if "token_use" in plan.settings:
        use = TokenUse.empty(**plan.settings["token_use"])
        tokens, count, use.size = tokens_of(comparison)
        texts.append((names_of(tokens), count))
    encoded = pa.concat_arrays([words for words, _ in texts]).dictionary_encode()
    types = encoded.dictionary
    counts = [count for _, count in texts]
    utterances = np.concatenate([np.repeat(np.arange(len(count)), count) for count in counts])
    # Write utterance, type and side in one number, so that one sort groups all sides of a pair: (2 * 10 + 7) * 4 + 1 for
    # utterance 2, type 7 of 10 and side 1, the prediction.
    pairs = (utterances * max(1, len(types)) + numbers_of(encoded.indices)) * 4
    pairs += np.repeat(np.arange(len(texts)), [len(words) for words, _ in texts])
    pairs.sort()
    firsts = np.flatnonzero(np.diff(pairs >> 2, prepend=-1) > 0)
    bits = (1 << (pairs & 3)).astype(np.uint8)
    pair_sides = _reduce(np.bitwise_or, bits, firsts)
    token_counts = None
    if use is not None:
        token_counts = _reduce(np.add, (bits == TOKEN).astype(np.int64), firsts)
    pair_utterances, ids = np.divmod(pairs[firsts] >> 2, max(1, len(types)))
    ends = np.cumsum(np.bincount(pair_utterances, minlength=len(counts[0])))
    return TypeIncidence(types, ends, ids.astype(np.int32), pair_sides, needs_types, token_counts, use)
