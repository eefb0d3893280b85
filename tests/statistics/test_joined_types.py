"""Joined types against a dict of sets, utterance by utterance and by cluster."""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise
from typing import TypeAlias

import numpy as np
import pytest

from segscores.reading.inputs import read_pair
from segscores.scoring.options import Plan
from segscores.scoring.utterance_tally import UtteranceTally, tally_utterances
from segscores.statistics import joined_types
from segscores.statistics.clusters import with_clusters
from segscores.statistics.joined_types import JoinedTypes, join_systems
from segscores.statistics.system_comparison import compare_predictions

from ..naive import random_corpus_pair, units_text

COUNT = 60
Corpus: TypeAlias = list[list[str]]


def systems_of(count: int) -> tuple[Corpus, list[Corpus]]:
    """A reference with some empty utterances, and predictions of the same units."""
    drawn, _ = random_corpus_pair(COUNT, seed=3, units="abc", max_units=9)
    references = [["".join(word) for word in words] for words in drawn]
    source = np.random.default_rng(4)
    systems = []
    for _ in range(count):
        predictions: Corpus = []
        for words in references:
            units = "".join(words)
            cuts = [0, *(place for place in range(1, len(units)) if source.random() < 0.4), len(units)]
            predictions.append([units[start:stop] for start, stop in pairwise(cuts) if start < stop])
        systems.append(predictions)
    return references, systems


def tallies_of(references: Corpus, systems: list[Corpus], clusters: list[int] | None) -> list[UtteranceTally]:
    plan = Plan.of(scores="type")
    return [
        with_clusters(tally_utterances(*read_pair(units_text(references), units_text(side)), plan), clusters)
        for side in systems
    ]


def naive_join(references: Corpus, systems: list[Corpus], clusters: list[int]) -> dict[tuple[int, str], int]:
    """The sides that have a word in a cluster, as bits: 1 for the reference, 2, 4, … for the systems."""
    found: dict[tuple[int, str], int] = defaultdict(int)
    for place, side in enumerate([references, *systems]):
        for cluster, words in zip(clusters, side, strict=True):
            for word in words:
                found[cluster, word] |= 1 << place
    return dict(found)


def as_dict(joined: JoinedTypes) -> dict[tuple[int, str], int]:
    rows = np.searchsorted(joined.ends, np.arange(len(joined.ids)), side="right")
    words = [word.decode().replace(" ", "") for word in joined.types.take(joined.ids).to_pylist()]
    entries = list(zip(rows.tolist(), words, strict=True))
    assert len(set(entries)) == len(entries)
    return dict(zip(entries, joined.sides.tolist(), strict=True))


CLUSTERS = {
    "none": None,
    "in order": [index // 7 for index in range(COUNT)],
    "mixed": [index % 11 for index in range(COUNT)],
}


@pytest.mark.parametrize("at_once", [1, 64, 1 << 17])
@pytest.mark.parametrize("clusters", CLUSTERS.values(), ids=CLUSTERS)
@pytest.mark.parametrize("count", [2, 7, 8, 31, 40])
def test_entries_have_the_sides_of_their_words(
    monkeypatch: pytest.MonkeyPatch, count: int, clusters: list[int] | None, at_once: int
) -> None:
    monkeypatch.setattr(joined_types, "_ENTRIES_AT_ONCE", at_once)
    references, systems = systems_of(count)
    joined = join_systems(tallies_of(references, systems, clusters))
    expected = naive_join(references, systems, clusters or list(range(COUNT)))
    assert as_dict(joined) == expected
    assert joined.systems == count
    words = [word.decode().replace(" ", "") for word in joined.types.to_pylist()]
    in_reference = {word for (_, word), sides in expected.items() if sides & 1}
    assert {word for word, is_in in zip(words, joined.in_reference(), strict=True) if is_in} == in_reference
    agreed = {word for (_, word), sides in expected.items() if sides >> 1 == (1 << count) - 1}
    assert {word for word, is_agreed in zip(words, joined.agreed(), strict=True) if is_agreed} == agreed
    rest = joined.take(~joined.agreed())
    assert as_dict(rest) == {entry: sides for entry, sides in expected.items() if entry[1] not in agreed}


@pytest.mark.parametrize("clusters", CLUSTERS.values(), ids=CLUSTERS)
def test_a_reference_with_another_word_is_an_error(clusters: list[int] | None) -> None:
    references, systems = systems_of(2)
    place = next(index for index, words in enumerate(references) if index > 20 and len("".join(words)) > 1)
    others = [list(words) for words in references]
    units = "".join(others[place])
    others[place] = [units[:1], units[1:]] if len(others[place]) == 1 else [units]
    first, second = tallies_of(references, systems[:1], clusters), tallies_of(others, systems[1:], clusters)
    with pytest.raises(ValueError, match=rf"utterance {place}: the references .* differ \(words\)"):
        join_systems([*first, *second])


def test_systems_beyond_the_bits_are_an_error() -> None:
    references, systems = systems_of(1)
    (tally,) = tallies_of(references, systems, None)
    assert join_systems([tally] * 62).sides.max() == (1 << 63) - 1
    with pytest.raises(ValueError, match="of 63 systems: expected at most 62"):
        join_systems([tally] * 63)


def test_a_pair_has_the_same_difference_in_any_company() -> None:
    references, systems = systems_of(9)
    clusters = CLUSTERS["in order"]
    texts = {f"s{index}": units_text(side) for index, side in enumerate(systems)}
    names = ["s0", "s8"]
    options = {"scores": "type", "clusters": clusters, "n_trials": 200}
    chosen = [{name: texts[name] for name in names}, texts]
    with pytest.warns(UserWarning, match="9 clusters"):
        alone, together = (compare_predictions(units_text(references), each, **options) for each in chosen)
    for key in alone.keys:
        pair, of_many = alone.differences["s8"][key], together.differences["s8"][key]
        assert (pair.low, pair.high) == pytest.approx((of_many.low, of_many.high), abs=1e-12)
        assert pair.p_randomisation == of_many.p_randomisation
