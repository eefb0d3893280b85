"""The pipeline: every input form has the scores of plain Python, in parts of any size."""

from __future__ import annotations

import math
import re
import threading
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from segscores import score
from segscores.kernel import parallel
from segscores.kernel.errors import UtteranceError
from segscores.kernel.parallel import map_in_order
from segscores.measures.registry import DEFAULT_SCORES
from segscores.reading import parts
from segscores.reading.inputs import read_pair
from segscores.reading.readers import from_words_text
from segscores.scoring import pipeline as scoring
from segscores.scoring.options import Plan
from segscores.scoring.pipeline import score_tally, tally_columns

from ..naive import (
    CHARACTER_FORMS,
    DEFAULT_KEYS,
    FORMS,
    Corpus,
    Form,
    Word,
    corpus_pairs,
    expected_scores,
    naive_counts,
    naive_scores,
    random_corpus_pair,
    scores_of_counts,
    tokens,
)

NO_TYPES = tuple(key for key in DEFAULT_KEYS if not key.startswith("type_"))


def totals_of(form: Form, references: Corpus, predictions: Corpus) -> dict[str, int]:
    columns = read_pair(form.write(references), form.write(predictions))
    return tally_columns(*columns, Plan.of(**form.options)).totals()


def expected_totals(form: Form, counts: dict[str, int]) -> dict[str, int]:
    return {column: count for column, count in counts.items() if form.has_words or not column.startswith("type_")}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
@given(pair=corpus_pairs())
@example(pair=([[]], [[]]))
@example(pair=([[("a",)]], [[("a",)]]))
def test_every_form_gives_the_scores_of_plain_python(
    form: Form, pair: tuple[list[list[Word]], list[list[Word]]]
) -> None:
    scores = score(form.write(pair[0]), form.write(pair[1]), **form.options)
    assert scores == expected_scores(form, naive_scores(*pair))
    assert tuple(scores) == (DEFAULT_KEYS if form.has_words else NO_TYPES)
    assert {type(value) for value in scores.values()} == {float}


@pytest.mark.parametrize("form", [FORMS[name] for name in FORMS if name not in CHARACTER_FORMS])
@given(pair=corpus_pairs(tokens))
def test_units_longer_than_a_character_give_the_scores_of_plain_python(
    form: Form, pair: tuple[list[list[Word]], list[list[Word]]]
) -> None:
    assert totals_of(form, *pair) == expected_totals(form, naive_counts(*pair))


@pytest.fixture(scope="module")
def many_pairs() -> tuple[Corpus, Corpus]:
    return random_corpus_pair(100_000, seed=20_170_801)


@pytest.fixture(scope="module")
def counts_of_many_pairs(many_pairs: tuple[Corpus, Corpus]) -> dict[str, int]:
    return naive_counts(*many_pairs)


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_100_000_random_pairs_score_exactly_as_in_plain_python(
    form: Form, many_pairs: tuple[Corpus, Corpus], counts_of_many_pairs: dict[str, int]
) -> None:
    references, predictions = (form.write(corpus) for corpus in many_pairs)
    scores = score(references, predictions, **form.options)
    assert scores == expected_scores(form, scores_of_counts(counts_of_many_pairs))
    assert 0.5 < scores["token_fscore"] < 0.9  # neither side is trivial


def test_100_000_random_pairs_each_have_the_counts_of_plain_python(many_pairs: tuple[Corpus, Corpus]) -> None:
    from segscores.kernel.comparison import compare
    from segscores.measures.registry import groups_of

    from ..naive import naive_utterance_counts, words_text

    sides = (from_words_text("".join(f"{line}\n" for line in words_text(side)).encode()) for side in many_pairs)
    comparison = compare(*sides)
    tallied: dict[str, Any] = {"units": comparison.reference.utterance_units}
    for group in groups_of(NO_TYPES):
        tallied |= group.tally(comparison)
    naive = [naive_utterance_counts(*pair) for pair in zip(*many_pairs, strict=True)]
    for column in naive[0]:
        if column != "utterances":
            assert tallied[column].tolist() == [counts[column] for counts in naive], column


@pytest.mark.parametrize("form", [FORMS[name] for name in FORMS if name not in CHARACTER_FORMS])
def test_random_pairs_of_longer_units_score_exactly_as_in_plain_python(form: Form) -> None:
    units = ["a", "aa", "dh", "ɪɾ", "狗", "狗狗", "<unk>", "WORD_BOUNDARYx", ";eword;", "</w>s", "x▁狗", "\x01", "🐕"]
    pair = random_corpus_pair(5_000, seed=7, units=units, max_units=6)
    assert totals_of(form, *pair) == expected_totals(form, naive_counts(*pair))


#: One form for each reader.
READERS = ("words_text", "units_text", "word_lists", "end")


@pytest.mark.parametrize("unit", ["a", "狗"])
@pytest.mark.parametrize("form", [FORMS[name] for name in READERS], ids=READERS)
def test_an_utterance_of_a_million_units(form: Form, unit: str) -> None:
    # The reference has words of 1, the prediction of 2 units: nothing matches, and every second boundary is shared.
    size = 1_000_000
    references, predictions = [[(unit,)] * size], [[(unit, unit)] * (size // 2)]
    counts = {
        "boundary_all_matched": size // 2 + 1, "boundary_all_predicted": size // 2 + 1, "boundary_all_reference": size + 1,
        "boundary_noedge_matched": size // 2 - 1, "boundary_noedge_predicted": size // 2 - 1,
        "boundary_noedge_reference": size - 1, "token_matched": 0, "token_predicted": size // 2, "token_reference": size,
        "token_spans": size * (size + 1) // 2, "utterances": 1, "units": size,
        "type_matched": 0, "type_predicted": 1, "type_reference": 1,
    }  # fmt: skip
    assert totals_of(form, references, predictions) == expected_totals(form, counts)


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
@pytest.mark.parametrize("blanks_before", [0, 3])
@pytest.mark.parametrize("blanks_after", [0, 3])
def test_blank_utterances_pair_and_change_no_score(form: Form, blanks_before: int, blanks_after: int) -> None:
    references, predictions = [["ab", "c"], [], ["abc"]], [["a", "bc"], [], ["abc"]]
    expected = expected_scores(form, naive_scores(references, predictions))
    sides = [[[]] * blanks_before + side + [[]] * blanks_after for side in (references, predictions)]
    assert score(*map(form.write, sides), **form.options) == expected


@pytest.mark.parametrize("zero_division", [0, 0.0, 1, 0.5, np.float32(0.25), math.nan])
@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_every_score_of_blank_input_is_zero_division(form: Form, zero_division: float) -> None:
    scores = score(form.write([[], []]), form.write([[], []]), zero_division=zero_division, **form.options)
    assert tuple(scores) == (DEFAULT_KEYS if form.has_words else NO_TYPES)
    for value in scores.values():
        assert type(value) is float
        assert value == zero_division or (math.isnan(value) and math.isnan(zero_division))


@pytest.mark.parametrize("zero_division", [0.0, 1.0, math.nan])
def test_zero_division_is_the_value_of_undefined_scores_alone(zero_division: float) -> None:
    # One utterance of one unit: no boundary within, and no span that is not a word.
    scores = score(["a"], ["a"], text_format="words", zero_division=zero_division)
    undefined = {*(f"boundary_noedge_{kind}" for kind in ("precision", "recall", "fscore")), "token_tnr"}
    assert {key for key, value in scores.items() if value != 1.0 or (zero_division == 1.0 and key in undefined)} == (
        undefined
    )
    found = [scores[key] for key in undefined]
    assert found == pytest.approx([zero_division] * 4, nan_ok=True)


@pytest.mark.parametrize("nothing", [[], (), np.zeros((0, 3), np.int64)])
def test_no_utterance_at_all_is_an_error(nothing: Any) -> None:
    options = {"label_scheme": "start"} if isinstance(nothing, np.ndarray) else {}
    with pytest.raises((ValueError, TypeError), match="there is nothing to score: expected at least one utterance"):
        score(nothing, nothing, **options)


@pytest.mark.parametrize("cores", [1, 3])
@pytest.mark.parametrize("part_bytes", [1, 50, 500])
@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_cutting_the_work_into_parts_changes_no_count(
    form: Form, part_bytes: int, cores: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    pair = random_corpus_pair(80, seed=part_bytes)
    columns = read_pair(*map(form.write, pair))
    threads = set()
    compare = scoring.compare

    def compare_and_note(*sides: Any) -> Any:
        threads.add(threading.get_ident())
        return compare(*sides)

    monkeypatch.setattr(parts, "PART_BYTES", part_bytes)
    monkeypatch.setattr(parallel, "usable_cores", lambda: cores)
    monkeypatch.setattr(scoring, "compare", compare_and_note)
    assert len(list(parts.parts_of(columns[0]))) > 1
    assert tally_columns(*columns, Plan.of(**form.options)).totals() == expected_totals(form, naive_counts(*pair))
    assert (threading.get_ident() in threads) == (cores == 1)


def test_a_part_has_as_many_utterances_as_fit() -> None:
    # Arrow keeps an offset of 8 bytes for each string, and one more.
    column = pa.chunked_array([pa.array(["a" * 992] * 3000, pa.large_string())])
    fitting = parts.PART_BYTES // 1000
    expected = [slice(start, min(start + fitting, 3000)) for start in range(0, 3000, fitting)]
    assert list(parts.parts_of(column)) == expected


@given(pair=corpus_pairs(max_utterances=10), part_bytes=st.integers(1, 40))
def test_parts_of_any_size_give_the_same_scores(pair: tuple[Any, Any], part_bytes: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parts, "PART_BYTES", part_bytes)
        patch.setattr(parallel, "usable_cores", lambda: 1)
        for name in READERS:
            form = FORMS[name]
            scores = score(form.write(pair[0]), form.write(pair[1]), **form.options)
            assert scores == expected_scores(form, naive_scores(*pair))


@pytest.mark.parametrize("form", [FORMS[name] for name in READERS], ids=READERS)
@given(pair=corpus_pairs(min_utterances=2), data=st.data())
def test_columns_in_several_chunks_give_the_same_scores(form: Form, pair: tuple[Any, Any], data: st.DataObject) -> None:
    import pyarrow as pa

    sides = []
    for side, column in zip(pair, read_pair(*map(form.write, pair)), strict=True):
        cut = data.draw(st.integers(0, len(side)))
        sides.append(pa.chunked_array([*column.slice(0, cut).chunks, *column.slice(cut).chunks], column.type))
    options = Plan.of(**form.options)
    assert score_tally(tally_columns(*sides, options), options) == expected_scores(form, naive_scores(*pair))


@pytest.mark.parametrize("cores", [1, 3])
@pytest.mark.parametrize("bad", [0, 7, 19])
def test_an_error_in_a_later_part_names_the_utterance_of_the_whole(
    bad: int, cores: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parts, "PART_BYTES", 1)
    monkeypatch.setattr(parallel, "usable_cores", lambda: cores)
    fine = ["a b"] * 20
    with pytest.raises(UtteranceError, match=f"^utterance {bad}: the units differ at offset 1") as caught:
        score(fine, [*fine[:bad], "a c", *fine[bad + 1 :]], text_format="words")
    assert caught.value.utterance == bad
    with pytest.raises(UtteranceError, match=f"^predictions, utterance {bad}: there is a NUL character"):
        score(fine, [*fine[:bad], "a\0b", *fine[bad + 1 :]], text_format="words")
    with pytest.raises(UtteranceError, match=f"^references, utterance {bad}: there is a NUL character"):
        score([*fine[:bad], "a\0b", *fine[bad + 1 :]], fine, text_format="words")


@pytest.mark.parametrize("cores", [1, 3])
def test_the_first_of_several_errors_is_raised(cores: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "PART_BYTES", 1)
    monkeypatch.setattr(parallel, "usable_cores", lambda: cores)
    with pytest.raises(UtteranceError, match=r"^utterance 3: "):
        score(["a"] * 50, ["a"] * 3 + ["b"] * 47, text_format="words")


@pytest.mark.parametrize("cores", [1, 2, 8])
def test_map_in_order_is_map(cores: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "usable_cores", lambda: cores)
    for size in (0, 1, 2, 100):
        assert list(map_in_order(str, range(size))) == [str(number) for number in range(size)]


def test_scoring_from_several_threads_at_once_gives_each_its_own() -> None:
    pairs = [random_corpus_pair(500, seed=seed) for seed in range(8)]
    form = FORMS["words_text"]
    results: dict[int, dict[str, float]] = {}

    def run(index: int) -> None:
        results[index] = score(*map(form.write, pairs[index]), **form.options)

    threads = [threading.Thread(target=run, args=(index,)) for index in range(len(pairs))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == {index: naive_scores(*pair) for index, pair in enumerate(pairs)}


REFERENCES, PREDICTIONS = [["ab", "c"], ["ab"]], [["ab", "c"], ["a", "b"]]


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
@pytest.mark.parametrize(
    "scores",
    ["token", "recall", ("tnr", "token"), ["recall", "tnr", "recall"], DEFAULT_SCORES, list(DEFAULT_SCORES[:3])],
)
def test_the_scores_asked_for_are_those_of_the_default_set(form: Form, scores: Any) -> None:
    found = score(form.write(REFERENCES), form.write(PREDICTIONS), scores=scores, **form.options)
    expected = expected_scores(form, naive_scores(REFERENCES, PREDICTIONS))
    assert found == {key: expected[key] for key in found}
    assert found


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_recall_gives_the_four_recalls_and_nothing_else(form: Form) -> None:
    found = score(form.write(REFERENCES), form.write(PREDICTIONS), scores="recall", **form.options)
    recalls = ["boundary_all_recall", "boundary_noedge_recall", "token_recall", "type_recall"]
    assert list(found) == recalls[: 4 if form.has_words else 3]


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"text_format": "word"}, ValueError, "unknown text_format 'word': expected 'units' or 'words'."),
        ({"text_format": None}, ValueError, "unknown text_format None: expected 'units' or 'words'."),
        ({"label_scheme": "BIO"}, ValueError, "unknown label_scheme 'BIO': expected one of start, end, BI, BMES, BIES, BIOES."),
        ({"label_scheme": "bi"}, ValueError, "unknown label_scheme 'bi': expected one of start, end, BI, BMES, BIES, BIOES."),
        ({"word_boundary": ""}, ValueError, "word_boundary: expected a token without whitespace, received ''."),
        ({"word_boundary": "a b"}, ValueError, "word_boundary: expected a token without whitespace, received 'a b'."),
        ({"word_boundary": "a\u3000"}, ValueError, "word_boundary: expected a token without whitespace, received "),
        ({"word_boundary": "a\0"}, ValueError, "has a NUL character"),
        ({"word_boundary": None}, TypeError, "word_boundary: expected a string, received None."),
        ({"ignored_tokens": ["a", 1]}, TypeError, "ignored_tokens: expected a string, received 1 (int)."),
        ({"ignored_tokens": ["a", " "]}, ValueError, "ignored_tokens: expected a token without whitespace, received ' '."),
        ({"ignored_tokens": ["WORD_BOUNDARY"]}, ValueError, "'WORD_BOUNDARY' is both word_boundary and one of ignored_tokens"),
        ({"text_format": "words", "word_boundary": "|"}, ValueError, 'are for text_format="units"; in text_format="words"'),
        ({"text_format": "words", "ignored_tokens": "|"}, ValueError, 'are for text_format="units"; in text_format="words"'),
        ({"scores": "f1"}, ValueError, "unknown score group 'f1'. Did you mean 'token'? The groups are "),
        ({"scores": "type", "label_scheme": "BI"}, ValueError, "scores='type' needs the words, which labels do not contain"),
        ({"zero_division": -0.1}, ValueError, "zero_division: expected a number in [0, 1] or nan, received -0.1."),
        ({"zero_division": 1.5}, ValueError, "zero_division: expected a number in [0, 1] or nan, received 1.5."),
        ({"zero_division": math.inf}, ValueError, "zero_division: expected a number in [0, 1] or nan, received inf."),
        ({"zero_division": "nan"}, TypeError, "zero_division: expected a number in [0, 1] or nan, received 'nan'."),
        ({"zero_division": None}, TypeError, "zero_division: expected a number in [0, 1] or nan, received None."),
        ({"zero_division": True}, TypeError, "zero_division: expected a number in [0, 1] or nan, received True."),
        ({"format": "words"}, TypeError, "unknown option 'format'. Did you mean 'text_format'? The options are scores"),
    ],
)  # fmt: skip
def test_a_bad_option_is_an_error_with_the_expected_values(
    options: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=re.escape(message)):
        score(["a"], ["a"], **options)


@pytest.mark.parametrize(
    ("utterances", "options", "error", "message"),
    [
        (["a b"], {"label_scheme": "start"}, TypeError, "label_scheme='start' is for lists of labels, one list per utterance"),
        ([[1, 0]], {}, TypeError, "received lists of integers without label_scheme: say how labels mark words (start, end, BI"),
        ([["a"]], {"word_boundary": "|"}, ValueError, "word_boundary and ignored_tokens are for strings; received lists"),
        ([["a"]], {"ignored_tokens": ["|"]}, ValueError, "word_boundary and ignored_tokens are for strings; received lists"),
        ([[1, 0]], {"label_scheme": "start", "word_boundary": "|"}, ValueError, "are for strings; received lists of labels"),
        ([["B", "I"]], {"label_scheme": "BI", "ignored_tokens": "x"}, ValueError, "are for strings; received lists of labels"),
    ],
)  # fmt: skip
def test_a_form_that_does_not_go_with_the_options_is_an_error(
    utterances: Any, options: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=re.escape(message)):
        score(utterances, utterances, **options)


def test_a_single_ignored_token_may_be_a_string() -> None:
    assert Plan.of(ignored_tokens=";esyll").reading.ignored_tokens == (";esyll",)
    expected = naive_scores([["ab"]], [["a", "b"]])
    assert score(["a ;esyll b"], ["a WORD_BOUNDARY b ;esyll"], ignored_tokens=";esyll") == expected


def test_the_order_of_the_sides_is_reference_then_prediction() -> None:
    scores = score(["ab c"], ["a b c"], text_format="words", scores="token")
    assert (scores["token_precision"], scores["token_recall"]) == (1 / 3, 1 / 2)


def test_scoring_changes_nothing_that_it_was_given() -> None:
    references, predictions, scores = [["ab", "c"]], [["a", "bc"]], ["token", "tnr"]
    score(references, predictions, scores=scores)
    assert (references, predictions, scores) == ([["ab", "c"]], [["a", "bc"]], ["token", "tnr"])
