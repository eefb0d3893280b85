"""The sweep equals scoring every threshold one by one; its forms of input, its ends, its errors."""

import math
import random
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from segscores.analysis.thresholds import SWEEP_KEYS, segment_at, sweep

from ..corpora import FORMS, Corpus, Word, cut, random_corpus_pair, words_text
from ..naive import naive_scores
from ..optional import torch

TYPE_KEYS = ("type_precision", "type_recall", "type_fscore")
WORDS = {"text_format": "words"}


def naive_segment_at(
    references: Corpus, scores: list[list[float]], threshold: float | None = None, ratio: float | None = None
) -> Corpus:
    """The prediction at a point: the gaps sorted by falling score, equal ones by place, and the first of them accepted."""
    gaps = sorted((-value, at, gap) for at, row in enumerate(scores) for gap, value in enumerate(row))
    if ratio is not None:
        gaps = gaps[: math.floor(ratio * len(gaps) + 0.5)]
    accepted = {(at, gap) for value, at, gap in gaps if threshold is None or -value >= threshold}
    flags = [[(at, gap) in accepted for gap in range(len(row))] for at, row in enumerate(scores)]
    return [
        cut([unit for word in words for unit in word], [*row, True]) if words else []
        for words, row in zip(references, flags, strict=True)
    ]


@st.composite
def scored_corpora(draw: st.DrawFn) -> tuple[list[list[Word]], list[list[float]]]:
    """References with a score for each inner gap: often equal ones, blank utterances, and utterances of one unit."""
    few, finite = st.sampled_from([0.0, -0.0, 0.5, 1.0]), st.floats(allow_nan=False, allow_infinity=False)
    values = draw(st.sampled_from([few, st.integers(-2, 2).map(float), finite]))
    references, scores = [], []
    for units in draw(st.lists(st.lists(st.sampled_from("ab狗å𠮷"), max_size=7), min_size=1, max_size=6)):
        count = len(units)
        references.append(cut(units, draw(st.lists(st.booleans(), min_size=count, max_size=count))))
        scores.append(draw(st.lists(values, min_size=max(count - 1, 0), max_size=max(count - 1, 0))))
    return references, scores


def random_scores(references: Corpus, seed: int, digits: int) -> list[list[float]]:
    """Scores that know something of the reference, rounded so that many are equal."""
    source = random.Random(seed)
    scores = []
    for words in references:
        ends = {sum(map(len, words[: index + 1])) for index in range(len(words))}
        units = sum(map(len, words))
        scores.append([round(source.gauss(1.0 if end in ends else 0.0, 1.0), digits) for end in range(1, units)])
    return scores


@given(scored_corpora())
@example(([[]], [[]]))
@example(([[("a",)], []], [[], []]))
def test_every_threshold_equals_naive_scoring(corpus):
    references, scores = corpus
    curve = sweep(words_text(references), scores, **WORDS)
    distinct = sorted({value for row in scores for value in row}, reverse=True)
    assert curve["threshold"].tolist() == [math.inf, *distinct]
    for point, threshold in enumerate(curve["threshold"]):
        expected = naive_scores(references, naive_segment_at(references, scores, threshold))
        assert {key: curve[key][point] for key in SWEEP_KEYS} == {key: expected[key] for key in SWEEP_KEYS}


POINTS: dict[str, st.SearchStrategy[float]] = {
    "ratio": st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0]) | st.floats(0, 1),
    "threshold": st.sampled_from([-math.inf, -1.0, -0.0, 0.5, 1.0, math.inf]) | st.floats(allow_nan=False),
}


@pytest.mark.parametrize(("option", "ends"), [("ratio", [0.0, 1.0]), ("threshold", [math.inf, -math.inf])])
@given(corpus=scored_corpora(), data=st.data())
def test_given_points_equal_naive_scoring(option, ends, corpus, data):
    references, scores = corpus
    given_points = [*ends, *data.draw(st.lists(POINTS[option], max_size=4))]
    curve = sweep(words_text(references), scores, **{f"{option}s": given_points}, types=True, **WORDS)
    assert curve[option].tolist() == given_points
    gaps = sorted((value for row in scores for value in row), reverse=True)
    for index, value in enumerate(given_points):
        expected = naive_scores(references, naive_segment_at(references, scores, **{option: value}))
        keys = (*SWEEP_KEYS, *TYPE_KEYS)
        assert {key: curve[key][index] for key in keys} == {key: expected[key] for key in keys}
        if option == "threshold":
            accepted = sum(score >= value for score in gaps)
            assert curve["ratio"][index] == (accepted / len(gaps) if gaps else 0.0)
        else:
            assert curve["threshold"][index] == [math.inf, *gaps][math.floor(value * len(gaps) + 0.5)]


def test_counts_are_joined_over_the_parts_that_are_read(monkeypatch):
    references, _ = random_corpus_pair(200, seed=3)
    scores = random_scores(references, seed=4, digits=2)
    options: dict[str, Any] = {"ratios": [0.0, 0.1, 0.3, 1.0], "types": True, **WORDS}
    whole = sweep(words_text(references), scores, **options)
    sides = {"references": words_text(references), "boundary_scores": scores, **WORDS}
    predictions = [segment_at(**sides, ratio=ratio) for ratio in options["ratios"]]
    monkeypatch.setattr("segscores.reading.sources.source.PIECE_BYTES", 100)
    parts = sweep(words_text(references), scores, **options)
    assert whole["best"] == parts["best"]
    for key in (*SWEEP_KEYS, *TYPE_KEYS, "threshold"):
        assert whole[key].tolist() == parts[key].tolist()
    assert [segment_at(**sides, ratio=ratio) for ratio in options["ratios"]] == predictions


def test_undefined_scores_are_passed_over_for_the_best():
    curve = sweep(["ab c"], [[0.1, 0.8]], zero_division=math.nan, **WORDS)
    assert math.isnan(curve["boundary_noedge_precision"][0])
    assert curve["best"]["boundary_noedge_precision"] == {"threshold": 0.8, "ratio": 0.5, "score": 1.0}
    blank = sweep([""], [[]], zero_division=math.nan, **WORDS)["best"]["token_recall"]
    assert math.isnan(blank["score"])
    assert (blank["threshold"], blank["ratio"]) == (math.inf, 0.0)


REFERENCES = [[("a", "b"), ("c",)], [], [("a",)], [("c",), ("b", "b"), ("a",)]]
SCORES = [[0.25, 0.5], [], [], [0.75, -1.0, 0.5]]


def torch_rows(dtype: str) -> list[Any]:
    return [torch.tensor(row, dtype=getattr(torch, dtype), requires_grad=True) for row in SCORES]


ROWS = [[0.25, 0.5], [0.75, 0.125]]
#: Utterances, their boundary scores, those in another form, and an option.
SCORE_FORMS: dict[str, tuple[list[Any], list[list[float]], Any, dict[str, str]]] = {
    **{
        name: (REFERENCES, SCORES, scores, {})
        for name, scores in {
            "tuple of tuples": tuple(map(tuple, SCORES)),
            "generator": iter(SCORES),
            "lists with integers": [[0.25, 0.5], [], [], [0.75, -1, 0.5]],
            "lists of numpy scalars": [[np.float32(value) for value in row] for row in SCORES],
            "arrays": [np.array(row) for row in SCORES],
            "arrays of half precision": [np.array(row, np.float16) for row in SCORES],
            "arrays and lists": [np.array(SCORES[0]), *SCORES[1:]],
            "array of objects": np.array([np.array(row) for row in SCORES], object),
            "arrow": pa.array(SCORES),
            "arrow, 32-bit": pa.array(SCORES, pa.list_(pa.float32())),
            "arrow, chunked and sliced": pa.chunked_array([pa.array([[9.0], *SCORES[:2]])[1:], pa.array(SCORES[2:])]),
            "torch": torch_rows("float32"),
            "torch, bfloat16": torch_rows("bfloat16"),
            "pandas": pd.Series(SCORES),
        }.items()
    },
    # The score of an utterance's edge does not count, and may be any value.
    "of starts": (REFERENCES, SCORES, [[math.nan, 0.25, 0.5], [], [math.inf], [-math.inf, 0.75, -1.0, 0.5]],
                  {"label_scheme": "start"}),
    "of ends": (REFERENCES, SCORES, [[0.25, 0.5, math.nan], [], [math.inf], [0.75, -1.0, 0.5, -math.inf]],
                {"label_scheme": "end"}),
    # The rows of a matrix are utterances.
    "matrix": ([["ab", "c"], ["d", "ef"]], ROWS, np.array(ROWS, np.float32), {}),
    "torch matrix": ([["ab", "c"], ["d", "ef"]], ROWS, torch.tensor(ROWS), {}),
    "arrow of one size": ([["ab", "c"], ["d", "ef"]], ROWS,
                          pa.FixedSizeListArray.from_arrays(pa.array(np.ravel(ROWS)), 2), {}),
    # 2 ** 53 + 1 is no float: the nearest is 2 ** 53.
    "arrow, long integers": ([["ab", "c"]], [[2.0**53, 1.0]], pa.array([[2**53 + 1, 1]]), {}),
}  # fmt: skip


def assert_same(curve: dict[str, Any], expected: dict[str, Any]) -> None:
    assert list(curve) == list(expected)
    assert curve["best"] == expected["best"]
    for key in ("threshold", "ratio", *SWEEP_KEYS):
        assert curve[key].tolist() == expected[key].tolist()


@pytest.mark.parametrize("form", SCORE_FORMS)
def test_all_forms_of_boundary_scores_are_equivalent(form):
    references, expected, scores, options = SCORE_FORMS[form]
    references = words_text(references)
    assert_same(sweep(references, scores, **options, **WORDS), sweep(references, expected, **WORDS))


@pytest.mark.parametrize("name", FORMS)
def test_all_forms_of_references_are_equivalent(name):
    form = FORMS[name]
    options = dict(form.options)
    if "label_scheme" in options:
        options["reference_label_scheme"] = options.pop("label_scheme")
    assert_same(sweep(form.write(REFERENCES), SCORES, **options), sweep(words_text(REFERENCES), SCORES, **WORDS))


def test_integer_references_take_the_scheme_of_the_scores():
    labels, rows = [[1, 0, 1]], [[0.9, 0.1, 0.8]]
    expected = sweep(["ab c"], rows, label_scheme="start", **WORDS)
    assert_same(sweep(labels, rows, label_scheme="start"), expected)
    assert_same(sweep([[0, 1, 1]], rows, label_scheme="start", reference_label_scheme="end"), expected)


def bad(
    message: str,
    scores: Any,
    *,
    references: Any = ("ab c", "d ef"),
    call: Any = sweep,
    error: type[Exception] = ValueError,
    **options: Any,
) -> Any:
    """A call that must fail, and what it says."""
    return pytest.param(partial(call, references, scores, **{**WORDS, **options}), error, message, id=message[:50])


of_type = partial(bad, error=TypeError)
GOOD = [[0.1, 0.2], [0.1, 0.2]]
ITEM = "^boundary_scores, utterance 1: received"
MASKED = np.ma.array([0.1, 0.2], mask=[0, 1])
at_point = partial(bad, scores=GOOD, call=segment_at)
LABELS = {"references": [[1, 0, 1], [1, 0, 0]], "text_format": "units"}
TAGS = {"references": [["B", "I", "B"]] * 2, "reference_label_scheme": "BI", "text_format": "units"}


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        # What a file of boundary scores can have is refused in tests of the command.
        bad('utterance 1: received 3 .* expected 2.*label_scheme="start" or "end"', [[0.1, 0.2], [1, 2, 3]]),
        bad("utterance 1: received 4 .* expected 2.*two ends", [[0.1, 0.2], [1, 2, 3, 4]]),
        bad("utterance 1: received 9 .* expected 2.*padding", [[0.1, 0.2], [1] * 9]),
        bad("utterance 1: received 2 .* expected 3, one for each unit.*leave label", [[1, 2, 3], [1, 2]], label_scheme="end"),
        bad("utterance 1: the score of gap 0 is -inf; expected a finite .* logarithm of 0", [[0.1, 0.2], [-math.inf, 1]]),
        bad("utterance 1: the score of unit 1 is inf", [[1, 2, 3], [1, math.inf, 2]], label_scheme="end"),
        bad("received thresholds and ratios: expected one", GOOD, thresholds=[0], ratios=[0]),
        bad("thresholds is empty", GOOD, thresholds=[]),
        bad("pass thresholds or ratios with types=True", GOOD, types=True),
        bad('label_scheme="BMES": boundary scores are', GOOD, label_scheme="BMES"),
        bad('label_scheme="BMES": boundary scores are', GOOD, label_scheme="BMES", **LABELS),
        of_type("^boundary_scores: received None", None),
        of_type("^boundary_scores: received '0.1 0.2'", "0.1 0.2"),
        of_type("^boundary_scores: received {'scores'", {"scores": [[0.1]]}),
        of_type(r"an array of shape \(2,\) and type float64; expected one utterance per row", np.array([0.1, 0.2])),
        of_type("an Arrow array of type double", pa.array([0.1, 0.2])),
        of_type("an Arrow array of type list", pa.array([["a"]])),
        bad(r"boundary_scores, utterance 0: received 0\.1 \(float\); expected a list of numbers", [0.1, 0.2]),
        bad(f"{ITEM} None", [[0.1, 0.2], None]),
        bad(f"{ITEM} None", pa.array([[0.1, 0.2], None])),
        bad(f"{ITEM} None at index 1", [[0.1, 0.2], [0.1, None]]),
        bad("utterance 1: the score of gap 1 is nan", pa.array([[0.1, 0.2], [0.1, None]])),
        bad(f"{ITEM} an integer that is too large for a float", [[0.1, 0.2], [0.1, 10**400]]),
        bad(rf"{ITEM} 'ab' \(str\)", [[0.1, 0.2], "ab"]),
        bad(rf"{ITEM} \[0\.1\] \(list\) at index 0", [[0.1, 0.2], [[0.1], [0.2]]]),
        bad(rf"{ITEM} an array of shape \(2, 2\)", [[0.1, 0.2], np.zeros((2, 2))]),
        of_type(f"{ITEM} a masked array", [np.array([0.1, 0.2]), MASKED]),
        of_type(f"{ITEM} a masked array", np.fromiter([np.array([0.1, 0.2]), MASKED], object)),
        of_type("^boundary_scores: received a masked array", np.ma.array(GOOD, mask=[[0, 1], [0, 0]])),
        # References.
        bad("there is nothing to score", [], references=[]),
        of_type("lists of integers: say how they mark words, such as reference_label_scheme", GOOD, **LABELS),
        of_type("the references are strings: leave it out", GOOD, reference_label_scheme="BI"),
        bad("utterance 0: unit 2 has the label 2", [[0.1, 0.2]], references=[[1, 0, 2]], reference_label_scheme="start"),
        bad("types=True needs the words", GOOD, ratios=[0.5], types=True, **TAGS),
        of_type("references, utterance 0", [[0.1, 0.2]], references=[0.5]),
        # Points.
        *(
            of_type("thresholds: expected a list of numbers", GOOD, thresholds=points)
            for points in ("0.5", [["0.5"]], [[0.5]], [[0.5], [0.1, 0.2]], [True], 0.5)
        ),
        at_point("expected one of threshold and ratio, received neither"),
        at_point("expected one of threshold and ratio, received both", ratio=0.5, threshold=0.5),
        at_point(r"^ratio: expected a share in \[0, 1\], received 1\.5", ratio=1.5),
        at_point("^ratio: expected a number, received nan", ratio=math.nan),
        at_point("^threshold: expected a number, received nan", threshold=math.nan),
        *(
            at_point(rf"^threshold: expected a number, received {received}", error=TypeError, threshold=value)
            for value, received in (("0.5", r"'0\.5' \(str\)"), ([0.5], r"\[0\.5\] \(list\)"), (True, r"True \(bool\)"))
        ),
        at_point("utterance 1: received 1 boundary scores; expected 2", scores=[[0.1, 0.2], [0.1]], ratio=0.5),
        at_point('label_scheme="BI": boundary scores are', ratio=0.5, label_scheme="BI"),
        at_point("there is nothing to score", scores=[], ratio=0.5, references=[]),
        at_point("the references are lists of integers: expected strings or", error=TypeError, ratio=0.5, **LABELS),
        at_point("references: received None", error=TypeError, ratio=0.5, references=None),
    ],
)  # fmt: skip
def test_bad_calls_are_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()


TEXT_FORMS = tuple(name for name, form in FORMS.items() if form.has_words)


@pytest.mark.parametrize("name", TEXT_FORMS)
@pytest.mark.parametrize("option", POINTS)
@settings(max_examples=settings.default.max_examples // 4)
@given(corpus=scored_corpora(), data=st.data())
@example(corpus=([[]], [[]]), data=None)
@example(corpus=([[], [("a",)], []], [[], [], []]), data=None)
@example(corpus=([[("a", "b"), ("a",)]], [[0.5, 0.5]]), data=None)
def test_the_prediction_at_a_point_equals_the_naive_one(name, option, corpus, data):
    references, scores = corpus
    form = FORMS[name]
    point = {option: data.draw(POINTS[option]) if data else 0.25}
    predicted = segment_at(form.write(references), scores, **point, **form.options)
    naive = form.write(naive_segment_at(references, scores, **point))
    if "ignored_tokens" in form.options:
        # Ignored tokens are left out, and word boundaries stand only between words.
        naive = FORMS["units_text"].write(naive_segment_at(references, scores, **point))
        naive = [line.replace("WORD_BOUNDARY", form.options["word_boundary"]) for line in naive]
    assert predicted == naive


@pytest.mark.parametrize(
    ("reference", "options", "predicted"),
    [
        (" a\u3000bc\r", {"text_format": "words"}, "a bc"),
        (["a ", "c"], {}, ["a", " c"]),
        ("ab c  d", {"word_boundary": "  "}, "ab  c d"),
        ("ab ;x c ;w ;x d ;w", {"word_boundary": ";w", "ignored_tokens": [";x"]}, "ab ;w c d"),
    ],
)
def test_the_prediction_is_in_the_form_of_the_reference(reference, options, predicted):
    assert segment_at([reference], [[0.9, 0.1]], threshold=0.5, **options) == [predicted]
    assert segment_at([reference], [[0.9, 0.1]], ratio=0.5, **options) == [predicted]


#: Utterances `ab cd ef`, whose boundaries have a score of 1 in so many utterances, and else of -1; other gaps have 0.
ORDERS = {
    "high": (25, 25, False),
    "low": (25, 0, True),
    "low in fewer than 50 gaps": (24, 0, False),
    # Of 60 boundaries, 18 are higher than all other gaps: 30 %.
    "mostly low": (30, 9, True),
    "not mostly low": (30, 10, False),
}


@pytest.mark.parametrize("name", ORDERS)
def test_scores_that_are_low_at_boundaries_are_said(name: str, recwarn: pytest.WarningsRecorder) -> None:
    utterances, high, is_said = ORDERS[name]
    scores = [[0, 1, 0, 1, 0] if at < high else [0, -1, 0, -1, 0] for at in range(utterances)]
    # Blank utterances and those of one unit have no gap.
    sweep(["ab cd ef", "", "a"] * utterances, [row for scored in scores for row in (scored, [], [])], **WORDS)
    assert ["change the signs" in str(warning.message) for warning in recwarn] == [True] * is_said
