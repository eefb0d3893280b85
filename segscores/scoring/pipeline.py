"""Pipeline: a plan and two columns of utterances in, a flat dict of scores out.

How texts become `token_fscore`, and where each step stands; all entry points take it:

1. `sources.fold` cuts both sides into parts of about half a megabyte, which fit in the processor's cache and are processed on
   all cores. `compare_sides`, below, compares each part: `kernel.comparison` finds the shared boundaries and the matched words.
2. `tally.tally_comparison` counts in the comparison. Each group counts with its own function: the token scores with
   `measures.basic.tally_token`. The tally of the corpus is the sum of the parts' tallies.
3. `score_tally`, below, applies the formulas of each group to the sums, once: those of the token scores are
   `kernel.formulas.precision_recall_fscore`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from ..kernel.comparison import Comparison
from ..kernel.mismatch import compare_mismatched
from ..kernel.segmentation import Segmentation
from ..measures.oov import warn_of_implausible_rate
from ..measures.registry import scores_and_undefined, undefined_keys
from ..options.table import OPTIONS
from ..reading.normalization import normalize_units
from ..reading.options import Reading
from ..support.errors import warn
from ..support.messages import Message, OptionError
from .options import Plan
from .tally import Tally

#: Which utterances of a part are in its comparison; None if all are.
Kept: TypeAlias = "npt.NDArray[np.bool_] | None"
Result = TypeVar("Result")


def score_tally(tally: Tally, plan: Plan, *, prediction: str = "") -> dict[str, float]:
    """The scores of a tally, as plain floats."""
    totals = tally.totals()
    check_skipped(tally.skipped, totals["utterances"] + tally.skipped, prediction)
    scores, undefined = scores_and_undefined(totals, plan.keys, plan.zero_division)
    _warn_of_scores(totals, undefined, plan)
    warn_of_skipped(tally.skipped, totals["utterances"] + tally.skipped, prediction)
    return scores


def warn_of_scores(plan: Plan, *totals: Mapping[str, int]) -> None:
    """Warn of scores that are 0/0 if the user did not set `zero_division`, and of a vocabulary that lacks most words."""
    undefined = {key for each in totals for key in undefined_keys(each, plan.keys)}
    _warn_of_scores(totals[0], [key for key in plan.keys if key in undefined], plan)


def _warn_of_scores(totals: Mapping[str, int], undefined: Sequence[str], plan: Plan) -> None:
    if plan.known_words is not None:
        for unit in plan.known_words.units:
            warn_of_implausible_rate(totals, plan.known_words, unit)
    if undefined and plan.warns_of_undefined:
        warn(
            Message(
                f"undefined (0/0), and so {plan.zero_division}: {', '.join(undefined)}. There is nothing for them to count; ",
                "pass ",
                OPTIONS["zero_division"],
                ", a number in [0, 1] or nan, to choose their value.",
            )
        )


def check_skipped(skipped: int, utterances: int, prediction: str = "") -> None:
    """Check that `on_mismatch="skip"` did not leave out all utterances; arguments are those of `warn_of_skipped`."""
    if skipped and skipped == utterances:
        name = f"{prediction}: " if prediction else ""
        raise ValueError(
            f"{name}none of the {utterances} utterances can be scored: each has different units on the two sides. Does each line "
            f"of the prediction belong to the same line of the reference?"
        )


def warn_of_skipped(skipped: int, utterances: int, prediction: str = "") -> None:
    """Warn of utterances that `on_mismatch="skip"` left out: many of them suggest sides that do not pair.

    `utterances` counts the skipped ones too; `prediction` is a name, if there are several.
    """
    if skipped:
        name = f"{prediction}: " if prediction else ""
        warn(
            f"{name}{skipped} of {utterances} utterances have different units on the two sides and were "
            f"skipped: does each line of the prediction belong to the same line of the reference?"
        )


def compare_sides(reference: Segmentation, prediction: Segmentation, plan: Plan) -> tuple[Comparison, Kept]:
    """Compare a part of both sides, with the options `normalize` and `on_mismatch`, as `compare_mismatched` does."""
    sides = normalized(reference, plan.reading), normalized(prediction, plan.reading)
    return compare_mismatched(*sides, plan.on_mismatch)


def normalized(segmentation: Segmentation, reading: Reading) -> Segmentation:
    """A segmentation with its units normalised by `reading.normalize`."""
    return segmentation if reading.normalize is None else normalize_units(segmentation, reading.normalize)[0]


def require_window_size(plan: Plan) -> None:
    """Reject a plan whose window size needs the whole reference, where only a part is available."""
    if plan.needs_window_size:
        raise OptionError(
            OPTIONS["scores"].set("windows"),
            " needs ",
            OPTIONS["window_size"],
            " here, as parts are counted before the whole reference is known: pass a number of gaps, or "
            '"utterance" for half the mean word length of each utterance.',
        )
