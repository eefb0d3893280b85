"""An option names a mark of the text that no side has: another mark is likely there, or none."""

import re
import warnings
from pathlib import Path
from typing import Any

import pytest

import segscores

pytestmark = pytest.mark.usefixtures("in_folder")

#: Ten words.
TEXT = ["the big dog is here", "so it is at home"]
SUBWORDS = ["th@@ e big do@@ g is he@@ re", "so it is at home"]
CHINESE = ["我们/去/北京"] * 10
#: A text that is both sides, an option, and the remedy's beginning.
SAID: dict[str, tuple[Any, dict[str, str], str]] = {
    "a joiner": (TEXT, {"joiner": "##"}, 'joiner="##"'),
    "the joiner of another tokenizer": (SUBWORDS, {"joiner": "##"}, 'joiner="##"'),
    "marks of another tokenizer": (SUBWORDS, {"subword_marks": "##", "text_format": "words"}, 'subword_marks="##"'),
    "lists of words": ([text.split() for text in TEXT], {"subword_marks": "▁"}, 'subword_marks="▁"'),
    "another sign between words": (CHINESE, {"separator": "|"}, 'separator="|"'),
    "a thousand utterances": (TEXT * 501, {"joiner": "##"}, 'joiner="##"'),
}
#: A text and options, of which nothing is said.
NOT_SAID: dict[str, tuple[Any, dict[str, str]]] = {
    "a joiner that occurs once": ([*TEXT, "ice##cream"], {"joiner": "##"}),
    "the marks of any tokenizer": (TEXT, {"subword_marks": "strip", "text_format": "words"}),
    "fewer than ten words on each side": (["the big dog is here", "so it is home"], {"joiner": "##"}),
    "few utterances of one word": (CHINESE[:9], {"separator": "|"}),
    "the joiner that is usual": (TEXT, {"text_format": "syllables"}),
}  # fmt: skip


def doubts_about(values: Any, options: dict[str, str]) -> list[str]:
    """Return the warnings about values that are both sides."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        segscores.score(values, values, scores="token", **options)
    return [str(warning.message) for warning in caught]


@pytest.mark.parametrize(("values", "options", "named"), SAID.values(), ids=SAID)
def test_a_mark_that_no_side_has_is_said(values: Any, options: dict[str, str], named: str) -> None:
    said = re.escape(f"{named}: none of the first utterances has this mark: name the mark of the text")
    (doubt,) = doubts_about(values, options)
    assert re.match(said, doubt)
    if isinstance(values[0], str):
        Path("text.txt").write_text("\n".join([*values, ""]), "utf-8")
        assert doubts_about(Path("text.txt"), options) == [doubt]


@pytest.mark.parametrize(("values", "options"), NOT_SAID.values(), ids=NOT_SAID)
def test_a_mark_that_may_be_there_needs_no_word(values: Any, options: dict[str, str]) -> None:
    assert doubts_about(values, options) == []


def test_a_mark_that_the_prediction_alone_has_is_there() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        segscores.score([*TEXT, "ice cream"], [*TEXT, "ice##cream"], joiner="##", scores="token")


def test_text_without_the_mark_between_words_is_said_once() -> None:
    (doubt,) = doubts_about(TEXT, {"separator": "/"})
    assert "the boundary token '/' never occurs" in doubt
