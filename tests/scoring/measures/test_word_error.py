"""Word errors: runs of wrong words by hand, and the edit distance of words as the lower bound.

The figures of the bakeoff are in test_official_scores.py.
"""

from typing import Any

import pytest

from segscores import score

from ...corpora import random_corpus_pair, words_text
from ...naive import levenshtein

WORDS: dict[str, Any] = {"text_format": "words", "scores": "word_error"}
KINDS = ("word_insertions", "word_deletions", "word_substitutions")
#: Reference, prediction, and insertions, deletions and substitutions by hand.
RUNS = {
    "equal": ("a b", "a b", (0, 0, 0)),
    "joined": ("a b", "ab", (0, 1, 1)),
    "split": ("ab", "a b", (1, 0, 1)),
    "three of one": ("abc", "a b c", (2, 0, 1)),
    "moved": ("ab c", "a bc", (0, 0, 2)),
    # Two runs, before and after the correct c: the word too many of the first run does not pair with the word missing in the
    # second, as a substitution.
    "split before a correct word, joined after it": ("ab c d e", "a b c de", (1, 1, 2)),
    "without a correct word between": ("ab d e", "a b de", (0, 0, 3)),
    "at both ends": ("a b c de", "ab c d e", (1, 1, 2)),
    # Edit distance substitutes all five words, the correct X too. The scorer keeps X, with a run before it and one after it.
    "a correct word that edit distance gives up": ("a b c X def", "abc X d e f", (2, 2, 2)),
    "equal words elsewhere": ("aa aa aa aa", "a aa aa aa a", (1, 0, 4)),
}  # fmt: skip


@pytest.mark.parametrize(("reference", "prediction", "errors"), RUNS.values(), ids=RUNS)
def test_runs_by_hand(reference: str, prediction: str, errors: tuple[int, int, int]) -> None:
    scores = score([reference], [prediction], **WORDS)
    expected = {"word_error_rate": sum(errors) / len(reference.split()), **dict(zip(KINDS, errors, strict=True))}
    assert scores == pytest.approx(expected)


def test_counts_add_up_over_utterances_and_a_run_ends_with_its_utterance() -> None:
    # Together the utterances have one word less and one more: a deletion and an insertion, not two substitutions.
    assert score(["a b", "cd"], ["ab", "c d"], **WORDS) == pytest.approx(
        {"word_error_rate": 4 / 3, **dict(zip(KINDS, (1, 1, 2), strict=True))}
    )


def test_no_reference_words() -> None:
    blank = score([""], [""], zero_division=1.0, **WORDS)
    assert blank == {"word_error_rate": 1.0, **dict.fromkeys(KINDS, 0.0)}
    aligned = score([""], ["a b"], on_mismatch="align", zero_division=0.5, **WORDS)
    assert [aligned[key] for key in ("word_error_rate", *KINDS)] == [2.0, 2.0, 0.0, 0.0]


def test_errors_are_never_below_the_edit_distance_of_words() -> None:
    below = 0
    for references, predictions in (random_corpus_pair(1, seed, "ab狗") for seed in range(300)):
        scores = score(words_text(references), words_text(predictions), **WORDS)
        distance = levenshtein(*(["".join(word) for word in corpus[0]] for corpus in (references, predictions)))
        errors = sum(scores[key] for key in KINDS)
        assert errors >= distance
        below += errors > distance
    assert below
    assert levenshtein(["a", "b", "c", "X", "def"], ["abc", "X", "d", "e", "f"]) == 5
