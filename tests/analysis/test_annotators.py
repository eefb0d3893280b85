"""Agreement and compatible brackets, from utterances in any form, are what the kernel gives for what was read."""

from typing import Any

import pytest
import segeval

from segscores.analysis.annotators import score_agreement, score_constituents

from ..corpora import FORMS

FEW = ("words_text", "units_text", "word_lists", "start", "BMES")


@pytest.mark.parametrize("form", FEW)
def test_agreement_is_the_same_in_every_form_and_equal_to_segeval(form: str) -> None:
    first = [[("a", "b"), ("c",), ("a", "b", "c"), ("d", "d")]]
    second = [[("a", "b"), ("c", "a"), ("b", "c"), ("d",), ("d",)]]
    annotators = [first, second, [[(unit,) for word in first[0] for unit in word]]]
    write, options = FORMS[form].write, dict(FORMS[form].options)
    found = score_agreement([write(corpus) for corpus in annotators], **options)
    masses = {str(number): tuple(map(len, corpus[0])) for number, corpus in enumerate(annotators)}
    dataset = segeval.Dataset({"text": masses})
    assert found["agreement_kappa"] == pytest.approx(float(segeval.fleiss_kappa_linear(dataset)), abs=1e-9)
    assert found["agreement_pi"] == pytest.approx(float(segeval.fleiss_pi_linear(dataset)), abs=1e-9)


def test_constituents_of_the_published_kind() -> None:
    sides = {"references": ["database system", "a b"], "morphemes": ["data base system", "a b"]}
    scores = score_constituents(**sides, predictions=["data basesystem", "a b"], text_format="words")
    assert scores["compatible_brackets_rate"] == 3 / 4
    assert scores["all_compatible_brackets_rate"] == 1 / 2
    assert scores["crossing_brackets_rate"] == 1 / 4


@pytest.mark.parametrize(
    ("annotators", "options", "kind", "message"),
    [
        ("ab", {}, TypeError, "expected a list with the utterances of each"),
        ([["ab"], [["ab"]]], {}, TypeError, "mixed forms"),
        ([["ab"], ["ab"]], {"tolerance": 1}, TypeError, "unknown option 'tolerance'"),
        ([["ab"], [None]], {}, TypeError, r"annotators, 1, utterance 0: received None"),
    ],
)
def test_bad_annotators_are_refused(annotators: Any, options: Any, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        score_agreement(annotators, text_format="words", **options)


NOTHING = "there is nothing to score: expected at least one utterance, received none"
TAGS = [["B", "I", "I", "B"]]


@pytest.mark.parametrize(
    ("sides", "error", "message"),
    [([], ValueError, NOTHING), (TAGS, TypeError, r'received lists of tags .* did you mean label_scheme="BI"')],
)
def test_no_utterances_and_tags_without_a_scheme_are_refused(sides: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        score_agreement([sides, sides])
    with pytest.raises(error, match=message):
        score_constituents(sides, sides, sides)
    assert score_agreement([TAGS, TAGS], label_scheme="BI")["agreement_kappa"] == 1.0


def test_options_of_other_functions_are_refused() -> None:
    sides = ["a b"]
    with pytest.raises(TypeError, match="unknown option 'normalize'"):
        score_agreement([sides, sides], text_format="words", normalize="NFC")  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="unknown option 'normalize'"):
        score_constituents(sides, sides, sides, text_format="words", normalize="NFC")  # type: ignore[call-arg]


def test_morphemes_of_another_form_are_refused() -> None:
    with pytest.raises(TypeError, match="mixed forms: morphemes has"):
        score_constituents(["ab"], [["a", "b"]], ["ab"], text_format="words")
