"""Bad input is a clear error without side effects, and the metric is usable afterwards.

Every case goes through `metric.compute`, as `evaluate` loads it, and through `segscores.score`. The metric is one and the
same for the whole session, so that what one error leaves behind would show in the next case.
"""

from __future__ import annotations

import io
import re
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any
from uuid import uuid4

import evaluate
import numpy as np
import pandas as pd
import psutil
import pyarrow as pa
import pytest

import segscores

from .naive import naive_scores
from .optional import torch

ROOT = Path(__file__).resolve().parent.parent
WORDS = {"text_format": "words"}
START = {"label_scheme": "start"}

Run = Callable[..., dict[str, float]]


@pytest.fixture(scope="session")
def metric() -> Any:
    return evaluate.load(str(ROOT / "segmentation_scores.py"))


@pytest.fixture
def adding_metric() -> Any:
    """One for each test that adds, so that what a failed test leaves stays with it; also the lock of its cache file."""
    return evaluate.load(str(ROOT / "segmentation_scores.py"), experiment_id=uuid4().hex)


@pytest.fixture(params=["metric.compute", "segscores.score"])
def run(request: pytest.FixtureRequest) -> Run:
    """Both ways to a score that take the same arguments."""
    return request.getfixturevalue("metric").compute if request.param == "metric.compute" else segscores.score


GOOD = ["the dog is on the boat", "", "狗 叫"], ["thedog is on the boat", "", "狗叫"]
GOOD_SCORES = naive_scores(*([text.split() for text in side] for side in GOOD))


def assert_usable(run: Run) -> None:
    """Nothing is left of what was refused: neither a half-done input nor an option."""
    scores = run(references=GOOD[0], predictions=GOOD[1], text_format="words")
    assert scores == GOOD_SCORES


def saying(*words: str) -> str:
    """A pattern for messages in which all these words stand, in any order."""
    return "(?s)^" + "".join(f"(?=.*{re.escape(word)})" for word in words)


@dataclass(frozen=True)
class Case:
    """A call that must fail: what is passed, the error, and the words that its message must have."""

    references: Any
    predictions: Any
    options: dict[str, Any]
    error: type[Exception] | tuple[type[Exception], ...]
    words: tuple[str, ...] = field(default=())


def text(reference: Any, prediction: Any, *words: str, error: type[Exception] = ValueError) -> Case:
    """A bad pair of words text that stands at index 1 of three."""
    return Case(["ok", reference, "ok"], ["ok", prediction, "ok"], WORDS, error, ("utterance 1", *words))


def labels(reference: Any, prediction: Any, scheme: str, *words: str, error: type[Exception] = ValueError) -> Case:
    """A bad pair of labels that stands at index 1; the other utterances are blank, which every scheme takes."""
    return Case([[], reference, []], [[], prediction, []], {"label_scheme": scheme}, error, ("utterance 1", *words))


def option(error: type[Exception] | tuple[type[Exception], ...], *words: str, **options: Any) -> Case:
    """A bad option with good text."""
    return Case(["a b"], ["ab"], options, error, words)


def side(reference: Any, *words: str, options: dict[str, Any] = WORDS) -> Case:
    """A reference that is not a collection of utterances."""
    return Case(reference, ["a b"], options, TypeError, ("references", *words))


NUMBERS_DIFFER = {
    "more references": Case(["a"] * 3, ["a"] * 2, WORDS, ValueError, ("3 references", "2 predictions")),
    "more predictions": Case(["a"] * 2, ["a"] * 3, WORDS, ValueError, ("2 references", "3 predictions")),
    "no reference": Case([], ["a"], WORDS, ValueError, ("0 references", "1 predictions")),
    "no prediction": Case(["a"], [], WORDS, ValueError, ("1 references", "0 predictions")),
    "lists of words": Case([["a"]] * 3, [["a"]] * 2, {}, ValueError, ("3 references", "2 predictions")),
    "labels": Case([[1]] * 3, [[1]] * 2, START, ValueError, ("3 references", "2 predictions")),
    "arrays": Case(np.ones((3, 2), int), np.ones((2, 2), int), START, ValueError, ("3 references", "2 predictions")),
    "one blank line more": Case(["a", ""], ["a"], WORDS, ValueError, ("2 references", "1 predictions")),
}

UNITS_DIFFER = {
    "another letter": text("the dog", "the cat", "offset 3", "'d' (U+0064", "'c' (U+0063"),
    "a letter more": text("the dog", "the do gs", "offset 6", "nothing", "'s' (U+0073"),
    "a letter less": text("the dog", "the do", "offset 5", "'g' (U+0067", "nothing"),
    "upper case": text("the dog", "The dog", "offset 0", "U+0074", "U+0054"),
    "beyond the basic plane": text("𠮷 a", "吉 a", "offset 0", "U+20BB7", "U+5409"),
    "look-alike": text("раk", "pak", "offset 0", "U+0440 CYRILLIC SMALL LETTER ER", "U+0070 LATIN SMALL LETTER P"),
    "full width": text("Ａ b", "A b", "offset 0", "U+FF21", "U+0041", "NFKC"),
    "zero-width space": text("the\u200b dog", "the dog", "offset 3", "U+200B ZERO WIDTH SPACE", "invisible"),
    "byte-order mark": text("\ufeffthe dog", "the dog", "offset 0", "U+FEFF", "invisible"),
    "soft hyphen": text("the dog", "the\u00ad dog", "offset 3", "U+00AD SOFT HYPHEN", "invisible"),
    "NFC and NFD": text("café x", "cafe\u0301 x", "offset 3", "U+00E9", "U+0065", 'normalize="NFC"'),
    "NFD and NFC": text("cafe\u0301 x", "café x", "offset 3", "U+0065", "U+00E9", 'normalize="NFC"'),
    "ligature": text("ﬁ x", "fi x", "offset 0 (in characters)", "U+FB01", 'normalize="NFKC"'),
    "control character": text("ab", "a\x01b", "offset 1", r"'\x01' (U+0001 no name)"),
    "blank reference": text("", "x", "the reference is blank", "line missing"),
    "blank prediction": text("x", " \u3000\t", "the prediction is blank", "line missing"),
    "in lists of words": Case(
        [["ok"], ["the", "dog"]], [["ok"], ["the", "cat"]], {}, ValueError, ("utterance 1", "offset 3", "'d'", "'c'")
    ),
    "a blank list": Case([["ok"], []], [["ok"], ["x"]], {}, ValueError, ("utterance 1", "the reference is blank")),
    "a space in a word of a list": Case(
        [["ok"], ["New York"]],
        [["ok"], ["New", "York"]],
        {},
        ValueError,
        ("utterance 1", "offset 3", "U+0020", "Spaces"),
    ),
    "in units text": Case(
        ["o k", "dh ax"], ["o k", "dh ah"], {}, ValueError, ("utterance 1", "offset 1", "tokens", "'ax'", "'ah'")
    ),
    "NFC and NFD in units text": Case(
        ["o k", "c é"], ["o k", "c e\u0301"], {}, ValueError, ("utterance 1", "offset 1", "U+00E9", "U+0301", "NFC")
    ),
    "words read as units": Case(["the dog"], ["thedog"], {}, ValueError, ("utterance 0", 'text_format="words"')),
    "units read as words": Case(
        ["t h e WORD_BOUNDARY d o g"], ["t h e d o g"], WORDS, ValueError, ("utterance 0", 'text_format="units"')
    ),
    "the form of wordseg": Case(
        ["dh ax ;esyll ;eword d ao g ;esyll ;eword"],
        ["dh ax d ao g"],
        {},
        ValueError,
        ("utterance 0", 'word_boundary=";eword"', "ignored_tokens", ";esyll"),
    ),
    "wordseg's boundaries alone": Case(["d ;eword"], ["d"], {}, ValueError, ('did you mean word_boundary=";eword"?',)),
    "wordseg's syllables alone": Case(
        ["d ;esyll"], ["d"], {}, ValueError, ('did you mean ignored_tokens=[";esyll"]?',)
    ),
    "a token less": Case(["dh ax"], ["dh"], {}, ValueError, ("offset 1 (in tokens)", "'ax'", "the prediction nothing")),
    "tokens of several letters": Case(["ɪɾ a"], ["ɪr a"], {}, ValueError, ("'ɪɾ' (U+026A U+027E)", "(U+026A U+0072)")),
    "more labels": labels([1, 0, 0], [1, 0], "start", "3 labels", "2", "padding"),
    "fewer tags": labels(["B"], ["B", "I"], "BI", "1 label", "2", "padding"),
    "labels on one side": labels([], [1], "start", "0 labels", "1"),
}

NO_UTTERANCES = {
    "None": text("x", None, "predictions", "None", error=TypeError),
    "None for NaN": text(float("nan"), "x", "references", "nan (float)", "missing value", error=TypeError),
    "NaN of numpy": text(np.float64("nan"), "x", "references", "nan", "missing value", error=TypeError),
    "an integer": text("x", 3, "predictions", "3 (int)", error=TypeError),
    "a float": text("x", 2.5, "predictions", "2.5 (float)", error=TypeError),
    "an integer of numpy": text(np.int64(3), "x", "references", "3", error=TypeError),
    "bytes": text(b"x", "x", "references", "b'x' (bytes)", error=TypeError),
    "a dict": text({"text": "x"}, "x", "references", "{'text': 'x'} (dict)", error=TypeError),
    "a set": text({"x"}, "x", "references", "{'x'} (set)", error=TypeError),
    "None alone": Case([None], [None], WORDS, TypeError, ("references", "utterance 0", "None")),
    "None in a list of words": Case(
        [["ok"], ["x", None]], [["ok"], ["x"]], {}, TypeError, ("references", "utterance 1", "item 1", "None")
    ),
    "NaN in a list of words": Case(
        [["ok"], ["x"]], [["ok"], ["x", float("nan")]], {}, TypeError, ("predictions", "utterance 1", "item 1", "nan")
    ),
    "bytes in a list of words": Case([[b"x"]], [["x"]], {}, TypeError, ("references", "utterance 0", "b'x' (bytes)")),
    "a list in a list of words": Case([[["x"]]], [["x"]], {}, TypeError, ("references", "utterance 0", "['x'] (list)")),
    "None in labels": labels([1, None], [1, 0], "start", "references", "item 1", "None", error=TypeError),
    "NaN in labels": labels([1, 0], [1, float("nan")], "start", "predictions", "item 1", "nan", error=TypeError),
    "floats as labels": labels(
        [1.0, 0.0], [1, 0], "start", "references", "1.0 (float)", "astype(int)", error=TypeError
    ),
    "decimals as labels": labels([Decimal(1)], [1], "start", "references", "Decimal('1')", error=TypeError),
    "None in a series": Case(
        pd.Series(["ok", None]), pd.Series(["ok", "x"]), WORDS, TypeError, ("references", "utterance 1")
    ),
    "NaN in a series": Case(
        pd.Series(["ok", "x"]), pd.Series(["ok", float("nan")]), WORDS, TypeError, ("predictions", "utterance 1")
    ),
    "a null in an Arrow array": Case(
        pa.array(["ok", None]), pa.array(["ok", "x"]), WORDS, TypeError, ("references", "utterance 1", "None")
    ),
    "an open file": side(io.StringIO("a b\\n"), "an open file", "list(file)", "pathlib.Path(name)"),
    "open files of bytes": side(io.BytesIO(b"a b\\n"), "an open file", "list(file)"),
    "an open file as an utterance": text(io.StringIO("x"), "x", "references", "StringIO", error=TypeError),
    "rows of a matrix": Case(
        list(np.matrix([[1, 0], [1, 1]])), [[1, 0]] * 2, START, TypeError, ("references, utterance 0", "shape (1, 2)")
    ),
    "a null in a dictionary of views": Case(
        pa.DictionaryArray.from_arrays([0, 1], pa.array(["ok", None], pa.string_view())),
        ["ok", "x"],
        WORDS,
        TypeError,
        ("references, utterance 1", "None"),
    ),
    "None in an array of objects": Case(
        np.array(["ok", None], object), ["ok", "x"], WORDS, TypeError, ("references", "utterance 1", "None")
    ),
}

MIXED_FORMS = {
    "a list among strings": text(
        "x", ["x"], "mixed forms", "predictions", "['x'] (list)", "'ok' (str)", error=TypeError
    ),
    "a string among lists": Case(
        [["ok"], "x"], [["ok"], ["x"]], {}, TypeError, ("mixed forms", "references, utterance 1", "'x' (str)", "['ok']")
    ),
    "an integer among words": Case(
        [["ok"], ["x", 1]],
        [["ok"], ["x"]],
        {},
        TypeError,
        ("mixed forms", "references, utterance 1", "1 (int)", "'ok'"),
    ),
    "strings and lists of words": Case(
        ["a b"], [["ab"]], WORDS, TypeError, ("mixed forms", "references are strings", "predictions lists of strings")
    ),
    "labels and tags": Case(
        [[1, 0]],
        [["B", "I"]],
        START,
        TypeError,
        ("mixed forms", "references are lists of integers", "predictions lists of strings"),
    ),
}

BAD_LABELS = {
    "2 in start": labels([1, 0], [1, 2], "start", "predictions", "unit 1", "label 2", '"start"', "0 and 1"),
    "2 in end": labels([2, 1], [0, 1], "end", "references", "unit 0", "label 2", '"end"', "0 and 1"),
    "-1": labels([1, -1], [1, 0], "start", "references", "unit 1", "label -1"),
    "-100": labels([1, -100], [1, -100], "start", "references", "unit 1", "label -100", "masked positions"),
    "more than 64 bits": labels([1, 2**70], [1, 0], "start", "references", f" {2**70}"),
    "O in BI": labels(["B", "O"], ["B", "I"], "BI", "references", "unit 1", "label 'O'", '"BI"', "B and I"),
    "I in BMES": labels(["B", "I"], ["B", "E"], "BMES", "references", "unit 1", "label 'I'", "B, M, E and S"),
    "another letter": labels(["B", "x"], ["B", "I"], "BI", "references", "unit 1", "label 'x'"),
    "a name alone": labels(["W-B", "W-I"], ["W-B", "W-I"], "BI", "references", "unit 0", "label 'W-B'"),
    "a blank tag": labels(["B", ""], ["B", "I"], "BI", "references", "unit 1", "label ''"),
    "integers with BI": labels([1, 0], [1, 0], "BI", "references", "integers", '"BI"', '"start"'),
    "integers with BMES": labels([1, 0], [1, 0], "BMES", "references", "integers", '"BMES"', '"start"'),
    "tags with start": labels(["B", "I"], ["B", "I"], "start", "references", "tags", '"start"', '"BI"'),
    "tags with end": labels(["B", "I"], ["B", "I"], "end", "references", "tags", '"end"', '"BI"'),
    "text with a scheme": Case(
        ["B I"], ["B I"], {"label_scheme": "BI"}, TypeError, ('label_scheme="BI"', "strings", "leave label_scheme out")
    ),
    "integers without a scheme": Case([[1]], [[1]], {}, TypeError, ("integers without label_scheme", "start", "BMES")),
    "type scores of labels": Case([[1]], [[1]], START | {"scores": "type"}, ValueError, ("'type'", "needs the words")),
}

NO_TEXT = {
    "lone surrogate": text("a\ud800", "a", "references", "offset 1", "lone surrogate", "U+D800", "surrogateescape"),
    "lone surrogate in a list of words": Case(
        [["ok"], ["x"]], [["ok"], ["a", "\udcff"]], {}, ValueError, ("predictions, utterance 1", "surrogate", "U+DCFF")
    ),
    "NUL": text("a", "a\0", "predictions", "NUL", "U+0000"),
    "NUL on both sides": text("a\0b", "a\0b", "references", "NUL"),
    "NUL in a list of words": Case(
        [["ok"], ["a", "\0"]], [["ok"], ["a"]], {}, ValueError, ("references, utterance 1", "NUL")
    ),
    "NUL in units text": Case(
        ["o k", "a"], ["o k", "a \0"], {}, ValueError, ("predictions, utterance 1", "NUL", "U+0000")
    ),
    "NUL in units text with ignored tokens": Case(
        ["o k", "a"], ["o k", "a \0 ;x"], {"ignored_tokens": ";x"}, ValueError, ("predictions, utterance 1", "NUL")
    ),
}

BAD_OPTIONS = {
    "unknown option": option(TypeError, "zero_divison", "zero_division", "text_format", zero_divison=1.0),
    "unknown group": option(ValueError, "'tokens'", "boundary_all", "token", "recall", scores="tokens"),
    "unknown group among known": option(ValueError, "'words'", "token", scores=["token", "words"]),
    "a well-known name": option(ValueError, "'f1'", "Did you mean 'token'?", "The groups are", scores="f1"),
    "part of an option's name": option(TypeError, "'format'", "Did you mean 'text_format'", format="words"),
    "no group": option(ValueError, "scores", "boundary_all", scores=[]),
    "blank group": option(ValueError, "''", "boundary_all", scores=""),
    "scores=None": option(TypeError, "scores", "None", scores=None),
    "scores=3": option(TypeError, "scores", "3", scores=3),
    "scores of a number": option(TypeError, "scores", "3", scores=["token", 3]),
    "scores in bytes": option(TypeError, "scores", "b'token'", scores=b"token"),
    "scores in a set": option(TypeError, "scores", "token", scores={"token"}),
    "no vocabulary": option(ValueError, 'vocabulary: scores="oov" needs it', scores="oov"),
    "vocabulary without its group": option(ValueError, "vocabulary", "oov", "token", scores="token", vocabulary=["a"]),
    "vocabulary in a string": option(TypeError, "vocabulary", "one str", "['the dog']", vocabulary="the dog"),
    "vocabulary of numbers": option(TypeError, "vocabulary, line 2", "3 (int)", vocabulary=["a", 3]),
    "empty vocabulary": option(ValueError, "vocabulary: it has no word", vocabulary=["", " "]),
    "window_size=0": option(ValueError, "window_size", "from 1", "utterance", "0", window_size=0),
    "window_size=2.0": option(TypeError, "window_size", "whole number", "2.0", window_size=2.0),
    "unknown window_size": option(ValueError, "window_size", "'word'", "utterance", window_size="word"),
    "unknown window_convention": option(
        ValueError, '"segeval", "nltk" or "nltk_units"', "'NLTK'", window_convention="NLTK"
    ),
    "tolerance=-1": option(ValueError, "tolerance", "from 0", "-1", tolerance=-1),
    "tolerance=None": option(TypeError, "tolerance", "whole number", "None", tolerance=None),
    "transposition_span=0": option(ValueError, "transposition_span", "from 1 to 1000000000", "0", transposition_span=0),
    "transposition_span=2.5": option(TypeError, "transposition_span", "whole number", "2.5", transposition_span=2.5),
    "normalize in small letters": option(ValueError, "normalize", "'nfc'", "Did you mean 'NFC'?", normalize="nfc"),
    "blank normalize": option(ValueError, "normalize", '"NFKC" or "NFKD", received \'\'', normalize=""),
    "normalize in a list": option(TypeError, "normalize", "['NFC'] (list)", normalize=["NFC"]),
    "normalize=True": option(TypeError, "normalize", "NFC", "True (bool)", normalize=True),
    "unknown on_mismatch": option(ValueError, "on_mismatch", "'ignore'", '"skip" or "align"', on_mismatch="ignore"),
    "on_mismatch=None": option(TypeError, "on_mismatch", '"skip" or "align"', "None", on_mismatch=None),
    "normalize of labels": option(ValueError, "normalize", '"NFC"', "labels", normalize="NFC", label_scheme="start"),
    "align of labels": option(ValueError, "on_mismatch", "labels", "'skip'", on_mismatch="align", label_scheme="start"),
    "unknown text_format": option(ValueError, "text_format", "'word'", "units", "words", text_format="word"),
    "text_format=None": option((TypeError, ValueError), "text_format", "None", "words", text_format=None),
    "text_format in a list": option((TypeError, ValueError), "text_format", "['words']", text_format=["words"]),
    "word_boundary=None": option(TypeError, "word_boundary", "None", word_boundary=None),
    "word_boundary=3": option(TypeError, "word_boundary", "3 (int)", word_boundary=3),
    "word_boundary in bytes": option(TypeError, "word_boundary", "b';eword'", word_boundary=b";eword"),
    "blank word_boundary": option(ValueError, "word_boundary", "''", word_boundary=""),
    "a space as word_boundary": option(ValueError, "word_boundary", "' '", "whitespace", word_boundary=" "),
    "whitespace in word_boundary": option(ValueError, "word_boundary", "'a b'", "whitespace", word_boundary="a b"),
    "NUL as word_boundary": option(ValueError, "word_boundary", "'\\x00'", "NUL", word_boundary="\0"),
    "lone surrogate as word_boundary": option(ValueError, "word_boundary", "surrogate", word_boundary="\ud800"),
    "word_boundary with words text": option(
        ValueError, "word_boundary", 'text_format="units"', text_format="words", word_boundary="|"
    ),
    "ignored_tokens=None": option(TypeError, "ignored_tokens", "None", ignored_tokens=None),
    "ignored_tokens=3": option(TypeError, "ignored_tokens", "3", ignored_tokens=3),
    "a number among ignored_tokens": option(TypeError, "ignored_tokens", "3 (int)", ignored_tokens=["a", 3]),
    "a blank ignored token": option(ValueError, "ignored_tokens", "''", ignored_tokens=[""]),
    "lone surrogate as ignored token": option(ValueError, "ignored_tokens", "surrogate", ignored_tokens=["\udfff"]),
    "ignored word_boundary": option(
        ValueError, "'|'", "word_boundary", "ignored_tokens", word_boundary="|", ignored_tokens=["|"]
    ),
    "ignored_tokens with words text": option(
        ValueError, "ignored_tokens", 'text_format="units"', text_format="words", ignored_tokens=["|"]
    ),
    "wide space in word_boundary": option(ValueError, "word_boundary", "whitespace", word_boundary="a\u3000"),
    "label_scheme in small letters": option(
        ValueError, "label_scheme", '"BIES" or "BIOES", received', "'bi'", label_scheme="bi"
    ),
    "unknown label_scheme": option(ValueError, "label_scheme", "'BIO'", "start", "BMES", label_scheme="BIO"),
    "label_scheme=3": option((TypeError, ValueError), "label_scheme", "3", "BMES", label_scheme=3),
    "label_scheme in a list": option((TypeError, ValueError), "label_scheme", "['BI']", label_scheme=["BI"]),
    "zero_division=None": option(TypeError, "zero_division", "None", zero_division=None),
    "zero_division='nan'": option(TypeError, "zero_division", "'nan'", zero_division="nan"),
    "zero_division=True": option(TypeError, "zero_division", "True", zero_division=True),
    "zero_division in a list": option(TypeError, "zero_division", "[0.0]", zero_division=[0.0]),
    "complex zero_division": option(TypeError, "zero_division", "1j", zero_division=1j),
    "complex zero_division of numpy": option(TypeError, "zero_division", "1j", zero_division=np.complex128(1j)),
    "zero_division=2": option(ValueError, "zero_division", "2", "[0, 1]", zero_division=2),
    "zero_division=-0.1": option(ValueError, "zero_division", "-0.1", "[0, 1]", zero_division=-0.1),
    "zero_division=inf": option(ValueError, "zero_division", "inf", "[0, 1]", zero_division=float("inf")),
    "options of strings for labels": Case(
        [[1, 0]], [[1, 0]], START | {"word_boundary": "|"}, ValueError, ("are for strings; received lists of labels",)
    ),
    "ignored tokens for tags": Case(
        [["B"]], [["B"]], {"label_scheme": "BI", "ignored_tokens": "x"}, ValueError, ("received lists of labels",)
    ),
    "options of strings for lists of words": Case(
        [["a"]], [["a"]], {"word_boundary": "|"}, ValueError, ("word_boundary", "lists of words")
    ),
}

NO_COLLECTIONS = {
    "nothing at all": Case([], [], {}, ValueError, ("nothing to score",)),
    "no references": side(None, "None"),
    "no predictions": Case(["a b"], None, WORDS, TypeError, ("predictions", "None")),
    "a string": side("the dog", "one str", "['the dog']"),
    "a string for the predictions": Case(["a"], "the dog", WORDS, TypeError, ("predictions", "one str", "['the dog']")),
    "bytes": side(b"the dog", "bytes", "['the dog']"),
    "a bytearray": side(bytearray(b"the dog"), "bytearray"),
    "a dict": side({"text": ["a b"]}, "dict"),
    "a set": side({"a b"}, "set"),
    "a frozenset": side(frozenset({"a b"}), "frozenset"),
    "a number": side(3, "3 (int)"),
    "a function": side(len, "len"),
    "a 0-d array": side(np.array(1), "shape ()", options=START),
    "a 0-d array of a string": side(np.array("a b"), "shape ()"),
    "a 0-d tensor": side(torch.tensor(1), "shape ()", options=START),
    "a flat list of labels": side([1, 0], "utterance 0", "1 (int)", "[[1, 0]", options=START),
    "a flat array of labels": side(np.array([1, 0]), "[[1, 0]", options=START),
    "a flat tensor of labels": side(torch.tensor([1, 0]), "[[1, 0]", options=START),
    "a 3-D array": side(np.zeros((2, 3, 4), int), "(2, 3, 4)", "(utterances, units)", options=START),
    "a 3-D tensor": side(torch.zeros((2, 3, 4), dtype=torch.long), "(2, 3, 4)", options=START),
    "floats": side(np.zeros((2, 3)), "float64", "astype(int)", options=START),
    "probabilities": side(np.full((1, 3), 0.5), "float64", "probabilities", options=START),
    "probabilities of classes": side(np.full((1, 3, 2), 0.5), "(1, 3, 2)", "probabilities", options=START),
    "probabilities in a tensor": side(torch.full((1, 3), 0.5), "float32", "probabilities", options=START),
    "probabilities in a tensor of half precision": side(
        torch.full((1, 3), 0.5, dtype=torch.bfloat16), "float", "probabilities", options=START
    ),
    "probabilities by utterance": side([np.full(3, 0.5)], "utterance 0", "0.5 (float)", "probabilities", options=START),
    "probabilities of classes by utterance": side(
        [np.full((3, 2), 0.5)], "utterance 0", "probabilities", options=START
    ),
    "probabilities in lists": side([[0.5, 0.5]], "utterance 0", "0.5 (float)", "probabilities", options=START),
    "complex numbers": side(np.array([[1j]]), "complex128", options=START),
    "dates": side(np.array(["2020-01-01"], "M8[D]"), "datetime64"),
    "bytes of numpy": side(np.array([b"a b"]), "S3"),
    "a table of pandas": side(pd.DataFrame({"text": ["a b"]}), "column"),
    "a table of Arrow": side(pa.table({"text": ["a b"]}), "column"),
    "an Arrow array of integers": side(pa.array([1, 0]), "an Arrow array of type int64"),
    "probabilities in rows of tensors": side([torch.tensor([0.5])], "probabilities", options=START),
    "a series of floats": side(pd.Series([1.0]), "utterance 0", "1.0 (float)"),
    "an Arrow array of bytes": side(pa.array([b"a b"]), "binary"),
}

FAMILIES = {
    "numbers differ": NUMBERS_DIFFER,
    "units differ": UNITS_DIFFER,
    "no utterance": NO_UTTERANCES,
    "mixed forms": MIXED_FORMS,
    "bad label": BAD_LABELS,
    "no text": NO_TEXT,
    "bad option": BAD_OPTIONS,
    "no collection": NO_COLLECTIONS,
}
CASES = [
    pytest.param(case, id=f"{family}-{name}") for family, cases in FAMILIES.items() for name, case in cases.items()
]


@pytest.mark.parametrize("case", CASES)
def test_the_error_on_bad_input_shows_the_input_and_a_remedy(run: Run, case: Case) -> None:
    with pytest.raises(case.error, match=saying(*case.words)):
        run(references=case.references, predictions=case.predictions, **case.options)
    assert_usable(run)


def test_an_empty_call_is_an_error(metric: Any) -> None:
    with pytest.raises(ValueError, match=r"nothing to score.*predictions and references"):
        metric.compute()
    assert_usable(metric.compute)


def test_the_first_of_several_bad_utterances_is_named(run: Run) -> None:
    count, bad = 200_000, (170_000, 199_998, 60_001)
    predictions = ["the dog barks"] * count
    for index in bad:
        predictions[index] = "the cat barks"
    with pytest.raises(ValueError, match=saying(f"utterance {min(bad)}:", "offset 3", "'d'", "'c'")):
        run(references=["thedog barks"] * count, predictions=predictions, text_format="words")
    assert_usable(run)


# Its scores are not one of GOOD's, so that neither passes for the other, nor both together for one.
ADDED = ["a b c", "狗 叫"], ["a bc", "狗 叫"]
ADDED_SCORES = naive_scores(*([text.split() for text in side] for side in ADDED))


def add_good(metric: Any) -> None:
    metric.add_batch(references=ADDED[0], predictions=ADDED[1])


BAD_BATCHES = {
    **{name: case for name, case in NUMBERS_DIFFER.items() if isinstance(case.references, list)},
    **{name: NO_UTTERANCES[name] for name in ("None", "an integer", "None in a list of words", "NaN in a series")},
    **{name: MIXED_FORMS[name] for name in MIXED_FORMS},
    "another form": Case([["a"]], [["a"]], {}, TypeError, ("mixed forms", "lists of strings", "have strings")),
    "labels": Case([[1]], [[1]], START, TypeError, ("mixed forms", "lists of integers", "have strings")),
    "lone surrogate": NO_TEXT["lone surrogate"],
    "no predictions": NO_COLLECTIONS["no predictions"],
    "a string": NO_COLLECTIONS["a string"],
}


@pytest.mark.parametrize("case", [pytest.param(case, id=name) for name, case in BAD_BATCHES.items()])
def test_nothing_of_a_bad_batch_is_added(adding_metric: Any, case: Case) -> None:
    add_good(adding_metric)
    with pytest.raises(case.error, match=saying(*case.words)):
        adding_metric.add_batch(references=case.references, predictions=case.predictions)
    adding_metric.add_batch(references=GOOD[0], predictions=GOOD[1])
    scores = adding_metric.compute(text_format="words")
    added, good = ([[text.split() for text in side] for side in pair] for pair in (ADDED, GOOD))
    assert scores == naive_scores(added[0] + good[0], added[1] + good[1])
    assert_usable(adding_metric.compute)


@pytest.mark.parametrize(
    ("reference", "prediction", "words"),
    [
        ("a b", None, ("prediction", "None")),
        (None, "a b", ("reference", "None")),
        ("a b", float("nan"), ("prediction", "nan")),
        ("a b", 3, ("prediction", "3 (int)")),
        ("a b", ["ab"], ("mixed forms", "strings", "lists of strings")),
        (["a", "b"], ["ab"], ("mixed forms", "lists of strings", "have strings")),
    ],
)
def test_a_bad_pair_is_not_added(adding_metric: Any, reference: Any, prediction: Any, words: tuple[str, ...]) -> None:
    add_good(adding_metric)
    with pytest.raises(TypeError, match=saying(*words)):
        adding_metric.add(reference=reference, prediction=prediction)
    assert adding_metric.compute(text_format="words") == ADDED_SCORES
    assert_usable(adding_metric.compute)


@pytest.mark.parametrize("case", [pytest.param(case, id=name) for name, case in BAD_OPTIONS.items()][:-3])
def test_a_bad_option_forgets_nothing_that_was_added(adding_metric: Any, case: Case) -> None:
    add_good(adding_metric)
    with pytest.raises(case.error, match=saying(*case.words)):
        adding_metric.compute(**case.options)
    assert adding_metric.compute(text_format="words") == ADDED_SCORES
    assert_usable(adding_metric.compute)


def test_a_missing_label_scheme_forgets_nothing_that_was_added(adding_metric: Any) -> None:
    adding_metric.add_batch(references=[[1, 0, 1]], predictions=[[1, 1, 1]])
    with pytest.raises(TypeError, match="integers without label_scheme"):
        adding_metric.compute(scores="token")
    expected = naive_scores([["ab", "c"]], [["a", "b", "c"]])
    scores = adding_metric.compute(scores="token", label_scheme="start")
    assert scores == {key: expected[key] for key in ("token_precision", "token_recall", "token_fscore")}
    assert_usable(adding_metric.compute)


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(cases[name], id=name)
        for cases, name in [(UNITS_DIFFER, "another letter"), (UNITS_DIFFER, "blank reference"), (NO_TEXT, "NUL")]
    ],
)
def test_a_bad_utterance_is_counted_over_all_batches(adding_metric: Any, case: Case) -> None:
    add_good(adding_metric)
    adding_metric.add_batch(references=case.references, predictions=case.predictions)
    words = [word.replace("utterance 1", f"utterance {len(ADDED[0]) + 1}:") for word in case.words]
    with pytest.raises(case.error, match=saying(*words)):
        adding_metric.compute(**case.options)
    # What was added stays, so that nothing is lost where an option would mend it.
    adding_metric.reset()
    assert_usable(adding_metric.compute)


def test_batches_and_a_call_of_another_form_are_refused(adding_metric: Any) -> None:
    add_good(adding_metric)
    with pytest.raises(TypeError, match=saying("mixed forms", "lists of strings", "have strings")):
        adding_metric.compute(references=[["a"]], predictions=[["a"]])
    assert adding_metric.compute(text_format="words") == ADDED_SCORES
    assert_usable(adding_metric.compute)


MILLION = 1_000_000


@pytest.mark.parametrize(
    ("reference", "prediction", "options"),
    [
        ("ab" * (MILLION // 2), "a b " * (MILLION // 2), WORDS),
        ("a b " * (MILLION // 2), " WORD_BOUNDARY ".join("ab" * (MILLION // 2)), {}),
        (["ab" * (MILLION // 2)], list("ab" * (MILLION // 2)), {}),
        ([1] + [0] * (MILLION - 1), [1] * MILLION, START),
        (["B", *"I" * (MILLION - 1)], ["B"] * MILLION, {"label_scheme": "BI"}),
    ],
    ids=["words text", "units text", "list of words", "labels", "tags"],
)
def test_an_utterance_of_a_million_units_is_scored_at_once(
    run: Run, reference: Any, prediction: Any, options: dict[str, Any]
) -> None:
    start = time.process_time()
    scores = run(references=[reference], predictions=[prediction], **options)
    # Far more than it takes, and far less than anything that is not linear would take.
    assert time.process_time() - start < 10
    # One word against a million words of a unit.
    assert scores["token_fscore"] == 0.0
    assert scores["boundary_all_precision"] == 2 / (MILLION + 1)
    assert scores["boundary_all_recall"] == 1.0
    spans = MILLION * (MILLION + 1) // 2
    assert scores["token_tnr"] == (spans - 1 - MILLION) / (spans - 1)


def test_a_difference_at_the_end_of_a_million_units_is_found(run: Run) -> None:
    text = "ab " * (MILLION // 2)
    with pytest.raises(ValueError, match=saying("utterance 0:", "offset 999999", "'b'", "'c'")):
        run(references=[text], predictions=[text[:-2] + "c"], text_format="words")
    assert_usable(run)


@pytest.mark.slow
@pytest.mark.skipif(sys.maxsize < 1 << 32, reason="3 GB do not fit into the addresses of this machine")
@pytest.mark.skipif(psutil.virtual_memory().available < 12 << 30, reason="less than 12 GB of memory is available")
def test_3_gigabytes_in_one_call_score_as_one_of_50_copies(metric: Any) -> None:
    # Two words of 20 characters, one of 3 bytes each, against the same with the first cut in two.
    pairs = 300_000
    reference = f"{'狗' + 'a' * 38} {'叫' + 'b' * 19} " * pairs
    prediction = f"{'狗' + 'a' * 19} {'a' * 19} {'叫' + 'b' * 19} " * pairs
    copies = -(-3_000_000_000 // len((reference + prediction).encode()))
    scores = metric.compute(references=[reference] * copies, predictions=[prediction] * copies, text_format="words")
    units = 59 * pairs
    negatives = units * (units + 1) // 2 - 2 * pairs
    assert scores == {
        "boundary_all_precision": (2 * pairs + 1) / (3 * pairs + 1),
        "boundary_all_recall": 1.0,
        "boundary_all_fscore": 2 * (2 * pairs + 1) / (5 * pairs + 2),
        "boundary_noedge_precision": (2 * pairs - 1) / (3 * pairs - 1),
        "boundary_noedge_recall": 1.0,
        "boundary_noedge_fscore": 2 * (2 * pairs - 1) / (5 * pairs - 2),
        "token_precision": 1 / 3,
        "token_recall": 1 / 2,
        "token_fscore": 2 / 5,
        "type_precision": 1 / 3,
        "type_recall": 1 / 2,
        "type_fscore": 2 / 5,
        "token_tnr": (negatives - 2 * pairs) / negatives,
    }
    assert scores == metric.compute(references=[reference], predictions=[prediction], text_format="words")
    assert_usable(metric.compute)
