"""Normalised units are those of `unicodedata`, equal on both sides, and every boundary divides the text at the same
place.
"""

import random
import time
import unicodedata
from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from segscores.reading.normalization import normalize_units
from segscores.reading.preparation import segments_in_text, stages_of
from segscores.reading.reading import Reading
from segscores.scoring.mismatch import compare_segmentations

from ..corpora import CHARACTERS, WHITESPACE, Corpus, corpus_pairs, word_lists
from ..tallies import read, words_of

NORMALIZATION_FORMS = ("NFC", "NFD", "NFKC", "NFKD")
forms = pytest.mark.parametrize("form", NORMALIZATION_FORMS)

# What composes, what moves past another mark, Hangul jamo, starters that compose with what stands before them, a composite
# that composes again (U+0DD9 U+0DCF U+0DCA), ligatures, and U+00A8, whose compatibility form begins with a space.
LIVELY = "ae\u0301\u0323\u031b\u0316\u0345oéẹ각\u1100\u1161\u11a8ﬁ½Å\u0dd9\u0dcf\u0dca\u09c7\u09be\u00a8\u212b"
lively = st.one_of(st.sampled_from(LIVELY), st.sampled_from(CHARACTERS), st.characters(exclude_categories=["Cs"]))
lively = lively.filter(lambda character: character not in WHITESPACE and character != "\0")
tokens = st.text(lively, min_size=1, max_size=3).filter(lambda token: token != "WORD_BOUNDARY")


#: Of several classes; some are decomposed into others, and the halfwidth one is a letter.
MARKS = "\u0301\u0323\u031b\u0345\u0344\u0f71\u0f73\u0f74\u0f75\u3099\uff9e\u0334"


def naive_words(words: Sequence[str], form: str) -> list[str]:
    """The words of a normalised utterance, from the definition."""
    whole = unicodedata.normalize(form, "".join(words))
    befores = [unicodedata.normalize(form, "".join(words[:count])) for count in range(len(words) + 1)]
    ends = [len(before) for before in befores if whole.startswith(before)]
    return [whole[start:end] for start, end in pairwise(ends)]


@forms
@given(corpus=corpus_pairs(lively).map(lambda pair: pair[0]))
@example(corpus=[[("e",), ("\u0301",)]])
@example(corpus=[[("o",), ("\u0316",), ("\u031b",)]])
@example(corpus=[[("q",), ("\u0323",), ("\u031b",)], [], [("\u0301",), ("a",)]])
@example(corpus=[[("\u1100",), ("\u1161",), ("\u11a8",)], [("\u0dd9",), ("\u0dcf",), ("\u0dca",)]])
@example(corpus=[[("\U00016d67",), ("\U00016d67",), ("\U00016d67",)]])
def test_words_follow_the_definition_and_lost_boundaries_are_counted(form: str, corpus: Corpus) -> None:
    words = word_lists(corpus)
    normalized, lost = normalize_units(read(corpus), form)
    expected = [naive_words(utterance, form) for utterance in words]
    assert words_of(normalized) == expected
    assert lost.tolist() == [len(before) - len(after) for before, after in zip(words, expected, strict=True)]
    texts = [unicodedata.normalize(form, "".join(utterance)) for utterance in words]
    assert [normalized.units(index) for index in range(len(words))] == [list(text) for text in texts]
    assert normalized.utterance_units.tolist() == [len(text) for text in texts]


@forms
@settings(max_examples=settings.default.max_examples // 2)
@given(
    runs=st.lists(st.lists(st.sampled_from(MARKS), min_size=120, max_size=150), min_size=1, max_size=2),
    cut=st.randoms(),
)
def test_long_runs_of_marks_are_normalised_as_unicodedata_does_and_cut_as_the_definition_does(
    form: str, runs: list[list[str]], cut: random.Random
) -> None:
    text = "".join(f"e{''.join(run)}" for run in runs)
    places = [0, *sorted(cut.sample(range(1, len(text)), 60)), len(text)]
    words = [text[start:end] for start, end in pairwise(places)]
    normalized, lost = normalize_units(read([words]), form)
    assert normalized.units(0) == list(unicodedata.normalize(form, text))
    assert words_of(normalized) == [naive_words(words, form)]
    assert lost.tolist() == [len(words) - len(words_of(normalized)[0])]
    (segment,) = segments_in_text([text], "token", stages_of(Reading.of(normalize=form), joins_units=False)).to_pylist()
    assert segment.decode() == unicodedata.normalize(form, text).replace(" ", "") + " "


@forms
@pytest.mark.parametrize("marks", ["\u0301\u0323", "\u0f73", "\uff9e\u0301"], ids=ascii)
def test_words_of_combining_marks_take_linear_time(form: str, marks: str) -> None:
    def seconds(count: int) -> float:
        """The time of normalising one word for each mark, and all as one word."""
        words, taken = [*"e", *marks * (count // len(marks))], []
        for _ in range(2):
            start = time.process_time()
            normalize_units(read([words, ["".join(words)]]), form)
            taken.append(time.process_time() - start)
        return min(taken)

    assert seconds(12_000) < 16 * seconds(1_500)


@forms
@given(pair=corpus_pairs(lively), write=st.tuples(*[st.sampled_from(NORMALIZATION_FORMS[:2])] * 2))
def test_sides_that_are_canonically_equivalent_get_the_same_units(
    form: str, pair: tuple[Corpus, Corpus], write: tuple[str, str]
) -> None:
    """Each word is written in one form or the other, so that the two sides differ in code points."""
    sides = [
        read([[unicodedata.normalize(written, "".join(word)) for word in words] for words in corpus])
        for written, corpus in zip(write, pair, strict=True)
    ]
    compare_segmentations(*(normalize_units(side, form)[0] for side in sides))


@forms
@settings(max_examples=settings.default.max_examples // 2)
@given(corpus=corpus_pairs(tokens).map(lambda pair: pair[0]))
def test_tokens_are_normalised_one_by_one_and_stay_tokens(form: str, corpus: Corpus) -> None:
    normalized, lost = normalize_units(read(corpus, "units_text"), form)
    spelt = [
        [tuple(unicodedata.normalize(form, u).replace(" ", "") for u in word) for word in words] for words in corpus
    ]
    expected = read(spelt, "units_text")
    assert normalized.text is not None
    assert expected.text is not None
    assert normalized.text.tobytes() == expected.text.tobytes()
    for attribute in ("word_ends", "utterance_ends", "utterance_units"):
        assert getattr(normalized, attribute).tolist() == getattr(expected, attribute).tolist()
    assert lost.tolist() == [0] * len(corpus)


@forms
def test_a_long_utterance_with_lost_boundaries_takes_linear_time(form: str) -> None:
    """The definition takes the square: at this length, minutes."""
    source = random.Random(0)
    words = ["".join(source.choices(LIVELY, k=source.randrange(1, 4))) for _ in range(30_000)]
    normalized, lost = normalize_units(read([[("x",)], words, [("é",)]]), form)
    assert lost[1] > 0
    assert lost[0] == lost[2] == 0
    assert "".join(normalized.units(1)) == unicodedata.normalize(form, "".join(words))
    assert len(normalized.word_ends) == 2 + len(words) - lost[1]
