"""Sweep: scores at every threshold on boundary scores, in the time of a sort.

Conventions
-----------
- An utterance of N units has N − 1 inner gaps, the positions between two neighbouring units. A segmenter gives each gap a
  boundary score: a logit, a probability or any other finite number; a higher score means a more likely boundary. Only the order
  of the scores and their comparison with a threshold matter. The two ends of an utterance are always boundaries.
- At a threshold t the gaps with a score of at least t are boundaries. At a ratio λ the boundaries are that share of all
  inner gaps of the corpus, the floor(λ·n + ½) of n gaps with the highest scores; of equal scores, the first count.
- A point of a curve is a threshold or a ratio. Both define a number k of accepted gaps, the first k by rank. The rank
  of a gap is its place, from 0, in the order of decreasing scores. The ends of an utterance have the rank −1.
- The reference is the first argument, the scores the second.

Method
------
A reference word is recovered if both its ends are accepted and no gap inside it is: from k = 1 + the larger rank of its ends up
to k = the smallest rank inside. So the number of matched words, as a function of k, is a sum of intervals. It is the cumulative
sum of +1 where an interval begins and −1 where it ends (`_count_recovered`). Everything except the sort takes linear time.
`_score_points` computes all counts at every point, and applies the formulas of the groups to the arrays of counts.

Source
------
Shao, Hardmeier & Nivre (2017), IJCNLP, Section 3 and Figure 1. Its text says that the segmenter is T1 at λ = 0 and T2 at
λ = 1; by its Table 1, as here, it is T2 (no inner boundary) at λ = 0 and T1 (every gap a boundary) at λ = 1.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, pairwise
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ..kernel.arrays import Floats, Positions, integer_for
from ..kernel.formulas import Count
from ..kernel.lexicon import Lexicon
from ..kernel.segmentation import Segmentation, with_words
from ..options.functions import with_inputs
from ..options.messages import OptionError
from ..options.table import OPTIONS
from ..reading.boundary_scores import check_unit_scheme, inner_scores, read_boundary_scores
from ..reading.form import LABEL_LISTS, STRINGS
from ..reading.numbers import Numbers
from ..reading.reading import DEFAULT_WORD_BOUNDARY, Reading
from ..reading.sources.lists import naming_files, read_scores
from ..reading.sources.sides import open_inputs
from ..reading.world import check_counts_units
from ..results.pictures import CURVE_KEYS, draw_lines
from ..results.result import Cell, Column, Note, Result, Table
from ..scoring.measures.registry import GROUPS, compute_scores, heading_of
from ..scoring.parallel import map_in_order
from ..scoring.passes import form_of, segment_side
from .curve_points import check_point, check_points, points_at
from .error_tables import decode
from .score_order import warn_of_low_scores

#: Places in the order of decreasing scores, or the gaps in that order; in 32 bits where that is enough.
Ranks: TypeAlias = npt.NDArray[np.signedinteger[Any]]

#: The groups of a curve, except for type scores.
SWEEP_GROUPS = ("boundary_all", "boundary_noedge", "token", "tnr")
SWEEP_KEYS = tuple(chain.from_iterable(GROUPS[name].keys for name in SWEEP_GROUPS))
_TYPE_KEYS = tuple(GROUPS["type"].keys)

#: The number of points to score at once, so that intermediate arrays fit in the processor's cache.
_POINTS_AT_ONCE = 1 << 14


class Sweep(dict[str, Any]):
    """The curve that `sweep` computes: arrays by name, and `best`."""

    def plot(self) -> Any:
        """Draw a figure of matplotlib: the token scores over the ratio, with the best point of each marked."""
        lines = {heading_of(key): self[key] for key in CURVE_KEYS}
        x_title = "share of inner gaps that are boundaries (λ)"
        return draw_lines(self["ratio"], lines, x_title, marks_best=True)

    def result(
        self,
        record: Mapping[str, Any],
        signature: str,
        notes: Sequence[Note] = (),
        at: Mapping[str, float] | None = None,
    ) -> Result:
        """Return the best point of each score for people, with the scores `at` another point beside it; the curve for programs.

        Args:
            record: the fields of JSON besides `best`.
            at: the ratio of the other point and its scores, by name; None for no other point.
        """
        best_points = self["best"]
        columns: list[str | Column] = [Column("score", has_keys=True), "best", "ratio", "threshold"]
        if at is not None:
            columns.append(f"at λ = {at['ratio']:.4g}")
        rows = []
        for key, point in best_points.items():
            row = [key, Cell(point["score"], is_share=True), Cell(point["ratio"]), Cell(point["threshold"])]
            if at is not None:
                row.append(Cell(at[key], is_share=True))
            rows.append(row)
        curve = {name: values for name, values in self.items() if name != "best"}

        def points() -> Iterator[tuple[float, ...]]:
            """Yield the rows of the curve. A generator, because most formats show the best points alone."""
            yield from zip(*(values.tolist() for values in curve.values()), strict=True)

        return Result(
            [Table(columns, rows)],
            notes,
            record={**record, "best": best_points},
            data=Table([*curve], points()),
            signature=signature,
        )


@with_inputs
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
) -> Sweep:
    """Score a segmenter's boundary scores at every threshold, or at given ones, in O(n log n) for n units.

    Args:
        references: utterances, in any form of the README's Inputs.
        boundary_scores: for every utterance, the scores of its N − 1 inner gaps, in order; with `label_scheme` those of
            its N units. Finite numbers, as lists of lists, arrays of numpy or torch (2-D if all lengths are equal),
            lists of arrays, Arrow lists, or the path of a file with the scores of one utterance in each line.
        thresholds: the points of the curve. inf accepts no gap, and -inf all.
        ratios: the points of the curve as ratios in [0, 1], in place of `thresholds`.
        types: True to score types too, at requested points; each point costs as much as scoring a prediction.
        label_scheme: `"start"` if scores are for units that start a word, so that the first score of an utterance is ignored;
            `"end"` if they are for units that end a word, so that the last score is ignored; None for scores of inner gaps.
        reference_label_scheme: the label scheme of references that are labels or tags; for integers the default is
            `label_scheme`.
        zero_division: the value of 0/0, in [0, 1] or nan.
        text_format, word_boundary, ignored_tokens: as in `ScoringOptions`, for references that are strings.

    Returns:
        float64 arrays of shape (n_points,), in the order of the given thresholds or ratios. By default there is one
        point without any boundary, with the threshold inf, and one for every distinct score, decreasing:

        - `threshold`: as given; at a ratio, the score of the last accepted gap, or inf where none is accepted.
        - `ratio`: as given; at a threshold, the share of inner gaps that it accepts (0 if there is no gap).
        - the scores SWEEP_KEYS, and the type scores with `types=True`.

        And `best`: for each score, a dict of the floats `threshold`, `ratio` and `score` at the first point where the
        score is greatest; by default that is the highest such threshold. Undefined scores (nan) are ignored.
        `plot()` draws the curve (extra `plot`).

    Raises:
        TypeError: an input has no known form, or an option has the wrong type.
        ValueError: the sides differ in number, an utterance has too many or too few scores, a score is not finite, or a
            bad option. The message names the utterance.

    The naive equivalent scores the corpus once for each threshold: a prediction splits where `score >= threshold`.

    Source: Shao et al. (2017), Figure 1.

    >>> curve = sweep(["ab c"], [[0.1, 0.8]], text_format="words")
    >>> curve["threshold"], curve["token_recall"]
    (array([inf, 0.8, 0.1]), array([0. , 1. , 0.5]))
    >>> curve["best"]["token_fscore"]
    {'threshold': 0.8, 'ratio': 0.5, 'score': 1.0}
    """
    scores = read_boundary_scores(read_scores(boundary_scores))
    texts: Any = {"text_format": text_format, "word_boundary": word_boundary, "ignored_tokens": ignored_tokens}
    # An error names the parameter of this function: `label_scheme` is that of the boundary scores.
    replace(OPTIONS["label_scheme"], name="reference_label_scheme").check(reference_label_scheme)
    reading = Reading.of(label_scheme=reference_label_scheme, **texts)
    with naming_files(boundary_scores=boundary_scores):
        return sweep_segmentation(
            _read_references(references, label_scheme, reading),
            scores,
            thresholds=thresholds,
            ratios=ratios,
            types=types,
            label_scheme=label_scheme,
            zero_division=zero_division,
        )


def sweep_segmentation(
    reference: Segmentation,
    scores: Numbers,
    *,
    thresholds: Any,
    ratios: Any,
    types: bool,
    label_scheme: str | None,
    zero_division: float,
) -> Sweep:
    """Sweep, as `sweep` does, over a reference and boundary scores that were read."""
    OPTIONS["zero_division"].check(zero_division)
    check_unit_scheme(label_scheme)
    thresholds, ratios = check_points(thresholds, ratios)
    _check_types(types, reference, has_points=thresholds is not None or ratios is not None)
    # The reference counts bytes of text. Positions from here on count units.
    word_ends = reference.units_before(reference.word_ends)
    values = inner_scores(reference.utterance_units, scores, label_scheme)
    warn_of_low_scores(reference.utterance_units, word_ends, values)
    # The numbers of the gaps by falling scores. Of equal scores, the first gap comes first, by the stable sort.
    order = np.argsort(-values, kind="stable")
    points = points_at(values[order], thresholds, ratios)
    ranks = _rank_positions(reference.utterance_units, order)
    curve = {"threshold": points.thresholds, "ratio": points.ratios}
    curve |= _score_points(reference.utterance_units, word_ends, ranks, points.accepted, zero_division)
    keys = SWEEP_KEYS
    if types:
        type_scores = compute_scores(_count_types(reference, ranks, points.accepted), _TYPE_KEYS, zero_division)
        curve |= {key: np.asarray(scores_of_points) for key, scores_of_points in type_scores.items()}
        keys = (*SWEEP_KEYS, *_TYPE_KEYS)
    return Sweep({**curve, "best": {key: _best(curve, key) for key in keys}})


@with_inputs
def segment_at(
    references: Any,
    boundary_scores: Any,
    *,
    threshold: float | None = None,
    ratio: float | None = None,
    label_scheme: str | None = None,
    text_format: str = "units",
    word_boundary: str = DEFAULT_WORD_BOUNDARY,
    ignored_tokens: Sequence[str] = (),
) -> list[str] | list[list[str]]:
    """Segment text by boundary scores at one point of the curve.

    Args:
        references: utterances as text or lists of words.
        boundary_scores, label_scheme, text_format, word_boundary, ignored_tokens: as in `sweep`.
        threshold, ratio: the point; pass exactly one of the two.

    Returns:
        The utterances in the form of the references: lists of words, or strings, which are units text, words text or, of
        separated text, words with `|` between them.

    Raises:
        TypeError, ValueError: as `sweep`; or both or neither of threshold and ratio are given; or the references are labels.

    >>> segment_at(["the dog"], [[0.1, 0.2, 0.9, 0.3, 0.1]], ratio=0.4, text_format="words")
    ['the d og']
    """
    thresholds, ratios = check_point(threshold, ratio)
    check_unit_scheme(label_scheme)
    reading = Reading.of(text_format=text_format, word_boundary=word_boundary, ignored_tokens=ignored_tokens)
    (side,) = open_inputs(reading, references)
    check_counts_units(side.reading)
    form = form_of(side)
    if form == LABEL_LISTS:
        raise TypeError(
            "the references are lists of integers: expected strings or lists of words, from which a prediction can be "
            "made."
        )
    reference = segment_side(side)
    with naming_files(boundary_scores=boundary_scores):
        scores = read_boundary_scores(read_scores(boundary_scores))
        values = inner_scores(reference.utterance_units, scores, label_scheme)
    # The numbers of the gaps by falling scores. Of equal scores, the first gap comes first, by the stable sort.
    order = np.argsort(-values, kind="stable")
    (accepted,) = points_at(values[order], thresholds, ratios).accepted
    # Position 0 is the beginning of the corpus, and unit i ends at position i + 1. The gaps of the ranks 0 … accepted − 1 are
    # boundaries, and the ends of utterances, which have the rank −1.
    ranks = _rank_positions(reference.utterance_units, order)
    is_word_end = ranks[1:] < accepted
    prediction = with_words(reference, reference.unit_ends()[is_word_end])
    predictions = _word_lists(prediction)
    if form != STRINGS:
        return predictions
    separator = _separator_of_words(text_format, reference.unit, word_boundary)
    return [separator.join(words) for words in predictions]


def _separator_of_words(text_format: str, unit: str, word_boundary: str) -> str:
    """Return what stands between words of a text in this format, whose units are of this kind: a space in words text."""
    if unit == "token":
        # Units text. A boundary token that is no whitespace stands between spaces, as every unit does.
        return word_boundary if word_boundary.isspace() else f" {word_boundary} "
    return "|" if text_format == "separated" else " "


def _word_lists(segmentation: Segmentation) -> list[list[str]]:
    """Return the words of each utterance."""
    words = [decode(word, segmentation.unit) for word in segmentation.words().to_pylist()]
    stops = np.cumsum(segmentation.word_counts()).tolist()
    # Utterances of 2 and 1 words have the words 0:2 and 2:3 of all.
    return [words[start:stop] for start, stop in pairwise([0, *stops])]


def _rank_positions(utterance_units: Positions, order: Ranks) -> Ranks:
    """Return the rank of every position: of its gap; −1 at the ends of utterances, and at 0, the beginning of the corpus.

    Positions count units over all utterances. `order` has the numbers of the gaps by falling scores.
    """
    # Utterances of 3 and 2 units have the positions 0 to 5, of which 1, 2 and 4 are gaps. The order 1 2 0 of the gaps, the one
    # with the highest score first, gives the gaps the ranks 2 0 1, and the positions the ranks −1 2 0 −1 1 −1.
    utterance_ends = np.cumsum(utterance_units)
    size = 1 + int(utterance_units.sum())
    gap_ranks: Ranks = np.empty(len(order), integer_for(size))
    gap_ranks[order] = np.arange(len(order), dtype=gap_ranks.dtype)
    is_gap = np.ones(size, bool)
    is_gap[0] = False
    is_gap[utterance_ends] = False
    ranks: Ranks = np.full(size, -1, gap_ranks.dtype)
    ranks[is_gap] = gap_ranks
    return ranks


def _count_shared(word_ends: Positions, ranks: Ranks, gap_count: int) -> Ranks:
    """Count the reference boundaries among the first k gaps by rank: an array with an item for each k = 0 … `gap_count`.

    `word_ends` are the positions, in units, at which reference words end, and `ranks` the ranks of all positions.
    """
    # The gap of rank 2 is among the first k for k = 3 and more: a boundary there counts from place 3 on.
    is_boundary = np.zeros(gap_count + 1, bool)
    is_boundary[ranks[word_ends] + 1] = True
    # The words that end at the end of an utterance, with the rank −1, have marked place 0. These ends are no gaps.
    is_boundary[0] = False
    shared: Ranks = np.cumsum(is_boundary, dtype=ranks.dtype)
    return shared


def _count_recovered(word_ends: Positions, ranks: Ranks, gap_count: int) -> Ranks:
    """Count the reference words that are recovered with the first k gaps as boundaries, for k = 0 … `gap_count`.

    Arguments and result are as in `_count_shared`.
    """
    if not len(word_ends):
        return np.zeros(gap_count + 1, ranks.dtype)
    # Example: the utterance `ab c` has the positions 0 to 3, with the ranks −1 1 0 −1 if its second gap has the highest score,
    # and the word ends 2 and 3. The word `ab` is recovered for k = 1, until the gap inside it is accepted too, and `c` for k = 1
    # and 2: for k = 0, 1 and 2 there are 0 2 1 words. The values of the example are behind the lines.
    end_ranks = ranks[word_ends]  # 0 −1
    # Each word begins where the word before it ends, and the first one at position 0.
    begin_ranks = np.append(ranks[:1], end_ranks[:-1])  # −1 0
    inside = ranks.copy()
    # The ends of words are inside no word. Their value is larger than all ranks, so that a word of one unit is never lost.
    inside[0] = gap_count
    inside[word_ends] = gap_count  # 2 1 2 2
    # `reduceat` takes the minimum from each word's begin to the next one's.
    smallest_inside = np.minimum.reduceat(inside, np.append(0, word_ends[:-1]))  # 1 2
    # The word is recovered up to k = the smallest rank inside: the interval ends before the next k.
    interval_ends = smallest_inside + 1  # 2 3
    # A word whose gap inside is accepted before its ends is never recovered: its interval is empty.
    interval_begins = np.minimum(np.maximum(begin_ranks, end_ranks) + 1, interval_ends)  # 1 1
    # The largest end of an interval is gap_count + 1: intervals begin and end at 0 … gap_count + 1.
    begins = np.bincount(interval_begins, minlength=gap_count + 2)
    ends = np.bincount(interval_ends, minlength=gap_count + 2)
    recovered: Ranks = np.cumsum((begins - ends)[: gap_count + 1], dtype=ranks.dtype)
    return recovered


def _score_points(
    units: Positions, word_ends: Positions, ranks: Ranks, accepted: Positions, zero_division: float
) -> dict[str, Floats]:
    """Compute the scores SWEEP_KEYS at each number of accepted gaps, in blocks of points on all cores.

    `units` are the numbers of units of each utterance, `word_ends` the number of units before each word's end, and `ranks` those
    of all positions. `accepted` has the number of accepted gaps of each point.
    """
    # Counts of the corpus, which are the same at every point. Blank utterances have no edges, and do not count.
    utterance_count = int(np.count_nonzero(units))
    word_count = len(word_ends)
    # Three units have 3 spans of one unit, 2 of two and 1 of three.
    span_count = int((units * (units + 1) // 2).sum())
    gap_count = int(units.sum()) - utterance_count
    # An utterance of k words has k - 1 inner boundaries, and two edges, which are boundaries on both sides.
    inner_count = word_count - utterance_count
    edge_count = 2 * utterance_count
    # Counts by the number k of accepted gaps, for k = 0 … gap_count.
    shared_by_accepted = _count_shared(word_ends, ranks, gap_count)
    recovered_by_accepted = _count_recovered(word_ends, ranks, gap_count)
    # A row of one matrix for each score: one block of memory is faster to allocate than many.
    curve = dict(zip(SWEEP_KEYS, np.empty((len(SWEEP_KEYS), len(accepted))), strict=True))

    def score_block(first_point: int) -> None:
        """Write the scores of a block of points into the curve."""
        block = slice(first_point, first_point + _POINTS_AT_ONCE)
        # Each accepted gap is a predicted inner boundary. These three are arrays with an item for each point; the counts of the
        # corpus are numbers.
        predicted = accepted[block]
        matched = shared_by_accepted[predicted].astype(np.int64)
        recovered = recovered_by_accepted[predicted].astype(np.int64)
        counts: dict[str, Count] = {
            "boundary_all_matched": matched + edge_count,
            "boundary_all_predicted": predicted + edge_count,
            "boundary_all_reference": inner_count + edge_count,
            "boundary_noedge_matched": matched,
            "boundary_noedge_predicted": predicted,
            "boundary_noedge_reference": inner_count,
            "token_matched": recovered,
            # An utterance has one word more than inner boundaries.
            "token_predicted": predicted + utterance_count,
            "token_reference": word_count,
            "token_spans": span_count,
        }
        for key, values in compute_scores(counts, SWEEP_KEYS, zero_division).items():
            curve[key][block] = values

    first_points = range(0, len(accepted), _POINTS_AT_ONCE)
    # The list waits until all blocks are written.
    list(map_in_order(score_block, first_points))
    return curve


def _count_types(reference: Segmentation, ranks: Ranks, accepted: Positions) -> dict[str, Count]:
    """Count the types of each side and the shared types, at each number of accepted gaps: a prediction is made at each."""
    unit_ends = reference.unit_ends()
    types = Lexicon(reference.words())
    # The rank at the end of each unit. `ranks` begins with the rank of the beginning of the corpus.
    unit_end_ranks = ranks[1:]

    def count(accepted_gaps: int) -> tuple[int, int]:
        """Count the shared and the predicted types with so many accepted gaps."""
        is_word_end = unit_end_ranks < accepted_gaps
        predicted_types = Lexicon(with_words(reference, unit_ends[is_word_end]).words())
        return types.count_shared(predicted_types), len(predicted_types)

    # A row of two counts for each point. The two columns are arrays with an item for each point.
    counts = np.array(list(map_in_order(count, accepted.tolist())), np.int64)
    matched, predicted = counts.T
    return {"type_matched": matched, "type_predicted": predicted, "type_reference": len(types)}


def _best(curve: Mapping[str, Floats], key: str) -> dict[str, float]:
    """Return the first point where a score is greatest; the first point of all if the score is undefined everywhere."""
    values = curve[key]
    best = int(np.argmax(values))
    # numpy takes nan for the largest value. Most curves have none.
    if np.isnan(values[best]):
        best = int(np.argmax(np.where(np.isnan(values), -np.inf, values)))
    return {
        "threshold": float(curve["threshold"][best]),
        "ratio": float(curve["ratio"][best]),
        "score": float(values[best]),
    }


def _read_references(references: Any, label_scheme: str | None, reading: Reading) -> Segmentation:
    """Read the references. Integers without a label scheme of their own have that of the boundary scores."""
    (side,) = open_inputs(reading, references)
    check_counts_units(side.reading)
    form = form_of(side)
    scheme = reading.label_scheme
    if scheme is None and form == LABEL_LISTS:
        check_unit_scheme(label_scheme)
        scheme = label_scheme
        if scheme is None:
            raise TypeError(
                "the references are lists of integers: say how they mark words, such as reference_label_scheme="
                '"start" if 1 starts a word.'
            )
    if scheme is not None and form == STRINGS:
        raise TypeError(
            f"reference_label_scheme={scheme!r} is for lists of labels, one per unit; the references are "
            f"{form.noun}: leave it out."
        )
    return segment_side(replace(side, reading=replace(side.reading, label_scheme=scheme)))


def _check_types(types: bool, reference: Segmentation, *, has_points: bool) -> None:
    """Raise an error if type scores are asked for, and there are no points to score, or no words."""
    if not types:
        return
    if not has_points:
        remedy = OPTIONS["thresholds"], " or ", OPTIONS["ratios"], " with ", OPTIONS["types"].set(True), "."
        raise OptionError("type scores are computed one point at a time: pass ", *remedy)
    if reference.text is None:
        why = " needs the words, which labels do not contain: pass references as text."
        raise OptionError(OPTIONS["types"].set(True), why)
