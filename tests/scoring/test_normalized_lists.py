"""The option normalize with lists of words and segments: against Python's unicodedata on every word."""

from __future__ import annotations

import unicodedata
from typing import Any, Literal

import pytest

from segscores import score, tally
from segscores.scoring.pipeline import Plan

from ..naive import Corpus, Word, naive_dictionary_scores, naive_oov_scores, random_corpus_pair, units_text, words_text

Form = Literal["NFC", "NFD", "NFKC", "NFKD"]
FORMS: tuple[Form, ...] = ("NFC", "NFD", "NFKC", "NFKD")
# Written in several ways each; U+FB01 becomes two characters. No boundary is lost: none of them begins with a mark.
UNITS = ("，", ",", "ａ", "a", "\ufb01", "f", "i", "é", "e\u0301", "가", "\u1100\u1161")


def characters(word: Word, form: Form) -> Word:
    return tuple(unicodedata.normalize(form, "".join(word)))


def tokens(word: Word, form: Form) -> Word:
    return tuple(unicodedata.normalize(form, unit) for unit in word)


def lists_of_strings(corpus: Corpus) -> list[Any]:
    return [["".join(word) for word in words] for words in corpus]


INPUTS = {
    "words text": (words_text, {"text_format": "words"}, characters, "".join),
    "lists": (lists_of_strings, {}, characters, "".join),
    "units text": (units_text, {}, tokens, " ".join),
}


def corpus_and_words() -> tuple[Corpus, Corpus, list[Word]]:
    """References, predictions, and every third word of the references."""
    references, predictions = random_corpus_pair(120, seed=7, units=UNITS)
    words = [word for utterance in references for word in utterance][::3]
    return references, predictions, words


@pytest.mark.parametrize("name", INPUTS)
@pytest.mark.parametrize("form", FORMS)
def test_a_vocabulary_is_normalized_as_the_text(name: str, form: Form) -> None:
    write, options, normalized, joined = INPUTS[name]
    references, predictions, words = corpus_and_words()
    expected = naive_oov_scores(
        *([[normalized(word, form) for word in words] for words in side] for side in (references, predictions)),
        [normalized(word, form) for word in words],
    )
    settings = {"normalize": form, "scores": "oov", "zero_division": 0.0, **options}
    texts = write(references), write(predictions)
    for vocabulary in ([joined(word) for word in words], [[joined(word)] for word in words], write([words])):
        assert score(*texts, vocabulary=vocabulary, **settings) == expected
        assert tally(*texts, vocabulary=vocabulary, **settings).scores() == expected


@pytest.mark.parametrize("name", INPUTS)
@pytest.mark.parametrize("form", FORMS)
def test_a_dictionary_and_acceptable_segments_are_normalized_as_the_text(name: str, form: Form) -> None:
    write, options, normalized, joined = INPUTS[name]
    references, predictions, words = corpus_and_words()
    acceptable = words[::4]
    expected = naive_dictionary_scores(
        *([[normalized(word, form) for word in words] for words in side] for side in (references, predictions)),
        *([normalized(word, form) for word in listed] for listed in (words, acceptable)),
    )
    lists = {"dictionary": [joined(word) for word in words], "acceptable": [joined(word) for word in acceptable]}
    found = score(
        write(references),
        write(predictions),
        scores="dictionary",
        normalize=form,
        zero_division=0.0,
        **lists,
        **options,
    )
    assert found == expected


def test_full_width_words_of_a_vocabulary_are_known() -> None:
    lists = {"vocabulary": ["我 ，"], "dictionary": ["，"], "acceptable": ["，"]}
    found = score(["我 ，"], ["我，"], text_format="words", normalize="NFKC", zero_division=0.0, **lists)
    assert found["oov_rate"] == 0.0
    # The comma is a word of the reference alone; as an acceptable segment it is no negative of the prediction.
    assert (found["dictionary_tpr"], found["dictionary_tnr"]) == (0.0, 0.0)
    without = score(["我 ，"], ["我，"], text_format="words", zero_division=0.0, **lists)
    assert {key: without[key] for key in found} == found


def test_boundaries_that_normalization_drops_are_dropped_in_the_vocabulary() -> None:
    text = ["e \u0301t a"]
    assert unicodedata.normalize("NFC", "e\u0301t") == "ét"
    found = score(text, text, text_format="words", normalize="NFC", scores="oov", vocabulary=text, zero_division=0.0)
    assert found["oov_rate"] == 0.0
    lists = [text[0].split()]
    assert score(lists, lists, normalize="NFC", scores="oov", vocabulary=lists, zero_division=0.0)["oov_rate"] == 0.0


def test_digests_are_those_of_the_lists_as_given() -> None:
    lists = {"vocabulary": ["，"], "dictionary": ["，"], "acceptable": ["，"]}
    plain, normalized = (Plan.of(normalize=form, **lists).plain() for form in (None, "NFKC"))
    assert all(plain[name] == normalized[name] for name in lists)
    assert plain["vocabulary"] != Plan.of(vocabulary=[","], scores="oov").plain()["vocabulary"]
