"""Page: the report as one HTML document.

Conventions
-----------
- The page is self-contained: its policy forbids every request, and allows only the script whose digest it names.
- The template escapes every text and file name.
- Scores, tables and the first utterances are visible without the script. The script sorts, searches and shows the others,
  which are in a `<template>`.
- Utterances have the numbers of their lines, sentences or rows. Utterances of several files are numbered from 1 as one text,
  with the place in the file beside the number.
"""

from __future__ import annotations

import base64
import hashlib
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import cache, cached_property
from importlib.resources import files
from typing import Any

from jinja2 import Environment
from markupsafe import Markup, escape

from ... import __version__
from ...analysis.baselines import BaselineScores
from ...analysis.drawing import STYLE, describe_counts, drawing_environment
from ...analysis.error_comparison import ErrorComparison, WordDifference
from ...analysis.error_tables import CLASSES
from ...kernel.record import record
from ...options.tasks import CODE, COMMANDS
from ...results.rendering import NUMBERS, render, rounded
from ...results.result import Note, Result, Table
from ...results.scored import Scored
from ...scoring.measures.bibliography import CITATION
from ...scoring.measures.group import ScoreGroup
from ...scoring.measures.registry import fractions, group_of, groups_of, heading_of, heading_within_sentence, main_score
from ...statistics.clusters import MIN_CLUSTERS
from ...statistics.comparison_results import SystemComparison
from ...statistics.subsets import SubsetScoring, score_by_values
from ...statistics.system_comparison import describe_few_trials
from .contents import Analysed, Findings, Names, ShownUtterance

#: The number of utterances that the page shows without the script, and that the script adds at a time.
PAGE = 25

#: The names of the classes of words.
_CLASS_NAMES = {"correct": "correct", "over": "over-segmented", "under": "under-segmented", "mis": "mis-segmented"}

#: The styles of the lines of intervals, as in drawings.
_LINES = ("one", "two", "three", "four")


@record
class Prediction:
    """The contents of the page for one prediction."""

    scored: Scored
    analysis: Analysed
    is_micro: bool  #: whether the scores are of sums over the utterances, and so quotients of counts

    @property
    def name(self) -> str:
        """The name of its section."""
        return self.scored.prediction

    @property
    def joint(self) -> str:
        """The text that the page writes between two words; words of units text contain spaces."""
        errors = self.analysis.errors
        is_units_text = errors is not None and errors.unit == "token"
        return " | " if is_units_text else " "

    @property
    def scored_count(self) -> int:
        """The number of utterances that are scored."""
        return int(self.analysis.tally.is_scored.sum())

    @cached_property
    def shown_utterances(self) -> set[int]:
        """The indices of the utterances to show."""
        return {shown.utterance for shown in self.analysis.shown}

    def word_differences(self, top: int) -> tuple[list[WordDifference], list[WordDifference]] | None:
        """Return the words that the first prediction finds more often, and those that this one finds more often.

        `top` is the most words of each. The first prediction is not compared with itself, and has None.
        """
        outcomes = self.analysis.outcomes
        if outcomes is None:
            return None
        # Any two names will do: the words do not have them.
        return ErrorComparison(("first", self.name), outcomes).words(top)

    def counted(self, group: ScoreGroup) -> str:
        """Describe the counts of a group."""
        return describe_counts(group.name, group.columns, self.scored.counts)

    def fraction(self, key: str) -> str:
        """Write a score as a quotient, such as "10 / 15"; empty for a mean over utterances, or if it is more than a quotient."""
        if not self.is_micro:
            return ""
        numerator_and_denominator = fractions(self.scored.counts, [key]).get(key, ())
        return " / ".join(f"{number:,}" for number in numerator_and_denominator)


@record
class Compared:
    """The table of systems: a row for each, the best first by the primary score, which is the first column."""

    comparison: SystemComparison

    @cached_property
    def names(self) -> list[str]:
        """The systems in their order."""
        primary = self.comparison.primary
        goodness = self.comparison.goodness_of(primary)

        def rank(name: str) -> float:
            """Return the rank of a system, the best one first, and undefined ones last."""
            if self.comparison.is_undefined(primary, name):
                return math.inf
            # Without better values, no system has a goodness: all keep their order.
            return -goodness.get(name, 0.0)

        return sorted(self.comparison.scores, key=rank)

    @property
    def keys(self) -> list[str]:
        """The scores in their order."""
        primary = self.comparison.primary
        return [primary, *(key for key in self.comparison.keys if key != primary)]

    def standing(self, name: str) -> str:
        """Return the standing of a system: `"best"`, `"tied"`, `"worse"` or `"undefined"`; empty where no value is better."""
        primary = self.comparison.primary
        if self.comparison.is_undefined(primary, name):
            return "undefined"
        if self.comparison.best(primary) is None:
            return ""
        # A system without a mark is neither the best nor tied with it.
        return self.comparison.mark(primary, name) or "worse"

    @property
    def caution(self) -> str:
        """The reason why no difference can be significant; empty where a difference can."""
        reason = describe_few_trials(self.comparison)
        # A sentence begins with a capital.
        return f"{reason[:1].upper()}{reason[1:]}"

    def place(self, key: str, value: float) -> float:
        """Return the place of a value on the axis of its column: 0 for the lowest end of the intervals, 1 for the highest."""
        values: list[float] = []
        for name in self.names:
            values += [self.comparison.scores[name][key], *self.comparison.intervals[name][key]]
        finite = [finite_value for finite_value in values if math.isfinite(finite_value)]
        low = min(finite, default=0.0)
        high = max(finite, default=0.0)
        if low == high:
            # All values stand in the middle; one that is nan or infinite stays so.
            return value - low + 0.5
        return (value - low) / (high - low)


@record
class Report:
    """The contents of the page; `top` is the number of rows in the tables of errors and words."""

    findings: Findings
    names: Names
    signature: str
    top: int = COMMANDS["report"].options["top"].default
    baselines: Sequence[Scored] = ()
    datasets: Sequence[str] = ()  #: the data set of each utterance; empty if there is one

    @property
    def dataset_table(self) -> Markup:
        """The main score of each data set and prediction; empty if there is one data set."""
        if not self.datasets:
            return Markup("")
        key = main_score(self.findings.plan.keys)
        scoring = SubsetScoring(replace(self.findings.plan, keys=(key,)), self.findings.resampling)
        names = [prediction.name for prediction in self.predictions]
        tallies = [prediction.analysis.tally for prediction in self.predictions]
        # Whole utterances are divided, so that no prediction has parts of utterances.
        scored_by_prediction = score_by_values(self.datasets, tallies, parts=[], names=names, scoring=scoring)
        utterance_counts = Counter(self.datasets)
        rows: list[list[Any]] = []
        # The scores of all predictions on a data set, data set by data set.
        for scored_on_dataset in zip(*scored_by_prediction, strict=True):
            first_scored, *_ = scored_on_dataset
            dataset = first_scored.value
            cells = [scored.cell(key) for scored in scored_on_dataset]
            rows.append([dataset, utterance_counts[dataset], *cells])
        cells_of_all = [prediction.scored.cell(key) for prediction in self.predictions]
        rows.append(["all", self.utterances, *cells_of_all])
        table = Table(["data set", self.nouns.lower(), *names], rows)
        return Markup(render(Result([table], [Note(heading_of(key))]), "html"))

    @property
    def baseline_table(self) -> Markup:
        """The scores of the predictions beside those of the baselines; empty if nobody asked for baselines."""
        if not self.baselines:
            return Markup("")
        # Without counts, which the sections of the predictions have.
        scored = [replace(prediction.scored, counts={}) for prediction in self.predictions]
        return Markup(BaselineScores(scored, self.baselines).render("html"))

    @cached_property
    def predictions(self) -> list[Prediction]:
        """The predictions, in their order."""
        is_micro = self.findings.resampling.average == "micro"
        return [
            Prediction(scored, analysis, is_micro=is_micro)
            for scored, analysis in zip(self.findings.scored(), self.findings.analysed.values(), strict=True)
        ]

    @property
    def _first_analysis(self) -> Analysed:
        """The analysis of the first prediction, for what all predictions have: the reference."""
        first_prediction, *_ = self.predictions
        return first_prediction.analysis

    @property
    def utterances(self) -> int:
        """The number of utterances of the reference."""
        return len(self._first_analysis.tally)

    @property
    def words(self) -> int | None:
        """The number of words of the reference; None if no words are compared."""
        errors = self._first_analysis.errors
        if errors is None:
            return None
        # The words of the four classes, and those that are aligned with a word of other units, which are in no class.
        return int(errors.words.sum()) + errors.altered

    @property
    def confidence(self) -> float | None:
        """The confidence of the intervals; None without."""
        return self.findings.resampling.confidence

    @property
    def nouns(self) -> str:
        """The heading of the utterances."""
        return f"{self.names.noun.capitalize()}s"

    @property
    def groups(self) -> tuple[ScoreGroup, ...]:
        """The groups of the scores."""
        return groups_of(self.findings.plan.keys)

    @property
    def worst(self) -> str:
        """The name of the score that orders the utterances."""
        return heading_within_sentence(self.findings.worst)

    def note(self, shown: ShownUtterance) -> str:
        """Return the score of an utterance, and its place if there are several files."""
        score = f"{self.worst} {rounded(shown.score, '.2f')}"
        if self.names.where is None:
            return score
        return f"{self.names.where(shown.utterance)}; {score}"

    @property
    def compared(self) -> Compared | None:
        """The table of systems; None for one prediction, or without intervals."""
        if self.findings.comparison is None:
            return None
        return Compared(self.findings.comparison)


def build_page(report: Report) -> str:
    """Build the page, a whole HTML document."""
    script = asset("tables.js", "words.js", "utterances.js", "report.js")
    # The page's policy allows the script with this digest alone.
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    # The style and the script come from this package and are not escaped.
    assets = {"style": Markup(STYLE + asset("report.css")), "script": Markup(script), "digest": f"sha256-{digest}"}
    return report_environment().get_template("report.html").render(report=report, **assets)


@cache
def report_environment(*packages: str) -> Environment:
    """Return the environment of the report's templates; templates of other packages come first and may use the report's."""
    templates = drawing_environment(*packages, "segscores.apps.report")
    templates.filters |= {
        **NUMBERS,
        "confidence": lambda level: f"{100 * level:.12g} %",
        "is_share": lambda group, key: group.keys[key].range == (0.0, 1.0),
        "percent": lambda share: f"{100 * share:.2f}%",
        # Write a text as the user wrote it, with line ends and tabs.
        "verbatim": escape,
        "zip": lambda *columns: zip(*columns, strict=True),
    }
    templates.globals |= {
        "citation": CITATION,
        "class_names": _CLASS_NAMES,
        "classes": CLASSES,
        "code": CODE,
        "few": MIN_CLUSTERS,
        "group_of": group_of,
        "heading": heading_of,
        "line_kinds": _LINES,
        "page": PAGE,
        "version": __version__,
    }
    return templates


@cache
def asset(*names: str) -> str:
    """Read scripts or styles of the report, and join them."""
    folder = files("segscores.apps.report") / "templates"
    return "".join((folder / name).read_text("utf-8") for name in names)
