"""Clusters of utterances: whole ones are resampled, exchanged and split, as naive sums and unions of them would be."""

import random
import warnings
from itertools import product
from typing import Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped,unused-ignore]
import pyarrow as pa
import pytest

from segscores.scores import score
from segscores.scoring.plan import Plan
from segscores.scoring.utterance_tally import concatenate
from segscores.statistics.clusters import read_clusters, with_clusters
from segscores.statistics.resampling import Resampling
from segscores.statistics.subsets import score_by
from segscores.statistics.system_comparison import compare
from segscores.statistics.utterance_scores import score_utterances

from ..corpora import Corpus, random_corpus_pair, units_text
from ..naive import DEFAULT_KEYS, naive_scores
from .helpers import SUM_KEYS, compared, intervals, tally_of


def clustered_pair(utterances: int, clusters: int, seed: int = 1) -> tuple[list[Any], list[Any], list[str]]:
    """A corpus whose utterances are in clusters of different sizes, in no order."""
    references, predictions = random_corpus_pair(utterances, seed, units="abcd", max_units=8)
    source = random.Random(seed)
    ids = [f"doc{index}" for index in [*range(clusters), *source.choices(range(clusters), k=utterances - clusters)]]
    source.shuffle(ids)
    return list(references), list(predictions), ids


def members(ids: list[str]) -> list[list[int]]:
    """The utterances of each cluster, in order of its first one."""
    return [[at for at, other in enumerate(ids) if other == name] for name in dict.fromkeys(ids)]


def test_the_macro_average_of_clusters_is_still_the_mean_over_utterances() -> None:
    references, predictions, ids = clustered_pair(60, 9)
    tally = tally_of(references, predictions, ids)
    options = Plan.of()
    found = score_utterances(tally, options, Resampling(average="macro", confidence=0.9))
    plain = score_utterances(tally_of(references, predictions), options, Resampling(average="macro"))
    assert {key: found[key] for key in DEFAULT_KEYS} == pytest.approx(plain, rel=1e-12)


@pytest.mark.parametrize("zero_division", [None, 1.0])
def test_the_mean_over_clusters_is_of_the_scores_of_each_as_a_corpus(zero_division: float | None) -> None:
    references, predictions, ids = clustered_pair(60, 9)
    ids[0], references[0], predictions[0] = "blank", [], []
    options = {} if zero_division is None else {"zero_division": zero_division}
    sides = units_text(references), units_text(predictions)
    found = score(*sides, average="cluster", clusters=ids, **options)
    alone = [
        naive_scores(*([side[at] for at in some] for side in (references, predictions)), zero_division or 0.0)
        for some in members(ids)
        if ids[some[0]] != "blank"
    ]
    assert found == pytest.approx({key: np.mean([scores[key] for scores in alone]) for key in DEFAULT_KEYS})
    systems = {"first": sides[1], "second": sides[0]}
    compared = compare(sides[0], systems, average="cluster", clusters=ids, primary="token_fscore", **options)
    assert compared.scores["first"] == pytest.approx(found)
    assert (
        score_by(*sides, ["all"] * 60, average="cluster", clusters=ids, **options).systems[0].subsets[0].scores == found
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [({"average": "cluster"}, "average: it goes with clusters"),
     ({"average": "macro", "clusters": ["a", "b"]}, 'add confidence=0.95 or average="cluster"')],
)  # fmt: skip
def test_a_mean_over_clusters_needs_them(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        score(["a", "b"], ["a", "b"], **options)


def test_randomisation_exchanges_whole_clusters() -> None:
    references, first, ids = clustered_pair(40, 8, seed=8)
    second: Corpus = [
        [unit for word in words for unit in word] if at % 3 else first[at] for at, words in enumerate(references)
    ]
    clusters = members(ids)

    def difference(swaps: tuple[bool, ...]) -> dict[str, float]:
        sides = list(first), list(second)
        for cluster, swap in zip(clusters, swaps, strict=True):
            for at in cluster if swap else ():
                sides[0][at], sides[1][at] = sides[1][at], sides[0][at]
        scores = [naive_scores(references, side) for side in sides]
        return {key: scores[1][key] - scores[0][key] for key in DEFAULT_KEYS}

    observed = difference((False,) * 8)
    every = [difference(swaps) for swaps in product([False, True], repeat=8)]
    found = compared({"a": tally_of(references, first, ids), "b": tally_of(references, second, ids)}).differences["b"]
    for key in SUM_KEYS:
        as_large = sum(abs(trial[key]) >= abs(observed[key]) - 1e-12 for trial in every)
        assert found[key].p_value == as_large / 256, key


def test_intervals_of_alike_utterances_are_as_wide_as_of_one_of_each() -> None:
    references, predictions = random_corpus_pair(40, seed=10, units="abcd")
    repeated = [list(side) * 5 for side in (references, predictions)]
    tally = with_clusters(tally_of(*repeated), list(range(40)) * 5)
    found = intervals(tally, SUM_KEYS, n_resamples=500)
    assert found == intervals(tally_of(references, predictions), SUM_KEYS, n_resamples=500)


def test_the_tally_of_parts_keeps_their_clusters() -> None:
    parts = [with_clusters(tally_of(*random_corpus_pair(4, seed)), [0, 1, 1, 0]) for seed in (1, 2)]
    joined = concatenate(parts)
    assert joined.clusters is not None
    assert joined.clusters.tolist() == [0, 1, 1, 0, 0, 1, 1, 0]
    taken = joined.take(np.array([1, 2, 5]))
    assert taken.clusters is not None
    assert (taken.clusters.tolist(), taken.cluster_count) == ([0, 0, 0], 1)


@pytest.mark.parametrize(
    "ids",
    [
        ["b", "a", "b", "c"],
        np.array([7, 3, 7, 5]),
        pa.array(["b", "a", "b", "c"]),
        pa.chunked_array([["b"], ["a", "b", "c"]]),
        pa.array(["b", "a", "b", "c"]).dictionary_encode(),
        pa.DictionaryArray.from_arrays([1, 0, 1, 2], pa.array(["a", "b", "c"], pa.string_view())),
        pa.DictionaryArray.from_arrays([1, 0, 2, 3], pa.array(["a", "b", "b", "c"])),
        pd.Series([4, 1, 4, 2], index=[9, 8, 7, 6]),
        iter("baBc".lower()),
    ],
    ids=["list", "numpy", "arrow", "chunks", "dictionary", "views", "repeated", "series", "iterator"],
)
def test_ids_are_taken_in_any_form(ids: Any) -> None:
    assert read_clusters(ids, 4).tolist() == [0, 1, 0, 2]


@pytest.mark.parametrize(
    ("ids", "error", "message"),
    [
        ("abc", TypeError, "clusters: expected an id for each utterance, received 'abc'"),
        (3, TypeError, "clusters: expected an id for each utterance, received 3"),
        (pd.DataFrame({"id": ["a", "b", "b"]}), TypeError, "clusters: expected an id for each utterance, received "),
        ({"a", "b", "c"}, TypeError, "clusters: expected an id for each utterance, received {'"),
        ({"a": 1, "b": 2, "c": 2}, TypeError, "clusters: expected an id for each utterance, received {'a'"),
        (["a", "b"], ValueError, "clusters: received 2 ids for 3 utterances: expected one for each"),
        (["a", None, "b"], ValueError, "clusters: utterance 1 has no id"),
        (pa.DictionaryArray.from_arrays([0, 1, 0], pa.array(["a", None])), ValueError, "utterance 1 has no id"),
        (["a", "\ud800", "b"], TypeError, r"clusters: expected ids .* strings .*'\\ud800' in position 0"),
        (["a", 1, "b"], TypeError, "clusters: expected ids that are all strings or all integers"),
        ([1 << 63, 1, 1], TypeError, "clusters: expected ids that are all strings or all integers of 64 bits"),
        ([1.5, 2.0, 2.0], TypeError, "clusters: expected ids that are strings or integers, received double"),
        ([["a"], ["b"], ["c"]], TypeError, "clusters: expected ids that are strings or integers, received list"),
    ],
)
def test_bad_ids_are_an_error(ids: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        read_clusters(ids, 3)


def test_one_cluster_is_an_error() -> None:
    settings: dict[str, Any] = {"text_format": "words", "scores": "token"}
    tally = tally_of(*random_corpus_pair(5, 1), ["a"] * 5)
    with pytest.raises(
        ValueError,
        match=r"two clusters, received 1: .* from one cluster\. Without clusters its utterances .* independent\.$",
    ):
        intervals(tally, ["token_recall"])
    with pytest.raises(ValueError, match="needs at least two clusters, received 1"):
        compare(["a b", "c d"], {"a": ["ab", "cd"], "b": ["a b", "cd"]}, clusters=[1, 1], **settings)


def test_clusters_of_one_utterance_each_are_warned_of() -> None:
    with pytest.warns(UserWarning, match="each utterance has a cluster of its own"):
        score(["a b"] * 20, ["a b", "ab"] * 10, text_format="words", confidence=0.95, clusters=range(20))


@pytest.mark.filterwarnings("default:.* of the text")
def test_the_largest_is_named_if_it_is_unlike_the_others() -> None:
    references, predictions = random_corpus_pair(400, seed=7, units="abc")
    pair = units_text(references), units_text(predictions)
    # A document of 100 utterances from the fourth on, and forty others.
    ids = [40 if 3 <= at < 103 else at % 40 for at in range(400)]
    sizes = [sum(map(len, utterance)) for utterance in references]
    share = sum(sizes[3:103]) / sum(sizes)
    message = f"^the cluster of utterance 3 has {100 * share:.0f} % of the text: intervals and tests depend on it"
    with pytest.warns(UserWarning, match=message):
        score(*pair, scores="token", confidence=0.95, clusters=ids)
    with pytest.warns(UserWarning, match=message):
        compare(pair[0], {"old": pair[1], "new": pair[0]}, scores="token", clusters=ids)
    with pytest.warns(UserWarning, match="^utterance 12 has 92 % of the text"):
        score(*[[*["a b"] * 12, "a b" * 140]] * 2, scores="token", text_format="words", confidence=0.9)
    with warnings.catch_warnings():
        warnings.filterwarnings("error", ".* of the text")
        score(*pair, scores="token", confidence=0.95, clusters=[at % 20 for at in range(400)])
