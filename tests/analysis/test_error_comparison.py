"""The errors of two systems side by side are what a count of the spans of each of them gives."""

import json
from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import segscores
from segscores import compare_errors

from ..corpora import Corpus, corpus_pairs, words_text
from ..naive import spans

UNITS = st.sampled_from("ab")
#: As many outcomes of a word: whether the first and the second system have it.
ORDER = ((True, True), (True, False), (False, True), (False, False))


def outcomes_of(references: Corpus, systems: Sequence[Corpus]) -> dict[str, Counter[tuple[bool, ...]]]:
    """For each word, how often which systems have it: those with its span."""
    found: dict[str, Counter[tuple[bool, ...]]] = {}
    for reference, *predictions in zip(references, *systems, strict=True):
        found_by = [spans(prediction) for prediction in predictions]
        for word, span in zip(reference, sorted(spans(reference)), strict=True):
            found.setdefault("".join(word), Counter())[tuple(span in each for each in found_by)] += 1
    return found


@given(st.data())
def test_words_that_one_system_has_more_often_are_listed(data: Any) -> None:
    references, first = data.draw(corpus_pairs(UNITS).filter(lambda pair: any(pair[0])))
    second = [_resegmented(data, words) for words in references]
    texts = [words_text(corpus) for corpus in (references, first, second)]
    found = compare_errors(texts[0], {"a": texts[1], "b": texts[2]}, text_format="words")
    expected = outcomes_of(references, [first, second])
    total = sum(expected.values(), Counter())
    assert found.to_dict()["outcomes"] == dict(
        zip(("both", "only_first", "only_second", "neither"), (total[each] for each in ORDER), strict=True)
    )
    differences = {word: counts[False, True] - counts[True, False] for word, counts in expected.items()}
    for rows, sign in zip(found.words(), (-1, 1), strict=True):
        assert [row.name for row in rows] == sorted(
            (word for word, difference in differences.items() if sign * difference > 0),
            key=lambda word: (-abs(differences[word]), word),
        )
        for row in rows:
            counts = [expected[row.name][each] for each in ORDER]
            assert [row.both, row.only_first, row.only_second, row.neither] == counts


def test_json_has_the_rows_of_the_dict() -> None:
    references = [f"{letter}x y" for letter in "abcdefghijklmnopqrstuv"]
    systems = {"good": references, "bad": [line.replace(" ", "") for line in references]}
    found = compare_errors(references, systems, text_format="words")
    assert json.loads(found.to_json()) == found.to_dict()
    # Of 23 words, as many as the default.
    assert [*map(len, found.to_dict()["word_differences"])] == [20, 0]


def _resegmented(data: Any, words: Sequence[Any]) -> list[str]:
    units = "".join("".join(word) for word in words)
    cuts = sorted(data.draw(st.sets(st.integers(1, len(units) - 1)))) if len(units) > 1 else []
    return [units[start:stop] for start, stop in zip([0, *cuts], [*cuts, len(units)], strict=True)] if units else []


REFERENCE = ["the dog is on", "the boat", "a cat", "the end"] * 3
OLD = ["thedog is on", "the boat", "acat", "the end"] * 3
NEW = ["the dog ison", "the boat", "a cat", "theend"] * 3


def test_an_utterance_that_one_system_skips_is_left_out_of_both() -> None:
    old, new = list(OLD), list(NEW)
    old[0], new[5] = "x", "y"
    kept = [at for at in range(len(REFERENCE)) if at not in (0, 5)]
    options: dict[str, Any] = {"text_format": "words"}
    with pytest.warns(UserWarning, match=r"^system '(old|new)': 1 of 12 utterances could not"):
        found = compare_errors(REFERENCE, {"old": old, "new": new}, on_error="skip", **options)
    of_kept = compare_errors(
        [REFERENCE[at] for at in kept], {"old": [old[at] for at in kept], "new": [new[at] for at in kept]}, **options
    )
    assert found.to_dict(None) == of_kept.to_dict(None) | {"utterances": 12, "signature": found.signature}
    assert repr(found).partition("signature")[0] == repr(of_kept).partition("signature")[0]


def test_tables_by_length_frequency_and_vocabulary_and_labels() -> None:
    vocabulary = ["the", "is", "on", "a"]
    found = compare_errors(REFERENCE, {"old": OLD, "new": NEW}, text_format="words", vocabulary=vocabulary)
    rows = found.to_frame("vocabulary").set_index("vocabulary")
    for system, texts in (("old", OLD), ("new", NEW)):
        recall = segscores.score(REFERENCE, texts, text_format="words", scores="oov_recall", vocabulary=vocabulary)
        assert rows.loc["out", f"recall of {system}"] == recall["oov_recall"]
    lengths = found.to_frame("length").set_index("length")
    # "a" is right in new alone; of three units are "the", "dog", "cat" and "end", of four "boat".
    assert lengths.loc["1"].tolist() == [3, 0.0, 1.0, 0, 3, 3]
    assert lengths.loc["4"].tolist() == [3, 1.0, 1.0, 0, 0, 0]
    labels = compare_errors([[1, 0, 1]], {"a": [[1, 1, 1]], "b": [[1, 0, 1]]}, label_scheme="start")
    assert json.loads(labels.render("json"))[0] == {
        "right in": "both", "words": 1, "share": 0.5, "signature": labels.signature,
    }  # fmt: skip
    assert labels.to_dict()["word_differences"] is None
    with pytest.raises(ValueError, match="labels alone do not say what the words are"):
        labels.words()
    with pytest.raises(ValueError, match=r"^tables: expected classes, .* or vocabulary, received 'errors'"):
        found.to_frame("errors")
    with pytest.raises(ValueError, match=r'^table: expected "classes", .* received \'word\''):
        found.result(["word"])
    # One name is as a list of it, as of an analysis of one system.
    assert found.result("words").to_frame().equals(found.to_frame("words", top=10))


def test_shares_of_no_word_are_undefined() -> None:
    found = compare_errors([""], {"a": [""], "b": [""]}, text_format="words")
    _, _, *rows = found.render().partition("\n\n")[0].splitlines()
    assert [row.split()[-2:] for row in rows] == [["0", "–"]] * 4


@pytest.mark.parametrize("systems", [{"a": ["x"]}, {}, ["x"], {"a": ["x"], "b": ["x"], "c": ["x"]}], ids=str)
def test_two_systems_are_expected(systems: Any) -> None:
    with pytest.raises(ValueError, match="systems: expected a dict with the predictions of two systems, received"):
        compare_errors(["x"], systems)
