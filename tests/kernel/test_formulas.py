"""Formulas: against fractions, one count at a time, and division by zero."""

from fractions import Fraction
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from segscores.kernel.formulas import precision_recall_fscore

#: Matched, predicted and reference counts, as they can be: what matches is in both.
counts = st.tuples(st.integers(0, 50), st.integers(0, 50), st.integers(0, 50)).map(
    lambda drawn: (drawn[0], drawn[0] + drawn[1], drawn[0] + drawn[2])
)


def exact(numerator: int, denominator: int, zero_division: float) -> float:
    """The double nearest to the quotient."""
    return float(Fraction(numerator, denominator)) if denominator else zero_division


def columns(rows: list[tuple[int, ...]], *names: str) -> dict[str, Any]:
    return {name: np.array([row[place] for row in rows], np.int64) for place, name in enumerate(names)}


@given(st.lists(counts, min_size=1, max_size=6), st.sampled_from([0.0, 0.5, 1.0]))
def test_precision_recall_and_fscore_are_the_nearest_doubles(
    rows: list[tuple[int, int, int]], undefined: float
) -> None:
    names = ("x_matched", "x_predicted", "x_reference")
    scores = precision_recall_fscore("x", columns(rows, *names), undefined)
    assert list(scores) == ["x_precision", "x_recall", "x_fscore"]
    for place, (matched, predicted, reference) in enumerate(rows):
        expected = {
            "x_precision": exact(matched, predicted, undefined),
            "x_recall": exact(matched, reference, undefined),
            "x_fscore": exact(2 * matched, predicted + reference, undefined),
        }
        assert {key: values[place] for key, values in scores.items()} == expected
        one = precision_recall_fscore("x", dict(zip(names, rows[place], strict=True)), undefined)
        assert {key: float(value) for key, value in one.items()} == expected
