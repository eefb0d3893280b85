"""Values of the test suites of other scorers, each row with the file and the name of the test that it comes from.

Expected values are theirs, as printed there. A segment of three units is a word of three letters.
"""

import math
from collections.abc import Sequence
from itertools import pairwise, permutations
from typing import Any

import pytest

import segscores
from segscores import score, score_agreement

WORDS = {"text_format": "words"}


def of_masses(masses: Sequence[int]) -> str:
    """The text of segments of so many units."""
    return " ".join("x" * mass for mass in masses)


def of_positions(labels: Sequence[int]) -> str:
    """The text in which each unit has the number of its segment."""
    return of_masses([labels.count(label) for label in dict.fromkeys(labels)])


def of_gaps(symbols: str) -> str:
    """The text of a symbol for each gap, 1 where there is a boundary."""
    return "".join("x " if symbol == "1" else "x" for symbol in symbols) + "x"


# wordseg (github.com/bootphon/wordseg, commit 0954987), test/test_evaluate.py: for each test the units, the words, the gold
# words; and precision, recall and F of types, tokens, boundaries with edges and without them, and the adjusted Rand index.
WORDSEG = {
    "test_basic_1": ("th e d o g b i te s th e d o g", "the dog bites thedog", "the dog bites the dog",
                     (0.75, 1.0, 0.8571428571428571, 0.75, 0.6, 0.6666666666666666, 1.0, 0.8333333333333334,
                      0.9090909090909091, 1.0, 0.75, 0.8571428571428571, 0.7845303867403315)),
    "test_basic_2": ("t h e d o g b i t e s t h e d o g", "thedog bites thedog", "the dog bites the dog",
                     (0.5, 0.3333333333333333, 0.4, 0.3333333333333333, 0.2, 0.25, 1.0, 0.6666666666666666, 0.8, 1.0, 0.5,
                      0.6666666666666666, 0.6330935251798561)),
    "test_basic_3": ("t h e d o g b i t e s t h e d o g", "thedogbitest hedog", "the dog bites the dog",
                     (0, 0, 0, 0, 0, 0, 0.6666666666666666, 0.3333333333333333, 0.4444444444444444, 0, 0, 0,
                      0.20993589743589744)),
    "test_basic_4": ("t h e d o g b i t e s t h e d o g", "th e dog bit es the d og", "the dog bites the dog",
                     (0.25, 0.6666666666666666, 0.36363636363636365, 0.25, 0.4, 0.3076923076923077, 0.6666666666666666, 1.0,
                      0.8, 0.5714285714285714, 1.0, 0.7272727272727273, 0.66796875)),
    "test_basic_5": ("th e b a n d a ge o f th e b a n d a ge", "the band age of the band age", "the bandage of the band age",
                     (1.0, 0.8, 0.8888888888888888, 0.7142857142857143, 0.8333333333333334, 0.7692307692307693, 0.875, 1.0,
                      0.9333333333333333, 0.8333333333333334, 1.0, 0.9090909090909091, 0.7804878048780488)),
    "test_basic_6": ("i c e i c e c r e a m i s i c e c r e a m", "ice icecream is ice cream", "ice ice cream is icecream",
                     (1.0, 1.0, 1.0, 0.4, 0.4, 0.4, 0.8333333333333334, 0.8333333333333334, 0.8333333333333334, 0.75, 0.75,
                      0.75, 0.5757575757575757)),
}  # fmt: skip


def with_units(text: str, units: str) -> str:
    """Units text of words, whose units may have several letters."""
    rest, words = iter(units.split()), []
    for word in text.split():
        of_word: list[str] = []
        while len("".join(of_word)) < len(word):
            of_word.append(next(rest))
        words.append(" ".join(of_word))
    return " WORD_BOUNDARY ".join(words)


@pytest.mark.parametrize("name", WORDSEG)
def test_wordseg(name: str) -> None:
    units, text, gold, expected = WORDSEG[name]
    groups = ["type", "token", "boundary_all", "boundary_noedge", "rand"]
    found = score([with_units(gold, units)], [with_units(text, units)], scores=groups)
    assert tuple(found.values()) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("text", "gold", "expected"),
    [
        ("hello", "hello", (1, 1, 1, None, None, None)),
        ("he llo", "hello", (2 / 3, 1, 4 / 5, 0, None, 0)),
        ("hell o", "h ello", (2 / 3, 2 / 3, 2 / 3, 0, 0, 0)),
    ],
    ids=["test_boundary_1", "test_boundary_2", "test_boundary_3"],
)
def test_wordseg_of_0_by_0(text: str, gold: str, expected: tuple[float | None, ...]) -> None:
    """None is nan here."""
    found = score([gold], [text], scores=["boundary_all", "boundary_noedge"], zero_division=math.nan, **WORDS)
    assert [None if math.isnan(value) else value for value in found.values()] == pytest.approx(list(expected))


# test_summary_over, _under, _mis and _mixed: the words of the gold "baby going home" that are wrong, each with its kind.
KINDS = {
    "bab y going home": {"baby": "over"},
    "ba b y going home": {"baby": "over"},
    "ba by go ing home": {"baby": "over", "going": "over"},
    "baby goin g home": {"going": "over"},
    "baby going h o me": {"home": "over"},
    "ba b y go i ng hom e": {"baby": "over", "going": "over", "home": "over"},
    "babygoing home": {"baby": "under", "going": "under"},
    "babygoinghome": {"baby": "under", "going": "under", "home": "under"},
    "baby goinghome": {"going": "under", "home": "under"},
    "bab ygoing home": {"baby": "mis", "going": "mis"},
    "ba bygoi ng home": {"baby": "mis", "going": "mis"},
    "baby goin ghom e": {"going": "mis", "home": "mis"},
    "baby goingh ome": {"going": "mis", "home": "mis"},
    "babygoingh ome": {"baby": "mis", "going": "mis", "home": "mis"},
    "bab ygoinghome": {"baby": "mis", "going": "mis", "home": "mis"},
    "ba b y goinghome": {"baby": "over", "going": "under", "home": "under"},
    "ba by goin ghom e": {"baby": "over", "going": "mis", "home": "mis"},
}


@pytest.mark.parametrize("text", KINDS)
def test_wordseg_summary(text: str) -> None:
    found = segscores.analyse_errors(["baby going home"], [text], **WORDS).to_dict()
    kinds = {row["name"]: kind for row in found["word_types"] for kind in ("over", "under", "mis") if row[kind]}
    assert kinds == KINDS[text]


# segeval 2.0.11 (github.com/cfournie/segmentation.evaluation), segeval/window/pk_test.py and windowdiff_test.py: hypothesis,
# reference, options, Pk, WindowDiff; None if no test has the value.
ALL, NONE, SOME = of_masses([1] * 13), of_masses([13]), of_positions([1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 3])
MOVED, EXTRA = of_masses([5, 3, 5]), of_masses([5, 1, 2, 5])
LONG = (
    of_masses([2, 31, 4, 1, 1, 3, 11, 5, 21, 4, 2, 1, 17, 26, 16, 1, 17, 4, 3, 7, 7, 6, 12, 1, 6, 25, 2, 4, 3, 16, 8]),
    of_masses([2, 36, 1, 3, 10, 1, 5, 21, 4, 3, 59, 8, 10, 4, 3, 7, 13, 12, 7, 27, 4, 3, 24]),
)
SEGEVAL_WINDOWS: dict[str, tuple[str, str, dict[str, Any], float | None, float | None]] = {
    "test_one_minus": (of_masses([2, 3, 6]), of_masses([2, 2, 7]), {}, 2 / 9, 2 / 9),
    "test_window_size_specified": (of_masses([2, 3, 6]), of_masses([2, 2, 7]), {"window_size": 2}, 2 / 9, 2 / 9),
    "test_no_boundaries a": (SOME, NONE, {}, 1.0, 1.0),
    "test_no_boundaries b": (NONE, SOME, {}, 0.3636363636363636, 0.3636363636363636),
    "test_all_boundaries a": (ALL, SOME, {}, 0.6363636363636364, 1.0),
    "test_all_boundaries b": (SOME, ALL, {}, 0.6363636363636364, 1.0),
    "test_all_and_no_boundaries a": (ALL, NONE, {}, 1.0, 1.0),
    "test_all_and_no_boundaries b": (NONE, ALL, {}, 1.0, 1.0),
    "test_translated_boundary a": (MOVED, SOME, {}, 2 / 11, 2 / 11),
    "test_translated_boundary b": (SOME, MOVED, {}, 2 / 11, 2 / 11),
    "test_extra_boundary a": (MOVED, EXTRA, {}, 1 / 11, 2 / 11),
    "test_extra_boundary b": (EXTRA, MOVED, {}, 1 / 11, 2 / 11),
    "test_full_miss_and_misaligned a": (SOME, EXTRA, {}, 3 / 11, 3 / 11),
    "test_full_miss_and_misaligned b": (EXTRA, SOME, {}, 3 / 11, 3 / 11),
    "test_boundary_format_nltk": (of_gaps("0100100000"), of_gaps("0101000000"), {"window_size": 2}, 2 / 9, 2 / 9),
    "test_nltk 1": (of_gaps("1000100"), of_gaps("1000100"), {"window_size": 3}, 0.0, 0.0),
    "test_nltk 2": (of_gaps("010"), of_gaps("100"), {"window_size": 2}, 0.5, None),
    "test_nltk 3": (of_gaps("111111"), of_gaps("100100"), {"window_size": 2}, 0.4, None),
    "test_nltk 4": (of_gaps("000000"), of_gaps("100100"), {"window_size": 2}, 0.6, None),
    "test_nltk 5": (of_gaps("111111"), of_gaps("100100"), {"window_size": 3}, 0.0, None),
    "test_nltk 6": (of_gaps("000000"), of_gaps("100100"), {"window_size": 3}, 1.0, None),
    "test_nltk s2, s1": (of_gaps("000010000100"), of_gaps("000100000010"), {"window_size": 3}, None, 0.3),
    "test_nltk s3, s2": (of_gaps("100000010000"), of_gaps("000010000100"), {"window_size": 3}, None, 0.8),
    "test_thesis_all_and_none": (of_masses([1] * 11), of_masses([11]), {}, None, 1.0),
    "test_scaiano_paper_b": (of_masses([12]), of_masses([6, 6]), {}, None, 3 / 9),
    "test_scaiano_paper_c": (of_masses([5, 7]), of_masses([6, 6]), {}, None, 2 / 9),
    "test_scaiano_paper_d": (of_masses([1, 5, 6]), of_masses([6, 6]), {}, None, 1 / 9),
    "test_scaiano_paper_e": (of_masses([5, 1, 1, 5]), of_masses([6, 6]), {}, None, 5 / 9),
    "test_long_format": (*LONG, {}, 0.1532567049808429, 0.2681992337164751),
}


@pytest.mark.parametrize("name", SEGEVAL_WINDOWS)
def test_segeval_windows(name: str) -> None:
    hypothesis, reference, options, *values = SEGEVAL_WINDOWS[name]
    expected = {key: value for key, value in zip(("pk", "window_diff"), values, strict=True) if value is not None}
    assert score([reference], [hypothesis], scores=list(expected), **options, **WORDS) == pytest.approx(expected)


# segeval/similarity/boundary_test.py and segmentation_test.py: two segmentations, B, S.
SEGEVAL_SIMILARITY: dict[str, tuple[str, str, float | None, float | None]] = {
    "test_fn": (of_masses([2, 3, 6]), of_masses([5, 6]), 0.5, 0.9),
    "test_fp": (of_masses([2, 3, 6]), of_masses([2, 3, 3, 3]), 2 / 3, 0.9),
    "test_near_miss": (of_masses([2, 3, 6]), of_masses([2, 2, 7]), 0.75, 0.95),
    "test_boundary_format_nltk of B": (of_gaps("01001000000"), of_gaps("01010000000"), 0.75, None),
    "test_boundary_format_nltk of S": (of_gaps("0100100000"), of_gaps("0101000000"), None, 0.95),
    "test_clustered_fps": (of_masses([2, 3, 6]), of_masses([1, 1, 3, 1, 5]), 0.5, 0.8),
    "test_positions": (NONE, SOME, 0.0, None),
    "test_int_as_param": (of_masses([11]), of_masses([5, 6]), 0.0, None),
}


@pytest.mark.parametrize("name", SEGEVAL_SIMILARITY)
def test_segeval_similarity(name: str) -> None:
    left, right, *values = SEGEVAL_SIMILARITY[name]
    keys = ("boundary_similarity", "segmentation_similarity")
    expected = {key: value for key, value in zip(keys, values, strict=True) if value is not None}
    for sides in ([left], [right]), ([right], [left]):
        assert score(*sides, scores=list(expected), **WORDS) == pytest.approx(expected)


# segeval/data/samples.py: seven coders of "Stargazers look for life" (Hearst 1997), two of them, and two hypotheses.
STARGAZER = {
    "1": [2, 3, 3, 1, 3, 6, 3],
    "2": [2, 8, 2, 4, 2, 3],
    "h1": [2, 6, 4, 2, 4, 3],
    "h2": [2, 1, 1, 1, 5, 8, 2, 1],
}
# test_pk_datasets, test_wd_datasets, test_b_datasets, test_s_datasets.
OF_STARGAZER = {
    ("h1", "1"): (0.26315789, 0.31578947, 0.57142857, 0.85),
    ("h2", "1"): (0.36842105, 0.47368421, 0.38888888, 0.725),
    ("h1", "2"): (0.42105263, 0.42105263, 0.42857142, 0.8),
    ("h2", "2"): (0.42105263, 0.47368421, 0.33333333, 0.7),
}


@pytest.mark.parametrize("pair", OF_STARGAZER)
def test_segeval_of_hearst_1997(pair: tuple[str, str]) -> None:
    hypothesis, reference = ([of_masses(STARGAZER[name])] for name in pair)
    keys = ("pk", "window_diff", "boundary_similarity", "segmentation_similarity")
    found = score(reference, hypothesis, scores=keys, **WORDS)
    assert [found[key] for key in keys] == pytest.approx(OF_STARGAZER[pair], abs=1e-8)


# segeval/data/samples.py: chapters of "The Moonstone" by the coders of group 5 (Kazantseva and Szpakowicz 2012).
MOONSTONE = {
    "ch1": [[2, 8, 2, 1], [11, 2], [2, 1, 7, 2, 1], [9, 4]],
    "ch11": [
        [10, 4, 3, 2, 1, 8, 3, 2, 6, 1, 2, 8, 10, 9, 4, 10, 4, 8, 4, 3, 5, 4],
        [20, 22, 8, 11, 11, 11, 13, 11, 4],
        [1, 7, 2, 4, 3, 3, 10, 1, 1, 5, 3, 2, 8, 3, 3, 3, 14, 4, 1, 1, 4, 4, 2, 7, 3, 2, 3, 3, 2, 1, 1],
        [10, 10, 15, 11, 4, 10, 13, 5, 4, 23, 6],
    ],
    "ch4": [[2, 9, 2, 5, 2, 19, 1, 6], [17, 25, 4], [1, 10, 2, 4, 1, 2, 3, 10, 6, 6, 1], [12, 5, 29]],
    "ch3": [[2, 3, 4, 2, 5, 17, 4, 1], [6, 5, 27], [3, 8, 2, 3, 17, 2, 2, 1], [3, 15, 15, 5]],
}


def test_segeval_of_kazantseva_and_szpakowicz_2012() -> None:
    """test_kazantseva2012_g5: the mean over the ordered pairs of coders of each chapter."""
    pairs = [pair for coders in MOONSTONE.values() for pair in permutations(coders, 2)]
    sides = [[of_masses(pair[side]) for pair in pairs] for side in (0, 1)]
    mean = {"average": "macro", "window_size": "utterance"}
    found = score(*sides, scores=["pk", "window_diff"], **mean, **WORDS)
    assert found == pytest.approx({"pk": 0.35530058282396693, "window_diff": 0.42514977232721135})


COMPLETE = [
    [masses] * 4 for masses in ([2, 8, 2, 1], [20, 22, 8, 11, 11, 11, 13, 11, 4], [2, 9, 2, 5, 2, 19, 1, 6], [6, 5, 27])
]
# segeval/agreement/pi_test.py, kappa_test.py and bias_test.py: the texts by the same coders, pi, kappa, bias.
SEGEVAL_AGREEMENT: dict[str, tuple[list[list[list[int]]], float, float, float | None]] = {
    "g5": ([*MOONSTONE.values()], 0.2399575652197197, 0.24210993245790464, 0.00277829320319822),
    "g5_ch1": ([MOONSTONE["ch1"]], 0.22267206477732793, 0.22580645161290322, 0.00390625),
    "test_fleiss_pi 1": ([[[2, 8, 2, 1], [2, 1, 7, 2, 1]]], 0.7267552182163188, 0.7272727272727273, None),
    "test_fleiss_pi 2": ([[[2, 8, 2, 1], [11, 2]]], 0.14285714285714285, 0.14893617021276595, None),
    "disagree": ([[[n], [1] * n] for n in (12, 20, 5, 42)], -1 / 3, 0.0, 0.25),
    "complete": (COMPLETE, 1.0, 1.0, None),
}


@pytest.mark.parametrize("name", SEGEVAL_AGREEMENT)
def test_segeval_agreement(name: str) -> None:
    texts, pi, kappa, bias = SEGEVAL_AGREEMENT[name]
    annotators = [[of_masses(text[coder]) for text in texts] for coder in range(len(texts[0]))]
    found = score_agreement(annotators, expected="mean", **WORDS)
    assert (found["agreement_pi"], found["agreement_kappa"]) == pytest.approx((pi, kappa))
    if bias is not None:
        assert found["agreement_bias"] == pytest.approx(bias)


# NLTK 3.10 (github.com/nltk/nltk), the examples of nltk/metrics/segmentation.py and nltk/test/metrics.doctest: the function, the
# reference and the hypothesis with a symbol for each gap, k, the value. Its examples of `ghd` have half of its default costs.
S1, S2, S3 = "000100000010", "000010000100", "100000010000"
NLTK = [
    ("window_diff", S1, S1, 3, 0.0),
    ("window_diff", S1, S2, 3, 0.3),
    ("window_diff", S2, S3, 3, 0.8),
    ("window_diff", S1, "0" * 12, 3, 0.5),
    ("window_diff", S1, "1" * 12, 3, 1.0),
    ("pk", "0100" * 100, "1" * 400, 2, 0.50),
    ("pk", "0100" * 100, "0" * 400, 2, 0.50),
    ("pk", "0100" * 100, "0100" * 100, 2, 0.00),
    ("generalized_hamming", "1100100000", "1100010000", 2, 2 * 0.5),
    ("generalized_hamming", "1100100000", "1100000001", 2, 2 * 2.0),
    ("generalized_hamming", "011", "110", 2, 2 * 1.0),
    ("generalized_hamming", "1", "0", 2, 2 * 1.0),
    ("generalized_hamming", "111", "000", 2, 2 * 3.0),
]


@pytest.mark.parametrize(("key", "reference", "hypothesis", "k", "expected"), NLTK)
def test_nltk(key: str, reference: str, hypothesis: str, k: int, expected: float) -> None:
    options: dict[str, Any] = {"window_size": k, "window_convention": "nltk"}
    found = score([of_gaps(reference)], [of_gaps(hypothesis)], scores=key, **options, **WORDS)
    assert found[key] == pytest.approx(expected, abs=0.005)


# jiwer 4 (github.com/jitsi/jiwer), tests/test_measures.py, test_cer.py and test_empty_ref.py: units, units, the error rate.
# A unit is a word; in test_cer.py a character, where ~ is the space.
JIWER = [
    ("This is a test", "This is a test", 0),
    ("This is a test", "", 1),
    ("This is a test", "This test", 0.5),
    ("hello this sentence is fractured", "this sentence", 0.6),
    ("i am a short ground truth", "i am a considerably longer and very much incorrect hypothesis", 7 / 6),
    ("X", "X", 0),
    ("X", "X X Y Y", 3),
    ("X Y X", "X Z", 2 / 3),
    ("X", "Y", 1),
    ("X", "Y Z", 2),
    ("", "hello", 1),
    ("", "0 1 2 3 4 5 6", 7),
    ("hello", "", 1),
    *((" ".join(left), " ".join(right), rate) for left, right, rate in [
        ("This~is~a~test", "This~test", 5 / 14), ("X", "X~X~Y~Y", 6), ("X~Y~X", "X~Z", 3 / 5), ("X", "Y~Z", 3)]),
]  # fmt: skip


@pytest.mark.parametrize(("reference", "hypothesis", "rate"), JIWER)
def test_jiwer(reference: str, hypothesis: str, rate: float) -> None:
    found = score([reference], [hypothesis], scores="unit_error", on_mismatch="align")
    assert found["unit_error_rate"] == pytest.approx(rate)


# mir_eval (github.com/mir-evaluation/mir_eval), tests/data/segment: ref00.lab and est00.lab, ref01.lab and est01.lab, as
# evaluate() fits them to each other: both begin at 0 and end where the reference ends; and the values of output00.json and
# output01.json.
REF00 = "0 0.383 7.332 27.109 47.015 67.123 87.103 107.649 128.114 142.763"
EST00 = "0 6.0 14.8 26.4 34.8 46.6 52.6 58.0 67.2 85.8 95.0 107.2 114.0 119.0 127.8 133.8 138.4 142.763"
REF01 = "0 0.436 111.316 124.345 137.409 154.178 167.193 180.41 197.305 210.605 224.052 241.258 254.268 267.205 292.617"
EST01 = "0 5.55 17.264 23.116 36.467 110.98 154.076 197.265 241.232 291.979 292.617"
MIR_EVAL = {
    "output00.json": (REF00, EST00, {0.5: (0.3333333333333333, 0.6, 0.42857142857142855), 3.0: (0.5, 0.9, 0.6428571428571429)}),
    "output01.json": (REF01, EST01, {0.5: (0.5454545454545454, 0.4, 0.4615384615384615),
                                     3.0: (0.5454545454545454, 0.4, 0.4615384615384615)}),
}  # fmt: skip


@pytest.mark.parametrize("name", MIR_EVAL)
def test_mir_eval(name: str) -> None:
    *boundaries, by_window = MIR_EVAL[name]
    sides = [[[(*times, "x") for times in pairwise(map(float, side.split()))]] for side in boundaries]
    for window, expected in by_window.items():
        found = score(*sides, text_format="times", scores="boundary_all", tolerance=window)
        assert tuple(found.values()) == pytest.approx(expected)
