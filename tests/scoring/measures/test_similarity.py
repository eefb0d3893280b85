"""Boundary edit distance, S and B: segeval, the papers' examples, the definition in plain Python, long and odd input."""

import math

import pytest
import segeval
from hypothesis import given
from hypothesis import strategies as st

from segscores.scoring.measures.similarity import SIMILARITY_COLUMNS, similarity_scores, tally_similarity

from ...corpora import Word, cut, random_corpus_pair
from ...naive import naive_boundary_edits
from ...tallies import compared, summed


def of_masses(masses: list[int]) -> list[Word]:
    return ["x" * mass for mass in masses]


def masses_of(words: list[Word]) -> list[int]:
    return list(map(len, words))


@pytest.mark.parametrize(("span", "form"), [(1, "words_text"), (2, "units_text"), (3, "labels"), (30, "units_text")])
def test_every_utterance_scores_as_with_segeval(span: int, form: str) -> None:
    pairs = random_corpus_pair(500, seed=span, max_units=25)
    comparison = compared(*pairs, form)
    scores = similarity_scores(tally_similarity(comparison, transposition_span=span), math.nan)
    seen = 0
    for index, sides in enumerate(zip(*pairs, strict=True)):
        masses = [masses_of(words) for words in sides]
        if max(map(len, masses)) < 2:
            continue
        seen += 1
        edits = segeval.boundary_statistics(*masses, n_t=span)
        found = {key: values[index] for key, values in scores.items()}
        assert found == pytest.approx(
            {
                "segmentation_similarity": float(segeval.segmentation_similarity(*masses, n_t=span)),
                "boundary_similarity": float(segeval.boundary_similarity(*masses, n_t=span)),
                "boundary_edit_distance": float(edits["count_edits"]),
                "boundary_matches": len(edits["matches"]),
                "boundary_insertions": sum(addition.side == "b" for addition in edits["additions"]),
                "boundary_deletions": sum(addition.side == "a" for addition in edits["additions"]),
                "boundary_transpositions": len(edits["transpositions"]),
            },
            abs=1e-9,
        ), (masses, span)
    assert seen > 300


def test_s_of_2012_follows_from_the_counts() -> None:
    """The walkthrough of Fournier & Inkpen (2012): 9 of 13 gaps, by the tests of segeval 1. A transposition cost 1 then."""
    comparison = compared([of_masses([1, 2, 2, 3, 3, 1, 2])], [of_masses([1, 2, 1, 2, 6, 2])])
    counts = summed(tally_similarity(comparison))
    edits = sum(counts[f"boundary_{kind}"] for kind in ("insertions", "deletions", "transpositions"))
    assert (counts["boundary_gaps"] - edits, counts["boundary_gaps"]) == (9, 13)
    similarity = similarity_scores(counts, math.nan)["segmentation_similarity"]
    assert similarity == pytest.approx((9 + counts["boundary_transpositions"] / 2) / 13)


@given(
    ends=st.integers(1, 60).flatmap(lambda n: st.tuples(*[st.lists(st.booleans(), min_size=n, max_size=n)] * 2)),
    span=st.integers(1, 70),
)
def test_the_counts_of_a_long_utterance_are_the_naive_ones(ends: tuple[list[bool], list[bool]], span: int) -> None:
    reference, prediction = (cut("狗" * len(side), side) for side in ends)
    counts = summed(tally_similarity(compared([reference], [prediction]), transposition_span=span))
    matches, insertions, deletions, transpositions, distance, _ = naive_boundary_edits(reference, prediction, span)
    assert [counts[column] for column in SIMILARITY_COLUMNS[:4]] == [matches, insertions, deletions, transpositions]
    assert counts["similarity_cost"] == span * (insertions + deletions) + distance


def test_the_boundary_edit_distance_has_no_rounding_error() -> None:
    for units in range(2, 120):
        for span in (1, 2, 7):
            counts = summed(
                tally_similarity(compared([["a" * units]], [["a", "a" * (units - 1)]]), transposition_span=span)
            )
            assert similarity_scores(counts, 0.0)["boundary_edit_distance"] == 1.0
