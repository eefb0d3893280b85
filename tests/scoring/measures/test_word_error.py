"""Word errors: against plain Python, and the edit distance over words."""

import pytest

from segscores.scoring.measures.word_error import tally_word_error

from ...tallies import compared

KINDS = ("word_insertions", "word_deletions", "word_substitutions")


def errors_of(reference: str, prediction: str) -> tuple[int, ...]:
    columns = tally_word_error(compared([reference.split()], [prediction.split()]))
    return tuple(int(columns[kind][0]) for kind in KINDS)


@pytest.mark.parametrize(
    ("reference", "prediction", "errors"),
    [
        ("the dog is on", "the dog is on", (0, 0, 0)),
        ("the dog is on", "thedog is on", (0, 1, 1)),
        ("the dog is on", "t he dog is on", (1, 0, 1)),
        ("the dog is on", "th edog i son", (0, 0, 4)),
        ("a b c X def", "abc X d e f", (2, 2, 2)),
        ("aa aa aa aa", "a aa aa aa a", (1, 0, 4)),
    ],
    ids=["perfect", "joined", "split", "shifted", "a_right_word_given_up", "equal_words_elsewhere"],
)
def test_counts_by_hand(reference: str, prediction: str, errors: tuple[int, ...]) -> None:
    assert errors_of(reference, prediction) == errors
