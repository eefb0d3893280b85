"""Difficulty and balanced scores: the authors' scorer, the paper's example, the definition in plain Python, bad input."""

import math
import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from segscores.analysis.difficulty import BALANCED_KEYS, rate_difficulty, recovered_by_decile, score_difficulty

from ..corpora import FORMS, Corpus, corpus_pairs, random_corpus_pair, random_difficulties
from ..naive import naive_balanced, span_list, spans

# Qian et al. (2016), §1: the two have the same scores, and P2 is worse, as it misses easy words.
REFERENCE = "白藜芦醇 是 一 种 酚类 物质"
P1 = "白 藜芦 醇 是 一种 酚类 物质"
P2 = "白藜 芦醇 是 一 种 酚类物 质"


def naive_difficulty(references: Corpus, committee: list[Corpus]) -> list[list[float]]:
    return [
        [
            sum(span not in spans(member[index]) for member in committee) / len(committee)
            for span in span_list(reference)
        ]
        for index, reference in enumerate(references)
    ]


WORDS: dict[str, Any] = {"text_format": "words"}
#: Weights of which some sums are 0.
EXTREMES = [0.0, 0.0, 0.3, 1.0]


@pytest.mark.parametrize(
    ("rated", "p1_is_first"),
    [
        # All words hard, and 酚类 and 物质 less so.
        pytest.param([1.0, 0.8, 0.9, 0.9, 0.6, 0.6], True, id="easy words that are hard too"),
        # A committee of 50 CRFs trained on 800 sentences of the People's Daily.
        pytest.param([1.0, 0.0, 0.08, 0.08, 0.0, 0.0], False, id="trivial words, as a committee rates them"),
    ],
)
def test_the_balanced_score_ranks_the_papers_example_as_the_paper_does_only_if_no_word_is_trivial(
    rated: list[float], p1_is_first: bool
) -> None:
    # The paper says that P1 should rank first because P2 misses trivial words. By its own formulas a segmentation that
    # recovers none but trivial words earns no reward, and the harmonic mean is 0 with it.
    first, second = (naive_balanced([REFERENCE.split()], [text.split()], [rated]) for text in (P1, P2))
    scored = [score_difficulty([REFERENCE], [text], [rated], text_format="words") for text in (P1, P2)]
    assert scored == [pytest.approx(first), pytest.approx(second)]
    assert (scored[0]["balanced_fscore"] > scored[1]["balanced_fscore"]) is p1_is_first


@given(corpora=corpus_pairs(max_utterances=4), seed=st.integers(0, 100), zero_division=st.sampled_from([0.0, 0.5, 1.0]))
def test_scores_follow_the_definition(corpora: tuple[Corpus, Corpus], seed: int, zero_division: float) -> None:
    references, predictions = corpora
    for values in (None, EXTREMES, [0.0], [1.0]):
        difficulties = random_difficulties(references, seed, values)
        scores = score_difficulty(
            FORMS["units_text"].write(references),
            FORMS["units_text"].write(predictions),
            difficulties,
            zero_division=zero_division,
        )
        expected = naive_balanced(references, predictions, difficulties, zero_division)
        assert scores == pytest.approx(expected, rel=1e-12, abs=1e-12)
        assert tuple(scores) == BALANCED_KEYS


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_text_gives_the_scores_and_the_difficulties_of_the_definition(form: str) -> None:
    units = "abåé狗叫𠮷"
    references, predictions = random_corpus_pair(60, seed=1, units=units)
    # Another segmentation of the same units: of every second utterance one word.
    joined = [[sum(map(tuple, words), ())] if index % 2 and words else words for index, words in enumerate(predictions)]
    write, options = FORMS[form].write, FORMS[form].options
    rated = rate_difficulty(write(references), [write(predictions), write(joined), write(predictions)], **options)
    expected = naive_difficulty(references, [predictions, joined, predictions])
    assert [array.tolist() for array in rated] == expected
    scores = score_difficulty(write(references), write(predictions), rated, **options)
    assert scores == pytest.approx(naive_balanced(references, predictions, expected), rel=1e-12)


@given(corpora=corpus_pairs(), seed=st.integers(0, 100))
def test_deciles_follow_the_definition(corpora: tuple[Corpus, Corpus], seed: int) -> None:
    references, predictions = corpora
    hundredths = random.Random(seed)
    difficulties = [[hundredths.randrange(101) / 100 for _ in words] for words in references]
    expected_words, expected_recovered = [0] * 10, [0] * 10
    for reference, prediction, rated in zip(references, predictions, difficulties, strict=True):
        for span, value in zip(span_list(reference), rated, strict=True):
            decile = max(0, -(-round(value * 100) // 10) - 1)  # in whole hundredths: [0, 10], [11, 20], …
            expected_words[decile] += 1
            expected_recovered[decile] += span in spans(prediction)
    deciles = recovered_by_decile(
        FORMS["units_text"].write(references), FORMS["units_text"].write(predictions), difficulties, zero_division=0.5
    )
    assert [decile.words for decile in deciles] == expected_words
    assert [decile.recovered for decile in deciles] == expected_recovered
    assert [decile.share for decile in deciles] == [
        recovered / words if words else 0.5 for recovered, words in zip(expected_recovered, expected_words, strict=True)
    ]


def test_the_utterance_of_an_error_is_numbered_in_the_whole_corpus(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("segscores.reading.sources.source.PIECE_BYTES", 50)
    texts = ["a b"] * 100
    with pytest.raises(ValueError, match="difficulties, utterance 77: received 1 difficulties, expected 2"):
        score_difficulty(texts, texts, [[0.5, 0.5]] * 77 + [[0.5]] + [[0.5, 0.5]] * 22, text_format="words")
    with pytest.raises(ValueError, match="committee member 1: utterance 88: the units differ"):
        rate_difficulty(texts, [texts, [*texts[:88], "a c", *texts[:11]]], text_format="words")


GOOD = ["a b", "c"]
#: The arguments of the functions that take difficulties, and what is said.
OF_DIFFICULTIES: list[tuple[tuple[Any, Any, Any], type[Exception], str]] = [
    ((GOOD, GOOD, [[0.5, 0.5], [1.5]]), ValueError,
     r"difficulties, utterance 1: word 0 has the difficulty 1\.5; .*\[0, 1\].*share"),
    ((GOOD, GOOD, [[0.5, math.nan], [1.0]]), ValueError, "utterance 0: word 1 has the difficulty nan; .*missing value"),
    ((GOOD, GOOD, [[0.5], [1.0]]), ValueError, "utterance 0: received 1 difficulties, expected 2: one for each"),
    ((GOOD, GOOD, [[0.5, 0.5]]), ValueError, "2 references and difficulties for 1 utterances"),
    ((GOOD, GOOD, []), ValueError, "2 references and difficulties for 0 utterances"),
    ((GOOD, GOOD, None), TypeError, "difficulties: received None; expected a list"),
    ((["a b"], ["a c"], [[0.5, 0.5]]), ValueError, "utterance 0: the units differ at offset 1"),
    (([], [], []), ValueError, "there is nothing to score"),
]  # fmt: skip
#: The arguments of rate_difficulty, and what is said.
OF_COMMITTEES: list[tuple[tuple[Any, Any], dict[str, Any], type[Exception], str]] = [
    ((GOOD, []), WORDS, ValueError, "the committee is empty: expected the predictions of at least one segmenter"),
    ((GOOD, None), WORDS, TypeError, r"committee: received None .*; expected a list with the predictions of each"),
    ((GOOD, {"first": GOOD}), WORDS, TypeError, "committee: received .*dict"),
    ((GOOD, GOOD), WORDS, TypeError, "committee member 0: predictions: received one str"),
    ((GOOD, [GOOD, ["a b"]]), WORDS, ValueError, "committee member 1: 2 references and 1 predictions"),
    ((GOOD, [GOOD, ["a b", "d"]]), WORDS, ValueError, "committee member 1: utterance 1: the units differ"),
    # A bad reference is not blamed on the committee.
    ((["a b", "\0"], [GOOD]), WORDS, ValueError, r"^references, utterance 1: there is a NUL"),
    ((["a b", None], [GOOD]), WORDS, TypeError, r"^references, utterance 1: received None"),
    (([[1, 0]], [[[1, 1]]]), {}, TypeError, "lists of integers without id2label"),
    ((GOOD, [GOOD]), {"text_format": "word"}, ValueError, r"text_format: expected .*received 'word'"),
    ((GOOD, [GOOD]), {"zero_division": 1.0}, TypeError, "zero_division"),
]  # fmt: skip
REFUSED = [
    *(
        (function, arguments, WORDS, error, message)
        for function in (score_difficulty, recovered_by_decile)
        for arguments, error, message in OF_DIFFICULTIES
    ),
    *((rate_difficulty, *row) for row in OF_COMMITTEES),
]


@pytest.mark.parametrize(("function", "arguments", "options", "error", "message"), REFUSED)
def test_bad_input_is_refused(
    function: Any, arguments: tuple[Any, ...], options: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        function(*arguments, **options)
