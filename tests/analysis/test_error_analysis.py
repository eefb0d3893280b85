"""The error analysis is what cutting each utterance at its shared boundaries gives, and what wordseg-eval prints."""

import json
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate, pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from segscores.analysis.error_analysis import CLASSES, ErrorAnalysis, analyse_errors
from segscores.scoring.measures.oov import Vocabulary

from ..corpora import FORMS, Corpus, Form, Word, characters, corpus_pairs, tokens, words_text
from ..naive import boundaries, naive_counts

Piece = tuple[tuple[Word, ...], tuple[Word, ...]]

OFFICIAL = {
    "brent/official_scores_puddle.json": ("brent/reference.txt", "brent/predicted_puddle.txt"),
    "brent/official_scores_tp.json": ("brent/reference.txt", "brent/predicted_tp.txt"),
    "ud/official_scores_zh_gsd_test_jieba.json": ("ud/zh_gsd_test_reference.txt", "ud/zh_gsd_test_jieba.txt"),
}

few_characters = st.sampled_from("ab狗")


def naive_chunks(reference: Sequence[Word], prediction: Sequence[Word]) -> list[tuple[Piece, int]]:
    """The chunks of an utterance, each with the index of its first reference word."""
    shared = sorted(boundaries(reference, edges=True) & boundaries(prediction, edges=True))
    spanned = []
    for words in (reference, prediction):
        ends = list(accumulate(map(len, words), initial=0))
        spanned.append(list(zip(ends, ends[1:], map(tuple, words), strict=False)))
    found = []
    for start, stop in pairwise(shared):
        inside = [[word for begin, end, word in side if start <= begin and end <= stop] for side in spanned]
        first = [begin for begin, _, _ in spanned[0]].index(start)
        found.append(((tuple(inside[0]), tuple(inside[1])), first))
    return found


def naive_class(piece: Piece) -> str:
    one = tuple(len(side) == 1 for side in piece)
    return {(True, True): "correct", (True, False): "over", (False, True): "under", (False, False): "mis"}[one]


def order_of(piece: Piece, spaced: bool) -> list[int]:
    """Return what errors of the same count are sorted by: code points, then a prediction's boundary, then a reference's."""
    cuts = [boundaries(side, edges=False) for side in piece]
    order: list[int] = []
    for position, unit in enumerate([unit for word in piece[0] for unit in word]):
        order += [mark for side, mark in ((0, 0x110001), (1, 0x110000)) if position in cuts[side]]
        order += map(ord, unit + " " if spaced else unit)
    return order


def naive_analysis(
    references: Corpus,
    predictions: Corpus,
    *,
    joiner: str = "",
    examples: int = 3,
    context: int = 3,
    vocabulary: Sequence[str] | None = None,
) -> dict[str, Any]:
    """Return what `to_dict` gives, with every error and every word; `joiner` stands between the units of a word."""
    spaced = joiner == " "

    def written(words: Sequence[Word]) -> list[str]:
        return [joiner.join(word) for word in words]

    words: dict[Word, Counter[str]] = {}
    chunks: Counter[str] = Counter()
    errors: Counter[Piece] = Counter()
    places: dict[Piece, list[dict[str, Any]]] = {}
    for utterance, (reference, prediction) in enumerate(zip(references, predictions, strict=True)):
        for chunk, first in naive_chunks(reference, prediction):
            name = naive_class(chunk)
            chunks[name] += 1
            for word in chunk[0]:
                words.setdefault(word, Counter())[name] += 1
            if name == "correct":
                continue
            errors[chunk] += 1
            place = {
                "utterance": utterance,
                "word": first,
                "before": written(reference[max(0, first - context) : first]),
                "after": written(reference[first + len(chunk[0]) :][:context]),
            }
            places.setdefault(chunk, []).append(place)

    def row(name: str, members: Sequence[Word]) -> dict[str, Any]:
        counts = {kind: sum(words[word][kind] for word in members) for kind in CLASSES}
        total = sum(counts.values())
        return {"name": name, "words": total, **counts, "recall": counts["correct"] / total if total else 0.0}

    def band(word: Word) -> tuple[int, int]:
        low = 1
        while low * 2 <= words[word].total():
            low *= 2
        return low, low * 2 - 1

    def wrong(word: Word) -> int:
        return words[word].total() - words[word]["correct"]

    known = None if vocabulary is None else {"".join(word.split()) if spaced else word for word in vocabulary}
    return {
        "utterances": len(references),
        "words": {name: sum(counts[name] for counts in words.values()) for name in CLASSES},
        "chunks": {name: chunks[name] for name in CLASSES},
        "errors": [
            {
                "kind": naive_class(chunk),
                "reference": written(chunk[0]),
                "prediction": written(chunk[1]),
                "count": errors[chunk],
                "examples": places[chunk][:examples],
            }
            for chunk in sorted(errors, key=lambda chunk: (-errors[chunk], order_of(chunk, spaced)))
        ],
        "word_types": [
            row(joiner.join(word), [word])
            for word in sorted(words, key=lambda word: (-wrong(word), order_of(((word,), (word,)), spaced)))
        ],
        "by_length": [
            row(str(length), [word for word in words if len(word) == length]) for length in sorted({*map(len, words)})
        ],
        "by_frequency": [
            row(f"{low}-{high}" if high > 1 else "1", [word for word in words if band(word) == (low, high)])
            for low, high in sorted({*map(band, words)})
        ],
        "by_vocabulary": None
        if known is None
        else [
            row(name, [word for word in words if ("".join(word) in known) == is_in])
            for name, is_in in (("in", True), ("out", False))
        ],
        "undefined": [
            f"by_vocabulary.{name}.recall"
            for name, is_in in (("in", True), ("out", False))
            if known is not None and not any(("".join(word) in known) == is_in for word in words)
        ],
    }


def joiner_of(form: Form) -> str:
    return " " if form.any_units else ""


def analyse_as(form: Form, references: Corpus, predictions: Corpus, **options: Any) -> ErrorAnalysis:
    return analyse_errors(form.write(references), form.write(predictions), **form.options, **options)


def counted_in(analysis: ErrorAnalysis, top: int | None) -> dict[str, Any]:
    """Return what `to_dict` gives, without the signature."""
    return {name: value for name, value in analysis.to_dict(top).items() if name != "signature"}


def words_analysis(references: list[str], predictions: list[str], **options: Any) -> ErrorAnalysis:
    return analyse_errors(references, predictions, text_format="words", **options)


@pytest.mark.parametrize("name", [name for name, form in FORMS.items() if form.has_words])
@settings(max_examples=settings.default.max_examples // 2)
@given(data=st.data(), examples=st.integers(0, 3), context=st.integers(0, 3))
def test_every_form_gives_the_naive_analysis(name: str, data: st.DataObject, examples: int, context: int) -> None:
    form = FORMS[name]
    units = data.draw(st.sampled_from([few_characters, tokens if form.any_units else characters]))
    pair = data.draw(corpus_pairs(units))
    options = {"examples": examples, "context": context}
    found = analyse_as(form, *pair, **options)
    naive = naive_analysis(*pair, joiner=joiner_of(form), **options)
    assert counted_in(found, None) == naive
    assert counted_in(found, 2) == {**naive, "errors": naive["errors"][:2], "word_types": naive["word_types"][:2]}
    assert json.loads(json.dumps(naive)) == naive
    assert naive["words"]["correct"] == naive_counts(*pair)["token_matched"]


@pytest.mark.parametrize("name", [name for name, form in FORMS.items() if not form.has_words])
@given(pair=corpus_pairs(few_characters))
def test_labels_give_the_counts_of_the_classes_alone(name: str, pair: tuple[Corpus, Corpus]) -> None:
    naive = naive_analysis(*pair)
    counted = {key: naive[key] for key in ("utterances", "words", "chunks", "undefined")}
    assert counted_in(analyse_as(FORMS[name], *pair), 20) == {**dict.fromkeys(naive), **counted}


@given(pair=corpus_pairs(few_characters), known=st.lists(st.text("ab狗c", min_size=1, max_size=3), min_size=1))
def test_words_in_and_out_of_vocabulary(pair: tuple[Corpus, Corpus], known: list[str]) -> None:
    found = analyse_as(FORMS["words_text"], *pair, vocabulary=known)
    assert counted_in(found, None) == naive_analysis(*pair, vocabulary=known)
    spaced = ["  ".join(word) for word in known]
    found = analyse_as(FORMS["units_text"], *pair, vocabulary=iter(spaced))
    assert counted_in(found, None) == naive_analysis(*pair, joiner=" ", vocabulary=spaced)


@given(pair=corpus_pairs(few_characters, max_utterances=8), cuts=st.lists(st.integers(0, 8), max_size=4))
def test_parts_add_up_to_the_whole(pair: tuple[Corpus, Corpus], cuts: list[int]) -> None:
    edges = sorted({0, *(min(cut, len(pair[0])) for cut in cuts), len(pair[0])})
    total = ErrorAnalysis()
    for start, stop in pairwise(edges):
        part = analyse_as(FORMS["units_text"], pair[0][start:stop], pair[1][start:stop])
        kept = part.to_dict(None)
        total.update(part)
        assert part.to_dict(None) == kept
    assert counted_in(total, None) == naive_analysis(*pair, joiner=" ")


def test_a_merged_analysis_can_be_updated() -> None:
    one, two = (words_analysis([text], ["ab"]) for text in ("a b", "ab"))
    total = ErrorAnalysis()
    for part in (one, two, one):
        total.update(part)
    one.update(one)
    one.update(total)
    assert counted_in(total, None) == naive_analysis([["a", "b"], ["ab"], ["a", "b"]], [["ab"]] * 3)
    references = [["a", "b"], ["a", "b"], ["a", "b"], ["ab"], ["a", "b"]]
    assert counted_in(one, None) == naive_analysis(references, [["ab"]] * 5)


def read_side(shared_data, name: str) -> list[str]:
    return (shared_data / name).read_text(encoding="utf-8").rstrip("\n").split("\n")


@pytest.mark.parametrize("name", OFFICIAL)
def test_classes_and_their_most_frequent_words_equal_wordseg(name: str, shared_data) -> None:
    official = json.loads((shared_data / name).read_text(encoding="utf-8"))
    analysis = words_analysis(*(read_side(shared_data, side) for side in OFFICIAL[name]))
    assert dict(zip(CLASSES, analysis.words.tolist(), strict=True)) == official["wordseg_summary_totals"]
    # Its order too: ties are in the order of code points.
    for kind, words in official["wordseg_summary_top5"].items():
        rows = analysis.word_types(len(words), kind)
        assert [[row.name, getattr(row, kind)] for row in rows] == words
    assert analysis.total().recall == pytest.approx(official["wordseg"]["token_recall"], abs=1e-4)


def test_errors_and_words_of_one_kind() -> None:
    pair = [["ab", "c", "d", "ef", "g"], ["ab"]], [["a", "b", "cd", "e", "fg"], ["ab"]]
    analysis = words_analysis(*map(words_text, pair))
    naive = naive_analysis(*pair)
    for kind in ("over", "under", "mis"):
        (error,) = analysis.errors(kind=kind)
        assert list(error.reference) == next(entry["reference"] for entry in naive["errors"] if entry["kind"] == kind)
        assert analysis.errors(0, kind) == []
    assert [row.name for row in analysis.word_types(kind="mis")] == ["ef", "g"]
    assert [row.name for row in analysis.word_types(1, kind="under")] == ["c"]
    assert [(row.name, row.words, row.correct) for row in analysis.word_types(kind="correct")] == [("ab", 2, 1)]


@pytest.mark.parametrize("zero_division", [0.0, 1.0, math.nan])
def test_recall_of_no_word_is_zero_division(zero_division: float) -> None:
    analysis = words_analysis(["a"], ["a"], vocabulary=["a"], zero_division=zero_division)
    known, unknown = analysis.by_vocabulary()
    assert known.recall == 1.0
    assert unknown.words == 0
    assert unknown.recall == pytest.approx(zero_division, nan_ok=True)
    assert words_analysis([""], [""], zero_division=zero_division).total().recall == pytest.approx(
        zero_division, nan_ok=True
    )


def test_shares_of_no_word_are_undefined() -> None:
    # A row for each class: its name, the number of words, their share and the number of chunks.
    _, _, *rows = words_analysis([""], [""]).render().partition("\n\n")[0].splitlines()
    assert [row.split()[1:] for row in rows] == [["0", "–", "0"]] * 4


BAD_INPUT: dict[str, tuple[dict[str, Any], type[Exception], str]] = {
    "unknown option": ({"top": 5}, TypeError, "unknown option 'top'.* The options are .*, examples, context"),
    "scores": ({"scores": "token"}, TypeError, "unknown option 'scores'"),
    "negative examples": ({"examples": -1}, ValueError, "examples: expected a whole number from 0 to .*, received -1"),
    "no number of examples": ({"examples": 1.5}, TypeError, r"examples: expected .*, received 1\.5 \(float\)"),
    "context of a truth value": ({"context": True}, TypeError, r"context: expected .*, received True \(bool\)"),
    "blank vocabulary": ({"vocabulary": [" "]}, ValueError, "vocabulary: it has no word; expected at least one"),
    "vocabulary of labels": (
     {"references": [[1, 0]], "predictions": [[1, 1]], "label_scheme": "start", "vocabulary": ["a"]}, ValueError,
     "vocabulary: it needs the text, which labels do not contain"),
}  # fmt: skip


def test_utterances_whose_units_differ_are_skipped() -> None:
    sides = ["ab c", "a bd", "ab c"], ["ab c", "a bc", "abc"]
    with pytest.raises(ValueError, match="utterance 1: the units differ"):
        analyse_errors(*sides, text_format="words")
    with pytest.warns(UserWarning, match="1 of 3 utterances could not be scored and were left out"):
        skipped = analyse_errors(*sides, text_format="words", on_error="skip")
    assert (skipped.utterances, skipped.words.tolist()) == (3, [2, 0, 2, 0])
    (error,) = skipped.errors()
    assert [example.utterance for example in error.examples] == [2]
    with pytest.raises(ValueError, match="none of the 1 utterances can be scored"):
        analyse_errors(["a b"], ["a c"], text_format="words", on_error="skip")


def test_both_sides_and_the_vocabulary_are_normalised() -> None:
    sides = ["cafe\u0301 au lait"], ["caf\u00e9 aulait"]
    with pytest.raises(ValueError, match='normalize="NFC"'):
        analyse_errors(*sides, text_format="words")
    found = analyse_errors(*sides, text_format="words", normalize="NFC", vocabulary=["cafe\u0301"])
    assert found.words.tolist() == [1, 0, 2, 0]
    assert [(row.name, row.words, row.correct) for row in found.by_vocabulary()] == [("in", 1, 1), ("out", 2, 0)]


@pytest.mark.parametrize(("options", "error", "message"), BAD_INPUT.values(), ids=BAD_INPUT)
def test_bad_input_is_refused(options: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        analyse_errors(**{"references": ["a b"], "predictions": ["ab"], "text_format": "words", **options})


def test_a_vocabulary_may_be_a_segmented_corpus() -> None:
    texts = [FORMS["wordseg"].write(corpus) for corpus in ([["ab", "c", "d"]], [["ab", "d"], ["d", "e"]])]
    analysis = analyse_errors(texts[0], texts[0], vocabulary=texts[1], **FORMS["wordseg"].options)
    assert [row.words for row in analysis.by_vocabulary()] == [2, 1]


@pytest.mark.parametrize(
    ("method", "arguments", "error", "message"),
    [
        ("errors", {"top": -1}, ValueError, "top: expected a whole number from 0 .*, received -1"),
        ("word_types", {"top": "5"}, TypeError, r"top: expected a whole number from .*, received '5' \(str\)"),
        ("to_dict", {"top": 1.0}, TypeError, r"top: expected a whole number from .*, received 1\.0 \(float\)"),
        ("errors", {"kind": "correct"}, ValueError, "kind: expected one of over, under, mis, received"),
        ("word_types", {"kind": "bad"}, ValueError, "kind: expected one of correct, over, under, mis"),
        ("by_vocabulary", {}, ValueError, "no vocabulary was given: pass vocabulary="),
        ("result", {"tables": ["word"]}, ValueError, "expected \"classes\", .* received 'word'. Did you mean 'words'"),
    ],
)
def test_bad_questions_are_refused(method: str, arguments: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        getattr(words_analysis(["a b"], ["ab"]), method)(**arguments)


@pytest.mark.parametrize("method", ["errors", "word_types", "by_length", "by_frequency", "by_vocabulary"])
def test_labels_have_no_words(method: str) -> None:
    with pytest.raises(ValueError, match="labels alone do not say what the words are"):
        getattr(analyse_errors([[1, 0]], [[1, 1]], label_scheme="start"), method)()


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("n_examples", 1),
        ("context", 0),
        ("zero_division", math.nan),
        ("vocabulary", Vocabulary(vocabulary=["b"])),
        ("unit", "token"),
    ],
)
def test_parts_with_different_options_do_not_add_up(option: str, value: Any) -> None:
    analysis = words_analysis(["a b"], ["ab"], vocabulary=["a"])
    with pytest.raises(ValueError, match=f"do not add up: {option} is .* in one and .* in the other"):
        analysis.update(replace(analysis, **{option: value}))
