"""Weights of the Poisson bootstrap: their distribution, their independence, and the sums of resamples."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest

from segscores.scale.poisson_bootstrap import add_resamples, poisson_weights


def test_weights_are_poisson_and_independent() -> None:
    weights = poisson_weights(0, np.arange(5000), 200).astype(np.float64)
    shares = np.bincount(weights.astype(np.int64).ravel(), minlength=9)[:9] / weights.size
    expected = np.array([math.exp(-1) / math.factorial(k) for k in range(9)])
    # Five standard errors of a share.
    assert (np.abs(shares - expected) < 5 * np.sqrt(expected / weights.size)).all()
    correlations = np.corrcoef(weights[:, :40].T) - np.eye(40)
    assert np.abs(correlations).max() < 5 / math.sqrt(5000)
    neighbours = np.corrcoef(weights[:-1].ravel(), weights[1:].ravel())[0, 1]
    assert abs(neighbours) < 5 / math.sqrt(weights.size)


def test_a_rows_weights_depend_on_its_number_and_the_seed_alone() -> None:
    rows = np.array(random.Random(0).sample(range(1 << 40), 50))
    weights = poisson_weights(1, rows, 33)
    assert np.array_equal(weights[::-1], poisson_weights(1, rows[::-1], 33))
    assert np.array_equal(weights[:, :10], poisson_weights(1, rows, 10))
    assert not np.array_equal(weights, poisson_weights(2, rows, 33))


def splitmix64(state: int, count: int) -> list[int]:
    """The generator of Steele, Lea and Flood (2014), with Python's integers."""
    numbers = []
    for _ in range(count):
        state = (state + 0x9E3779B97F4A7C15) % 2**64
        z = ((state ^ state >> 30) * 0xBF58476D1CE4E5B9) % 2**64
        z = ((z ^ z >> 27) * 0x94D049BB133111EB) % 2**64
        numbers.append(z ^ z >> 31)
    return numbers


def test_the_generator_is_that_of_the_paper() -> None:
    # The first numbers for the state 1234567, which implementations publish as a check.
    assert splitmix64(1234567, 3) == [6457827717110365317, 3203168211198807973, 9817491932198370423]


@pytest.mark.parametrize("seed", [0, 17])
def test_the_weights_are_quantiles_of_the_bits_of_the_generator(seed: int) -> None:
    rows, n_resamples = [0, 1, 2, 1 << 33], 7
    key = int(np.random.SeedSequence(seed).generate_state(1, np.uint64)[0])
    cumulated = [sum(math.exp(-1) / math.factorial(j) for j in range(k + 1)) for k in range(12)]
    expected = []
    for row in rows:
        # The row is the place of its own stream's state in the stream of the seed.
        state = splitmix64((key + (row - 1) * 0x9E3779B97F4A7C15) % 2**64, 1)[0]
        bits = [half for number in splitmix64(state, 4) for half in (number % 2**32, number >> 32)]
        expected.append([sum(bit >= round(share * 2**32) for share in cumulated) for bit in bits[:n_resamples]])
    assert poisson_weights(seed, np.array(rows), n_resamples).tolist() == expected


@pytest.mark.parametrize("n_resamples", [3, 1 << 17])
def test_the_sums_of_a_resample_are_those_of_its_rows(n_resamples: int) -> None:
    # Two rows at a time for the larger number. The row that is left out counts as skipped.
    rows, kept = np.array([4, 0, 9, 2, 7]), np.array([True, True, False, True, True])
    columns = {"token_matched": np.array([1, 0, 3, 2]), "skipped_utterances": np.zeros(4, np.int64)}
    sums = np.full((n_resamples, 2), 10)
    add_resamples(sums, columns, rows, kept, seed=5)
    weights = poisson_weights(5, rows, n_resamples).astype(np.int64)
    assert np.array_equal(sums[:, 0], 10 + weights[0] + 3 * weights[3] + 2 * weights[4])
    assert np.array_equal(sums[:, 1], 10 + weights[2])
    whole = np.zeros((n_resamples, 1), np.int64)
    add_resamples(whole, {"units": np.arange(1, 6)}, rows, None, seed=5)
    assert np.array_equal(whole[:, 0], weights.T @ np.arange(1, 6))


def test_rows_of_a_cluster_have_one_weight_in_all_parts() -> None:
    clusters, counts = np.array([-8, 3, -8, 5, 3, -8]), np.array([1, 10, 2, 50, 20, 4])
    sums = np.zeros((40, 1), np.int64)
    for part in (slice(0, 4), slice(4, 4), slice(4, 6)):
        add_resamples(sums, {"units": counts[part]}, clusters[part], None, seed=2)
    weights = poisson_weights(2, np.array([-8, 3, 5]), 40).astype(np.int64)
    assert np.array_equal(sums[:, 0], weights.T @ [7, 30, 50])
    assert np.ptp(sums) > 0
