"""Units that differ are aligned by the best of all minimal edit scripts, and unedited words count as usual."""

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields
from itertools import pairwise
from typing import Any

import jiwer
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import segscores
from segscores.kernel import edits, units
from segscores.kernel.aligned import AlignedPrediction, project_boundaries
from segscores.kernel.comparison import Comparison, find_mismatches
from segscores.scoring.measures.unit_error import tally_unit_errors, unit_error_scores
from segscores.scoring.mismatch import align_segmentations, compare_matching, compare_segmentations
from segscores.scoring.plan import Plan
from segscores.scoring.tally import tally_comparison

from ..corpora import Corpus, Word, corpus_pairs, cut, random_corpus_pair
from ..naive import levenshtein
from ..tallies import aligned, read, summed

Column = tuple["int | None", "int | None"]
Counts = dict[str, int]


def flat(words: Sequence[Word]) -> list[str]:
    return [unit for word in words for unit in word]


def alignments(left: int, right: int) -> Iterator[list[Column]]:
    """Every way to go through both sides: pairs of units, units of the left alone and of the right alone."""
    if not left and not right:
        yield []
    if left and right:
        yield from ([*before, (left - 1, right - 1)] for before in alignments(left - 1, right - 1))
    if left:
        yield from ([*before, (left - 1, None)] for before in alignments(left - 1, right))
    if right:
        yield from ([*before, (None, right - 1)] for before in alignments(left, right - 1))


def counts_of(reference: Sequence[Word], prediction: Sequence[Word], columns: list[Column]) -> Counts:
    """Return what an alignment gives by the definitions."""
    left, right = flat(reference), flat(prediction)
    anchors = [(i, j) for i, j in columns if i is not None and j is not None]
    equal = {(i, j) for i, j in anchors if left[i] == right[j]}
    # A gap is named by the number of anchors before it.
    left_gaps = {sum(i < end for i, _ in anchors) for end in word_ends(reference)}
    right_gaps = {sum(j < end for _, j in anchors) for end in word_ends(prediction)}
    matched = 0
    for word, start in zip(reference, starts(reference), strict=True):
        units = range(start, start + len(word))
        for other, other_start in zip(prediction, starts(prediction), strict=True):
            other_units = range(other_start, other_start + len(other))
            if len(units) == len(other_units) and equal.issuperset(zip(units, other_units, strict=True)):
                matched += 1
    return {
        "matched": matched,
        "shared": len(left_gaps & right_gaps),
        "insertions": sum(i is None for i, _ in columns),
        "deletions": sum(j is None for _, j in columns),
        "substitutions": len(anchors) - len(equal),
    }


def word_ends(words: Sequence[Word]) -> list[int]:
    return [start + len(word) for word, start in zip(words, starts(words), strict=True)]


def starts(words: Sequence[Word]) -> list[int]:
    return [sum(map(len, words[:index])) for index in range(len(words))]


def edits_of(counts: Counts) -> int:
    return counts["insertions"] + counts["deletions"] + counts["substitutions"]


def naive_script(reference: Sequence[Word], prediction: Sequence[Word]) -> list[Column]:
    """The best of all minimal scripts; of several the first by its steps, read from the end: insert, delete, pair."""

    def rank(columns: list[Column]) -> tuple[Any, ...]:
        counts = counts_of(reference, prediction, columns)
        steps = [0 if i is None else 1 if j is None else 2 for i, j in reversed(columns)]
        return edits_of(counts), -counts["matched"], -counts["shared"], counts["substitutions"], steps

    return min(alignments(len(flat(reference)), len(flat(prediction))), key=rank)


def aligned_counts(comparison: Comparison) -> list[Counts]:
    blank = np.zeros(len(comparison.utterance_shared), int)
    columns = {
        "matched": comparison.utterance_matched,
        "shared": comparison.utterance_shared,
        **{name: getattr(comparison, name, blank) for name in ("insertions", "deletions", "substitutions")},
    }
    return [dict(zip(columns, map(int, row), strict=True)) for row in zip(*columns.values(), strict=True)]


def check_consistent(comparison: Comparison, references: Corpus, predictions: Corpus) -> None:
    """The attributes agree with each other and with the two corpora."""
    assert comparison.utterance_reference.tolist() == [len(words) for words in references]
    assert comparison.utterance_prediction.tolist() == [len(words) for words in predictions]
    # The words whose ends are shared: their numbers in the reference and in the prediction.
    shared = list(zip(comparison.shared_reference.tolist(), comparison.shared_prediction.tolist(), strict=True))
    matched = [pair for pair, is_matched in zip(shared, comparison.matched, strict=True) if is_matched]
    check_pairs(shared, matched, references, predictions)
    check_counts(comparison.utterance_shared, shared, references)
    check_counts(comparison.utterance_matched, matched, references)
    assert len(comparison.prediction.word_ends) == sum(map(len, predictions))
    check_ends(comparison, shared)


def check_pairs(
    shared: list[tuple[int, int]], matched: list[tuple[int, int]], references: Corpus, predictions: Corpus
) -> None:
    """The pairs are in order and within an utterance, and matched words have the same units."""
    assert all(before[0] < after[0] and before[1] < after[1] for before, after in pairwise(shared))
    utterance_of_reference = utterances_of_words(references)
    utterance_of_prediction = utterances_of_words(predictions)
    assert all(utterance_of_reference[left] == utterance_of_prediction[right] for left, right in shared)
    reference_words = [units for words in references for units in words]
    predicted_words = [units for words in predictions for units in words]
    assert all(list(reference_words[left]) == list(predicted_words[right]) for left, right in matched)


def check_counts(counts: np.ndarray, pairs: list[tuple[int, int]], references: Corpus) -> None:
    """Each utterance has as many pairs as counted."""
    utterance_of_reference = utterances_of_words(references)
    utterances = [utterance_of_reference[left] for left, _ in pairs]
    assert counts.tolist() == [utterances.count(index) for index in range(len(references))]


def check_ends(comparison: Comparison, shared: list[tuple[int, int]]) -> None:
    """The ends of predicted words are in order, and those that are shared are where the reference has them."""
    reference = comparison.reference
    prediction = comparison.prediction
    assert prediction.utterance_ends.tolist() == reference.utterance_ends.tolist()
    assert (np.diff(prediction.word_ends) >= 0).all()
    # The last word of an utterance ends where the utterance ends, whatever it is paired with.
    has_words = comparison.utterance_prediction > 0
    last_words = np.cumsum(comparison.utterance_prediction)[has_words] - 1
    assert prediction.word_ends[last_words].tolist() == reference.utterance_ends[has_words].tolist()
    at_end = set(last_words.tolist())
    for left, right in shared:
        if right not in at_end:
            assert prediction.word_ends[right] == reference.word_ends[left]


def utterances_of_words(corpus: Corpus) -> list[int]:
    return [index for index, words in enumerate(corpus) for _ in words]


@st.composite
def differing_pairs(draw: st.DrawFn, alphabet: str = "abc", max_units: int = 5) -> tuple[list[Word], list[Word]]:
    """Two utterances that have nothing to do with each other except for their few units."""
    sides = []
    for _ in range(2):
        units = draw(st.lists(st.sampled_from(alphabet), max_size=max_units))
        sides.append(cut(units, draw(st.lists(st.booleans(), min_size=len(units), max_size=len(units)))))
    return sides[0], sides[1]


@pytest.mark.parametrize("form", ["word_lists", "units_text"])
@given(pairs=st.lists(differing_pairs(), min_size=1, max_size=4))
@example(pairs=[([], [("a", "b"), ("a",)])])
@example(pairs=[([("a", "b"), ("a",)], []), ([("a",)], [("a",)])])
@example(pairs=[([("a",), ("b",)], [("a",), ("c",), ("b",)])])
@example(pairs=[([("a",), ("b",), ("c",)], [("a",), ("c",)]), ([], []), ([("a",)], [("b",)])])
@example(pairs=[([("a",), ("b",)], [("a",), ("b",), ("c",)])])
@example(pairs=[([("a",), ("b",), ("a", "b"), ("c",)], [("a", "b"), ("c",)])])
def test_counts_equal_the_best_minimal_script(form: str, pairs: list[tuple[list[Word], list[Word]]]) -> None:
    references, predictions = [left for left, _ in pairs], [right for _, right in pairs]
    comparison = aligned(read(references, form), read(predictions, form))
    assert aligned_counts(comparison) == [counts_of(*pair, naive_script(*pair)) for pair in pairs]
    check_consistent(comparison, references, predictions)


def short_pairs(count: int, alphabet: str) -> tuple[Corpus, Corpus]:
    """Utterances of one to five units that have nothing to do with each other."""
    source = random.Random(alphabet)
    units = [source.choices(alphabet, k=source.randint(1, 5)) for _ in range(2 * count)]
    utterances = [cut(each, [source.random() < 0.5 for _ in each]) for each in units]
    return utterances[:count], utterances[count:]


@pytest.mark.parametrize("alphabet", ["ab", "abc"])
def test_the_rule_determines_one_of_several_best_scripts(alphabet: str) -> None:
    references, predictions = short_pairs(40, alphabet)
    scripts = [naive_script(*pair) for pair in zip(references, predictions, strict=True)]

    left, right = units.read_units(read(references), read(predictions))
    starts_of_units = zip(left.starts.tolist(), right.starts.tolist(), strict=True)
    expected = np.full(len(right.codes), -1)
    for (first, second), script in zip(starts_of_units, scripts, strict=True):
        for i, j in script:
            if i is not None and j is not None:
                expected[second + j] = first + i
    assert edits.align_units(left, right).tolist() == expected.tolist()


def edit(source: random.Random, words: Sequence[Word], edits: int, alphabet: str) -> tuple[list[Word], int]:
    """The words after random edits, each in a word, and how many of them were left alone."""
    edited = [list(word) for word in words]
    harmed = set()
    for _ in range(edits):
        at = source.randrange(len(edited))
        word = edited[at]
        harmed.add(at)
        kind = source.choice(["insert", "delete", "substitute"]) if word else "insert"
        place = source.randrange(len(word) + (kind == "insert"))
        if kind == "insert":
            word.insert(place, source.choice(alphabet))
        elif kind == "delete":
            del word[place]
        else:
            word[place] = source.choice(alphabet)
    return [tuple(word) for word in edited if word], len(words) - len(harmed)


@pytest.mark.parametrize("alphabet", ["ab", "abcdefghij", "狗叫，🐕e\u0301"])
def test_unharmed_words_keep_their_credit(alphabet: str) -> None:
    """Where the edits made are as few as there can be; fewer that say the same may spare other words."""
    source = random.Random(1)
    references, predictions, unharmed, edits = [], [], [], []
    for _ in range(150):
        units = source.choices(alphabet, k=source.randrange(1, 30))
        reference = cut(units, [source.random() < 0.4 for _ in units])
        count = source.randrange(4)
        prediction, left_alone = edit(source, reference, count, alphabet)
        references.append(reference)
        predictions.append(prediction)
        unharmed.append(left_alone)
        edits.append(count)
    comparison = aligned(read(references), read(predictions))
    check_consistent(comparison, references, predictions)
    counts = aligned_counts(comparison)
    distances = [levenshtein(flat(left), flat(right)) for left, right in zip(references, predictions, strict=True)]
    assert list(map(edits_of, counts)) == distances
    minimal = [index for index, distance in enumerate(distances) if distance == edits[index]]
    assert len(minimal) > 75
    assert [index for index in minimal if counts[index]["matched"] < unharmed[index]] == []
    # Utterances that are searched together do not disturb each other.
    for left, right, found in list(zip(references, predictions, counts, strict=True))[:20]:
        assert aligned_counts(aligned(read([left]), read([right]))) == [found]


@given(pairs=st.lists(differing_pairs(max_units=5), min_size=1, max_size=3))
def test_types_are_counted_on_each_side(pairs: list[tuple[list[Word], list[Word]]]) -> None:
    references, predictions = [left for left, _ in pairs], [right for _, right in pairs]
    comparison = aligned(read(references), read(predictions))
    totals = tally_comparison(comparison, None, Plan.of(scores="type")).totals()
    types = [{"".join(word) for words in corpus for word in words} for corpus in (references, predictions)]
    assert totals["type_matched"] == len(types[0] & types[1])
    assert (totals["type_reference"], totals["type_predicted"]) == tuple(map(len, types))


def test_the_prediction_is_laid_over_the_references_units() -> None:
    comparison = aligned(read([["x"], ["狗", "the", "dog", "is"]]), read([["x"], ["狗", "thx", "big", "dog"]]))
    prediction = comparison.prediction
    assert isinstance(prediction, AlignedPrediction)
    assert [word.decode() for word in prediction.words().to_pylist()] == ["x", "狗", "thx", "big", "dog"]
    assert prediction.word_ends.tolist() == [1, 4, 7, 7, 12]
    assert prediction.edited.tolist() == [False, False, True, True, False]
    assert "".join(prediction.units(1)) == "狗thedogis"
    assert comparison.shared_reference.tolist() == [0, 1, 2, 3]
    assert comparison.matched.tolist() == [True, True, False, True]


@given(pairs=st.lists(differing_pairs(max_units=10), min_size=1, max_size=4))
@example(pairs=[([("a", "b"), ("c",)], [("a", "b"), ("b",), ("c",)]), ([("a",), ("b",)], []), ([], [("a",)])])
def test_projected_boundaries_make_words_of_the_references_units(pairs: list[tuple[list[Word], list[Word]]]) -> None:
    references = [left for left, _ in pairs]
    comparison = aligned(read(references), read([right for _, right in pairs]))
    projected = project_boundaries(comparison)
    boundaries = set(comparison.prediction.word_ends.tolist()) | set(comparison.reference.utterance_ends.tolist())
    assert projected.prediction.word_ends.tolist() == sorted(boundaries - {0})
    spans = compare_segmentations(projected.reference, projected.prediction)
    assert projected.shared_reference.tolist() == spans.shared_reference.tolist()
    assert projected.utterance_shared.tolist() == spans.utterance_shared.tolist()
    recovered = comparison.shared_reference[comparison.matched].tolist()
    same = spans.shared_reference[spans.matched].tolist()
    assert projected.shared_reference[projected.matched].tolist() == sorted(set(recovered) & set(same))
    owners = [index for index, words in enumerate(references) for _ in words]
    matched = [owners[word] for word in projected.shared_reference[projected.matched]]
    assert projected.utterance_matched.tolist() == [matched.count(index) for index in range(len(references))]


def test_a_projection_needs_edits() -> None:
    comparison = aligned(read([["a", "b"]]), read([["ab"]]))
    assert project_boundaries(comparison) is comparison


@pytest.mark.parametrize(("limit", "at_once"), [("MAX_CELLS", 1 << 32), ("MAX_UNITS", 1 << 32), ("MAX_UNITS", 12)])
def test_beyond_the_bounds_scripts_are_still_minimal(limit: str, at_once: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of which rapidfuzz gets pieces too."""
    references, _ = random_corpus_pair(60, seed=2, units="abc", max_units=20)
    predictions, _ = random_corpus_pair(60, seed=3, units="abc", max_units=20)
    sides = read(references), read(predictions)
    best = aligned_counts(aligned(*sides))
    monkeypatch.setattr(edits, limit, 0)
    monkeypatch.setattr(edits, "AT_ONCE", at_once)
    comparison = aligned(*sides)
    check_consistent(comparison, references, predictions)
    found = aligned_counts(comparison)
    assert list(map(edits_of, found)) == list(map(edits_of, best))
    assert all(one["matched"] <= other["matched"] for one, other in zip(found, best, strict=True))
    # Either bound alone leaves the choice among the minimal scripts to rapidfuzz, which does not look at words.
    assert found != best


@pytest.mark.parametrize("form", ["word_lists", "units_text", "labels"])
@given(pair=corpus_pairs(st.sampled_from("ab狗")), dropped=st.lists(st.booleans(), min_size=6, max_size=6))
def test_skip_leaves_out_the_pairs_that_differ_and_no_others(
    form: str, pair: tuple[list[list[Word]], list[list[Word]]], dropped: list[bool]
) -> None:
    references, predictions = pair
    dropped = dropped[: len(references)]
    kept = [index for index, is_dropped in enumerate(dropped) if not is_dropped]
    kept_references = [references[index] for index in kept]
    kept_predictions = [predictions[index] for index in kept]
    # A predicted word too many makes the units of a dropped pair differ.
    for index, is_dropped in enumerate(dropped):
        if is_dropped:
            predictions[index] = [*predictions[index], ("c",)]
    sides = read(references, form), read(predictions, form)
    assert find_mismatches(*sides).tolist() == dropped
    comparison, mask = compare_matching(*sides)
    assert np.flatnonzero(mask).tolist() == kept
    expected = compare_segmentations(read(kept_references, form), read(kept_predictions, form))
    # The first two fields are the sides.
    for field in fields(Comparison)[2:]:
        assert getattr(comparison, field.name).tolist() == getattr(expected, field.name).tolist()


@pytest.mark.parametrize("compare", [compare_segmentations, align_segmentations, compare_matching])
def test_sides_that_do_not_pair_are_refused_whatever_the_rule(compare: Callable[..., object]) -> None:
    with pytest.raises(ValueError, match="2 references and 1 predictions"):
        compare(read([["a"], ["b"]]), read([["a"]]))
    with pytest.raises(ValueError, match="units of one character, the predictions in units of one token"):
        compare(read([["a"]]), read([[("a",)]], "units_text"))


@pytest.mark.parametrize(
    ("references", "predictions"), [([""], ["a bc"]), (["", ""], ["a", "b c"]), (["", "x"], ["a bc", "x"])]
)
def test_insertions_where_the_reference_is_blank_count_as_in_jiwer(
    references: list[str], predictions: list[str]
) -> None:
    scores = ["unit_error", "word_error"]
    found = segscores.score(references, predictions, text_format="words", on_mismatch="align", scores=scores)
    units = [[line.replace(" ", "") for line in side] for side in (references, predictions)]
    assert found["unit_error_rate"] == jiwer.cer(*units)
    assert found["word_error_rate"] == jiwer.wer(references, predictions)
    alone = segscores.per_utterance(references, predictions, text_format="words", on_mismatch="align", scores=scores)
    expected = [jiwer.wer(*pair) for pair in zip(references, predictions, strict=True)]
    assert [scores["word_error_rate"] for scores in alone] == expected


def test_the_unit_error_rate_is_the_character_error_rate_of_jiwer() -> None:
    source = random.Random(7)
    references, _ = random_corpus_pair(60, seed=7)
    references = [words for words in references if words]
    predictions = [edit(source, words, source.randrange(4), "abc")[0] for words in references]
    texts = [["".join("".join(word) for word in words) for words in corpus] for corpus in (references, predictions)]
    comparison = aligned(read(references), read(predictions))
    assert unit_error_scores(summed(tally_unit_errors(comparison)), 0.0)["unit_error_rate"] == pytest.approx(
        jiwer.cer(*texts), abs=1e-12
    )
