"""Boundaries within words of several analyses: figures of morphoeval, its package on random corpora, and the definition."""

import random
from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from segscores import score, tally

from ...corpora import Corpus, Word
from ...naive import boundaries

#: Of morphoeval 0.3.0 for these words, with the predictions below: precision, recall and F-score in its four decimals.
GOLD = [
    [["un", "happi", "ness"]], [["dog", "s"]], [["cat"]], [["walk", "ed"]], [["un", "do", "able"], ["undo", "able"]],
    [["book", "keep", "er"], ["bookkeep", "er"]], [["lion", "s"]],
]  # fmt: skip
PREDICTIONS = {
    (0.7857, 0.7143, 0.7483): ["un happiness", "dog s", "c at", "wal k ed", "undo able", "book keeper", "lions"],
    (1.0, 0.7857, 0.88): ["un happi ness", "dogs", "cat", "walk ed", "un doable", "book keep er", "lion s"],
}


def share(right: list[Word], chosen: list[Word]) -> Fraction:
    """The share of the chosen analysis' boundaries that are right."""
    own = boundaries(chosen, edges=False)
    return Fraction(len(own & boundaries(right, edges=False)), len(own)) if own else Fraction(1)


def of_analyses(references: Any, predictions: Any, zero_division: float = 0.0) -> dict[str, float]:
    """The scores of words, each with a list of analyses."""
    words = [pair for pair in zip(references, predictions, strict=True) if pair[0][0]]
    precision = sum(max(share(a, b) for a, b in product(*pair)) for pair in words)
    recall = sum(max(share(b, a) for a, b in product(*pair)) for pair in words)
    means = [float(total / len(words)) if words else zero_division for total in (precision, recall)]
    fscore = 2 * means[0] * means[1] / sum(means) if sum(means) else 0.0
    return dict(zip(("bpr_precision", "bpr_recall", "bpr_fscore"), (*means, fscore), strict=True))


def naive_scores(references: Corpus, predictions: Corpus, zero_division: float = 0.0) -> dict[str, float]:
    return of_analyses([[words] for words in references], [[words] for words in predictions], zero_division)


def random_analyses(source: random.Random, words: list[str]) -> list[list[list[str]]]:
    def cut(word: str) -> list[str]:
        cuts = sorted(source.sample(range(1, len(word)), source.randrange(min(4, len(word)))))
        return [word[start:end] for start, end in zip([0, *cuts], [*cuts, len(word)], strict=True)]

    return [[cut(word) for _ in range(source.choice((1, 1, 2, 3)))] for word in words]


def random_words(source: random.Random) -> list[str]:
    # Distinct, as the words of morphoeval's files are, and of two letters or more, which it requires to count them.
    return list(dict.fromkeys("".join(source.choices("abé", k=source.randrange(2, 9))) for _ in range(30)))


@pytest.mark.parametrize("figures", PREDICTIONS)
def test_figures_of_morphoeval(figures: tuple[float, ...]) -> None:
    scores = score(GOLD, [words.split() for words in PREDICTIONS[figures]], scores="morfessor")
    assert tuple(round(value, 4) for value in scores.values()) == figures


@pytest.mark.parametrize("seed", range(20))
def test_random_words_of_several_analyses(seed: int) -> None:
    source = random.Random(seed)
    words = random_words(source)
    sides = [random_analyses(source, words) for _ in range(2)]
    expected = of_analyses(*sides)
    assert score(*sides, scores="bpr") == pytest.approx(expected, rel=1e-12)
    lines = [
        [f"{word} {', '.join(map(' '.join, lists))}" for word, lists in zip(words, side, strict=True)] for side in sides
    ]
    assert score(*lines, text_format="alternatives", scores="bpr") == score(*sides, scores="bpr")
    parts = [tally(*(side[start::3] for side in sides), scores="bpr") for start in range(3)]
    assert sum(parts).scores() == score(*sides, scores="bpr")


@pytest.mark.slow
def test_200_random_corpora_of_morphoeval() -> None:
    """The package itself counts each side in turn."""
    boundary = pytest.importorskip("morphoeval.boundary")
    common = pytest.importorskip("morphoeval.common")
    source = random.Random(1)
    for _ in range(200):
        words = random_words(source)
        sides, sets = [random_analyses(source, words) for _ in range(2)], [common.AnalysisSet() for _ in range(2)]
        for side, analyses in zip(sides, sets, strict=True):
            for word, lists in zip(words, side, strict=True):
                for morphs in lists:
                    analyses.add(word, morphs)
        scores = score(*sides, scores="bpr")
        assert (scores["bpr_precision"], scores["bpr_recall"]) == pytest.approx(boundary.bpr(*sets), abs=1e-15)


def test_words_of_many_boundaries() -> None:
    """Shares of 29 boundaries and more are rounded in the tenth place."""
    sides = [[[*("a" * 40)]]], [[["a", "a" * 38, "a"]]]
    assert score(*sides, scores="bpr") == pytest.approx(of_analyses(*sides), abs=1e-10)


BAD: dict[str, tuple[Any, Any, dict[str, Any], str]] = {
    "other words": ([["ab", "c"]], [["ab", "d"]], {}, "utterance 0: the units differ at offset 2"),
    "other analyses": ([[["ab"], ["a", "c"]]], [["ab"]], {}, "utterance 0: one analysis spells 'ac', another 'ab'"),
    "no analysis": ([[["ab"]], []], [["ab"], ["a"]], {}, "utterance 1: the word has no analysis; expected one list"),
    "of words": (
        [[["ab"]]],
        [["ab"]],
        {"scores": "token"},
        'or analyses of words for scores="bpr" and scores="morpheme"; expected',
    ),
    "several": (
        ["ab ab, a b"],
        ["ab ab"],
        {"scores": "token", "text_format": "alternatives"},
        "the word has 2 analyses",
    ),
    "a word alone": (["ab"], ["ab ab"], {"text_format": "alternatives"}, "received 'ab'; expected a word and its anal"),
    "align": (
        [["ab"]],
        [["ac"]],
        {"on_mismatch": "align"},
        'on_mismatch="align": boundaries within words have no alignment by edits: use',
    ),
}


@pytest.mark.parametrize(("references", "predictions", "options", "message"), BAD.values(), ids=BAD)
def test_errors(references: Any, predictions: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        score(references, predictions, **{"scores": "bpr", **options})


def test_words_whose_units_differ_can_be_skipped() -> None:
    with pytest.warns(UserWarning, match="1 of 2 utterances could not be scored"):
        scores = score([["a", "b"], ["c"]], [["a", "b"], ["d"]], scores="bpr", on_error="skip")
    assert scores["bpr_fscore"] == 1
