"""Formulas: against fractions, one count at a time, and division by zero."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from segscores.scoring.formulas import precision_recall_fscore
from segscores.scoring.measures.basic import true_negative_rate

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


@pytest.mark.parametrize(
    ("units", "reference", "predicted", "matched", "expected"),
    [
        # Shao et al. (2017), Table 1: John likes Mary, 13 units; of 91 spans 3 are words.
        (13, 3, 3, 3, 1.0),
        (13, 3, 2, 1, 87 / 88),
        (13, 3, 13, 0, 75 / 88),
        # One unit has one span: there is nothing to reject.
        (1, 1, 1, 1, 0.25),
        (2, 1, 2, 0, 0.0),
    ],
)
def test_the_true_negative_rate_by_hand(
    units: int, reference: int, predicted: int, matched: int, expected: float
) -> None:
    tally = {
        "token_spans": units * (units + 1) // 2,
        "token_reference": reference,
        "token_predicted": predicted,
        "token_matched": matched,
    }
    assert true_negative_rate(tally, 0.25) == {"token_tnr": expected}
