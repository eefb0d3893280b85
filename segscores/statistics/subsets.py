"""Scores of subsets of the utterances, such as the utterances of a child, an age or a genre, beside the scores of all.

Conventions
-----------
- A subset is the utterances with one value. One of fewer than two utterances, or clusters, has no interval (nan).
- Values are strings or numbers. Numbers are sorted, and so are labels that each begin with a whole number, such as 9-14.
  Ordered categories of pandas keep their order, and other values the order of appearance.
- More than ten numbers with fractions, such as difficulties, are cut into tenths of about equally many utterances. Equal numbers
  stay together.
- Lengths are in units, in bands: 1, 2-3, 4-7, and so on.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from ..kernel.record import record
from ..options.errors import warn
from ..options.keywords import ComputeOptions, Unpack
from ..options.messages import Message
from ..options.option import check_needs
from ..options.table import OPTIONS, options_in
from ..reading.inputs import warn_of_indices
from ..reading.world import length_unit
from ..results.json_text import as_json
from ..results.pictures import draw_lines
from ..results.rendering import Tabular
from ..results.result import Result, Values
from ..results.scored import Scored, result_of
from ..scoring.functions import with_options
from ..scoring.measures.registry import check_scored, heading_of, main_score
from ..scoring.parts import LABEL, Parts, dividing_world, tally_with_parts
from ..scoring.passes import ids_of, open_systems
from ..scoring.plan import Plan
from ..scoring.utterance_tally import UtteranceTally
from .bands import check_edges
from .clusters import MIN_CLUSTERS, count_clusters, with_clusters
from .confusion import Confusion, confusion_of, confusion_tables
from .dividing import CATEGORY, SPEAKER, categories_of, name_of_values, speakers_of, subsets_of
from .resampling import Resampling, split_options
from .signing import sign_sides
from .system_comparison import systems_of
from .utterance_scores import intervals_of, score_utterances

#: The most subsets that a warning names.
_NAMED = 5


@dataclass(frozen=True, eq=False, repr=False)
class SubsetScores(Tabular, Values):
    """The scores of subsets of the utterances beside the scores of all. Printed, it is the table of `score --by`.

    Attributes:
        by: the name of the values, such as `age`.
        systems: for each prediction the scores of all utterances, with the scores of the subsets.
        signature: how the scores were computed.
        confusion: by prediction, how long the two sides have each pair of labels, the longest first; empty without `by="label"`.
    """

    by: str
    systems: Sequence[Scored]
    signature: str = ""
    confusion: Mapping[str, Sequence[Confusion]] = field(default_factory=dict)

    @property
    def whole(self) -> dict[str, dict[str, float]]:
        """The scores of all utterances by prediction, as `score` returns them."""
        return {system.prediction: system.with_ends() for system in self.systems}

    @property
    def scores(self) -> dict[str, dict[str, dict[str, float]]]:
        """The scores of each subset by prediction and value, as `score` returns them."""
        scores = {}
        for system in self.systems:
            scores[system.prediction] = {subset.value: subset.with_ends() for subset in system.subsets}
        return scores

    def result(self, reference: str = "references") -> Result:
        """Return the tables: a column or a row for each subset for people, a row for each score of each subset for programs.

        `reference` is the path or the name of the reference, for the record.
        """
        result = result_of(self.systems, reference, self.signature, heading_of_systems=self.by)
        record = {**(result.record or {}), "by": self.by, "predictions": self._records()}
        tables = list(result.tables)
        for name, pairs in self.confusion.items():
            title = name if len(self.confusion) > 1 else ""
            tables += confusion_tables(pairs, title)
        return replace(result, tables=tables, record=record)

    def _records(self) -> list[dict[str, Any]]:
        """Return each prediction as plain values, with its confusion of labels if there is one."""
        records = []
        for system in self.systems:
            record = system.record()
            if system.prediction in self.confusion:
                record["confusion"] = [asdict(pair) for pair in self.confusion[system.prediction]]
            records.append(record)
        return records

    def to_dict(self) -> dict[str, Any]:
        """Return the scores as plain values, for JSON: those of each prediction, with those of its subsets."""
        signed = {}
        if self.signature:
            signed["signature"] = self.signature
        return {**signed, "by": self.by, "predictions": self._records()}

    def to_json(self) -> str:
        """Return `to_dict` as JSON, with null for nan."""
        return as_json(self.to_dict())

    def plot(self, key: str | None = None) -> Any:
        """Draw a figure of matplotlib (extra `plot`): a score of each subset, with its interval, and of all utterances.

        Args:
            key: the score; by default `token_fscore`, or the F-score of the first group, or the first score.
        """
        # All predictions have the same scores and subsets.
        first_system, *_ = self.systems
        keys = tuple(first_system.scores)
        if key is None:
            key = main_score(keys)
        check_scored(OPTIONS["scores"], key, keys)
        subsets = first_system.subsets
        numbers = [subset.number for subset in subsets if subset.number is not None]
        lines: dict[str, list[float]] = {}
        intervals: dict[str, list[tuple[float, float]]] = {}
        for system in self.systems:
            lines[system.prediction] = [subset.score_of(key) for subset in system.subsets]
            intervals[system.prediction] = [subset.intervals[key] for subset in system.subsets if subset.intervals]
        return draw_lines(
            x=numbers or None,  # None: the values are no numbers
            lines=lines,
            x_label=self.by,
            y_label=heading_of(key),
            labels=[subset.value for subset in subsets],
            intervals=intervals,
            wholes={system.prediction: system.score_of(key) for system in self.systems},
            limits=None,
        )


@with_options
def score_by(
    references: Any,
    predictions: Any,
    by: Any,
    *,
    bands: Sequence[float] | None = None,
    **options: Unpack[ComputeOptions],
) -> SubsetScores:
    """Score subsets of the utterances, such as the utterances of each child, age or genre, beside all utterances.

    Args:
        references, predictions: utterances, in any form of the README's Inputs, or files; of several systems, a dict from names
            to their predictions.
        by: a value for each utterance, a string or a number; `"length"`, bands of the length in units; or
            `"category"`, the third column of text in the format sigmorphon. Of recordings also `"speaker"`, the speakers that
            files name, or `"label"`: the words with each label, for which all else is silence.
        bands: for numbers and `"length"` the edges of bands, such as `[12, 18, 24]`: below 12, from 12 on, from 18 on, from 24
            on; None for the values themselves.
        **options: those of `score`.

    Returns:
        The scores of each subset, which equal `score` of its utterances alone with the same `window_size`. Where none is given,
        the k of the windows is the default of the whole reference, as in the signature. Printed, it is a table.

    Raises:
        TypeError, ValueError: as `score`; or an utterance has no value.

    Warns:
        UserWarning: as `score`; or subsets are too small for reliable intervals.

    >>> sides = ["the dog", "a cat", "the cat"], ["thedog", "a cat", "the cat"]
    >>> score_by(*sides, ["Adam", "Eve", "Eve"], text_format="words", scores="token_recall")
    score               prediction    Adam     Eve
    ----------------  ------------  ------  ------
    token_recall            0.6667  0.0000  1.0000
    count_utterances             3       1       2
    <BLANKLINE>
    signature: segscores|text:words|avg:micro|zero:0|ref:0a60ac42|n:3|v:0.4.0
    """
    plan, resampling, _values = split_options(options)
    check_needs(options, options_in(ComputeOptions))
    edges = () if bands is None else check_edges(bands)
    warn_of_indices([references, by, resampling.clusters])
    # A string names a rule that divides the utterances, such as LABEL; other values are those of the utterances.
    rule = by if isinstance(by, str) else ""
    if rule == LABEL:
        dividing_world(plan)  # which raises an error for text, before it is read
    systems = systems_of(predictions)
    names = list(systems)
    # Messages name a system only if there are several.
    labels = [f"system {name!r}" if len(systems) > 1 else "" for name in names]
    sides, plan = open_systems(plan, references, *systems.values(), names=labels)
    reference, *_ = sides
    # The categories are in the lines of the references.
    ids = [reference] if rule == CATEGORY else []
    tallies, parts, observed = tally_with_parts(sides, plan, divides=rule == LABEL, with_digest=True, ids=ids)
    values = by
    if rule == CATEGORY:
        values = categories_of(ids_of(observed, name="by"))
    elif rule == SPEAKER:
        values = speakers_of(observed, reference.first_source.name)
    clustered = [with_clusters(tally, resampling.clusters) for tally in tallies]
    scored_subsets = score_by_values(values, clustered, parts, names, SubsetScoring(plan, resampling, bands=edges))
    scored = []
    for name, tally, subsets in zip(names, clustered, scored_subsets, strict=True):
        whole = _score_whole(tally, plan, resampling, prediction=name)
        scored.append(replace(whole, subsets=subsets))
    cluster_count = count_clusters(resampling.clusters, observed.utterances)
    signature = sign_sides(sides, plan, observed, resampling=resampling, clusters=cluster_count)
    return SubsetScores(name_of_values(by), scored, signature, confusion_of(parts, names, plan))


def _score_whole(tally: UtteranceTally, plan: Plan, resampling: Resampling, *, prediction: str) -> Scored:
    """Score all utterances of a prediction, with the number of utterances; `prediction` is its name."""
    scores = score_utterances(tally, plan, resampling, prediction=prediction)
    totals = tally.totals()
    counts = {"utterances": totals["utterances"]}
    undefined = tally.undefined(plan.keys, resampling.average)
    return Scored.of(prediction, scores, plan.keys, undefined=undefined, counts=counts)


def score_by_values(
    by: Any, tallies: Sequence[UtteranceTally], parts: Sequence[Parts], names: Sequence[str], scoring: SubsetScoring
) -> list[list[Scored]]:
    """Score the subsets of each prediction: by the values of utterances, or by the parts into which these are divided.

    `tallies`, `names` and, unless they are empty, `parts` have an item for each prediction.
    """
    scored = []
    if parts:
        for parts_of_prediction, tally, name in zip(parts, tallies, names, strict=True):
            scored.append(scoring.score_parts(parts_of_prediction, whole=tally, prediction=name))
        return scored
    subsets = subsets_of(by, tallies, length_unit=length_unit(scoring.plan.reading), bands=scoring.bands)
    indexes = subsets.indexes()
    for tally, name in zip(tallies, names, strict=True):
        of_values = []
        for value, number, utterances in zip(subsets.values, subsets.numbers, indexes, strict=True):
            of_values.append(_Subset(value, number, tally.take(utterances)))
        scored.append(scoring.score(of_values, name))
    return scored


@record
class _Subset:
    """The tally of the utterances with a value."""

    value: str
    number: float | None  #: the value as a number; None if it is none
    tally: UtteranceTally


@record
class SubsetScoring:
    """Settings with which the subsets are scored."""

    plan: Plan
    resampling: Resampling
    with_counts: bool = False  #: True if all counts are shown, not only the number of utterances
    bands: Sequence[float] = ()  #: the edges of bands of numbers

    def score_parts(self, parts: Parts, whole: UtteranceTally, prediction: str) -> list[Scored]:
        """Score the parts into which the utterances of a prediction are divided.

        `whole` is the tally of all utterances, with their clusters, and `prediction` the name.
        """
        # The value of a part is its name, which is no number.
        subsets = [
            _Subset(value=name, number=None, tally=part.with_clusters(whole)) for name, part in parts.joined().items()
        ]
        return self.score(subsets, prediction)

    def score(self, subsets: Sequence[_Subset], prediction: str) -> list[Scored]:
        """Score the subsets of a prediction."""
        scored = [self._scored(subset, prediction) for subset in subsets]
        # There may be no part into which utterances are divided.
        if self.resampling.confidence is None or not subsets:
            return scored
        without_interval: list[str] = []
        unreliable: list[str] = []
        with_intervals = []
        for subset, scored_subset in zip(subsets, scored, strict=True):
            unit_count = subset.tally.scored_clusters()
            if unit_count < 2:
                intervals = dict.fromkeys(self.plan.keys, (math.nan, math.nan))
                without_interval.append(subset.value)
            else:
                # The second result, the scores without each unit, is for warnings, which the whole has shown.
                intervals, _ = intervals_of(subset.tally, self.plan, self.resampling)
                if unit_count < MIN_CLUSTERS:
                    unreliable.append(subset.value)
            with_intervals.append(replace(scored_subset, intervals=intervals))
        # All subsets have the same unit.
        unit = subsets[0].tally.sampled_unit
        remedy = Message(".")
        if unit == "cluster":
            remedy = Message(": leave ", OPTIONS["clusters"], " out, or pass smaller clusters.")
        without = Message(f"They have no interval, which needs two {unit}s", remedy)
        warn_of_small(without_interval, least=2, unit=unit, consequence=without)
        consequence = "Their intervals contain the true score less often than their level says."
        warn_of_small(unreliable, MIN_CLUSTERS, unit, consequence)
        return with_intervals

    def _scored(self, subset: _Subset, prediction: str) -> Scored:
        """Score a subset, without intervals; `prediction` is the name of the system."""
        scores = subset.tally.scores(self.plan, self.resampling.average)
        totals = subset.tally.totals()
        counts = {"utterances": totals["utterances"]}
        if self.with_counts:
            counts = self.plan.shown_counts(totals)
        return Scored.of(
            prediction,
            scores,
            self.plan.keys,
            undefined=subset.tally.undefined(self.plan.keys, self.resampling.average),
            counts=counts,
            value=subset.value,
            number=subset.number,
        )


def warn_of_small(subsets: Sequence[str], least: int, unit: str, consequence: str) -> None:
    """Warn of subsets, by their values, of fewer than `least` units, if there are any.

    `unit` is "utterance" or "cluster". An example is "subsets of fewer than 12 clusters: Adam, Eve." and the consequence.
    """
    if not subsets:
        return
    named = ", ".join(subsets[:_NAMED])
    if len(subsets) > _NAMED:
        named += f" and {len(subsets) - _NAMED} more"
    warn(Message(f"subsets of fewer than {least} {unit}s: {named}. ", consequence))
