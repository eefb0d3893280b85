"""Incidences of many things and pairs, which are unified while others wait, and are read in slices."""

from typing import Any

import numpy as np
import pyarrow as pa

from segscores.kernel.incidence import Incidence, IncidenceBuilder, add_counts


def numbers_of(incidence: Incidence) -> Any:
    """The number that each pair has as its thing."""
    return incidence.things.cast(pa.string()).cast(pa.int64()).to_numpy()[incidence.ids]


def test_the_incidence_of_many_parts_is_that_of_all_their_utterances() -> None:
    # Utterances of three things each, of 500,009 things, which stand in another order in each part.
    numbers = np.arange(1_260_000) * 7 % 500_009
    builder = IncidenceBuilder(add_counts)
    for part in np.split(numbers, [3, 300_000, 600_000, 900_000, 1_200_000]):
        things = pa.array(part).cast(pa.string()).cast(pa.large_binary())
        utterances = np.arange(len(part)) // 3
        builder.add(Incidence.of(things, utterances, part % 5 + 1, len(part) // 3, add_counts))
    incidence = builder.incidence()
    slices = [*incidence.slices()]
    assert len(slices) > 1
    sums = (numbers % 5 + 1).reshape(-1, 3).sum(axis=1)
    for parts in ([incidence], slices):
        found = np.concatenate([part.sum_pairs(part.values) for part in parts])
        assert np.array_equal(found, sums)
        of_utterances = np.concatenate([numbers_of(part) for part in parts]).reshape(-1, 3)
        assert np.array_equal(np.sort(of_utterances), np.sort(numbers.reshape(-1, 3)))
    taken = incidence.take(np.array([300_000, 7]))
    assert sorted(numbers_of(taken)) == sorted([*numbers[900_000:900_003], *numbers[21:24]])
