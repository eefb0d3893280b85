"""Bad input is a clear error on every surface, without side effects.

The metric is one for all cases, so that what one error leaves behind would show in the next case.
"""

import io
import re
import sys
from decimal import Decimal
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np
import pandas as pd
import psutil
import pyarrow as pa
import pytest

import segscores

from .case import Case, Setting
from .cases import CASES as CASES_OF_SCORES
from .conformance import ROOT, SURFACES, Surface, metric, pairs_of
from .evaluate_alone import evaluate
from .misprints import MISPRINT
from .naive import naive_scores
from .optional import torch

WORDS = {"text_format": "words"}
START = {"label_scheme": "start"}
GOOD = ["the dog is on the boat", "", "狗 叫"], ["thedog is on the boat", "", "狗叫"]
GOOD_SCORES = naive_scores(*([text.split() for text in side] for side in GOOD))

#: Cases whose form is not given in Python; the command recognises it, and has other hints where it is given wrongly.
RECOGNISED = dict.fromkeys(("command", "command on a table", "report"), "it asks to leave the form out")
TABLE = {"command on a table": "it asks for --text-format units"}

Word = str | Setting


def assert_usable(metric: Any) -> None:
    """Nothing is left of what was refused: neither a half-done input nor an option."""
    assert metric.compute(references=GOOD[0], predictions=GOOD[1], text_format="words") == GOOD_SCORES


@pytest.fixture
def adding_metric() -> Any:
    """One for each test that adds, so that what a failed test leaves stays with it; also the lock of its cache file."""
    return evaluate.load(str(ROOT / "segmentation_scores.py"), experiment_id=uuid4().hex)


def saying(*words: str) -> str:
    """A pattern for messages in which all these words stand, in any order."""
    return "(?s)^" + "".join(f"(?=.*{re.escape(word)})" for word in words)


def bad(
    references: Any, predictions: Any, options: dict[str, Any], error: type[Exception], *words: Word, **more: Any
) -> Case:
    """A call that must fail, and the words of its message."""
    return Case(references, predictions, options, error=error, words=words, **more)


def text(reference: Any, prediction: Any, *words: Word, error: type[Exception] = ValueError, side: str = "") -> Case:
    """A bad pair of words text that stands at index 1 of three."""
    return bad(["ok", reference, "ok"], ["ok", prediction, "ok"], WORDS, error, *words, utterance=1, side=side)


def labels(
    reference: Any, prediction: Any, scheme: str, *words: Word, error: type[Exception] = ValueError, side: str = ""
) -> Case:
    """A bad pair of labels that stands at index 1; the other utterances are blank, which every scheme takes."""
    sides = [[], reference, []], [[], prediction, []]
    return bad(*sides, {"label_scheme": scheme}, error, *words, utterance=1, side=side)


def option(error: type[Exception], *words: Word, **options: Any) -> Case:
    """A bad option with good text."""
    return bad(["a b"], ["ab"], options, error, *words)


def side(reference: Any, *words: Word, options: dict[str, Any] = WORDS) -> Case:
    """A reference that is not a collection of utterances."""
    return bad(reference, ["a b"], options, TypeError, "references", *words)


NUMBERS_DIFFER = {
    "more references": bad(["a"] * 3, ["a"] * 2, WORDS, ValueError, "3 references", "2 predictions"),
    "more predictions": bad(["a"] * 2, ["a"] * 3, WORDS, ValueError, "2 references", "3 predictions"),
    "no reference": bad([], ["a"], WORDS, ValueError, "0 references", "1 predictions"),
    "no prediction": bad(["a"], [], WORDS, ValueError, "1 references", "0 predictions"),
    "labels": bad([[1]] * 3, [[1]] * 2, START, ValueError, "3 references", "2 predictions"),
    "arrays": bad(np.ones((3, 2), int), np.ones((2, 2), int), START, ValueError, "3 references", "2 predictions"),
}

UNITS_DIFFER = {
    "another letter": text("the dog", "the cat", "offset 3", "'d' (U+0064", "'c' (U+0063"),
    "a letter more": text("the dog", "the do gs", "offset 6", "nothing", "'s' (U+0073"),
    "beyond the basic plane": text("𠮷 a", "吉 a", "offset 0", "U+20BB7", "U+5409"),
    "look-alike": text("раk", "pak", "offset 0", "U+0440 CYRILLIC SMALL LETTER ER", "U+0070 LATIN SMALL LETTER P"),
    "full width": text("Ａ b", "A b", "offset 0", "U+FF21", "U+0041", "NFKC"),
    "zero-width space": text("the\u200b dog", "the dog", "offset 3", "U+200B ZERO WIDTH SPACE", "invisible"),
    "byte-order mark": text("\ufeffthe dog", "the dog", "offset 0", "U+FEFF", "invisible"),
    "NFC and NFD": text("café x", "cafe\u0301 x", "offset 3", "U+00E9", "U+0065", Setting("normalize", "NFC")),
    "ligature": text("ﬁ x", "fi x", "offset 0 (in characters)", "U+FB01", Setting("normalize", "NFKC")),
    "control character": text("ab", "a\x01b", "offset 1", "'\\x01' (U+0001 no name)"),
    "blank reference": text("", "x", "the reference is blank and the prediction is not", "line missing"),
    "blank prediction": text("x", " \u3000\t", "the prediction is blank and the reference is not", "line missing"),
    "in lists of words": bad([["ok"], ["the", "dog"]], [["ok"], ["the", "cat"]], {}, ValueError, "offset 3", "'d'", "'c'",
        utterance=1),
    "a blank list": bad([["ok"], []], [["ok"], ["x"]], {}, ValueError, "the reference is blank", utterance=1),
    "a space in a word of a list": bad([["ok"], ["New York"]], [["ok"], ["New", "York"]], {}, ValueError, "offset 3",
        "U+0020", "Spaces", utterance=1),
    "in units text": bad(["o k", "dh ax"], ["o k", "dh ah"], {}, ValueError, "offset 1 (in tokens)", "'ax'", "'ah'",
        utterance=1),
    "NFC and NFD in units text": bad(["o k", "c é"], ["o k", "c e\u0301"], {}, ValueError, "offset 1", "U+00E9", "U+0301",
        "NFC", utterance=1, left_out=RECOGNISED),
    "words read as units": bad(["the dog"], ["thedog"], {}, ValueError, Setting("text_format", "words"), utterance=0,
        left_out=RECOGNISED),
    "units read as words": bad(["t h e WORD_BOUNDARY d o g"], ["t h e d o g"], WORDS, ValueError,
        Setting("text_format", "units"), utterance=0, left_out=RECOGNISED),
    "the form of wordseg": bad(["dh ax ;esyll ;eword d ao g ;esyll ;eword"], ["dh ax d ao g"], {}, ValueError,
        Setting("word_boundary", ";eword"), Setting("ignored_tokens", [";esyll"]), utterance=0, left_out=RECOGNISED),
    "bars on one side of units text": bad(["ผม|ไม่"], ["ผมไม่"], {}, ValueError, Setting("text_format", "words"),
        Setting("reference_format", "separated"), Setting("separator", "|"), utterance=0,
        left_out=RECOGNISED | {"demo": "one control has the formats of both sides"}),
    "a token less": bad(["dh ax"], ["dh"], {}, ValueError, "offset 1 (in tokens)", "'ax'", "the prediction nothing"),
    "more labels": labels([1, 0, 0], [1, 0], "start", "3 labels", "2", "padding"),
    "fewer tags": labels(["B"], ["B", "I"], "BI", "1 label", "2", "padding"),
    "labels on one side": labels([], [1], "start", "0 labels", "1"),
    "every utterance skipped": bad(["a b", "c"], ["x", "y"], WORDS | {"scores": "token", "on_error": "skip"}, ValueError,
        "none of the 2 utterances can be scored"),
    "positions on one side": bad([[1], [1, -100]], [[1], [1]], START | {"ignore_index": -100}, ValueError,
        "the reference has 2 labels and the prediction 1", utterance=1),
}  # fmt: skip

NO_UTTERANCES = {
    "None": text("x", None, "None", error=TypeError, side="predictions"),
    "None for NaN": text(float("nan"), "x", "nan (float)", "missing value", error=TypeError, side="references"),
    "an integer": text("x", 3, "3 (int)", error=TypeError, side="predictions"),
    "bytes": text(b"x", "x", "b'x' (bytes)", error=TypeError, side="references"),
    "a dict": text({"text": "x"}, "x", "{'text': 'x'} (dict)", error=TypeError, side="references"),
    "None in a list of words": bad([["ok"], ["x", None]], [["ok"], ["x"]], {}, TypeError, "item 1", "None", utterance=1,
        side="references"),
    "NaN in a list of words": bad([["ok"], ["x"]], [["ok"], ["x", float("nan")]], {}, TypeError, "item 1", "nan", utterance=1,
        side="predictions"),
    "a list in a list of words": bad([[["x"]]], [["x"]], {}, TypeError, "lists of lists of words", "expected strings, or a list"),
    "None in labels": labels([1, None], [1, 0], "start", "item 1", "None", error=TypeError, side="references"),
    "NaN in labels": labels([1, 0], [1, float("nan")], "start", "item 1", "nan", error=TypeError, side="predictions"),
    "floats as labels": labels([1.0, 0.0], [1, 0], "start", "1.0 (float)", "astype(int)", error=TypeError, side="references"),
    "decimals as labels": labels([Decimal(1)], [1], "start", "Decimal('1')", error=TypeError, side="references"),
    "an open file": side(io.StringIO("a b\\n"), "an open file", "list(file)", "pathlib.Path(name)"),
    "an open file as an utterance": text(io.StringIO("x"), "x", "StringIO", error=TypeError, side="references"),
    "rows of a matrix": bad(list(np.matrix([[1, 0], [1, 1]])), [[1, 0]] * 2, START, TypeError, "shape (1, 2)", utterance=0,
        side="references"),
    "a null in a dictionary of views": bad(pa.DictionaryArray.from_arrays([0, 1], pa.array(["ok", None], pa.string_view())),
        ["ok", "x"], WORDS, TypeError, "None", utterance=1, side="references"),
}  # fmt: skip

MIXED_FORMS = {
    "a list among strings": text("x", ["x"], "mixed forms", "['x'] (list)", "'ok' (str)", error=TypeError,
        side="predictions"),
    "a string among lists": bad([["ok"], "x"], [["ok"], ["x"]], {}, TypeError, "mixed forms", "'x' (str)", "['ok']",
        utterance=1, side="references"),
    "an integer among words": bad([["ok"], ["x", 1]], [["ok"], ["x"]], {}, TypeError, "mixed forms", "1 (int)", "'ok'",
        utterance=1, side="references"),
    "strings and lists of words": bad(["a b"], [["ab"]], WORDS, TypeError, "mixed forms", "references are strings",
        "predictions lists of strings"),
    "labels and tags": bad([[1, 0]], [["B", "I"]], START, TypeError, "mixed forms", "references are lists of integers",
        "predictions lists of strings"),
}  # fmt: skip

BAD_LABELS = {
    "2 in start": labels([1, 0], [1, 2], "start", "unit 1", "label 2", "start", "0 and 1", side="predictions"),
    "-1": labels([1, -1], [1, 0], "start", "unit 1", "label -1", side="references"),
    "-100": labels([1, -100], [1, -100], "start", "unit 1", "label -100", "masked positions", side="references"),
    "more than 64 bits": labels([1, 2**70], [1, 0], "start", f" {2**70}", side="references"),
    "O in BI": labels(["B", "O"], ["B", "I"], "BI", "unit 1", "label 'O'", "takes B and I",
        Setting("label_scheme", "BIO"), side="references"),
    "I in BMES": labels(["B", "I"], ["B", "E"], "BMES", "unit 1", "label 'I'", "B, M, E and S", side="references"),
    "a name alone": labels(["W-B", "W-I"], ["W-B", "W-I"], "BI", "unit 0", "label 'W-B'", side="references"),
    "a blank tag": labels(["B", ""], ["B", "I"], "BI", "unit 1", "label ''", side="references"),
    "integers with BI": labels([1, 0], [1, 0], "BI", "integers", "BI", "start", side="references"),
    "tags with start": labels(["B", "I"], ["B", "I"], "start", "the labels are tags", "start", "BI", side="references"),
    "a digit of no scheme": labels(["1", "0"], ["1", "2"], "start", "unit 1", "label '2'", "0 and 1", side="predictions"),
    "text with a scheme": bad(["B I"], ["B I"], {"label_scheme": "BI"}, TypeError, Setting("label_scheme", "BI"), "strings",
        "leave label_scheme out"),
    "integers without a scheme": bad([[1]], [[1]], {}, TypeError, "integers without id2label",
        Setting("id2label", ["B", "I"]), "start", "end"),
    # Read as words, only rows without an error could be scored, so that every score was 1.
    **{
        f"tags without a scheme, {name}": bad(
            [["B", "I", "B"]] * 2, [prediction, ["B", "I", "B"]], options, TypeError,
            "received lists of tags (B, I) without", Setting("label_scheme", "BI"),
        )
        for name, prediction, options in (
            ("equal", ["B", "I", "B"], {}),
            ("other units", ["B", "I", "I"], {}),
            ("skipped", ["B", "I", "I"], {"on_error": "skip"}),
        )
    },
    "padding of class ids": labels([-100, 0, 1], [0, 0, 1], "start", "unit 0", "label -100",
        "id2label", side="references"),
    "a class id without a tag": bad([[0, 1]], [[0, 2]], {"id2label": ["B", "I"]}, ValueError, "unit 1", "class id 2", "0 and 1",
        utterance=0, side="predictions"),
    "padding of predictions": bad([[0, 1]], [[0, -100]], {"id2label": ["B", "I"]}, ValueError, "unit 1", "class id -100",
        "are predictions and references swapped?", utterance=0, side="predictions"),
    "tags for class ids": bad([["B", "I"]], [["B", "I"]], {"id2label": ["B", "I"]}, TypeError, "lists of class ids",
        "received lists of strings", "leave id2label out"),
    "text for class ids": bad(["B I"], ["B I"], {"id2label": ["B", "I"]}, TypeError, "lists of class ids", "received strings"),
    "logits": bad([[0, 1]], np.zeros((1, 2, 2)), {"id2label": ["B", "I"]}, TypeError, "predictions", "float64", "argmax(-1)"),
    "lists of logits": bad([[0, 1]], [[[0.5, 0.5], [0.1, 0.9]]], {"id2label": ["B", "I"]}, TypeError, "item 0", "argmax(-1)",
        utterance=0, side="predictions"),
    "names of a default config": bad([[0, 1]], [[0, 1]], {"id2label": ["LABEL_0", "LABEL_1"]}, ValueError,
        "LABEL_0", "id2label", Setting("label_scheme", "start"), Setting("label_scheme", "end")),
    "names of a default config of four": bad([[0, 3]], [[0, 3]], {"id2label": [f"LABEL_{number}" for number in range(4)]},
        ValueError, "LABEL_0", "id2label"),
    "tags of units outside": bad([[0, 2]], [[0, 2]], {"id2label": ["B", "I", "O"]}, ValueError, "B, I and O",
        Setting("label_scheme", "BIO")),
    "a scheme without these tags": bad([[0, 1]], [[0, 1]], {"id2label": ["B", "I"], "label_scheme": "BMES"}, ValueError,
        "B, M, E and S", "id2label has B and I"),
    "type scores of labels": bad([[1]], [[1]], START | {"scores": "type"}, ValueError, "'type'", "needs the words"),
}  # fmt: skip

NO_TEXT = {
    "lone surrogate": text("a\ud800", "a", "offset 1", "lone surrogate", "U+D800", "surrogateescape", side="references"),
    "lone surrogate in the second utterance": bad([[["a"], ["b"]], [["\ud800"]]], [[["a"], ["b"]], [["c"]]],
        {"scores": "morpheme"}, ValueError, "offset 0", "U+D800", utterance=1, side="references"),
    "NUL": text("a", "a\x00", "NUL", "U+0000", side="predictions"),
    "NUL in a list of words": bad([["ok"], ["a", "\x00"]], [["ok"], ["a"]], {}, ValueError, "NUL", utterance=1,
        side="references"),
    "NUL in units text": bad(["o k", "a"], ["o k", "a \x00"], {}, ValueError, "NUL", "U+0000", utterance=1,
        side="predictions"),
    "NUL in units text with ignored tokens": bad(["o k", "a"], ["o k", "a \x00 ;x"], {"ignored_tokens": ";x"}, ValueError,
        "NUL", utterance=1, side="predictions"),
}  # fmt: skip

# The whole of these messages is in options/test_table.py.
BAD_OPTIONS = {
    "unknown option": option(TypeError, "zero_divison", "zero_division", "text_format", zero_divison=1.0),
    "part of an option's name": option(TypeError, "'format'", "Did you mean 'text_format'", format="words"),
    "unknown group": option(ValueError, "'tokens'", "Did you mean 'token'", "segscores groups", scores="tokens"),
    "a well-known name": option(ValueError, "'f1'", "Did you mean 'token'?", scores="f1"),
    "groups without a comma": option(ValueError, "Did you mean 'token' or", "'boundary_noedge'", scores="fscore/word/boundary"),
    "nothing like a group": option(ValueError, "'token'", "'token_fscore'", "segscores groups", scores="xyzzy"),
    "scores=None": option(TypeError, "scores", "None", scores=None),
    "zero_division=None": option(TypeError, "zero_division", "None", zero_division=None),
    "no group": option(ValueError, "scores", "'token_fscore'", "segscores groups", scores=[]),
    "selections of different conventions": option(ValueError, Setting("window_convention", "nltk_units"),
        Setting("window_convention", "segeval"), scores=["nltk", "segeval"]),
    "no vocabulary": option(ValueError, "vocabulary", Setting("scores", "oov"), "needs it", scores="oov"),
    "vocabulary without its group": option(ValueError, "vocabulary", "it needs", Setting("scores", "oov"), scores="token",
        vocabulary=["a"]),
    "a tolerance that no score uses": option(ValueError, "tolerance", "it needs", Setting("scores", "tolerance"),
        scores="token", tolerance=3),
    "a negative tolerance": option(ValueError, Setting("tolerance"), "expected a whole number of units", "received -1",
        "seconds for times", scores="tolerance", tolerance=-1),
    "a tolerance in seconds for text": option(ValueError, Setting("tolerance"), "expected a whole number of units",
        "received 0.5", Setting("text_format", "times"), scores="tolerance", tolerance=0.5),
    "a window that no default score uses": option(ValueError, "window_size", "it needs", Setting("scores", "windows"),
        window_size=3),
    "a span that no score uses": option(ValueError, "transposition_span", "it needs", Setting("scores", "similarity"),
        Setting("scores", "agreement"), scores="token", transposition_span=3),
    "vocabulary in a string": option(TypeError, "vocabulary", "one str", "['the dog']", vocabulary="the dog"),
    "vocabulary of numbers": option(TypeError, "vocabulary, line 2", "3 (int)", vocabulary=["a", 3]),
    "empty vocabulary": option(ValueError, "it has no word", vocabulary=["", " "]),
    "acceptable alone": option(ValueError, "acceptable", "it goes with", "dictionary", acceptable=["a"]),
    "subword marks of labels": bad([[1]], [[1]], START | {"subword_marks": "strip"}, ValueError,
        Setting("subword_marks", "strip"), "labels"),
    "subword marks of units text": bad(["a b"], ["a b"], {"text_format": "units", "subword_marks": "##"}, ValueError,
        Setting("subword_marks", "##"), "unit"),
    "subword marks": text("playing", "▁play ing", "offset 0", "U+2581", Setting("subword_marks", "strip")),
    "normalize of labels": bad([[1]], [[1]], START | {"normalize": "NFC"}, ValueError, Setting("normalize", "NFC"), "labels"),
    "align of labels": bad([[1]], [[1]], START | {"on_mismatch": "align"}, ValueError, "on_mismatch", "labels", "skip"),
    "unknown text_format": option(ValueError, "text_format", "word", "Did you mean 'words'?", text_format="word"),
    "word_boundary with words text": option(ValueError, "word_boundary", Setting("text_format", "units"), text_format="words",
        word_boundary="|"),
    "ignored word_boundary": option(ValueError, "'|'", "word_boundary", "ignored_tokens", word_boundary="|",
        ignored_tokens=["|"]),
    "ignored_tokens with words text": option(ValueError, "ignored_tokens", Setting("text_format", "units"),
        text_format="words", ignored_tokens=["|"]),
    "spaces with words text": option(ValueError, Setting("spaces", "drop"), Setting("text_format", "separated"),
        text_format="words", spaces="drop"),
    "unknown label_scheme": bad([["B"]], [["B"]], {"label_scheme": "BIX"}, ValueError, "label_scheme", "'BIX'", "start",
        "BMES"),
    "id2label without tags": bad([[0]], [[0]], {"id2label": {}}, ValueError, "id2label", "received {}", "empty", left_out=TABLE),
    "id2label of names": bad([[0]], [[0]], {"id2label": {"B": 0}}, ValueError, "id2label", "received 'B'", "numbers from 0",
        left_out=TABLE),
    "id2label with an id twice": bad([[0]], [[0]], {"id2label": {0: "B", "0": "I"}}, ValueError, "id2label", "class id 0 twice",
        left_out=TABLE),
    "id2label of a word": bad([[0]], [[0]], {"id2label": "BI"}, TypeError, "id2label: expected a dict", "received 'BI'"),
    "zero_division=2": option(ValueError, "zero_division", "2", "[0, 1]", zero_division=2),
    "ignore_index without labels": option(ValueError, "ignore_index", "is for lists of integers",
        Setting("label_scheme", "start"), ignore_index=-100),
    "ignore_index of tags": bad([["B"]], [["B"]], {"label_scheme": "BI", "ignore_index": -100}, ValueError, "ignore_index",
        "received 'BI'"),
    "ignore_index of a class id": bad([[1]], [[1]], {"id2label": ["B", "I"], "ignore_index": 1}, ValueError,
        "ignore_index=1 is a class id"),
    "ignore_index of a label": bad([[1]], [[1]], START | {"ignore_index": 1}, ValueError,
        "ignore_index=1 is a label of the scheme"),
    "ignore_index=True": bad([[1]], [[1]], START | {"ignore_index": True}, TypeError, "ignore_index", "received True"),
    "ignore_index of 64 bits": bad([[1]], [[1]], START | {"ignore_index": 1 << 64}, ValueError,
        "ignore_index: expected an integer"),
    "confidence in percent": option(ValueError, "confidence", "95", "Did you mean 0.95?", confidence=95),
    "interval_method without intervals": option(ValueError, "interval_method", "it is for intervals",
        Setting("confidence", 0.95), interval_method="percentile"),
    "n_resamples of the jackknife": option(ValueError, "resamples", "it is for percentile intervals", confidence=0.9,
        n_resamples=10),
    "n_resamples of a jackknife that is named": option(ValueError, "resamples", "it is for percentile intervals", confidence=0.9,
        interval_method="jackknife", n_resamples=10),
    "seed of the jackknife": bad(["a b"], ["a b"], {"confidence": 0.9, "seed": 1}, ValueError, "seed",
        "it is for percentile intervals", left_out={"report": "it has random exchanges too"}),
    "clusters without intervals": option(ValueError, "clusters", "it is for intervals", clusters=["a"]),
    "options of strings for labels": bad([[1, 0]], [[1, 0]], START | {"word_boundary": "|"}, ValueError,
        Setting("word_boundary", "|"), Setting("text_format", "units"), "received lists of labels", left_out=TABLE),
    "ignored tokens for tags": bad([["B"]], [["B"]], {"label_scheme": "BI", "ignored_tokens": "x"}, ValueError,
        "received lists of labels", left_out=TABLE),
    "options of strings for lists of words": bad([["a"]], [["a"]], {"word_boundary": "|"}, ValueError, "word_boundary",
        "lists of words", left_out=TABLE),
    "separator for lists of words": bad([["a"]], [["a"]], {"separator": "|"}, ValueError, Setting("separator", "|"),
        "lists of words", left_out=TABLE),
}  # fmt: skip

NO_COLLECTIONS = {
    "nothing at all": bad([], [], {}, ValueError, "nothing to score"),
    "no references": side(None, "None"),
    "no predictions": bad(["a b"], None, WORDS, TypeError, "predictions", "None"),
    "a string": side("the dog", "one str", "['the dog']"),
    "bytes": side(b"the dog", "bytes", "['the dog']"),
    "a dict": side({"text": ["a b"]}, "dict"),
    "a number": side(3, "3 (int)"),
    "a 0-d array": side(np.array(1), "shape ()", options=START),
    "a flat list of labels": side([1, 0], "utterance 0", "1 (int)", "[[1, 0]", options=START),
    "a 3-D array": side(np.zeros((2, 3, 4), int), "(2, 3, 4)", "(utterances, units)", options=START),
    "floats": side(np.zeros((2, 3)), "float64", "astype(int)", options=START),
    "probabilities": side(np.full((1, 3), 0.5), "float64", "probabilities", options=START),
    "probabilities of classes": side(np.full((1, 3, 2), 0.5), "(1, 3, 2)", "probabilities", options=START),
    "probabilities in a tensor of half precision": side(torch.full((1, 3), 0.5, dtype=torch.bfloat16), "float",
        "probabilities", options=START),
    "probabilities by utterance": side([np.full(3, 0.5)], "utterance 0", "0.5 (float)", "probabilities", options=START),
    "probabilities in lists": side([[0.5, 0.5]], "utterance 0", "0.5 (float)", "probabilities", options=START),
    "dates": side(np.array(["2020-01-01"], "M8[D]"), "datetime64"),
    "a table of pandas": side(pd.DataFrame({"text": ["a b"]}), "column"),
    "a table of Arrow": side(pa.table({"text": ["a b"]}), "column"),
    "an Arrow array of integers": side(pa.array([1, 0]), "an Arrow array of type int64"),
    "an Arrow array of bytes": side(pa.array([b"a b"]), "binary"),
}  # fmt: skip


CASES = {
    f"{family}-{name}": case
    for family, cases in {
        "numbers differ": NUMBERS_DIFFER, "units differ": UNITS_DIFFER, "no utterance": NO_UTTERANCES,
        "mixed forms": MIXED_FORMS, "bad label": BAD_LABELS, "no text": NO_TEXT, "bad option": BAD_OPTIONS,
        "no collection": NO_COLLECTIONS,
    }.items()
    for name, case in cases.items()
}  # fmt: skip


#: What the next case must not meet is left in the metric alone.
METRICS = (SURFACES["metric"], SURFACES["metric with added examples"])


@pytest.mark.usefixtures("session_of_spark")
@pytest.mark.parametrize(("surface", "case"), pairs_of(CASES))
def test_the_error_on_bad_input_shows_the_input_and_a_remedy(
    surface: Surface, case: Case, request: pytest.FixtureRequest
) -> None:
    if not surface.is_python:
        request.getfixturevalue("in_folder")
    assert case.error is not None
    error = case.error if surface.is_python else ValueError
    with pytest.raises(error, match=saying(*surface.words(case))) as raised:
        surface.run(case, Path())
    assert not MISPRINT.search(str(raised.value))
    if surface in METRICS:
        assert_usable(metric())


def test_limits_of_a_surface_concern_a_case() -> None:
    cases = [*CASES.values(), *CASES_OF_SCORES.values()]
    reasons = {(where, reason) for where, surface in SURFACES.items() for reason in surface.excluded}
    met = {(where, surface.reason(case)) for where, surface in SURFACES.items() for case in cases}
    assert reasons <= met
    assert not [case for case in cases if all(surface.reason(case) for surface in SURFACES.values())]


# Its scores are not one of GOOD's, so that neither passes for the other, nor both together for one.
ADDED = ["a b c", "狗 叫"], ["a bc", "狗 叫"]
ADDED_SCORES = naive_scores(*([text.split() for text in side] for side in ADDED))


def add_good(metric: Any) -> None:
    metric.add_batch(references=ADDED[0], predictions=ADDED[1])


BAD_BATCHES = {
    **{name: case for name, case in NUMBERS_DIFFER.items() if isinstance(case.references, list)},
    **{
        name: NO_UTTERANCES[name]
        for name in ("None", "an integer", "None in a list of words", "NaN in a list of words")
    },
    **MIXED_FORMS,
    "another form": bad([["a"]], [["a"]], {}, TypeError, "mixed forms", "lists of strings", "have strings"),
    "labels": bad([[1]], [[1]], START, TypeError, "mixed forms", "lists of integers", "have strings"),
    "lone surrogate": NO_TEXT["lone surrogate"],
    "no predictions": NO_COLLECTIONS["no predictions"],
    "a string": NO_COLLECTIONS["a string"],
}


@pytest.mark.parametrize("case", BAD_BATCHES.values(), ids=BAD_BATCHES)
def test_nothing_of_a_bad_batch_is_added(adding_metric: Any, case: Case) -> None:
    add_good(adding_metric)
    with pytest.raises(case.error, match=saying(*SURFACES["score"].words(case))):
        adding_metric.add_batch(references=case.references, predictions=case.predictions)
    adding_metric.add_batch(references=GOOD[0], predictions=GOOD[1])
    scores = adding_metric.compute(text_format="words")
    added, good = ([[text.split() for text in side] for side in pair] for pair in (ADDED, GOOD))
    assert scores == naive_scores(added[0] + good[0], added[1] + good[1])


# Not those whose inputs are their own, of another form than what was added.
OPTIONS_ALONE = {
    name: case
    for name, case in BAD_OPTIONS.items()
    if case.references == ["a b"] and "ignore_index" not in case.options
}


@pytest.mark.parametrize("case", OPTIONS_ALONE.values(), ids=OPTIONS_ALONE)
def test_a_bad_option_forgets_nothing_that_was_added(adding_metric: Any, case: Case) -> None:
    add_good(adding_metric)
    with pytest.raises(case.error, match=saying(*SURFACES["score"].words(case))):
        adding_metric.compute(**case.options)
    assert adding_metric.compute(text_format="words") == ADDED_SCORES


def test_batches_and_a_call_of_another_form_are_refused(adding_metric: Any) -> None:
    add_good(adding_metric)
    with pytest.raises(TypeError, match=saying("mixed forms", "lists of strings", "have strings")):
        adding_metric.compute(references=[["a"]], predictions=[["a"]])
    assert adding_metric.compute(text_format="words") == ADDED_SCORES


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
def test_an_utterance_of_a_million_units_is_scored(reference: Any, prediction: Any, options: dict[str, Any]) -> None:
    scores = segscores.score([reference], [prediction], **options)
    # One word against a million words of a unit.
    assert scores["token_fscore"] == 0.0
    assert scores["boundary_all_precision"] == 2 / (MILLION + 1)
    assert scores["boundary_all_recall"] == 1.0
    spans = MILLION * (MILLION + 1) // 2
    assert scores["token_tnr"] == (spans - 1 - MILLION) / (spans - 1)


def test_a_difference_at_the_end_of_many_units_is_found() -> None:
    text = "ab " * 40_000
    with pytest.raises(ValueError, match=saying("utterance 0:", "offset 79999", "'b'", "'c'")):
        segscores.score([text], [text[:-2] + "c"], text_format="words")


@pytest.mark.slow
@pytest.mark.skipif(sys.maxsize < 1 << 32, reason="3 GB do not fit into the addresses of this machine")
@pytest.mark.skipif(psutil.virtual_memory().available < 12 << 30, reason="less than 12 GB of memory is available")
def test_3_gigabytes_in_one_call_score_as_one_of_50_copies() -> None:
    # Two words of 20 characters, one of 3 bytes each, against the same with the first cut in two.
    pairs = 300_000
    reference = f"{'狗' + 'a' * 38} {'叫' + 'b' * 19} " * pairs
    prediction = f"{'狗' + 'a' * 19} {'a' * 19} {'叫' + 'b' * 19} " * pairs
    copies = -(-3_000_000_000 // len((reference + prediction).encode()))
    scores = metric().compute(references=[reference] * copies, predictions=[prediction] * copies, text_format="words")
    # Large numbers of spans do not overflow.
    units = 59 * pairs
    negatives = units * (units + 1) // 2 - 2 * pairs
    assert (scores["token_recall"], scores["token_tnr"]) == (1 / 2, (negatives - 2 * pairs) / negatives)
    assert scores == metric().compute(references=[reference], predictions=[prediction], text_format="words")
    assert_usable(metric())
