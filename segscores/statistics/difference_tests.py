"""The tests of the differences of systems, which `system_comparison` describes, and the choice of the primary score."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations, product
from typing import NamedTuple

import numpy as np

from ..kernel.record import record
from ..options.messages import OptionError
from ..options.table import OPTIONS
from ..scoring.measures.group import OF_TEXT, SKIPPED
from ..scoring.measures.registry import check_scored, group_of, is_share, main_score
from .clusters import MIN_CLUSTERS
from .comparison_results import FEW_UNITS
from .jackknife import Estimate
from .randomisation import Exchanges
from .resampling import Sampled, estimate, interval
from .significance import Gains, ScoreDifference, holm, unit_gains, verdict_of, won_tied_lost


def choose_primary(keys: Sequence[str], primary: str | None) -> str:
    """Return the primary score: by default the `main_score` of the scores that tests compare."""
    if primary is None:
        tested = [key for key in keys if not _why_untested(key)]
        if not tested:
            first_key, *_ = keys
            why = _why_untested(first_key)
            raise OptionError(OPTIONS["scores"].set(keys), f": {why}: name at least one other score.")
        return main_score(tested)
    check_scored(OPTIONS["primary"], primary, keys)
    why = _why_untested(primary)
    if why:
        raise OptionError(OPTIONS["primary"].set(primary), f": {why}: expected another score, such as token_fscore.")
    return primary


def check_margin(margin: float | None, primary: str) -> None:
    """Check that the primary scores of two systems can differ by the margin: with a larger one no system is worse."""
    if margin is not None and margin >= 1 and is_share(primary):
        problem = f": {primary} is a share, of which two differ by less; is the margin in percent? Then pass {margin / 100:g}."
        raise OptionError(OPTIONS["margin"].set(margin), problem)


def _why_untested(key: str) -> str:
    """Return why no test compares a score, in words; empty for one that tests compare."""
    if key == SKIPPED:
        return "it is a count, which no test compares"
    if group_of(key).keys[key].better == OF_TEXT:
        return "it depends on the reference alone, so all systems have the same value"
    return ""


class _Tested(NamedTuple):
    """A difference of two systems, with the p-value of the test that the conventions choose."""

    difference: Estimate
    p_value: float


@record
class DifferenceTests:
    """The tests of all differences."""

    sampled: Mapping[str, Sampled]  #: by system, the baseline first
    exchanges: Exchanges | None  #: the trials of randomisation; None if all p-values are of Student's t
    primary: str
    confidence: float
    margin: float | None

    def tested(self, first: str, second: str, keys: Sequence[str]) -> dict[str, _Tested]:
        """Estimate the differences of the second system from the first, by key, with their p-values."""
        p_of_exchanges = {}
        if self.exchanges is not None:
            # Trials exchange sums, which type scores do not have: `effective_sizes` of the exchanged sums has the keys of the
            # scores of sums alone.
            sizes_of_sums = self.exchanges.systems[first].effective_sizes
            sum_keys = [key for key in keys if key in sizes_of_sums]
            p_of_exchanges = self.exchanges.p_values(first, second, sum_keys)
        by_key = {}
        for key in keys:
            difference = estimate(key, self.sampled[second], self.sampled[first])
            # nan for a type score, and for a score that is nan.
            p_value = p_of_exchanges.get(key, math.nan)
            if math.isnan(p_value) or self.sampled[first].unit_count(key) < FEW_UNITS:
                # With few units the larger p-value decides, so that the interval of a significant difference excludes 0. If one
                # p-value is nan, `fmax` returns the other.
                p_value = float(np.fmax(difference.p_value(), p_value))
            by_key[key] = _Tested(difference, p_value)
        return by_key

    def pairs(self) -> dict[tuple[str, str], float]:
        """Compute the p-values of all pairs of systems by the primary score, corrected over all pairs.

        The names of a pair are in alphabetical order, so that a pair is found whichever system is named first.
        """
        p_values = {}
        for first, second in combinations(sorted(self.sampled), 2):
            tested = self.tested(first, second, [self.primary])
            p_values[first, second] = tested[self.primary].p_value
        return holm(p_values)

    def differences(self, undefined: Mapping[str, Sequence[str]]) -> dict[str, dict[str, ScoreDifference]]:
        """Compute the differences from the baseline, by system and key.

        `undefined` has for each system the scores that are 0/0.
        """
        baseline, *others = self.sampled
        keys = [key for key in self.sampled[baseline].scores if not _why_untested(key)]
        tests_of_systems = {system: self.tested(baseline, system, keys) for system in others}
        # The correction needs the p-values of all systems, so verdicts come after all tests.
        p_corrected = holm({system: by_key[self.primary].p_value for system, by_key in tests_of_systems.items()})
        differences: dict[str, dict[str, ScoreDifference]] = {}
        for system, by_key in tests_of_systems.items():
            pair = _SystemPair.of(self.sampled[baseline], self.sampled[system])
            of_system = {key: self._without_verdict(pair, key, tested) for key, tested in by_key.items()}
            of_system[self.primary] = self._with_verdict(
                of_system[self.primary],
                pair,
                by_key[self.primary].difference,
                p_corrected=p_corrected[system],
                is_defined=self.primary not in (*undefined[baseline], *undefined[system]),
            )
            differences[system] = of_system
        return differences

    def _without_verdict(self, pair: _SystemPair, key: str, tested: _Tested) -> ScoreDifference:
        """Return the difference of a score, without a corrected p-value and without verdicts."""
        baseline_score = pair.baseline.mean(key)
        score = pair.system.mean(key)
        low, high = interval(key, self.confidence, pair.system, pair.baseline)
        # The smallest difference that this test would find in most samples. It comes from Student's t, which takes more than a
        # few units, and from the error, which is 0 where systems differ in no unit: how much units would vary is then unknown.
        detectable = math.nan
        if pair.system.unit_count(key) >= MIN_CLUSTERS and tested.difference.error != 0:
            detectable = tested.difference.detectable(self.confidence)
        counts = won_tied_lost(key, pair.gains)
        return ScoreDifference(
            score=score,
            baseline_score=baseline_score,
            difference=score - baseline_score,
            low=low,
            high=high,
            p_value=tested.p_value,
            p_corrected=math.nan,
            detectable=detectable,
            won=counts.won,
            tied=counts.tied,
            lost=counts.lost,
            verdict="",
            against_margin="",
        )

    def _with_verdict(
        self,
        difference: ScoreDifference,
        pair: _SystemPair,
        estimated: Estimate,
        *,
        p_corrected: float,
        is_defined: bool,
    ) -> ScoreDifference:
        """Return the difference of the primary score with its corrected p-value, and the verdicts on it.

        `estimated` is the same difference with its error; `is_defined` is False if the score of one of the two systems is 0/0.
        """
        # The p-value of an undefined score stays as a number: it tests the value of 0/0. A verdict takes nan, and is "undefined".
        p_defined = p_corrected if is_defined else math.nan
        verdict = verdict_of(self.primary, difference.score, difference.baseline_score, p_defined, self.confidence)
        against_margin = ""
        if self.margin is not None and is_defined:
            declared = group_of(self.primary).keys[self.primary]
            lowest_score, highest_score = declared.range
            against_margin = estimated.against_margin(
                self.margin,
                self.confidence,
                differing_units=pair.least_differing(self.primary),
                better=declared.better,
                largest=highest_score - lowest_score,
            )
        elif self.margin is not None:
            against_margin = "undefined"
        return replace(difference, p_corrected=p_corrected, verdict=verdict, against_margin=against_margin)


@record
class _SystemPair:
    """A system beside the baseline."""

    baseline: Sampled
    system: Sampled
    gains: Sequence[Gains]  #: an item for each run of the baseline with each run of the system

    @staticmethod
    def of(baseline: Sampled, system: Sampled) -> _SystemPair:
        """Compute the gains of each run of the system over each run of the baseline."""
        pairs_of_runs = product(range(len(baseline.sums)), range(len(system.sums)))
        gains = [unit_gains(baseline, system, run, other_run) for run, other_run in pairs_of_runs]
        return _SystemPair(baseline, system, gains)

    def least_differing(self, key: str) -> int:
        """Return the number of units that differ in a score, for the two runs that differ in the fewest units."""
        return min(int(np.count_nonzero(gains[key])) for gains in self.gains)
