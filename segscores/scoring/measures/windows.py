"""Windows: scores that tolerate near misses, by sliding windows (Pk, WindowDiff) or by moving boundaries.

Conventions
-----------
- All scores are errors: 0 is perfect and lower is better. The weighted WindowDiff is in [0, k].
- Windows lie within an utterance, and only boundaries within it count.
- A window of size k lies between the units i and i + k: it spans k gaps, and an utterance of N units has N − k of them.
  Pk counts the windows in which exactly one side has a boundary. WindowDiff counts those in which the numbers of
  boundaries differ; its weighted variant adds up these differences.
- The score of a corpus is errors / windows, both summed over the utterances. The mean over the utterances that have a
  window, as of tools that score one utterance at a time, is `average="macro", zero_division=nan`.

Window conventions, in an utterance of N units and W reference words:

| `window_convention` | windows | default k | is |
|---|---|---|---|
| `"segeval"` | N − k, of k gaps | N / (2·W), at least 2 | the papers; segeval |
| `"nltk"` | N − k, of k gaps | (N − 1) / (2·(W − 1)) | NLTK, given a symbol for each gap |
| `"nltk_units"` | N − k + 1, of k units | N / (2·W) | NLTK, given a symbol for each unit, `1` at the last unit of a word |

Defaults are rounded to the nearest whole number, halves to the even one. At the same k the first two are the same: NLTK
has len − k + 1 windows, and its string of gaps has len = N − 1. In a string of units the end of the utterance is a
boundary on both sides: there is one more window, which is never wrong for Pk. NLTK does not document which string it
expects, and its default k fits the second (issues 3020 and 3102 of github.com/nltk/nltk). W − 1 counts as 1 where it is
0. NLTK's default can be 0, and then no window is wrong.

The papers fix neither the rounding nor the least k: Beeferman et al. set k to half the mean length of a reference
segment, and so do Pevzner & Hearst (2002).

Sources
-------
Pk: Beeferman, Berger & Lafferty (1999), Machine Learning 34:177-210. WindowDiff and its weighted
variant: Pevzner & Hearst (2002), Computational Linguistics 28:19-36, pp. 26-27. Implementations: `nltk.metrics.segmentation`
(NLTK 3.10) and `segeval.window` (segeval 2.0.11). segeval deviates in utterances without a window: its Pk is 0, and its
WindowDiff is 0 or an error. Its WindowDiff raises AssertionError from k = 256 on, because it compares numbers by identity.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from ...kernel.arrays import Integers, Positions, count_to, integer_for, last_of
from ...kernel.comparison import Comparison
from ...kernel.formulas import Count, Tallied, divide, quotients
from .generalized_hamming import GENERALIZED_HAMMING_COLUMNS, tally_generalized_hamming
from .group import UNBOUNDED, CorpusSize, Key, ScoreGroup

_ERRORS = {key: f"{key}_errors" for key in ("pk", "window_diff", "window_diff_weighted")}
WINDOWS_COLUMNS = ("windows", *_ERRORS.values(), *GENERALIZED_HAMMING_COLUMNS)
_QUOTIENTS = {key: (errors, "windows") for key, errors in _ERRORS.items()}
_QUOTIENTS["generalized_hamming"] = GENERALIZED_HAMMING_COLUMNS

windows_scores = partial(quotients, _QUOTIENTS)


def default_window_size(units: Count, words: Count, utterances: Count, window_convention: str = "segeval") -> Positions:
    """Return the default window size, half the mean length of a reference word; `utterances` counts those that are not blank.

    Source: `segeval.compute_window_size`, and the default `k` of `nltk.metrics.pk`. `"nltk"` for a corpus takes the gaps and
    the boundaries of all utterances together.

    >>> default_window_size(units=95809, words=33399, utterances=9790).item()
    2
    """
    if window_convention == "nltk":
        # The gaps, and the boundaries between words.
        units = units - utterances
        words = np.maximum(words - utterances, 1)
    # Half the mean length of a word; `rint` rounds 2.5 to the even number, 2, as Python's `round` does.
    sizes = np.rint(divide(units, 2 * words, 0.0)).astype(np.int64)
    if window_convention == "segeval":
        return np.maximum(sizes, 2)
    return sizes


def tally_windows(
    comparison: Comparison, *, window_size: int | Literal["utterance"], window_convention: str = "segeval"
) -> Tallied:
    """Count all windows, and the windows that are wrong by Pk and by WindowDiff; add the counts of `tally_generalized_hamming`.

    `window_size` is k for all utterances; or `"utterance"`, the `default_window_size` of each utterance, as in the tools if
    they are called per utterance without k. k is 0 only as a default, for words of one unit.

    The naive equivalent slides a window over the gaps, 1 where a word ends:
    `[(reference[i : i + k].count(1), prediction[i : i + k].count(1)) for i in range(len(reference) - k + 1)]`.
    """
    units = comparison.reference.utterance_units
    ends = np.cumsum(units)
    starts = ends - units
    total = last_of(ends)
    sizes: Positions | int
    if window_size == "utterance":
        # Each utterance is a corpus of one utterance, or of none if it is blank.
        is_filled = (units > 0).astype(np.int64)
        sizes = default_window_size(units, comparison.utterance_reference, is_filled, window_convention)
    else:
        sizes = min(int(window_size), total + 1)  # a larger size has no window either
    # In a string of units the end of the utterance is a boundary too, so that there is one more window.
    one_more = 1 if window_convention == "nltk_units" else 0
    windows = np.maximum(units - sizes + one_more, 0)
    windows[units == 0] = 0

    # Count the boundaries inside the window that begins at each position, as a difference of running counts. Windows that reach
    # beyond their utterance are computed too, but not counted.
    reference_ends, prediction_ends = comparison.boundary_units()
    reference_inside = _inside(count_to(reference_ends, total), sizes, units)
    prediction_inside = _inside(count_to(prediction_ends, total), sizes, units)
    counted = np.minimum(windows, units)  # with k = 0 there may be one more, with nothing inside
    largest_size = int(np.max(sizes, initial=0))  # no window has more boundaries inside
    pk_errors = _sum_from((reference_inside > 0) != (prediction_inside > 0), starts, counted)
    # From here on `reference_inside` has the differences: new memory takes longer.
    differences = np.subtract(reference_inside, prediction_inside, out=reference_inside)
    window_diff_errors = _sum_from(differences != 0, starts, counted)
    np.abs(differences, out=differences)
    return {
        "windows": windows,
        "pk_errors": pk_errors,
        "window_diff_errors": window_diff_errors,
        "window_diff_weighted_errors": _sum_from(differences, starts, counted, largest_size),
        **tally_generalized_hamming(comparison),
    }


def _inside(running: Integers, sizes: Positions | int, units: Positions) -> Integers:
    """Return the number of boundaries inside the window that begins at each unit.

    `running` are the numbers of boundaries up to each position, `sizes` the size of all windows or of those of each utterance.
    """
    last = len(running) - 1
    inside: Integers = np.zeros(last, running.dtype)
    if isinstance(sizes, int):
        # Running counts 0 0 1 1 2 and windows of 2: those at 0 1 2 have 1 1 1 boundaries inside. Windows that reach beyond
        # the end stay 0, as they are not counted.
        # With a size of 0 there would be one window more than units, behind the last unit.
        windows_within = min(last, max(0, last + 1 - sizes))
        window_ends = slice(sizes, sizes + windows_within)
        np.subtract(running[window_ends], running[:windows_within], out=inside[:windows_within])
    else:
        # Windows of 1 and 2 in utterances of 2 and 2 units: those that begin at 0 1 2 3 end at 1 2 4 4, the last one cut off.
        ends = np.minimum(np.arange(last) + np.repeat(sizes, units), last)
        np.subtract(running[ends], running[:-1], out=inside)
    return inside


def _sum_from(values: npt.NDArray[Any], starts: Positions, lengths: Positions, largest: int = 1) -> Positions:
    """Return the sum of the first `lengths` values from each start; all values are from 0 to `largest`."""
    # Values 1 0 1 1 have the sums 0 1 1 2 3: the first two from index 1 on, 0 and 1, add up to sums[3] - sums[1].
    sums = np.zeros(len(values) + 1, integer_for(len(values) * largest))
    np.cumsum(values, out=sums[1:])
    totals: Positions = (sums[starts + lengths] - sums[starts]).astype(np.int64)
    return totals


class _WindowsGroup(ScoreGroup):
    def with_corpus(self, values: Mapping[str, Any], size: CorpusSize) -> Mapping[str, Any]:
        """Return the options with the default size of windows."""
        if values["window_size"] is not None:
            return values
        window_size = default_window_size(size.units, size.words, size.utterances, values["window_convention"])
        return {**values, "window_size": int(window_size)}


GROUP = _WindowsGroup(
    name="windows",
    title="windows",
    definition="A window of `window_size` gaps slides over each utterance; it is wrong if the two sides differ inside it. "
    "`generalized_hamming` counts edits of boundaries instead.",
    formula="pk and window_diff wrong windows / windows, window_diff_weighted boundaries too many or too few / windows, "
    "generalized_hamming the least cost of insertions, deletions and shifts / utterances",
    source="Beeferman et al. (1999); Pevzner & Hearst (2002); Bookstein et al. (2002)",
    columns=WINDOWS_COLUMNS,
    keys={
        "pk": Key(better="lower"),
        "window_diff": Key("WindowDiff", better="lower"),
        "window_diff_weighted": Key("WindowDiff (weighted)", range=UNBOUNDED, better="lower"),
        "generalized_hamming": Key("Generalized Hamming distance", range=UNBOUNDED, better="lower", is_share=False),
    },
    tally=tally_windows,
    formulas=windows_scores,
    reads_positions=True,
    also_called=("wd",),
    equal_to="NLTK, segeval",
)
