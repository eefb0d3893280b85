"""Passes over sources: tallies of predictions and of every utterance, the window size, pairs to align, forms, ids of clusters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ..options.errors import UtteranceError
from ..options.messages import OptionError
from ..options.table import OPTIONS
from ..reading.arrays import Positions
from ..reading.segmentation import Segmentation, concatenate
from ..reading.sources.sides import check_units, open_inputs
from ..reading.sources.source import Side
from .comparison import find_mismatches
from .lexicon import Lexicon
from .map_pieces import map_pieces
from .measures.windows import default_window_size
from .observations import Observations, conclude
from .piece import Piece
from .plan import Plan
from .tally import Tally, tally_comparison

if TYPE_CHECKING:
    from .utterance_tally import UtteranceTally


def sum_tallies(
    sides: Sequence[Side], plan: Plan, *, signs: bool = False, **arguments: Any
) -> tuple[list[Tally], Observations]:
    """Return the tally of each prediction, and the record; `signs` asks for a digest, `arguments` are for `map_pieces`."""
    # With `skips`, predictions leave out different utterances, and so have references of different lexicons.
    is_shared = len(sides) > 2 and plan.needs_types and plan.on_mismatch != "skip" and not arguments.get("skips")
    is_shared = is_shared and plan.ignored_words is None

    def work(piece: Piece) -> list[Tally]:
        shared = Lexicon(piece.reference.words()) if is_shared else None
        tallies = []
        for number in range(1, len(sides)):
            both = piece.compare(number, plan)
            tally = tally_comparison(both.comparison, both.is_compared, plan, reference_lexicon=shared)
            tallies.append(replace(tally, reference_lexicon=None) if is_shared and number > 1 else tally)
        return tallies

    observed = Observations(digest=0 if signs else None)
    totals: list[Tally] = []
    for tallies in map_pieces(sides, work, observed=observed, **arguments):
        for total, tally in zip(totals, tallies, strict=False):
            total.update(tally)
        totals = totals or tallies
    totals = totals or [Tally() for _ in sides[1:]]
    if is_shared:
        totals = [replace(total, reference_lexicon=totals[0].reference_lexicon) for total in totals]
    return totals, observed


def with_window_size(reference: Side, plan: Plan, **arguments: Any) -> tuple[Plan, Observations | None]:
    """Return the plan with the default window size, if it needs one, and the record of the pass for it, or None.

    The size never depends on predictions: with `skips`, only utterances of the reference that can't be read are left out.
    """
    if not plan.needs_window_size:
        return plan, None
    once = next((source.name for source in reference.sources if source.is_once), None)
    if once is not None:
        problem = f"the default window size needs the whole reference first, and {once} can be read only once: pass "
        raise OptionError(problem, OPTIONS["window_size"], ' with a number of gaps, or "utterance".')
    lengths, observed = count_lengths(reference, **arguments)
    size = default_window_size(**lengths, window_convention=plan.values["window_convention"])
    return plan.with_window_size(int(size)), observed


def count_lengths(reference: Side, **arguments: Any) -> tuple[dict[str, int], Observations]:
    """Return the counts of the reference that `default_window_size` takes, by the names of its parameters."""

    def work(piece: Piece) -> npt.NDArray[np.int64]:
        units = piece.reference.utterance_units
        return np.array([units.sum(), len(piece.reference.word_ends), np.count_nonzero(units)])

    observed = Observations()
    results = map_pieces([reference], work, observed=observed, **arguments | {"concludes": False})
    counts = sum(results, np.zeros(3, np.int64))
    return dict(zip(("units", "words", "utterances"), map(int, counts), strict=True)), observed


def check_same(first_pass: Observations | None, observed: Observations) -> None:
    """Check that a dataset gave the same number of rows as in the pass before, for the window size."""
    if first_pass is not None and first_pass.utterances != observed.utterances:
        first = f"the dataset gave {first_pass.utterances} rows when it was read for the window size"
        problem = f"{first}, and {observed.utterances} when it was read again; expected the same: pass "
        raise OptionError(problem, OPTIONS["window_size"], ', a number of gaps or "utterance", for it to be read once.')


def open_systems(plan: Plan, references: Any, *predictions: Any, names: Sequence[str] = ()) -> tuple[list[Side], Plan]:
    """Return the sides of predictions that are compared with each other, and the plan with its window size."""
    sides = open_inputs(plan.reading, references, *predictions, names=names)
    check_units(sides)
    plan, _ = with_window_size(sides[0], plan)
    return sides, plan


def concatenate_tallies(
    sides: Sequence[Side], plan: Plan, *, signs: bool = False, **arguments: Any
) -> tuple[list[UtteranceTally], list[Positions], Observations]:
    """Return the tally of each prediction, utterance by utterance, and the indexes of its utterances among all."""
    from .utterance_tally import TallyBuilder, tally_utterances

    def work(piece: Piece) -> list[tuple[UtteranceTally, Positions]]:
        tallies = []
        for number in range(1, len(sides)):
            both = piece.compare(number, plan)
            good = np.arange(len(piece)) if both.good is None else np.flatnonzero(both.good)
            tallies.append((tally_utterances(both.comparison, both.is_compared, plan), good))
        return tallies

    observed = Observations(digest=0 if signs else None)
    builders = [TallyBuilder() for _ in sides[1:]]
    indexes: list[list[Positions]] = [[] for _ in sides[1:]]
    before = 0
    for tallies in map_pieces(sides, work, observed=observed, **arguments):
        for builder, indexes_of_side, (tally, good) in zip(builders, indexes, tallies, strict=True):
            builder.add(tally)
            indexes_of_side.append(before + good)
        before = observed.utterances
    if not before:
        conclude(sides, observed)
    return [builder.tally() for builder in builders], [*map(np.concatenate, indexes)], observed


def pairs_to_align(sides: Sequence[Side]) -> Positions:
    """Count for each utterance the pairs of units to compare if predictions with other units are aligned."""

    def work(piece: Piece) -> Positions:
        pairs = np.zeros(len(piece), np.int64)
        for number in range(1, len(sides)):
            try:
                left, right = piece.both(number)
            except UtteranceError as error:
                raise error.but(prediction=number) from None
            pairs += left.utterance_units * right.utterance_units * find_mismatches(left, right)
        return pairs

    return np.concatenate([*map_pieces(sides, work)])


def form_of(side: Side) -> pa.DataType:
    """Return the type of the first values of a side, one of the types in `reading.inputs`; null if there are no values."""
    return next(map_pieces([side], lambda piece: piece.form(0), concludes=False), pa.null())


def ids_of(observed: Observations, number: int = 0, name: str = "clusters") -> pa.Array:
    """Return a column of ids of all utterances; `name` is the name of the option, for messages."""
    arrays = [columns[number] for columns in observed.ids if len(columns[number])]
    kinds = {array.type for array in arrays}
    if len(kinds) > 1:
        received = " and ".join(sorted(map(str, kinds)))
        raise TypeError(f"{name}: expected ids that are all strings or all integers, received {received}.")
    return pa.concat_arrays(arrays) if arrays else pa.nulls(0)


def segment_side(side: Side, **arguments: Any) -> Segmentation:
    """Return the segmentation of a whole side; arguments are those of `map_pieces`."""
    return concatenate(list(map_pieces([side], lambda piece: piece.reference, **arguments)))
