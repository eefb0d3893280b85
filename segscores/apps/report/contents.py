"""Contents of the report: what predictions score, where they are wrong, and the utterances to show, the worst first."""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ...analysis.differences import differences_at
from ...analysis.error_analysis import ErrorAnalysis, analyse_comparison
from ...analysis.error_comparison import tally_outcomes
from ...kernel.aligned import project_boundaries
from ...kernel.arrays import Mask
from ...kernel.comparison import Comparison
from ...options.table import OPTIONS
from ...reading.sources.names import Files
from ...reading.sources.source import Side
from ...reading.world import world_of
from ...results.scored import Scored
from ...scoring.map_pieces import map_pieces
from ...scoring.measures.registry import goodness, group_of
from ...scoring.observations import Observations
from ...scoring.passes import open_systems
from ...scoring.piece import Piece
from ...scoring.plan import Plan
from ...scoring.utterance_tally import UtteranceTally, concatenate, tally_utterances
from ...statistics.comparison_results import SystemComparison
from ...statistics.resampling import Resampling
from ...statistics.signing import sign_files
from ...statistics.system_comparison import compare_tallies
from ...statistics.utterance_scores import check_worst, score_utterances, worst_first

#: The number of examples of each error, and of words around them on each side.
_EXAMPLES = {name: OPTIONS[name].default for name in ("examples", "context")}


@dataclass(frozen=True, order=True)
class ShownUtterance:
    """An utterance with its differences; the worst utterance sorts first."""

    rank: float  #: the score, or its negative if lower scores are better; inf if it is undefined
    minus_units: int
    utterance: int
    score: float = field(compare=False)  #: nan if it is undefined
    difference: Any = field(compare=False)  # a Difference, or a TimedDifference


@dataclass
class Analysed:
    """One prediction, for a part of the corpus or all of it."""

    tally: UtteranceTally
    errors: ErrorAnalysis | None  #: None if the plan compares no words; nothing is shown then
    shown: list[ShownUtterance]
    #: the outcomes of the words of the first prediction and this one (see `tally_outcomes`); None for the first
    outcomes: ErrorAnalysis | None = None


@dataclass(frozen=True)
class Names:
    """The names of texts and utterances on the page."""

    reference: str
    reference_path: str
    paths: Mapping[str, str]
    noun: str = "line"
    first_number: int = 1
    #: maps the index of an utterance to its place, if the reference has several files; None for one file
    where: Callable[[int], str] | None = None


@dataclass(frozen=True)
class Findings:
    """The numbers of the page."""

    analysed: Mapping[str, Analysed]
    plan: Plan
    observed: Observations
    resampling: Resampling
    worst: str
    #: the comparison of several predictions; None for one prediction, or without intervals
    comparison: SystemComparison | None

    @classmethod
    def of(
        cls,
        analysed: Mapping[str, Analysed],
        plan: Plan,
        observed: Observations,
        resampling: Resampling,
        worst: str,
        **tests: Any,
    ) -> Findings:
        """Compare the predictions, if there are several and intervals are requested; `tests` are as in `compare_tallies`."""
        tallies = {name: prediction.tally for name, prediction in analysed.items()}
        common = np.logical_and.reduce([tally.is_scored for tally in tallies.values()])
        if common.sum() < 2:
            # Leave intervals out: variability cannot be estimated from one utterance.
            resampling = replace(resampling, confidence=None, clusters=None)
        comparison = None
        if resampling.confidence is not None and len(tallies) > 1:
            comparison = compare_tallies({name: [tally] for name, tally in tallies.items()}, plan, resampling, **tests)
        return cls(analysed, plan, observed, resampling, worst, comparison)

    def sign(self, files: Sequence[Files], text_format: str, **further: object) -> str:
        """Sign the files that were analysed: see `sign_files`."""
        tallies = [prediction.tally for prediction in self.analysed.values()]
        signed = {} if self.comparison is None else self.comparison.signed
        clusters = None if tallies[0].clusters is None else tallies[0].cluster_count
        fields: dict[str, Any] = {"resampling": self.resampling, "clusters": clusters, "further": {**signed, **further}}
        return sign_files(files, self.plan, self.observed, text_format, **fields)

    def scored(self) -> list[Scored]:
        """Score each prediction, with intervals if they are requested."""
        # The comparison has the intervals of the same utterances already, which take long.
        is_same = not (self.plan.aligns or self.plan.reading.skips)
        compared = self.comparison if is_same else None
        resampling = self.resampling
        if compared is not None:
            resampling = replace(resampling, confidence=None, clusters=None)
        scored = []
        for name, prediction in self.analysed.items():
            scores = score_utterances(prediction.tally, self.plan, resampling, prediction=name)
            totals = prediction.tally.totals()
            system = Scored.of(name, scores, self.plan.keys, totals, average=resampling.average, counts=totals)
            if compared is not None:
                system = replace(system, intervals=compared.intervals[name])
            scored.append(system)
        return scored


def analyse_texts(
    references: Any, predictions: Mapping[str, Any], plan: Plan, resampling: Resampling, **tests: Any
) -> Findings:
    """Analyse predictions in memory, which have no clusters; `tests` are as in `compare_tallies`."""
    worst = worst_key(plan)
    sides, plan = open_systems(plan, references, *predictions.values())
    check_worst(plan, worst)
    observed = Observations(digest=0)
    analysed = analyse_predictions(sides, plan, observed, worst=worst, most=OPTIONS["utterances"].default)
    return Findings.of(dict(zip(predictions, analysed, strict=True)), plan, observed, resampling, worst, **tests)


def analyse_predictions(
    sides: Sequence[Side], plan: Plan, observed: Observations, *, worst: str, most: int, **options: Any
) -> list[Analysed]:
    """Analyse every prediction, in one pass; `options` are arguments of `map_pieces`."""
    world = world_of(plan.reading)
    if world is not None:
        most = min(most, world.most_drawn)

    def analyse_piece(piece: Piece) -> list[Analysed]:
        compared = [piece.compare(at, plan) for at in range(1, len(sides))]
        analysed = [analyse(both.comparison, both.good, plan, worst=worst, most=most) for both in compared]
        if plan.compares_words:
            for both, prediction in zip(compared[1:], analysed[1:], strict=True):
                prediction.outcomes = tally_outcomes(compared[0], both, len(piece), plan)
        return analysed

    return add_up(map_pieces(sides, analyse_piece, observed=observed, **options), most)


def worst_key(plan: Plan) -> str:
    """Return the score that ranks the utterances, unless the user names another."""
    keys = plan.keys
    ordered = [key for key in keys if group_of(key).keys[key].better in ("higher", "lower")]
    if "token_fscore" in ordered:
        return "token_fscore"
    fscores = [key for key in ordered if key.endswith("_fscore")]
    return [*fscores, *ordered, *keys][0]


def add_up(parts: Iterable[list[Analysed]], most: int) -> list[Analysed]:
    """Join the analyses of the parts of a corpus, prediction by prediction; the list is empty if there is no part."""
    tallies: list[list[UtteranceTally]] = []
    totals: list[Analysed] = []
    first = 0
    for part in parts:
        for prediction in part:
            prediction.shown = [replace(shown, utterance=first + shown.utterance) for shown in prediction.shown]
        first += len(part[0].tally)
        if not totals:
            totals = part
            tallies = [[prediction.tally] for prediction in part]
            continue
        for total, tallied, prediction in zip(totals, tallies, part, strict=True):
            tallied.append(prediction.tally)
            if total.errors is not None and prediction.errors is not None:
                total.errors.update(prediction.errors)
            if total.outcomes is not None and prediction.outcomes is not None:
                total.outcomes.update(prediction.outcomes)
            total.shown += prediction.shown
            # Sort rarely, so that many small parts take linear time.
            if len(total.shown) > 2 * most:
                total.shown = heapq.nsmallest(most, total.shown)
    for total, tallied in zip(totals, tallies, strict=True):
        total.tally = concatenate(tallied)
        total.shown = heapq.nsmallest(most, total.shown)
    return totals


def analyse(comparison: Comparison, good: Mask | None, plan: Plan, *, worst: str, most: int) -> Analysed:
    """Analyse a part of one prediction."""
    tally = tally_utterances(comparison, good, plan)
    if not plan.compares_words:
        return Analysed(tally, None, [])
    # Classes and differences need the same units on both sides of a chunk.
    comparison = project_boundaries(comparison)
    errors = analyse_comparison(comparison, good, plan, **_EXAMPLES)
    chosen = np.sort(worst_first(tally, plan, worst)[:most])
    is_chosen = np.zeros(len(tally), bool)
    is_chosen[chosen] = True
    scores = np.asarray(tally.per_utterance([worst], math.nan)[worst], np.float64)[chosen]
    ranks = goodness(worst, scores)
    assert ranks is not None, "check_worst looks for it"
    ranks = np.where(np.isnan(ranks), math.inf, ranks)
    units = tally.columns["units"][chosen]
    differences: Sequence[Any]
    world = world_of(plan.reading)
    if world is not None:
        differences = world.draw(comparison, is_chosen)
    else:
        differences = differences_at(comparison, good, is_chosen)
    columns = (ranks.tolist(), (-units).tolist(), chosen.tolist(), scores.tolist(), differences)
    shown = []
    for rank, minus_units, utterance, score, difference in zip(*columns, strict=True):
        shown.append(ShownUtterance(rank, minus_units, utterance, score, difference))
    return Analysed(tally, errors, sorted(shown))
