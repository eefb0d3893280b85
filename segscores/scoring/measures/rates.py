"""Rates: how far a prediction over- or under-segments.

Conventions
-----------
- Boundaries are without edges, between two words of an utterance. RB is their number in the reference, PB in the
  prediction, TB on both sides.
- A chunk is the text between two neighbouring shared boundaries, including the two ends of the utterance. It has r
  reference words and p predicted words over the same units. Its reference words are correct if r = p = 1,
  over-segmented if r = 1 < p, under-segmented if p = 1 < r, and mis-segmented if both exceed 1. So every reference word
  is in exactly one class. Where the units differ (`on_mismatch="align"`), the predicted words are those into which the
  predicted boundaries divide the reference's units, and a word with an edit may be in no class.

Scores
------
- Over-segmentation OS = PB / RB − 1: 0 if the number of boundaries is correct, −1 if no boundary is predicted, above 0
  if too many are. It does not depend on whether the boundaries are correct.
- R-value, of OS and the boundary recall HR = TB / RB: 1 where both sides have the same boundaries and less otherwise, without a
  lower bound. Random additional boundaries raise the recall and OS, and lower the R-value.
- The shares of the reference words that are over-, under- and mis-segmented; with the token recall they add up to 1.

OS and the R-value are undefined (`zero_division`) where the reference has no boundary, even if the prediction has some.
All utterances are then single words; read the share of over-segmented words instead.

Published code of speech segmentation computes OS = recall / precision − 1, which is the same where TB > 0. Where no
boundary is correct, that code gives −∞, or −1 because of a small constant in the denominator, however many boundaries
are predicted; here OS depends on their number.

Sources
-------
OS and R-value: Räsänen, Laine & Altosaar (2009), An Improved Speech Segmentation Quality Measure: the
R-value, Interspeech, 1851-1854, where HR and OS are percentages. The paper counts a boundary as found within a
tolerance of 20 ms; here it must be at the exact position, or at most `rates_tolerance` units away. Classes of words:
the summary of wordseg-eval (Bernard et al., 2020, Behavior Research Methods 52:264-278), which lists the reference
words of each class. wordseg-eval recurses once per chunk, so that an utterance of a thousand chunks ends it with an
error; this code does not recurse.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from ...kernel.aligned import project_boundaries
from ...kernel.arrays import sum_by_utterance
from ...kernel.comparison import Comparison
from ...kernel.formulas import Count, Score, Tallied, divide
from ..near import compare_within
from .basic import tally_boundary_noedge
from .group import Key, ScoreGroup

#: The classes of wrong words, as named in columns and keys. Their numbers are those of `Comparison.chunk_classes`, from 1 on.
_CLASSES = ("over_segmented", "under_segmented", "mis_segmented")

_BOUNDARIES = ("rates_matched", "boundary_noedge_predicted", "boundary_noedge_reference")

_SQRT_HALF = float(np.sqrt(0.5))


def tally_rates(comparison: Comparison, *, rates_tolerance: int | None = None) -> Tallied:
    """Count boundaries without edges, and reference words by the class of their chunk.

    Boundaries match within `rates_tolerance` units; None: only equal ones match.

    The naive equivalent, for one utterance, walks from shared end to shared end:
    `chunks = [(r, p), …]`, then `sum(r for r, p in chunks if r > 1 and p == 1)` are under-segmented, and so on.
    """
    # Chunks are of the reference's units, so they need the projection, and they are of words, not of the silences of recordings.
    # Boundaries are counted on each side, as in the group boundary_noedge, from the original comparison.
    projected = project_boundaries(comparison).in_words()
    boundaries = tally_boundary_noedge(comparison)
    matched = boundaries.pop("boundary_noedge_matched")
    if rates_tolerance is not None:
        projected = compare_within(projected, rates_tolerance)
        matched = tally_boundary_noedge(projected)["boundary_noedge_matched"]
    # Chunks of 1 2 1 words with the classes 0 2 0: 0 2 0 words are under-segmented.
    word_counts, classes = projected.chunk_classes()
    chunk_counts = projected.utterance_shared  # a shared boundary ends each chunk
    columns = {"rates_matched": matched, **boundaries}
    for number, name in enumerate(_CLASSES, start=1):
        words_of_class = np.where(classes == number, word_counts, 0)
        columns[name] = sum_by_utterance(words_of_class, chunk_counts)
    return columns | {"token_reference": comparison.tokens().reference}


def r_value(hit_rate: Score, over: Score) -> Score:
    """Return the R-value of a boundary recall HR and an over-segmentation OS.

    It is 1 less the mean of two distances of the point (OS, HR): from the ideal (0, 1), and from the line HR = 1 + OS.
    """
    to_ideal = np.sqrt((1 - hit_rate) ** 2 + over**2)
    to_line = np.abs(hit_rate - 1 - over) * _SQRT_HALF
    return 1 - (to_ideal + to_line) * 0.5


def rates_scores(counts: Mapping[str, Count], zero_division: float) -> dict[str, Score]:
    """Compute over-segmentation, R-value (Räsänen et al. 2009) and the shares of the classes of wrong words."""
    matched = counts["rates_matched"]
    predicted = counts["boundary_noedge_predicted"]
    reference = counts["boundary_noedge_reference"]
    # Nan marks what is undefined, so that `zero_division` replaces the R-value and does not go into it.
    over = divide(predicted - reference, reference, np.nan)
    hit_rate = divide(matched, reference, np.nan)
    return {
        "over_segmentation": _fill(over, zero_division),
        "r_value": _fill(r_value(hit_rate, over), zero_division),
        **{name: divide(counts[name], counts["token_reference"], zero_division) for name in _CLASSES},
    }


def _fill(score: Score, zero_division: float) -> Score:
    """Replace nan, the value without a reference boundary, by `zero_division`."""
    return np.where(np.isnan(score), zero_division, score)[()]  # a number, if the score is one


GROUP = ScoreGroup(
    name="rates",
    title="over- and under-segmentation",
    definition="Boundaries without edges: RB in the reference, PB predicted, TB matched, at the same position or at "
    "most `rates_tolerance` units apart; and the reference words that are over-segmented, under-segmented and mis-segmented.",
    formula="over_segmentation OS = PB / RB − 1, r_value 1 − (√((1 − HR)² + OS²) + |HR − 1 − OS| / √2) / 2, "
    "HR = TB / RB; shares of the reference words",
    source="Räsänen et al. (2009); Bernard et al. (2020)",
    columns=(*_BOUNDARIES, *_CLASSES, "token_reference"),
    keys={
        "over_segmentation": Key("Over-segmentation", range=(-1.0, math.inf), better="near 0"),
        "r_value": Key("R-value", range=(-math.inf, 1.0)),
        "over_segmented": Key("Over-segmented words", better="lower"),
        "under_segmented": Key("Under-segmented words", better="lower"),
        "mis_segmented": Key("Mis-segmented words", better="lower"),
    },
    tally=tally_rates,
    formulas=rates_scores,
    needs=frozenset(),
    equal_to="wordseg-eval --summary (the shares)",
)
