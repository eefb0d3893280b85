"""The option normalize with lists of words and segments: against Python's unicodedata on every word."""

import unicodedata
from typing import Literal

import pytest

from segscores import score, tally
from segscores.scoring.plan import Plan

from ..corpora import Word, random_corpus_pair, units_text, word_lists, words_text
from ..naive import naive_dictionary_scores, naive_oov_scores

Form = Literal["NFC", "NFD", "NFKC", "NFKD"]
FORMS: tuple[Form, ...] = ("NFC", "NFD", "NFKC", "NFKD")
# Written in several ways each; U+FB01 becomes two characters. No boundary is lost: none of them begins with a mark.
UNITS = ("，", ",", "ａ", "a", "\ufb01", "f", "i", "é", "e\u0301", "가", "\u1100\u1161")


def characters(word: Word, form: Form) -> Word:
    return tuple(unicodedata.normalize(form, "".join(word)))


def tokens(word: Word, form: Form) -> Word:
    return tuple(unicodedata.normalize(form, unit) for unit in word)


INPUTS = {
    "words text": (words_text, {"text_format": "words"}, characters, "".join),
    "lists": (word_lists, {}, characters, "".join),
    "units text": (units_text, {}, tokens, " ".join),
}


@pytest.mark.parametrize("name", INPUTS)
@pytest.mark.parametrize("form", FORMS)
def test_lists_are_normalized_as_the_text(name: str, form: Form) -> None:
    write, options, normalized, joined = INPUTS[name]
    references, predictions = random_corpus_pair(120, seed=7, units=UNITS)
    words = [word for utterance in references for word in utterance][::3]
    acceptable = words[::4]
    sides = [[[normalized(word, form) for word in words] for words in side] for side in (references, predictions)]
    plain, plain_acceptable = ([normalized(word, form) for word in listed] for listed in (words, acceptable))
    texts = write(references), write(predictions)
    settings = {"normalize": form, "zero_division": 0.0, **options}
    expected = naive_oov_scores(*sides, plain)
    for vocabulary in ([joined(word) for word in words], [[joined(word)] for word in words], write([words])):
        assert score(*texts, vocabulary=vocabulary, scores="oov", **settings) == expected
        assert tally(*texts, vocabulary=vocabulary, scores="oov", **settings).scores() == expected
    lists = {"dictionary": [joined(word) for word in words], "acceptable": [joined(word) for word in acceptable]}
    expected = naive_dictionary_scores(*sides, plain, plain_acceptable)
    assert score(*texts, scores="dictionary", **lists, **settings) == expected


def test_boundaries_that_normalization_drops_are_dropped_in_the_vocabulary() -> None:
    text = ["e \u0301t a"]
    assert unicodedata.normalize("NFC", "e\u0301t") == "ét"
    found = score(text, text, text_format="words", normalize="NFC", scores="oov", vocabulary=text, zero_division=0.0)
    assert found["oov_rate"] == 0.0
    lists = [text[0].split()]
    assert score(lists, lists, normalize="NFC", scores="oov", vocabulary=lists, zero_division=0.0)["oov_rate"] == 0.0


def test_digests_equal_digests_of_the_lists() -> None:
    lists = {"vocabulary": ["，"], "dictionary": ["，"], "acceptable": ["，"]}
    plain, normalized = (Plan.of(normalize=form, **lists).plain() for form in (None, "NFKC"))
    assert all(plain[name] == normalized[name] for name in lists)
    assert plain["vocabulary"] != Plan.of(vocabulary=[","], scores="oov").plain()["vocabulary"]
