"""Alignment: scores of the alignment of two texts, segment by segment, as defined by ARCADE and vecalign.

Conventions
-----------
- A bitext is two texts, one a translation of the other, each divided into segments (usually sentences). Segments are
  counted from 0 on each side. A bisegment joins a set of source segments with a set of target segments: `{"source":
  [0], "target": [0, 1]}`, or the pair `([0], [0, 1])`. An alignment is a set of bisegments.
- Order and repetition are ignored, both of numbers in a bisegment and of bisegments in an alignment. Bisegments may
  cross, overlap, be discontinuous, and be empty on one side or both. A segment may be in no bisegment.
- An input is a list of bitexts. Segments of different bitexts are different.
- The reference comes before the prediction. Ar is the reference alignment and A the predicted one. Ar' and A' are the
  unions of source × target over their bisegments: sets of pairs of segments.
- Every count is a column with one value per bitext. Counts add up over bitexts, and the scores are computed from the
  sums.

`LEVELS` lists all scores.

Sources
-------
Levels alignment, sentence, word and character: ARCADE, Sentence track metrics, after Isabelle & Simard
(1996). Levels strict and lax: `score.py` of vecalign (Thompson & Koehn 2019, EMNLP-IJCNLP;
github.com/thompsonb/vecalign, commit b9d732c), after https://aclanthology.org/W11-4624/. As there, precision counts
predicted insertions and deletions, recall leaves out those of the reference, and F is the harmonic mean of the two.
This module deviates in two places. Numbers in another order, or repeated, are the same bisegment (in vecalign `[1,0]`
is not `[0,1]`, and strict scores are mostly lower). And if precision and recall are both 0 without being undefined, F
is 0 (in vecalign it is the value of 0/0, which is also 0 on its command line).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from ..kernel.formulas import Count, Score, Tallied, divide
from ..measures.group import ScoreGroup, precision_recall_fscore_group
from ..options.table import OPTIONS
from ..support.arrays import Positions
from ..support.arrow import binary_slices
from ..support.messages import OptionError
from .bitexts import SIDES, Alignment, Texts, read_bitexts


@dataclass(frozen=True)
class Pairs:
    """Distinct pairs of segments, counted through all bitexts; their bitexts never decrease."""

    bitexts: Positions
    sources: Positions
    targets: Positions


@dataclass(frozen=True)
class Bisegments:
    """The distinct bisegments of one side, compared with those of the other.

    Attributes:
        bitexts: int64, the bitext of each.
        shared: bool, whether the other side also has it.
        overlapping: bool, whether a bisegment of the other side has one of its source segments with one of its target
            segments.
        source_sizes, target_sizes: int64, the number of its segments on each side of the bitext.
    """

    bitexts: Positions
    shared: npt.NDArray[np.bool_]
    overlapping: npt.NDArray[np.bool_]
    source_sizes: Positions
    target_sizes: Positions


@dataclass(frozen=True)
class AlignmentComparison:
    """A reference and a predicted alignment of so many bitexts: Ar and A; Ar', A' and their intersection; the segments."""

    bitexts: int
    reference: Bisegments
    prediction: Bisegments
    reference_pairs: Pairs
    prediction_pairs: Pairs
    matched_pairs: Pairs
    sources: Texts
    targets: Texts


def score_alignment(
    references: Any,
    predictions: Any,
    *,
    sources: Any = None,
    targets: Any = None,
    scores: str | Sequence[str] | None = None,
    zero_division: float = 0.0,
) -> dict[str, float]:
    """Score predicted alignments against reference alignments of the same bitexts.

    Args:
        references, predictions: the bisegments of every bitext, in the forms of `bitexts`; or the bisegments of one
            bitext.
        sources, targets: the texts of the segments of every bitext, a list of strings each. Without them the levels
            word and character have no scores, and segment numbers are not checked against an upper limit.
        scores: the name of a level in LEVELS, or several; None is DEFAULT_LEVELS, without those whose texts are
            missing.
        zero_division: the value of 0/0, in [0, 1] or nan.

    Returns:
        `{level}_{precision,recall,fscore}`, plain floats in [0, 1], higher is better.

    Raises:
        TypeError: an input has no known form; the message has the index of the bitext and of the bisegment.
            BisegmentError: a segment number that the bitext does not have.
        ValueError: different numbers of bitexts, none at all, or a bad option.

    Time and memory grow with the number of pairs, Σ |source| · |target| over the bisegments.

    >>> scores = score_alignment(
    ...     references=[[{"source": [0], "target": [0]}, {"source": [1], "target": [1, 2]}]],
    ...     predictions=[[{"source": [0], "target": [0]}, {"source": [], "target": [1]}, {"source": [1], "target": [2]}]],
    ...     scores=["alignment", "sentence"],
    ... )
    >>> {key: round(value, 2) for key, value in scores.items() if not key.endswith("fscore")}
    {'alignment_precision': 0.33, 'alignment_recall': 0.5, 'sentence_precision': 1.0, 'sentence_recall': 0.67}
    """
    OPTIONS["zero_division"].check(zero_division)
    columns = tally_alignment(references, predictions, sources=sources, targets=targets, scores=scores)
    levels = select_levels(scores, texts_known=sources is not None)
    counts = {column: int(values.sum()) for column, values in columns.items()}
    return {key: float(value) for key, value in compute_alignment_scores(counts, levels, zero_division).items()}


def tally_alignment(
    references: Any,
    predictions: Any,
    *,
    sources: Any = None,
    targets: Any = None,
    scores: str | Sequence[str] | None = None,
) -> Tallied:
    """The counts of every bitext: columns of shape (n_bitexts,), which add up over bitexts and parts of a corpus.

    Args and errors are those of `score_alignment`.
    """
    levels = select_levels(scores, texts_known=sources is not None or targets is not None)
    comparison = compare_alignments(*read_bitexts(references, predictions, sources, targets))
    columns: Tallied = {}
    for level in levels:
        columns |= level.tally(comparison)
    return columns


def compute_alignment_scores(
    counts: Mapping[str, Count], levels: Sequence[ScoreGroup], zero_division: float = 0.0
) -> dict[str, Score]:
    """The scores of levels from counts, each an int or an array; arrays broadcast.

    >>> counts = {"sentence_matched": 2, "sentence_predicted": 2, "sentence_reference": 3}
    >>> float(compute_alignment_scores(counts, [LEVELS["sentence"]])["sentence_fscore"])
    0.8
    """
    scores: dict[str, Score] = {}
    for level in levels:
        scores |= level.formulas(counts, zero_division)
    return scores


def select_levels(scores: str | Sequence[str] | None, texts_known: bool) -> list[ScoreGroup]:
    """The levels that the option `scores` selects, in order, without repetition.

    >>> [level.name for level in select_levels(None, texts_known=False)]
    ['alignment', 'sentence', 'strict', 'lax']
    """
    if scores is None:
        return [level for level in map(LEVELS.__getitem__, DEFAULT_LEVELS) if texts_known or not level.needs_words]
    names = (scores,) if isinstance(scores, str) else scores
    if not isinstance(names, Sequence) or not all(isinstance(name, str) for name in names):
        raise TypeError(f"scores: expected the name of a level or a list of names, received {scores!r}.")
    known = ", ".join(LEVELS)
    if not names:
        raise ValueError(f"scores is empty: name at least one of {known}.")
    for name in names:
        if name not in LEVELS:
            raise ValueError(f"unknown level {name!r}: the levels are {known}.")
        if LEVELS[name].needs_words and not texts_known:
            texts = OPTIONS["sources"], " and ", OPTIONS["targets"]
            why = " needs the texts of the segments: pass ", *texts, f", or leave {name!r} out."
            raise OptionError(OPTIONS["scores"].set(name), *why)
    return [LEVELS[name] for name in dict.fromkeys(names)]


def compare_alignments(
    reference: Alignment, prediction: Alignment, sources: Texts, targets: Texts
) -> AlignmentComparison:
    """Compare a predicted alignment with a reference, without a loop over bisegments or pairs.

    The naive equivalent, for one bitext, intersects two sets of bisegments, `{(frozenset(s), frozenset(t)) for s, t in
    …}`, and two sets of pairs, `{(i, j) for s, t in … for i in s for j in t}`.
    """
    bitexts = np.concatenate((reference.owners, prediction.owners))
    owners, keys = _canonical_keys(reference, prediction, bitexts, sources, targets)
    codes = _encode_groups(owners, keys, len(bitexts))
    sides = np.split(codes, [len(reference.owners)])
    rows = [np.sort(np.unique(side, return_index=True)[1]) for side in sides]
    rows[1] += len(reference.owners)

    # Number the segments that occur, so that a pair of them is one small integer.
    is_source, is_target = (keys >= 0) & (keys % 2 == 0), (keys >= 0) & (keys % 2 == 1)
    source_sizes, target_sizes = (np.bincount(owners[side], minlength=len(bitexts)) for side in (is_source, is_target))
    used_sources, source_ranks = np.unique(keys[is_source] // 2, return_inverse=True)
    used_targets, target_ranks = np.unique(keys[is_target] // 2, return_inverse=True)
    source_starts, target_starts = (np.cumsum(sizes) - sizes for sizes in (source_sizes, target_sizes))
    width = max(1, len(used_targets))

    def cross(rows: Positions) -> tuple[Positions, Positions]:
        """Every pair of these bisegments as a key, and the index in `rows` of its bisegment."""
        counts = source_sizes[rows] * target_sizes[rows]
        index = np.repeat(np.arange(len(rows)), counts)
        row = rows[index]
        rank = np.arange(len(row)) - np.repeat(np.cumsum(counts) - counts, counts)
        across = target_sizes[row]
        left = source_ranks[source_starts[row] + rank // across]
        right = target_ranks[target_starts[row] + rank % across]
        return left * width + right, index

    def as_pairs(pair_keys: Positions) -> Pairs:
        left, right = used_sources[pair_keys // width], used_targets[pair_keys % width]
        return Pairs(np.searchsorted(np.cumsum(sources.counts), left, side="right"), left, right)

    crossed = [cross(side) for side in rows]
    distinct = [np.unique(pair_keys) for pair_keys, _ in crossed]
    bisegments = []
    for side, other in ((0, 1), (1, 0)):
        pair_keys, index = crossed[side]
        overlapping = np.zeros(len(rows[side]), bool)
        overlapping[index[np.isin(pair_keys, distinct[other])]] = True
        bisegments.append(
            Bisegments(
                bitexts=bitexts[rows[side]],
                shared=np.isin(codes[rows[side]], sides[other]),
                overlapping=overlapping,
                source_sizes=source_sizes[rows[side]],
                target_sizes=target_sizes[rows[side]],
            )
        )
    return AlignmentComparison(
        bitexts=reference.bitexts,
        reference=bisegments[0],
        prediction=bisegments[1],
        reference_pairs=as_pairs(distinct[0]),
        prediction_pairs=as_pairs(distinct[1]),
        matched_pairs=as_pairs(np.intersect1d(distinct[0], distinct[1], assume_unique=True)),
        sources=sources,
        targets=targets,
    )


def _canonical_keys(
    reference: Alignment, prediction: Alignment, bitexts: Positions, sources: Texts, targets: Texts
) -> tuple[Positions, Positions]:
    """Each bisegment as a sorted run of distinct keys, and the bisegment that each key belongs to.

    The first key is the bitext, −1 − index; a source segment is an even key and a target segment an odd one, counted
    through all bitexts. Two bisegments are equal if their runs are equal.
    """
    owners, keys = [np.arange(len(bitexts))], [-1 - bitexts]
    for parity, (side, texts) in enumerate(zip(SIDES, (sources, targets), strict=True)):
        starts = np.cumsum(texts.counts) - texts.counts
        owner = np.repeat(owners[0], np.concatenate((reference.sizes[side], prediction.sizes[side])))
        numbers = np.concatenate((reference.numbers[side], prediction.numbers[side]))
        owners.append(owner)
        keys.append(2 * (starts[bitexts[owner]] + numbers) + parity)
    owner, key = np.concatenate(owners), np.concatenate(keys)
    order = np.lexsort((key, owner))
    owner, key = owner[order], key[order]
    distinct = np.ones(len(owner), bool)
    distinct[1:] = (owner[1:] != owner[:-1]) | (key[1:] != key[:-1])
    return owner[distinct], key[distinct]


def _encode_groups(owners: Positions, keys: Positions, count: int) -> Positions:
    """A code for each of `count` runs of keys, the same for equal runs; Arrow hashes the bytes of a run as one value."""
    ends = np.cumsum(np.bincount(owners, minlength=count))
    runs = binary_slices(keys.view(np.uint8), ends * keys.itemsize)
    return np.asarray(runs.dictionary_encode().indices).astype(np.int64)


def precision_recall_both_ways(counts: Mapping[str, Count], level: str, zero_division: float) -> dict[str, Score]:
    """Precision and recall with separate matched counts, and their harmonic mean, which is 0 where both are 0."""
    precision = divide(counts[f"{level}_predicted_matched"], counts[f"{level}_predicted"], zero_division)
    recall = divide(counts[f"{level}_reference_matched"], counts[f"{level}_reference"], zero_division)
    return {
        f"{level}_precision": precision,
        f"{level}_recall": recall,
        f"{level}_fscore": divide(2 * precision * recall, precision + recall, zero_division=0.0),
    }


def _count(bitexts: Positions, comparison: AlignmentComparison) -> Positions:
    return np.bincount(bitexts, minlength=comparison.bitexts)


def _tally_bisegments(comparison: AlignmentComparison) -> Tallied:
    """Distinct bisegments, matched where both sides have the same bisegment: |A ∩ Ar|, |A| and |Ar|."""
    reference, prediction = comparison.reference, comparison.prediction
    return {
        "alignment_matched": _count(prediction.bitexts[prediction.shared], comparison),
        "alignment_predicted": _count(prediction.bitexts, comparison),
        "alignment_reference": _count(reference.bitexts, comparison),
    }


def _tally_pairs(level: str, comparison: AlignmentComparison, measure: Callable[[str], int] | None = None) -> Tallied:
    """Distinct pairs of segments: |A' ∩ Ar'|, |A'| and |Ar'|; with a measure weighted by the product of their lengths."""
    columns: Tallied = {}
    lengths = [texts.lengths(measure) for texts in (comparison.sources, comparison.targets)] if measure else []
    for kind, pairs in (
        ("matched", comparison.matched_pairs),
        ("predicted", comparison.prediction_pairs),
        ("reference", comparison.reference_pairs),
    ):
        if not lengths:
            columns[f"{level}_{kind}"] = _count(pairs.bitexts, comparison)
            continue
        weights = lengths[0][pairs.sources] * lengths[1][pairs.targets]
        edges = np.searchsorted(pairs.bitexts, np.arange(comparison.bitexts + 1))
        # Running sums in place of np.bincount, whose weights are floats and inexact beyond 2**53.
        columns[f"{level}_{kind}"] = np.diff(np.concatenate(([0], np.cumsum(weights)))[edges])
    return columns


def _tally_both_ways(level: str, comparison: AlignmentComparison) -> Tallied:
    """Count predictions for precision and references for recall, as vecalign does.

    A bisegment is correct if the other side has it, at the level lax also if one of the other side overlaps it in both texts.
    Bisegments that are empty on both sides are not counted. Insertions and deletions, which are empty on one side,
    count for precision and not for recall.
    """
    reference, prediction = comparison.reference, comparison.prediction
    sides = {
        "predicted": (prediction, (prediction.source_sizes > 0) | (prediction.target_sizes > 0)),
        "reference": (reference, (reference.source_sizes > 0) & (reference.target_sizes > 0)),
    }
    columns: Tallied = {}
    for name, (side, is_counted) in sides.items():
        is_right = side.shared | side.overlapping if level == "lax" else side.shared
        columns[f"{level}_{name}_matched"] = _count(side.bitexts[is_counted & is_right], comparison)
        columns[f"{level}_{name}"] = _count(side.bitexts[is_counted], comparison)
    return columns


_ARCADE = {
    "formula": "precision |A ∩ Ar| / |A|, recall |A ∩ Ar| / |Ar|, fscore 2·|A ∩ Ar| / (|A| + |Ar|), A and Ar as counted",
    "source": "ARCADE, Sentence track metrics; Isabelle & Simard (1996)",
}


def _vecalign_level(name: str, title: str, definition: str) -> ScoreGroup:
    return ScoreGroup(
        name=name,
        title=title,
        definition=definition,
        formula="precision: correct predictions / predictions; recall: found references / references, without "
        "insertions and deletions; fscore: their harmonic mean",
        source="vecalign's score.py; Thompson & Koehn (2019)",
        columns=tuple(
            f"{name}_{kind}" for kind in ("predicted_matched", "predicted", "reference_matched", "reference")
        ),
        keys=tuple(f"{name}_{score}" for score in ("precision", "recall", "fscore")),
        tally=partial(_tally_both_ways, name),
        formulas=lambda counts, zero_division: precision_recall_both_ways(counts, name, zero_division),
    )


#: Every level by name, in the order of listings; those that need the words need the texts of the segments.
LEVELS: dict[str, ScoreGroup] = {
    level.name: level
    for level in (
        precision_recall_fscore_group(
            "alignment",
            title="bisegments",
            definition="Bisegments, matched where both sides have the same bisegment.",
            tally=_tally_bisegments,
            **_ARCADE,
        ),
        precision_recall_fscore_group(
            "sentence",
            title="pairs of segments",
            definition="Pairs of a source segment and a target segment that are in one bisegment.",
            tally=partial(_tally_pairs, "sentence"),
            **_ARCADE,
        ),
        precision_recall_fscore_group(
            "word",
            title="pairs of segments, by words",
            definition="The pairs of the level sentence, weighted by the product of their numbers of words.",
            tally=partial(_tally_pairs, "word", measure=lambda text: len(text.split())),
            needs_words=True,
            **_ARCADE,
        ),
        precision_recall_fscore_group(
            "character",
            title="pairs of segments, by characters",
            definition="The pairs of the level sentence, weighted by the product of their numbers of characters, with spaces.",
            tally=partial(_tally_pairs, "character", measure=len),
            needs_words=True,
            **_ARCADE,
        ),
        _vecalign_level("strict", "bisegments, exact", "Bisegments, correct if the other side has the same bisegment."),
        _vecalign_level(
            "lax",
            "bisegments, overlapping",
            "Bisegments, correct if the other side has the same bisegment, or one with a source segment and a target "
            "segment of theirs.",
        ),
    )
}

#: The levels that are scored if `scores` is not given.
DEFAULT_LEVELS = tuple(LEVELS)
