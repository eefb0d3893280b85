"""Options of groups in every form of text, and tallies that need or hold them."""

from __future__ import annotations

from typing import Any

import pytest

from segscores import load, score, tally

from ..naive import CHARACTER_FORMS, FORMS, VOCABULARY, naive_group_scores, random_corpus_pair

PAIR = random_corpus_pair(120, seed=77, units="ab狗")
#: Groups that need no more than where the boundaries are.
GROUPS_OF_LABELS = (
    "exact",
    "word_error",
    "rand",
    "rates",
    "tolerance",
    "windows",
    "similarity",
    "agreement",
    "unit_error",
)
OPTIONS: dict[str, dict[str, Any]] = {
    "windows": {"window_size": 3},
    "tolerance": {"tolerance": 2},
    "similarity": {"transposition_span": 3},
    "agreement": {"transposition_span": 3},
}

pytestmark = pytest.mark.filterwarnings("ignore:.*outside the vocabulary, .* implausible")


def close(scores: dict[str, float]) -> Any:
    return pytest.approx(scores, rel=1e-12, abs=1e-10, nan_ok=True)


@pytest.mark.parametrize("form", FORMS)
def test_every_form_has_the_scores_of_the_further_groups(form: str) -> None:
    chosen = {name: value for options in OPTIONS.values() for name, value in options.items()}
    found = score(*map(FORMS[form].write, PAIR), scores=GROUPS_OF_LABELS, **FORMS[form].options, **chosen)
    expected: dict[str, float] = {}
    for group in GROUPS_OF_LABELS:
        expected |= naive_group_scores(group, *PAIR, **OPTIONS.get(group, {}))
    assert found == close(expected)


@pytest.mark.parametrize("as_corpus", [False, True], ids=["list", "corpus"])
@pytest.mark.parametrize("form", [name for name, form in FORMS.items() if form.has_words])
def test_a_vocabulary_is_written_as_the_words_of_the_text(form: str, as_corpus: bool) -> None:
    boundary = FORMS[form].options.get("word_boundary", "WORD_BOUNDARY")
    within, between = ("", " ") if form in CHARACTER_FORMS else (" ", f" {boundary} ")
    lines = [within.join(line.split()) for line in VOCABULARY]
    vocabulary = [between.join(lines[:2]), between.join(lines[2:])] if as_corpus else lines
    found = score(*map(FORMS[form].write, PAIR), vocabulary=vocabulary, scores="oov", **FORMS[form].options)
    assert found == close(naive_group_scores("oov", *PAIR))


@pytest.mark.parametrize("make", [lambda: load().tally, lambda: tally], ids=["metric", "function"])
@pytest.mark.parametrize("scores", ["windows", ["token", "windows"]])
def test_a_tally_asks_for_the_size_of_windows(make: Any, scores: Any) -> None:
    message = 'scores="windows" needs window_size here, .*: pass a number of gaps, or "utterance"'
    with pytest.raises(ValueError, match=message):
        make()(references=["a b"], predictions=["a b"], scores=scores)
