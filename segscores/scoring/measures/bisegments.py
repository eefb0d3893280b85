"""Bisegments: the levels at which the alignments of two texts are scored, as defined by ARCADE and vecalign.

Conventions
-----------
- A bitext is two texts, one a translation of the other, each divided into segments (usually sentences). Segments are
  counted from 0 on each side. A bisegment joins a set of source segments with a set of target segments. An alignment is
  a set of bisegments.
- Ar is the reference alignment and A the predicted one. Ar' and A' are the unions of source × target over their
  bisegments: sets of pairs of segments.
- Every count is a column with one value per bitext. Counts add up over bitexts, and the scores are computed from the sums.
- The level `sentence` has the keys, counts and formulas of the score group of this name, which counts other sentences.

`LEVELS` lists all scores. `analysis.bitext` reads alignments, and scores them.

Sources
-------
Levels alignment, sentence, word and character: ARCADE, Sentence track metrics, after Isabelle & Simard (1996). Levels strict and
lax: `score.py` of vecalign (Thompson & Koehn 2019, EMNLP-IJCNLP; github.com/thompsonb/vecalign, commit b9d732c), after
https://aclanthology.org/W11-4624/. As there, precision counts predicted insertions and deletions, recall leaves them out in the
reference, and F is the harmonic mean of the two. This module deviates in two places. Numbers in another order, or repeated, are
the same bisegment (in vecalign `[1,0]` is not `[0,1]`, and strict scores are mostly lower). And if precision and recall are both
0 without being undefined, F is 0 (in vecalign it is the value of 0/0, which is also 0 on its command line).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import product
from typing import TypeAlias

import numpy as np

from ...kernel.formulas import Count, Score, Tallied, divide
from ...kernel.record import record
from .group import Key, ScoreGroup, precision_recall_fscore_group

#: The numbers of its source segments, and of its target segments.
Bisegment: TypeAlias = tuple[frozenset[int], frozenset[int]]


class AlignedSide:
    """The alignment of one side of a bitext: its bisegments, Ar or A, and the pairs of segments that they join, Ar' or A'."""

    def __init__(self, bisegments: Iterable[tuple[Iterable[int], Iterable[int]]]) -> None:
        self.bisegments: set[Bisegment] = {(frozenset(sources), frozenset(targets)) for sources, targets in bisegments}
        #: The bisegment of the sources 0 and 1 and the target 2 joins the pairs (0, 2) and (1, 2).
        self.pairs: set[tuple[int, int]] = set()
        for sources, targets in self.bisegments:
            self.pairs.update(product(sources, targets))


@record
class Bitext:
    """A bitext with both of its alignments, and the texts of its segments, if they are known."""

    reference: AlignedSide
    prediction: AlignedSide
    sources: Sequence[str] | None
    targets: Sequence[str] | None


def _tally(count: Callable[[Bitext], dict[str, int]], bitexts: Iterable[Bitext]) -> Tallied:
    """Return the counts of bitexts, of which there is at least one, as columns with a value for each."""
    counts_of_bitexts = [count(bitext) for bitext in bitexts]
    first_counts, *_ = counts_of_bitexts  # all have the same columns
    columns = {}
    for column in first_counts:
        columns[column] = np.array([counts[column] for counts in counts_of_bitexts], np.int64)
    return columns


def _count_items(level: str, items: str, measure: Callable[[str], int] | None, bitext: Bitext) -> dict[str, int]:
    """Count the bisegments or the pairs of segments of A, of Ar, and of both.

    `items` is the attribute of a side to count: "bisegments" or "pairs". `measure` returns the length of a segment, such as 2 for
    "the dog" in words. With a measure, a pair counts as often as the product of the lengths of its segments says; with None each
    item counts once.
    """
    reference = getattr(bitext.reference, items)
    prediction = getattr(bitext.prediction, items)
    counted = {"matched": reference & prediction, "predicted": prediction, "reference": reference}
    if measure is None:
        return {f"{level}_{kind}": len(items_of_kind) for kind, items_of_kind in counted.items()}
    # A level with a measure needs texts, so it is not scored where they are unknown.
    assert bitext.sources is not None
    assert bitext.targets is not None
    source_lengths = [measure(text) for text in bitext.sources]
    target_lengths = [measure(text) for text in bitext.targets]
    counts = {}
    for kind, pairs in counted.items():
        counts[f"{level}_{kind}"] = sum(source_lengths[source] * target_lengths[target] for source, target in pairs)
    return counts


def _count_both_ways(level: str, bitext: Bitext) -> dict[str, int]:
    """Count predictions for precision and references for recall, as vecalign does.

    A bisegment is correct if the other side has it; at the level lax, also if a bisegment of the other side overlaps it in both
    texts. Bisegments that are empty on both sides are not counted. Insertions and deletions, which are empty on one side, count
    for precision and not for recall.
    """
    # A bisegment is its sources and its targets: any() of it is False if both are empty, and all() if one is.
    predicted = {bisegment for bisegment in bitext.prediction.bisegments if any(bisegment)}
    reference = {bisegment for bisegment in bitext.reference.bisegments if all(bisegment)}
    is_lax = level == "lax"
    return {
        f"{level}_predicted_matched": len(_correct(predicted, bitext.reference, is_lax=is_lax)),
        f"{level}_predicted": len(predicted),
        f"{level}_reference_matched": len(_correct(reference, bitext.prediction, is_lax=is_lax)),
        f"{level}_reference": len(reference),
    }


def _correct(bisegments: set[Bisegment], other: AlignedSide, *, is_lax: bool) -> set[Bisegment]:
    """Return the bisegments that the other side has, or if `is_lax` overlaps in both texts."""
    correct = bisegments & other.bisegments
    if is_lax:
        for sources, targets in bisegments:
            if not other.pairs.isdisjoint(product(sources, targets)):
                correct.add((sources, targets))
    return correct


def _arcade_level(
    name: str, title: str, definition: str, items: str = "pairs", measure: Callable[[str], int] | None = None
) -> ScoreGroup:
    """Return a level of ARCADE, which counts bisegments or pairs, perhaps by their lengths: see `_count_items`."""
    count = partial(_count_items, name, items, measure)
    return precision_recall_fscore_group(
        name,
        title=title,
        definition=definition,
        formula="precision |A ∩ Ar| / |A|, recall |A ∩ Ar| / |Ar|, fscore 2·|A ∩ Ar| / (|A| + |Ar|), A and Ar as counted",
        source="ARCADE, Sentence track metrics; Isabelle & Simard (1996)",
        tally=partial(_tally, count),
        needs=frozenset() if measure is None else frozenset({"words"}),
    )


def _vecalign_level(name: str, title: str, definition: str) -> ScoreGroup:
    """Return a level of vecalign, whose precision and recall count correct bisegments of two sides: see `_count_both_ways`."""

    def formulas(counts: Mapping[str, Count], zero_division: float) -> dict[str, Score]:
        """Compute precision, recall and their harmonic mean."""
        precision = divide(counts[f"{name}_predicted_matched"], counts[f"{name}_predicted"], zero_division)
        recall = divide(counts[f"{name}_reference_matched"], counts[f"{name}_reference"], zero_division)
        # If both are 0, their mean would be 0 / 0: it is 0. A precision or recall that is undefined is `zero_division` by now. If
        # that is nan, the mean is nan.
        fscore = divide(2 * precision * recall, precision + recall, zero_division=0.0)
        return {f"{name}_precision": precision, f"{name}_recall": recall, f"{name}_fscore": fscore}

    count = partial(_count_both_ways, name)
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
        keys={f"{name}_{score}": Key() for score in ("precision", "recall", "fscore")},
        tally=partial(_tally, count),
        formulas=formulas,
    )


#: Every level by name, in the order of listings; a level that needs `words` needs the texts of the segments.
LEVELS: dict[str, ScoreGroup] = {
    level.name: level
    for level in (
        _arcade_level(
            "alignment", "bisegments", "Bisegments, matched where both sides have the same bisegment.", "bisegments"
        ),
        _arcade_level(
            "sentence", "pairs of segments", "Pairs of a source segment and a target segment that are in one bisegment."
        ),
        _arcade_level(
            "word",
            "pairs of segments, by words",
            "The pairs of the level sentence, weighted by the product of their numbers of words.",
            measure=lambda text: len(text.split()),
        ),
        _arcade_level(
            "character",
            "pairs of segments, by characters",
            "The pairs of the level sentence, weighted by the product of their numbers of characters, with spaces.",
            measure=len,
        ),
        _vecalign_level("strict", "bisegments, exact", "Bisegments, correct if the other side has the same bisegment."),
        _vecalign_level(
            "lax",
            "bisegments, overlapping",
            "Bisegments, correct if the other side has the same bisegment, or one that shares a source segment and a target "
            "segment with it.",
        ),
    )
}

GROUPS = tuple(LEVELS.values())
