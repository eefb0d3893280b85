"""Negative segments: the tables of Jiang et al. (2011), and counts against nested loops over all substrings."""

import math
import pickle
import random
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from segscores import tally
from segscores.scoring.measures.dictionary import Dictionary, dictionary_scores, tally_dictionary

from ...corpora import characters, corpus_pairs, random_corpus_pair, tokens
from ...naive import naive_dictionary_counts
from ...tallies import aligned, compared, listed, summed, text_of

COLUMNS = [
    f"dictionary_{kind}_{side}" for kind in ("positive", "negative") for side in ("matched", "predicted", "reference")
]


DOCUMENT_DICTIONARY = ["X", "Y", "XY", "YX", "XYX"]
SEGMENTATIONS = {1: "X Y X", 2: "X YX", 3: "XY X", 4: "XYX"}

# Rows are the standards G1 to G4; in a row, for each of the systems S1 to S4, two fractions as they are printed.
TABLE_1 = """
3/3 3/3  1/3 1/2  1/3 1/2  0/3 0/1
1/2 1/3  2/2 2/2  0/2 0/2  0/2 0/1
1/2 1/3  0/2 0/2  2/2 2/2  0/2 0/1
0/1 0/3  0/1 0/2  0/1 0/2  1/1 1/1
"""
TABLE_3 = """
3/3 3/3  2/3 2/3  2/3 2/3  2/3 2/5
2/4 2/3  3/3 3/3  1/3 1/3  2/3 2/5
2/4 2/3  1/3 1/3  3/3 3/3  2/3 2/5
2/5 2/3  2/5 2/3  2/5 2/3  5/5 5/5
"""

# What the definition gives where Table 3 prints another fraction: NS has 3, 4, 4 and 5 segments for the four segmentations
# (see NEGATIVES), and most of the table takes it for 3. Of these 18, the four 4/4 are 1 as is the printed 3/3.
CONTRADICTIONS = {
    (1, 2, "npv"): "2/4", (1, 3, "npv"): "2/4", (2, 2, "tnr"): "4/4", (2, 2, "npv"): "4/4", (2, 3, "tnr"): "2/4",
    (2, 3, "npv"): "2/4", (2, 4, "tnr"): "3/4", (2, 4, "npv"): "3/5", (3, 2, "tnr"): "2/4", (3, 2, "npv"): "2/4",
    (3, 3, "tnr"): "4/4", (3, 3, "npv"): "4/4", (3, 4, "tnr"): "3/4", (3, 4, "npv"): "3/5", (4, 2, "tnr"): "3/5",
    (4, 2, "npv"): "3/4", (4, 3, "tnr"): "3/5", (4, 3, "npv"): "3/4",
}  # fmt: skip

# The document writes those of S1 and G4 out; the others by its definition, all candidates but the words.
NEGATIVES = {
    1: {"XY1", "YX2", "XYX1"},
    2: {"Y2", "X3", "XY1", "XYX1"},
    3: {"X1", "Y2", "YX2", "XYX1"},
    4: {"X1", "Y2", "X3", "XY1", "YX2"},
}


def printed_cells(table: str, keys: Sequence[str]) -> dict[tuple[int, int, str], str]:
    cells = {}
    for standard, row in enumerate(table.split("\n")[1:-1], 1):
        for place, fraction in enumerate(row.split()):
            cells[standard, place // 2 + 1, keys[place % 2]] = fraction
    return cells


PRINTED_1 = printed_cells(TABLE_1, ("tpr", "ppv"))
PRINTED_3 = printed_cells(TABLE_3, ("tnr", "npv"))


def document_fraction(standard: int, system: int, key: str) -> str:
    """A computed fraction, as the document prints them."""
    comparison = compared([SEGMENTATIONS[standard].split()], [SEGMENTATIONS[system].split()])
    counts = tally_dictionary(comparison, Dictionary(dictionary=DOCUMENT_DICTIONARY))
    kind = "positive" if key in ("tpr", "ppv") else "negative"
    side = "reference" if key in ("tpr", "tnr") else "predicted"
    matched, total = (int(counts[f"dictionary_{kind}_{column}"][0]) for column in ("matched", side))
    assert dictionary_scores(summed(counts), 0.0)[f"dictionary_{key}"] == matched / total
    return f"{matched}/{total}"


@pytest.mark.parametrize(("cell", "printed"), [*PRINTED_1.items(), *PRINTED_3.items()], ids=str)
def test_tables_1_and_3_of_the_document(cell: tuple[int, int, str], printed: str):
    standard, system, key = cell
    if cell in CONTRADICTIONS:
        shared, side = NEGATIVES[standard] & NEGATIVES[system], standard if key == "tnr" else system
        assert f"{len(shared)}/{len(NEGATIVES[side])}" == CONTRADICTIONS[cell] != printed
    assert document_fraction(*cell) == CONTRADICTIONS.get(cell, printed)


def test_silver_standard_of_the_document():
    """Where 施/政偉 and 施/政/偉 are as acceptable as 施政偉, the one negative segment left is 施政."""
    segments = ["施政偉", "施政", "政偉", "施", "政", "偉"]
    acceptable = Dictionary(dictionary=segments, acceptable=["施政偉", "施", "政偉", "政", "偉"])
    reference = ["施政偉"]
    scores = {}
    for prediction in (["施", "政", "偉"], ["施", "政偉"], ["施政", "偉"]):
        comparison = compared([reference], [prediction])
        counts = tally_dictionary(comparison, acceptable)
        assert counts["dictionary_negative_reference"].tolist() == [1]
        scores["/".join(prediction)] = [float(score[0]) for score in dictionary_scores(counts, math.nan).values()]
    assert scores["施/政/偉"][2:] == scores["施/政偉"][2:] == [1.0, 1.0]
    assert scores["施政/偉"][2] == 0.0
    assert math.isnan(scores["施政/偉"][3])
    assert all(row[:2] == [0.0, 0.0] for row in scores.values())


def check_against_naive(references, predictions, segments, acceptable, form: str):
    separator = " " if form == "units_text" else ""
    written = [[separator.join(segment) for segment in passed] for passed in (segments, acceptable)]
    counts = tally_dictionary(
        compared(references, predictions, form), Dictionary(dictionary=written[0], acceptable=written[1])
    )
    assert list(counts) == COLUMNS
    assert {values.dtype for values in counts.values()} == {np.dtype(np.int64)}
    expected = naive_dictionary_counts(references, predictions, segments, acceptable)
    assert listed(counts) == {column: expected.get(column, []) for column in COLUMNS}


def segment_lists(units: st.SearchStrategy[str], max_length: int = 9) -> st.SearchStrategy[list[tuple[str, ...]]]:
    return st.lists(st.lists(units, min_size=1, max_size=max_length).map(tuple), min_size=1, max_size=12)


FEW = {"words_text": st.sampled_from("ab狗"), "units_text": st.sampled_from(["a", "ab", "b", "狗"])}
ANY = {"words_text": characters, "units_text": tokens}


@pytest.mark.parametrize("form", ["words_text", "units_text"])
@given(data=st.data())
def test_counts_equal_nested_loops(form: str, data: st.DataObject):
    units = data.draw(st.sampled_from([FEW[form], ANY[form]]))
    references, predictions = data.draw(corpus_pairs(units))
    # Segments of the text, so that there is something to find, beside some of any kind.
    texts = [tuple(unit for word in utterance for unit in word) for utterance in references]
    inside = [text[i:j] for text in texts for i in range(len(text)) for j in range(i + 1, len(text) + 1)]
    drawn = data.draw(st.lists(st.sampled_from(inside), max_size=20)) if inside else []
    segments = [*drawn, *data.draw(segment_lists(units))]
    acceptable = data.draw(st.lists(st.sampled_from(segments), max_size=8)) + data.draw(segment_lists(units))[:3]
    check_against_naive(references, predictions, segments, acceptable, form)


@pytest.mark.parametrize("form", ["words_text", "units_text"])
def test_counts_of_many_segments_equal_nested_loops(form: str):
    """As many as make pairs share slots of the hash table, with every length up to 40 and a few beyond."""
    source = random.Random(1)
    units = ["a", "b", "狗", "𠮷", "é"] if form == "words_text" else ["a", "aa", "狗", "ab", "b"]
    references, predictions = random_corpus_pair(300, seed=2, units=units, max_units=60)
    texts = [[unit for word in utterance for unit in word] for utterance in references if utterance]
    segments = []
    for _ in range(3000):
        text, length = source.choice(texts), source.choice([1, 2, 3, 4, 5, source.randrange(1, 41)])
        start = source.randrange(len(text))
        segments.append(tuple(text[start : start + length]))
        segments.append(tuple(source.choices(units, k=source.choice([3, 4, 5, 6, 7, 50, 65]))))
    check_against_naive(references, predictions, segments, source.sample(segments, 500), form)


@pytest.mark.parametrize("form", ["words_text", "units_text"])
@pytest.mark.parametrize("lengths", [[1], [2], [3], [4], [64], [63, 65], [1, 64], [1, 5], [2, 100], [200]])
def test_counts_for_any_gap_in_the_lengths(form: str, lengths: list[int]):
    reference, prediction = [["a"] * 30, ["a"] * 70], [["a"] * 100]
    check_against_naive(
        [reference, [], reference], [prediction, [], prediction], [["a"] * n for n in lengths], [], form
    )


def test_units_are_compared_not_their_letters():
    comparison = compared([[("a", "b"), ("ab",)]], [[("a", "b", "ab")]], "units_text")
    for segment, found in (("ab", 1), ("a b", 1), ("b ab", 1), ("a", 1), ("abab", 0), ("a  b", 1), (" a\u3000b\t", 1)):
        counts = tally_dictionary(comparison, Dictionary(dictionary=[segment]))
        total = counts["dictionary_positive_reference"] + counts["dictionary_negative_reference"]
        assert total.tolist() == [found], segment


@pytest.mark.parametrize(
    ("references", "predictions", "segments", "positive", "negative"),
    [
        # |PS ∩ PS'|, |PS'|, |PS| and the same of NS, over the reference's text.
        pytest.param(["ab", "cd"], ["", "cd"], ["cd"], (1, 1, 1), (0, 0, 0), id="after_a_blank_prediction"),
        pytest.param(["", "cd"], ["ab", "cd"], ["cd"], (1, 1, 1), (0, 0, 0), id="after_a_blank_reference"),
        pytest.param(["the dog"], ["the dig"], ["the", "dog"], (1, 1, 2), (0, 1, 0), id="an_edited_word_is_no_segment"),
        pytest.param(["狗x cd"], ["狗 cd"], ["狗", "狗x", "cd"], (1, 2, 2), (0, 1, 1), id="a_word_before_a_deleted_unit"),
        pytest.param(["the dog"], ["the hot dog"], ["the", "hot", "dog"], (2, 2, 2), (0, 0, 0), id="an_invented_word"),
        pytest.param(["a cat"], ["acat"], ["a", "cat"], (0, 0, 2), (1, 3, 1), id="without_an_edit"),
    ],
)  # fmt: skip
def test_unedited_words_of_differing_units_are_words_of_the_references_text(
    references: list[str],
    predictions: list[str],
    segments: list[str],
    positive: tuple[int, ...],
    negative: tuple[int, ...],
):
    counts = tally_dictionary(aligned(text_of(*references), text_of(*predictions)), Dictionary(dictionary=segments))
    assert [int(counts[column].sum()) for column in COLUMNS] == [*positive, *negative]


def test_spaces_within_the_words_of_a_list_are_units():
    comparison = compared([["New York", "is"]], [["New", " York", "is"]])
    counts = tally_dictionary(comparison, Dictionary(dictionary=["New York", " York", "York"]))
    assert list(summed(counts).values()) == [0, 1, 1, 1, 2, 2]


def test_segments_lose_the_spaces_that_the_text_loses():
    options = {"spaces": "drop", "scores": "dictionary"}
    counts = tally([["New York", "is"]], [["NewYork", "is"]], dictionary=["New York"], **options).counts()
    assert list(counts.values())[2:] == [1, 1, 1, 0, 0, 0]


def test_long_segments_of_a_long_utterance_are_counted():
    """Some 60,000 units begin an occurrence of both long segments; to compare their letters would take 5·10⁹ steps."""
    size, longest = 100_000, 40_000
    text = ["a" * size]
    counts = tally_dictionary(
        compared([text], [text]), Dictionary(dictionary=["a" * longest, "a" * (longest - 1), "a"])
    )
    expected = size + (size - longest + 1) + (size - longest + 2)
    assert counts["dictionary_negative_reference"].tolist() == [expected]


@pytest.mark.parametrize(
    "passed",
    [["ab", "a", "ab"], ("a", "ab"), {"ab", "a"}, iter(["a", "ab"]), Counter(["a", "ab", "a"]), np.array(["a", "ab"]),
     np.array(["a", "ab"], object), pa.array(["a", "ab"]), pa.chunked_array([["a"], ["ab"]])],
    ids=lambda passed: type(passed).__name__,
)  # fmt: skip
def test_segments_come_in_any_collection_and_order(passed):
    counts = tally_dictionary(compared([["ab", "a"]], [["a", "b", "a"]]), Dictionary(dictionary=passed))
    assert [int(values[0]) for values in counts.values()] == [1, 2, 2, 0, 1, 1]


def test_one_dictionary_serves_characters_and_units_text_from_several_threads():
    dictionary = Dictionary(dictionary=["a b", "ab", "b"])
    comparisons = [compared([["ab"]], [["a", "b"]]), compared([[("a", "b")]], [[("a",), ("b",)]], "units_text")] * 20
    with ThreadPoolExecutor(4) as executor:
        counts = list(executor.map(lambda comparison: tally_dictionary(comparison, dictionary), comparisons))
    for found in counts:  # two candidates in either text: "ab" and "b", or "a b" and "b"
        assert [int(values[0]) for values in found.values()] == [0, 1, 1, 0, 1, 1]


@pytest.mark.parametrize("normalize", [None, "NFC"])
def test_ignored_tokens_are_dropped_from_segments_too(normalize):
    """In `b a . d e`, `b a` is a word on both sides, and `a . d` and `b a . d` are acceptable and a negative segment."""
    options = {"word_boundary": "|", "ignored_tokens": ".", "normalize": normalize}
    text = ["b . a | d . e"]
    segments = {"dictionary": ["b . a", "a d .", ". b a . d"], "acceptable": ["a . d"]}
    part = tally(text, text, scores="dictionary", **segments, **options)
    assert list(part.counts().values()) == [1, 4, 1, 1, 1, 1, 1, 1]
    plain = tally(text, text, scores="dictionary", dictionary=["b a", "a d", "b a d"], acceptable=["a d"], **options)
    assert plain.counts() == part.counts()
    with pytest.raises(ValueError, match=r"^dictionary, segment 1: '\. \.' has only ignored tokens; expected at least"):
        tally(text, text, scores="dictionary", dictionary=["b a", ". ."], **options)


def test_a_used_dictionary_can_be_pickled():
    comparison = compared([["ab"]], [["a", "b"]])
    dictionary = Dictionary(dictionary=["ab", "b"], acceptable=["b"])
    before = tally_dictionary(comparison, dictionary)
    assert tally_dictionary(comparison, pickle.loads(pickle.dumps(dictionary))) == before


@pytest.mark.parametrize("option", ["dictionary", "acceptable"])
@pytest.mark.parametrize(
    ("passed", "error", "message"),
    [
        ("abc", TypeError, r"received one str; expected a list of strings: did you mean \['abc'\]\?"),
        (b"abc", TypeError, r"received one bytes; expected a list of strings"),
        (None, TypeError, r"received None; expected a list of strings"),
        (3, TypeError, r"received 3 \(int\); expected a list of strings"),
        (["a", 3], TypeError, r", segment 1: received 3 \(int\); expected a string\."),
        (["a", None], TypeError, r", segment 1: received None\b"),
        (pa.array(["a", None]), TypeError, r", segment 1: received None\b"),
        (["a", math.nan], TypeError, r", segment 1: received nan \(float\)"),
        ([b"a"], TypeError, r", segment 0: received b'a' \(bytes\)"),
        ([["a", "b"]], TypeError, r", segment 0: received \['a', 'b'\] \(list\).*separated by spaces"),
        (["a", ""], ValueError, r", segment 1: '' is blank; expected at least one unit"),
        ([" \t"], ValueError, r", segment 0: ' \\t' is blank"),
        (["\u3000"], ValueError, r", segment 0: .* is blank"),
        (["dog\n", "cat\n"], ValueError, r", segment 0: 'dog\\n' has a line end; .* read\(\)\.splitlines\(\)"),
        (["dog\r"], ValueError, r", segment 0: 'dog\\r' has a line end"),
        (["a\0"], ValueError, r", segment 0: 'a\\x00' has a NUL"),
        (["é", "\ud800"], ValueError, r", segment 1: .* lone surrogate \(U\+D800\)"),
    ],
)
def test_invalid_segments_are_rejected(option: str, passed, error: type[Exception], message: str):
    with pytest.raises(error, match=f"^{option}.*{message}"):
        Dictionary(**{"dictionary": ["a"], option: passed})


@pytest.mark.parametrize("option", ["dictionary", "acceptable"])
def test_a_list_of_segments_with_frequencies_is_warned_of_and_leaves_the_segments(option: str):
    lists = {"dictionary": ["ab", "c"], "acceptable": ["c"]}
    expected = tally(["ab c"], ["a bc"], text_format="words", scores="dictionary", **lists).counts()
    with pytest.warns(UserWarning, match=f"{option}: . of . lines have a word and a frequency"):
        found = tally(
            ["ab c"], ["a bc"], text_format="words", scores="dictionary",
            **lists | {option: [f"{segment} 17" for segment in lists[option]]},
        )  # fmt: skip
    assert found.counts() == expected


def test_labels_are_refused_as_they_have_no_text():
    labels = compared([["ab", "c"]], [["abc"]], "labels")
    with pytest.raises(ValueError, match="dictionary scores need the text, which labels do not contain"):
        tally_dictionary(labels, Dictionary(dictionary=["a"]))
