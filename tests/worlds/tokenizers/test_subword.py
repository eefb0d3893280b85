"""Tokens of words: definitions by overlapping spans, and numbers by hand."""

from typing import Any

import pytest

from segscores import score, tally, tokenized

from ...corpora import Corpus
from ...naive import ratio, span_list


def naive_scores(references: Corpus, predictions: Corpus, zero_division: float = 0.0) -> dict[str, float]:
    """The scores of predicted words as tokens: a word has the tokens that overlap with it."""
    tokens, single, continued, units, size = 0, 0, 0, 0, 0
    for reference, prediction in zip(references, predictions, strict=True):
        spans = span_list(prediction)
        tokens += len(spans)
        for start, end in span_list(reference):
            own = [span for span in spans if span[0] < end and span[1] > start]
            single, continued = single + (own == [(start, end)]), continued + (len(own) > 1)
        letters = [unit for word in reference for unit in word]
        units, size = units + len(letters), size + len("".join(letters).encode())
    words = sum(map(len, references))
    counts = {
        "fertility": (tokens, words),
        "continued_words": (continued, words),
        "single_token_words": (single, words),
    }
    counts |= {"characters_per_token": (units, tokens), "bytes_per_token": (size, tokens)}
    counts |= dict.fromkeys(("partial_tokens", "unknown_tokens"), (0, tokens))
    return {key: ratio(*pair, zero_division) for key, pair in counts.items()}


@pytest.mark.parametrize(
    ("spans", "expected"),
    [
        # `of the` is one token: both words have it, and neither is single. Spaces are characters of the text.
        ([(0, 6), (6, 7), (7, 11)], {"fertility": 1.0, "continued_words": 0.0, "single_token_words": 1 / 3}),
        (
            [(0, 2), (2, 6), (6, 9), (9, 11)],
            {"fertility": 4 / 3, "continued_words": 1 / 3, "single_token_words": 2 / 3},
        ),
        # Two tokens of one character are one piece.
        ([(0, 2), (0, 2), (2, 11)], {"fertility": 1.0, "partial_tokens": 2 / 3, "characters_per_token": 11 / 3}),
    ],
)
def test_tokens_of_whole_text(spans: list[tuple[int, int]], expected: dict[str, float]) -> None:
    scores = score(["of the boat"], lambda texts: [spans for _ in texts], text_format="words", scores="subword")
    assert {key: scores[key] for key in expected} == pytest.approx(expected)


#: Text whose tokenizer drops é; the spans of its tokens; words of one token, cuts, and cuts between words.
DROPPED = [
    ("ab é", [(0, 2)], (1, 1, 1)),
    ("é ab", [(2, 4)], (1, 1, 1)),
    ("ab é cd", [(0, 2), (5, 7)], (2, 2, 2)),
    ("ab é", [(0, 3)], (1, 1, 1)),
    # A dropped character at either end of a word belongs to the token of the word.
    ("abé éab", [(0, 2), (5, 7)], (2, 1, 1)),
    ("éab abé", [(1, 3), (4, 6)], (2, 1, 1)),
    ("abécd", [(0, 2), (3, 5)], (0, 1, 0)),
    # The second word of three is dropped within a token of all, the last one after a token of two.
    ("ab é cd", [(0, 7)], (0, 0, 0)),
    ("ab cd é", [(0, 5)], (0, 1, 1)),
    ("é é", [], (0, 1, 1)),
]


@pytest.mark.parametrize(("text", "spans", "expected"), DROPPED)
def test_dropped_characters(text: str, spans: list[tuple[int, int]], expected: tuple[int, int, int]) -> None:
    scores = ["subword", "boundary_noedge"]
    counts = tally([text], lambda texts: [spans for _ in texts], text_format="words", scores=scores).counts()
    columns = ("subword_single", "boundary_noedge_predicted", "boundary_noedge_matched", "subword_tokens")
    assert tuple(counts[column] for column in columns) == (*expected, len(spans))


@pytest.mark.parametrize("align", [False, True])
def test_texts_apart(align: bool) -> None:
    """Where the texts have other units than the gold words, their tokens count as they are."""
    options: dict[str, Any] = {"on_mismatch": "align"} if align else {}
    texts = ["the dogs" if align else "the dog"]
    one_each = tokenized(lambda texts: [[(0, 3), (4, len(text))] for text in texts], texts)
    scores = score([["the", "dog"]], one_each, scores="subword", **options)
    assert (scores["fertility"], scores["characters_per_token"]) == (1, len(texts[0]) / 2)
    assert scores["single_token_words"] == (0.5 if align else 1)
