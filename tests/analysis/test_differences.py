"""Differences against sets of spans and of boundaries, in every form of text; the metric's counts; bad input."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from segscores import differences
from segscores.analysis.drawing import draw_differences
from segscores.options.errors import UtteranceError

from ..corpora import CHARACTER_FORMS, FORMS, Word, corpus_pairs, tokens
from ..naive import boundaries, spans

WORDS = {"text_format": "words"}
TEXT_FORMS = tuple(name for name, form in FORMS.items() if form.has_words)


def units_of(words: Sequence[Word]) -> list[str]:
    return [unit for word in words for unit in word]


def naive_segments(reference: Sequence[Word], prediction: Sequence[Word], separator: str) -> tuple[Any, Any]:
    """The segments between the boundaries of either side, and the marks between them, by sets of boundaries."""
    left, right = boundaries(reference, edges=True), boundaries(prediction, edges=True)
    positions = sorted(left | right)
    units = units_of(reference)
    segments = tuple(separator.join(units[start:end]) for start, end in pairwise(positions))
    marks = tuple("|" if position in left & right else "+" if position in left else "−" for position in positions[1:-1])
    return segments, marks


def naive_words(words: Sequence[Word], other: Sequence[Word], separator: str) -> list[tuple[str, bool]]:
    """One side's words, and whether the other side has them in the same place."""
    units = units_of(words)
    return [(separator.join(units[start:end]), (start, end) in spans(other)) for start, end in sorted(spans(words))]


@pytest.mark.parametrize("name", TEXT_FORMS)
@settings(max_examples=settings.default.max_examples // 2)
@given(data=st.data())
def test_every_form_agrees_with_sets_of_boundaries(name: str, data: st.DataObject) -> None:
    form = FORMS[name]
    pairs = corpus_pairs() if name in CHARACTER_FORMS else corpus_pairs(units=tokens)
    references, predictions = data.draw(pairs)
    # Blank utterances at the edges.
    references, predictions = [[], *references, []], [[], *predictions, []]
    found = differences(form.write(references), form.write(predictions), **form.options)
    # Between the units of a word that is shown.
    separator = " " if form.any_units else ""
    for difference, reference, prediction in zip(found, references, predictions, strict=True):
        segments, marks = naive_segments(reference, prediction, separator)
        assert (difference.segments, difference.marks) == (segments, marks)
        assert str(difference) == "".join(a + b for a, b in zip(segments, (*marks, "")[: len(segments)], strict=True))
        both = naive_words(reference, prediction, separator)
        assert difference.reference == tuple(both)
        assert difference.matched == tuple(word for word, is_matched in both if is_matched)
        assert difference.missed == tuple(word for word, is_matched in both if not is_matched)
        assert difference.wrong == tuple(
            word for word, is_matched in naive_words(prediction, reference, separator) if not is_matched
        )
        assert difference.matched == tuple(
            segment for segment, is_matched in zip(segments, difference.is_matched, strict=True) if is_matched
        )


def test_a_notebook_draws_the_first_utterances():
    of_all = differences(["the dog"] * 101, ["thedog"] * 101, **WORDS)
    drawn = of_all._repr_html_()
    assert drawn.count("<li") == 100
    assert "The first 100 of 101 utterances are drawn" in drawn
    assert draw_differences(of_all[:100], 101) in drawn


def test_sides_are_read_with_all_options(tmp_path):
    (tmp_path / "gold.txt").write_text("the dog\n")
    (difference,) = differences(tmp_path / "gold.txt", ["the@@ dog"], **WORDS, subword_marks="@@")
    assert str(difference) == "the|dog"


@pytest.mark.filterwarnings("ignore:the references. most lines have no space:UserWarning")
def test_a_long_utterance():
    """Each of the properties takes time linear in the words, one word as long as the utterance included."""
    count = 20_000
    parts, whole = " ".join(["狗"] * count), "狗" * count
    (split,) = differences([whole], [parts], **WORDS)
    assert split.marks == ("−",) * (count - 1)
    assert split.missed == (whole,)
    assert split.wrong == ("狗",) * count
    (joined,) = differences([parts], [whole], **WORDS)
    assert joined.reference == (("狗", False),) * count
    assert joined.wrong == (whole,)
    assert str(joined) == "+".join(["狗"] * count)


@pytest.mark.parametrize(
    ("references", "predictions", "options", "error", "message"),
    [
        (["ab", "a\0"], ["ab", "a"], WORDS, UtteranceError, "^references, utterance 1: there is a NUL"),
        (["ab", "a"], ["ab", "\0a"], WORDS, UtteranceError, "^predictions, utterance 1: there is a NUL"),
        (["a"], [["a"]], WORDS, TypeError, "^mixed forms"),
        ([[1, 0]], [[1, 1]], {"label_scheme": "start"}, ValueError, "^labels do not contain the words"),
        ([["B", "I"]], [["B", "B"]], {"label_scheme": "BI"}, ValueError, "^labels do not contain the words"),
        (["a"], ["a"], {"scores": "token"}, TypeError, "^unknown option 'scores'.* The options are text_format"),
    ],
)
def test_bad_input_is_named(references, predictions, options, error, message):
    with pytest.raises(error, match=message):
        differences(references, predictions, **options)
