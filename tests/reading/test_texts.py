"""Texts: the recognition of their form, numbers, errors, and that no line takes long."""

import time

import pytest

from segscores.reading.texts import TextForm, recognise_form

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
    "separated, with a line of a dash": ("ผม|ไม่|ชอบ|\n-|\nเขา|ไป|\n", "separated", "WORD_BOUNDARY", ()),
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


SIZE = 200_000
HOSTILE = {
    "digits": "1" * SIZE,
    "digits in lines": "1\n" * (SIZE // 2),
    "digits before words": "1 a\n2 b\n" + "3" * 5000 + " c\n",
    "digits after words": "a 1\nb 2\nc " + "3" * 5000 + "\n",
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


def test_a_line_of_slashes_takes_no_time():
    """The beginning of a text has 8,192 characters. A pattern that tries every division in two takes seconds."""
    began = time.process_time()
    assert recognise_form("/" * 8192) == TextForm("words")
    assert time.process_time() - began < 1.5


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_text_takes_no_time(name):
    """Where a pattern tries every division of such a text it takes minutes. The time is that of this process alone."""
    text, began = HOSTILE[name], time.process_time()
    form = recognise_form(text)
    assert form == TextForm("words")
    assert time.process_time() - began < 5
