"""The adjusted Rand index: against scikit-learn over the word of every unit."""

import math

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from segscores.kernel.comparison import Comparison
from segscores.scoring.measures.rand import rand_scores, tally_rand

from ...corpora import Corpus, random_corpus_pair
from ...tallies import compared, summed

# Some versions of scikit-learn take many labels for a regression.
pytestmark = pytest.mark.filterwarnings("ignore:The number of unique classes")


def index_of(comparison: Comparison, zero_division: float = math.nan) -> float:
    (score,) = rand_scores(summed(tally_rand(comparison)), zero_division).values()
    return float(score)


def words_of_units(corpus: Corpus) -> list[int]:
    lengths = [len(word) for utterance in corpus for word in utterance]
    return np.repeat(np.arange(len(lengths)), lengths).tolist()


@pytest.mark.parametrize("form", ["units_text", "words_text", "labels"])
@pytest.mark.parametrize("seed", range(2))
def test_equals_scikit_learn_on_a_random_corpus(form: str, seed: int) -> None:
    pair = random_corpus_pair(60, seed=seed)
    expected = adjusted_rand_score(*map(words_of_units, pair))
    assert index_of(compared(*pair, form)) == pytest.approx(expected, abs=1e-12)


def test_equals_scikit_learn_of_every_utterance() -> None:
    references, predictions = random_corpus_pair(300, seed=5)
    each = rand_scores(tally_rand(compared(references, predictions)), 1.0)["adjusted_rand_index"]
    expected = [
        adjusted_rand_score(words_of_units([left]), words_of_units([right]))
        for left, right in zip(references, predictions, strict=True)
    ]
    assert each == pytest.approx(expected, abs=1e-12)
