"""Sweep: scores over every threshold on boundary scores, at the cost of a sort.

Conventions
-----------
- An utterance of N units has N − 1 inner gaps, the positions between two neighbouring units. A segmenter gives each a
  boundary score, a logit, a probability or any other finite number; higher means more like a boundary. Only their order
  and their comparison with a threshold count. An utterance's two ends are boundaries whatever the scores say.
- At a threshold t the gaps with a score of at least t are boundaries. At a ratio λ it is that share of all inner gaps of
  the corpus, best first, and of equal scores those first that come first: floor(λ·n + ½) of n gaps.
- A point of a curve is a threshold or a ratio. Either way it is a number k of accepted gaps, the first k by rank; a gap
  has the rank of its place, from 0, in the order of falling scores. An utterance's ends have the rank −1.
- The reference stands before the scores.

What is computed
----------------
A reference word is recovered where both its ends are accepted and none of the gaps inside is: from k = 1 + the larger
rank of its ends up to k = the smallest rank inside. So the number of matched words, as a function of k, is a sum of
intervals: one count where each begins and one where it ends, added up from the left. Everything but the sort is linear.
The formulas are those of `scores`, on arrays of counts.

Source
------
Shao, Hardmeier & Nivre (2017), IJCNLP, Section 3 and Figure 1. Its text says that the segmenter is T1 at λ = 0 and T2 at
λ = 1; by its Table 1, as here, it is T2 (no inner boundary) at λ = 0 and T1 (every gap a boundary) at λ = 1.
"""

from __future__ import annotations

__all__ = ["SWEEP_KEYS", "BoundaryScores", "read_boundary_scores", "sweep", "sweep_segmentations"]

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from .errors import UtteranceError
from .formulas import Count, check_zero_division, divide
from .inputs import LABELS, WORDS, form_name, read_column
from .lexicon import Lexicon
from .scores import GROUPS, compute_scores
from .scoring import DEFAULT_WORD_BOUNDARY, Options, check_form, map_in_order, parts_of, read_part, reader_for
from .segmentation import SPACE, Bytes, Positions, Segmentation

Floats: TypeAlias = npt.NDArray[np.float64]
Ranks: TypeAlias = npt.NDArray[np.int32] | npt.NDArray[np.int64]

#: The groups of a curve, but for type scores.
SWEEP_GROUPS = ("boundary_all", "boundary_noedge", "token", "tnr")
#: The scores of a curve, in order.
SWEEP_KEYS = tuple(key for name in SWEEP_GROUPS for key in GROUPS[name].keys)
_TYPE_KEYS = GROUPS["type"].keys

#: The label schemes under which there is a score a unit.
UNIT_SCHEMES = ("start", "end")

#: So many values that sorting them is worth a second thread.
_WORTH_A_THREAD = 1 << 16

#: Points that are scored at once, so that the arrays between the counts and the scores stay in the processor's cache.
_POINTS_AT_ONCE = 1 << 14

_NUMBERS = pa.large_list(pa.float64())
_EXPECTED = "expected a list of numbers for each utterance, one an inner gap"


@dataclass(frozen=True)
class BoundaryScores:
    """The boundary scores of a corpus.

    Attributes:
        values: float64, those of all utterances end to end.
        lengths: int64, how many each utterance has.
    """

    values: Floats
    lengths: Positions


@dataclass(frozen=True)
class _Corpus:
    """A reference, with positions that count units through all its parts.

    Attributes:
        parts: as they were read, for the words.
        word_ends, utterance_ends: int64, the position at which each word and each utterance ends.
        utterance_units: int64, the number of units of each utterance.
    """

    parts: Sequence[Segmentation]
    word_ends: Positions
    utterance_ends: Positions
    utterance_units: Positions


@dataclass(frozen=True)
class _Points:
    """The points of a curve, in order.

    Attributes:
        accepted: int64, how many gaps are boundaries.
        threshold, ratio: what was asked for, and what it comes to.
    """

    accepted: Positions
    threshold: Floats
    ratio: Floats


def sweep(
    references: Any,
    boundary_scores: Any,
    *,
    thresholds: Any = None,
    ratios: Any = None,
    types: bool = False,
    label_scheme: str | None = None,
    reference_label_scheme: str | None = None,
    zero_division: float = 0.0,
    text_format: str = "units",
    word_boundary: str = DEFAULT_WORD_BOUNDARY,
    ignored_tokens: Sequence[str] = (),
) -> dict[str, Any]:
    """Score a segmenter's boundary scores at every threshold, or at those given, in O(n log n) for n units.

    Args:
        references: utterances, in any form that `inputs` lists.
        boundary_scores: for every utterance the scores of its N − 1 inner gaps, in order; with `label_scheme` those of its
            N units. Finite numbers. Lists of lists, arrays (2-D where all lengths agree; numpy, torch), lists of arrays,
            Arrow lists.
        thresholds: numbers; the points of the curve. inf accepts no gap and -inf all.
        ratios: numbers in [0, 1]; the points of the curve. Not both.
        types: whether to score types too, at the points given; each costs as much as scoring a prediction.
        label_scheme: `"start"` where scores are of a unit to start a word, so that an utterance's first counts for nothing;
            `"end"` where they are of a unit to end one, so that its last counts for nothing; None for inner gaps.
        reference_label_scheme: how references are read that are labels or tags; where they are integers, `label_scheme`
            unless given.
        zero_division: the value of 0/0, in [0, 1] or nan.
        text_format, word_boundary, ignored_tokens: how references that are strings are read, as `Options` has it.

    Returns:
        float64 arrays of shape (n_points,), in the order of the thresholds or ratios given; or else one point for no
        boundary, with the threshold inf, and one for every distinct score, falling:

        - `threshold`: as given; at a ratio, the score of the last gap accepted, and inf where none is.
        - `ratio`: as given; at a threshold, the share of the inner gaps that it accepts (0 where there is none).
        - the scores SWEEP_KEYS, and those of types if asked for.

        And `best`: for each score a dict of `threshold`, `ratio` and `score`, floats, at the first point where the score is
        greatest; for every distinct threshold, that is the highest one. Undefined scores (nan) are passed over.

    Raises:
        TypeError: an input of no known form, or an option of the wrong type.
        ValueError: sides that differ in number, too many or too few scores, a score that is not finite, a bad option. The
            message names the utterance.

    The naive equivalent scores the corpus once for each threshold: a prediction splits where `score >= threshold`.

    Source: Shao et al. (2017), Figure 1.

    >>> curve = sweep(["ab c"], [[0.1, 0.8]], text_format="words")
    >>> curve["threshold"], curve["token_recall"]
    (array([inf, 0.8, 0.1]), array([0. , 1. , 0.5]))
    >>> curve["best"]["token_fscore"]
    {'threshold': 0.8, 'ratio': 0.5, 'score': 1.0}
    """
    scores = read_boundary_scores(boundary_scores)
    parts = _read_references(
        references,
        label_scheme,
        reference_label_scheme,
        text_format=text_format,
        word_boundary=word_boundary,
        ignored_tokens=ignored_tokens,
    )
    return sweep_segmentations(
        parts,
        scores,
        thresholds=thresholds,
        ratios=ratios,
        types=types,
        label_scheme=label_scheme,
        zero_division=zero_division,
    )


def sweep_segmentations(
    references: Sequence[Segmentation],
    scores: BoundaryScores,
    *,
    thresholds: Any = None,
    ratios: Any = None,
    types: bool = False,
    label_scheme: str | None = None,
    zero_division: float = 0.0,
) -> dict[str, Any]:
    """`sweep` for what has been read.

    Args:
        references: consecutive parts of the reference.
        scores: those of the whole.
        thresholds, ratios, types, label_scheme, zero_division: as in `sweep`.

    Raises:
        TypeError, ValueError: as `sweep`.
    """
    check_zero_division(zero_division)
    _check_unit_scheme(label_scheme)
    wanted = _check_points(thresholds, ratios)
    _check_types(types, thresholds is not None or ratios is not None, references)
    corpus = _join(references)
    values = _inner_scores(corpus, scores, label_scheme)
    # Ties must stand in order for ratios alone: between thresholds they are accepted together.
    order = _falling_order(values, ties_in_order=ratios is not None)
    falling = values[order]
    if ratios is not None:
        points = _points_at_ratios(wanted, falling)
    elif thresholds is not None:
        points = _points_at_thresholds(wanted, falling)
    else:
        points = _points_at_every_threshold(falling)
    ranks = _rank_positions(corpus, order)
    counts = _count_points(corpus, ranks, points.accepted)
    keys = SWEEP_KEYS
    if types:
        counts |= _count_types(corpus, ranks, points.accepted)
        keys += _TYPE_KEYS
    curve = {"threshold": points.threshold, "ratio": points.ratio} | _score_points(counts, keys, zero_division)
    return curve | {"best": {key: _best(curve, key) for key in keys}}


def _check_unit_scheme(label_scheme: str | None) -> None:
    if label_scheme is not None and label_scheme not in UNIT_SCHEMES:
        raise ValueError(
            f"label_scheme={label_scheme!r}: boundary scores are one an inner gap (None), or one a unit, of its being the "
            f'"start" or the "end" of a word.'
        )


def _check_points(thresholds: Any, ratios: Any) -> Floats:
    """The thresholds or ratios asked for; none where it is every distinct threshold."""
    if thresholds is not None and ratios is not None:
        raise ValueError("thresholds and ratios were both given: expected one of them, or neither for every threshold.")
    if thresholds is not None:
        return _check_numbers("thresholds", thresholds)
    if ratios is None:
        return np.zeros(0)
    checked = _check_numbers("ratios", ratios)
    outside = (checked < 0) | (checked > 1)
    if outside.any():
        raise ValueError(f"ratios: expected shares in [0, 1], received {float(checked[np.argmax(outside)])!r}.")
    return checked


def _check_numbers(option: str, values: Any) -> Floats:
    array = _as_numpy(list(values) if isinstance(values, (range, pa.Array, pa.ChunkedArray)) else values)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iuf"):
        raise TypeError(f"{option}: expected a list of numbers, received {_short(values)}.")
    if not array.size:
        raise ValueError(f"{option} is empty: expected at least one number, or leave it out for every threshold.")
    if np.isnan(array).any():
        raise ValueError(f"{option}: expected numbers, received nan at index {int(np.argmax(np.isnan(array)))}.")
    return array.astype(np.float64)


def _check_types(types: bool, points_given: bool, references: Sequence[Segmentation]) -> None:
    if not types:
        return
    if not points_given:
        raise ValueError(
            "type scores are computed one point at a time: pass thresholds or ratios with types=True, such as "
            "ratios=[0.0, 0.05, …, 1.0]."
        )
    if any(part.text is None for part in references):
        raise ValueError("types=True needs the words, and labels do not say what they are: pass references as text.")


def _read_references(
    references: Any, label_scheme: str | None, reference_label_scheme: str | None, **text_options: Any
) -> list[Segmentation]:
    """Read the references, in parts that stay in the processor's cache."""
    column = read_column(references, "references")
    if column.type == pa.large_list(pa.null()):
        column = column.cast(WORDS if reference_label_scheme is None else LABELS)
    scheme = reference_label_scheme
    if scheme is None and column.type == LABELS:
        _check_unit_scheme(label_scheme)
        scheme = label_scheme
        if scheme is None:
            raise TypeError(
                "the references are lists of integers: say how they mark words, such as reference_label_scheme="
                '"start" if 1 starts a word.'
            )
    if scheme is not None and column.type not in (WORDS, LABELS, pa.null()):
        raise TypeError(
            f"reference_label_scheme={scheme!r} is for lists of labels, one a unit; the references are "
            f"{form_name(column.type)}: leave it out."
        )
    options = Options(label_scheme=scheme, **text_options)
    if not len(column):
        return []
    check_form(column.type, options)
    read = reader_for(column.type, options)

    def read_slice(part: slice) -> Segmentation:
        try:
            return read_part(read, column, part, "references")
        except UtteranceError as error:
            raise error.at(part.start) from None

    return list(map_in_order(read_slice, list(parts_of(column))))


def read_boundary_scores(values: Any) -> BoundaryScores:
    """Read boundary scores.

    Args:
        values: for every utterance its scores, in any form that `sweep` takes.

    Raises:
        TypeError: an utterance has no list of numbers; the message has its index.

    >>> read_boundary_scores([[0.5, 2], []]).lengths
    array([2, 0])
    """
    if values is None or isinstance(values, (str, bytes, bytearray, Mapping, Set)):
        raise TypeError(f"boundary_scores: received {_short(values)} ({type(values).__name__}); {_EXPECTED}.")
    if isinstance(values, (pa.Array, pa.ChunkedArray)):
        return _from_arrow(values)
    if _is_array(values):
        array = _as_numpy(values)
        if array.ndim == 2 and array.dtype.kind in "iufb":
            return BoundaryScores(array.ravel().astype(np.float64), np.full(len(array), array.shape[1], np.int64))
        if array.dtype.kind != "O":
            raise TypeError(
                f"boundary_scores: received an array of shape {array.shape} and type {array.dtype}; expected one utterance "
                f"a row: numbers of shape (utterances, gaps)."
            )
        values = array.tolist()
    if not isinstance(values, Iterable):
        raise TypeError(f"boundary_scores: received {_short(values)} ({type(values).__name__}); {_EXPECTED}.")
    return _from_utterances(values if isinstance(values, list) else list(values))


def _from_arrow(values: pa.Array | pa.ChunkedArray) -> BoundaryScores:
    column = values if isinstance(values, pa.ChunkedArray) else pa.chunked_array([values])
    kind = column.type
    is_list = pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind)
    numbers = (pa.types.is_floating, pa.types.is_integer, pa.types.is_boolean, pa.types.is_null)
    if not is_list or not any(check(kind.value_type) for check in numbers):
        raise TypeError(f"boundary_scores: received an Arrow array of type {kind}; {_EXPECTED}.")
    column = column.cast(_NUMBERS)
    chunks = [_from_arrow_lists(chunk) for chunk in column.chunks]
    lengths = np.concatenate([np.zeros(0, np.int64), *(chunk.lengths for chunk in chunks)])
    nulls = np.concatenate([np.zeros(0, bool), *(np.asarray(pc.is_null(chunk)) for chunk in column.chunks)])
    if nulls.any():
        raise _odd_scores(int(np.argmax(nulls)), "None")
    return BoundaryScores(np.concatenate([np.zeros(0), *(chunk.values for chunk in chunks)]), lengths)


def _from_arrow_lists(lists: pa.LargeListArray) -> BoundaryScores:
    """The scores of large_list<float64>. A missing number becomes nan, which is no score either."""
    values = lists.flatten()
    return BoundaryScores(
        values.to_numpy(zero_copy_only=False), np.asarray(pc.fill_null(pc.list_value_length(lists), 0), np.int64)
    )


def _from_utterances(utterances: list[Any]) -> BoundaryScores:
    kinds = set(map(type, utterances))
    if kinds <= {list, tuple}:
        try:
            lists = pa.array(utterances, _NUMBERS)
        except (pa.ArrowInvalid, pa.ArrowTypeError):
            lists = None  # something that is no float, perhaps an integer or a boolean: look at each
        if lists is not None and not lists.values.null_count:
            return _from_arrow_lists(lists)
    if kinds == {np.ndarray} and all(array.ndim == 1 and array.dtype.kind in "iufb" for array in utterances):
        arrays = utterances
    else:
        arrays = [_utterance_scores(index, utterance) for index, utterance in enumerate(utterances)]
    lengths = np.fromiter(map(len, arrays), np.int64, len(arrays))
    return BoundaryScores(np.concatenate([np.zeros(0), *arrays], dtype=np.float64), lengths)


def _utterance_scores(index: int, utterance: Any) -> npt.NDArray[Any]:
    """The scores of one utterance.

    Raises:
        UtteranceError: it is no list of numbers.
    """
    if isinstance(utterance, (list, tuple)):
        for at, value in enumerate(utterance):
            if not isinstance(value, (int, float, np.integer, np.floating, np.bool_)):
                raise _odd_scores(index, f"{_short(value)} ({type(value).__name__}) at index {at}")
        return np.asarray(utterance, np.float64)
    if not _is_array(utterance):
        raise _odd_scores(index, f"{_short(utterance)} ({type(utterance).__name__})")
    array = _as_numpy(utterance)
    if array.ndim != 1 or (array.dtype.kind not in "iufb" and array.size):
        raise _odd_scores(index, f"an array of shape {array.shape} and type {array.dtype}")
    return array.astype(np.float64, copy=False)


def _odd_scores(index: int, received: str) -> UtteranceError:
    return UtteranceError(index, f"received {received}; {_EXPECTED}.", side="boundary_scores")


def _is_array(value: Any) -> bool:
    """Whether it is an array of numpy or of another library, such as torch."""
    return isinstance(value, np.ndarray) or hasattr(value, "detach") or hasattr(value, "__array_interface__")


def _as_numpy(value: Any) -> npt.NDArray[Any]:
    """A numpy array. A torch tensor may be on a device, part of a graph, or of a type that numpy has not (bfloat16)."""
    return np.asarray(value.detach().cpu().double() if hasattr(value, "detach") else value)


def _inner_scores(corpus: _Corpus, scores: BoundaryScores, label_scheme: str | None) -> Floats:
    """The scores of the inner gaps, checked.

    Raises:
        UtteranceError: an utterance has too many or too few, or one that is not finite.
        ValueError: as many lists as utterances were expected, or there is no utterance.
    """
    units, lengths = corpus.utterance_units, scores.lengths
    if len(units) != len(lengths):
        raise ValueError(
            f"{len(units)} references and {len(lengths)} lists of boundary scores: expected one list for each reference."
        )
    if not len(units):
        raise ValueError("there is nothing to score: expected at least one utterance, received none.")
    expected = np.maximum(units - 1, 0) if label_scheme is None else units
    if not np.array_equal(expected, lengths):
        at = int(np.argmax(expected != lengths))
        raise _length_error(at, int(lengths[at]), int(units[at]), label_scheme)
    values = scores.values
    ends = np.cumsum(lengths)
    is_inner = np.ones(len(values), bool)
    if label_scheme is not None:
        filled = np.flatnonzero(lengths)
        is_inner[(ends - lengths)[filled] if label_scheme == "start" else ends[filled] - 1] = False
    bad = ~np.isfinite(values) & is_inner
    if bad.any():
        at = int(np.argmax(bad))
        utterance = int(np.searchsorted(ends, at, side="right"))
        index = at - int(ends[utterance] - lengths[utterance])
        what = "gap" if label_scheme is None else "unit"
        raise UtteranceError(
            utterance,
            f"the score of {what} {index} is {float(values[at])!r}; expected a finite number.",
            hint="" if np.isnan(values[at]) else "Is it the logarithm of 0? Clip it, or pass probabilities.",
            side="boundary_scores",
        )
    return values if label_scheme is None else values[is_inner]


def _length_error(utterance: int, received: int, units: int, label_scheme: str | None) -> UtteranceError:
    if label_scheme is None:
        expected = f"expected {max(units - 1, 0)}, one for each inner gap of its {units} units."
        hint = (
            'Is there one a unit? Then label_scheme="start" or "end" says what it is of.'
            if received == units
            else "Are the two ends scored too? They are boundaries always: drop them."
            if received == units + 1
            else ""
        )
    else:
        expected = f"expected {units}, one for each unit."
        hint = "Is there one an inner gap? Then leave label_scheme out." if received == units - 1 else ""
    if not hint and received > units:
        hint = "Drop padding before scoring."
    return UtteranceError(
        utterance, f"received {received} boundary scores; {expected}", hint=hint, side="boundary_scores"
    )


def _short(value: object, length: int = 60) -> str:
    shown = repr(value)
    return shown if len(shown) <= length else shown[: length - 1] + "…"


def _join(parts: Sequence[Segmentation]) -> _Corpus:
    """The parts of a reference as one, with positions in units."""
    starts = np.cumsum([0, *(int(part.utterance_units.sum()) for part in parts)])
    none = np.zeros(0, np.int64)
    units = np.concatenate([none, *(part.utterance_units for part in parts)])
    return _Corpus(
        parts=parts,
        word_ends=np.concatenate(
            [none, *(start + _units_before(part, part.word_ends) for start, part in zip(starts, parts, strict=False))]
        ),
        utterance_ends=np.cumsum(units),
        utterance_units=units,
    )


def _units_before(segmentation: Segmentation, positions: Positions) -> Positions:
    """How many units stand before each position, none of which is 0."""
    text = segmentation.text
    if text is None or int(segmentation.utterance_units.sum()) == len(text):
        return positions
    # Each unit has one byte that begins a character or, in units text, the one space that ends it.
    marks = text == SPACE if segmentation.unit == "token" else _begins(text)
    counts: Positions = np.cumsum(marks, dtype=np.int64)
    return counts[positions - 1]


def _unit_ends(segmentation: Segmentation, text: Bytes) -> Positions:
    """The position at which each unit ends."""
    if segmentation.unit == "token":
        return np.flatnonzero(text == SPACE) + 1
    begins = np.flatnonzero(_begins(text))
    return np.append(begins[1:], len(text)) if len(begins) else begins


def _begins(text: Bytes) -> npt.NDArray[np.bool_]:
    """Which bytes begin a character."""
    return text.view(np.int8) >= -64


def _falling_order(values: Floats, ties_in_order: bool) -> Positions:
    """The indices of the values, from the greatest to the smallest.

    The naive equivalent is `np.argsort(-values)`, stable if ties are to be in order. Two threads do a half each: of the
    values, not of the places, so that there is nothing to merge.
    """
    kind: Literal["stable"] | None = "stable" if ties_in_order else None
    if len(values) < _WORTH_A_THREAD:
        return np.argsort(-values, kind=kind)
    is_upper = values > np.median(values[:: max(1, len(values) // 1000)])

    def sort_half(half: npt.NDArray[np.bool_]) -> Positions:
        places = np.flatnonzero(half)
        return places[np.argsort(-values[places], kind=kind)]

    return np.concatenate(list(map_in_order(sort_half, [is_upper, ~is_upper])))


def _points_at_every_threshold(falling: Floats) -> _Points:
    """No boundary, with the threshold inf, and every distinct score."""
    is_last = np.append(falling[1:] != falling[:-1], True)[: len(falling)]
    accepted = np.append(0, np.flatnonzero(is_last) + 1)
    return _Points(accepted, np.append(np.inf, falling[is_last]), _share(accepted, falling))


def _points_at_thresholds(thresholds: Floats, falling: Floats) -> _Points:
    accepted = np.searchsorted(-falling, -thresholds, side="right")
    return _Points(accepted, thresholds, _share(accepted, falling))


def _points_at_ratios(ratios: Floats, falling: Floats) -> _Points:
    accepted = np.floor(ratios * len(falling) + 0.5).astype(np.int64)
    return _Points(accepted, np.append(np.inf, falling)[accepted], ratios)


def _share(accepted: Positions, falling: Floats) -> Floats:
    return np.asarray(divide(accepted, len(falling), 0.0))


def _rank_positions(corpus: _Corpus, order: Positions) -> Ranks:
    """The rank of every position: of its gap, or −1 at an utterance's end. Position 0 is the first."""
    size = 1 + int(corpus.utterance_units.sum())
    gap_ranks: Ranks = np.empty(len(order), np.int32 if size < 1 << 31 else np.int64)
    gap_ranks[order] = np.arange(len(order), dtype=gap_ranks.dtype)
    is_gap = np.ones(size, bool)
    is_gap[corpus.utterance_ends] = is_gap[0] = False
    ranks: Ranks = np.full(size, -1, gap_ranks.dtype)
    ranks[is_gap] = gap_ranks
    return ranks


def _count_points(corpus: _Corpus, ranks: Ranks, accepted: Positions) -> dict[str, Count]:
    """The counts that the formulas of SWEEP_KEYS read, at each number of accepted gaps."""
    gaps = len(ranks) - 1 - np.count_nonzero(ranks[1:] < 0)
    filled = int(np.count_nonzero(corpus.utterance_units))
    words = len(corpus.word_ends)
    shared = _count_shared(corpus, ranks, gaps)[accepted]
    edges = 2 * filled
    return {
        "boundary_all_matched": shared + edges,
        "boundary_all_predicted": accepted + edges,
        "boundary_all_reference": words - filled + edges,
        "boundary_noedge_matched": shared,
        "boundary_noedge_predicted": accepted,
        "boundary_noedge_reference": words - filled,
        "token_matched": _count_recovered(corpus, ranks, gaps)[accepted],
        "token_predicted": accepted + filled,
        "token_reference": words,
        "token_spans": int((corpus.utterance_units * (corpus.utterance_units + 1) // 2).sum()),
    }


def _count_shared(corpus: _Corpus, ranks: Ranks, gaps: int) -> Positions:
    """How many of the first k gaps are boundaries of the reference, for k = 0 … gaps."""
    is_boundary = np.zeros(gaps + 1, bool)
    is_boundary[ranks[corpus.word_ends] + 1] = True
    is_boundary[0] = False  # there the utterances' ends went
    return np.cumsum(is_boundary)


def _count_recovered(corpus: _Corpus, ranks: Ranks, gaps: int) -> Positions:
    """How many reference words are recovered with the first k gaps as boundaries, for k = 0 … gaps."""
    if not len(corpus.word_ends):
        return np.zeros(gaps + 1, np.int64)
    end_ranks = ranks[corpus.word_ends]
    begin_ranks = np.append(ranks[:1], end_ranks[:-1])
    inside = ranks.copy()
    inside[corpus.word_ends] = inside[0] = gaps  # a word of one unit has no gap inside, and none is lost to it
    smallest_inside = np.minimum.reduceat(inside, np.append(0, corpus.word_ends[:-1]))
    found = np.maximum(begin_ranks, end_ranks) + 1
    lost = smallest_inside + 1
    is_recovered = found < lost
    changes = np.bincount(found[is_recovered], minlength=gaps + 2) - np.bincount(lost[is_recovered], minlength=gaps + 2)
    return np.cumsum(changes[: gaps + 1])


def _count_types(corpus: _Corpus, ranks: Ranks, accepted: Positions) -> dict[str, Count]:
    """The sizes of the lexicons and of their intersection, at each number of accepted gaps."""
    ends = np.cumsum([0, *(int(part.utterance_units.sum()) for part in corpus.parts)])
    # The rank of the boundary after each unit, and where that stands in the part's text.
    parts = [
        (part, ranks[1 + start : 1 + stop], _unit_ends(part, part.text))
        for part, start, stop in zip(corpus.parts, ends, ends[1:], strict=False)
        if part.text is not None
    ]
    reference = Lexicon()
    for part, _, _ in parts:
        reference.update(Lexicon(part.words()))
    reference_types = len(reference)

    def count(gaps: int) -> tuple[int, int]:
        prediction = Lexicon()
        for part, part_ranks, unit_ends in parts:
            split = Segmentation(
                text=part.text,
                word_ends=unit_ends[part_ranks < gaps],
                utterance_ends=part.utterance_ends,
                utterance_units=part.utterance_units,
                unit=part.unit,
            )
            prediction.update(Lexicon(split.words()))
        return reference.count_shared(prediction), len(prediction)

    counted = np.array(list(map_in_order(count, accepted.tolist())), np.int64)
    return {"type_matched": counted[:, 0], "type_predicted": counted[:, 1], "type_reference": reference_types}


def _score_points(counts: Mapping[str, Count], keys: Sequence[str], zero_division: float) -> dict[str, Floats]:
    """`compute_scores`, some points at a time; every score has an array, also where it is the same at all points."""
    size = max(np.size(count) for count in counts.values())
    curve = {key: np.empty(size) for key in keys}

    for start in range(0, size, _POINTS_AT_ONCE):
        part = slice(start, start + _POINTS_AT_ONCE)
        some = {column: count if isinstance(count, int) else count[part] for column, count in counts.items()}
        for key, values in compute_scores(some, keys, zero_division).items():
            curve[key][part] = values
    return curve


def _best(curve: Mapping[str, Floats], key: str) -> dict[str, float]:
    """The first point where a score is greatest; the first of all where it is undefined at all."""
    values = curve[key]
    at = int(np.argmax(values))
    if np.isnan(values[at]):
        at = int(np.argmax(np.where(np.isnan(values), -np.inf, values)))
    return {"threshold": float(curve["threshold"][at]), "ratio": float(curve["ratio"][at]), "score": float(values[at])}
