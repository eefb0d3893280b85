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
from dataclasses import dataclass
from functools import partial
from itertools import chain, product, starmap

import numpy as np

from ...kernel.formulas import Count, Score, Tallied, divide
from .group import Key, ScoreGroup, precision_recall_fscore_group


class AlignedSide:
    """The alignment of one side of a bitext: its bisegments, Ar or A, and the pairs of segments that they join, Ar' or A'."""

    def __init__(self, bisegments: Iterable[tuple[Iterable[int], Iterable[int]]]) -> None:
        self.bisegments = {(frozenset(source), frozenset(target)) for source, target in bisegments}
        self.pairs = set(chain.from_iterable(starmap(product, self.bisegments)))


@dataclass(frozen=True)
class Bitext:
    """A bitext with both of its alignments, and the texts of its segments, if they are known."""

    reference: AlignedSide
    prediction: AlignedSide
    sources: Sequence[str] | None
    targets: Sequence[str] | None


def _tally(count: Callable[[Bitext], dict[str, int]], bitexts: Iterable[Bitext]) -> Tallied:
    rows = list(map(count, bitexts))
    return {column: np.array([row[column] for row in rows], np.int64) for column in rows[0]}


def _count_items(level: str, items: str, measure: Callable[[str], int] | None, bitext: Bitext) -> dict[str, int]:
    """Count the bisegments or the pairs of both sides, of A and of Ar; with a measure, weigh pairs by the product of lengths."""
    reference = getattr(bitext.reference, items)
    prediction = getattr(bitext.prediction, items)
    counted = {"matched": reference & prediction, "predicted": prediction, "reference": reference}
    if measure is None:
        return {f"{level}_{kind}": len(of_kind) for kind, of_kind in counted.items()}
    sources = list(map(measure, bitext.sources or ()))
    targets = list(map(measure, bitext.targets or ()))
    return {
        f"{level}_{kind}": sum(sources[source] * targets[target] for source, target in pairs)
        for kind, pairs in counted.items()
    }


def _count_both_ways(level: str, bitext: Bitext) -> dict[str, int]:
    """Count predictions for precision and references for recall, as vecalign does.

    A bisegment is correct if the other side has it; at the level lax, also if a bisegment of the other side overlaps it in both
    texts. Bisegments that are empty on both sides are not counted. Insertions and deletions, which are empty on one side, count
    for precision and not for recall.
    """
    counts: dict[str, int] = {}
    for kind, is_counted, side, other in (
        ("predicted", any, bitext.prediction, bitext.reference),
        ("reference", all, bitext.reference, bitext.prediction),
    ):
        bisegments = set(filter(is_counted, side.bisegments))
        correct = bisegments & other.bisegments
        if level == "lax":
            correct |= {bisegment for bisegment in bisegments if not other.pairs.isdisjoint(product(*bisegment))}
        counts |= {f"{level}_{kind}_matched": len(correct), f"{level}_{kind}": len(bisegments)}
    return counts


def _arcade_level(
    name: str, title: str, definition: str, items: str = "pairs", measure: Callable[[str], int] | None = None
) -> ScoreGroup:
    return precision_recall_fscore_group(
        name,
        title=title,
        definition=definition,
        formula="precision |A ∩ Ar| / |A|, recall |A ∩ Ar| / |Ar|, fscore 2·|A ∩ Ar| / (|A| + |Ar|), A and Ar as counted",
        source="ARCADE, Sentence track metrics; Isabelle & Simard (1996)",
        tally=partial(_tally, partial(_count_items, name, items, measure)),
        needs=frozenset() if measure is None else frozenset({"words"}),
    )


def _vecalign_level(name: str, title: str, definition: str) -> ScoreGroup:
    def formulas(counts: Mapping[str, Count], zero_division: float) -> dict[str, Score]:
        precision = divide(counts[f"{name}_predicted_matched"], counts[f"{name}_predicted"], zero_division)
        recall = divide(counts[f"{name}_reference_matched"], counts[f"{name}_reference"], zero_division)
        fscore = divide(2 * precision * recall, precision + recall, zero_division=0.0)
        return {f"{name}_precision": precision, f"{name}_recall": recall, f"{name}_fscore": fscore}

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
        tally=partial(_tally, partial(_count_both_ways, name)),
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
