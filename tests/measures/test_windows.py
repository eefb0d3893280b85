"""Pk, WindowDiff and the generalized Hamming distance, against NLTK, segeval and the published implementations' numbers."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
import segeval
from nltk.metrics.segmentation import ghd, pk, windowdiff

from segscores.kernel.comparison import Comparison, compare
from segscores.measures import windows
from segscores.measures.windows import (
    WINDOW_CONVENTIONS,
    WINDOWS_COLUMNS,
    WINDOWS_KEYS,
    boundary_units,
    check_window_options,
    default_window_size,
    reference_window_size,
    tally_generalized_hamming,
    tally_pk_window_diff,
    tally_windows,
    windows_scores,
)
from segscores.reading.inputs import read_pair
from segscores.reading.readers import from_labels, from_words_text
from segscores.scoring.options import Options
from segscores.scoring.pipeline import read_part, reader_for

from ..naive import FORMS, Corpus, Word, random_corpus_pair

SIZES: tuple[int | str, ...] = (1, 2, 3, 7, "utterance")
COSTS = [
    (2, 2, 1),
    (1, 1, 0.5),
    (5, 3, 1),
    (4.2, 4.2, 2),
    (1, 2, 0.1),
    (3, 3, 0),
    (0, 1, 1),
    (1, 1, 2),
    (1 / 3, 0.7, 0.1234567),
    (30, 30, 1),
]


def compared(references: Corpus, predictions: Corpus, form: str = "units_text") -> Comparison:
    columns = read_pair(*map(FORMS[form].write, (references, predictions)))
    read = reader_for(columns[0].type, Options(scores="token", **FORMS[form].options))
    whole = slice(0, len(references))
    sides = [read_part(read, column, whole, "") for column in columns]
    return compare(*sides)


def labelled(reference: str, prediction: str) -> Comparison:
    """One utterance from two strings with a symbol for each gap, 1 where there is a boundary."""
    sides = (
        from_labels(pa.array([[*map(int, gaps), 1]], pa.large_list(pa.int64())), "end")
        for gaps in (reference, prediction)
    )
    return compare(*sides)


def symbols(words: Sequence[Word], per_unit: bool = False) -> str:
    """The string that NLTK takes: for each gap, or each unit, 1 where a word ends."""
    ends = "".join("0" * (len(word) - 1) + "1" for word in words)
    return ends if per_unit else ends[:-1]


def masses(words: Sequence[Word]) -> tuple[int, ...]:
    """The lengths that segeval takes."""
    return tuple(map(len, words))


def scores_of(comparison: Comparison, **options: Any) -> dict[str, float]:
    columns = tally_windows(comparison, **{"window_size": 2, **options})
    sums = {column: int(values.sum()) for column, values in columns.items()}
    return {key: float(value) for key, value in windows_scores(sums, math.nan).items()}


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("convention", ["nltk", "nltk_units"])
def test_utterances_equal_nltk(convention: str, size: int | str) -> None:
    pair = random_corpus_pair(3000, seed=2002, max_units=20)
    columns = tally_pk_window_diff(compared(*pair), window_size=size, window_convention=convention)
    scores = windows_scores({**columns, **dict.fromkeys(WINDOWS_COLUMNS[-2:], 0)}, math.nan)
    for index, words in enumerate(zip(*pair, strict=True)):
        left, right = (symbols(side, per_unit=convention == "nltk_units") for side in words)
        # What NLTK's pk takes for k where none is given; its windowdiff needs one.
        k = size if isinstance(size, int) else round(len(left) / (max(left.count("1"), 1) * 2))
        if not words[0] or len(left) < k:
            assert columns["windows"][index] == columns["window_utterances"][index] == 0
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
    pair = random_corpus_pair(1000, seed=2013, max_units=20)
    columns = tally_pk_window_diff(compared(*pair), window_size=size, window_convention="segeval")
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


def test_default_window_sizes_equal_the_tools() -> None:
    references, _ = random_corpus_pair(500, seed=1999, max_units=30)
    for start in range(0, 500, 10):
        corpus = references[start : start + 10]
        parts = [compared(some, some).reference for some in (corpus[:4], corpus[4:])]
        by_tool = segeval.compute_window_size({str(index): masses(words) for index, words in enumerate(corpus)})
        assert reference_window_size(parts, "segeval") == by_tool
        for convention in ("nltk", "nltk_units"):
            text = "".join(symbols(words, per_unit=convention == "nltk_units") for words in corpus)
            assert reference_window_size(parts, convention) == round(len(text) / (text.count("1") * 2.0))


@pytest.mark.parametrize(
    ("convention", "units", "words", "expected"),
    [
        ("segeval", 5, 1, 2),  # 2.5 to the even number
        ("segeval", 7, 1, 4),
        ("segeval", 3, 3, 2),
        ("segeval", 0, 0, 2),
        ("nltk_units", 5, 1, 2),
        ("nltk_units", 3, 3, 0),
        ("nltk", 8, 2, 4),
        ("nltk", 4, 1, 2),
        ("nltk", 0, 0, 0),
    ],
)
def test_default_window_size_rounds_halves_to_even(convention: str, units: int, words: int, expected: int) -> None:
    assert default_window_size(units, words, min(units, 1), convention) == expected
    columns = np.array([units] * 2), np.array([words] * 2), np.array([min(units, 1)] * 2)
    assert default_window_size(*columns, convention).tolist() == [expected] * 2


@pytest.mark.parametrize(
    ("reference", "prediction", "expected"),
    [
        ("000100000010", "000100000010", 0.0),
        ("000100000010", "000010000100", 0.3),
        ("000010000100", "100000010000", 0.8),
    ],
)
def test_window_diff_of_the_examples_in_nltk(reference: str, prediction: str, expected: float) -> None:
    assert scores_of(labelled(reference, prediction), window_size=3)["window_diff"] == pytest.approx(expected)


@pytest.mark.parametrize(("prediction", "expected"), [("1", 0.5), ("0", 0.5), ("0100", 0.0)])
def test_pk_of_the_examples_in_nltk(prediction: str, expected: float) -> None:
    both = labelled("0100" * 100, prediction * (400 // len(prediction)))
    assert scores_of(both)["pk"] == pytest.approx(expected, abs=0.005)  # printed to two decimals


@pytest.mark.parametrize(
    ("reference", "prediction", "costs", "expected"),
    [
        ("1100100000", "1100010000", (1.0, 1.0, 0.5), 0.5),
        ("1100100000", "1100000001", (1.0, 1.0, 0.5), 2.0),
        ("011", "110", (1.0, 1.0, 0.5), 1.0),
        ("1", "0", (1.0, 1.0, 0.5), 1.0),
        ("111", "000", (1.0, 1.0, 0.5), 3.0),
        ("000", "111", (1.0, 2.0, 0.5), 6.0),
    ],
)
def test_generalized_hamming_of_the_examples_of_its_authors(
    reference: str, prediction: str, costs: tuple[float, float, float], expected: float
) -> None:
    assert distances(labelled(reference, prediction), costs) == [expected]


def distances(both: Comparison, costs: tuple[float, float, float]) -> list[float]:
    columns = tally_generalized_hamming(both, insertion_cost=costs[0], deletion_cost=costs[1], shift_cost=costs[2])
    assert all(values.dtype == np.int64 for values in columns.values())
    scales = columns["generalized_hamming_scale"]
    return (columns["generalized_hamming_cost"] / np.maximum(scales, 1)).tolist()


@pytest.mark.parametrize("costs", COSTS, ids=str)
@pytest.mark.parametrize("size", [1, 3, None])
def test_generalized_hamming_equals_nltk(
    size: int | None, costs: tuple[float, float, float], monkeypatch: pytest.MonkeyPatch
) -> None:
    if size:  # so that runs of a few boundaries are cut and joined too
        monkeypatch.setattr(windows, "piece_size", lambda lengths, least: size)
    pair = random_corpus_pair(700, seed=353, max_units=30)
    expected = [ghd(symbols(left), symbols(right), *costs) for left, right in zip(*pair, strict=True)]
    assert distances(compared(*pair), costs) == pytest.approx(expected, abs=1e-8, rel=1e-9)


@pytest.mark.parametrize("costs", [(2, 2, 1), (30, 20, 1), (1, 1, 0), (200, 200, 1)], ids=str)
def test_generalized_hamming_of_a_long_utterance_equals_nltk(costs: tuple[float, float, float]) -> None:
    source = random.Random(5)
    left, right = ("".join(source.choices("01", (3, 2), k=1500)) for _ in range(2))
    assert distances(labelled(left, right), costs) == [ghd(left, right, *costs)]


def test_generalized_hamming_of_a_million_words_in_one_utterance() -> None:
    # Every boundary of the reference is one unit before one of the prediction: a single run through the utterance.
    assert distances(labelled("10" * 1_000_000, "01" * 1_000_000), (2, 2, 1)) == [1_000_000]


@pytest.mark.parametrize("convention", WINDOW_CONVENTIONS)
def test_pk_and_window_diff_of_a_million_words_in_one_utterance(convention: str) -> None:
    both = labelled("10" * 1_000_000, "01" * 1_000_000)
    scores = scores_of(both, window_size=1, window_convention=convention)
    # With k = 1 every gap is a window, and every one is wrong; the utterance's end is not.
    wrong = 1.0 if convention != "nltk_units" else 2_000_000 / 2_000_001
    assert [scores["pk"], scores["window_diff"], scores["window_diff_weighted"]] == [wrong] * 3


@pytest.mark.parametrize("form", FORMS)
def test_all_forms_give_the_same_columns(form: str) -> None:
    pair = random_corpus_pair(300, seed=34)
    expected = tally_windows(compared(*pair), window_size="utterance")
    found = tally_windows(compared(*pair, form), window_size="utterance")
    assert {column: values.tolist() for column, values in found.items()} == {
        column: values.tolist() for column, values in expected.items()
    }


@pytest.mark.parametrize("form", FORMS)
def test_boundary_units_are_running_lengths_of_words(form: str) -> None:
    pair = random_corpus_pair(300, seed=35)
    for found, corpus in zip(boundary_units(compared(*pair, form)), pair, strict=True):
        assert found.tolist() == np.cumsum([len(word) for words in corpus for word in words]).tolist()


@pytest.mark.parametrize("size", [1, 2, "utterance"])
@pytest.mark.parametrize("convention", WINDOW_CONVENTIONS)
def test_columns_are_those_of_each_utterance_alone(convention: str, size: Any) -> None:
    pair = random_corpus_pair(200, seed=36)
    options = {"window_size": size, "window_convention": convention}
    together = tally_windows(compared(*pair), **options)
    assert tuple(together) == WINDOWS_COLUMNS
    for index, (left, right) in enumerate(zip(*pair, strict=True)):
        alone = tally_windows(compared([left], [right]), **options)
        assert {column: values[0] for column, values in alone.items()} == {
            column: values[index] for column, values in together.items()
        }


@pytest.mark.parametrize("size", [1, 3, "utterance"])
@pytest.mark.parametrize("convention", WINDOW_CONVENTIONS)
def test_a_corpus_has_no_error_against_itself_and_blank_utterances_count_nothing(convention: str, size: Any) -> None:
    references, predictions = random_corpus_pair(200, seed=37)
    options = {"window_size": size, "window_convention": convention}
    perfect = scores_of(compared(references, references), **options)
    assert perfect == dict.fromkeys(WINDOWS_KEYS, 0.0)
    with_blanks = [[words for utterance in side for words in ([], utterance, [])] for side in (references, predictions)]
    assert scores_of(compared(*with_blanks), **options) == scores_of(compared(references, predictions), **options)


def test_errors_stay_when_the_sides_are_swapped() -> None:
    pair = random_corpus_pair(200, seed=38)
    assert scores_of(compared(*pair)) == scores_of(compared(*pair[::-1]))
    forward, backward = (compared(*sides) for sides in (pair, pair[::-1]))
    assert distances(forward, (3, 1, 1)) == distances(backward, (1, 3, 1))


@pytest.mark.parametrize("pair", [([[]], [[]]), ([["a"]], [["a"]]), ([["ab"]], [["a", "b"]])], ids=str)
def test_without_a_window_pk_and_window_diff_are_undefined(pair: tuple[Corpus, Corpus]) -> None:
    scores = scores_of(compared(*pair, "word_lists"), window_size=5)
    assert {key for key, value in scores.items() if math.isnan(value)} == set(WINDOWS_KEYS) - {
        "generalized_hamming" if pair[0] != [[]] else ""
    }


def test_no_utterances_at_all() -> None:
    nothing = from_words_text(b"")
    for size in (1, "utterance"):
        columns = tally_windows(compare(nothing, nothing), window_size=size)
        assert {values.shape for values in columns.values()} == {(0,)}


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"window_size": 0}, ValueError, r"window_size: expected a whole number from 1, or \"utterance\", received 0"),
        ({"window_size": -2}, ValueError, "window_size: expected a whole number from 1"),
        ({"window_size": "corpus"}, ValueError, "received 'corpus'"),
        ({"window_size": 2.0}, TypeError, "window_size: expected a whole number from 1"),
        ({"window_size": True}, TypeError, "received True"),
        (
            {"window_convention": "NLTK"},
            ValueError,
            "unknown window_convention 'NLTK': expected one of segeval, nltk, ",
        ),
        ({"window_convention": None}, ValueError, "unknown window_convention None"),
        ({"insertion_cost": -1}, ValueError, "insertion_cost: expected a number from 0 to 1000000000, received -1"),
        ({"deletion_cost": math.inf}, ValueError, "deletion_cost: expected a number from 0"),
        ({"shift_cost": math.nan}, ValueError, "shift_cost: expected a number from 0"),
        ({"shift_cost": "1"}, TypeError, "shift_cost: expected a number from 0, received '1'"),
        ({"shift_cost": True}, TypeError, "received True"),
    ],
)
def test_bad_options_are_refused(options: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        check_window_options(**options)
    both = compared([["ab"]], [["ab"]], "word_lists")
    with pytest.raises(error, match=message):
        tally_windows(both, **{"window_size": 2, **options})
