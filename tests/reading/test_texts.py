"""Pasted texts: the recognition of their form, reading, errors, and that no line takes long."""

from __future__ import annotations

import json
import re
import time
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from segscores import score
from segscores.analysis.differences import find_differences
from segscores.reading.texts import TextForm, parse_numbers, read_texts, recognise_form
from segscores.support.errors import UtteranceError

from ..naive import FORMS, corpus_pairs, naive_scores, random_corpus_pair

#: Line ends of files, and what may stand at the end of one.
LINE_ENDS = {"unix": "\n", "windows": "\r\n"}
BYTE_ORDER_MARK = "\ufeff"

WORDS, UNITS, CONLLU = TextForm("words"), TextForm("units"), TextForm("conllu")


def conllu(sentences: list[list[str]], line_end: str = "\n") -> str:
    """CoNLL-U of ten columns, without ranges."""
    lines = []
    for words in sentences:
        lines += ["# a comment"] + [f"{number}\t{word}" + "\t_" * 8 for number, word in enumerate(words, 1)] + [""]
    return "".join(line + line_end for line in lines)


# A range hides the words that it covers, an empty node is not a word, and a form may hold a space.
RANGES = """# text = it's in New York
1-2\tit's\t_\t_\t_\t_\t_\t_\t_\t_
1\tit\tit\tPRON\t_\t_\t3\tnsubj\t_\t_
2\t's\tbe\tAUX\t_\t_\t3\tcop\t_\t_
3\tin\tin\tADP\t_\t_\t4\tcase\t_\t_
3.1\tthere\t_\t_\t_\t_\t_\t_\t_\t_
4\tNew York\t_\t_\t_\t_\t0\troot\t_\t_

1\t狗\t_\t_\t_\t_\t0\troot\t_\t_
"""
RANGE_WORDS = [["it's", "in", "NewYork"], ["狗"]]

RECOGNISED = {
    "words": ("the dog\nis", "words", "WORD_BOUNDARY", ()),
    "blank": ("", "words", "WORD_BOUNDARY", ()),
    "boundary tokens": ("ð ə WORD_BOUNDARY d ɔ g", "units", "WORD_BOUNDARY", ()),
    "a boundary token in a late line": ("a\nb\nc WORD_BOUNDARY", "units", "WORD_BOUNDARY", ()),
    "a boundary token among wide spaces": ("a\u3000WORD_BOUNDARY\u3000b", "units", "WORD_BOUNDARY", ()),
    "a boundary token between line ends": ("\r\nWORD_BOUNDARY\r\n", "units", "WORD_BOUNDARY", ()),
    "a boundary token behind the mark": (f"{BYTE_ORDER_MARK}WORD_BOUNDARY a", "units", "WORD_BOUNDARY", ()),
    "a boundary token inside words": (
        "xWORD_BOUNDARY WORD_BOUNDARY, WORD_BOUNDARYS 狗WORD_BOUNDARY",
        "words",
        "WORD_BOUNDARY",
        (),
    ),
    "another case": ("a word_boundary b", "words", "WORD_BOUNDARY", ()),
    "wordseg, words": ("dh ax ;eword d ao g ;eword", "units", ";eword", ()),
    "wordseg, syllables": ("dh ax ;esyll ;eword d ao g ;esyll ;eword", "units", ";eword", (";esyll",)),
    "wordseg's tokens inside words": ("a;eword ;ewords b", "words", "WORD_BOUNDARY", ()),
    "syllables alone": ("dh ax ;esyll d ao g", "words", "WORD_BOUNDARY", ()),
    "wordseg before boundary tokens": ("a ;eword WORD_BOUNDARY", "units", ";eword", ()),
    "conllu": (RANGES, "conllu", "WORD_BOUNDARY", ()),
    "conllu, windows": (RANGES.replace("\n", "\r\n"), "conllu", "WORD_BOUNDARY", ()),
    "conllu, a single line": ("1\tdog" + "\t_" * 8, "conllu", "WORD_BOUNDARY", ()),
    "conllu, behind the mark": (f"{BYTE_ORDER_MARK}1\tdog" + "\t_" * 8, "conllu", "WORD_BOUNDARY", ()),
    "conllu with boundary tokens": (conllu([["a", "WORD_BOUNDARY"]]), "conllu", "WORD_BOUNDARY", ()),
    "nine columns": ("1\tdog" + "\t_" * 7, "words", "WORD_BOUNDARY", ()),
    "eleven columns": ("1\tdog" + "\t_" * 9, "words", "WORD_BOUNDARY", ()),
    "ten columns without a number": ("x\tdog" + "\t_" * 8, "words", "WORD_BOUNDARY", ()),
    "ten columns in two lines": ("1\tdog" + "\t_" * 4 + "\n" + "\t_" * 4, "words", "WORD_BOUNDARY", ()),
}


@pytest.mark.parametrize("name", RECOGNISED)
def test_the_form_is_recognised_by_tokens(name):
    text, text_format, word_boundary, ignored_tokens = RECOGNISED[name]
    form = recognise_form(text)
    assert (form.text_format, form.word_boundary, form.ignored_tokens) == (text_format, word_boundary, ignored_tokens)
    assert bool(form.reason) == (text_format != "words")


@pytest.mark.parametrize("name", RECOGNISED)
@pytest.mark.parametrize("at", [0, 1])
def test_one_text_of_several_is_enough(name, at):
    text = RECOGNISED[name][0]
    texts = ["", "the dog"]
    texts.insert(at, text)
    assert recognise_form(*texts) == recognise_form(text)


def test_no_text_is_words_text():
    assert recognise_form() == TextForm("words")


def test_tokens_recognised_in_one_text_apply_to_the_other():
    form = recognise_form("dh ax ;eword", "dh ax ;esyll ;eword")
    assert (form.word_boundary, form.ignored_tokens) == (";eword", (";esyll",))


@pytest.mark.parametrize(
    ("form", "shown", "unit", "options"),
    [
        (WORDS, "words separated by spaces", "character", {"text_format": "words"}),
        (UNITS, "units separated by spaces, WORD_BOUNDARY between words", "unit", {"text_format": "units"}),
        (
            TextForm("units", ";eword", (";esyll", "|"), "recognised by ;eword"),
            "units separated by spaces, ;eword between words, without ;esyll and | (recognised by ;eword)",
            "unit",
            {"text_format": "units", "word_boundary": ";eword", "ignored_tokens": [";esyll", "|"]},
        ),
        (CONLLU, "CoNLL-U", "character", {"text_format": "words"}),
    ],
)
def test_a_form_says_how_it_is_read(form, shown, unit, options):
    assert (str(form), form.unit, form.options()) == (shown, unit, options)
    json.dumps(form.options())


def written(name: str, sides: Any, line_end: str, last: bool) -> list[str]:
    """A corpus pair as two texts."""
    return [line_end.join(FORMS[name].write(side)) + (line_end if last else "") for side in sides]


@pytest.mark.parametrize("mark", ["", BYTE_ORDER_MARK], ids=["", "mark"])
@pytest.mark.parametrize("last", [True, False], ids=["ended", "open"])
@pytest.mark.parametrize("line_end", LINE_ENDS.values(), ids=LINE_ENDS)
@pytest.mark.parametrize("name", ["words_text", "units_text", "wordseg"])
def test_recognised_text_has_the_scores_of_the_corpus(name, line_end, last, mark):
    references, predictions = random_corpus_pair(40, seed=11, units="abåéе狗叫𠮷")
    sides = [[("a",)], *references, [("a", "b")]], [[("a",)], *predictions, [("a",), ("b",)]]
    texts = [mark + text for text in written(name, sides, line_end, last)]
    form = recognise_form(*texts)
    utterances = read_texts(texts, form)
    assert list(map(len, utterances)) == [len(sides[0])] * 2
    assert score(*utterances, **form.options()) == pytest.approx(naive_scores(*sides), abs=1e-15)


@pytest.mark.parametrize("line_end", LINE_ENDS.values(), ids=LINE_ENDS)
@given(pair=corpus_pairs(units=st.sampled_from("ab狗é\u200b#1-.")))
def test_conllu_gives_the_words_that_were_written(line_end, pair):
    sides = [[["".join(word) for word in words] for words in side if words] for side in pair]
    texts = [conllu(side, line_end) for side in sides]
    assert read_texts(texts, CONLLU) == sides
    assert read_texts([BYTE_ORDER_MARK + text.removesuffix(2 * line_end) for text in texts], CONLLU) == sides


def test_ranges_empty_nodes_and_spaces_of_conllu():
    for text in (RANGES, RANGES.removesuffix("\n"), RANGES + "\n\n# the end", RANGES.replace("\n", "\r\n")):
        assert read_texts([text, text], CONLLU) == [RANGE_WORDS, RANGE_WORDS]


def test_spaces_in_words_are_left_out():
    words_text = "it' s in New York\r\n狗\r\n"
    beside = [["it's", "in", "NewYork"], ["狗"]]
    lists = [["it'", "s", "in", "New", "York"], ["狗"]]
    assert read_texts([RANGES, words_text], CONLLU) == [beside, lists]
    assert read_texts([words_text, RANGES], CONLLU) == [lists, beside]
    assert read_texts([RANGES, RANGES, words_text], CONLLU) == [beside, beside, lists]
    # in and 狗, of four and of six words
    scores = score(*read_texts([RANGES, words_text], CONLLU), **CONLLU.options(), scores="token")
    assert (scores["token_recall"], scores["token_precision"]) == (2 / 4, 2 / 6)
    shown = find_differences(*read_texts([RANGES, words_text], CONLLU), **CONLLU.options())
    assert list(map(str, shown)) == ["it'−s|in|New−York", "狗"]


def test_wide_spaces_in_words_are_left_out_too():
    text = "1\tNew\u00a0York\u3000City" + "\t_" * 8
    assert read_texts([text, "NewYorkCity"], CONLLU) == [[["NewYorkCity"]]] * 2


def test_blank_lines_of_words_text_beside_conllu_are_utterances():
    assert read_texts([RANGES, "a\n\nb"], CONLLU)[1] == [["a"], [], ["b"]]


@pytest.mark.parametrize(
    "text", ["", "\n", " \n\n", "\r\n", BYTE_ORDER_MARK, BYTE_ORDER_MARK + "\r\n", "\u3000"], ids=repr
)
@pytest.mark.parametrize("name", ["words", "units", "conllu"])
def test_blank_texts_have_no_utterance(name, text):
    assert recognise_form(text, text).text_format == "words"
    assert read_texts([text, text], TextForm(name)) == [[], []]
    assert parse_numbers(text, "scores") == []


@pytest.mark.parametrize("name", ["words", "units"])
@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("a", ["a"]),
        ("a\n", ["a"]),
        ("a\n\n", ["a", ""]),
        ("\na", ["", "a"]),
        (" a  b\t", [" a  b\t"]),
        ("a\x0b\x0c\x1c\x85\u2028b\rc", ["a\x0b\x0c\x1c\x85\u2028b\rc"]),  # only a newline ends a line
        (f"a\n{BYTE_ORDER_MARK}b", ["a", f"{BYTE_ORDER_MARK}b"]),  # no mark of a file
    ],
)
def test_lines_are_utterances(name, text, lines):
    assert read_texts([text], TextForm(name)) == [lines]


@pytest.mark.parametrize("index", [0, 1, 2])
@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("the dog is", "this is not a CoNLL-U line: received 'the dog is'"),
        (" ", "this is not a CoNLL-U line: received ' '"),
        ("4", "this is not a CoNLL-U line: received '4'"),
        ("4x\tdog" + "\t_" * 8, "this is not a CoNLL-U line: received '4x"),
        ("4-5\tits" + "\t_" * 8, "the range does not cover the words after it: received '4-5"),
        ("4\t\ud800" + "\t_" * 8, "the byte 0xed at offset 2 is not valid UTF-8"),
    ],
)
@pytest.mark.parametrize("line_end", LINE_ENDS.values(), ids=LINE_ENDS)
def test_a_bad_line_of_conllu_is_named_with_its_side(index, line, problem, line_end):
    sentence = conllu([["a", "b", "c"]])
    texts = [sentence] * 3
    texts[index] = f"{sentence}\n{conllu([['a', 'b', 'c']]).rstrip()}\n{line}\n\n{sentence}".replace("\n", line_end)
    with pytest.raises(UtteranceError, match=re.escape(problem)) as caught:
        read_texts(texts, CONLLU)
    assert caught.value.utterance == texts[index].split("\n").index(line + line_end.removesuffix("\n"))
    assert caught.value.side == ("predictions" if index else "references")


def test_a_text_that_is_said_to_be_conllu_is_read_so_where_no_text_looks_so():
    assert read_texts(["1\tthe\n2\tdog\n\n1\tis\n", ""], CONLLU) == [[["the", "dog"], ["is"]], []]
    with pytest.raises(
        UtteranceError, match=r"^references, utterance 0: this is not a CoNLL-U line: received 'the dog'"
    ):
        read_texts(["the dog", "thedog"], CONLLU)
    with pytest.raises(
        UtteranceError, match=r"^predictions, utterance 0: this is not a CoNLL-U line: received 'thedog'"
    ):
        read_texts(["", "thedog"], CONLLU)


finite = st.floats(allow_nan=False, allow_infinity=False)


def as_json(numbers: list[float]) -> str:
    return json.dumps(numbers)


def with_spaces(numbers: list[float]) -> str:
    return " ".join(map(repr, numbers))


def with_tabs(numbers: list[float]) -> str:
    return "\t".join(map(repr, numbers)) + " "


def with_commas(numbers: list[float]) -> str:
    return ",".join(map(repr, numbers))


@pytest.mark.parametrize("line_end", LINE_ENDS.values(), ids=LINE_ENDS)
@pytest.mark.parametrize("write", [as_json, with_spaces, with_tabs, with_commas])
@given(rows=st.lists(st.lists(finite | st.integers(-9, 9).map(float), max_size=5), min_size=1, max_size=5))
@example(rows=[[1.0], [], [2.0]])
def test_numbers_are_read_as_written(write, line_end, rows):
    rows = [[0.5], *rows]
    text = line_end.join(map(write, rows)) + line_end
    assert parse_numbers(text, "scores") == rows
    assert parse_numbers(BYTE_ORDER_MARK + text, "scores") == rows


def test_the_metric_reads_numbers_too():
    assert parse_numbers("0.1 0.9\n\n", "scores") == [[0.1, 0.9], []]


@pytest.mark.parametrize(
    "line", ["0.1 x", "0.1;0.2", "[[0.1], [0.2]]", "[0.1] [0.2]", "0,1%", "null", '["0.1"]', "<b>", "−1"]
)
def test_the_error_names_the_line_of_a_value_that_is_not_a_number(line):
    message = f"utterance 1: received {line!r}; expected a score per gap: numbers separated by spaces or commas, such as 0.1 0.9."
    with pytest.raises(UtteranceError, match=re.escape(message)) as caught:
        parse_numbers(f"0.1 0.9\n{line}\n0.2", "a score per gap")
    assert caught.value.utterance == 1


def test_a_long_line_is_cut_in_the_message():
    with pytest.raises(UtteranceError, match=re.escape(f"received '{'x' * 59}…'; expected")):
        parse_numbers("x" * 100_000, "scores")


SIZE = 200_000
HOSTILE = {
    "digits": "1" * SIZE,
    "a range of digits": "1-" + "1" * SIZE,
    "a node of digits": "1." + "1" * SIZE,
    "digits in lines": "1\n" * (SIZE // 2),
    "tabs": "1" + "\t" * SIZE,
    "columns": "1\t" * (SIZE // 2),
    "a long second column": "1\t" + "a" * SIZE,
    "a long tenth column": "1" + "\ta" * 9 + "a" * SIZE + "\t",
    "eleven columns in lines": ("1" + "\t" * 10 + "\n") * (SIZE // 12),
    "newlines": "\n" * SIZE,
    "spaces": " " * SIZE + "x",
    "boundary tokens in words": "xWORD_BOUNDARY" * (SIZE // 14),
    "boundary tokens with a dot": " WORD_BOUNDARY." * (SIZE // 15),
    "wordseg's in words": "x;eword" * (SIZE // 7),
    "brackets": "[" * SIZE + "x",
    "commas": "," * SIZE + "x",
    "marks": BYTE_ORDER_MARK * SIZE,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_text_takes_no_time(name):
    """Where a pattern tries every division of such a text it takes minutes. The time is that of this process alone."""
    text, began = HOSTILE[name], time.process_time()
    form = recognise_form(text)
    assert form == WORDS
    assert len(read_texts([text], form)) == 1
    with suppress(UtteranceError):
        parse_numbers(text, "scores")
    assert time.process_time() - began < 5
