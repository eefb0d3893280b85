"""The sweep equals scoring every threshold one by one; its forms of input, its ends, its errors."""

from __future__ import annotations

import math
import random
import re
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from segscores.analysis.thresholds import SWEEP_KEYS, segment_at, sweep
from segscores.metric.metrics import SegmentationScores

from ..naive import FORMS, Corpus, Word, cut, naive_scores, random_corpus_pair, words_text
from ..optional import torch

TYPE_KEYS = ("type_precision", "type_recall", "type_fscore")
WORDS = {"text_format": "words"}

# Table 1 of Shao et al. (2017): true positives, precision, recall, F and TNR of its two trivial segmenters, as fractions.
TABLE_1 = [
    pytest.param("约翰 喜欢 玛丽", {"T1": 1 - 6 / 18, "T2": 1 - 1 / 18}, id="Chinese"),
    pytest.param("John likes Mary", {"T1": 1 - 13 / 88, "T2": 1 - 1 / 88}, id="English"),
]


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
    values = draw(
        st.sampled_from(
            [
                st.sampled_from([0.0, -0.0, 0.5, 1.0]),
                st.integers(-2, 2).map(float),
                st.floats(allow_nan=False, allow_infinity=False),
            ]
        )
    )
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


points = st.one_of(
    st.fixed_dictionaries({"ratio": st.sampled_from([0, 0.0, 0.25, 0.5, 0.75, 1, 1.0]) | st.floats(0, 1)}),
    st.fixed_dictionaries(
        {"threshold": st.sampled_from([-math.inf, -1, 0.0, -0.0, 0.5, 1.0, math.inf]) | st.floats(allow_nan=False)}
    ),
)


@pytest.mark.parametrize("option", ["ratio", "threshold"])
@given(corpus=scored_corpora(), data=st.data())
def test_given_points_equal_naive_scoring(option, corpus, data):
    references, scores = corpus
    values = (
        st.floats(0, 1) if option == "ratio" else st.sampled_from([-math.inf, math.inf]) | st.floats(allow_nan=False)
    )
    given_points = data.draw(st.lists(values, min_size=1, max_size=5))
    curve = sweep(words_text(references), scores, **{f"{option}s": given_points}, types=True, **WORDS)
    assert curve[option].tolist() == given_points
    gaps = [value for row in scores for value in row]
    for index, value in enumerate(given_points):
        expected = naive_scores(references, naive_segment_at(references, scores, **{option: value}))
        keys = (*SWEEP_KEYS, *TYPE_KEYS)
        assert {key: curve[key][index] for key in keys} == {key: expected[key] for key in keys}
        if option == "threshold":
            accepted = sum(score >= value for score in gaps)
            assert curve["ratio"][index] == (accepted / len(gaps) if gaps else 0.0)


def test_counts_are_joined_over_the_parts_that_are_read(monkeypatch):
    references, _ = random_corpus_pair(200, seed=3)
    scores = random_scores(references, seed=4, digits=2)
    options: dict[str, Any] = {"ratios": [0.0, 0.1, 0.3, 1.0], "types": True, **WORDS}
    whole = sweep(words_text(references), scores, **options)
    sides = {"references": words_text(references), "boundary_scores": scores, **WORDS}
    predictions = [SegmentationScores().segment_at(**sides, ratio=ratio) for ratio in options["ratios"]]
    monkeypatch.setattr("segscores.sources.source.PART_BYTES", 100)
    parts = sweep(words_text(references), scores, **options)
    assert whole["best"] == parts["best"]
    for key in (*SWEEP_KEYS, *TYPE_KEYS, "threshold"):
        assert whole[key].tolist() == parts[key].tolist()
    assert [SegmentationScores().segment_at(**sides, ratio=ratio) for ratio in options["ratios"]] == predictions


@pytest.mark.parametrize(("reference", "tnr"), TABLE_1)
def test_ends_are_the_trivial_segmenters_of_table_1(reference, tnr):
    gaps = len(reference.replace(" ", "")) - 1
    curve = sweep([reference], [list(range(gaps))], ratios=[0, 1], **WORDS)
    assert (
        curve["token_recall"].tolist() == curve["token_precision"].tolist() == curve["token_fscore"].tolist() == [0, 0]
    )
    assert curve["token_tnr"].tolist() == pytest.approx([tnr["T2"], tnr["T1"]], abs=1e-15)
    assert curve["threshold"].tolist() == [math.inf, 0.0]


def test_undefined_scores_are_passed_over_for_the_best():
    curve = sweep(["ab c"], [[0.1, 0.8]], zero_division=math.nan, **WORDS)
    assert math.isnan(curve["boundary_noedge_precision"][0])
    assert curve["best"]["boundary_noedge_precision"] == {"threshold": 0.8, "ratio": 0.5, "score": 1.0}
    blank = sweep([""], [[]], zero_division=math.nan, **WORDS)["best"]["token_recall"]
    assert math.isnan(blank["score"])
    assert (blank["threshold"], blank["ratio"]) == (math.inf, 0.0)


REFERENCES = [[("a", "b"), ("c",)], [], [("a",)], [("c",), ("b", "b"), ("a",)]]
SCORES = [[0.25, 0.5], [], [], [0.75, -1.0, 0.5]]


def one_a_unit(label_scheme: str) -> list[list[float]]:
    """SCORES with one more, that must not count, for each utterance that has a unit."""
    ignored = [math.nan, None, math.inf, -math.inf]  # None stands for the blank utterance
    if label_scheme == "start":
        return [[end, *row] if end is not None else [] for row, end in zip(SCORES, ignored, strict=True)]
    return [[*row, end] if end is not None else [] for row, end in zip(SCORES, ignored, strict=True)]


def torch_rows(dtype: str) -> list[Any]:
    return [torch.tensor(row, dtype=getattr(torch, dtype), requires_grad=True) for row in SCORES]


SCORE_FORMS = {
    "tuple of tuples": lambda: tuple(map(tuple, SCORES)),
    "generator": lambda: iter(SCORES),
    "lists with integers": lambda: [[0.25, 0.5], [], [], [0.75, -1, 0.5]],
    "lists of numpy scalars": lambda: [[np.float32(value) for value in row] for row in SCORES],
    "arrays": lambda: [np.array(row) for row in SCORES],
    "arrays of half precision": lambda: [np.array(row, np.float16) for row in SCORES],
    "arrays and lists": lambda: [np.array(SCORES[0]), *SCORES[1:]],
    "array of objects": lambda: np.array([np.array(row) for row in SCORES], object),
    "arrow": lambda: pa.array(SCORES),
    "arrow, 32-bit": lambda: pa.array(SCORES, pa.list_(pa.float32())),
    "arrow, chunked and sliced": lambda: pa.chunked_array([pa.array([[9.0], *SCORES[:2]])[1:], pa.array(SCORES[2:])]),
    "torch": lambda: torch_rows("float32"),
    "torch, bfloat16": lambda: torch_rows("bfloat16"),
    "pandas": lambda: __import__("pandas").Series(SCORES),
}


def assert_same(curve: dict[str, Any], expected: dict[str, Any]) -> None:
    assert list(curve) == list(expected)
    assert curve["best"] == expected["best"]
    for key in ("threshold", "ratio", *SWEEP_KEYS):
        assert curve[key].tolist() == expected[key].tolist()


@pytest.mark.parametrize("form", SCORE_FORMS)
def test_all_forms_of_boundary_scores_are_equivalent(form):
    assert_same(
        sweep(words_text(REFERENCES), SCORE_FORMS[form](), **WORDS), sweep(words_text(REFERENCES), SCORES, **WORDS)
    )


ROWS = [[0.25, 0.5], [0.75, 0.125]]
MATRICES = [
    np.array(ROWS, np.float32), torch.tensor(ROWS), pa.FixedSizeListArray.from_arrays(pa.array(np.ravel(ROWS)), 2),
]  # fmt: skip


@pytest.mark.parametrize("matrix", MATRICES, ids=["numpy", "torch", "arrow"])
def test_rows_of_a_matrix_are_utterances(matrix):
    references = ["ab c", "d ef"]
    assert_same(sweep(references, matrix, **WORDS), sweep(references, ROWS, **WORDS))


@pytest.mark.parametrize("label_scheme", ["start", "end"])
def test_scores_a_unit_ignore_the_edge(label_scheme):
    expected = sweep(words_text(REFERENCES), SCORES, **WORDS)
    curve = sweep(words_text(REFERENCES), one_a_unit(label_scheme), label_scheme=label_scheme, **WORDS)
    assert_same(curve, expected)


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


@pytest.mark.parametrize(
    ("scores", "options", "message"),
    [
        ([[0.1, 0.2], [0.3]], {},
         "utterance 1: received 1 boundary scores; expected 2, one for each inner gap of its 3 units"),
        ([[0.1, 0.2], [1, 2, 3]], {}, 'utterance 1: received 3 .* expected 2.*label_scheme="start" or "end"'),
        ([[0.1, 0.2], [1, 2, 3, 4]], {}, "utterance 1: received 4 .* expected 2.*two ends"),
        ([[0.1, 0.2], [1] * 9], {}, "utterance 1: received 9 .* expected 2.*padding"),
        ([[1, 2, 3], [1, 2]], {"label_scheme": "end"},
         "utterance 1: received 2 .* expected 3, one for each unit.*leave label"),
        ([[0.1, 0.2], [0.3, math.nan]], {}, "utterance 1: the score of gap 1 is nan; expected a finite number"),
        ([[0.1, 0.2], [-math.inf, 1]], {},
         "utterance 1: the score of gap 0 is -inf; expected a finite .* logarithm of 0"),
        ([[1, 2, 3], [1, math.inf, 2]], {"label_scheme": "end"}, "utterance 1: the score of unit 1 is inf"),
        ([[0.1, 0.2]], {}, "2 references and 1 lists of boundary scores: expected one list for each reference"),
        ([[0.1, 0.2]] * 2, {"thresholds": [0], "ratios": [0]}, "thresholds and ratios were both given"),
        ([[0.1, 0.2]] * 2, {"ratios": [0.5, 1.5]}, r"ratios: expected shares in \[0, 1\], received 1\.5"),
        ([[0.1, 0.2]] * 2, {"thresholds": []}, "thresholds is empty"),
        ([[0.1, 0.2]] * 2, {"types": True}, "pass thresholds or ratios with types=True"),
        ([[0.1, 0.2]] * 2, {"label_scheme": "BMES"}, "label_scheme=\"BMES\": boundary scores are"),
        (None, {}, "^boundary_scores: received None"),
        ("0.1 0.2", {}, "^boundary_scores: received '0.1 0.2'"),
        ({"scores": [[0.1]]}, {}, "^boundary_scores: received {'scores'"),
        (np.array([0.1, 0.2]), {}, r"an array of shape \(2,\) and type float64; expected one utterance per row"),
        (pa.array([0.1, 0.2]), {}, "an Arrow array of type double"),
        (pa.array([["a"]]), {}, "an Arrow array of type list"),
        ([0.1, 0.2], {}, r"boundary_scores, utterance 0: received 0\.1 \(float\); expected a list of numbers"),
        ([[0.1, 0.2], None], {}, r"boundary_scores, utterance 1: received None"),
        ([[0.1, 0.2], [0.1, None]], {}, r"boundary_scores, utterance 1: received None at index 1"),
        ([[0.1, 0.2], [0.1, 10**400]], {},
         "boundary_scores, utterance 1: received an integer that is too large for a float"),
        ([[0.1, 0.2], [0.1, "0.2"]], {}, r"boundary_scores, utterance 1: received '0\.2' \(str\) at index 1"),
        ([[0.1, 0.2], "ab"], {}, r"boundary_scores, utterance 1: received 'ab' \(str\)"),
        ([[0.1, 0.2], [[0.1], [0.2]]], {}, r"boundary_scores, utterance 1: received \[0\.1\] \(list\) at index 0"),
        ([[0.1, 0.2], np.zeros((2, 2))], {}, r"boundary_scores, utterance 1: received an array of shape \(2, 2\)"),
        (pa.array([[0.1, 0.2], None]), {}, "boundary_scores, utterance 1: received None"),
        (pa.array([[0.1, 0.2], [0.1, None]]), {}, "boundary_scores, utterance 1: the score of gap 1 is nan"),
    ],
)  # fmt: skip
def test_bad_values_are_named(scores, options, message):
    # The whole being of another form is a TypeError.
    with pytest.raises(TypeError if message.startswith(("^", "an ")) else ValueError, match=message):
        sweep(["ab c", "d ef"], scores, **(WORDS | options))


@pytest.mark.parametrize("wrap", [list, tuple, lambda rows: np.fromiter(rows, object)])
def test_a_masked_array_is_rejected(wrap):
    rows = [np.array([0.1, 0.2]), np.ma.array([0.1, 0.2], mask=[0, 1])]
    with pytest.raises(TypeError, match=r"^boundary_scores, utterance 1: received a masked array"):
        sweep(["ab c", "d ef"], wrap(rows), **WORDS)
    with pytest.raises(TypeError, match=r"^boundary_scores: received a masked array"):
        sweep(["ab c", "d ef"], np.ma.array([[0.1, 0.2]] * 2, mask=[[0, 1], [0, 0]]), **WORDS)


@pytest.mark.parametrize(
    ("references", "options", "error", "message"),
    [
        ([], {}, ValueError, "there is nothing to score"),
        ([[1, 0, 1]], {}, TypeError, "lists of integers: say how they mark words, such as reference_label_scheme"),
        (["ab c"], {"reference_label_scheme": "BI"}, TypeError, "the references are strings: leave it out"),
        ([[1, 0, 2]], {"reference_label_scheme": "start"}, ValueError, "utterance 0: unit 2 has the label 2"),
        ([["B", "I", "B"]], {"reference_label_scheme": "BI", "ratios": [0.5], "types": True}, ValueError,
         "types=True needs the words"),
        ([0.5], {}, TypeError, "references, utterance 0"),
    ],
)  # fmt: skip
def test_bad_references_are_named(references, options, error, message):
    with pytest.raises(error, match=message):
        sweep(references, [[0.1, 0.2]] * len(references), **options)


@pytest.mark.parametrize("points", ["0.5", [["0.5"]], [[0.5]], [True], 0.5])
def test_points_must_be_numbers(points):
    with pytest.raises(TypeError, match=re.escape("thresholds: expected a list of numbers")):
        sweep(["ab c"], [[0.1, 0.2]], thresholds=points, **WORDS)


TEXT_FORMS = tuple(name for name, form in FORMS.items() if form.has_words)


@pytest.mark.parametrize("name", TEXT_FORMS)
@given(corpus=scored_corpora(), point=points)
@example(corpus=([[]], [[]]), point={"ratio": 1.0})
@example(corpus=([[], [("a",)], []], [[], [], []]), point={"threshold": -math.inf})
@example(corpus=([[("a", "b"), ("a",)]], [[0.5, 0.5]]), point={"ratio": 0.25})
def test_the_prediction_at_a_point_equals_the_naive_one(name, corpus, point):
    references, scores = corpus
    form = FORMS[name]
    predicted = segment_at(form.write(references), scores, **point, **form.options)
    naive = form.write(naive_segment_at(references, scores, **point))
    if "ignored_tokens" in form.options:
        # What is ignored is left out, and a word boundary stands between words alone.
        naive = FORMS["units_text"].write(naive_segment_at(references, scores, **point))
        naive = [line.replace("WORD_BOUNDARY", form.options["word_boundary"]) for line in naive]
    assert predicted == naive


@pytest.mark.parametrize(
    ("reference", "options", "predicted"),
    [
        ("ab c", {"text_format": "words"}, "a bc"),
        (" a\u3000bc\r", {"text_format": "words"}, "a bc"),
        (["ab", "c"], {}, ["a", "bc"]),
        (["a ", "c"], {}, ["a", " c"]),
        ("ab c WORD_BOUNDARY d", {}, "ab WORD_BOUNDARY c d"),
        ("ab ;x c ;w ;x d ;w", {"word_boundary": ";w", "ignored_tokens": [";x"]}, "ab ;w c d"),
    ],
)
def test_the_prediction_is_in_the_form_of_the_reference(reference, options, predicted):
    assert segment_at([reference], [[0.9, 0.1]], threshold=0.5, **options) == [predicted]
    assert segment_at([reference], [[0.9, 0.1]], ratio=0.5, **options) == [predicted]


@pytest.mark.parametrize(
    ("scores", "options", "error", "message"),
    [
        ([[0.1, 0.2]], {}, ValueError, "expected one of threshold and ratio, received neither"),
        ([[0.1, 0.2]], {"ratio": 0.5, "threshold": 0.5}, ValueError,
         "expected one of threshold and ratio, received both"),
        ([[0.1, 0.2]], {"ratio": 1.5}, ValueError, r"expected shares in \[0, 1\], received 1\.5"),
        ([[0.1, 0.2]], {"ratio": math.nan}, ValueError, "expected numbers, received nan"),
        ([[0.1]], {"ratio": 0.5}, ValueError, "utterance 0: received 1 boundary scores; expected 2"),
        ([[0.1, 0.2]], {"ratio": 0.5, "label_scheme": "BI"}, ValueError, "label_scheme=\"BI\": boundary scores are"),
    ],
)  # fmt: skip
def test_bad_points_are_named(scores, options, error, message):
    with pytest.raises(error, match=message):
        segment_at(["ab c"], scores, **(WORDS | options))


@pytest.mark.parametrize(
    ("references", "error", "message"),
    [
        ([], ValueError, "there is nothing to score"),
        ([[1, 0, 1]], TypeError, "the references are lists of integers: expected strings or lists of words"),
        (None, TypeError, "references: received None"),
    ],
)
def test_a_prediction_needs_the_text(references, error, message):
    with pytest.raises(error, match=message):
        segment_at(references, [[0.1, 0.2]] * (references is not None and len(references)), ratio=0.5, **WORDS)
