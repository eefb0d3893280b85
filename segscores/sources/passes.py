"""Passes: what is counted in one pass over sources, and the default window size, which needs a pass of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ..kernel.lexicon import Lexicon
from ..measures.windows import default_window_size
from ..options.table import OPTIONS
from ..scoring.options import Plan
from ..scoring.pipeline import Tally, normalized, tally_comparison
from ..support.messages import OptionError
from .fold import conclude, fold
from .parts import Facts, Part
from .source import Side

if TYPE_CHECKING:
    from ..scoring.utterance_tally import UtteranceTally

Places = npt.NDArray[np.int64]


def sum_tallies(sides: Sequence[Side], plan: Plan, **how: Any) -> tuple[list[Tally], Facts]:
    """The tally of each prediction. `how`: arguments of `fold`."""
    # What is left out, and so the lexicon, differs between predictions.
    is_shared = len(sides) > 2 and plan.needs_lexicons and plan.on_mismatch != "skip" and not how.get("skips")

    def work(part: Part) -> list[Tally]:
        shared = Lexicon(part.reference.words()) if is_shared else None
        found = []
        for at in range(1, len(sides)):
            both = part.compare(at, plan)
            tally = tally_comparison(both.comparison, both.kept, plan, reference_lexicon=shared)
            found.append(replace(tally, reference_lexicon=None) if is_shared and at > 1 else tally)
        return found

    facts = Facts()
    total: list[Tally] = []
    for found in fold(sides, work, facts=facts, **how):
        for tally, added in zip(total, found, strict=False):
            tally.update(added)
        total = total or found
    total = total or [Tally() for _ in sides[1:]]
    if is_shared:
        total = [replace(tally, reference_lexicon=total[0].reference_lexicon) for tally in total]
    return total, facts


def tally_each(sides: Sequence[Side], plan: Plan, **how: Any) -> tuple[list[UtteranceTally], list[Places], Facts]:
    """The tally of each prediction, utterance by utterance, and the indexes of its utterances among all."""
    from ..scoring.utterance_tally import Gathered, tally_compared

    def work(part: Part) -> list[tuple[UtteranceTally, Places]]:
        found = []
        for at in range(1, len(sides)):
            both = part.compare(at, plan)
            good = np.arange(part.count) if both.good is None else np.flatnonzero(both.good)
            found.append((tally_compared(both.comparison, both.kept, plan), good))
        return found

    facts = Facts()
    tallies = [Gathered() for _ in sides[1:]]
    places: list[list[Places]] = [[] for _ in sides[1:]]
    before = 0
    for found in fold(sides, work, facts=facts, **how):
        for own, some, (tally, good) in zip(tallies, places, found, strict=True):
            own.add(tally)
            some.append(before + good)
        before = facts.utterances
    if not before:
        conclude(sides, facts)
    return [own.tally() for own in tallies], [np.concatenate(some) for some in places], facts


def with_window_size(reference: Side, plan: Plan, **how: Any) -> tuple[Plan, Facts | None]:
    """The plan with the default window size, if it needs it, found in a pass over the whole reference.

    It never depends on predictions: with `skips`, only utterances of the reference that can't be read are left out. Returned with
    what the pass found out, or None if there was no need of it.
    """
    if not plan.needs_window_size:
        return plan, None
    once = next((source.name for source in reference.sources if source.is_once), None)
    if once is not None:
        raise OptionError(
            f"the default window size needs the whole reference first, and {once} can be read only once: pass ",
            OPTIONS["window_size"],
            ' with a number of gaps, or "utterance".',
        )

    lengths, facts = count_lengths(reference, plan, **how)
    size = default_window_size(**lengths, window_convention=plan.values["window_convention"])
    return plan.with_window_size(int(size)), facts


def count_lengths(reference: Side, plan: Plan, **how: Any) -> tuple[dict[str, int], Facts]:
    """The counts of the reference that the default window size is computed from, by their names there."""

    def work(part: Part) -> npt.NDArray[np.int64]:
        segmentation = normalized(part.reference, plan.reading)
        units = segmentation.utterance_units
        return np.array([units.sum(), len(segmentation.word_ends), np.count_nonzero(units)])

    facts = Facts()
    counts = sum(fold([reference], work, facts=facts, **{**how, "concludes": False}), np.zeros(3, np.int64))
    return dict(zip(("units", "words", "utterances"), map(int, counts), strict=True)), facts


def check_same(first_pass: Facts | None, facts: Facts) -> None:
    """Check that a dataset gave the same number of rows as in the pass before, for the window size."""
    if first_pass is not None and first_pass.utterances != facts.utterances:
        raise OptionError(
            f"the dataset gave {first_pass.utterances} rows when it was read for the window size, and {facts.utterances} when it "
            f"was read again; expected the same: pass ",
            OPTIONS["window_size"],
            ', a number of gaps or "utterance", for it to be read once.',
        )


def form_of(side: Side) -> pa.DataType:
    """The type of the first values of a side, one of those in `reading.inputs`; null if there are none."""
    return next(fold([side], lambda part: part.form(0), concludes=False), pa.null())


def ids_of(facts: Facts, at: int = 0, name: str = "clusters") -> pa.Array:
    """A column of ids of all utterances; `name` is that of the option, for messages."""
    arrays = [columns[at] for columns in facts.ids if len(columns[at])]
    kinds = {array.type for array in arrays}
    if len(kinds) > 1:
        received = " and ".join(sorted(map(str, kinds)))
        raise TypeError(f"{name}: expected ids that are all strings or all integers, received {received}.")
    return pa.concat_arrays(arrays) if arrays else pa.nulls(0)
