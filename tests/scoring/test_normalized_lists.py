"""The option normalize with lists of words and segments."""

import unicodedata

from segscores import score
from segscores.scoring.plan import Plan


def test_boundaries_that_normalization_drops_are_dropped_in_the_vocabulary() -> None:
    text = ["e \u0301t a"]
    assert unicodedata.normalize("NFC", "e\u0301t") == "ét"
    found = score(text, text, text_format="words", normalize="NFC", scores="oov", vocabulary=text, zero_division=0.0)
    assert found["oov_rate"] == 0.0
    lists = [text[0].split()]
    assert score(lists, lists, normalize="NFC", scores="oov", vocabulary=lists, zero_division=0.0)["oov_rate"] == 0.0


def test_digests_equal_digests_of_the_lists() -> None:
    lists = {"vocabulary": ["，"], "dictionary": ["，"], "acceptable": ["，"]}
    plain, normalized = (Plan.of(normalize=form, **lists).plain() for form in (None, "NFKC"))
    assert all(plain[name] == normalized[name] for name in lists)
    assert plain["vocabulary"] != Plan.of(vocabulary=[","], scores="oov").plain()["vocabulary"]
