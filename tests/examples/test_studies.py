"""The studies of thresholds and of retrieval, and their text: parts by hand, and the whole in a small setting."""

import csv
import math
import random
from collections.abc import Sequence
from itertools import accumulate
from pathlib import Path

import pytest

from ..corpora import cut
from ..naive import naive_scores

SMALL = {"training": [20, 200], "test": 30, "seed": 3}


@pytest.fixture(scope="module")
def retrieval(example):
    return example("retrieval_study")


@pytest.fixture(scope="module")
def threshold(example):
    return example("threshold_study")


@pytest.fixture(scope="module")
def sentences(threshold) -> list[list[str]]:
    return threshold.read_sentences(150)


@pytest.fixture(scope="module")
def curves(threshold, sentences):
    """The curves of a small study."""
    return threshold.run_study(sentences, **SMALL)[1]


def read_rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize(
    ("relevant", "found", "expected"),
    [
        ([1, 2, 3], [1, 2, 3], 1), ([1, 2, 3], [3, 1, 2], 1), ([1, 2, 3, 4], [1, 9, 2], (1 + 2 / 3) / 4),
        ([1], [8, 9, 1], 1 / 3), ([1], [], 0), ([], [1], 0),
    ],
)  # fmt: skip
def test_average_precision_by_hand(retrieval, relevant, found, expected):
    assert retrieval.average_precision(relevant, found) == pytest.approx(expected)


def test_corruption_keeps_the_characters_and_its_rates(retrieval):
    words = ["中共中央", "的", "新年", "讲话"] * 500
    text = "".join(words)
    corrupted = retrieval.corrupt(words, random.Random(0), merge=0.2, split=0.4)
    assert "".join(corrupted) == text
    reference, predicted = (set(accumulate(map(len, side))) for side in (words, corrupted))
    assert 1 - len(reference & predicted) / len(reference) == pytest.approx(0.2, abs=0.03)
    assert len(predicted - reference) / (len(text) - len(reference)) == pytest.approx(0.4, abs=0.03)


@pytest.mark.slow
def test_small_retrieval_study_runs_end_to_end(retrieval, tmp_path, capsys):
    path = tmp_path / "table.csv"
    retrieval.main(["--lines", "120", "--queries", "4", "--operator", "OR", "--write", str(path)])
    systems, correlations = capsys.readouterr().out.split("\n\n")
    assert {"reference", "jieba", "characters"} <= {line.split()[0] for line in systems.splitlines()}
    assert "token_fscore" in correlations
    rows = {row.pop("system"): {key: float(value) for key, value in row.items()} for row in read_rows(path)}
    assert rows["reference"]["token_fscore"] == rows["reference"]["dictionary_tnr"] == 1
    assert rows["characters"]["boundary_noedge_recall"] == 1
    assert rows["whole query"]["token_fscore"] == 0
    assert all(0 <= row["map"] <= 1 for row in rows.values())
    assert rows["reference"]["map"] > rows["whole query"]["map"]


def accept_best(references: Sequence[Sequence[str]], scores: Sequence[Sequence[float]], ratio: float) -> list[list]:
    """The prediction that takes that share of all gaps for boundaries: the best, and of equal ones the first."""
    gaps = [(-score, line, gap) for line, values in enumerate(scores) for gap, score in enumerate(values)]
    accepted = {(line, gap) for _, line, gap in sorted(gaps)[: math.floor(ratio * len(gaps) + 0.5)]}
    return [
        cut(list("".join(words)), [(line, gap) in accepted for gap in range(sum(map(len, words)))])
        for line, words in enumerate(references)
    ]


def test_every_point_is_the_score_of_its_segmentation(threshold, sentences, curves):
    sets, references = threshold.split_sentences(sentences, **SMALL)
    for size, training in sets.items():
        scores = threshold.boundary_scores(training, references)
        for ratio in (0, 0.3, 0.59, 0.6, 0.61, 1):
            # Words of both sides as tuples of characters.
            expected = naive_scores(
                [[tuple(word) for word in words] for words in references], accept_best(references, scores, ratio)
            )
            for key in threshold.SCORES:
                assert threshold.score_at(curves[size], key, ratio) == pytest.approx(expected[key], abs=1e-12)


def test_small_threshold_study_runs_end_to_end(threshold, curves, tmp_path, capsys):
    table, picture = tmp_path / "curves.csv", tmp_path / "curve.svg"
    line = "--lines 150 --training 200 20 --test 30 --seed 3 --csv"
    threshold.main([*line.split(), str(table), "--plot", str(picture)])
    weak, good, bests, text = capsys.readouterr().out.split("\n\n")
    for size, shown in ((20, weak), (200, good)):
        header, _, _, *rows = shown.splitlines()
        assert header == f"{size} sentences"
        assert [float(row.split()[0]) for row in rows] == list(threshold.SHOWN_RATIOS)
        for row in rows:
            ratio, *values = map(float, row.split())
            expected = [threshold.score_at(curves[size], key, ratio) for key in threshold.SCORES]
            assert values == pytest.approx(expected, abs=0.00006)
        drawn = (tmp_path / f"curve-{size}.svg").read_text("utf-8").strip()
        assert (drawn[:5], drawn[-6:]) == ("<?xml", "</svg>")
    assert [line.split()[0] for line in text.splitlines()] == ["Shao", "20", "200"]
    written = [{key: float(value) for key, value in row.items()} for row in read_rows(table)]
    places = [(size, ratio) for size in (20, 200) for ratio in threshold.RATIOS]
    assert [(row["sentences"], row["ratio"]) for row in written] == places
    for row in written:
        for key in threshold.SCORES:
            assert row[key] == threshold.score_at(curves[row["sentences"]], key, row["ratio"])
    greatest = max(row["token_precision"] for row in written if row["sentences"] == 200)
    assert f"{greatest:.4f}" == bests.splitlines()[3].split()[-1]


@pytest.mark.parametrize(
    ("study", "line", "message"),
    [
        ("retrieval_study", "--lines 3 --queries 1000", "use more lines or fewer queries"),
        ("threshold_study", "--lines 3", "use more lines or fewer sentences"),
        ("threshold_study", "--plot curve.bmp", "expected a name that ends in .png, .svg or .pdf"),
        ("retrieval_study", "--queries 0", "--queries: expected at least 1, received 0"),
    ],
)
def test_bad_options_are_errors_without_a_traceback_before_the_training(example, capsys, study, line, message):
    with pytest.raises(SystemExit, match="2"):
        example(study).main(line.split())
    errors = capsys.readouterr().err
    assert message in errors
    assert "training on" not in errors
