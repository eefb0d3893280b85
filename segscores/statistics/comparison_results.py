"""Results of comparisons: the scores of systems, their differences from the baseline, and the tables of both."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..results.json_text import as_json
from ..results.pictures import draw_intervals
from ..results.rendering import Tabular
from ..results.result import Cell, Column, Note, Result, Table, Values
from ..results.scored import Scored
from ..scoring.measures.registry import goodness, heading_of, is_share
from ..scoring.signature import signed_skipped
from .comparison_parts import (
    answer_template,
    counts_template,
    difference_cell,
    difference_columns,
    difference_values,
    ranks_template,
)
from .significance import ScoreDifference, is_significant

#: With fewer units the p-value is the larger of two tests', so that the interval of a significant difference excludes 0.
FEW_UNITS = 30


@dataclass(frozen=True, eq=False, repr=False)
class SystemComparison(Tabular, Values):
    """The scores of systems on one reference, and their differences from the baseline. Printed, it is the table of `compare`.

    Attributes:
        scores: by system, the baseline first, the scores by key.
        intervals: by system and key, the low and the high end.
        differences: by system but the baseline, by key, the `significance.ScoreDifference`; not of scores of the reference alone,
            such as `oov_rate`.
        pairs: for every two systems, in alphabetical order, the p-value of their difference by the primary score,
            corrected over all pairs.
        confidence: the level of the intervals; tests have the level 1 − confidence.
        utterances: the number of compared utterances, which no system skipped; all scores are of these.
        skipped: by system, the number of utterances that could not be scored, over all runs.
        runs: by system, the number of runs, over which scores are means.
        trials: the number of trials of the tests; 0 if all scores are of types, or a system has several runs.
        is_exact: True if the trials are all possible exchanges.
        clusters: the number of clusters of utterances; None without.
        undefined: by system, the scores that are 0/0 in the corpus or, for a mean, in every utterance or cluster.
        of_types: the scores whose tests are of Student's t; none for means over utterances.
        compared: int64, the index of each compared utterance.
        utterance_scores: by system, float64, the primary score of each compared utterance, the mean over runs; nan if 0/0.
        signature: how the scores were computed; empty if tallies were compared, which have no digest of the references.
        noun: what is compared, such as `"utterance"`, in tables and messages.
    """

    baseline: str
    scores: dict[str, dict[str, float]]
    intervals: dict[str, dict[str, tuple[float, float]]]
    differences: dict[str, dict[str, ScoreDifference]]
    primary: str
    pairs: dict[tuple[str, str], float]
    confidence: float
    utterances: int
    skipped: dict[str, int]
    runs: dict[str, int]
    trials: int
    is_exact: bool
    clusters: int | None = None
    margin: float | None = None
    undefined: Mapping[str, Sequence[str]] = field(default_factory=dict)
    of_types: Sequence[str] = ()
    seed: int = 0
    compared: npt.NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    utterance_scores: Mapping[str, npt.NDArray[np.float64]] = field(default_factory=dict)
    signature: str = ""
    noun: str = "utterance"

    @property
    def keys(self) -> tuple[str, ...]:
        """The names of the scores."""
        return tuple(self.scores[self.baseline])

    @property
    def has_runs(self) -> bool:
        """True if a system has several runs."""
        return max(self.runs.values()) > 1

    @property
    def has_few_units(self) -> bool:
        """True if there are so few utterances, or clusters, that randomisation does not decide alone."""
        return tested_units(self).number < FEW_UNITS

    @property
    def signed(self) -> dict[str, object]:
        """The signature's fields of a comparison: trials, runs, and, if utterances were skipped, skipped and compared ones."""
        fields: dict[str, object] = {}
        if self.trials:
            fields["trials"] = "exact" if self.is_exact else f"{self.trials}-{self.seed}"
        if self.has_runs:
            fields["runs"] = "+".join(map(str, self.runs.values()))
        skipped = signed_skipped(self.skipped.values())
        if skipped:
            fields |= {**skipped, "compared": self.utterances}
        return fields

    def is_undefined(self, key: str, *systems: str) -> bool:
        """Return True if a score of one of the systems has the denominator 0."""
        return any(key in self.undefined.get(system, ()) for system in systems)

    def best(self, key: str) -> str | None:
        """Return the first system with the best value of a score; None where no value is better, or all are undefined."""
        good = self.goodness_of(key)
        return max(good, key=good.__getitem__, default=None)

    def goodness_of(self, key: str) -> dict[str, float]:
        """Return the goodness of each system's score by system, without undefined ones; empty if no value is better."""
        good = goodness(key, np.array([scores[key] for scores in self.scores.values()]))
        if good is None:
            return {}
        # The value of an undefined score is the option `zero_division`, and may be the highest.
        are_undefined = [self.is_undefined(key, name) for name in self.scores]
        by_system = zip(self.scores, np.where(are_undefined, math.nan, good).tolist(), strict=True)
        return {name: value for name, value in by_system if not math.isnan(value)}

    def p_of_pair(self, first: str, second: str) -> float:
        """Return the p-value of the difference of two systems by the primary score, corrected over all pairs."""
        in_order = min(first, second), max(first, second)
        return self.pairs[in_order]

    def against_best(self) -> dict[str, float]:
        """Return the corrected p-values of differences from the best system, by the other system; empty without a best one."""
        best = self.best(self.primary)
        return {} if best is None else {name: self.p_of_pair(best, name) for name in self.scores if name != best}

    def not_worse(self) -> list[str]:
        """Return the best system and the systems that are not distinguishable from it; none without a best."""
        best = self.best(self.primary)
        if best is None:
            return []
        worse_systems = self._worse_systems()
        worse_than_best = worse_systems[best]
        return [name for name in worse_systems if name not in worse_than_best]

    def worse_than_baseline(self) -> dict[str, str]:
        """Return the systems that a check should reject by the primary score, and why.

        A system is rejected if it is significantly worse than the baseline; with a margin, if it differs from the baseline and is
        not shown to be equivalent or not inferior. An undefined score is rejected too.

        >>> from segscores import compare
        >>> systems = {"old": ["a b", "c d"] * 9, "new": ["ab", "cd"] * 9}
        >>> compare(["a b", "c d"] * 9, systems, text_format="words").worse_than_baseline()
        {'new': 'token_fscore, 0.0000 against 1.0000 for old, is significantly worse'}
        """
        rejected = {}
        for name, of_system in self.differences.items():
            difference = of_system[self.primary]
            why = self._why_rejected(difference)
            if why:
                scores = f"{difference.score:.4f} against {difference.baseline_score:.4f} for {self.baseline}"
                rejected[name] = f"{self.primary}, {scores}, is {why}"
        return rejected

    def _why_rejected(self, difference: ScoreDifference) -> str:
        """Return why a check should reject a system with this difference; empty if it should not."""
        if self.margin is None:
            reasons = {"worse": "significantly worse", "undefined": "undefined"}
            return reasons.get(difference.verdict, "")
        if difference.against_margin in ("equivalent", "not inferior"):
            return ""
        # A system that equals the baseline passes, even where units are too few for a verdict. Scores of 0/0 may only look equal.
        is_equal = difference.difference == 0 and not difference.won and not difference.lost
        if is_equal and difference.verdict != "undefined":
            return ""
        return f"not shown to be less than {self.margin:g} worse: {difference.against_margin}"

    def ranks(self) -> dict[str, tuple[int, int]]:
        """Return the first and last rank of each system; none if its score is undefined, or neither high nor low is better."""
        # {"best": {"worst"}}: "worst" is significantly worse than "best".
        worse_systems = self._worse_systems()
        ranks = {}
        for name, worse_than_this in worse_systems.items():
            # A system is better than this one if this one is among the systems that are worse than it.
            number_of_better = sum(name in worse_than_other for worse_than_other in worse_systems.values())
            ranks[name] = (1 + number_of_better, len(worse_systems) - len(worse_than_this))
        return ranks

    def _worse_systems(self) -> dict[str, set[str]]:
        """Return by system the systems that are significantly worse than it; no system whose score is undefined is in it.

        `{"best": {"worst"}, "second": set(), "worst": set()}` says that only `best` and `worst` differ significantly.
        """
        good = self.goodness_of(self.primary)
        worse_systems: dict[str, set[str]] = {name: set() for name in good}
        for (first, second), p_value in self.pairs.items():
            are_defined = first in good and second in good
            if not are_defined or not is_significant(p_value, self.confidence):
                continue
            if good[first] > good[second]:
                worse_systems[first].add(second)
            elif good[second] > good[first]:
                worse_systems[second].add(first)
        return worse_systems

    def mark(self, key: str, system: str) -> str:
        """Return `"best"` for the best value of the primary score, `"tied"` if not distinguishable from it, otherwise empty."""
        if key != self.primary:
            return ""
        best = self.best(key)
        if best is None or self.is_undefined(key, system):
            return ""
        if self.scores[system][key] == self.scores[best][key]:
            return "best"
        return "tied" if system in self.not_worse() else ""

    def per_utterance(self) -> list[dict[str, Any]]:
        """Return the utterances by their difference from the baseline: the utterances in which a system is worst come first.

        Returns:
            For each system but the baseline, and each compared utterance, a dict with `system`, `utterance` (the index from 0),
            the primary score under its name, `baseline` and `difference`. A score of 0/0 is nan, unless `zero_division` is given;
            differences of nan come last.

        >>> from segscores import compare
        >>> systems = {"old": ["a b", "c d"], "new": ["a b", "cd"]}
        >>> compare(["a b", "c d"], systems, text_format="words", primary="token_recall").per_utterance()[0]
        {'system': 'new', 'utterance': 1, 'token_recall': 0.0, 'baseline': 1.0, 'difference': -1.0}
        """
        rows: list[dict[str, Any]] = []
        for system in self.differences:
            utterances, scores = self.worst_first(system)
            columns: dict[str, npt.NDArray[Any]] = {"utterance": utterances, **scores}
            values = zip(*(column.tolist() for column in columns.values()), strict=True)
            rows += [{"system": system, **dict(zip(columns, row, strict=True))} for row in values]
        return rows

    def worst_first(self, system: str) -> tuple[npt.NDArray[np.int64], dict[str, npt.NDArray[np.float64]]]:
        """Return the indexes of a system's utterances in the order of `per_utterance`, and the columns of its scores."""
        of_system = self.utterance_scores[system]
        of_baseline = self.utterance_scores[self.baseline]
        good_of_system = goodness(self.primary, of_system)
        good_of_baseline = goodness(self.primary, of_baseline)
        assert good_of_system is not None, "a primary score has better values"
        assert good_of_baseline is not None, "a primary score has better values"
        order = np.argsort(good_of_system - good_of_baseline, kind="stable")  # the least first: where it is worst
        columns = {self.primary: of_system, "baseline": of_baseline, "difference": of_system - of_baseline}
        return self.compared[order], {name: values[order] for name, values in columns.items()}

    def result(self) -> Result:
        """Return the tables: a row for each score for people, and a row for each score and system for programs."""
        notes = list(_notes(self))
        return Result([_table(self)], notes, data=_data(self), answer=_answer(self), signature=self.signature)

    def scored(self, paths: Mapping[str, str]) -> list[Scored]:
        """Return the scores of each system, with the path of its file."""
        scored = []
        for name, scores in self.scores.items():
            undefined = self.undefined.get(name, ())
            scored.append(Scored(name, scores, intervals=self.intervals[name], path=paths[name], undefined=undefined))
        return scored

    def result_of_files(self, reference: str, paths: Mapping[str, str], signature: str) -> Result:
        """Return the result with a record that names the files."""
        predictions = [scored.record() for scored in self.scored(paths)]
        record = {"reference": reference, "predictions": predictions, **self.to_dict()}
        return replace(self.result(), record=record, signature=signature)

    def plot(self) -> Any:
        """Draw a figure of matplotlib (extra `plot`): every score that is a share, with its interval, a row per system."""
        keys = {key: heading_of(key) for key in self.keys if is_share(key)}
        if not keys:
            raise ValueError(
                f"{', '.join(self.keys)}: expected a score that is a share in [0, 1]; scores of other scales have no picture."
            )
        # A picture names no file.
        paths = dict.fromkeys(self.scores, "")
        return draw_intervals(self.scored(paths), keys)

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as plain values, for JSON."""
        plain: dict[str, Any] = {}
        if self.signature:
            plain["signature"] = self.signature
        plain |= {"baseline": self.baseline, "confidence": self.confidence, "utterances": self.utterances}
        if self.clusters is not None:
            plain["clusters"] = self.clusters
        plain |= {"trials": self.trials, "exact": self.is_exact}
        if self.margin is not None:
            plain["margin"] = self.margin
        plain["primary"] = self.primary
        best = {
            "system": self.best(self.primary),
            "not_worse": self.not_worse(),
            "p_values": self.against_best(),
            "ranks": {name: list(ranks) for name, ranks in self.ranks().items()},
        }
        plain["best"] = {self.primary: best}
        plain["systems"] = {name: self._system_to_dict(name) for name in self.scores}
        return plain

    def _system_to_dict(self, name: str) -> dict[str, Any]:
        """Return a system's scores and differences as plain values; the baseline has no differences."""
        differences = {}
        for key, difference in self.differences.get(name, {}).items():
            # The verdict, and the verdict on the margin, are empty for scores that have none.
            differences[key] = {field: value for field, value in vars(difference).items() if value != ""}
            if key != self.primary:
                del differences[key]["p_corrected"]  # nan: only p-values of the primary score are corrected
        return {
            "skipped": self.skipped[name],
            "runs": self.runs[name],
            "scores": dict(self.scores[name]),
            "undefined": list(self.undefined.get(name, ())),
            "intervals": {key: list(ends) for key, ends in self.intervals[name].items()},
            "differences": differences,
        }

    def to_json(self) -> str:
        """Return `to_dict` as JSON, with null for nan."""
        return as_json(self.to_dict())


class TestedUnits(NamedTuple):
    """The units that tests exchange."""

    number: int
    noun: str  #: their name in the plural


def tested_units(comparison: SystemComparison) -> TestedUnits:
    """Return the number of units that tests exchange, and their name."""
    if comparison.clusters is None:
        return TestedUnits(comparison.utterances, f"{comparison.noun}s")
    return TestedUnits(comparison.clusters, "clusters")


def _table(comparison: SystemComparison) -> Table:
    """Return the table for people: a row for each score, and for each system its columns."""
    details = _details(comparison)
    columns: list[str | Column] = [Column("score", has_keys=True)]
    for name in comparison.scores:
        columns.append(name)
        if name != comparison.baseline:
            columns += [Column(detail, is_detail=True) for detail in details]
    rows = []
    for key in comparison.keys:
        row: list[Any] = [key]
        for system in comparison.scores:
            row += _cells(comparison, key, system)
        rows.append(row)
    return Table(columns, rows, heading_of_systems="system")


def _details(comparison: SystemComparison) -> list[str]:
    """Return the headings of the columns of a difference."""
    details = ["difference", "p", "smallest detectable", "won–tied–lost"]
    if comparison.margin is not None:
        details.append(f"margin {comparison.margin:g}")
    return details


def _cells(comparison: SystemComparison, key: str, system: str) -> Iterator[Cell]:
    """Yield the cells of a score and a system: the value, and the difference unless the system is the baseline."""
    share = is_share(key)
    interval = comparison.intervals[system][key]
    is_defined = not comparison.is_undefined(key, system)
    mark = comparison.mark(key, system)
    yield Cell(comparison.scores[system][key], interval, mark, is_defined=is_defined, is_share=share)
    if system == comparison.baseline:
        return
    if key not in comparison.differences[system]:
        # No prediction changes the score: its cells are empty.
        yield from [Cell(None)] * len(_details(comparison))
        return
    difference = comparison.differences[system][key]
    is_defined = not comparison.is_undefined(key, system, comparison.baseline)
    yield difference_cell(key, difference, is_defined=is_defined)
    p_value = difference.p_corrected if key == comparison.primary else difference.p_value
    yield Cell(p_value, is_defined=is_defined, form=".2g")
    yield Cell(difference.detectable, is_defined=is_defined, form=".2g", is_share=share)
    counts = None
    if difference.won is not None and is_defined:
        counts = f"{difference.won}–{difference.tied}–{difference.lost}"
    yield Cell(counts)
    if comparison.margin is not None:
        yield Cell(difference.against_margin)


def _answer(comparison: SystemComparison) -> Note | None:
    """Return a sentence that says if one of two systems is shown to be better; None for more systems, or an undefined score."""
    if len(comparison.scores) != 2:
        return None
    key = comparison.primary
    ((system, differences),) = comparison.differences.items()  # of the system that is not the baseline
    difference = differences[key]
    if difference.verdict == "undefined":
        return None
    template = answer_template(key, difference, comparison.margin)
    p_value = Cell(difference.p_corrected, form=".2g")
    return Note(template, [system, comparison.baseline, difference_cell(key, difference), p_value])


def _describe_tests(comparison: SystemComparison) -> str:
    """Return the names of the tests that p-values are from."""
    if not comparison.trials:
        return "Student's t with the variance of runs" if comparison.has_runs else "Student's t"
    noun = tested_units(comparison).noun
    if comparison.is_exact:
        trials = f"all {comparison.trials:,} exchanges of {noun}"
    elif comparison.clusters is None:
        trials = f"{comparison.trials:,} trials"
    else:
        trials = f"{comparison.trials:,} trials over {noun}"
    tests = f"paired randomisation ({trials})"
    if comparison.has_few_units:
        tests = f"the larger of {tests} and Student's t"
    if comparison.of_types:
        tests += "; of type scores, Student's t alone"
    return tests


def _notes(comparison: SystemComparison) -> Iterator[Note]:
    """Yield the notes below the table, from what all columns show to what few comparisons have."""
    by = comparison.primary
    # Two systems have one difference: there is nothing to correct for, and nothing to rank.
    has_several_differences = len(comparison.scores) > 2
    yield Note(f"[low, high]: {100 * comparison.confidence:g} % interval")
    yield Note("difference: from {}", [comparison.baseline], is_detail=True)
    # All systems have the differences of the same scores: a score that one system lacks has no difference at all.
    tested = comparison.differences.values()
    untested = [key for key in comparison.keys if any(key not in differences for differences in tested)]
    if untested:
        yield Note(f"not tested, as no prediction changes it: {', '.join(untested)}", is_detail=True)
    tests = _describe_tests(comparison)
    corrected = ", corrected for several systems (Holm)" if has_several_differences else ""
    yield Note(f"p: {tests}. Report the p of {by}, the primary score{corrected}", is_detail=True)
    yield Note("smallest detectable: the difference that 80 % of such test sets would find", is_detail=True)
    yield from _notes_on_runs(comparison)
    # When the notes are written, `{best}` becomes the sign of the best, and `{}` a name or number of the list behind the text.
    yield Note(f"{{best}} by {by}, the primary score")
    level = f"{1 - comparison.confidence:.3g}"
    yield Note(f"† not distinguishable from the best by {by} (p > {level}, corrected over all pairs)")
    ranks = comparison.ranks() if has_several_differences else {}
    if ranks:
        possible = f"ranks by {by} that the significant differences leave possible: {ranks_template(ranks)}"
        yield Note(possible, list(ranks), is_detail=True)
    if comparison.margin is not None:
        yield _note_on_margin(comparison, comparison.margin)
    if any(comparison.skipped.values()):
        compared = f"of the {comparison.utterances} {comparison.noun}s that no prediction skips"
        yield Note(f"all scores: {compared} (skipped: {counts_template(comparison.skipped)})", list(comparison.skipped))


def _notes_on_runs(comparison: SystemComparison) -> Iterator[Note]:
    """Yield what the numbers of runs mean for the scores and the tests."""
    if comparison.has_runs:
        runs = f"means over runs: {counts_template(comparison.runs)}"
        if 1 in comparison.runs.values():
            runs += " (of a system with 1 run, the tests hold for this run only)"
        yield Note(runs, list(comparison.runs))
    else:
        noun = tested_units(comparison).noun
        yield Note(f"won–tied–lost: {noun} for the system, for none, for {{}}", [comparison.baseline], is_detail=True)
        yield Note("one run of each system: the tests hold for these runs only", is_detail=True)


def _note_on_margin(comparison: SystemComparison, margin: float) -> Note:
    """Return what the verdicts against the margin mean."""
    noun = tested_units(comparison).noun
    return Note(
        f"margin, by {comparison.primary}: equivalent if the interval of the difference lies within {margin:g} of 0, not "
        f"inferior if it does not reach {margin:g} on the worse side; the interval is wider by 1/√k for the k {noun} that differ",
        is_detail=True,
    )


def _data(comparison: SystemComparison) -> Table:
    """Return the table for programs: a row for each score and system."""
    verdicts = ["verdict"]
    if comparison.margin is not None:
        verdicts.append("against_margin")
    values = ["score", "system", "value", "low", "high", "best", "not_worse", "rank_first", "rank_last"]
    rows: list[list[Any]] = []
    for key in comparison.keys:
        ranks = comparison.ranks() if key == comparison.primary else {}
        for system, scores in comparison.scores.items():
            mark = comparison.mark(key, system)
            low, high = comparison.intervals[system][key]
            first_rank, last_rank = ranks.get(system, (None, None))
            row = [key, system, scores[key], low, high, mark == "best", mark != "", first_rank, last_rank]
            # Neither the baseline nor a score of the reference alone has a difference.
            difference = comparison.differences.get(system, {}).get(key)
            rows.append([*row, *difference_values(difference, verdicts)])
    return Table([*values, *difference_columns(verdicts)], rows)
