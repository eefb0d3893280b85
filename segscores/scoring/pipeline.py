"""Pipeline: a plan and two columns of utterances in, a flat dict of scores out.

How texts become `token_fscore`, and where each step stands:

1. `tally_columns`, below, divides both columns into parts, and `compare_sides` compares each part:
   `kernel.comparison.compare` finds the shared boundaries and the matched words.
2. `tally.tally_comparison` counts in the comparison. Each group counts with its own function: the token scores with
   `measures.basic.tally_token`.
3. `score_tally`, below, applies the formulas of each group to the sums: those of the token scores are
   `kernel.formulas.precision_recall_fscore`.

The parts have about half a megabyte, which fits in the processor's cache, and are processed on all cores. The tally of the
corpus is the sum of the parts' tallies; the formulas are applied once, at the end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from ..kernel.comparison import Comparison
from ..kernel.errors import warn
from ..kernel.mismatch import compare_mismatched
from ..kernel.segmentation import Segmentation
from ..measures.oov import warn_of_implausible_rate
from ..measures.registry import scores_and_undefined, undefined_keys
from ..measures.windows import reference_window_size
from ..reading.inputs import Column
from ..reading.normalization import normalize_units
from ..reading.options import Reading
from ..reading.parts import Reader, map_parts
from .options import Plan
from .tally import Tally, tally_comparison

#: Which utterances of a part are in its comparison; None if all are.
Kept: TypeAlias = "npt.NDArray[np.bool_] | None"
Result = TypeVar("Result")


def score_tally(tally: Tally, plan: Plan, *, prediction: str = "") -> dict[str, float]:
    """The scores of a tally, as plain floats.

    Args:
        prediction: the name of the prediction for warnings; empty if there is only one.

    Warns:
        UserWarning: as `warn_of_scores`.
    """
    totals = tally.totals()
    scores, undefined = scores_and_undefined(totals, plan.keys, plan.zero_division)
    _warn_of_scores(totals, undefined, plan)
    warn_of_skipped(tally.skipped, totals["utterances"] + tally.skipped, prediction)
    return scores


def warn_of_scores(plan: Plan, *totals: Mapping[str, int]) -> None:
    """Warn of scores that are 0/0 if the user did not set `zero_division`, and of a vocabulary that lacks most words.

    Args:
        totals: the counts of the corpus, for each prediction.
    """
    undefined = {key for each in totals for key in undefined_keys(each, plan.keys)}
    _warn_of_scores(totals[0], [key for key in plan.keys if key in undefined], plan)


def _warn_of_scores(totals: Mapping[str, int], undefined: Sequence[str], plan: Plan) -> None:
    if plan.known_words is not None:
        for unit in plan.known_words.units:
            warn_of_implausible_rate(totals, plan.known_words, unit)
    if undefined and plan.warns_of_undefined:
        warn(
            f"undefined (0/0), and so {plan.zero_division}: {', '.join(undefined)}. There is nothing for them to count; pass "
            f"zero_division, a number in [0, 1] or nan, to choose their value."
        )


def warn_of_skipped(skipped: int, utterances: int, prediction: str = "") -> None:
    """Warn of utterances that `on_mismatch="skip"` left out: many of them suggest sides that do not pair.

    Args:
        utterances: how many there are, with those that were skipped.
        prediction: the name of the prediction; empty if there is only one.
    """
    if skipped:
        name = f"{prediction}: " if prediction else ""
        warn(
            f"{name}{skipped} of {utterances} utterances have different units on the two sides and were "
            f"skipped: does each line of the prediction belong to the same line of the reference?"
        )


def tally_columns(references: Column, predictions: Column, plan: Plan) -> Tally:
    """Tally two columns of the same length and form.

    Raises:
        TypeError: the form does not go with the options.
        ValueError: there is no utterance, or one cannot be scored; the message has its index.
    """
    plan = with_window_size(plan, references)
    tallies = map_comparisons(references, predictions, plan, partial(tally_comparison, plan=plan))
    total = next(tallies)
    for tally in tallies:
        total.update(tally)
    return total


def map_comparisons(
    references: Column,
    predictions: Column,
    plan: Plan,
    work: Callable[[Comparison, Kept], Result],
    read: Reader | None = None,
) -> Iterator[Result]:
    """The results of `work` for the comparison of each part of two columns, in order.

    Args:
        references, predictions: of the same length and form.
        plan: how to read and compare them.
        work: called with the result of `compare_sides`, in threads on all cores.
        read: the reader; if None, the reader for the form and the options.

    Raises:
        TypeError: the form does not go with the options.
        ValueError: there is no utterance, or one cannot be scored; the message has its index.
    """
    sides = {"references": references, "predictions": predictions}
    return map_parts(
        sides,
        plan.reading,
        lambda _, both: work(*compare_sides(both[0], both[1], plan)),
        read,
        may_differ=plan.on_mismatch == "skip",
    )


def compare_sides(reference: Segmentation, prediction: Segmentation, plan: Plan) -> tuple[Comparison, Kept]:
    """Compare a part of both sides, with the options `normalize` and `on_mismatch`.

    Returns:
        The comparison, and which utterances it has; None if it has all.

    Raises:
        UtteranceError: the units differ, and `on_mismatch` is `"error"`.
    """
    sides = normalized(reference, plan.reading), normalized(prediction, plan.reading)
    return compare_mismatched(*sides, plan.on_mismatch)


def normalized(segmentation: Segmentation, reading: Reading) -> Segmentation:
    """A segmentation with its units normalised by `reading.normalize`."""
    return segmentation if reading.normalize is None else normalize_units(segmentation, reading.normalize)[0]


def require_window_size(plan: Plan) -> None:
    """Reject a plan whose window size needs the whole reference, where only a part is available.

    Raises:
        ValueError: the message says what to pass.
    """
    if plan.needs_window_size:
        raise ValueError(
            'scores="windows" needs window_size here, as parts are counted before the whole reference is known: pass a number '
            'of gaps, or "utterance" for half the mean word length of each utterance.'
        )


def with_window_size(plan: Plan, references: Column, read: Reader | None = None) -> Plan:
    """The plan with the window size computed from the whole reference, if no option gives it.

    Args:
        read: the reader; if None, the reader for the form and the options.
    """
    if not plan.needs_window_size:
        return plan
    reading = plan.reading
    sides = {"references": references}
    parts = map_parts(sides, reading, lambda _, side: normalized(side[0], reading), read) if len(references) else ()
    return plan.with_window_size(reference_window_size(parts, plan.values["window_convention"]))
