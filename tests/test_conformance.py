"""Every surface gives the scores of a case (`cases`, `conformance`)."""

from pathlib import Path

import pytest

from .case import Case
from .cases import CASES
from .conformance import EVERY, SURFACES, Surface, pairs_of


@pytest.mark.usefixtures("session_of_spark")
@pytest.mark.parametrize(("surface", "case"), pairs_of(CASES))
def test_a_case_has_its_scores(surface: Surface, case: Case, request: pytest.FixtureRequest) -> None:
    if not surface.is_python:
        request.getfixturevalue("in_folder")
    scores, messages = surface.run(case, Path())
    assert case.scores is not None
    assert list(scores) == list(case.scores)
    close = {"rel": 1e-9, "abs": 1e-12} if surface.digits is None else {"rel": 0, "abs": 0.6 * 10.0**-surface.digits}
    assert scores == pytest.approx(dict(case.scores), nan_ok=True, **close)
    for words in case.messages if surface.warns else ():
        assert any(words in message for message in messages), messages


def test_every_option_of_scoring_has_a_case() -> None:
    # Only files have tiers, and cases have lists: the tests of recordings and of the signature name a tier.
    missing = EVERY - {"tier"} - {name for case in CASES.values() for name in case.options}
    assert not missing, f"add a case with {', '.join(missing)} to tests/cases.py"


@pytest.mark.parametrize("where", SURFACES)
def test_a_surface_has_every_option_or_says_why_not(where: str) -> None:
    surface = SURFACES[where]
    missing = EVERY - surface.options - surface.lacks.keys()
    assert not missing, f"{where} has no option {', '.join(missing)}: {surface.add}."
    stale = surface.lacks.keys() & surface.options
    assert not stale, f"{where} has {', '.join(stale)}: take it out of what the surface lacks."
