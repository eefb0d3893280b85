"""The threshold study: its parts by hand, and the whole in a small setting."""

from __future__ import annotations

import csv
import math
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

import pytest

from ..naive import boundaries, cut, naive_scores

ROOT = Path(__file__).resolve().parents[2]
SMALL = {"training": [20, 200], "test": 60, "seed": 3}
SMALL_ARGUMENTS = ["--lines", "150", "--training", "200", "20", "--test", "60", "--seed", "3"]


@pytest.fixture(scope="module")
def study(example) -> ModuleType:
    return example("threshold_study")


@pytest.fixture(scope="module")
def sentences(study) -> list[list[str]]:
    return study.read_sentences(150)


@pytest.fixture(scope="module")
def curves(study, sentences):
    """The curves of a small study."""
    return study.run_study(sentences, **SMALL)[1]


def accept_best(
    references: Sequence[Sequence[str]], scores: Sequence[Sequence[float]], ratio: float
) -> list[list[str]]:
    """The prediction that takes that share of all gaps for boundaries: the best, and of equal ones the first."""
    gaps = [(-score, line, gap) for line, values in enumerate(scores) for gap, score in enumerate(values)]
    accepted = {(line, gap) for _, line, gap in sorted(gaps)[: math.floor(ratio * len(gaps) + 0.5)]}
    return [
        cut(list("".join(words)), [(line, gap) in accepted for gap in range(sum(map(len, words)))])
        for line, words in enumerate(references)
    ]


def read_rows(path: Path) -> list[dict[str, float]]:
    with path.open(encoding="utf-8", newline="") as file:
        return [{key: float(value) for key, value in row.items()} for row in csv.DictReader(file)]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("", []),
        ("好", ["好"]),
        ("好 。 再见", ["好 。", "再见"]),
        ("“ 好 ！ ” 他 说 。", ["“ 好 ！ ”", "他 说 。"]),
        ("什么 ？ ！ 好 。 ） ”", ["什么 ？ ！", "好 。 ） ”"]),
        ("“ 好 ” 。", ["“ 好 ” 。"]),
    ],
)
def test_lines_are_cut_where_sentences_end(study, line, expected):
    assert [" ".join(sentence) for sentence in study.cut_sentences(line.split())] == expected


def test_sentences_have_all_words_of_their_lines(example, sentences):
    lines = example("peoples_daily").read_text(150)
    assert [word for words in sentences for word in words] == [word for words in lines for word in words]


def test_sets_are_nested_apart_and_seeded(study):
    sentences = [[str(number)] for number in range(100)]
    sets, test = study.split_sentences(sentences, training=[50, 10], test=20, seed=3)
    assert test == sentences[80:]
    assert list(sets) == [10, 50]
    assert sets[10] == sets[50][:10]
    assert len({words[0] for words in sets[50]}) == 50
    assert all(int(words[0]) < 80 for words in sets[50])
    assert study.split_sentences(sentences, training=[50], test=20, seed=3)[0][50] == sets[50]
    assert study.split_sentences(sentences, training=[50], test=20, seed=4)[0][50] != sets[50]


def test_too_few_sentences_are_refused(study):
    with pytest.raises(ValueError, match="has 5 sentences, expected 3 to train on and 3 to test on: use more lines"):
        study.split_sentences([["好"]] * 5, training=[3], test=3, seed=0)


def test_log_odds_keep_the_order_where_probabilities_round_to_one(study):
    assert study.log_odds(0.8, 0.2) == pytest.approx(math.log(4))
    assert study.log_odds(1.0, 1e-30) == pytest.approx(30 * math.log(10))
    assert math.isfinite(study.log_odds(1.0, 0.0))
    assert study.log_odds(0.0, 1.0) == -study.log_odds(1.0, 0.0)


def test_ratio_of_the_reference(study, sentences):
    inner = sum(len(boundaries(words, edges=False)) for words in sentences)
    gaps = sum(sum(map(len, words)) - 1 for words in sentences)
    assert study.reference_ratio(sentences) == pytest.approx(inner / gaps)
    assert math.isnan(study.reference_ratio([["好"]]))


def test_segmenter_learns_where_words_begin_and_is_not_told(study):
    training = [["上海", "的", "海滩"], ["上海", "人"], ["海滩", "的", "人"]] * 20
    ((first, second, third, fourth),) = study.boundary_scores(training, [["上", "海的", "海滩"]])
    assert min(second, third) > 0 > max(first, fourth)
    assert study.boundary_scores(training, [["人"], ["上海的海滩"]]) == [[], [first, second, third, fourth]]


@pytest.mark.parametrize("ratio", [0, 0.05, 0.3, 0.59, 0.6, 0.61, 0.85, 1])
def test_every_point_is_the_score_of_its_segmentation(study, sentences, curves, ratio):
    sets, references = study.split_sentences(sentences, **SMALL)
    for size, training in sets.items():
        scores = study.boundary_scores(training, references)
        prediction = accept_best(references, scores, ratio)
        # Words of both sides as tuples of characters.
        expected = naive_scores([[tuple(word) for word in words] for words in references], prediction)
        for key in study.SCORES:
            assert study.score_at(curves[size], key, ratio) == pytest.approx(expected[key], abs=1e-12)


def test_best_ratios_stand_in_the_order_that_the_definitions_give(study, curves):
    for curve in curves.values():
        precision, fscore, recall = (
            curve["best"][key]["ratio"] for key in ("token_precision", "token_fscore", "token_recall")
        )
        assert precision <= fscore <= recall


def test_the_weaker_segmenter_is_worse(curves):
    weak, good = (curves[size]["best"]["token_fscore"]["score"] for size in SMALL["training"])
    assert weak < good


def test_losses_are_from_the_best_to_the_nearest_point(study):
    values = [index / 1000 for index in range(101)]
    curve = {"token_recall": values, "best": {"token_recall": {"score": 0.1}}}
    assert study.loss_at(curve, "token_recall", 0.598) == pytest.approx(0.1 - 0.06)
    assert study.loss_at(curve, "token_recall", 1.2) == pytest.approx(0)


def test_small_study_runs_end_to_end(study, curves, tmp_path, capsys):
    table, picture = tmp_path / "curves.csv", tmp_path / "curve.svg"
    study.main([*SMALL_ARGUMENTS, "--csv", str(table), "--plot", str(picture)])
    weak, good, bests, text = capsys.readouterr().out.split("\n\n")
    for size, shown in ((20, weak), (200, good)):
        header, _, _, *rows = shown.splitlines()
        assert header == f"{size} sentences"
        assert [float(row.split()[0]) for row in rows] == list(study.SHOWN_RATIOS)
        for row in rows:
            ratio, *values = map(float, row.split())
            expected = [study.score_at(curves[size], key, ratio) for key in study.SCORES]
            assert values == pytest.approx(expected, abs=0.00006)
    assert [line.split()[0] for line in text.splitlines()] == ["Shao", "20", "200"]
    written = read_rows(table)
    assert [(row["sentences"], row["ratio"]) for row in written] == [
        (size, ratio) for size in (20, 200) for ratio in study.RATIOS
    ]
    for row in written:
        for key in study.SCORES:
            assert row[key] == study.score_at(curves[row["sentences"]], key, row["ratio"])
    greatest = max(row["token_precision"] for row in written if row["sentences"] == 200)
    assert f"{greatest:.4f}" == bests.splitlines()[3].split()[-1]
    for size in (20, 200):
        drawn = (tmp_path / f"curve-{size}.svg").read_text("utf-8")
        assert drawn.lstrip().startswith("<?xml")
        assert drawn.rstrip().endswith("</svg>")


def test_text_too_short_is_an_error_without_a_traceback(study, capsys):
    with pytest.raises(SystemExit, match="2"):
        study.main(["--lines", "3"])
    assert "use more lines or fewer sentences" in capsys.readouterr().err


def test_picture_of_an_unknown_form_is_refused_before_the_training(study, capsys):
    with pytest.raises(SystemExit, match="2"):
        study.main(["--plot", "curve.bmp"])
    errors = capsys.readouterr().err
    assert "expected a name that ends in .png or .svg" in errors
    assert "training on" not in errors


@pytest.mark.parametrize("argument", ["--training", "--test", "--lines"])
def test_numbers_below_one_are_refused(study, capsys, argument):
    with pytest.raises(SystemExit, match="2"):
        study.main([argument, "0"])
    assert f"{argument}: expected at least 1, received 0" in capsys.readouterr().err
