"""Over-segmentation, R-value and classes of words: against printed numbers and plain Python."""

import math
from typing import Any

import pytest

from segscores import CorpusTally, score, tally
from segscores.scoring.measures.rates import GROUP, rates_scores

from ...naive import naive_r_value

CLASSES = ("over_segmented", "under_segmented", "mis_segmented")


def counts_of(matched: int, predicted: int, reference: int) -> dict[str, int]:
    return dict.fromkeys((*CLASSES, "token_reference"), 0) | {
        "rates_matched": matched,
        "boundary_noedge_predicted": predicted,
        "boundary_noedge_reference": reference,
    }


@pytest.mark.parametrize(
    ("counts", "over", "r_value"),
    [
        ((10, 10, 10), 0.0, 1.0),
        ((0, 0, 10), -1.0, 1 - math.sqrt(2) / 2),
        ((10, 20, 10), 1.0, 1 - (1 + math.sqrt(0.5)) / 2),
        ((0, 10, 10), 0.0, 1 - (1 + math.sqrt(0.5)) / 2),
        ((10, 60, 10), 5.0, 1 - (5 + 5 * math.sqrt(0.5)) / 2),
    ],
    ids=["perfect", "no_boundary", "twice_as_many", "all_wrong", "below_zero"],
)
def test_the_corners_of_the_r_value(counts: tuple[int, int, int], over: float, r_value: float) -> None:
    scores = rates_scores(counts_of(*counts), 0.0)
    assert scores["over_segmentation"] == pytest.approx(over, abs=1e-12)
    assert scores["r_value"] == pytest.approx(r_value, abs=1e-12)


def test_rates_have_a_tolerance_of_their_own() -> None:
    """RB = PB = 2 and TB = 1; the other boundary is one unit off."""
    sides: Any = (["ab cd ef"], ["abc d ef"])
    for tolerance in (0, 1, 3):
        found = score(*sides, text_format="words", scores=["tolerance", "rates"], tolerance=tolerance)
        assert found["tolerance_recall"] == (0.5 if tolerance == 0 else 1.0)
        assert found["r_value"] == pytest.approx(naive_r_value(0.5, 0.0), abs=1e-12)
        near = score(*sides, text_format="words", scores=["tolerance", "rates"], tolerance=tolerance, rates_tolerance=1)
        assert (near["tolerance_recall"], near["r_value"]) == (found["tolerance_recall"], 1.0)
    assert "`rates_tolerance` units apart" in GROUP.definition
    for scores in ("rates", "r_value"):
        assert "tol:" not in tally(*sides, text_format="words", scores=scores).signature()


def test_tolerance_stands_for_that_of_rates_of_labels_with_a_warning() -> None:
    sides: Any = ([[1, 0, 0, 1, 0, 0, 1, 0]], [[1, 0, 1, 0, 0, 0, 1, 0]])
    for scores, names in (
        (["rates"], ("rates_tolerance",)),
        (["rates", "tolerance"], ("rates_tolerance", "tolerance")),
    ):
        with pytest.warns(DeprecationWarning, match=r"rates_tolerance=1"):
            old = tally(*sides, label_scheme="start", scores=scores, tolerance=1)
        new = tally(*sides, label_scheme="start", scores=scores, **dict.fromkeys(names, 1))
        assert (old.signature(), old.scores()) == (new.signature(), new.scores())
        assert old.scores()["r_value"] == 1.0


def test_a_stored_tally_of_labels_has_its_tolerance() -> None:
    """The options of a tally that version 0.3.0 wrote."""
    sides: Any = ([[1, 0, 0, 1, 0, 0, 1, 0]], [[1, 0, 1, 0, 0, 0, 1, 0]])
    stored = tally(*sides, label_scheme="start", scores="rates", rates_tolerance=2).to_dict()
    stored["options"]["tolerance"] = stored["options"].pop("rates_tolerance")
    assert "|rtol:2|" in CorpusTally.from_dict(stored).signature()


def test_recordings_have_no_tolerance_in_units() -> None:
    recordings = [[(0, 1, "a"), (1, 2, "b")]]
    with pytest.raises(ValueError, match=r"^rates_tolerance=1: .* use tolerance"):
        score(recordings, recordings, text_format="times", rates_tolerance=1)


def test_boundaries_around_an_invented_word_are_predicted_boundaries() -> None:
    """RB = 1, PB = 2 and TB = 1, whether the boundary scores are asked for too or not."""
    options: dict[str, Any] = {"text_format": "words", "on_mismatch": "align"}
    for scores in (["rates"], ["rates", "boundary_noedge"]):
        found = score(["ab cd"], ["ab x cd"], scores=scores, **options)
        assert found["over_segmentation"] == 2 / 1 - 1
        assert found["r_value"] == pytest.approx(naive_r_value(1.0, 1.0), abs=1e-12)
