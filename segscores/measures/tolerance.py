"""Tolerance: boundaries that are found at their position or near it.

Conventions
-----------
- Boundaries are those within an utterance, as in the group `boundary_noedge`. Positions count units.
- A reference boundary and a predicted one of the same utterance are in reach of each other if they are at most
  `tolerance` units apart. Boundaries in reach are matched one to one: the matched count is the size of a maximum
  matching. With a tolerance of 0 all counts are those of `boundary_noedge`; but where the units differ
  (`on_mismatch="align"`), a boundary needs a place among the reference's units, which only one of the two around an
  invented word has.
- Precision, recall and F-score are in [0, 1], higher is better.

Scorers of speech segmentation differ in how they treat a boundary in reach of two others (Strgar & Harwath 2022,
arXiv:2211.01461). Some count every boundary that has another in reach, without a one-to-one matching; their precision
and recall are never lower than here.

Sources
-------
Speech segmentation, with reaches in ms: Räsänen, Laine & Altosaar (2009), Interspeech, pp. 1851-1854.
The same matching, with times in place of units: `mir_eval.segment.detection` (with `trim=True`).
"""

from __future__ import annotations

__all__ = [
    "GROUP",
    "ToleranceOptions",
    "check_tolerance",
    "tally_tolerance",
]

from typing import TypedDict

import numpy as np
import numpy.typing as npt

from ..kernel.arrays import lengths_of
from ..kernel.comparison import Comparison
from ..kernel.formulas import Tallied
from ..kernel.integers import LARGEST_DISTANCE, check_integer
from ..kernel.segmentation import Positions
from .group import GroupOption, precision_recall_fscore_group
from .runs import boundary_units, count_to, cut_runs, lockstep, piece_size


class ToleranceOptions(TypedDict, total=False):
    """The options of the group."""

    tolerance: int


def check_tolerance(tolerance: object) -> None:
    """Check the option `tolerance`.

    Raises:
        TypeError: it is not a whole number.
        ValueError: it is below 0, or above LARGEST_DISTANCE.
    """
    check_integer("tolerance", tolerance, least=0, most=LARGEST_DISTANCE, what="a whole number of units")


def tally_tolerance(comparison: Comparison, *, tolerance: int) -> Tallied:
    """Boundaries within an utterance, matched one to one within a tolerance.

    Args:
        comparison: of a part of a corpus.
        tolerance: the greatest distance of matched boundaries in units, from 0.

    Returns:
        int64 columns `tolerance_matched`, `tolerance_predicted` and `tolerance_reference`; an utterance of k words has
        k − 1 boundaries, a blank utterance 0.

    Raises:
        TypeError, ValueError: as `check_tolerance`.

    The naive equivalent gives each reference boundary, from left to right, the first predicted boundary in reach that
    is still free. That is a maximum matching. Proof: take a maximum matching in which the leftmost boundary has another
    partner or none. Give it the first one in reach. The boundary that had this partner can take the partner that was
    given up, because its reach ends later. So the matching stays as large.

    Time is linear in the units. The choice at a boundary depends on the boundary before it only if both reach the same
    predicted one. Such boundaries make chains, and all chains are followed at once. Long chains are cut into pieces.
    Each piece is followed from every predicted boundary that may be the first free one (at most 2·tolerance + 1), and
    the pieces are joined. With a longest chain of n boundaries that takes max(64, 2·tolerance + 1, √n) + √n steps of
    numpy.

    >>> from segscores.kernel.comparison import compare
    >>> from segscores.reading.readers import from_words_text
    >>> both = compare(from_words_text(b"the dog is on\\n"), from_words_text(b"th edog is on\\n"))
    >>> {column: count.item() for column, count in tally_tolerance(both, tolerance=1).items()}
    {'tolerance_matched': 3, 'tolerance_predicted': 3, 'tolerance_reference': 3}
    """
    check_tolerance(tolerance)
    filled = comparison.utterance_reference > 0
    reaches, words = _reaches(comparison, int(tolerance))
    # The matched boundaries up to each word; the last words of utterances are looked up.
    counts = np.zeros(len(comparison.reference.word_ends) + 1, np.int64)
    counts[words + 1] = _matched(reaches)
    stops = np.cumsum(comparison.utterance_reference)
    return {
        "tolerance_matched": lengths_of(np.cumsum(counts)[stops]),
        "tolerance_predicted": comparison.utterance_prediction - filled,
        "tolerance_reference": comparison.utterance_reference - filled,
    }


def _reaches(comparison: Comparison, tolerance: int) -> tuple[Positions, Positions]:
    """The predicted boundaries in reach of each inner reference boundary that has any.

    Returns:
        Integers of shape (2, n), the index of the first predicted boundary in reach and of the first one after those,
        both non-decreasing; and int64, the index of the word that ends at each reference boundary.
    """
    reference, prediction = boundary_units(comparison)
    units = comparison.reference.utterance_units
    ends = np.cumsum(units)
    total = int(ends[-1]) if len(ends) else 0
    predicted = count_to(prediction, total)
    reach = min(tolerance, total)
    small = predicted.dtype  # half the memory takes half the time
    positions = reference.astype(small)
    starts = np.repeat((ends - units).astype(small), comparison.utterance_reference)
    stops = np.repeat(ends.astype(small), comparison.utterance_reference)
    before = predicted[np.maximum(positions - (reach + 1), starts)]
    last = predicted[np.minimum(positions + reach, stops - 1)]
    has_any = np.flatnonzero((before < last) & (positions < stops))  # without the last word of an utterance
    return np.stack((before[has_any], last[has_any])), has_any


def _matched(reaches: Positions) -> npt.NDArray[np.int64]:
    """The number of matched boundaries of each chain, at the chain's first boundary; 0 at the others."""
    first, after = reaches
    matched = np.zeros(len(first), np.int64)
    begins_chain = np.ones(len(first), bool)
    begins_chain[1:] = first[1:] >= after[:-1]
    chain_firsts = np.flatnonzero(begins_chain)
    matched[chain_firsts] = 1
    lengths = np.diff(chain_firsts, append=len(first))
    long = np.flatnonzero(lengths > 1)
    if not len(long):
        return matched

    # Pieces at least as long as the reaches keep the total number of rows below that of boundaries.
    widest = int((after - first).max())
    piece_firsts, piece_lengths, pieces = cut_runs(chain_firsts[long], lengths[long], piece_size(lengths[long], widest))
    first_pieces = np.cumsum(pieces) - pieces
    # A row follows a piece with one predicted boundary as the first free one. All boundaries before the end of the
    # preceding reach may be taken.
    is_first = np.zeros(len(piece_firsts), bool)
    is_first[first_pieces] = True
    rows = np.where(is_first, 1, after[piece_firsts - 1] - first[piece_firsts] + 1)
    first_rows = np.cumsum(rows) - rows
    row_pieces = np.repeat(np.arange(len(rows)), rows)
    free = first[piece_firsts[row_pieces]] + np.arange(len(row_pieces)) - first_rows[row_pieces]
    row_matched = np.zeros(len(free), np.int64)
    order = np.argsort(-piece_lengths[row_pieces], kind="stable")
    row_firsts, row_free, counts = piece_firsts[row_pieces[order]], free[order], row_matched[order]
    for step, active in lockstep(piece_lengths[row_pieces[order]]):
        at = row_firsts[:active] + step
        taken = np.maximum(row_free[:active], first[at])
        is_match = taken < after[at]
        counts[:active] += is_match
        np.add(taken, is_match, out=row_free[:active])
    free[order], row_matched[order] = row_free, counts

    order = np.argsort(-pieces, kind="stable")
    at_rows = first_rows[first_pieces[order]]
    totals, chain_free = row_matched[at_rows], free[at_rows]
    for step, active in lockstep(pieces[order] - 1):
        next_pieces = first_pieces[order[:active]] + 1 + step
        taken = np.maximum(chain_free[:active] - first[piece_firsts[next_pieces]], 0)
        at_rows = first_rows[next_pieces] + taken
        totals[:active] += row_matched[at_rows]
        chain_free[:active] = free[at_rows]
    matched[chain_firsts[long[order]]] = totals
    return matched


GROUP = precision_recall_fscore_group(
    "tolerance",
    title="boundaries within a tolerance",
    definition="Boundaries without edges, in a maximum one-to-one matching of boundaries at most `tolerance` units "
    "apart.",
    source="speech segmentation; Räsänen et al. (2009)",
    tally=tally_tolerance,
    options=(
        GroupOption(
            "tolerance",
            default=1,
            check=check_tolerance,
            help="how many units a matching boundary may be off",
            signature_key="tol",
        ),
    ),
    reads_positions=True,
    equal_to="mir_eval.segment.detection",
)
