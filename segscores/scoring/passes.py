"""Passes over sources: tallies of predictions and of every utterance, the window size, pairs to align, forms, ids of clusters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from ..kernel.arrays import Positions
from ..kernel.comparison import find_mismatches
from ..kernel.segmentation import Segmentation, concatenate
from ..options.messages import OptionError
from ..options.table import OPTIONS
from ..reading.form import NOTHING, Form
from ..reading.sources.mixed_units import check_units
from ..reading.sources.sides import open_inputs
from ..reading.sources.source import Side
from .map_pieces import map_pieces
from .measures.group import CorpusSize
from .observations import Observations
from .piece import Piece
from .plan import Plan
from .streams import REFERENCE
from .tally import Tally, tally_comparison

if TYPE_CHECKING:
    from .utterance_tally import UtteranceTally


def sum_tallies(
    sides: Sequence[Side], plan: Plan, *, with_digest: bool = False, **arguments: Any
) -> tuple[list[Tally], Observations]:
    """Return the tally of each prediction, and the record of the pass; `arguments` are for `map_pieces`.

    With `with_digest` the record has the digest of the references, for a signature.
    """
    # All predictions have the same reference, unless each may leave out other utterances.
    is_shared = not plan.reading.skips

    def work(piece: Piece) -> list[Tally]:
        """Return the tally of each prediction in a piece."""
        tallies: list[Tally] = []
        for side_number in range(1, len(sides)):
            compared = piece.compare(side_number, plan)
            # The first tally has the word types of the reference, which the others share.
            first_tally = tallies[0] if is_shared and tallies else None
            tallies.append(tally_comparison(compared.comparison, compared.good, plan, beside=first_tally))
        return tallies

    observed = Observations.for_signature() if with_digest else Observations()
    totals: list[Tally] = []
    for tallies in map_pieces(sides, work, observed=observed, **arguments):
        if not totals:
            totals = tallies
            continue
        for total, tally in zip(totals, tallies, strict=True):
            total.update(tally)
    if not totals:
        # Without an utterance there is no piece.
        totals = [Tally() for _ in sides[1:]]
    return totals, observed


def with_reference(reference: Side, plan: Plan) -> tuple[Plan, Observations | None]:
    """Return the plan with the defaults that come from the whole reference, and the record of the pass for them, or None.

    They never depend on predictions: only utterances of the reference that can't be read are left out.
    """
    option = plan.option_needing_reference
    if option is None:
        return plan, None
    read_once = next((source for source in reference.sources if source.is_once), None)
    if read_once is not None:
        # The pass for the default would leave nothing for the pass that scores.
        problem = f" needs the whole reference first, and {read_once.name} can be read only once: pass "
        raise OptionError("the default of ", option, problem, option, f" with {option.from_reference}.")
    size, observed = size_of(reference)
    return plan.with_reference(size), observed


def size_of(reference: Side, **arguments: Any) -> tuple[CorpusSize, Observations]:
    """Return the size of the reference, and the record of the pass over it; `arguments` are for `map_pieces`."""

    def work(piece: Piece) -> CorpusSize:
        """Return the size of a piece."""
        units_of_utterances = piece.reference.utterance_units  # 0 for a blank utterance, which is not counted
        return CorpusSize(
            units=int(units_of_utterances.sum()),
            words=len(piece.reference.word_ends),
            utterances=int(np.count_nonzero(units_of_utterances)),
        )

    observed = Observations()
    # The pass over both sides will conclude: it warns of utterances that are left out, and this one does not.
    arguments["concludes"] = False
    units = 0
    words = 0
    utterances = 0
    for size in map_pieces([reference], work, observed=observed, **arguments):
        units += size.units
        words += size.words
        utterances += size.utterances
    return CorpusSize(units=units, words=words, utterances=utterances), observed


def check_same(first_pass: Observations | None, observed: Observations, plan: Plan) -> None:
    """Check that a dataset gave the same number of rows as in the pass for defaults that come from the reference.

    `first_pass` is the record of that pass; None if there was none.
    """
    if first_pass is not None and first_pass.utterances != observed.utterances:
        option = next(OPTIONS[group.needs_corpus] for group in plan.groups if group.needs_corpus)
        raise OptionError(
            "the dataset gave ",
            f"{first_pass.utterances} rows when it was read for the default of ",
            option,
            f", and {observed.utterances} when it was read again; expected the same: pass {option.from_reference}",
            ", for it to be read once.",
        )


def open_systems(plan: Plan, references: Any, *predictions: Any, names: Sequence[str] = ()) -> tuple[list[Side], Plan]:
    """Return the sides of predictions that are compared with each other, the reference first, and the plan with its window size.

    `names` are those of the predictions in messages, such as "system 'new'".
    """
    sides = open_inputs(plan.reading, references, *predictions, names=names)
    check_units(sides)  # predictions with units and others without are an error
    reference, *_ = sides
    # The pass over all sides, which comes later, keeps a record of its own.
    plan, _observed_for_defaults = with_reference(reference, plan)
    return sides, plan


def concatenate_tallies(
    sides: Sequence[Side], plan: Plan, *, with_digest: bool = False, **arguments: Any
) -> tuple[list[UtteranceTally], Observations]:
    """Return the tally of each prediction, utterance by utterance, and the record, as `sum_tallies` does."""
    from .utterance_tally import TallyBuilder, tally_utterances

    def work(piece: Piece) -> list[UtteranceTally]:
        """Return the tally of each prediction in a piece, utterance by utterance."""
        tallies = []
        for side_number in range(1, len(sides)):
            compared = piece.compare(side_number, plan)
            tallies.append(tally_utterances(compared.comparison, compared.good, plan))
        return tallies

    observed = Observations.for_signature() if with_digest else Observations()
    builders = [TallyBuilder() for _ in sides[1:]]
    for tallies in map_pieces(sides, work, observed=observed, **arguments):
        for builder, tally in zip(builders, tallies, strict=True):
            builder.add(tally)
    if not observed.utterances:
        # Without an utterance there is no tally to join: this raises the error.
        observed.trouble.conclude(sides, observed.utterances)
    return [builder.tally() for builder in builders], observed


def pairs_to_align(sides: Sequence[Side]) -> Positions:
    """Count for each utterance the pairs of units that an alignment compares: 12 for 3 of the reference and 4 of a prediction.

    The counts of several predictions are added up. A prediction with the units of the reference is not aligned, and counts as 0.
    """

    def work(piece: Piece) -> Positions:
        """Count the pairs for each utterance of a piece; none where the units are the same, or cannot be read."""
        pairs = np.zeros(len(piece), np.int64)
        for side_number in range(1, len(sides)):
            read = piece.read(side_number)
            pairs_of_units = read.reference.utterance_units * read.prediction.utterance_units
            has_other_units = find_mismatches(read.reference, read.prediction)
            pairs[read.good] += np.where(has_other_units, pairs_of_units, 0)
        return pairs

    return np.concatenate([*map_pieces(sides, work)])


def form_of(side: Side) -> Form:
    """Return the form of the first values of a side; NOTHING if there are no values."""
    # The only side of the pass has the number of a reference, whatever its role is. `next` reads the first piece alone. Nothing
    # is scored, so that the pass does not conclude with a check that something was.
    forms = map_pieces([side], lambda piece: piece.form(REFERENCE), concludes=False)
    return next(forms, NOTHING)


def ids_of(observed: Observations, number: int = 0, name: str = "clusters") -> pa.Array:
    """Return a column of ids of all utterances, by its number among the columns of ids.

    `name` is the name of the option, for messages. The column is empty, and of type null, if there is no utterance.
    """
    columns_of_pieces = [columns[number] for columns in observed.ids]
    # An empty array may have another type than the others.
    arrays = [ids for ids in columns_of_pieces if len(ids)]
    kinds = {array.type for array in arrays}
    if len(kinds) > 1:
        received = " and ".join(sorted(map(str, kinds)))
        raise TypeError(f"{name}: expected ids that are all strings or all integers, received {received}.")
    if not arrays:
        return pa.nulls(0)
    return pa.concat_arrays(arrays)


def segment_side(side: Side, **arguments: Any) -> Segmentation:
    """Return the segmentation of a whole side; arguments are those of `map_pieces`."""
    return concatenate(list(map_pieces([side], lambda piece: piece.reference, **arguments)))
