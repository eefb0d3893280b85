"""`identify` finds the definition of numbers that papers and other scorers printed, and of those alone that they could mean."""

import json
import re
from pathlib import Path
from statistics import mean
from typing import Any

import pytest

import segscores

from ..official import OfficialRun, peoples_daily, run_beside
from ..printed import (
    CARD_PREDICTION,
    CARD_REFERENCE,
    CARD_SCORES,
    FIGURES,
    TABLE_1,
    TABLE_1_CONTRADICTIONS,
    TABLE_1_KEYS,
)

WORDS: dict[str, Any] = {"text_format": "words"}
ENDS, STARTS = {"label_scheme": "end"}, {"label_scheme": "start"}
#: The frames at which segments end, of the references and of the predictions.
FRAMES = [[10, 20, 30], [30]], [[5, 9], [5, 9]]


def neighbour_outputs() -> list[Any]:
    """Return what tools print: the sides, the options that a user knows, the number, and the definition to find."""
    attacut, ersatz, kiwi, thai = (FIGURES[name] for name in ("attacut", "ersatz", "kiwipiepy", "pythainlp"))
    rows: list[tuple[Any, ...]] = []
    labels = [attacut["labels"]], [attacut["preds"]], STARTS
    rows.append(("attacut", *labels, attacut["figures"]["f1"], "boundary_start_fscore", {}))
    edus = [
        [[int(tag == "B-seg") for tag in re.findall(r"Seg=(\S+)", FIGURES["disrpt"][side])]]
        for side in ("edu_gold", "edu_pred")
    ]
    for year, key in (("2023", "prec"), ("2025", "f_score")):
        number = FIGURES["disrpt"]["figures"][f"edu_{year}"][key]
        rows.append((f"disrpt-{year}", *edus, STARTS, number, "boundary_start_fscore", {}))
    for case in FIGURES["wtpsplit"]["cases"]:
        between = "" if case["lang"] == "zh" else " "
        *others, last = case["sentences"]
        sides = [[*(sentence + between for sentence in others), last]], [case["predicted"]]
        rows.append(("wtpsplit", *sides, {}, case["f1"], "boundary_end_fscore", {}))
    lines = [[" ".join(ersatz[side].replace(" ", "").split())] for side in ("gold", "pred")]
    rows += [
        ("ersatz", *lines, WORDS, re.findall(rf"{name} ([\d.]+)", ersatz["stdout"])[0], key, {})
        for name, key in (("Accuracy", "boundary_accuracy"), ("F1", "boundary_noedge_fscore"))
    ]
    pairs = [[pair[side] for pair in kiwi["pairs"]] for side in ("gold", "pred")]
    mean_of_lines = mean(pair["f1"] for pair in kiwi["pairs"])
    rows.append(("kiwipiepy", *pairs, WORDS, f"{mean_of_lines:.4f}", "boundary_noedge_fscore", {"average": "macro"}))
    pairs = [[pair[side] for pair in thai["pairs"][:2]] for side in ("reference", "sample")]
    printed = dict(re.findall(r"(\w+:\w+) ([\d.]+)", thai["cli_stdout"]))
    for name, key in (("char_level:recall", "boundary_start_recall"), ("word_level:precision", "token_precision")):
        rows.append(("pythainlp", *pairs, {**WORDS, "scores": key}, printed[name], key, {"text_format": "separated"}))
    frames = [[[int(at + 1 in ends) for at in range(ends[-1])] for ends in side] for side in zip(*FRAMES, strict=True)]
    rows.append(("pkuseg", [[1, 0, 1, 1, 0]], [[1, 1, 1, 1, 0]], STARTS, 66.66666666666666, "token_recall", {}))
    rows.append(("vqwordseg", *frames, ENDS, "33.33", "boundary_noedge_recall", {}))
    single = [[[0, 1, 0, 0, 1, 0, 1, 0, 1]], [[0, 0, 1, 0, 1, 0, 0, 1, 1]]]
    for span, (boundary, segmentation) in {
        2: (0.6666666666666666, 0.875),
        3: (0.7777777777777778, 0.9166666666666666),
    }.items():
        options = {} if span == 2 else {"transposition_span": 3}
        rows.append((f"segeval-B-{span}", *single, ENDS, boundary, "boundary_similarity", options))
        rows.append((f"segeval-S-{span}", *single, ENDS, segmentation, "segmentation_similarity", options))
    return [pytest.param(row, id=f"{row[0]}-{row[4]}-{row[5]}") for row in rows]


def by_hand() -> list[Any]:
    """Return rows as `neighbour_outputs` does, of numbers by hand."""
    commas = ["the dog , is on 2", "a . b"], ["the dog , ison 2", "a . b"]
    best = ["<NE>ab c</NE>|d|ef", "gh|i j"], ["ab|c|d|ef", "g|hi|j"]
    of_best = {"separator": "|", "spaces": "drop", "markup": "drop", "text_format": "separated"}
    rows: list[tuple[Any, ...]] = [
        ("another format", ["a b c d"], ["a bc d"], {"scores": "token"}, "50.0", "token_recall", WORDS),
        # As starts, 1010 and 1001 share no inner boundary; as ends, one of the reference's two.
        ("another scheme", [[1, 0, 1, 0]], [[1, 0, 0, 1]], STARTS, ".500", "boundary_noedge_recall", ENDS),
        # The second does not pair; of the first, one of three words is right.
        (
            "left out",
            ["a b c", "x"],
            ["a bc", "y"],
            {**WORDS, "scores": "token"},
            "33.3",
            "token_recall",
            {"on_error": "skip"},
        ),
        # Without markup and spaces, of the words abc d ef and gh ij two are right.
        ("all that a selection implies", *best, {**WORDS, "scores": "token"}, "0.4", "token_recall", of_best),
        # Without the comma and the full stop, 5 of 7 words are right.
        (
            "punctuation",
            *commas,
            {**WORDS, "scores": "token"},
            ".7143",
            "token_recall",
            {"ignore_words": ("punctuation",)},
        ),
    ]
    # A boundary that is off by so many units.
    for off in (2, 3, 4, 5):
        moved = f"{'a' * (10 + off)} {'a' * (10 - off)}"
        tolerance = {"tolerance": off}
        rows.append(
            (f"off by {off}", ["a" * 10 + " " + "a" * 10], [moved], WORDS, "1.0", "tolerance_recall", tolerance)
        )
    return [pytest.param(row, id=row[0]) for row in rows]


def agreeing(
    references: Any, predictions: Any, number: float | str, **options: Any
) -> list[tuple[str, dict[str, Any]]]:
    rows = segscores.identify(references, predictions, number, top=10_000, **options)
    assert [row.agrees for row in rows] == sorted((row.agrees for row in rows), reverse=True)
    return [(row.score, dict(row.options)) for row in rows if row.agrees]


@pytest.mark.parametrize("output", [*neighbour_outputs(), *by_hand()])
def test_the_definition_is_among_those_that_agree(output: tuple[Any, ...]) -> None:
    _, references, predictions, options, number, score, definition = output
    # What no further option changes is found among its own scores.
    limited = {} if definition else {"scores": score}
    assert (score, definition) in agreeing(references, predictions, number, **limited, **options)


def test_units_that_do_not_differ_are_neither_aligned_nor_left_out() -> None:
    """The units would differ in units text, which the call does not have: `ab` is none of `a` and `bc`."""
    rows = segscores.identify(["ab c"], ["a bc"], 0.0, text_format="words", top=10_000, scores="token")
    assert [row for row in rows if not {"on_error", "on_mismatch"}.isdisjoint(row.options)] == []


def test_level_0_of_mecab_system_eval(tmp_path: Path) -> None:
    paths = [tmp_path / side for side in ("answer", "system")]
    for path in paths:
        path.write_text(FIGURES["mecab"][path.name], encoding="utf-8")
    rows = segscores.identify(*paths, "36.3636", text_format="mecab")
    assert (rows[0].score, dict(rows[0].options), "mecab" in rows[0].tools) == ("token_fscore", {}, True)


def test_the_columns_of_the_ud_evaluation(shared_data: Path, tmp_path: Path) -> None:
    toy = json.loads((shared_data / "neighbours" / "ud_eval.json").read_text(encoding="utf-8"))
    paths = [tmp_path / f"{side}.conllu" for side in ("gold", "system")]
    for path in paths:
        path.write_text(toy[f"{path.stem}_conllu"], encoding="utf-8")
    rows = segscores.identify(*paths, "75.00", top=10_000, scores=["token", "sentence", "syntactic_word"])
    found = {
        row.score: (f"{100 * row.value:.2f}", row.agrees) for row in rows if dict(row.options) == {"documents": True}
    }
    expected = {"token_fscore": ("75.00", True), "sentence_fscore": ("33.33", False)}
    assert expected.items() <= found.items()
    assert found["syntactic_word_fscore"] == ("88.89", False)


def test_numbers_of_the_card() -> None:
    rows = segscores.identify(CARD_REFERENCE, CARD_PREDICTION, "0.80", top=10_000, scores=list(CARD_SCORES), **WORDS)
    found = {row.score: (round(row.value, 2), row.agrees) for row in rows if not row.options}
    assert {key: found[key] for key in CARD_SCORES} == {
        key: (value, value == 0.8) for key, value in CARD_SCORES.items()
    }


#: A segmenter's score, and one that contradicts its formula: its further decimals are cut off.
@pytest.mark.parametrize(
    ("cell", "note"),
    [
        (("English", "S1", "token_fscore"), ""),
        *((cell, "further decimals cut off, not rounded") for cell in TABLE_1_CONTRADICTIONS),
    ],
)
def test_numbers_of_table_1_of_shao_et_al(cell: tuple[str, str, str], note: str) -> None:
    language, segmenter, key = cell
    reference, segmenters = TABLE_1[language]
    output, _, numbers = segmenters[segmenter]
    number = numbers[TABLE_1_KEYS.index(key)]
    rows = segscores.identify([reference], [output], f"{number:.2f}", top=10_000, scores=key, **WORDS)
    assert [row.note for row in rows if row.agrees and not row.options] == [note]


@pytest.mark.parametrize(
    ("name", "key"),
    [
        pytest.param("peoples_daily", "token_fscore", marks=pytest.mark.slow),
        pytest.param("brent_puddle", "boundary_noedge_fscore", marks=pytest.mark.slow),
        pytest.param("ud_jieba", "type_fscore", marks=pytest.mark.slow),
    ],
)
def test_official_scores_of_a_corpus_are_found_first(name: str, key: str, request: pytest.FixtureRequest) -> None:
    """Four decimals of a corpus have few meanings."""
    is_here = name == "peoples_daily"
    run: OfficialRun = peoples_daily() if is_here else run_beside(name, request.getfixturevalue("shared_data"))
    printed = f"{run.figures['wordseg'][key]:.4f}"
    (first,) = segscores.identify(run.references, run.predictions, printed, top=1, **WORDS)
    assert (first.score, dict(first.options), first.agrees, "wordseg" in first.tools) == (key, {}, True, True)


def test_harmonic_mean_of_mean_precision_and_recall() -> None:
    """As morphoeval computes its F-score. By hand: P is the mean of 1, 0 and 1, R that of 1/2, 0 and 1/3."""
    references, predictions = ["a b c", "a bc", "a b c d"], ["a bc", "ab c", "a bcd"]
    number = 2 * (2 / 3) * (5 / 18) / (2 / 3 + 5 / 18)
    (row,) = segscores.identify(references, predictions, number, top=1, scores="boundary_noedge", **WORDS)
    assert (row.score, dict(row.options)) == ("boundary_noedge_fscore", {"average": "macro"})
    assert row.note == "harmonic mean of the mean precision and recall"


@pytest.mark.parametrize(
    ("number", "agrees"),
    [
        ("0.6667", True), ("66.67", True), ("66.67%", True), (".67", True), (2 / 3, True), ("0.66", True), (0.7, True),
        ("0.65", False), ("66.1", False), ("0.667%", False),
    ],
)  # fmt: skip
def test_decimals_and_percent(number: float | str, agrees: bool) -> None:
    """Two of three boundaries are found."""
    (row,) = segscores.identify([[1, 1, 1, 1]], [[1, 1, 0, 1]], number, top=1, scores="boundary_noedge_recall", **ENDS)
    assert row.agrees is agrees


@pytest.mark.parametrize(
    ("number", "agrees"),
    [("-0.125", True), ("-.12", True), ("-.13", True), ("-0.1", True), ("0", True), ("-1", False), ("-.2", False),
     (".1", False), ("1", False)],
)  # fmt: skip
def test_decimals_of_a_negative_score(number: str, agrees: bool) -> None:
    """No boundary agrees, and (2/6)² would by chance: π is −(1/9) / (8/9). Digits are cut off towards zero."""
    options: Any = {"scores": "agreement_pi", "zero_division": 0.0, **ENDS}
    rows = segscores.identify([[0, 0, 0, 1]], [[1, 0, 1, 1]], number, top=1000, **options)
    (row,) = (row for row in rows if row.value == pytest.approx(-0.125) and not row.options)
    assert row.agrees is agrees


@pytest.mark.parametrize("number", ["x", "", "nan", "inf", "1e400", "-1e400", "1e-400", "0e400", "1e99999999999"])
def test_no_number(number: str) -> None:
    with pytest.raises(ValueError, match="value: received"):
        segscores.identify(["a b"], ["ab"], number, **WORDS)


@pytest.mark.parametrize(
    ("references", "problem"),
    [(["a b"], "1 references and 2 predictions"), ([object(), "a"], "references, utterance 0: received <object")],
)
def test_sides_that_can_be_read_in_no_way(references: list[Any], problem: str) -> None:
    with pytest.raises((TypeError, ValueError), match=problem):
        segscores.identify(references, ["ab", "c"], 0.5, **WORDS)


def test_recordings_have_definitions() -> None:
    recording = [(0, 1, "a"), (1, 2, "b")]
    found = segscores.identify([recording], [recording], 1.0, text_format="times", scores="token_fscore")
    assert [(row.score, row.value, row.agrees) for row in found] == [("token_fscore", 1.0, True)]
