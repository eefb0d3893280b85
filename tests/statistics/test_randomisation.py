"""Every trial of the randomisation against predictions that are exchanged and scored anew."""

import math
from itertools import product

import numpy as np
import pytest

from segscores.scoring.plan import Plan
from segscores.statistics.randomisation import Exchanges
from segscores.statistics.resampling import SumScores, sum_scores

from ..corpora import random_corpus_pair
from ..naive import naive_scores
from .helpers import SUM_KEYS, tally_of


def in_words(units: list[str], length: int) -> list[list[str]]:
    """The units in words of so many, without those that are left over, which are a word of their own."""
    return [units[start : start + length] for start in range(0, len(units), length)]


def exchanged_rows(count: int, n_trials: int, seed: int) -> np.ndarray:
    """Return whether each trial exchanges each row, (n_rows, n_trials): from scores that mark one row each."""
    marks = np.eye(count, dtype=np.int64)
    systems = {
        name: SumScores({str(at): side * marks[at] for at in range(count)}, lambda sums, keys, _: dict(sums))
        for name, side in (("first", 1), ("second", 0))
    }
    found = Exchanges.of(systems, n_trials, seed).differences("first", "second", [str(at) for at in range(count)])
    return np.stack([values[:n_trials] > 0 for values in found.values()])


@pytest.mark.parametrize("column", [[0.1, 0.2, 0.3, 0.7], [1 << 24, 1, 2, 4]], ids=["fractions", "large counts"])
def test_sums_have_double_precision(column: list[float]) -> None:
    systems = {
        name: SumScores({"sum": np.array(values)}, lambda sums, keys, _: dict(sums))
        for name, values in (("first", [0] * 4), ("second", column))
    }
    found = Exchanges.of(systems, 100, 0).differences("first", "second", ["sum"])["sum"][:-1]
    expected = [math.fsum(map(math.copysign, column, signs)) for signs in product((1, -1), repeat=4)]
    assert sorted(found) == pytest.approx(sorted(expected), rel=1e-15, abs=1e-15)


@pytest.mark.parametrize("count", [90, 7], ids=["some exchanges", "all exchanges"])
def test_each_trial_scores_what_it_exchanges(count: int) -> None:
    references, _ = random_corpus_pair(count, seed=1, units="abc", max_units=12)
    drawn_units = [[unit for word in words for unit in word] for words in references]
    first = [in_words(each, 1 + 2 * (index % 2)) for index, each in enumerate(drawn_units)]
    second = [in_words(each, 2) for each in drawn_units]
    sums = {
        name: sum_scores(tally_of(references, side), SUM_KEYS, "micro", Plan.of())
        for name, side in (("first", first), ("second", second))
    }
    exchanges = Exchanges.of(sums, 128, 5)
    found, turned = (exchanges.differences(*pair, SUM_KEYS) for pair in (("first", "second"), ("second", "first")))
    exchanged = exchanged_rows(count, 128, seed=5)
    assert len({column.tobytes() for column in exchanged.T}) == 128
    for trial in range(0, 128, 8):
        sides = [
            [pair[bit ^ side] for pair, bit in zip(zip(first, second, strict=True), exchanged[:, trial], strict=True)]
            for side in (0, 1)
        ]
        one, other = (naive_scores(references, side) for side in sides)
        for key in SUM_KEYS:
            assert found[key][trial] == pytest.approx(other[key] - one[key], abs=1e-12)
            assert turned[key][trial] == pytest.approx(one[key] - other[key], abs=1e-12)
