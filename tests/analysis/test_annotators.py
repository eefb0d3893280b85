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


WORDS: dict[str, Any] = {"text_format": "words"}
NOTHING = "there is nothing to score: expected at least one utterance, received none"
TAGS = [["B", "I", "I", "B"]]
TAGS_SAID = r'received lists of tags .* did you mean label_scheme="BI"'


@pytest.mark.parametrize(
    ("function", "arguments", "options", "kind", "message"),
    [
        (score_agreement, ["ab"], WORDS, TypeError, "expected a list with the utterances of each"),
        (score_agreement, [[["ab"], [["ab"]]]], WORDS, TypeError, "mixed forms"),
        (score_agreement, [[["ab"], ["ab"]]], WORDS | {"tolerance": 1}, TypeError, "unknown option 'tolerance'"),
        (score_agreement, [[["ab"], [None]]], WORDS, TypeError, r"annotators, 1, utterance 0: received None"),
        (score_agreement, [[["ab"], ["ab"]]], WORDS | {"normalize": "NFC"}, TypeError, "unknown option 'normalize'"),
        (score_constituents, [["ab"]] * 3, WORDS | {"normalize": "NFC"}, TypeError, "unknown option 'normalize'"),
        (score_constituents, [["ab"], [["a", "b"]], ["ab"]], WORDS, TypeError, "mixed forms: morphemes has"),
        (score_agreement, [[[], []]], {}, ValueError, NOTHING),
        (score_constituents, [[]] * 3, {}, ValueError, NOTHING),
        (score_agreement, [[TAGS, TAGS]], {}, TypeError, TAGS_SAID),
        (score_constituents, [TAGS] * 3, {}, TypeError, TAGS_SAID),
    ],
)
def test_bad_input_is_refused(
    function: Any, arguments: list[Any], options: dict[str, Any], kind: type[Exception], message: str
) -> None:
    with pytest.raises(kind, match=message):
        function(*arguments, **options)


def test_tags_have_agreement() -> None:
    assert score_agreement([TAGS, TAGS], label_scheme="BI")["agreement_kappa"] == 1.0
