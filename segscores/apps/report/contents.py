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
from ...kernel.record import record
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
    minus_units: int  #: of two with equal scores the longer one is worse
    utterance: int  #: its index
    score: float = field(compare=False)  #: nan if it is undefined
    difference: Any = field(compare=False)  # a Difference, or a TimedDifference


@dataclass
class Analysed:
    """One prediction, for a part of the corpus or all of it."""

    tally: UtteranceTally
    errors: ErrorAnalysis | None  #: None if the plan compares no words; nothing is shown then
    shown: list[ShownUtterance]
    #: how many words only the first prediction gets right, only this one, both or neither; None for the first prediction
    outcomes: ErrorAnalysis | None = None


@record
class Names:
    """The names of texts and utterances on the page."""

    reference: str
    reference_path: str
    paths: Mapping[str, str]  #: the path of each prediction, by its name
    noun: str = "line"  #: what an utterance is called
    first_number: int = 1  #: the number of the first utterance
    #: maps the index of an utterance to its place, if the reference has several files; None for one file
    where: Callable[[int], str] | None = None


@record
class Findings:
    """The numbers of the page."""

    analysed: Mapping[str, Analysed]  #: the predictions by their names
    plan: Plan
    observed: Observations
    resampling: Resampling
    worst: str  #: the key of the score that ranks the utterances
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
        is_scored_in_all = np.logical_and.reduce([tally.is_scored for tally in tallies.values()])
        if is_scored_in_all.sum() < 2:
            # Leave intervals out: variability cannot be estimated from one utterance. Clusters serve intervals alone.
            resampling = replace(resampling, confidence=None, clusters=None)
        comparison = None
        if resampling.confidence is not None and len(tallies) > 1:
            # Each system has one run.
            runs = {name: [tally] for name, tally in tallies.items()}
            comparison = compare_tallies(runs, plan, resampling, **tests)
        return cls(analysed, plan, observed, resampling, worst, comparison)

    def sign(self, files: Sequence[Files], text_format: str, **further: object) -> str:
        """Sign the files that were analysed: see `sign_files`."""
        # All predictions have the same clusters.
        first_prediction, *_ = self.analysed.values()
        tally = first_prediction.tally
        compared = {} if self.comparison is None else self.comparison.signed
        return sign_files(
            files,
            self.plan,
            self.observed,
            text_format,
            resampling=self.resampling,
            clusters=None if tally.clusters is None else tally.cluster_count,
            further={**compared, **further},
        )

    def scored(self) -> list[Scored]:
        """Score each prediction, with intervals if they are requested."""
        # Where predictions leave no utterance out, the comparison has the intervals already, which take long.
        leaves_none_out = not self.plan.aligns and not self.plan.reading.skips
        comparison = self.comparison if leaves_none_out else None
        resampling = self.resampling
        if comparison is not None:
            resampling = replace(resampling, confidence=None, clusters=None)
        scored = []
        for name, prediction in self.analysed.items():
            scores = score_utterances(prediction.tally, self.plan, resampling, prediction=name)
            totals = prediction.tally.totals()
            undefined = prediction.tally.undefined(self.plan.keys, resampling.average)
            system = Scored.of(name, scores, self.plan.keys, undefined=undefined, counts=totals)
            if comparison is not None:
                system = replace(system, intervals=comparison.intervals[name])
            scored.append(system)
        return scored


def analyse_texts(
    references: Any, predictions: Mapping[str, Any], plan: Plan, resampling: Resampling, **tests: Any
) -> Findings:
    """Analyse predictions in memory, which have no clusters; `tests` are as in `compare_tallies`."""
    worst = worst_key(plan)
    sides, plan = open_systems(plan, references, *predictions.values())
    check_worst(plan, worst)
    observed = Observations.for_signature()
    analysed = analyse_predictions(sides, plan, observed, worst=worst, most=OPTIONS["utterances"].default)
    return Findings.of(dict(zip(predictions, analysed, strict=True)), plan, observed, resampling, worst, **tests)


def analyse_predictions(
    sides: Sequence[Side], plan: Plan, observed: Observations, *, worst: str, most: int, **options: Any
) -> list[Analysed]:
    """Analyse every prediction, in one pass.

    Of each prediction, at most `most` utterances are to be shown, with the worst values of the score `worst`. The outcomes of the
    other predictions are compared with those of the first. `options` are arguments of `map_pieces`.
    """
    # A world is a kind of utterances that are no text, such as recordings, of which a page draws fewer.
    world = world_of(plan.reading)
    if world is not None:
        most = min(most, world.most_drawn)

    def analyse_piece(piece: Piece) -> list[Analysed]:
        """Analyse each prediction of a piece."""
        # Side 0 is the reference.
        compared = [piece.compare(side_number, plan) for side_number in range(1, len(sides))]
        analysed = []
        for prediction in compared:
            # `good` marks the utterances that the comparison has.
            analysed.append(analyse(prediction.comparison, prediction.good, plan, worst=worst, most=most))
        if plan.compares_words:
            # Outcomes compare each other prediction with the first one, which has none itself.
            first, *others = compared
            _, *analysed_others = analysed
            for other, analysed_other in zip(others, analysed_others, strict=True):
                analysed_other.outcomes = tally_outcomes(first, other, len(piece), plan)
        return analysed

    return add_up(map_pieces(sides, analyse_piece, observed=observed, **options), most)


def worst_key(plan: Plan) -> str:
    """Return the score that ranks the utterances, unless the user names another."""
    keys = plan.keys
    # Other scores are best near 0, or have no better values.
    ordered = [key for key in keys if group_of(key).keys[key].better in ("higher", "lower")]
    if "token_fscore" in ordered:
        return "token_fscore"
    fscores = [key for key in ordered if key.endswith("_fscore")]
    # If no score is ordered, this is the first one, which `check_worst` rejects.
    first_choice, *_ = [*fscores, *ordered, *keys]
    return first_choice


def add_up(parts: Iterable[list[Analysed]], most: int) -> list[Analysed]:
    """Join the analyses of the parts of a corpus, prediction by prediction; the list is empty if there is no part.

    Of each prediction the `most` worst utterances are kept; the worst ones in `shown` sort first.
    """
    tallies: list[list[UtteranceTally]] = []
    totals: list[Analysed] = []
    utterances_before = 0
    for part in parts:
        for prediction in part:
            # From the index in the part to the index in the corpus.
            prediction.shown = [
                replace(shown, utterance=utterances_before + shown.utterance) for shown in prediction.shown
            ]
        # All predictions have the same utterances.
        first_prediction, *_ = part
        utterances_before += len(first_prediction.tally)
        if not totals:
            # The first part becomes the sums, to which the others are added.
            totals = part
            tallies = [[prediction.tally] for prediction in part]
            continue
        for total, tallies_of_prediction, prediction in zip(totals, tallies, part, strict=True):
            # Tallies wait for the end, where they are joined all at once.
            tallies_of_prediction.append(prediction.tally)
            _add_part(total, prediction, most)
    for total, tallies_of_prediction in zip(totals, tallies, strict=True):
        total.tally = concatenate(tallies_of_prediction)
        # `_add_part` leaves up to twice as many.
        total.shown = heapq.nsmallest(most, total.shown)
    return totals


def _add_part(total: Analysed, part: Analysed, most: int) -> None:
    """Add the errors, the outcomes and the shown utterances of a part of the corpus, and not its tally, to those before it."""
    if total.errors is not None and part.errors is not None:
        total.errors.update(part.errors)
    if total.outcomes is not None and part.outcomes is not None:
        total.outcomes.update(part.outcomes)
    total.shown += part.shown
    # Sort rarely, so that many small parts take linear time.
    if len(total.shown) > 2 * most:
        total.shown = heapq.nsmallest(most, total.shown)


def analyse(comparison: Comparison, good: Mask | None, plan: Plan, *, worst: str, most: int) -> Analysed:
    """Analyse a part of one prediction; `good` marks the utterances that the comparison has, None if all.

    The tally, and so `chosen`, has all utterances of the part. Those that are left out are never the worst.
    """
    tally = tally_utterances(comparison, good, plan)
    if not plan.compares_words:
        return Analysed(tally, errors=None, shown=[])
    # Classes and differences need the same units on both sides of a chunk.
    comparison = project_boundaries(comparison)
    errors = analyse_comparison(comparison, good, plan, **_EXAMPLES)
    # The utterances to show, in the order of the text, as their differences are.
    chosen = np.sort(worst_first(tally, plan, worst)[:most])
    is_chosen = np.zeros(len(tally), bool)
    is_chosen[chosen] = True
    differences = _differences_of(comparison, good, is_chosen, plan)
    # An undefined score, 0/0, is nan.
    scores = np.asarray(tally.per_utterance([worst], math.nan)[worst], np.float64)[chosen]
    ranks = goodness(worst, scores)
    assert ranks is not None, "`check_worst` refuses a score without better values"
    ranks = np.where(np.isnan(ranks), math.inf, ranks)
    unit_counts = tally.columns["units"][chosen]
    shown = []
    # Row 0 of these arrays is of the first utterance to show.
    for row, difference in zip(range(len(chosen)), differences, strict=True):
        shown.append(
            ShownUtterance(
                rank=float(ranks[row]),
                minus_units=-int(unit_counts[row]),
                utterance=int(chosen[row]),
                score=float(scores[row]),
                difference=difference,
            )
        )
    # By rank, so that the worst comes first, and of equal ones the longest.
    return Analysed(tally, errors, sorted(shown))


def _differences_of(comparison: Comparison, good: Mask | None, is_chosen: Mask, plan: Plan) -> Sequence[Any]:
    """Return the differences of the chosen utterances of a part, in order.

    `good` says which utterances of the part were scored; None if all were.
    """
    world = world_of(plan.reading)
    if world is None:
        return differences_at(comparison, good, is_chosen)
    # `is_chosen` has all utterances of the part. A world draws utterances of the comparison, which has only those that were
    # scored: of 0 1 2, of which 0 and 2 were scored, the chosen 2 is the second one there.
    is_drawn = is_chosen if good is None else is_chosen[good]
    return world.draw(comparison, is_drawn)
