"""Word errors: against plain Python, and the edit distance over words."""

from __future__ import annotations

import pytest

from segscores.measures.word_error import tally_word_error

from ..naive import levenshtein, naive_word_errors, random_corpus_pair
from ..tallies import compared

KINDS = ("word_insertions", "word_deletions", "word_substitutions")


def errors_of(reference: str, prediction: str) -> tuple[int, ...]:
    columns = tally_word_error(compared([reference.split()], [prediction.split()]))
    return tuple(int(columns[kind][0]) for kind in KINDS)


@pytest.mark.parametrize("units", ["a", "ab", "abcdefgh"])
def test_is_never_below_the_edit_distance_over_strings(units: str) -> None:
    references, predictions = random_corpus_pair(500, seed=len(units), units=units)
    above = 0
    for reference, prediction in zip(references, predictions, strict=True):
        count, distance = sum(naive_word_errors(reference, prediction)), levenshtein(reference, prediction)
        assert count >= distance
        above += count > distance
    assert above  # so that the docstring's warning is of something that occurs


@pytest.mark.parametrize(
    ("reference", "prediction", "errors", "distance"),
    [
        ("the dog is on", "the dog is on", (0, 0, 0), 0),
        ("the dog is on", "thedog is on", (0, 1, 1), 2),
        ("the dog is on", "t he dog is on", (1, 0, 1), 2),
        ("the dog is on", "th edog i son", (0, 0, 4), 4),
        ("a b c X def", "abc X d e f", (2, 2, 2), 5),
        ("aa aa aa aa", "a aa aa aa a", (1, 0, 4), 2),
    ],
    ids=["perfect", "joined", "split", "shifted", "a_right_word_given_up", "equal_words_elsewhere"],
)
def test_counts_by_hand(reference: str, prediction: str, errors: tuple[int, ...], distance: int) -> None:
    assert errors_of(reference, prediction) == errors
    assert levenshtein(reference.split(), prediction.split()) == distance


def test_an_utterance_of_100_000_words_takes_no_quadratic_step() -> None:
    size = 100_000
    # Only the two ends are shared, so that the whole is one run.
    columns = tally_word_error(compared([["a", *["aa"] * (size - 1), "a"]], [["aa"] * size]))
    assert [int(columns[kind][0]) for kind in KINDS] == [0, 1, size]
