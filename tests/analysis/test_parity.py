"""Parity: the tokens of languages beside those of a pivot, by hand, and what is refused."""

import math

import numpy as np
import pytest
import scipy.stats

import segscores

TEXTS = {"en": ["ab", "abc", "a", "abcd"], "de": ["abcd", "abc", "ab", "abcde"], "empty": ["", "", "", ""]}


def characters(texts: list[str]) -> list[list[tuple[int, int]]]:
    return [[(at, at + 1) for at in range(len(text))] for text in texts]


def test_parity_is_the_ratio_of_the_numbers_of_tokens() -> None:
    rows = segscores.parity(TEXTS, {"characters": characters}, confidence=0.9)
    assert [(row.language, row.tokens, row.parity) for row in rows] == [
        ("en", 10, 1.0),
        ("de", 14, 1.4),
        ("empty", 0, 0.0),
    ]
    assert [row.bytes_per_token for row in rows[:2]] == [1.0, 1.0]
    assert all(row.bytes_per_second > 0 for row in rows[:2])
    # Without each line, by hand, in logarithms.
    logs = np.log([10 / 8, 11 / 7, 12 / 9, 9 / 6])
    squares = np.square(logs - logs.mean())
    error = math.sqrt(3 / 4 * squares.sum())
    freedom = min(3.0, 2 * squares.sum() ** 2 / (np.square(squares).sum() - squares.sum() ** 2 / 4))
    reach = scipy.stats.t.ppf(0.95, freedom) * error
    ends = [1.4 * math.exp(-reach), 1.4 * math.exp(reach)]
    assert [rows[1].parity_low, rows[1].parity_high] == pytest.approx(ends, rel=1e-12)
    assert math.isnan(rows[0].parity_low)
    assert math.isnan(rows[2].parity_low)


def test_another_pivot_inverts_parity_and_its_interval() -> None:
    forwards = segscores.parity(TEXTS, {"characters": characters})[1]
    backwards = segscores.parity(TEXTS, {"characters": characters}, pivot="de")[0]
    inverse = [1 / backwards.parity, 1 / backwards.parity_high, 1 / backwards.parity_low]
    assert [forwards.parity, forwards.parity_low, forwards.parity_high] == pytest.approx(inverse, rel=1e-12)


def test_an_interval_without_an_upper_limit_is_infinite() -> None:
    # Of two lines there is one degree of freedom, of which the quantile is 6,366.
    texts = {"en": ["a", "a" * 1000], "de": ["b" * 1000, "b"]}
    row = segscores.parity(texts, {"characters": characters}, confidence=0.9999)[1]
    assert (row.parity, row.parity_low, row.parity_high) == (1.0, 0.0, math.inf)


def test_parity_needs_a_tokenizer() -> None:
    with pytest.raises(ValueError, match="tokenizers: expected at least one, received none"):
        segscores.parity(TEXTS, {})
    with pytest.raises(TypeError, match=r"tokenizers: received \['gpt2'\] \(list\); expected a dict"):
        segscores.parity(TEXTS, ["gpt2"])  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("texts", "options", "message"),
    [
        ({"en": ["a", "b"]}, {}, "at least two languages, received 1"),
        ({"en": ["a", "b"], "de": ["a"]}, {}, "en 2, de 1: line i pairs"),
        ({"en": ["a"], "de": ["a"]}, {}, "at least two lines"),
        ({"en": ["a", "b"], "de": ["a", 3]}, {}, "'de', line 1: received 3; expected a string"),
        ({"en": ["a", "b"], "de": "ab"}, {}, "'de': received one string"),
        ({"en": ["a", "b"], "de": ["a", "b"]}, {"pivot": "dee"}, "one of en, de; received 'dee'. Did you mean 'de'"),
        ({"en": ["a", "b"], "de": ["a", "b"]}, {"pivot": ["en"]}, "pivot: expected the name of a language"),
        ({"en": ["a", "b"], "de": 3}, {}, r"'de': received 3 \(int\); expected a list of lines"),
        ({"en": ["a", "b"], "de": {"a", "b"}}, {}, r"'de': received \{.*\} \(set\); expected a list of lines"),
        ({"en": ["a", "b"], "de": ["a", "\ud800"]}, {}, r"'de', line 1: received '\\ud800'; expected text without"),
        ([["a", "b"], ["a", "b"]], {}, r"^texts: received .* \(list\); expected a dict"),
        ({"en": ["a", "b"], "de": ["a", "b"]}, {"confidence": 2}, "confidence: expected a number between 0 and 1"),
    ],
)
def test_bad_texts_are_refused(texts: dict[str, list[str]], options: dict[str, object], message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        segscores.parity(texts, {"characters": characters}, **options)  # type: ignore[arg-type]
