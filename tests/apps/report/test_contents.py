"""The report of predictions in memory: its numbers, and that it is the page that the command writes for the same text."""

from pathlib import Path
from typing import Any

import pytest

import segscores
from segscores.analysis.error_analysis import analyse_errors
from segscores.analysis.statistics.resampling import split_options
from segscores.apps.report.contents import Names, analyse_texts, worst_key
from segscores.apps.report.page import Report, build_page
from segscores.reading.sources.names import Files
from segscores.scoring.plan import Plan

from ...command_runs import write_files
from ...corpora import random_corpus_pair, words_text
from ...naive import naive_scores
from ..command.running import run_command

REFERENCE = ["the dog is on the boat", "a cat", "", "on the boat", "<b> &amp; dogs", "is it"] * 6 + ["is that"]
PREDICTION = ["thedog is on the boat", "a c at", "", "o nthe boat", "<b>&amp; dogs", "is it"] * 6 + ["isthat"]
OTHER = ["thedog is onthe boat", "ac at", "", "on the boat", "<b> &amp; dogs", "isit"] * 6 + ["is that"]


pytestmark = pytest.mark.usefixtures("in_folder")


def report(predictions: dict[str, Any], **options: Any) -> str:
    """The page for predictions in memory, with the names of files."""
    options = {"text_format": "words"} | options
    found = analyse_texts(REFERENCE, predictions, *split_options(options)[:2])
    signature = found.sign([Files.of(name) for name in ("reference.txt", *predictions)], options["text_format"])
    paths = {name: f"{name}.txt" for name in predictions}
    return build_page(Report(found, Names("reference.txt", "reference.txt", paths), signature))


def command(predictions: dict[str, list[str]], *arguments: str) -> str:
    """The page of the command for the same texts in files."""
    write_files({f"{name}.txt": rows for name, rows in {"reference": REFERENCE, **predictions}.items()})
    named = [f"{name}={name}.txt" for name in predictions]
    run_command("report", "reference.txt", *named, "-o", "r.html", *arguments)
    return Path("r.html").read_text(encoding="utf-8")


CI, KNOWN = {"confidence": 0.95}, ["the", "dog", "is", "on", "boat", "a"]
ONE, TWO = {"prediction": PREDICTION}, {"prediction": PREDICTION, "other": OTHER}


@pytest.mark.parametrize(
    ("predictions", "options", "arguments"),
    [
        (ONE, CI, []),
        (ONE, {}, ["--confidence", "none"]),
        (TWO, {}, ["--confidence", "none"]),
        (TWO, {"confidence": 0.9}, ["--confidence", "0.9"]),
        ({**TWO, "third": REFERENCE}, {**CI, "scores": ["windows", "token", "type"]}, ["--scores", "windows,token,type"]),
        (TWO, {**CI, "average": "macro", "seed": 3}, ["--average", "macro", "--seed", "3"]),
        (TWO, {**CI, "clusters": [index // 3 for index in range(len(REFERENCE))]}, ["--clusters", "every:3"]),
        (ONE, {"vocabulary": KNOWN, "scores": ["oov"], "zero_division": 1.0},
         ["--vocabulary", "words", "--scores", "oov", "--zero-division", "1", "--confidence", "none"]),
    ],
    ids=["intervals", "no intervals", "two without", "two", "three, windows", "macro", "clusters", "vocabulary"],
)  # fmt: skip
def test_the_page_equals_the_output_of_the_command(predictions: dict, options: dict, arguments: list[str]) -> None:
    write_files({"words": KNOWN})
    assert report(predictions, **options) == command(predictions, *arguments)


@pytest.mark.parametrize("piece_bytes", [64, 1 << 19])
def test_scores_errors_and_utterances_equal_the_text(piece_bytes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("segscores.reading.sources.source.PIECE_BYTES", piece_bytes)
    reference, prediction = random_corpus_pair(60, seed=4, units="abc")
    texts = words_text(reference), words_text(prediction)
    plan, resampling, _ = split_options({"text_format": "words"})
    found = analyse_texts(texts[0], {"p": texts[1]}, plan, resampling, most=7)
    (made,) = found.analysed.values()
    assert found.scored()[0].scores == pytest.approx(naive_scores(reference, prediction), abs=1e-12)
    errors = analyse_errors(*texts, text_format="words")
    assert made.errors.errors() == errors.errors()
    assert made.errors.word_types() == errors.word_types()

    def fscore(index: int) -> float:
        one = slice(index, index + 1)
        return naive_scores(reference[one], prediction[one], zero_division=2.0)["token_fscore"]

    lengths = [len(line.replace(" ", "")) for line in texts[0]]
    order = sorted(range(60), key=lambda index: (fscore(index), -lengths[index], index))[:7]
    differences = segscores.differences(*texts, text_format="words")
    assert [(shown.utterance, shown.difference) for shown in made.shown] == [
        (index, differences[index]) for index in order
    ]


def test_words_that_are_aligned_with_others_are_not_correct() -> None:
    # "cat" and "cut" have the same boundaries, "on" and "o n" the same units; "sad" is aligned with "s ab".
    texts = ["the cat is on", "a cat sad"], ["the cut is o n", "a cat s ab"]
    plan, resampling, _ = split_options({"text_format": "words", "on_mismatch": "align", "scores": "token"})
    found = analyse_texts(texts[0], {"p": texts[1]}, plan, resampling)
    errors = found.analysed["p"].errors
    assert (errors.words.tolist(), errors.chunks.tolist(), errors.altered) == ([4, 2, 0, 0], [4, 2, 0, 0], 1)
    assert found.scored()[0].scores["token_recall"] == 4 / 7
    assert {row.name: (row.words, row.correct) for row in errors.word_types()}["cat"] == (1, 1)
    page = build_page(Report(found, Names("r", "r", {"p": "p"}), "s"))
    assert "2 lines, 7 words" in page
    assert "onto the units of the reference" in page
    assert "1 words of the reference have the same boundaries in the prediction and other units" in page


def test_labels_hold_no_words() -> None:
    with pytest.raises(ValueError, match="a report shows words, which labels do not contain: pass strings or lists"):
        analyse_texts([[1, 0]], {"p": [[1, 1]]}, *split_options({"label_scheme": "start"})[:2])


@pytest.mark.parametrize(
    ("scores", "key"),
    [
        ("token", "token_fscore"),
        (["type", "token"], "token_fscore"),
        ("boundary_all", "boundary_all_fscore"),
        ("word_error", "word_error_rate"),
    ],
)
def test_the_score_that_ranks_the_utterances(scores: Any, key: str) -> None:
    assert worst_key(Plan.of(text_format="words", scores=scores)) == key
