"""Utterance accuracy: against lists of words compared one by one."""

from __future__ import annotations

import pytest

from segscores import score


@pytest.mark.parametrize("average", ["micro", "macro"])
@pytest.mark.parametrize("form", [{"text_format": "words"}, {"text_format": "units"}])
def test_words_invented_for_a_blank_reference_are_an_error(average: str, form: dict[str, str]) -> None:
    """Of three utterances with words one is right; the last is blank on both sides."""
    pytest.importorskip("rapidfuzz", reason="on_mismatch='align' needs it, which the extra align brings")
    sides = ["", "a", "b", ""], ["x", "a", "", ""]
    found = score(*sides, scores="exact", on_mismatch="align", average=average, zero_division=1.0, **form)
    assert found["utterance_accuracy"] == 1 / 3
