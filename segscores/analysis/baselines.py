"""Baselines: the scores that need no segmenter, and the score of a second annotator, beside those of a prediction.

Conventions
-----------
- `every gap`: each unit is a word. `no gap`: each utterance is a word.
- `random`: as many inner boundaries as the prediction has, at gaps of the whole corpus that are drawn without replacement. The
  scores of boundaries and of words are sums of matched counts over fixed numbers, so their expectation is exact: of n gaps and k
  cuts, a boundary is found with probability k/n, and a word with e inner ends and i gaps within it with
  C(n−e−i, k−e) / C(n, k). Other scores, and means over utterances or clusters, are the mean of `DRAWS` draws,
  with the interval that holds 95 % of them.
- `second reference`: another annotator's segmentation, scored as a prediction: the agreement of two people, a ceiling.
"""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from ..kernel.arrays import Mask, Positions, lengths_of
from ..kernel.comparison import compare_same
from ..kernel.segmentation import Segmentation, with_words
from ..options.keywords import ComputeOptions, Unpack
from ..options.messages import OptionError
from ..options.option import check_needs
from ..options.table import OPTIONS, WORLDS, options_in
from ..results.json_text import as_json
from ..results.rendering import Tabular
from ..results.result import Note, Result, Values
from ..results.scored import Scored, result_of
from ..scoring.functions import with_options
from ..scoring.measures.registry import compute_scores, group_of, keys_named, plain_scores, undefined_keys
from ..scoring.passes import concatenate_tallies, open_systems, segment_side
from ..scoring.plan import Plan
from ..scoring.tally import tally_comparison
from ..scoring.utterance_tally import UtteranceTally, tally_utterances
from ..statistics.clusters import count_clusters, read_clusters, with_clusters
from ..statistics.resampling import Resampling, split_options
from ..statistics.signing import sign_sides
from ..statistics.system_comparison import systems_of
from ..statistics.utterance_scores import score_utterances

#: The number of random segmentations.
DRAWS = 100
#: The share of the random segmentations that an interval holds.
_SHARE = 0.95
#: Groups whose scores are linear in the matched count, as the number of predicted words is fixed: the expectation of a score is
#: then the score of the expected count.
_EXACT = {"boundary_all", "boundary_noedge", "boundary_start", "boundary_end", "token", "tnr"}
SECOND = "second reference"
NOTE = Note(
    f"random: as many boundaries as the prediction; the expectation for scores of boundaries and words, else the mean of "
    f"{DRAWS} draws, with the interval of 95 % of them"
)


@dataclass(frozen=True, eq=False, repr=False)
class BaselineScores(Tabular, Values):
    """The scores of systems, and the scores that need none. Printed, it is the table of `score --baselines`."""

    systems: Sequence[Scored]
    baselines: Sequence[Scored]  #: every gap, no gap, random for each number of boundaries, and the second reference
    signature: str = ""  #: how the scores were computed

    @property
    def scores(self) -> dict[str, dict[str, float]]:
        """The scores by the names of the columns, as `score` returns them."""
        return {column.prediction: column.with_ends() for column in (*self.systems, *self.baselines)}

    def to_dict(self) -> dict[str, Any]:
        """Return the signature, and all scores with their intervals, by the names of the columns."""
        return {"signature": self.signature, "scores": self.scores}

    def to_json(self) -> str:
        """Return `to_dict` as JSON; undefined numbers are null."""
        return as_json(self.to_dict())

    def result(self, reference: str = "references") -> Result:
        """Return the result: a column for each system, and for each baseline."""
        result = result_of([*self.systems, *self.baselines], reference, self.signature)
        record = {
            **(result.record or {}),
            "predictions": [scored.record() for scored in self.systems],
            "baselines": [scored.record() for scored in self.baselines],
        }
        return replace(result, record=record, notes=[NOTE])


@with_options
def baselines(
    references: Any, predictions: Any, *, second_reference: Any = None, **options: Unpack[ComputeOptions]
) -> BaselineScores:
    """Score predictions, and beside them what needs no segmenter: every gap cut, no gap cut, and as many cuts at random.

    Args:
        references, predictions: utterances, in any form of the README's Inputs, or files; of several systems, a dict from names
            to their predictions.
        second_reference: the segmentation of another annotator, whose score is a ceiling; None for none.
        **options: those of `score`.

    Returns:
        The scores of each system and each baseline. Printed, it is a table.

    Raises:
        TypeError, ValueError: as `score`; or the sides are recordings or documents, or their units may differ; or a system has
            the name of a baseline.

    >>> baselines(["the dog", "a cat"], ["the dog", "acat"], text_format="words", scores="token_recall")
    score           prediction    every gap    no gap    random
    ------------  ------------  -----------  --------  --------
    token_recall        0.5000       0.2500    0.0000    0.1250
    <BLANKLINE>
    random: as many boundaries as the prediction; the expectation for scores of boundaries and words, else the mean of 100 \
draws, with the interval of 95 % of them.
    <BLANKLINE>
    signature: segscores|text:words|avg:micro|zero:0|ref:b18c65fa|n:2|v:0.4.0
    """
    plan, resampling, _values = split_options(options)
    check_needs(options, options_in(ComputeOptions))
    check_baselines(plan)
    systems = systems_of(predictions)
    names = [*systems]
    inputs = [*systems.values()]
    if second_reference is not None:
        # The second reference is scored as a prediction, and shown as a baseline.
        names.append(SECOND)
        inputs.append(second_reference)
    sides, plan = open_systems(plan, references, *inputs, names=names)
    tallies, observed = concatenate_tallies(sides, plan, with_digest=True)
    scored = score_systems(names, tallies, plan, resampling)
    cluster_count = count_clusters(resampling.clusters, observed.utterances)
    signature = sign_sides(sides, plan, observed, resampling=resampling, clusters=cluster_count)
    reference_side, *predicted_sides = sides
    # The second reference, if there is one, is the last side: it has no random segmentation, and `zip` leaves it out.
    word_counts = {
        name: len(segment_side(side).word_ends) for name, side in zip(systems, predicted_sides, strict=False)
    }
    without_segmenter = score_baselines(segment_side(reference_side), word_counts, plan, resampling)
    of_systems = scored[: len(systems)]
    of_second_reference = scored[len(systems) :]
    of_baselines = [*without_segmenter, *of_second_reference]
    check_names(of_baselines, systems)
    return BaselineScores(of_systems, of_baselines, signature)


def check_names(baselines: Iterable[Scored], systems: Container[str]) -> None:
    """Check that no system has the name of a baseline: the result has the scores by these names."""
    for baseline in baselines:
        if baseline.prediction in systems:
            raise ValueError(
                f"predictions: {baseline.prediction!r} is the name of a baseline; give the system another name."
            )


def score_systems(
    names: Sequence[str], tallies: Sequence[UtteranceTally], plan: Plan, resampling: Resampling
) -> list[Scored]:
    """Score predictions by their tallies."""
    scored = []
    for name, tally in zip(names, tallies, strict=True):
        scores = score_utterances(tally, plan, resampling, prediction=name)
        undefined = with_clusters(tally, resampling.clusters).undefined(plan.keys, resampling.average)
        scored.append(Scored.of(name, scores, plan.keys, undefined=undefined))
    return scored


def check_baselines(plan: Plan) -> None:
    """Check that a reference that is cut anew can be scored: it has the gaps of the predictions, and no tags or sentences."""
    option = OPTIONS["baselines"]
    if plan.aligns:
        align = OPTIONS["on_mismatch"].set("align")
        raise OptionError(option, ": the units of both sides must be equal: leave ", align, " out.")
    if plan.reading.skips:
        skip = OPTIONS["on_error"].set("skip")
        raise OptionError(option, ": each prediction would leave out others: leave ", skip, " out.")
    if plan.reading.documents:
        raise OptionError(option, ": sentences have no baseline: leave ", OPTIONS["documents"], " out.")
    if plan.reading.world:
        raise OptionError(option, f": {WORLDS[plan.reading.world]} have no gaps: leave it out.")
    tagged = [name for name in plan.scores if any("tags" in group_of(key).needs for key in keys_named(name))]
    if tagged:
        problem = ": words that are cut without a segmenter have no tags, and "
        raise OptionError(option, problem, OPTIONS["scores"].set(tagged), " needs tags: leave one of them out.")


def score_baselines(
    reference: Segmentation, word_counts: Mapping[str, int], plan: Plan, resampling: Resampling
) -> Iterator[Scored]:
    """Yield the scores of every gap, of no gap, and of random gaps for each number of boundaries of a prediction.

    `word_counts` are the numbers of words of the predictions, by their names. Predictions with equal numbers share a column.
    """
    cutter = _Cutter(reference, plan, resampling)
    yield cutter.scored_as("every gap", cutter.score(cutter.gaps))
    no_gaps = cutter.gaps[:0]
    yield cutter.scored_as("no gap", cutter.score(no_gaps))
    predictions_by_boundaries: dict[int, list[str]] = {}
    for name, word_count in word_counts.items():
        # The last word of each utterance ends at its edge, and each other word at an inner boundary.
        boundaries = word_count - len(cutter.ends)
        if not 0 <= boundaries <= len(cutter.gaps):
            # Morphemes need not spell their word, so that a prediction may have more of them than the reference has units.
            expected = f"expected 0 to {len(cutter.gaps)}, as the reference has so many gaps."
            raise OptionError(OPTIONS["baselines"], f": {name} has {boundaries} inner boundaries; {expected}")
        predictions_by_boundaries.setdefault(boundaries, []).append(name)
    for boundaries, names in predictions_by_boundaries.items():
        name = "random" if len(word_counts) == 1 else f"random, as {' and '.join(names)}"
        yield cutter.scored_as(name, cutter.score_random(boundaries))


class _CutScores(NamedTuple):
    """The scores of a segmentation, those that are 0/0, and its sums of counts."""

    scores: dict[str, float]
    undefined: list[str]
    totals: dict[str, int]


class _Cutter:
    """The scores of a reference that is cut at some of its gaps.

    Attributes:
        clusters: the cluster of each utterance; None if there are none.
        ends: the positions at which utterances with text end; these are always cut.
        gaps: the positions between two units of an utterance. The utterances `abc` and `d` have the ends 3 4 and the gaps 1 2.

    Positions are those of `reference.word_ends`: of text they count bytes.
    """

    def __init__(self, reference: Segmentation, plan: Plan, resampling: Resampling) -> None:
        self.reference = reference
        self.plan = plan
        self.average = resampling.average
        self.clusters = None
        if resampling.clusters is not None:
            self.clusters = read_clusters(resampling.clusters, len(reference.utterance_ends))
        has_text = lengths_of(reference.utterance_ends) > 0
        self.ends = reference.utterance_ends[has_text]
        unit_ends = reference.unit_ends()
        self.gaps = unit_ends[~np.isin(unit_ends, self.ends, assume_unique=True)]

    def score(self, cuts: Positions) -> _CutScores:
        """Score the reference that is cut at these gaps, as a prediction."""
        word_ends = np.sort(np.concatenate((cuts, self.ends)))
        comparison = compare_same(self.reference, with_words(self.reference, word_ends))
        if self.average == "micro":
            # No utterance is left out, so that there is no mask of the good ones.
            totals = tally_comparison(comparison, good=None, plan=self.plan).totals()
            scores = plain_scores(totals, self.plan.keys, self.plan.zero_division)
            return _CutScores(scores, undefined_keys(totals, self.plan.keys), totals)
        tally = replace(tally_utterances(comparison, good=None, plan=self.plan), clusters=self.clusters)
        scores = tally.scores(self.plan, self.average)
        return _CutScores(scores, tally.undefined(self.plan.keys, self.average), tally.totals())

    def score_random(self, boundaries: int) -> _CutScores:
        """Score so many random cuts, which are gaps drawn without replacement.

        The score is the expectation where that is exact, else the mean of draws, with their interval.
        """
        exact_keys = []
        if self.average == "micro":
            exact_keys = [key for key in self.plan.keys if group_of(key).name in _EXACT]
        random = np.random.default_rng(0)
        # If all scores are exact, one draw is enough: it gives the counts that are the same in all, as of predicted words.
        draw_count = 1 if len(exact_keys) == len(self.plan.keys) else DRAWS
        draws = [self.score(random.choice(self.gaps, boundaries, replace=False)) for _ in range(draw_count)]
        # Draws differ in matched counts alone. Those of exact scores are replaced by their expectations; other scores are means.
        first_draw, *_ = draws
        totals = first_draw.totals
        drawn_scores = {key: np.array([draw.scores[key] for draw in draws]) for key in self.plan.keys}
        scores = {key: float(np.mean(values)) for key, values in drawn_scores.items()}
        counts: Any = {**totals, **self._expected_matches(boundaries, totals)}
        for key, score in compute_scores(counts, exact_keys, self.plan.zero_division).items():
            scores[key] = float(score)
        tails = [(1 - _SHARE) / 2, (1 + _SHARE) / 2]
        for key in self.plan.keys:
            if key not in exact_keys:
                low, high = np.quantile(drawn_scores[key], tails).tolist()
                scores[f"{key}_low"] = low
                scores[f"{key}_high"] = high
        return _CutScores(scores, first_draw.undefined, totals)

    def scored_as(self, name: str, cut: _CutScores) -> Scored:
        """Return scores as the column of this name."""
        return Scored.of(name, cut.scores, self.plan.keys, undefined=cut.undefined)

    def _expected_matches(self, cuts: int, totals: Mapping[str, int]) -> dict[str, float]:
        """Return the expected matched counts of groups for so many random cuts, such as `{"token_matched": 2.5, …}`.

        `totals` are the counts of one draw.
        """
        is_inner = self._is_inner()
        gaps = len(self.gaps)
        matched_boundaries = int(is_inner.sum()) * cuts / gaps if gaps else 0.0
        expected = {"token_matched": self._expected_words(cuts, is_inner)}
        for group in _EXACT:
            if group.startswith("boundary"):
                # The predicted boundaries of a group that are no cuts are edges of utterances, which both sides share. A group
                # that is not scored has no counts, and its expected count is not used.
                edges = totals.get(f"{group}_predicted", cuts) - cuts
                expected[f"{group}_matched"] = matched_boundaries + edges
        return expected

    def _borders(self) -> Positions:
        """Return the positions between which the words of the reference lie: 0 2 3 for `ab c`."""
        return np.concatenate(([0], self.reference.word_ends))

    def _is_inner(self) -> Mask:
        """Return a mask of the borders that are within an utterance: F T F of 0 2 3 for `ab c`."""
        return ~np.isin(self._borders(), np.concatenate(([0], self.ends)))

    def _expected_words(self, cuts: int, is_inner: Mask) -> float:
        """Return the expected number of matched words for so many random cuts; `is_inner` marks the inner borders."""
        gaps = len(self.gaps)
        # The words of `ab c` lie between the borders 0 2 3, of which 2 is inner: `ab` has a gap inside and one inner end.
        borders = self._borders()
        # A word is between each two neighbouring borders: of 0 2 3, the words begin at 0 2 and end at 2 3. The gaps inside a word
        # are those before its end without those up to its begin. A border may be a gap itself: "left" counts only smaller gaps,
        # and "right" the equal one too.
        gaps_before_end = np.searchsorted(self.gaps, borders[1:], "left")
        gaps_up_to_begin = np.searchsorted(self.gaps, borders[:-1], "right")
        gaps_inside = gaps_before_end - gaps_up_to_begin
        inner_ends = is_inner[:-1].astype(int) + is_inner[1:]
        # Words with equally many of both are found with the same probability: count the words of each such kind.
        kinds, word_counts = np.unique(np.stack([gaps_inside, inner_ends]), axis=1, return_counts=True)
        matched_words = 0.0
        for (inside, inner), word_count in zip(kinds.T.tolist(), word_counts.tolist(), strict=True):
            # A word is found if its inner ends are cut, and the gaps within it are not: draw first the one, then the other. Of
            # 10 gaps with 4 cuts, two are cut with the probability 4/10 · 3/9, and then a third is not with 6/8. The first
            # product has a factor 0 if there are fewer cuts than inner ends, the second if fewer gaps without a cut than gaps
            # inside.
            ends_are_cut = math.prod((cuts - drawn) / (gaps - drawn) for drawn in range(inner))
            rest_is_not = math.prod((gaps - cuts - drawn) / (gaps - inner - drawn) for drawn in range(inside))
            matched_words += word_count * ends_are_cut * rest_is_not
        return matched_words
