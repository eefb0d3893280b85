"""Every trial of the randomisation against predictions that are exchanged and scored anew."""

from __future__ import annotations

import numpy as np
import pytest

from segscores.reading.inputs import read_pair
from segscores.scoring.options import Plan
from segscores.scoring.utterance_tally import tally_utterances
from segscores.statistics import randomisation
from segscores.statistics.joined_types import join_systems
from segscores.statistics.products import multiply
from segscores.statistics.randomisation import randomise

from ..naive import DEFAULT_KEYS, naive_scores, random_corpus_pair, units_text


def in_words(units: list[str], length: int) -> list[list[str]]:
    """The units in words of so many, without those that are left over, which are a word of their own."""
    return [units[start : start + length] for start in range(0, len(units), length)]


@pytest.mark.parametrize(
    ("count", "units"), [(90, "ab"), (90, "abcdefghij"), (7, "abc")], ids=["few types", "many types", "all exchanges"]
)
def test_each_trial_scores_what_it_exchanges(count: int, units: str) -> None:
    # Words of two units against words of one or three: none is on both sides of an utterance, except for the last. Of few
    # units each is in more utterances than are read for one type; of many most are in one.
    references, _ = random_corpus_pair(count, seed=1, units=units, max_units=12)
    drawn_units = [[unit for word in words for unit in word] for words in references]
    first = [in_words(each, 1 + 2 * (index % 2)) for index, each in enumerate(drawn_units)]
    second = [in_words(each, 2) for each in drawn_units]
    plan = Plan.of()
    tallies = [tally_utterances(*read_pair(units_text(references), units_text(side)), plan) for side in (first, second)]
    found = randomise(
        tallies,
        [(0, 1), (1, 0)],
        DEFAULT_KEYS,
        n_trials=128,
        seed=5,
        average="micro",
        zero_division=0.0,
        joined=join_systems(tallies),
    )
    drawn = randomisation._draw(count, 0, 2, 5, is_exact=found[0]["token_recall"].is_exact)
    exchanged = np.unpackbits(np.ascontiguousarray(drawn).view(np.uint8), axis=1)
    for trial in range(0, 128, 8):
        sides = [
            [pair[bit ^ side] for pair, bit in zip(zip(first, second, strict=True), exchanged[:, trial], strict=True)]
            for side in (0, 1)
        ]
        one, other = (naive_scores(references, side) for side in sides)
        for key in DEFAULT_KEYS:
            assert found[0][key].values[trial] == pytest.approx(other[key] - one[key], abs=1e-12)
            assert found[1][key].values[trial] == pytest.approx(one[key] - other[key], abs=1e-12)


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("shape", [(0, 5, 3), (1, 1, 1), (3, 700, 600), (70, 40, 300), (33, 0, 257)])
def test_a_product_in_tiles_is_the_product(shape: tuple[int, int, int], kind: type) -> None:
    source = np.random.default_rng(1)
    left = source.integers(-9, 10, shape[:2])
    right = source.integers(-9, 10, shape[1:])
    assert np.array_equal(multiply(left.astype(kind), right.astype(kind)), left @ right)


def test_products_of_parts_are_added_in_double_precision() -> None:
    # 2²⁴ + 1 is no number of single precision. The ones stand after as many zeros as are multiplied at a time for two rows.
    left = np.zeros((2, (1 << 17) + 1), np.float32)
    left[:, 0], left[:, -1] = 1 << 24, 1
    assert multiply(left, np.ones((left.shape[1], 1), np.float32)).tolist() == [[(1 << 24) + 1]] * 2
