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
- Every count is a column with one value per bitext. Counts add up over bitexts, and the scores are computed from the sums.

`LEVELS` lists all scores.

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
from typing import Any

import numpy as np

from ...kernel.formulas import Count, Score, Tallied, divide
from ...options.functions import with_inputs
from ...options.messages import OptionError
from ...options.table import OPTIONS
from ...reading.sources.lists import naming_files
from ...scoring.measures.group import Key, ScoreGroup, precision_recall_fscore_group
from .bitexts import Bisegment, Texts, read_bitexts
from .numbering import warn_of_numbering


class _Side:
    """The alignment of one side of a bitext: its bisegments, Ar or A, and the pairs of segments that they join, Ar' or A'."""

    def __init__(self, bisegments: Iterable[Bisegment]) -> None:
        self.bisegments = {(frozenset(source), frozenset(target)) for source, target in bisegments}
        self.pairs = set(chain.from_iterable(starmap(product, self.bisegments)))


@dataclass(frozen=True)
class _Bitext:
    """A bitext with both of its alignments, and the texts of its segments, if they are known."""

    reference: _Side
    prediction: _Side
    sources: Texts
    targets: Texts


@with_inputs
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
            bitext, or the path of its file.
        sources, targets: the texts of the segments of every bitext, a list of strings each, or the path of a file for one bitext.
            Without them the levels word and character have no scores, and segment numbers are not checked against an upper limit.
        scores: the name of a level in LEVELS, or several; None is all of them, without those whose texts are missing.
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
    with naming_files(references=references, predictions=predictions):
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
    """Return the counts of every bitext: columns of shape (n_bitexts,), which add up over bitexts and parts of a corpus.

    Arguments and errors are as in `score_alignment`.
    """
    levels = select_levels(scores, texts_known=sources is not None or targets is not None)
    bitexts_read = read_bitexts(references, predictions, sources, targets)
    warn_of_numbering(bitexts_read.references, bitexts_read.predictions)
    inputs = zip(*bitexts_read, strict=True)
    bitexts = [
        _Bitext(_Side(reference), _Side(prediction), source_texts, target_texts)
        for reference, prediction, source_texts, target_texts in inputs
    ]
    columns: Tallied = {}
    for level in levels:
        columns |= level.tally(bitexts)
    return columns


def compute_alignment_scores(
    counts: Mapping[str, Count], levels: Sequence[ScoreGroup], zero_division: float = 0.0
) -> dict[str, Score]:
    """Return the scores of levels from counts, each an int or an array; arrays broadcast.

    >>> counts = {"sentence_matched": 2, "sentence_predicted": 2, "sentence_reference": 3}
    >>> float(compute_alignment_scores(counts, [LEVELS["sentence"]])["sentence_fscore"])
    0.8
    """
    scores: dict[str, Score] = {}
    for level in levels:
        scores |= level.formulas(counts, zero_division)
    return scores


def select_levels(scores: str | Sequence[str] | None, texts_known: bool) -> list[ScoreGroup]:
    """Return the levels that the option `scores` selects, in order, without repetition.

    >>> [level.name for level in select_levels(None, texts_known=False)]
    ['alignment', 'sentence', 'strict', 'lax']
    """
    if scores is None:
        if texts_known:
            return list(LEVELS.values())
        return [level for level in LEVELS.values() if "words" not in level.needs]
    names = (scores,) if isinstance(scores, str) else scores
    if not isinstance(names, Sequence) or not all(isinstance(name, str) for name in names):
        raise TypeError(f"scores: expected the name of a level or a list of names, received {scores!r}.")
    if not names:
        raise ValueError(f"scores is empty: name at least one of {', '.join(LEVELS)}.")
    for name in names:
        if name not in LEVELS:
            raise ValueError(f"unknown level {name!r}: the levels are {', '.join(LEVELS)}.")
        if "words" in LEVELS[name].needs and not texts_known:
            texts = OPTIONS["sources"], " and ", OPTIONS["targets"]
            why = " needs the texts of the segments: pass ", *texts, f", or leave {name!r} out."
            raise OptionError(OPTIONS["scores"].set(name), *why)
    return [LEVELS[name] for name in dict.fromkeys(names)]


def _tally(count: Callable[[_Bitext], dict[str, int]], bitexts: Iterable[_Bitext]) -> Tallied:
    rows = list(map(count, bitexts))
    return {column: np.array([row[column] for row in rows], np.int64) for column in rows[0]}


def _count_items(level: str, items: str, measure: Callable[[str], int] | None, bitext: _Bitext) -> dict[str, int]:
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


def _count_both_ways(level: str, bitext: _Bitext) -> dict[str, int]:
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
