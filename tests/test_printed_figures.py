"""The scores equal what tools of neighbouring fields print for small inputs: `tests/data/printed_figures.json`."""

import re
from pathlib import Path
from statistics import mean
from typing import Any

import pytest

import segscores

from .printed import FIGURES


def test_boundaries_with_the_start_equal_attacut() -> None:
    figures = FIGURES["attacut"]
    sides = [figures[name] for name in ("labels", "preds")]
    found = segscores.score([sides[0]], [sides[1]], label_scheme="start", scores="boundary_start")
    assert list(found.values()) == [figures["figures"][name] for name in ("precision", "recall", "f1")]


def test_boundaries_with_the_start_equal_disrpt() -> None:
    """Its units are tokens."""
    figures = FIGURES["disrpt"]
    sides = [re.findall(r"Seg=(\S+)", figures[name]) for name in ("edu_gold", "edu_pred")]
    labels = [[int(tag == "B-seg") for tag in tags] for tags in sides]
    found = segscores.score([labels[0]], [labels[1]], label_scheme="start", scores="boundary_start")
    for year, names in (("2023", ("prec", "rec", "f_score")), ("2025", ("precision", "recall", "f_score"))):
        assert list(found.values()) == [figures["figures"][f"edu_{year}"][name] for name in names]


@pytest.mark.parametrize("case", FIGURES["wtpsplit"]["cases"], ids=lambda case: "".join(case["predicted"]))
def test_boundaries_with_the_end_equal_wtpsplit(case: dict[str, Any]) -> None:
    """A text is an utterance, its sentences are words, and the space after a sentence belongs to it."""
    between = "" if case["lang"] == "zh" else " "
    *others, last = case["sentences"]
    reference = [*(sentence + between for sentence in others), last]
    found = segscores.score([reference], [case["predicted"]], scores="wtpsplit")
    assert list(found.values()) == [case[name] for name in ("f1", "recall", "precision", "correct_pairwise")]


def test_gaps_equal_ersatz() -> None:
    """The text is one utterance, and its lines are words without spaces."""
    figures = FIGURES["ersatz"]
    sides = [" ".join(figures[name].replace(" ", "").split()) for name in ("gold", "pred")]
    groups = ["boundary_accuracy", "boundary_noedge"]
    scores = segscores.score([sides[0]], [sides[1]], text_format="words", scores=groups)
    found = {key.rpartition("_")[2]: score for key, score in scores.items()}
    printed = dict(re.findall(r"^(\w+) ([\d.]+)$", figures["stdout"], re.MULTILINE))
    names = {"Accuracy": "accuracy", "Recall": "recall", "Precision": "precision", "F1": "fscore"}
    assert {name: f"{100 * found[ours]:.2f}" for name, ours in names.items()} == printed


def test_the_mean_over_lines_equals_kiwipiepy() -> None:
    """It takes 0 for a line without a common space."""
    pairs = FIGURES["kiwipiepy"]["pairs"]
    references, predictions = ([pair[side] for pair in pairs] for side in ("gold", "pred"))
    options = {"text_format": "words", "scores": "boundary_noedge_fscore", "zero_division": 0}
    found = segscores.score(references, predictions, **options, average="macro")
    assert found["boundary_noedge_fscore"] == mean(pair["f1"] for pair in pairs)


def lines_of(name: str, side: str) -> list[str]:
    return [pair[side] for pair in FIGURES[name]["pairs"]]


def test_a_benchmark_equals_the_output_of_pythainlps_command() -> None:
    """Its file has the first two pairs."""
    sides = [lines_of("pythainlp", side)[:2] for side in ("reference", "sample")]
    scores = segscores.score(*sides, scores="pythainlp")
    printed = re.findall(r"(\w+):(precision|recall) ([\d.]+)", FIGURES["pythainlp"]["cli_stdout"])
    assert [f"{score:.4f}" for score in scores.values()] == [figure for _, _, figure in printed]
    assert [level for level, _, _ in printed] == ["char_level", "char_level", "word_level", "word_level"]


@pytest.mark.parametrize("pair", FIGURES["pythainlp"]["pairs"], ids=lambda pair: pair["reference"])
def test_tags_spaces_and_separators_are_treated_as_in_pythainlp(pair: dict[str, Any]) -> None:
    """It takes a separator at the beginning of a text for the end of an empty word, which is no word for either tool."""
    counts = segscores.tally([pair["reference"]], [pair["sample"]], scores="pythainlp").counts()
    # What the selection says of strings is no error for lists of words.
    assert segscores.score([["a"]], [["a"]], scores="pythainlp")["token_recall"] == 1
    characters, words = pair["stats"]["char_level"], pair["stats"]["word_level"]
    assert counts["boundary_start_matched"] == characters["tp"]
    assert counts["boundary_start_predicted"] == characters["tp"] + characters["fp"]
    assert counts["boundary_start_reference"] == characters["tp"] + characters["fn"]
    assert [counts[f"token_{kind}"] for kind in ("matched", "predicted", "reference")] == list(words.values())


def test_morphemes_equal_mecab_system_eval(tmp_path: Path) -> None:
    """Level 0 compares where morphemes are."""
    figures = FIGURES["mecab"]
    paths = [tmp_path / side for side in ("answer", "system")]
    for path in paths:
        path.write_text(figures[path.name], encoding="utf-8")
    tally = segscores.tally(*paths, scores="mecab", text_format="mecab")
    (precision, matched, system, recall, answer, fscore) = re.findall(
        r"LEVEL 0: +([\d.]+)\((\d+)/(\d+)\) ([\d.]+)\(\d+/(\d+)\) ([\d.]+)", figures["stdout"]
    )[0]
    assert [f"{100 * score:.4f}" for score in tally.scores().values()] == [precision, recall, fscore]
    counts = tally.counts()
    assert [counts[f"token_{kind}"] for kind in ("matched", "predicted", "reference")] == [
        int(matched), int(system), int(answer)
    ]  # fmt: skip
