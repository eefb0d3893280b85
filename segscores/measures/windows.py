"""Windows: scores that forgive near misses, by windows slid over the text (Pk, WindowDiff) or by shifted boundaries.

Conventions
-----------
- All three are errors: 0 is perfect and lower is better. Pk and WindowDiff are in [0, 1]; the weighted WindowDiff is in
  [0, k]; the generalized Hamming distance is a cost, from 0 up.
- Positions count units here, not bytes. Windows lie within an utterance, and only boundaries within it matter.
- A window of size k lies between the units i and i + k: it spans k gaps, and an utterance of N units has N − k of them.
  Pk counts the windows for which one side has a boundary inside and the other none; WindowDiff those for which the two
  sides have different numbers of boundaries inside; its weighted variant adds up these differences.
- The score of a corpus is errors / windows, both summed over the utterances. The keys with `mean` are the unweighted mean
  of the utterances' own scores, over those utterances that have a window.

Window conventions, in an utterance of N units and W reference words:

| `window_convention` | windows | default k | is |
|---|---|---|---|
| `"segeval"` | N − k, of k gaps | N / (2·W), at least 2 | the papers; segeval |
| `"nltk"` | N − k, of k gaps | (N − 1) / (2·(W − 1)) | NLTK, given a symbol for each gap |
| `"nltk_units"` | N − k + 1, of k units | N / (2·W) | NLTK, given a symbol for each unit, `1` at the last unit of a word |

Defaults are rounded to the nearest whole number, halves to the even one. At the same k the first two are the same: NLTK
has len − k + 1 windows, and its string of gaps has len = N − 1. In a string of units the end of the utterance is a boundary
that both sides have: there is one more window, which is never wrong for Pk. NLTK does not say which string it takes, and
its default k fits the second (issues 3020 and 3102 of github.com/nltk/nltk). W − 1 counts as 1 where it is 0. NLTK's
default can be 0, and then nothing is ever wrong.

The papers fix neither the rounding nor the least k: Beeferman et al. set k to half the mean length of a reference
segment, and so do Pevzner & Hearst (2002).

Sources
-------
Pk: Beeferman, Berger & Lafferty (1999), Machine Learning 34:177-210. WindowDiff and its weighted variant: Pevzner & Hearst
(2002), Computational Linguistics 28:19-36, pp. 26-27. Generalized Hamming distance: Bookstein, Kulyukin & Raita (2002),
Information Retrieval 5:353-375. Implementations: `nltk.metrics.segmentation` (NLTK 3.10) and `segeval.window` (segeval
2.0.11). segeval deviates in utterances without a window: its Pk is 0, and its WindowDiff 0 or an error; and its
WindowDiff stops with an AssertionError from k = 256 on, as it compares numbers by identity.
"""

from __future__ import annotations

__all__ = [
    "WINDOWS_COLUMNS",
    "WINDOWS_KEYS",
    "WINDOW_CONVENTIONS",
    "boundary_units",
    "check_window_options",
    "count_to",
    "cut_runs",
    "default_window_size",
    "lockstep",
    "piece_size",
    "reference_window_size",
    "tally_generalized_hamming",
    "tally_pk_window_diff",
    "tally_windows",
    "windows_scores",
]

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from ..kernel.comparison import Comparison
from ..kernel.formulas import Count, Score, Tallied, divide
from ..kernel.segmentation import Positions, Segmentation

#: The names that the option `window_convention` takes.
WINDOW_CONVENTIONS = ("segeval", "nltk", "nltk_units")

WINDOWS_COLUMNS = (
    "windows",
    "pk_errors",
    "window_diff_errors",
    "window_diff_weighted_errors",
    "window_utterances",
    "pk_shares",
    "window_diff_shares",
    "generalized_hamming_cost",
    "generalized_hamming_scale",
)
WINDOWS_KEYS = (
    "pk",
    "window_diff",
    "window_diff_weighted",
    "generalized_hamming",
    "pk_mean",
    "window_diff_mean",
)

# An utterance's share of wrong windows is counted in parts of this size. Whole numbers add up to the same in any order,
# and 2 ** 27 utterances fit into 63 bits; a mean is off by less than 1e-11.
_SHARE = 1 << 36
# The largest of the three costs in the unit in which they are counted, where they are no multiples of anything larger.
_LARGEST_COST = 1 << 34
# With that, the costs of all boundaries that fit into memory add up in 63 bits.
_HIGHEST_COST = 1_000_000_000
# In runs shorter than this numpy's own cost of a step is little, and cutting them would not save any.
_SHORT_RUN = 64

_Integers: TypeAlias = npt.NDArray[np.signedinteger[Any]]


@dataclass(frozen=True)
class _Points:
    """Inner boundaries that one side has and the other has not.

    Attributes:
        is_extra: of each, whether the prediction has it.
        costs: of each, what it costs to delete or insert it.
        steps: of each, what it costs to move a boundary from it to the next.
    """

    is_extra: npt.NDArray[np.bool_]
    costs: Positions
    steps: Positions


def tally_windows(
    comparison: Comparison,
    *,
    window_size: int | Literal["utterance"],
    window_convention: str = "segeval",
    insertion_cost: float = 2,
    deletion_cost: float = 2,
    shift_cost: float = 1,
) -> Tallied:
    """The columns of `tally_pk_window_diff` and of `tally_generalized_hamming`, which say what the options are.

    >>> from segscores.kernel.comparison import compare
    >>> from segscores.reading.readers import from_words_text
    >>> both = compare(from_words_text(b"the dog is on\\n"), from_words_text(b"thedog is on\\n"))
    >>> scores = windows_scores(tally_windows(both, window_size=2), 0.0)
    >>> {key: round(value.item(), 3) for key, value in scores.items()}  # doctest: +NORMALIZE_WHITESPACE
    {'pk': 0.25, 'window_diff': 0.25, 'window_diff_weighted': 0.25, 'generalized_hamming': 2.0, 'pk_mean': 0.25,
     'window_diff_mean': 0.25}
    """
    return {
        **tally_pk_window_diff(comparison, window_size=window_size, window_convention=window_convention),
        **tally_generalized_hamming(
            comparison, insertion_cost=insertion_cost, deletion_cost=deletion_cost, shift_cost=shift_cost
        ),
    }


def windows_scores(counts: Mapping[str, Count], zero_division: float) -> dict[str, Score]:
    """Pk and WindowDiff, errors / windows; the mean of the utterances' own; and the generalized Hamming distance.

    The distance is the mean cost of an utterance that is not blank: of one utterance it is what NLTK's `ghd` returns.
    """
    windows, utterances = counts["windows"], counts["window_utterances"]
    return {
        "pk": divide(counts["pk_errors"], windows, zero_division),
        "window_diff": divide(counts["window_diff_errors"], windows, zero_division),
        "window_diff_weighted": divide(counts["window_diff_weighted_errors"], windows, zero_division),
        "generalized_hamming": divide(
            counts["generalized_hamming_cost"], counts["generalized_hamming_scale"], zero_division
        ),
        "pk_mean": divide(counts["pk_shares"], utterances * _SHARE, zero_division),
        "window_diff_mean": divide(counts["window_diff_shares"], utterances * _SHARE, zero_division),
    }


def check_window_options(
    *,
    window_size: Any = None,
    window_convention: Any = "segeval",
    insertion_cost: Any = 2,
    deletion_cost: Any = 2,
    shift_cost: Any = 1,
) -> None:
    """Check the options of the group.

    Args:
        window_size: a whole number from 1, `"utterance"`, or None for what `reference_window_size` says.
        window_convention: a name from WINDOW_CONVENTIONS.
        insertion_cost, deletion_cost, shift_cost: numbers from 0 to 10 ** 9.

    Raises:
        TypeError: an option of the wrong type.
        ValueError: one out of its range.
    """
    if isinstance(window_size, (bool, float)) or not isinstance(window_size, (int, str, np.integer, type(None))):
        raise TypeError(f'window_size: expected a whole number from 1, or "utterance", received {window_size!r}.')
    if window_size != "utterance" and (isinstance(window_size, str) or (window_size is not None and window_size < 1)):
        raise ValueError(f'window_size: expected a whole number from 1, or "utterance", received {window_size!r}.')
    if window_convention not in WINDOW_CONVENTIONS:
        raise ValueError(
            f"unknown window_convention {window_convention!r}: expected one of {', '.join(WINDOW_CONVENTIONS)}."
        )
    costs = {"insertion_cost": insertion_cost, "deletion_cost": deletion_cost, "shift_cost": shift_cost}
    for option, cost in costs.items():
        if isinstance(cost, bool) or not isinstance(cost, (int, float, np.integer, np.floating)):
            raise TypeError(f"{option}: expected a number from 0, received {cost!r}.")
        if not 0 <= cost <= _HIGHEST_COST:
            raise ValueError(f"{option}: expected a number from 0 to {_HIGHEST_COST}, received {cost!r}.")


def default_window_size(units: Count, words: Count, utterances: Count, window_convention: str = "segeval") -> Positions:
    """The window size where none is given: half the mean length of a reference word, by a convention.

    Args:
        units, words, utterances: of the reference: sums over a corpus, or the columns of its utterances. `utterances` counts
            those that are not blank.
        window_convention: a name from WINDOW_CONVENTIONS.

    Returns:
        int64, of the shape of the arguments.

    Source: `segeval.compute_window_size`, and the default `k` of `nltk.metrics.pk`. `"nltk"` for a corpus takes the gaps and
    the boundaries of all utterances together.

    >>> default_window_size(units=95809, words=33399, utterances=9790).item()
    2
    """
    if window_convention == "nltk":
        units, words = units - utterances, np.maximum(words - utterances, 1)
    halves = np.rint(divide(units, 2 * words, 0.0)).astype(np.int64)  # to the even number, as Python's round
    return np.maximum(halves, 2) if window_convention == "segeval" else halves


def reference_window_size(references: Iterable[Segmentation], window_convention: str = "segeval") -> int:
    """`default_window_size` of a corpus.

    Args:
        references: the consecutive parts of the reference.
        window_convention: a name from WINDOW_CONVENTIONS.

    >>> from segscores.reading.readers import from_words_text
    >>> reference_window_size([from_words_text(b"the elephant\\n"), from_words_text(b"remembers\\n")])
    3
    """
    units = words = utterances = 0
    for part in references:
        units += int(part.utterance_units.sum())
        words += len(part.word_ends)
        utterances += int(np.count_nonzero(part.utterance_units))
    return int(default_window_size(units, words, utterances, window_convention))


def tally_pk_window_diff(
    comparison: Comparison, *, window_size: int | Literal["utterance"], window_convention: str = "segeval"
) -> Tallied:
    """Windows, and how many of them are wrong, by Pk and by WindowDiff.

    Args:
        comparison: of a part of a corpus.
        window_size: k, from 1, for all utterances; or `"utterance"`, for each its own by `default_window_size`, as the tools
            have it when they are called for each utterance without k.
        window_convention: a name from WINDOW_CONVENTIONS.

    Returns:
        int64 columns: `windows`; `pk_errors`, `window_diff_errors` (each in [0, windows]) and `window_diff_weighted_errors`
        (in [0, k · windows]); `window_utterances`, 1 where there is a window; `pk_shares` and `window_diff_shares`, errors /
        windows in parts of 2 ** −36, as whole numbers add up to the same in any order.

    Raises:
        TypeError, ValueError: as `check_window_options`.

    Source: Beeferman et al. (1999), Pevzner & Hearst (2002).

    The naive equivalent slides a window over the gaps, 1 where a word ends:
    `[(reference[i : i + k].count(1), prediction[i : i + k].count(1)) for i in range(len(reference) - k + 1)]`.
    """
    check_window_options(window_size=window_size, window_convention=window_convention)
    units = comparison.reference.utterance_units
    ends = np.cumsum(units)
    starts = ends - units
    total = int(ends[-1]) if len(ends) else 0
    sizes: Positions | int
    if window_size == "utterance":
        filled = (units > 0).astype(np.int64)
        sizes = default_window_size(units, comparison.utterance_reference, filled, window_convention)
    else:
        sizes = min(int(window_size), total + 1)  # no window either way
    windows = np.maximum(units - sizes + (window_convention == "nltk_units"), 0) * (units > 0)

    # The boundaries at or before each position, and those inside the window that begins there. Windows that reach beyond
    # their utterance are worked out too, and not counted.
    reference_ends, prediction_ends = boundary_units(comparison)
    reference_inside = _inside(count_to(reference_ends, total), sizes, units)
    prediction_inside = _inside(count_to(prediction_ends, total), sizes, units)
    counted = np.minimum(windows, units)  # with k = 0 there may be one more, with nothing inside
    most = int(np.max(sizes, initial=0))
    pk_errors = _sum_from((reference_inside > 0) != (prediction_inside > 0), starts, counted)
    differences = np.subtract(reference_inside, prediction_inside, out=reference_inside)  # fresh memory takes longer
    errors = _sum_from(differences != 0, starts, counted)
    np.abs(differences, out=differences)
    return {
        "windows": windows,
        "pk_errors": pk_errors,
        "window_diff_errors": errors,
        "window_diff_weighted_errors": _sum_from(differences, starts, counted, most),
        "window_utterances": (windows > 0).astype(np.int64),
        "pk_shares": _shares(pk_errors, windows),
        "window_diff_shares": _shares(errors, windows),
    }


def boundary_units(comparison: Comparison) -> tuple[Positions, Positions]:
    """The position, in units, at which each word of the reference and each of the prediction ends.

    The naive equivalent is `np.cumsum([len(word) for utterance in corpus for word in utterance])`.
    """
    ends = comparison.reference.word_ends, comparison.prediction.word_ends
    # Counted once for both sides.
    both = comparison.reference.units_before(np.concatenate(ends))
    return both[: len(ends[0])], both[len(ends[0]) :]


def _integer_for(size: int) -> type[np.signedinteger[Any]]:
    """The type of numbers up to a size, and of the sum of two; the smaller ones take less time."""
    return np.int32 if size < 1 << 30 else np.int64


def count_to(ends: Positions, total: int) -> _Integers:
    """How many words end at or before each position from 0 to `total`."""
    is_end = np.zeros(total + 1, bool)
    is_end[ends] = True
    counts: _Integers = np.cumsum(is_end, dtype=_integer_for(total))
    return counts


def _inside(counts: _Integers, sizes: Positions | int, units: Positions) -> _Integers:
    """How many boundaries are inside the window that begins at each unit."""
    last = len(counts) - 1
    inside: _Integers = np.zeros(last, counts.dtype)
    if isinstance(sizes, int):
        # Where the window would reach beyond the end it is left at 0, and none is counted.
        full = max(0, last + 1 - sizes)
        np.subtract(counts[sizes:], counts[:full], out=inside[:full])
    else:
        window_ends = np.minimum(np.arange(last) + np.repeat(sizes, units), last)
        np.subtract(counts[window_ends], counts[:-1], out=inside)
    return inside


def _sum_from(values: npt.NDArray[Any], starts: Positions, lengths: Positions, most: int = 1) -> Positions:
    """The sum of the first `lengths` values from each start, all values from 0 to `most`."""
    sums = np.zeros(len(values) + 1, _integer_for(len(values) * most))
    np.cumsum(values, out=sums[1:])
    totals: Positions = (sums[starts + lengths] - sums[starts]).astype(np.int64)
    return totals


def _shares(errors: Positions, windows: Positions) -> Positions:
    shares: Positions = np.rint(divide(errors, windows, 0.0) * float(_SHARE)).astype(np.int64)
    return shares


def tally_generalized_hamming(
    comparison: Comparison, *, insertion_cost: float = 2, deletion_cost: float = 2, shift_cost: float = 1
) -> Tallied:
    """The least cost of turning the prediction's inner boundaries into the reference's.

    Args:
        comparison: of a part of a corpus.
        insertion_cost: of a boundary that the reference has and the prediction has not.
        deletion_cost: of one that the prediction has and the reference has not.
        shift_cost: of moving a boundary by one unit. Bookstein et al. leave the costs to the user; NLTK's defaults are taken
            here, and it recommends a shift cost of 2 with the mean word length as the other two.

    Returns:
        int64 columns: `generalized_hamming_cost`, and `generalized_hamming_scale`, the cost of 1 in the same unit where the
        utterance is not blank, else 0. The unit is the largest of which all three costs are multiples; where that is less than
        2 ** −34 of the greatest cost, they are rounded to that.

    Raises:
        TypeError, ValueError: as `check_window_options`.

    Source: Bookstein et al. (2002). Equal to `nltk.metrics.ghd` of each utterance.

    The naive equivalent is the edit distance of two lists of positions, with the costs of the arguments for a position that
    is missing, of one too many, and of a pair, in time quadratic in the boundaries. It is linear here, in three steps:

    1. A boundary x that both sides have is matched with itself, and left out. That is never worse: where the predicted x moves
       to b and a moves to the reference's x, a may move to b for no more, |a − b| ≤ |a − x| + |x − b|; where the predicted x
       moves to b and the reference's x is inserted, b may be inserted instead; and likewise where x is deleted.
    2. No boundary need move so far that deleting and inserting it costs no more: such a gap splits an utterance into runs.
    3. In a run, going from left to right, all that matters of what is before is how many boundaries are on their way across
       the gap: few, as of f that cross it two can be paired that are 2·f − 1 apart. The least costs for each such number
       follow from those one boundary before, for all runs at once. Long runs are cut into pieces, each followed from every
       number, and then joined: with s = (insertion_cost + deletion_cost) / shift_cost and a longest run of n boundaries, that
       takes max(64, s², √n) + √n steps of numpy.

    Time grows with s too, as far as runs have that many boundaries; in runs that are cut, with its square.
    """
    check_window_options(insertion_cost=insertion_cost, deletion_cost=deletion_cost, shift_cost=shift_cost)
    insertion, deletion, shift, scale = _whole_costs(insertion_cost, deletion_cost, shift_cost)
    units = comparison.reference.utterance_units
    ends = np.cumsum(units)
    total = int(ends[-1]) if len(ends) else 0
    is_end = np.zeros((2, total + 1), bool)
    for side, positions in zip(is_end, boundary_units(comparison), strict=True):
        side[positions] = True
    points = np.flatnonzero(is_end[0] != is_end[1])
    is_extra = is_end[1][points]
    point_costs = np.where(is_extra, deletion, insertion)
    steps = np.diff(points, append=points[-1:]) * shift

    stops = np.searchsorted(points, ends)  # where the points of each utterance end: no point is at its end
    begins_run = np.ones(len(points) + 1, bool)
    begins_run[1:-1] = steps[:-1] >= insertion + deletion
    begins_run[stops] = True
    firsts = np.flatnonzero(begins_run[:-1])
    lengths = np.diff(firsts, append=len(points))
    costs = np.zeros(len(points) + 1, np.int64)  # those of each run, after its first point
    if len(firsts):
        run_costs = np.add.reduceat(point_costs, firsts)
        extra = np.add.reduceat(is_extra.view(np.uint8), firsts, dtype=np.int64)
        is_mixed = (extra > 0) & (extra < lengths)  # of others every boundary is inserted, or every one deleted
        fewer = np.minimum(extra, lengths - extra)
        if shift:
            pairs = np.flatnonzero(is_mixed & (lengths == 2))
            run_costs[pairs] = steps[firsts[pairs]]
            mixed = np.flatnonzero(is_mixed & (lengths > 2))
            most = min(int(fewer.max()), max(0, (insertion + deletion - 1) // shift + 1) // 2)
            run_costs[mixed] = _least_costs(_Points(is_extra, point_costs, steps), firsts[mixed], lengths[mixed], most)
        else:
            run_costs -= fewer * (insertion + deletion)
        costs[firsts + 1] = run_costs
    sums = np.cumsum(costs)[stops]
    return {
        "generalized_hamming_cost": np.diff(sums, prepend=0),
        "generalized_hamming_scale": (units > 0) * np.int64(scale),
    }


def _whole_costs(*costs: float) -> tuple[int, int, int, int]:
    """The three costs as multiples of a unit, and how many of that make 1."""
    exact = [Fraction(str(float(cost))) for cost in costs]
    finest = int(_LARGEST_COST / max(Fraction(1), *exact))
    scale = min(math.lcm(*(cost.denominator for cost in exact)), finest)
    insertion, deletion, shift = (round(cost * scale) for cost in exact)
    return insertion, deletion, shift, scale


def _least_costs(points: _Points, firsts: Positions, lengths: Positions, most: int) -> Positions:
    """The least cost of each run.

    Args:
        points: those of all runs.
        firsts, lengths: of each run, its first point and how many it has.
        most: how many boundaries can be on their way at once.

    The state is how many predicted boundaries are on their way right; below 0, how many reference boundaries are waiting
    to be reached from the right.
    """
    if not len(firsts):
        return np.zeros(0, np.int64)
    states = 2 * most + 1
    # A piece no shorter than the square keeps what is held for all states at about one number a point.
    piece_firsts, piece_lengths, pieces = cut_runs(firsts, lengths, piece_size(lengths, states**2))
    first_pieces = np.cumsum(pieces) - pieces
    is_first = np.zeros(len(piece_firsts), bool)
    is_first[first_pieces] = True
    # A row follows a piece from one state: from 0 where it begins a run, else from each.
    rows = np.where(is_first, 1, states)
    first_rows = np.cumsum(rows) - rows
    row_pieces = np.repeat(np.arange(len(rows)), rows)
    begin_states = np.where(is_first[row_pieces], most, np.arange(len(row_pieces)) - first_rows[row_pieces])

    impossible = np.int64(1) << 60
    order = np.argsort(-piece_lengths[row_pieces], kind="stable")
    costs = np.full((states + 2, len(order)), impossible)  # a row of costs above and below, for states out of reach
    costs[begin_states[order] + 1, np.arange(len(order))] = 0
    row_firsts = piece_firsts[row_pieces[order]]
    on_their_way = np.abs(np.arange(-most, most + 1))[:, None]
    for step, active in lockstep(piece_lengths[row_pieces[order]]):
        at = row_firsts[:active] + step
        now = costs[:, :active]
        moved = np.where(points.is_extra[at], now[:-2], now[2:])
        np.minimum(moved, now[1:-1] + points.costs[at], out=moved)
        now[1:-1] = moved + on_their_way * points.steps[at]
    result = np.empty((states, len(order)), np.int64)
    result[:, order] = costs[1:-1]
    np.minimum(result, impossible, out=result)

    order = np.argsort(-pieces, kind="stable")
    joined = result[:, first_rows[first_pieces[order]]]
    for step, active in lockstep(pieces[order] - 1):
        next_rows = first_rows[first_pieces[order[:active]] + 1 + step] + np.arange(states)[:, None]
        through = joined[:, :active] + result[:, next_rows]  # to each state, from each
        joined[:, :active] = np.minimum(through.min(axis=1), impossible)
    least = np.empty(len(lengths), np.int64)
    least[order] = joined[most]
    return least


def piece_size(lengths: Positions, least: int) -> int:
    """How long the pieces should be that runs are cut into, so that the steps along a piece and over pieces are few.

    Args:
        lengths: int64, of the runs; one at least.
        least: what following pieces from several states makes worth while.
    """
    return max(_SHORT_RUN, math.isqrt(int(lengths.max())), least)


def cut_runs(firsts: Positions, lengths: Positions, size: int) -> tuple[Positions, Positions, Positions]:
    """Cut runs of consecutive numbers into pieces.

    Args:
        firsts, lengths: int64, of each run, its first number and how many it has, from 1.
        size: of a piece, at most.

    Returns:
        The first number of each piece, and its length; and the number of pieces of each run.

    >>> cut_runs(np.array([0, 10]), np.array([5, 2]), 4)
    (array([ 0,  4, 10]), array([4, 1, 2]), array([2, 1]))
    """
    pieces = (lengths + (size - 1)) // size
    offsets = size * (np.arange(int(pieces.sum())) - np.repeat(np.cumsum(pieces) - pieces, pieces))
    return np.repeat(firsts, pieces) + offsets, np.minimum(np.repeat(lengths, pieces) - offsets, size), pieces


def lockstep(lengths: Positions) -> Iterator[tuple[int, int]]:
    """Go through sequences side by side: for each step how many are that long.

    Args:
        lengths: int64, never increasing.

    >>> list(lockstep(np.array([3, 1])))
    [(0, 2), (1, 1), (2, 1)]
    """
    longest = int(lengths[0]) if len(lengths) else 0
    yield from enumerate(np.searchsorted(-lengths, -np.arange(longest)).tolist())
