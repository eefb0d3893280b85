"""Input that is probably in another form, tags of all schemes, ignored positions, and scores that are 0/0."""

import warnings
from typing import Any

import pytest

from segscores import score, tally

TOKEN = {"token_precision", "token_recall", "token_fscore"}


def warnings_of(*columns: Any, **options: Any) -> list[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        score(*columns, **options)
    assert all(warning.filename == __file__ for warning in caught), "it names the line of the caller"
    return [str(warning.message) for warning in caught]


def test_units_text_without_a_boundary_token_warns_once() -> None:
    text = ["the dog is on the boat"] * 500
    (message,) = warnings_of(text, text, scores="token")
    assert "'WORD_BOUNDARY' never occurs" in message
    assert 'text_format="words"' in message
    assert warnings_of(text, text, scores="token", text_format="words") == []


@pytest.mark.parametrize(
    ("references", "predictions", "options"),
    [
        (["dog", "is"], ["dog", "is"], {}),
        ([" dog ", ""], [" dog ", ""], {}),
        (["a b"] * 999 + ["c WORD_BOUNDARY d"], ["a b"] * 999 + ["c d"], {}),
        (["a b c"], ["a ; b c"], {"word_boundary": ";"}),
        ([["New York"]], [["New York"]], {}),
    ],
)
def test_text_that_may_be_units_does_not_warn(references: Any, predictions: Any, options: dict[str, Any]) -> None:
    assert warnings_of(references, predictions, scores="token", **options) == []


@pytest.mark.parametrize(
    ("tags", "scheme"),
    [
        (["B", "I", "B"], "BI"), (["B", "E", "S"], "BMES"), (["b", "m", "e"], "BMES"), (["B", "I", "E", "S"], "BIES"),
        (["B", "O", "S"], "BIOES"), (["B-X", "I-X"], "BI"), (["1", "0"], "start"),
    ],
)  # fmt: skip
def test_tags_without_a_scheme_are_an_error_whose_hint_works(tags: list[str], scheme: str) -> None:
    utterances = [tags] * 300
    with pytest.raises(TypeError, match=f'lists of tags .* without label_scheme: did you mean label_scheme="{scheme}"'):
        score(utterances, utterances)
    assert score(utterances, utterances, label_scheme=scheme, scores="token") == dict.fromkeys(TOKEN, 1.0)


# They are said to look like labels, or like the characters of a string, and are words all the same.
@pytest.mark.filterwarnings("ignore:.* (this looks like lines of labels|utterances is one character)")
@pytest.mark.parametrize(
    ("letter", "words"),
    [
        ("I", ["I"]), ("I", ["O", "I"]), ("I", ["B", "I", "the"]), ("I", ["S", "B", "Boston"]), ("B", ["B"]),
        ("S", ["S"]),
    ],
)  # fmt: skip
def test_words_of_one_letter_are_words(letter: str, words: list[str]) -> None:
    many = [[letter]] * 200 + [words]
    assert score(many, many, scores="token") == dict.fromkeys(TOKEN, 1.0)


def test_scores_that_are_0_by_0_are_named_in_one_warning() -> None:
    known = {"vocabulary": ["a", "b"], "text_format": "words", "scores": "oov"}
    (message,) = warnings_of(["a b"], ["a b"], **known)
    assert message.startswith("undefined (0/0), and so 0.0: oov_recall, oov_precision, oov_fscore.")
    assert warnings_of(["a b"], ["a b"], zero_division=0.0, **known) == []
    assert tally(["a b"], ["a b"], **known).undefined() == ["oov_recall", "oov_precision", "oov_fscore"]
    assert warnings_of(["a b"], ["ab"], text_format="words") == ["undefined (0/0), and so 0.0: boundary_noedge_precision. "
        "There is nothing for it to count; pass zero_division, a number in [0, 1] or nan, to choose the value."]  # fmt: skip


def test_labels_that_differ_in_number_are_skipped_although_positions_are_ignored() -> None:
    # At ignored positions a model predicts anything.
    references, predictions = [[1, -100, 0], [-100], [1, 0], [-100]], [[1, 7, 0], [7], [1, 0, -100], [-100, 1]]
    options: dict[str, Any] = {"label_scheme": "end", "scores": ["token", "skipped_utterances"], "on_error": "skip"}
    with pytest.warns(UserWarning, match="^2 of 4 utterances"):
        found = score(references, predictions, ignore_index=-100, **options)
    assert found == score([[1, 0]], [[1, 0]], **options) | {"skipped_utterances": 2.0}


@pytest.mark.parametrize(
    ("references", "predictions", "option"),
    [(["a b"], [["ab"]], "reference_format"), ([["ab"]], ["a b"], "prediction_format")],
)
def test_strings_beside_lists_of_words_need_a_format(references: Any, predictions: Any, option: str) -> None:
    with pytest.raises(TypeError, match=rf'or the format of the strings, such as {option}="words"\.$'):
        score(references, predictions)
    values: dict[str, Any] = {option: "words"}
    assert score(references, predictions, scores="token_recall", **values) == {"token_recall": 0.0}
