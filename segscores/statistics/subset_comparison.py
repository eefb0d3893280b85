"""Comparison of systems on subsets of the utterances, such as data sets, genres or ages, and on the mean over them.

Conventions
-----------
- Each subset is compared as a corpus of its own. The p-values of the differences by the primary score are corrected over all
  subsets and systems (Holm), so that one of many subsets is not significant by chance.
- The mean over subsets gives each subset the same weight, whatever its size. Its interval and its p-value are for these subsets:
  they allow for the choice of utterances within each, and not for the choice of the subsets. The variance of the mean of k
  subsets is the sum of their variances over k², and has the degrees of freedom of Satterthwaite, (Σv_i)² / Σ(v_i²/f_i) over the
  variances v_i with f_i degrees of freedom. The p-value is that of `system_comparison`, for which paired randomisation exchanges
  the predictions of utterances within each subset. The p-values are corrected over the systems.
- A system's rank in a subset is that of its score; equal scores share the mean of their ranks.

Source
------
Satterthwaite (1946), Biometrics Bulletin 2:110-114.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..options.keywords import CompareOptions, Unpack
from ..options.messages import OptionError, message_of
from ..options.option import check_needs
from ..options.table import OPTIONS, options_in
from ..reading.world import length_unit
from ..results.json_text import as_json
from ..results.pictures import draw_lines
from ..results.rendering import Tabular
from ..results.result import Cell, Column, Note, Result, Table, Values
from ..scoring.functions import with_options
from ..scoring.measures.registry import heading_of, is_share
from ..scoring.passes import ids_of
from ..scoring.plan import Plan
from ..scoring.utterance_tally import UtteranceTally
from .bands import check_edges
from .clusters import MIN_CLUSTERS
from .comparison_results import SystemComparison
from .difference_tests import choose_primary
from .dividing import CATEGORY, Subsets, categories_of, name_of_values, subsets_of
from .resampling import Resampling, Sampled, sample, split_options
from .significance import holm
from .signing import sign_sides
from .subset_means import MacroMean, TestsOfMeans, ranks_of
from .subsets import warn_of_small
from .system_comparison import CommonUtterances, compare_tallies, tally_systems

#: The columns of a difference, for programs.
_DIFFERENCES = ("difference", "difference_low", "difference_high", "p_value", "p_corrected")


@dataclass(frozen=True, eq=False, repr=False)
class SubsetComparison(Tabular, Values):
    """The comparison of systems on subsets, from `compare_by`. Printed, it is the table of `compare --by`.

    Attributes:
        by: the name of the values, such as `age`.
        whole: the comparison on all utterances.
        subsets: the comparison on the utterances of each value.
        p_values: by value and system, the p-value of the difference from the baseline by the primary score, corrected over all
            values and systems.
        means: by system the mean over the subsets.
        signature: how the scores were computed.
    """

    by: str
    whole: SystemComparison
    subsets: Mapping[str, SystemComparison]
    p_values: Mapping[tuple[str, str], float]
    means: Mapping[str, MacroMean]
    signature: str = ""

    @property
    def primary(self) -> str:
        """The score of the means, the ranks and the tables."""
        return self.whole.primary

    def result(self) -> Result:
        """Return the tables: a row for each subset, for the mean over them, for the mean ranks, and for all utterances."""
        systems = list(self.whole.scores)
        columns: list[str | Column] = [Column(self.by), "utterances"]
        for system in systems:
            columns.append(system)
            if system != self.whole.baseline:
                columns += [Column("difference", is_detail=True), Column("p", is_detail=True)]
        rows = [self._row(value, comparison) for value, comparison in self.subsets.items()]
        rows.append(self._row_of_means())
        has_ranks = not any(math.isnan(mean.rank) for mean in self.means.values())
        if has_ranks:
            rows.append(self._row_of_ranks())
        rows.append(self._row("all utterances", self.whole))
        record = self.to_dict()
        return Result([Table(columns, rows)], self._notes(), record, self._data(), signature=self.signature)

    def result_of_files(self, reference: str, paths: Mapping[str, str], signature: str) -> Result:
        """Return the result with a record that names the files."""
        of_whole = self.whole.result_of_files(reference, paths, signature).record or {}
        result = self.result()
        return replace(result, record={**of_whole, **(result.record or {})}, signature=signature)

    def _row(self, value: str, comparison: SystemComparison) -> list[Any]:
        """Return the row of a subset, or of all utterances; `value` is its heading.

        The cells are the heading, the number of utterances, the score of the baseline, and for each other system its score, the
        difference and p.
        """
        key = self.primary
        row: list[Any] = [value, comparison.utterances]
        for system, scores in comparison.scores.items():
            is_defined = not comparison.is_undefined(key, system)
            ends = comparison.intervals[system][key]
            mark = comparison.mark(key, system)
            row.append(Cell(scores[key], ends, mark, is_defined=is_defined, is_share=is_share(key)))
            if system == comparison.baseline:
                continue
            difference = comparison.differences[system][key]
            is_defined = not comparison.is_undefined(key, system, comparison.baseline)
            row.append(Cell(difference.difference, is_defined=is_defined, form="+.4f", is_share=is_share(key)))
            row.append(Cell(self._p_corrected(value, comparison, system), is_defined=is_defined, form=".2g"))
        return row

    def _p_corrected(self, value: str, comparison: SystemComparison, system: str) -> float:
        """Return the corrected p-value of a system's difference in the subset of a value, or in all utterances."""
        if comparison is self.whole:
            # The comparison on all utterances is corrected over systems alone.
            return comparison.differences[system][self.primary].p_corrected
        return self.p_values[value, system]

    def _row_of_means(self) -> list[Any]:
        """Return the row of the means over subsets, with the cells of `_row`."""
        row: list[Any] = ["mean", None]
        for system, mean in self.means.items():
            row.append(Cell(mean.value, (mean.low, mean.high), is_share=is_share(self.primary)))
            if system != self.whole.baseline:
                row.append(Cell(mean.difference, form="+.4f", is_share=is_share(self.primary)))
                row.append(Cell(mean.p_corrected, form=".2g"))
        return row

    def _row_of_ranks(self) -> list[Any]:
        """Return the row of the mean ranks, whose cells below a difference and p are empty."""
        row: list[Any] = ["mean rank", None]
        for system, mean in self.means.items():
            row.append(Cell(mean.rank, form=".2f"))
            if system != self.whole.baseline:
                row += [None, None]
        return row

    def _notes(self) -> list[Note]:
        """Return the notes below the table, which say what the rows and columns are."""
        level = f"{1 - self.whole.confidence:.3g}"
        return [
            Note(
                f"{heading_of(self.primary)}, the primary score; [low, high]: {100 * self.whole.confidence:g} % interval"
            ),
            Note("difference: from {}", [self.whole.baseline], is_detail=True),
            Note(
                f"p: of the {len(self.subsets)} subsets corrected over all of them and over systems (Holm)",
                is_detail=True,
            ),
            Note("mean: each subset has the same weight; its interval and p are for these subsets"),
            # `{best}` becomes the sign of the best when the notes are written.
            Note(
                f"{{best}} of the row; † not distinguishable from it (p > {level}, corrected over all pairs in the row)"
            ),
        ]

    def _data(self) -> Table:
        """Return the table for programs: for each system a row for each subset, for all utterances, and for the mean.

        The column `of` says which of the three a row is of: "subset", "all" or "mean".
        """
        others = ["utterances", "system", "score", "value", "low", "high", *_DIFFERENCES, "rank"]
        # The name of the values may be that of another column: the default is "value".
        of_values = "subset" if self.by in ("of", *others) else self.by
        columns = ["of", of_values, *others]
        rows: list[list[Any]] = []
        for value, comparison in self.subsets.items():
            rows += self._rows_for_programs("subset", value, comparison)
        # All utterances have no common value.
        rows += self._rows_for_programs("all", value="", comparison=self.whole)
        for system, mean in self.means.items():
            row: list[Any] = ["mean", "", None, system, self.primary, mean.value, mean.low, mean.high]
            if system == self.whole.baseline:
                row += [None] * len(_DIFFERENCES)
            else:
                row += [getattr(mean, name) for name in _DIFFERENCES]
            rows.append([*row, mean.rank])
        return Table(columns, rows)

    def _rows_for_programs(self, utterances_of: str, value: str, comparison: SystemComparison) -> list[list[Any]]:
        """Return a row for each system, with the columns that `_data` names.

        `utterances_of` is "subset", for the utterances with the value, or "all".
        """
        key = self.primary
        ranks = ranks_of(comparison)
        rows = []
        for system, scores in comparison.scores.items():
            low, high = comparison.intervals[system][key]
            row: list[Any] = [utterances_of, value, comparison.utterances, system, key, scores[key], low, high]
            if system == comparison.baseline:
                row += [None] * len(_DIFFERENCES)
            else:
                difference = comparison.differences[system][key]
                p_corrected = self._p_corrected(value, comparison, system)
                # In the order of _DIFFERENCES.
                row += [difference.difference, difference.low, difference.high, difference.p_value, p_corrected]
            rows.append([*row, ranks.get(system, math.nan)])
        return rows

    def plot(self) -> Any:
        """Draw a figure of matplotlib (extra `plot`): the primary score of each system in each subset, with its interval."""
        systems = list(self.whole.scores)
        lines: dict[str, list[float]] = {}
        intervals: dict[str, list[tuple[float, float]]] = {}
        for system in systems:
            lines[system] = [self._drawn_score(comparison, system) for comparison in self.subsets.values()]
            intervals[system] = [comparison.intervals[system][self.primary] for comparison in self.subsets.values()]
        return draw_lines(
            x=None,  # subsets are classes, which have no numbers
            lines=lines,
            x_label=self.by,
            y_label=heading_of(self.primary),
            labels=list(self.subsets),
            intervals=intervals,
            wholes={system: self._drawn_score(self.whole, system) for system in systems},
            limits=None,
        )

    def _drawn_score(self, comparison: SystemComparison, system: str) -> float:
        """Return the primary score; nan if it is undefined."""
        if comparison.is_undefined(self.primary, system):
            return math.nan
        return comparison.scores[system][self.primary]

    def to_dict(self) -> dict[str, Any]:
        """Return the comparisons as plain values, for JSON."""
        signed = {}
        if self.signature:
            signed["signature"] = self.signature
        subsets = []
        for value, comparison in self.subsets.items():
            p_values = {system: self.p_values[value, system] for system in comparison.differences}
            subsets.append({"value": value, "p_corrected": p_values, **comparison.to_dict()})
        means = {system: dict(vars(mean)) for system, mean in self.means.items()}
        return {**self.whole.to_dict(), **signed, "by": self.by, "subsets": subsets, "means": means}

    def to_json(self) -> str:
        """Return `to_dict` as JSON, with null for nan."""
        return as_json(self.to_dict())


@with_options
def compare_by(
    references: Any,
    systems: Mapping[str, Any],
    by: Any,
    *,
    bands: Sequence[float] | None = None,
    **options: Unpack[CompareOptions],
) -> SubsetComparison:
    """Compare systems on subsets of the utterances, such as data sets or genres, and on the mean over them.

    Args:
        references: utterances, in any form of the README's Inputs.
        systems: by name the predictions of at least two systems, as in `compare`.
        by: a value for each utterance, as in `score_by`, such as the name of its data set; or `"category"`, for the third column
            of sigmorphon text.
        bands: the edges of bands of numbers, as in `score_by`.
        **options: those of `compare`.

    Returns:
        The comparisons, with p-values corrected over the subsets, and the means over them. Printed, it is a table.

    Raises:
        TypeError, ValueError: as `compare`; an utterance has no value; or a subset has fewer than two utterances or clusters.

    Warns:
        UserWarning: as `compare` of all utterances; or subsets are too small for reliable intervals.

    >>> references = ["the dog", "a cat"] * 12
    >>> systems = {"old": ["thedog", "a cat"] * 12, "new": ["the dog", "acat"] * 12}
    >>> compared = compare_by(references, systems, ["dogs", "cats"] * 12, text_format="words", scores="token_recall")
    >>> {system: (mean.value, mean.rank) for system, mean in compared.means.items()}
    {'old': (0.5, 1.5), 'new': (0.5, 1.5)}
    """
    plan, resampling, values = split_options(options, CompareOptions)
    check_needs(options, options_in(CompareOptions), values=values)
    tests = {name: values[name] for name in ("baseline", "primary", "n_trials", "margin")}
    edges = () if bands is None else check_edges(bands)
    is_category = isinstance(by, str) and by == CATEGORY
    tallied = tally_systems(references, systems, plan, resampling, tests, with_reference_lines=is_category)
    # The plan with the sizes that the reference gives, such as the window size.
    plan = tallied.plan
    of_utterances = by
    if is_category:
        # The ids that were observed are the lines of the references, such as "played\tplay @@ed\t100", of category "100".
        lines = ids_of(tallied.observed, name="by")
        of_utterances = categories_of(lines)
    # The lengths of utterances are those of the reference, which all runs have.
    first_tallies = [first_run for first_run, *_ in tallied.tallies.values()]
    subsets = subsets_of(of_utterances, first_tallies, length_unit=length_unit(plan.reading), bands=edges)
    compared = compare_subsets(tallied.tallies, subsets, name_of_values(by), plan, resampling, **tests)
    signature = sign_sides(
        tallied.sides,
        plan,
        tallied.observed,
        resampling=resampling,
        clusters=compared.whole.clusters,
        further=compared.whole.signed,
    )
    return replace(compared, signature=signature)


def compare_subsets(
    tallies: Mapping[str, Sequence[UtteranceTally]],
    subsets: Subsets,
    by: str,
    plan: Plan,
    resampling: Resampling,
    **tests: Any,
) -> SubsetComparison:
    """Compare systems on subsets, by the tallies of their runs, of the same utterances in the same clusters.

    `tests` are the further arguments of `compare_tallies`, among them `primary` and `n_trials`.
    """
    whole = compare_tallies(tallies, plan, resampling, **tests)
    primary = choose_primary(plan.keys, tests["primary"])
    plan_of_primary = replace(plan, keys=(primary,))
    compared: dict[str, SystemComparison] = {}
    sampled: list[dict[str, Sampled]] = []
    small_subsets = []
    for value, members in subsets.split().items():
        of_subset = {system: [tally.take(members) for tally in runs] for system, runs in tallies.items()}
        try:
            # The whole has warned of the same; sizes are named below for all subsets at once.
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)
                compared[value] = compare_tallies(of_subset, plan, resampling, **tests)
        except ValueError as error:
            raise OptionError(OPTIONS["by"], f", subset {value}: {message_of(error)}") from None
        # All systems have the same utterances: one tells the size.
        first_run, *_ = of_subset[whole.baseline]
        if first_run.scored_clusters() < MIN_CLUSTERS:
            small_subsets.append(value)
        sampled.append(_sample(of_subset, plan_of_primary, resampling))
    first_run, *_ = tallies[whole.baseline]
    consequence = "Their intervals contain the true score less often than their level says."
    warn_of_small(small_subsets, MIN_CLUSTERS, first_run.sampled_unit, consequence)
    p_values = {}
    for value, comparison in compared.items():
        for system, differences in comparison.differences.items():
            p_values[value, system] = differences[primary].p_value
    tests_of_means = TestsOfMeans(
        subsets=list(compared.values()), sampled=sampled, whole=whole, zero_division=plan.zero_division
    )
    means = tests_of_means.means(tests["n_trials"], resampling.seed)
    return SubsetComparison(by=by, whole=whole, subsets=compared, p_values=holm(p_values), means=means)


def _sample(tallies: Mapping[str, Sequence[UtteranceTally]], plan: Plan, resampling: Resampling) -> dict[str, Sampled]:
    """Return the samples of the systems in a subset, of the utterances that no system skips there."""
    # The error of a mean is that of the jackknife, whatever the intervals of subsets are.
    resampling = replace(resampling, interval_method="jackknife")
    common = CommonUtterances.of(tallies)
    return {system: sample(runs, plan.keys, plan, resampling) for system, runs in common.tallies.items()}
