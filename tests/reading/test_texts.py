"""Texts: the recognition of their form, numbers, errors, and that no line takes long."""

from __future__ import annotations

import json
import re
import time
from contextlib import suppress

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from segscores.reading.texts import TextForm, parse_numbers, recognise_form
from segscores.support.errors import UtteranceError

#: Line ends of files, and what may stand at the end of one.
LINE_ENDS = {"unix": "\n", "windows": "\r\n"}
BYTE_ORDER_MARK = "\ufeff"


RANGES = "# a comment\n" + "".join(f"{number}\tit" + "\t_" * 8 + "\n" for number in ("1-2", "1", "2", "3.1"))

RECOGNISED = {
    "words": ("the dog\nis", "words", "WORD_BOUNDARY", ()),
    "blank": ("", "words", "WORD_BOUNDARY", ()),
    "boundary tokens": ("ð ə WORD_BOUNDARY d ɔ g", "units", "WORD_BOUNDARY", ()),
    "a boundary token among wide spaces": ("a\u3000WORD_BOUNDARY\u3000b", "units", "WORD_BOUNDARY", ()),
    "a boundary token behind the mark": (f"{BYTE_ORDER_MARK}WORD_BOUNDARY a", "units", "WORD_BOUNDARY", ()),
    "a boundary token inside words": ("xWORD_BOUNDARY WORD_BOUNDARY, WORD_BOUNDARYS 狗WORD_BOUNDARY", "words", "WORD_BOUNDARY",
        ()),
    "wordseg, words": ("dh ax ;eword d ao g ;eword", "units", ";eword", ()),
    "wordseg, syllables": ("dh ax ;esyll ;eword d ao g ;esyll ;eword", "units", ";eword", (";esyll",)),
    "syllables alone": ("dh ax ;esyll d ao g", "words", "WORD_BOUNDARY", ()),
    "wordseg before boundary tokens": ("a ;eword WORD_BOUNDARY", "units", ";eword", ()),
    "conllu": (RANGES, "conllu", "WORD_BOUNDARY", ()),
    "conllu, windows": (RANGES.replace("\n", "\r\n"), "conllu", "WORD_BOUNDARY", ()),
    "conllu, behind the mark": (f"{BYTE_ORDER_MARK}1\tdog" + "\t_" * 8, "conllu", "WORD_BOUNDARY", ()),
    "conllu with boundary tokens": ("1\tWORD_BOUNDARY" + "\t_" * 8, "conllu", "WORD_BOUNDARY", ()),
    "nine columns": ("1\tdog" + "\t_" * 7, "words", "WORD_BOUNDARY", ()),
    "ten columns without a number": ("x\tdog" + "\t_" * 8, "words", "WORD_BOUNDARY", ()),
    "ten columns in two lines": ("1\tdog" + "\t_" * 4 + "\n" + "\t_" * 4, "words", "WORD_BOUNDARY", ()),
}  # fmt: skip


@pytest.mark.parametrize("name", RECOGNISED)
def test_the_form_is_recognised_by_tokens(name):
    text, text_format, word_boundary, ignored_tokens = RECOGNISED[name]
    form = recognise_form(text)
    assert (form.text_format, form.word_boundary, form.ignored_tokens) == (text_format, word_boundary, ignored_tokens)
    assert bool(form.reason) == (text_format != "words")


def test_the_note_on_separated_text_names_the_option_for_its_tags():
    assert "the option markup" in recognise_form("<NE>ผม</NE>|ไม่|ชอบ").reason
    assert "markup" not in recognise_form("ผม|ไม่|ชอบ").reason


@pytest.mark.parametrize(
    "text", ["", "\n", " \n\n", "\r\n", BYTE_ORDER_MARK, BYTE_ORDER_MARK + "\r\n", "\u3000"], ids=repr
)
def test_blank_texts_are_words_text_without_numbers(text):
    assert recognise_form(text) == TextForm("words")
    assert parse_numbers(text, "scores") == []


finite = st.floats(allow_nan=False, allow_infinity=False)


WRITE = {
    "JSON": json.dumps,
    "spaces": lambda numbers: " ".join(map(repr, numbers)),
    "tabs": lambda numbers: "\t".join(map(repr, numbers)) + " ",
    "commas": lambda numbers: ",".join(map(repr, numbers)),
}


@pytest.mark.parametrize("line_end", LINE_ENDS.values(), ids=LINE_ENDS)
@pytest.mark.parametrize("write", WRITE.values(), ids=WRITE)
@given(rows=st.lists(st.lists(finite | st.integers(-9, 9).map(float), max_size=5), min_size=1, max_size=5))
@example(rows=[[1.0], [], [2.0]])
def test_numbers_are_read_as_written(write, line_end, rows):
    rows = [[0.5], *rows]
    text = line_end.join(map(write, rows)) + line_end
    assert parse_numbers(text, "scores") == rows
    assert parse_numbers(BYTE_ORDER_MARK + text, "scores") == rows


@pytest.mark.parametrize(
    "line", ["0.1 x", "0.1;0.2", "[[0.1], [0.2]]", "[0.1] [0.2]", "0,1%", "null", '["0.1"]', "<b>", "−1"]
)
def test_the_error_names_the_line_of_a_value_that_is_not_a_number(line):
    message = f"utterance 1: received {line!r}; expected a score per gap: numbers separated by spaces or commas, such as 0.1 0.9."
    with pytest.raises(UtteranceError, match=re.escape(message)) as caught:
        parse_numbers(f"0.1 0.9\n{line}\n0.2", "a score per gap")
    assert caught.value.utterance == 1


SIZE = 200_000
HOSTILE = {
    "digits": "1" * SIZE,
    "digits in lines": "1\n" * (SIZE // 2),
    "tabs": "1" + "\t" * SIZE,
    "a long second column": "1\t" + "a" * SIZE,
    "eleven columns in lines": ("1" + "\t" * 10 + "\n") * (SIZE // 12),
    "newlines": "\n" * SIZE,
    "spaces": " " * SIZE + "x",
    "boundary tokens in words": "xWORD_BOUNDARY" * (SIZE // 14),
    "wordseg's in words": "x;eword" * (SIZE // 7),
    "brackets": "[" * SIZE + "x",
    "marks": BYTE_ORDER_MARK * SIZE,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_text_takes_no_time(name):
    """Where a pattern tries every division of such a text it takes minutes. The time is that of this process alone."""
    text, began = HOSTILE[name], time.process_time()
    form = recognise_form(text)
    assert form == TextForm("words")
    with suppress(UtteranceError):
        parse_numbers(text, "scores")
    assert time.process_time() - began < 5
