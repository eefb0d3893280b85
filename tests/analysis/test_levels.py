"""Levels of one text are scored as texts of their own would be."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from segscores.analysis.levels import score_levels
from segscores.integrations.metric.metrics import SegmentationScores
from segscores.options.errors import UtteranceError

from ..naive import Corpus, naive_scores

TOKENS = {"word": ";eword", "syllable": ";esyll", "mora": ";emora"}


@st.composite
def levelled_pairs(draw: st.DrawFn) -> tuple[list[list[str]], list[list[list[int]]]]:
    """Units of each utterance, and for each side the level that ends after each unit: 0 none, 1 the coarsest, …"""
    units = draw(st.lists(st.lists(st.sampled_from(["a", "b", "狗"]), max_size=6), min_size=1, max_size=4))
    marks = st.integers(0, len(TOKENS))
    sides = [[[draw(marks) for _ in utterance] for utterance in units] for _ in range(2)]
    return units, sides


def write(units: list[list[str]], marks: list[list[int]], repeat_finer: bool) -> list[str]:
    """The text of a side: after a unit the token of its level, with those of all finer levels before it if they repeat."""
    tokens = list(TOKENS.values())
    lines = []
    for utterance, levels in zip(units, marks, strict=True):
        line = []
        for unit, level in zip(utterance, levels, strict=True):
            ended = tokens[level - 1 :][::-1] if repeat_finer else tokens[level - 1 : level]
            line += [unit, *(ended if level else [])]
        lines.append(" ".join(line))
    return lines


def words_at(units: list[list[str]], marks: list[list[int]], level: int) -> Corpus:
    """The words between boundaries of this level or a coarser one."""
    corpus = []
    for utterance, levels in zip(units, marks, strict=True):
        words: list[list[str]] = [[]]
        for unit, mark in zip(utterance, levels, strict=True):
            words[-1].append(unit)
            if 0 < mark <= level:
                words.append([])
        corpus.append([tuple(word) for word in words if word])
    return corpus


@given(pair=levelled_pairs(), repeat_finer=st.booleans())
def test_each_level_has_the_scores_of_its_own_words(pair: Any, repeat_finer: bool) -> None:
    units, (left, right) = pair
    found = score_levels(write(units, left, repeat_finer), write(units, right, not repeat_finer), levels=TOKENS)
    assert list(found) == list(TOKENS)
    for number, name in enumerate(TOKENS, 1):
        assert found[name] == naive_scores(words_at(units, left, number), words_at(units, right, number))


def test_the_levels_of_wordseg_are_the_default() -> None:
    reference = ["hh ih ;esyll r iy ;esyll ;eword g ow ;esyll ;eword"]
    prediction = ["hh ih ;esyll ;eword r iy ;esyll ;eword g ow ;esyll ;eword"]
    scores = SegmentationScores().score_levels(references=reference, predictions=prediction, scores="token")
    assert scores == {
        "word": {"token_precision": 1 / 3, "token_recall": 0.5, "token_fscore": 0.4},
        "syllable": {"token_precision": 1.0, "token_recall": 1.0, "token_fscore": 1.0},
    }


@pytest.mark.parametrize(
    "form", [str, lambda token: [token], lambda token: iter([token])], ids=["token", "list", "iterator"]
)
def test_ignored_tokens_are_dropped_at_every_level_in_whatever_form_they_are_given(form: Callable[[str], Any]) -> None:
    # A unit that is a letter of the token stays.
    text, other = ["a x ;x b ;esyll ; ;eword"], ["a x b ;esyll ; ;eword"]
    scores = score_levels(text, other, scores=["exact", "tnr"], ignored_tokens=form(";x"))
    assert scores == {level: {"utterance_accuracy": 1.0, "token_tnr": 1.0} for level in ("word", "syllable")}
    # Two of the spans of 4 units that are no word are predicted.
    worse = score_levels(["a x ;x b ; ;eword"], ["a ;esyll x b ; ;eword"], scores="tnr", ignored_tokens=form(";x"))
    assert worse["syllable"]["token_tnr"] == 1 - 2 / (4 * 5 / 2 - 1)


def test_iterators_are_read_for_every_level() -> None:
    text = ["a b ;esyll a ;eword"]
    options: dict[str, Any] = {"scores": "dictionary", "dictionary": ["a b", "b", "a"]}
    listed = score_levels(text, text, acceptable=["b"], **options)
    once = score_levels(text, text, acceptable=iter(["b"]), **{**options, "dictionary": iter(options["dictionary"])})
    assert once == listed
    assert listed["syllable"]["dictionary_tnr"] == 1.0  # "a" within "a b" is the only negative segment


@pytest.mark.filterwarnings("ignore:.*outside the vocabulary, .* implausible")
def test_a_vocabulary_in_the_form_of_the_text_is_cut_at_the_boundaries_of_each_level() -> None:
    text, vocabulary = ["a b ;esyll c ;eword a ;eword"], ["c ;esyll a b ;eword", "a ;esyll b ;eword"]
    scores = score_levels(text, text, scores="oov", vocabulary=vocabulary)
    # Neither "a b c" nor "a" is one of the words "c a b" and "a b"; "a b", "c" and "a" are syllables of the vocabulary.
    assert [level["oov_rate"] for level in scores.values()] == [1.0, 0.0]
    lists = score_levels(text, text, scores="oov", vocabulary=[["a b", "c"]])
    assert [level["oov_rate"] for level in lists.values()] == [1.0, 1 / 3]


def test_the_default_window_size_is_that_of_the_words_of_the_level() -> None:
    reference = ["a a a a a a ;esyll a a a a a a ;eword"] * 3
    prediction = ["a a a ;esyll a a a a a a a a a ;eword"] * 3
    # Half of 12 units, and half of 6.
    sizes = {"word": 6, "syllable": 3}
    found = score_levels(reference, prediction, scores="windows")
    for level, size in sizes.items():
        at_size = score_levels(reference, prediction, scores="windows", window_size=size)
        assert found[level] == at_size[level]
    assert found["syllable"]["pk"] > found["word"]["pk"] == 0.0


def test_an_error_names_the_level_and_the_utterance() -> None:
    with pytest.raises(UtteranceError, match=r"utterance 1: level 'word': the units differ at offset 0"):
        score_levels(["a", "a"], ["a", "b"])
    with pytest.warns(UserWarning, match="1 of 2 utterances have different units on the two sides"):
        skipping = score_levels(["a ;esyll b", "c"], ["a ;esyll c", "c"], scores="token", on_mismatch="skip")
    assert [level["skipped_utterances"] for level in skipping.values()] == [1.0, 1.0]


@pytest.mark.parametrize(
    ("references", "options", "kind", "message"),
    [
        ([["a"]], {}, TypeError, "levels are marked by tokens of units text; received lists of strings"),
        (["a"], {"levels": {}}, ValueError, "expected a dict from names to boundary tokens"),
        (["a"], {"levels": {"word": ";e", "syllable": ";e"}}, ValueError, "another boundary token for each level"),
        (["a"], {"levels": {"word": [";e"]}}, TypeError, r"word_boundary: expected a token .*, received \[';e'\] \(list\)"),
        (["a"], {"levels": {"word": "a b"}}, ValueError, "word_boundary: expected a token without whitespace"),
        (["a"], {"text_format": "words"}, TypeError, "unknown option 'text_format'"),
        (["a"], {"word_boundary": ";e"}, TypeError, "unknown option 'word_boundary'"),
        ([], {}, ValueError, "there is nothing to score"),
    ],
)  # fmt: skip
def test_bad_input_is_refused(references: Any, options: dict[str, Any], kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        score_levels(references, references, **options)
