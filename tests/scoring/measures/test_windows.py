"""Pk, WindowDiff and the generalized Hamming distance, against NLTK, segeval and the published implementations' numbers."""

import math
import random
from collections.abc import Sequence

import numpy as np
import pytest
import segeval
from nltk.metrics.segmentation import ghd, pk, windowdiff

from segscores.kernel.comparison import Comparison
from segscores.scores import score
from segscores.scoring.measures.generalized_hamming import tally_generalized_hamming
from segscores.scoring.measures.windows import WINDOWS_COLUMNS, default_window_size, tally_windows, windows_scores

from ...corpora import Word, cut, random_corpus_pair
from ...tallies import compared

SIZES: tuple[int | str, ...] = (1, 2, 3, 7, "utterance")


def labelled(reference: str, prediction: str) -> Comparison:
    """One utterance from two strings with a symbol for each gap, 1 where there is a boundary."""
    return compared(*([cut("x" * (len(gaps) + 1), [*map(int, gaps), 1])] for gaps in (reference, prediction)))


def symbols(words: Sequence[Word], per_unit: bool = False) -> str:
    """The string that NLTK takes: for each gap, or each unit, 1 where a word ends."""
    ends = "".join("0" * (len(word) - 1) + "1" for word in words)
    return ends if per_unit else ends[:-1]


def masses(words: Sequence[Word]) -> tuple[int, ...]:
    """The lengths that segeval takes."""
    return tuple(map(len, words))


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("convention", ["nltk", "nltk_units"])
def test_utterances_equal_nltk(convention: str, size: int | str) -> None:
    pair = random_corpus_pair(600, seed=2002, max_units=20)
    columns = tally_windows(compared(*pair), window_size=size, window_convention=convention)
    scores = windows_scores({**columns, **dict.fromkeys(WINDOWS_COLUMNS[-2:], 0)}, math.nan)
    for index, words in enumerate(zip(*pair, strict=True)):
        left, right = (symbols(side, per_unit=convention == "nltk_units") for side in words)
        # What NLTK's pk takes for k where none is given; its windowdiff needs one.
        k = size if isinstance(size, int) else round(len(left) / (max(left.count("1"), 1) * 2))
        if not words[0] or len(left) < k:
            assert columns["windows"][index] == 0
            continue
        assert columns["windows"][index] == len(left) - k + 1
        expected = {
            "pk": pk(left, right, None if size == "utterance" else k),
            "window_diff": windowdiff(left, right, k),
            "window_diff_weighted": windowdiff(left, right, k, weighted=True),
        }
        assert {key: scores[key][index] for key in expected} == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("size", SIZES)
def test_utterances_equal_segeval(size: int | str) -> None:
    pair = random_corpus_pair(300, seed=2013, max_units=20)
    columns = tally_windows(compared(*pair), window_size=size, window_convention="segeval")
    own = {} if size == "utterance" else {"window_size": size}
    for index, (reference, prediction) in enumerate(zip(*(map(masses, side) for side in pair), strict=True)):
        counted = {key: columns[key][index] for key in ("pk_errors", "window_diff_errors", "windows")}
        k = size if isinstance(size, int) else segeval.compute_window_size(reference) if reference else 2
        if sum(reference) <= k:
            assert set(counted.values()) == {0}
            continue
        pk_errors, windows_of_pk = segeval.pk(prediction, reference, return_parts=True, **own)
        errors, windows_of_wd = segeval.window_diff(prediction, reference, return_parts=True, **own)
        assert counted == {"pk_errors": pk_errors, "window_diff_errors": errors, "windows": windows_of_pk}
        assert windows_of_wd == windows_of_pk


@pytest.mark.parametrize("count", [2, 10])
def test_default_window_sizes_equal_the_tools(count: int) -> None:
    references, _ = random_corpus_pair(100 * count, seed=1999, max_units=30)
    for start in range(0, len(references), count):
        corpus = references[start : start + count]
        if all(len(words) < 2 for words in corpus):
            continue  # the tools divide by the number of boundaries
        filled = [words for words in corpus if words]
        counts = sum(len(word) for words in filled for word in words), sum(map(len, filled)), len(filled)
        by_tool = segeval.compute_window_size({str(index): masses(words) for index, words in enumerate(corpus)})
        assert default_window_size(*counts, "segeval") == by_tool
        for convention in ("nltk", "nltk_units"):
            text = "".join(symbols(words, per_unit=convention == "nltk_units") for words in corpus)
            assert default_window_size(*counts, convention) == round(len(text) / (text.count("1") * 2.0))


def distances(both: Comparison) -> list[int]:
    columns = tally_generalized_hamming(both)
    assert all(values.dtype == np.int64 for values in columns.values())
    units = both.reference.utterance_units
    assert columns["generalized_hamming_utterances"].tolist() == (units > 0).tolist()
    distances: list[int] = columns["generalized_hamming_cost"].tolist()
    return distances


def test_generalized_hamming_equals_nltk() -> None:
    pair = random_corpus_pair(600, seed=353, max_units=30)
    expected = [ghd(symbols(left), symbols(right)) for left, right in zip(*pair, strict=True)]
    assert distances(compared(*pair)) == expected


@pytest.mark.parametrize("weights", [(3, 2), (1, 1), (9, 1), (1, 9)], ids=str)
def test_generalized_hamming_of_a_long_utterance_equals_nltk(weights: tuple[int, int]) -> None:
    source = random.Random(5)
    left, right = ("".join(source.choices("01", weights, k=500)) for _ in range(2))
    assert distances(labelled(left, right)) == [ghd(left, right)]


@pytest.mark.parametrize("utterances", [["a", "b c"], ["a b c", "d e"], ["a"]], ids=str)
def test_a_default_window_size_of_0_gives_scores_as_nltk_does(utterances: list[str]) -> None:
    # Words of one unit: every gap has a boundary, (N − 1) / (2·(W − 1)) is 0.5, which rounds to 0.
    found = score(
        utterances,
        ["".join(line.split()) for line in utterances],
        text_format="words",
        scores="windows",
        window_convention="nltk",
        zero_division=math.nan,
    )
    assert found["pk"] == found["window_diff"] == 0.0
    for line in utterances:
        gaps = "1" * (len(line.split()) - 1)
        assert pk(gaps, "0" * len(gaps), 0) == 0.0
