"""The best of several acceptable references counts, utterance by utterance."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from segscores.analysis.alternatives import score_alternatives

from ..corpora import FORMS, cut
from ..naive import naive_scores


@st.composite
def alternatives(draw: st.DrawFn) -> tuple[list[Any], Any]:
    """Several segmentations of the same units, and one more."""
    units = draw(st.lists(st.lists(st.sampled_from("ab狗"), min_size=1, max_size=6), min_size=1, max_size=4))

    def segmentation() -> Any:
        return [cut(utterance, [draw(st.booleans()) for _ in utterance[1:]] + [True]) for utterance in units]

    return [segmentation() for _ in range(draw(st.integers(1, 3)))], segmentation()


@pytest.mark.parametrize("form", ["words_text", "units_text", "word_lists"])
@given(case=alternatives())
def test_scores_use_the_best_alternative_of_each_utterance(form: str, case: Any) -> None:
    references, prediction = case
    chosen = []
    for index, predicted in enumerate(prediction):
        fits = [naive_scores([reference[index]], [predicted])["token_fscore"] for reference in references]
        chosen.append(references[fits.index(max(fits))][index])
    write, options = FORMS[form].write, FORMS[form].options
    found = score_alternatives([write(reference) for reference in references], write(prediction), **options)
    assert found == naive_scores(chosen, prediction)


def test_another_score_may_choose() -> None:
    references = [["a bcd", "ab"], ["abc d", "a b"]]
    options: dict[str, Any] = {"text_format": "words", "scores": "boundary_noedge"}
    by_errors = score_alternatives(references, ["a bcd", "a b"], primary="word_error_rate", **options)
    assert by_errors == dict.fromkeys(by_errors, 1.0)
    options = {"text_format": "words", "scores": "oov", "vocabulary": ["a", "bcd", "ab"]}
    found = score_alternatives(references, ["abcd", "ab"], primary="boundary_noedge_recall", **options)
    assert found["oov_rate"] == 0.0, "of equal ones the first"
    # The option of the score that chooses: one boundary is one unit off, the other two.
    options = {"text_format": "words", "scores": "token", "primary": "tolerance_recall"}
    references = [["abcd e"], ["abc de"], ["a bcde"]]
    assert score_alternatives(references, ["ab cde"], tolerance=2, **options)["token_recall"] == 0.0


def test_the_nearest_value_is_chosen_if_values_near_0_are_better() -> None:
    """Over-segmentation is PB / RB − 1: 2 against the first reference, 0 against the second."""
    references = [["ab cd"], ["a b c d"]]
    options: dict[str, Any] = {"text_format": "words", "primary": "over_segmentation"}
    assert score_alternatives(references, ["a b c d"], scores="rates", **options)["over_segmentation"] == 0.0


def test_a_score_without_a_better_value_cannot_choose() -> None:
    with pytest.raises(ValueError, match='primary="oov_rate": no value of this score is better than another'):
        score_alternatives([["ab"]], ["ab"], primary="oov_rate", text_format="words", vocabulary=["ab"], scores="oov")


@pytest.mark.filterwarnings("ignore:.*outside the vocabulary, .* implausible")
def test_options_that_can_be_read_once_hold_for_the_choice_and_for_the_scores() -> None:
    references, prediction = [["<s> a b"], ["<s> a WORD_BOUNDARY b"]], ["a WORD_BOUNDARY b"]
    found = score_alternatives(references, prediction, scores="token", ignored_tokens=iter(["<s>"]))
    assert found["token_recall"] == 1.0
    options: dict[str, Any] = {"text_format": "words", "primary": "oov_recall", "scores": "oov"}
    found = score_alternatives([["ab c"], ["a b c"]], ["a b c"], vocabulary=iter(["c"]), **options)
    assert (found["oov_recall"], found["oov_rate"]) == (1.0, 2 / 3)


@pytest.mark.parametrize(
    ("references", "options", "kind", "message"),
    [
        ("ab", {}, TypeError, "expected a list of alternative references"),
        ({"x": ["ab"]}, {}, TypeError, r"expected a list of alternative references, .*received \{'x': .* \(dict\)"),
        ([["x"], ["y"]], {"on_error": "skip"}, ValueError, "none of the 1 utterances can be scored"),
        ([["ab"], ["ac"]], {}, ValueError, "alternative 1: utterance 0: the units differ"),
        ([["ab"], ["ab", "c"]], {}, ValueError, "alternative 1: .*2 references and 1 prediction"),
        ([["ab"], [["ab"]]], {"on_mismatch": "align"}, TypeError, "alternative 1: .*mixed forms"),
        ([["ab"]], {"primary": "fscore"}, ValueError, "there is no score 'fscore'"),
        ([["ab"]], {"bye": "fscore"}, TypeError, "unknown option 'bye'"),
    ],
)
def test_bad_input_is_refused(references: Any, options: dict[str, Any], kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        score_alternatives(references, ["ab"], text_format="words", **options)


@pytest.mark.parametrize("references", [[[["a", "b"]], [[]]], [[[]], [["a", "b"]]], [[[]], [[]]]], ids=str)
@pytest.mark.parametrize("option", [{"on_mismatch": "align"}, {"on_error": "skip"}], ids=str)
def test_a_blank_alternative_fits_a_blank_prediction(references: Any, option: dict[str, str]) -> None:
    scores = ["token", "unit_error"]
    found = score_alternatives(references, [[]], scores=scores, **option, zero_division=1.0)
    # The blank alternative is the best: its score is 0/0, and so 1.
    assert (found["token_recall"], found["skipped_utterances"]) == (1.0, 0.0)
