"""OOV scores: against Python's sets of words."""

import re
import time
import warnings
from pathlib import Path
from typing import Any

import pytest

from segscores import score
from segscores.kernel.comparison import Comparison
from segscores.scoring.measures.oov import OOV_COLUMNS, Vocabulary, tally_oov, warn_of_implausible_rate

from ...corpora import FORMS, random_corpus_pair
from ...naive import naive_oov_counts
from ...tallies import compared, listed, summed


def totals(comparison: Comparison, vocabulary: Vocabulary) -> dict[str, int]:
    return summed(tally_oov(comparison, vocabulary))


@pytest.mark.parametrize("form", ["units_text", "words_text", "word_lists"])
def test_a_corpus_of_each_form_gives_its_words(form: str) -> None:
    training, _ = random_corpus_pair(60, seed=1)
    pair = random_corpus_pair(300, seed=2)
    known = [word for utterance in training for word in utterance]
    comparison = compared(*pair, form)
    vocabulary = Vocabulary(vocabulary=FORMS[form].write(training))
    assert vocabulary.is_corpus(comparison.reference.unit)
    expected = naive_oov_counts(*pair, known)
    assert listed(tally_oov(comparison, vocabulary)) == {column: expected[column] for column in OOV_COLUMNS}


@pytest.mark.parametrize("boundary", ["|", "  ", "\t"])
def test_a_corpus_of_units_is_joined_as_the_reference_is(boundary: str) -> None:
    mark = boundary if boundary.isspace() else f" {boundary} "
    options: dict[str, Any] = {"reference_format": "units", "prediction_format": "words", "word_boundary": boundary}
    utterances = [f"a b{mark}c"], ["ab c"]
    # Of the words ab and c of the reference, c is not among the words ab and d.
    scores = score(*utterances, scores="oov", vocabulary=[f"a b{mark}d"], **options)
    assert scores["oov_rate"] == 0.5
    shown = {"  ": "two spaces", "\t": "a tab"}.get(boundary, re.escape(boundary))
    with pytest.raises(ValueError, match=f"there is no {shown} here"):
        score(*utterances, scores="oov", vocabulary=["a b", "d"], **options)


def test_lists_of_units_are_joined_without_ignored_tokens_where_spaces_are_dropped() -> None:
    """The spaces are those of the prediction, which is separated text. Of the words ðə and d of the reference, d is unknown."""
    formats: dict[str, Any] = {"reference_format": "units", "prediction_format": "separated", "spaces": "drop"}
    vocabulary = [["ð ;esyll ə"]]
    scores = score(
        ["ð ;esyll ə WORD_BOUNDARY d"],
        ["ðə|d"],
        scores="oov",
        vocabulary=vocabulary,
        ignored_tokens=[";esyll"],
        **formats,
    )
    assert (scores["oov_rate"], scores["iv_recall"]) == (0.5, 1.0)


def test_words_with_spaces_come_as_lists() -> None:
    comparison = compared([["New York", "is", "York"]], [["New York", "isYork"]])
    # Of the reference, York is out of the vocabulary; of the prediction, isYork.
    assert totals(comparison, Vocabulary(vocabulary=[["New York"], ["is", ""]])) == {
        "oov_matched": 0,
        "oov_predicted": 1,
        "oov_reference": 1,
        "token_matched": 1,
        "token_reference": 3,
    }
    # As strings they are the words New, York and is: New York is out of the vocabulary.
    assert totals(comparison, Vocabulary(vocabulary=["New York", "is"]))["oov_reference"] == 1


def test_lists_of_words_serve_units_text_too() -> None:
    corpus = [[("dh", "ax"), ("d", "ao", "g")]]
    comparison = compared(corpus, corpus, "units_text")
    counts = totals(comparison, Vocabulary(vocabulary=[["dh ax"], ["d  ao"]]))
    assert (counts["oov_reference"], counts["token_reference"]) == (1, 2)


def test_a_corpus_of_units_is_read_with_its_own_tokens() -> None:
    vocabulary = Vocabulary(
        vocabulary=["dh ax ;esyll ;eword d ao g ;esyll ;eword"], word_boundary=";eword", ignored_tokens=[";esyll"]
    )
    assert vocabulary.words("token").to_pylist() == [b"dh ax ", b"d ao g "]
    assert vocabulary.is_corpus("token")


def test_the_warning_is_of_the_form_of_this_text_and_not_of_an_earlier_one() -> None:
    vocabulary = ["a b", "c"]
    # In units text, a line of the vocabulary is a word with its units; for lists of words, it is a line of words.
    texts_and_kinds = [(["x WORD_BOUNDARY y"], "word list of 2"), ([["x", "y"]], "segmented corpus of 3")]
    for text, kind in [*texts_and_kinds, *texts_and_kinds]:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            score(text, text, scores="oov", vocabulary=vocabulary, zero_division=0.0)
        assert [re.findall("read as a (.*) distinct words", str(warning.message)) for warning in caught] == [[kind]]


def test_its_digest_tells_vocabularies_apart() -> None:
    vocabularies: list[list[Any]] = [["a", "b"], ["ab"], [["a", "b"]], ["a b"], [["a b"]], [["a"], ["b"]]]
    vocabularies += [[["a\nb"]], [["a", "\nb"]], ["a\nb", "c"], ["a", "b", "c"]]
    digests = [Vocabulary(vocabulary=lines).digest() for lines in vocabularies]
    assert len(set(digests)) == len(digests)
    assert Vocabulary(vocabulary=["b", "a", "a"]).digest() == digests[0]
    assert re.fullmatch("sha256:[0-9a-f]{64}", digests[0])


def test_labels_have_no_words() -> None:
    with pytest.raises(ValueError, match="OOV scores need the words, which labels do not contain"):
        tally_oov(compared([["ab"]], [["ab"]], "labels"), Vocabulary(vocabulary=["a"]))


def test_a_rate_above_the_plausible_is_warned_of() -> None:
    comparison = compared([["狗", "叫", "叫"]], [["狗", "叫叫"]])
    vocabulary = Vocabulary(vocabulary=["the dog", "狗"])
    with pytest.warns(
        UserWarning, match=r"66\.7% .* read as a segmented corpus of 3 distinct words, such as 'the', 'dog', '狗'"
    ):
        warn_of_implausible_rate(totals(comparison, vocabulary), vocabulary, "character")


def test_the_warning_tells_how_words_of_units_are_written() -> None:
    comparison = compared([["ab", "ba"]], [["ab", "ba"]], "units_text")
    vocabulary = Vocabulary(vocabulary=["ab", "ba"])
    with pytest.warns(UserWarning, match=r"100\.0% .* a word list of 2 .* written as its units with spaces between\?"):
        warn_of_implausible_rate(totals(comparison, vocabulary), vocabulary, "token")


@pytest.mark.parametrize(
    ("vocabulary", "error", "message"),
    [
        ("the dog", TypeError, r"^vocabulary: received one str; expected .* did you mean \['the dog'\]\? Read a file"),
        (b"the", TypeError, "^vocabulary: received one bytes; expected"),
        (Path("v.txt"), TypeError, r"Read a file with read_text\(\)\.splitlines\(\)\.$"),
        (None, TypeError, "^vocabulary: received None; expected"),
        ({"the": 1}, TypeError, r"received \{'the': 1\} \(dict\)"),
        (["the", 3], TypeError, r"^vocabulary, line 2: received 3 \(int\); expected"),
        (["the", ["dog"]], TypeError, r"^vocabulary, line 2: received \['dog'\] \(list\)"),
        ([["the"], [None]], TypeError, r"^vocabulary, list 1: received None\b"),
        ([], ValueError, "^vocabulary: it has no word; expected at least one"),
        (["", " \n"], ValueError, "^vocabulary: it has no word"),
        ([[], [" "]], ValueError, "^vocabulary: it has no word"),
        (["a\0b"], ValueError, r"^vocabulary, line 1: 'a\\x00b' has a NUL character \(U\+0000\)"),
        (["a", "\ud800"], ValueError, r"^vocabulary, line 2: '\\ud800' has a lone surrogate \(U\+D800\)"),
    ],
)
def test_a_value_that_is_not_a_vocabulary_is_rejected(vocabulary: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        Vocabulary(vocabulary=vocabulary)


@pytest.mark.parametrize(
    "vocabulary",
    [["b a ;esyll b y ;eword", "d a ;esyll"], [["b a ;esyll b y"], [";esyll", "d a ;esyll"]]],
    ids=["lines", "lists"],
)
def test_ignored_tokens_are_dropped_from_the_vocabulary(vocabulary: Any) -> None:
    """The words are `b a b y`, which the vocabulary has, and `g o`, which it lacks."""
    options: dict[str, Any] = {"word_boundary": ";eword", "ignored_tokens": [";esyll"], "scores": "oov"}
    text = ["b a ;esyll b y ;eword g o ;esyll ;eword"]
    assert score(text, text, vocabulary=vocabulary, **options)["oov_rate"] == 0.5


def test_a_selection_that_needs_a_vocabulary_says_so() -> None:
    with pytest.raises(ValueError, match='vocabulary: scores="sighan" needs it'):
        score(["the dog"], ["thedog"], text_format="words", scores="sighan")


@pytest.mark.parametrize("option", ["vocabulary", "dictionary"])
def test_long_lines_of_a_word_list_are_read_in_linear_time(option: str) -> None:
    """A line of a word list may have columns: to look for them in 30,000 letters took half a minute."""
    scores = {"vocabulary": "oov_rate", "dictionary": "dictionary_tpr"}[option]
    words = ["a" * 30_000, "b" * 30_000]
    start = time.process_time()
    score(["a b"], ["a b"], text_format="words", scores=scores, zero_division=0, **{option: [*words, "a"]})
    assert time.process_time() - start < 5


TAGGED = {"tagged": ["迈向/v 中央/n", "电视台/n"], "kytea": ["迈向/動詞/x 中央/名詞/y", "电视台/名詞/z 电/名詞/w"]}


@pytest.mark.parametrize("text_format", TAGGED)
def test_a_vocabulary_with_the_tags_of_the_text(text_format: str) -> None:
    """Its words are known, with tags and without, where the text has tags."""
    known = [word.partition("/")[0] for line in TAGGED[text_format] for word in line.split()]
    options: dict[str, Any] = {"text_format": text_format, "scores": "oov_rate"}
    text = TAGGED[text_format]
    for vocabulary in (text, known, [known]):
        assert score(text, text, vocabulary=vocabulary, **options) == {"oov_rate": 0.0}
    assert score(text, text, vocabulary=text[:1], **options)["oov_rate"] == (len(known) - 2) / len(known)


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["迈向/v 中央/n", "电视台/n 的/u", "我/n"], 'a tag after each word.*add text_format="tagged"'),
        (TAGGED["kytea"], 'two tags after each word.*add text_format="kytea"'),
        (["北\tB", "京\tE", "很\tS"], "the labels of its lines"),
        (["東京\t名詞", "EOS"], "the lines EOS"),
        (["played\tplay @@ed"], "@@ before morphs"),
    ],
)
def test_a_vocabulary_of_another_form_is_refused(lines: list[str], expected: str) -> None:
    with pytest.raises(ValueError, match=f"vocabulary: it was recognised as .*{expected}"):
        score(["迈向 中央"], ["迈向中央"], text_format="words", scores="oov", vocabulary=lines)


def test_a_line_without_tags_in_a_vocabulary_with_tags_is_named() -> None:
    vocabulary = ["迈向/v"] * 1000 + ["中央"]
    with pytest.raises(ValueError, match=r"vocabulary, line 1001: .*a word and its tag"):
        score(TAGGED["tagged"], TAGGED["tagged"], text_format="tagged", scores="oov", vocabulary=vocabulary)
