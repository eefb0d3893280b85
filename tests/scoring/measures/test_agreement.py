"""Agreement between annotators: segeval and the numbers of its tests, the definitions in plain Python, bad input."""

import random
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any

import pytest
import segeval
from hypothesis import given
from hypothesis import strategies as st
from segeval.data import samples

from segscores.kernel.segmentation import Segmentation
from segscores.scoring.measures.agreement import AGREEMENT_COLUMNS, GROUP, agreement, agreement_scores, tally_agreement

from ...corpora import Corpus, Word, corpus_pairs, cut
from ...naive import boundaries
from ...tallies import compared, read, summed, text_of

#: Segment masses of every utterance.
Masses = Sequence[Sequence[int]]

# What segeval's own tests expect (segeval/agreement/*_test.py of 2.0.11): π, κ and bias.
SEGEVAL_TESTS = {
    "kazantseva-g5": (samples.KAZANTSEVA2012_G5, 0.2399575652197196, 0.2421099324579047, 0.0027782932031982),
    "kazantseva-g2": (samples.KAZANTSEVA2012_G2, 0.4083169765912929, 0.4106841873722732, 0.0039363606200350),
    "complete": (samples.COMPLETE_AGREEMENT, 1.0, 1.0, 0.0080997219561296),
}


def of_masses(masses: Masses) -> Segmentation:
    return of_corpus([["x" * mass for mass in utterance] for utterance in masses])


def of_corpus(corpus: Corpus) -> Segmentation:
    return read(corpus, "labels")


def of_dataset(dataset: Any) -> list[Segmentation]:
    """The annotators of a data set of segeval: items, and for each of them a segmentation by every coder."""
    coders = sorted(next(iter(dataset.values())))
    return [of_masses([item[coder] for item in dataset.values()]) for coder in coders]


def random_dataset(source: random.Random) -> dict[str, dict[str, list[int]]]:
    """Return items of several annotators. Each has a boundary in each: segeval raises where two of them have none."""
    dataset: dict[str, dict[str, list[int]]] = {}
    coders = range(source.randrange(2, 6))
    for item in range(source.randrange(1, 6)):
        units = source.randrange(2, 25)
        share = source.random()
        dataset[f"item{item}"] = {}
        for coder in coders:
            ends = [source.random() < share for _ in range(units - 1)]
            ends[source.randrange(units - 1)] = True
            dataset[f"item{item}"][f"coder{coder}"] = list(map(len, cut("x" * units, ends)))
    return dataset


def naive_agreement(annotators: Sequence[Corpus], zero_division: float) -> dict[str, float]:
    """As defined, with B and no transpositions, in exact fractions."""
    matched = union = gaps = 0
    placed = [0] * len(annotators)
    for utterances in zip(*annotators, strict=True):
        sets = [boundaries(words, edges=False) for words in utterances]
        gaps += max(sum(map(len, utterances[0])) - 1, 0)
        placed = [count + len(side) for count, side in zip(placed, sets, strict=True)]
        for left, right in combinations(sets, 2):
            matched += len(left & right)
            union += len(left | right)
    if not gaps:
        return dict.fromkeys(GROUP.keys, zero_division)
    shares = [Fraction(count, gaps) for count in placed]
    products = [left * right for left, right in combinations(shares, 2)]
    expected = {
        "agreement_pi": (sum(shares, Fraction(0)) / len(shares)) ** 2,
        "agreement_kappa": sum(products, Fraction(0)) / len(products),
    }
    scores = {"agreement_actual": matched / union if union else zero_division}
    for key, chance in expected.items():
        chance_corrected = float((Fraction(matched, union) - chance) / (1 - chance)) if union and chance != 1 else None
        scores[key] = zero_division if chance_corrected is None else chance_corrected
    return scores | {"agreement_bias": float(expected["agreement_pi"] - expected["agreement_kappa"])}


@st.composite
def annotated(draw: st.DrawFn) -> list[list[list[Word]]]:
    """Two to four segmentations of the same utterances."""
    corpus = draw(st.lists(st.integers(0, 8), min_size=1, max_size=4))
    count = draw(st.integers(2, 4))
    ends = st.lists(st.booleans(), min_size=8, max_size=8)
    return [[cut("x" * units, draw(ends)[:units]) for units in corpus] for _ in range(count)]


@pytest.mark.parametrize("name", SEGEVAL_TESTS)
def test_the_mean_of_utterances_gives_the_numbers_of_segevals_tests(name: str) -> None:
    dataset, pi, kappa, bias = SEGEVAL_TESTS[name]
    scores = agreement(of_dataset(dataset), expected="mean")
    assert [scores[key] for key in [*GROUP.keys][1:]] == pytest.approx([pi, kappa, bias], abs=1e-12)


@pytest.mark.parametrize("span", [1, 2, 4])
@pytest.mark.parametrize("similarity", ["boundary_similarity", "segmentation_similarity"])
def test_random_annotators_agree_as_with_segeval(similarity: str, span: int) -> None:
    source = random.Random(f"{similarity} {span}")
    options: dict[str, Any] = {"fnc_compare": getattr(segeval, similarity), "n_t": span}
    for _ in range(8):
        dataset = random_dataset(source)
        annotators = of_dataset(dataset)
        if all(set(masses) == {1} for item in dataset.values() for masses in item.values()):
            continue  # everybody cuts everywhere: 0/0
        scores = agreement(annotators, transposition_span=span, similarity=similarity, expected="mean")
        expected = [
            segeval.actual_agreement_linear(dataset, **options),
            segeval.fleiss_pi_linear(dataset, **options),
            segeval.fleiss_kappa_linear(dataset, **options),
            segeval.artstein_poesio_bias_linear(dataset, **options),
        ]
        assert list(scores.values()) == pytest.approx(list(map(float, expected)), abs=1e-9), dataset
        pooled = agreement(annotators, transposition_span=span, similarity=similarity)
        for key in ("agreement_actual", "agreement_kappa"):
            assert pooled[key] == scores[key]


@pytest.mark.parametrize("boundaries", range(10))
def test_the_bias_of_annotators_with_equally_many_boundaries_is_exactly_0(boundaries: int) -> None:
    masses = [[1] * boundaries + [12 - boundaries]]
    for annotators in (2, 3, 6, 7):
        assert agreement([of_masses(masses)] * annotators)["agreement_bias"] == 0.0


def test_the_bias_of_large_counts_is_not_negative() -> None:
    """(p − q)² / 4 for shares p and q, as for two annotators by definition."""
    for first, second in ((10**9, 10**9 + 1), (3 * 10**8 + 1, 3 * 10**8), (2 * 10**9 - 1, 2 * 10**9 - 3)):
        counts = dict(zip(AGREEMENT_COLUMNS, (1, first, 3 * 10**9, first, second), strict=True))
        bias = Fraction(first - second, 3 * 10**9) ** 2 / 4
        assert agreement_scores(counts, 0.0)["agreement_bias"] == pytest.approx(float(bias), rel=1e-15, abs=0)


@pytest.mark.parametrize("zero_division", [0.0, 1.0])
@given(annotators=annotated())
def test_the_scores_are_the_naive_ones(annotators: list[list[list[Word]]], zero_division: float) -> None:
    scores = agreement([of_corpus(corpus) for corpus in annotators], transposition_span=1, zero_division=zero_division)
    assert list(scores) == list(GROUP.keys)
    assert scores == pytest.approx(naive_agreement(annotators, zero_division), abs=1e-12)


@given(corpus_pairs())
def test_a_reference_and_a_prediction_are_two_annotators(pair: tuple[Corpus, Corpus]) -> None:
    counts = tally_agreement(compared(*pair))
    assert tuple(counts) == AGREEMENT_COLUMNS
    scores = agreement_scores(summed(counts), 0.0)
    assert {key: float(value) for key, value in scores.items()} == agreement(list(map(of_corpus, pair)))


@pytest.mark.parametrize(
    ("texts", "options", "message"),
    [
        ([["a b"]], {}, "two or more annotators, received 1"),
        ([], {}, "two or more annotators, received 0"),
        ([["a b"], ["a b"], ["a b", "a"]], {}, "the annotators have 1, 1, 2 utterances"),
        ([["a b", "ab c"], ["ab", "a bc"], ["ab", "ab d"]], {},
            r"^annotators 0 \(the reference\) and 2 \(the prediction\), utterance 1: the units differ at offset 2"),
        ([["a"]] * 2, {"transposition_span": 0}, "transposition_span: expected a whole number of gaps from 1"),
        ([["a"]] * 2, {"similarity": "b"}, "similarity: expected .boundary_similarity. or .*received 'b'"),
        ([["a"]] * 2, {"expected": "pi"}, "expected: expected .pooled. or .mean., received 'pi'"),
        ([["a"]] * 2, {"zero_division": 2}, r"zero_division: expected a number in \[0, 1\] or nan"),
    ],
)  # fmt: skip
def test_bad_input_is_refused(texts: list[list[str]], options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        agreement([text_of(*lines) for lines in texts], **options)
