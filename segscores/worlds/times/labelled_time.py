"""Labelled time: the time in which both sides of a recording have the same label.

Conventions
-----------
- A side has a label at every moment within a word, and silence at all others. A recording lasts up to the later end of its two
  sides.
- R is the time in which the reference has a word, P that of the prediction, B that of both, C the time in which both have the
  same label of a word, and T all time. Silence on both sides agrees. Its time is T − R − P + B.
- The identification error is R − B (missed), P − B (false alarm) and B − C (confusion), as a share of R. It may be above 1.
- Times are added up in microseconds, over all recordings. There is no tolerance, and no frame: with frames of 10 ms these scores
  differ by what frames round.

Sources
-------
Accuracy: Harte (2010), Towards Automatic Extraction of Harmony Information from Music Signals, ch. 8: mir_eval's
`chord.weighted_accuracy` of merged intervals. Identification error, precision and recall: Bredin (2017), Interspeech,
pyannote.metrics.
"""

from __future__ import annotations

from collections.abc import Mapping

from ...kernel.comparison import Comparison
from ...kernel.formulas import Count, Score, Tallied, divide, precision_recall_fscore
from ...scoring.measures.group import UNBOUNDED, Key, ScoreGroup, columns_named
from .comparison import TimedComparison
from .spans import spans_of

_NAME = "labelled_time"
_COLUMNS = (*columns_named(_NAME), "labelled_time_both", "labelled_time_total")


def tally_labelled_time(comparison: Comparison) -> Tallied:
    """Add up the time in which both sides have words with the same label, and that of words of each side and of both."""
    assert isinstance(comparison, TimedComparison)
    spans = spans_of(comparison)
    is_reference = spans.reference >= 0
    is_prediction = spans.prediction >= 0
    is_both = is_reference & is_prediction
    is_same = is_both & (spans.reference == spans.prediction)
    # In the order of _COLUMNS: matched, predicted, reference, both, total.
    sums = [spans.sums(counted) for counted in (is_same, is_prediction, is_reference, is_both)]
    return dict(zip(_COLUMNS, [*sums, comparison.durations], strict=True))


def labelled_time_scores(counts: Mapping[str, Count], zero_division: float) -> dict[str, Score]:
    """Compute precision, recall and F-score, the accuracy with silence, and the identification error."""
    same, predicted, reference, both, total = (counts[column] for column in _COLUMNS)
    silent = total - reference - predicted + both
    wrong = (reference - both) + (predicted - both) + (both - same)
    return {
        **precision_recall_fscore(_NAME, counts, zero_division),
        "labelled_time_accuracy": divide(same + silent, total, zero_division),
        "identification_error_rate": divide(wrong, reference, zero_division),
    }


GROUP = ScoreGroup(
    name=_NAME,
    title="time with the same label",
    definition="The time of recordings in which both sides have a word with the same label, C, in which the prediction, the "
    "reference and both have a word, P, R and B, and all time, T.",
    formula="precision C / P, recall C / R, fscore 2C / (P + R), accuracy (C + T − R − P + B) / T, "
    "identification_error_rate (R + P − B − C) / R",
    source="Harte (2010); Bredin (2017)",
    columns=_COLUMNS,
    keys={
        "labelled_time_precision": Key("Labelled time precision"),
        "labelled_time_recall": Key("Labelled time recall"),
        "labelled_time_fscore": Key("Labelled time F-score"),
        "labelled_time_accuracy": Key("Time with the same label"),
        "identification_error_rate": Key("Identification error rate", range=UNBOUNDED, better="lower"),
    },
    tally=tally_labelled_time,
    formulas=labelled_time_scores,
    needs=frozenset({"times", "word_labels"}),
    also_called=("der", "ier"),
    equal_to="mir_eval's weighted accuracy, pyannote.metrics (identification)",
)
