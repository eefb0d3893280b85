"""Alignment scores: ARCADE's example, vecalign's scores, the definitions with sets, and bad input."""

import math
import pickle
from collections.abc import Callable, Sequence

import numpy as np
import pyarrow as pa
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from segscores.analysis.bitext.alignment import compare_alignments, plan_of_levels, score_alignment, tally_bitexts
from segscores.analysis.bitext.bitexts import BisegmentError, read_bitexts
from segscores.scoring.measures.bisegments import LEVELS
from segscores.scoring.measures.registry import GROUPS

from ...naive import prf, ratio


def tally_alignment(references, predictions, sources=None, targets=None, scores=None):
    """The counts of the levels, with a value for each bitext."""
    plan = plan_of_levels(scores, texts_known=sources is not None, zero_division=0.0)
    columns = tally_bitexts(read_bitexts(references, predictions, sources, targets), plan).columns
    return {name: values for name, values in columns.items() if name not in ("utterances", "units")}


ARCADE_LEVELS = ("alignment", "sentence", "word", "character")
VECALIGN_LEVELS = ("strict", "lax")


SOURCES = [["Ceci est la phrase numéro un.", "Ceci est la phrase numéro deux, qui ressemble à la première."]]
TARGETS = [["This is the first sentence.", "This is the second sentence.", "It looks like the first."]]
REFERENCES = [[{"source": [0], "target": [0]}, {"source": [1], "target": [1, 2]}]]
PREDICTIONS = [[{"source": [0], "target": [0]}, {"source": [], "target": [1]}, {"source": [1], "target": [2]}]]

# What the document prints, number by number, where it follows from its definitions, with the digits that it prints.
PRINTED_COUNTS = {
    "alignment_matched": 1, "alignment_predicted": 3, "alignment_reference": 2, "sentence_matched": 2,
    "sentence_predicted": 2, "sentence_reference": 3, "word_reference": 140, "character_matched": 2223,
    "character_predicted": 2223, "character_reference": 3903,
}  # fmt: skip
PRINTED_SCORES = {
    "alignment_precision": "0.33", "alignment_recall": "0.50", "alignment_fscore": "0.40", "sentence_precision": "1.00",
    "sentence_fscore": "0.80", "word_precision": "1.00", "character_precision": "1.00", "character_recall": "0.57",
    "character_fscore": "0.73",
}  # fmt: skip
# Where it contradicts itself: what it prints, and what its definitions give. It multiplies the words of s2 and t3 as 11·6,
# and t3 has five words; and it cuts 2/3 off where it rounds everything else.
CONTRADICTED_COUNTS = {"word_matched": (96, 5 * 6 + 11 * 5), "word_predicted": (96, 5 * 6 + 11 * 5)}
CONTRADICTED_SCORES = {
    "sentence_recall": ("0.66", "0.67"),
    "word_recall": ("0.69", "0.61"),
    "word_fscore": ("0.82", "0.76"),
}


def test_arcade_prints_the_counts_and_the_scores():
    counts = tally_alignment(REFERENCES, PREDICTIONS, sources=SOURCES, targets=TARGETS)
    expected = PRINTED_COUNTS | {column: defined for column, (_, defined) in CONTRADICTED_COUNTS.items()}
    assert {column: counts[column].tolist() for column in expected} == {key: [count] for key, count in expected.items()}
    scores = score_alignment(REFERENCES, PREDICTIONS, sources=SOURCES, targets=TARGETS)
    printed = PRINTED_SCORES | {key: defined for key, (_, defined) in CONTRADICTED_SCORES.items()}
    assert {key: f"{scores[key]:.2f}" for key in printed} == printed
    assert all(left != right for left, right in (*CONTRADICTED_COUNTS.values(), *CONTRADICTED_SCORES.values()))


# Two bitexts with insertions, deletions, crossing and discontinuous bisegments, in the manner of the Bleualign gold files.
GOLD = [
    [*[([0], [0, 1]), ([1], [2]), ([51], [50, 55]), ([], [51]), ([], [52]), ([6, 7], [9, 10])],
        *[([111], [123]), ([112], [122]), ([106], []), ([122], [142, 143])]],
    [([0], [0]), ([1, 2], [1]), ([], [2]), ([3], [3])],
]  # fmt: skip
TEST = [
    [*[([0], [0]), ([], [1]), ([1], [2]), ([51], [50]), ([], [51]), ([], [52]), ([], [53]), ([6], [9])],
        *[([7], [10]), ([111, 112], [122, 123]), ([106], [116]), ([122], [142, 143])]],
    [([0], [1]), ([1, 2], [1]), ([], [2]), ([3], [])],
]  # fmt: skip
# Printed for them by score_multiple of vecalign's score.py (github.com/thompsonb/vecalign, commit b9d732c).
VECALIGN_SCORES = {
    "strict_precision": 0.375, "strict_recall": 0.3, "strict_fscore": 0.33333333333333326, "lax_precision": 0.6875,
    "lax_recall": 0.8, "lax_fscore": 0.7394957983193278,
}  # fmt: skip


def test_strict_and_lax_equal_vecalign():
    assert score_alignment(GOLD, TEST, scores=VECALIGN_LEVELS) == pytest.approx(VECALIGN_SCORES, abs=1e-15)


#: References, predictions, sources and targets.
Bitexts = tuple[list, list, list, list]


def score_bitexts(bitexts: Bitexts, **options):
    return score_alignment(*bitexts[:2], **{"sources": bitexts[2], "targets": bitexts[3]} | options)


def as_set(bisegments: Sequence) -> set:
    return {(frozenset(source), frozenset(target)) for source, target in bisegments}


def naive_pairs(alignment: set) -> set:
    return {(i, j) for source, target in alignment for i in source for j in target}


def naive_counts(bitexts: Bitexts) -> dict[str, int]:
    """Every count, by the definitions: ARCADE's with sets; strict and lax by a reading of vecalign's score.py."""
    counts = dict.fromkeys((column for level in LEVELS.values() for column in level.columns), 0)
    for bitext in zip(*bitexts, strict=True):
        reference, prediction = as_set(bitext[0]), as_set(bitext[1])
        sources, targets = bitext[2:]
        sets = {
            "matched": (reference & prediction, naive_pairs(reference) & naive_pairs(prediction)),
            "predicted": (prediction, naive_pairs(prediction)),
            "reference": (reference, naive_pairs(reference)),
        }
        for kind, (bisegments, pairs) in sets.items():
            counts[f"alignment_{kind}"] += len(bisegments)
            counts[f"sentence_{kind}"] += len(pairs)
            counts[f"word_{kind}"] += sum(len(sources[i].split()) * len(targets[j].split()) for i, j in pairs)
            counts[f"character_{kind}"] += sum(len(sources[i]) * len(targets[j]) for i, j in pairs)
        judged = {
            "predicted": ({pair for pair in prediction if pair[0] or pair[1]}, reference),
            "reference": ({pair for pair in reference if pair[0] and pair[1]}, prediction),
        }
        for kind, (bisegments, others) in judged.items():
            exact = bisegments & others
            near = {one for one in bisegments if any(one[0] & other[0] and one[1] & other[1] for other in others)}
            for level, right in (("strict", exact), ("lax", exact | near)):
                counts[f"{level}_{kind}"] += len(bisegments)
                counts[f"{level}_{kind}_matched"] += len(right)
    return counts


def naive_scores(bitexts: Bitexts, zero_division: float = 0.0) -> dict[str, float]:
    counts = naive_counts(bitexts)
    scores = {}
    for level in ARCADE_LEVELS:
        scores |= prf(
            level, *(counts[f"{level}_{kind}"] for kind in ("matched", "predicted", "reference")), zero_division
        )
    for level in VECALIGN_LEVELS:
        precision, recall = (
            ratio(counts[f"{level}_{side}_matched"], counts[f"{level}_{side}"], zero_division)
            for side in ("predicted", "reference")
        )
        scores[f"{level}_precision"], scores[f"{level}_recall"] = precision, recall
        scores[f"{level}_fscore"] = ratio(2 * precision * recall, precision + recall, 0.0)
    return scores


@st.composite
def bitexts_strategy(draw) -> Bitexts:
    """Small bitexts with everything that the definition allows, so that bisegments meet by chance."""
    columns: Bitexts = ([], [], [], [])
    text = st.text(st.sampled_from("aé字 \u3000\u200b"), max_size=6)
    for _ in range(draw(st.integers(1, 4))):
        sources, targets = draw(st.lists(text, max_size=3)), draw(st.lists(text, max_size=3))
        halves = [
            st.lists(st.integers(0, len(texts) - 1), max_size=3) if texts else st.just([])
            for texts in (sources, targets)
        ]
        bisegments = st.lists(st.tuples(*halves), max_size=5)
        reference = draw(bisegments)
        kept = draw(st.lists(st.sampled_from(reference), max_size=3)) if reference else []
        prediction = draw(st.permutations(kept + draw(bisegments)))
        for column, value in zip(columns, (reference, prediction, sources, targets), strict=True):
            column.append(value)
    return columns


any_bitexts = bitexts_strategy()


@pytest.mark.filterwarnings("ignore:the (references|predictions) count segments from 1")
@given(any_bitexts, st.sampled_from([0.0, 0.5, 1.0, math.nan]))
def test_scores_follow_the_definitions(bitexts, zero_division):
    scores = score_bitexts(bitexts, zero_division=zero_division)
    assert scores == pytest.approx(naive_scores(bitexts, zero_division), abs=1e-12, nan_ok=True)
    assert all(type(score) is float for score in scores.values())


@given(any_bitexts)
def test_columns_have_one_count_for_every_bitext(bitexts):
    columns = tally_alignment(*bitexts[:2], sources=bitexts[2], targets=bitexts[3])
    for index in range(len(bitexts[0])):
        alone = tuple(column[index : index + 1] for column in bitexts)
        assert {column: values[index] for column, values in columns.items()} == naive_counts(alone)


@given(any_bitexts)
def test_levels_without_texts_do_not_change_with_them(bitexts):
    alone = score_alignment(*bitexts[:2])
    assert alone == score_bitexts(bitexts, scores=[name for name in LEVELS if "words" not in LEVELS[name].needs])


def test_weights_are_exact_beyond_2_to_the_53():
    long, count = "a" * 1_000_001, 100
    everything = (range(count), range(count))
    columns = tally_alignment(
        [[everything, ([count], [count])]],
        [[everything]],
        sources=[[long] * count + ["a"]],
        targets=[[long] * count + ["b"]],
        scores="character",
    )
    product = len(long) ** 2 * count**2
    assert int(float(product + 1)) != product + 1, "the example is too small to show anything"
    assert int(columns["character_reference"][0]) == product + 1
    assert int(columns["character_predicted"][0]) == product


def as_dicts(alignments):
    return [[{"source": list(source), "target": list(target)} for source, target in bitext] for bitext in alignments]


def as_arrow(alignments):
    numbers = pa.list_(pa.int64())
    return pa.array(as_dicts(alignments), pa.list_(pa.struct([("source", numbers), ("target", numbers)])))


def each_half(convert: Callable) -> Callable:
    return lambda alignments: [
        [(convert(source), convert(target)) for source, target in bitext] for bitext in alignments
    ]


@pytest.mark.parametrize(
    "convert",
    [
        pytest.param(as_dicts, id="dicts"),
        pytest.param(as_arrow, id="Arrow structs"),
        pytest.param(lambda alignments: pa.chunked_array([as_arrow(alignments)]), id="chunked Arrow structs"),
        pytest.param(each_half(tuple), id="tuples"),
        pytest.param(each_half(set), id="sets"),
        pytest.param(each_half(lambda half: np.array(half, np.int32)), id="arrays"),
        pytest.param(lambda alignments: (iter(bitext) for bitext in alignments), id="iterators"),
    ],
)
def test_all_forms_have_the_same_scores(convert):
    assert score_alignment(convert(GOLD), convert(TEST)) == score_alignment(GOLD, TEST)


def test_levels_come_in_the_order_asked_for_and_once():
    texts = {"sources": SOURCES, "targets": pa.array(TARGETS)}
    without = ("alignment", "sentence", "strict", "lax")
    for names, options in (
        (LEVELS, texts),
        (without, {}),
        (("lax", "sentence"), {"scores": ["lax", "sentence", "lax"]}),
        (("sentence",), {"scores": "sentence"}),
    ):
        found = score_alignment(REFERENCES, PREDICTIONS, **options)
        assert list(found) == [key for name in names for key in LEVELS[name].keys]
    for name, level in LEVELS.items():
        columns = tally_alignment(REFERENCES, PREDICTIONS, **texts, scores=name)
        assert set(columns) == set(level.columns)
        assert all((level.title, level.definition, level.formula, level.source))


#: Three bitexts; the second system finds all of the first, one of two of the second, and none of the third.
THREE = [[([0], [0])], [([0], [0]), ([1], [1])], [([0], [0]), ([1], [1]), ([2], [2])]]
SYSTEMS = {"all": THREE, "some": [THREE[0], [([0], [0]), ([1], [0])], [([0], [1]), ([1], [2]), ([2], [0])]]}


@pytest.mark.filterwarnings("ignore:3 bitexts. intervals from fewer than 12")
def test_intervals_are_from_the_scores_without_each_bitext():
    """By hand: 2 of 6 are right; without each bitext 1 of 5, 1 of 4, and 2 of 3."""
    without = np.array([1 / 5, 1 / 4, 2 / 3])
    squares = np.square(without - without.mean())
    error = math.sqrt(2 / 3 * squares.sum())
    freedom = min(2.0, 2 * squares.sum() ** 2 / (np.square(squares).sum() - squares.sum() ** 2 / 3))
    reach = scipy.stats.t.ppf(0.95, freedom) * error / (2 / 6 * 4 / 6)
    ends = [1 / (1 + 2 * math.exp(-sign * reach)) for sign in (-1, 1)]
    scores = score_alignment(THREE, SYSTEMS["some"], scores="alignment", confidence=0.9)
    assert [scores["alignment_recall_low"], scores["alignment_recall_high"]] == pytest.approx(ends, abs=1e-12)
    assert scores["alignment_recall"] == 2 / 6
    with pytest.raises(ValueError, match="at least two bitexts, received 1"):
        score_alignment(THREE[:1], THREE[:1], confidence=0.9)


@pytest.mark.filterwarnings("ignore:(3 bitexts. intervals from fewer|no difference can be significant)")
def test_a_comparison_exchanges_bitexts():
    """By hand: the difference is -4/6. Of the 8 exchanges 2 give 4/6 or more in size: all bitexts or none but the first."""
    compared = compare_alignments(map(iter, THREE), SYSTEMS, scores="alignment", primary="alignment_recall")
    difference = compared.differences["some"]["alignment_recall"]
    assert difference.difference == pytest.approx(-4 / 6, abs=1e-12)
    assert (difference.won, difference.tied, difference.lost) == (0, 1, 2)
    assert (compared.trials, compared.is_exact, compared.noun) == (8, True, "bitext")
    assert difference.p_value >= 4 / 8, "the exchange of the first bitext alone changes nothing"
    assert "(all 8 exchanges of bitexts)" in str(compared)
    with pytest.raises(ValueError, match=r"system 'bad': predictions, bitext 1, bisegment 0: .* number -1"):
        compare_alignments(THREE, {"all": THREE, "bad": [THREE[0], [([-1], [0])], THREE[2]]})


def test_the_level_of_sentences_shares_its_keys_with_a_group():
    """General code finds the counts and the range of a score by its key."""
    level, group = LEVELS["sentence"], GROUPS["sentence"]
    counts = {"sentence_matched": 2, "sentence_predicted": 3, "sentence_reference": 5}
    assert level.columns == group.columns
    assert {key: row.range for key, row in level.keys.items()} == {key: row.range for key, row in group.keys.items()}
    assert level.formulas(counts, 0.0) == group.formulas(counts, 0.0)


GOOD = [[([0], [0])], [([0], [0]), ([1], [1])]]
TEXTS = {"sources": [["a"], ["a", "b"]], "targets": [["c"], ["c", "d"]]}


def with_bad(bisegment: object) -> list:
    """The good alignments with another second bisegment in the second bitext."""
    return [GOOD[0], [GOOD[1][0], bisegment]]


@pytest.mark.parametrize("side", ["references", "predictions"])
@pytest.mark.parametrize(
    ("bisegment", "error", "message"),
    [
        (([2], [1]), BisegmentError, r"the source segment 2 is out of range: expected numbers from 0 to 1\. Are they co"),
        (([1], [0, 7]), BisegmentError, r"the target segment 7 is out of range: expected numbers from 0 to 1\.$"),
        (([-1], [1]), BisegmentError, "the source has the segment number -1; expected numbers from 0"),
        (([1], [10**30]), BisegmentError, "the target has the segment number 1000.*below 2147483648"),
        (([1.0], [1]), TypeError, r"the source has the segment 1\.0 \(float\); expected an integer"),
        (([1], ["1"]), TypeError, r"the target has the segment '1' \(str\); expected an integer"),
        (([1], 1), TypeError, r"the target is 1 \(int\); expected a list of segment numbers"),
        (("1", [1]), TypeError, r"the source is '1' \(str\); expected a list of segment numbers"),
        ({"source": [1]}, BisegmentError, r"received the keys \['source'\]; expected \{\"source\": \[numbers\]"),
        ({"source": [1], "target": [1], "cost": 1}, BisegmentError, r"received the keys \['source', 'target', 'cost'\]"),
        (([1],), BisegmentError, r"received \(\[1\],\) \(tuple\); expected"),
        ("01", TypeError, r"received '01' \(str\); expected"),
        (None, TypeError, "received None; expected"),
    ],
)  # fmt: skip
def test_bad_bisegment_is_named(side, bisegment, error, message):
    inputs = {"references": GOOD, "predictions": GOOD, side: with_bad(bisegment)}
    with pytest.raises(error, match=f"^{side}, bitext 1, bisegment 1: .*{message}"):
        score_alignment(**inputs, **TEXTS)


def test_a_text_without_segments_has_no_numbers():
    with pytest.raises(
        BisegmentError, match="bisegment 0: the source segment 0 is out of range: the source has no segm"
    ):
        score_alignment([[([0], [])]], [[]], sources=[[]], targets=[["a"]])


def test_the_error_has_the_place_as_attributes_and_survives_a_process():
    with pytest.raises(BisegmentError, match="out of range") as caught:
        score_alignment(GOOD, with_bad(([5], [])), **TEXTS)
    copy = pickle.loads(pickle.dumps(caught.value))
    assert (copy.side, copy.bitext, copy.bisegment) == ("predictions", 1, 1)
    assert str(copy) == str(caught.value)


@pytest.mark.parametrize("side", TEXTS)
def test_a_comparison_with_the_texts_of_one_side_asks_for_the_others(side):
    with pytest.raises(ValueError, match="sources and targets go together"):
        compare_alignments(GOOD, {"a": GOOD, "b": GOOD}, scores="word", **{side: TEXTS[side]})


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"predictions": GOOD[:1]}, ValueError, "2 references and 1 predictions and 2 sources and 2 targets: expected one"),
        ({"sources": [["a", "b"]]}, ValueError, "2 references and 2 predictions and 1 sources and 2 targets"),
        ({"targets": None}, ValueError, "sources and targets go together"),
        ({"references": GOOD[1]}, BisegmentError, "references, bitext 0, bisegment 0: received"),
        ({"references": as_dicts(GOOD)[1]}, TypeError, r"references, bitext 0: .*A single bitext goes in a list too"),
        ({"predictions": None}, TypeError, "predictions: received None; expected a list"),
        ({"predictions": "[0]:[0]"}, TypeError, r"predictions: received '\[0\]:\[0\]' \(str\); expected .* pass a pathlib.Path"),
        ({"predictions": [[], None]}, TypeError, "predictions, bitext 1: received None; expected a list of bisegments"),
        ({"sources": ["a", "b"]}, TypeError, r"sources, bitext 0: .*one per segment\. A single bitext goes in a list"),
        ({"sources": [["a"], 3]}, TypeError, r"sources, bitext 1: received 3 \(int\); expected a list of strings"),
        ({"targets": [["c"], ["c", None]]}, TypeError, "targets, bitext 1: segment 1 is None; expected a string"),
        ({"targets": [["c"], [b"c", "d"]]}, TypeError, r"targets, bitext 1: segment 0 is b'c' \(bytes\)"),
        ({"scores": "words"}, ValueError, "unknown level 'words': the levels are alignment, sentence, word, character"),
        ({"scores": []}, ValueError, "scores is empty: name at least one of alignment"),
        ({"scores": 3}, TypeError, "scores: expected the name of a level or a list of names, received 3"),
        ({"zero_division": 2.0}, ValueError, r"zero_division: expected a number in \[0, 1\] or nan, received 2\.0"),
        ({"references": [], "predictions": [], "sources": [], "targets": []}, ValueError, "there is nothing to score: "),
        *(({"scores": ["sentence", level], **dict.fromkeys(TEXTS)}, ValueError, f'scores="{level}" needs the texts of the seg')
          for level in ("word", "character")),
    ],
)  # fmt: skip
def test_bad_input_is_refused(changes, error, message):
    inputs = {"references": GOOD, "predictions": GOOD, **TEXTS} | changes
    with pytest.raises(error, match=message):
        score_alignment(**inputs)
