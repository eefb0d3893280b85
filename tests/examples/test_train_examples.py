"""The examples that train models: their parts by hand, and the whole in a small setting, whose output the sweep reads."""

import doctest
import json
from pathlib import Path

import numpy as np
import pytest

from segscores.apps.command.main import main

from .. import corpora, naive

pytestmark = pytest.mark.torch

EXAMPLES = ("train_segmenter", "segment_by_surprise")


@pytest.fixture(scope="module")
def segmenter(example):
    return example("train_segmenter")


@pytest.fixture(scope="module")
def surprise(example):
    return example("segment_by_surprise")


@pytest.fixture
def sweep(capsys):
    """Return what the command's sweep says of an example's output."""

    def run(folder: Path, *options: str) -> dict[str, dict[str, float]]:
        capsys.readouterr()
        files = [str(folder / name) for name in ("reference.txt", "scores.jsonl")]
        assert main(["sweep", *files, *options, "--format", "json"]) == 0
        return json.loads(capsys.readouterr().out)["best"]

    return run


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_examples_of_the_docstrings_hold(example, name):
    results = doctest.testmod(example(name))
    assert (results.attempted > 0, results.failed) == (True, 0)


def test_padding_is_masked(segmenter):
    rows = [segmenter.encode(words, {"世": 2, "纪": 3}) for words in (["世纪", "的"], ["世"])]
    batch = {key: value.tolist() for key, value in segmenter.collate(rows).items()}
    assert batch == {
        "input_ids": [[2, 3, 1], [2, 0, 0]],
        "attention_mask": [[1, 1, 1], [1, 0, 0]],
        "labels": [[1, 0, 1], [1, -100, -100]],
    }


@pytest.fixture(scope="module")
def trained(segmenter, tmp_path_factory) -> Path:
    """The output of a small training run."""
    folder = tmp_path_factory.mktemp("segmenter")
    segmenter.main(["--clauses", "600", "--epochs", "2", "--output", str(folder)])
    return folder


def test_trained_segmenter_is_scored_as_its_texts_are(trained):
    references, predictions = (
        [line.split() for line in (trained / name).read_text(encoding="utf-8").splitlines()]
        for name in ("reference.txt", "prediction.txt")
    )
    assert len(references) == 60
    expected = naive.naive_scores(references, predictions)
    scores = json.loads((trained / "test_results.json").read_text(encoding="utf-8"))
    for key in ("token_precision", "token_recall", "token_fscore", "token_tnr", "boundary_noedge_fscore"):
        assert scores[f"test_{key}"] == pytest.approx(expected[key], abs=1e-12)
    characters = naive.naive_scores(references, [list("".join(words)) for words in references])
    assert scores["test_token_fscore"] > characters["token_fscore"]


def test_sweep_reads_the_segmenters_scores_and_its_own_decision_is_the_threshold_zero(trained, sweep):
    scores = json.loads((trained / "test_results.json").read_text(encoding="utf-8"))
    # The smallest number above 0: at 0 itself a model without a preference cuts nothing, and the threshold does.
    at_zero = sweep(trained, f"--thresholds={np.nextafter(0, 1)}")
    assert at_zero["token_fscore"]["score"] == pytest.approx(scores["test_token_fscore"], abs=1e-12)
    assert sweep(trained)["token_fscore"]["score"] >= at_zero["token_fscore"]["score"]


def test_peaks_are_greater_than_both_neighbours(surprise):
    series = np.array([5.0, 1, 2, 1, 3, 3, 1, 4, 9])
    expected = [series[i - 1] < series[i] > series[i + 1] for i in range(1, len(series) - 1)]
    assert surprise.find_peaks(series).tolist() == expected == [False, True, False, False, False, False, False]


@pytest.mark.parametrize("cue", ["surprisal", "entropy", "boundary"])
def test_small_surprise_runs_end_to_end(surprise, sweep, tmp_path, capsys, cue):
    text = tmp_path / "text.txt"
    words = corpora.random_corpus_pair(60, 1, "abcdefg")[0]
    text.write_text("".join(f"{line}\n" for line in corpora.words_text(words)), encoding="utf-8")
    folder = tmp_path / "surprise"
    surprise.main([str(text), "--cue", cue, "--epochs", "2", "--output", str(folder)])
    table = {line[:14].strip(): line[14:].split() for line in capsys.readouterr().out.splitlines() if "  " in line}
    header = ["ratio", "boundary_noedge_fscore", "token_precision", "token_recall", "token_fscore", "type_fscore"]
    assert table["cut"] == header
    expected_reference = [utterance for utterance in words if utterance]
    reference, peaks = (
        [surprise.split_units(line.split(), "WORD_BOUNDARY") for line in (folder / name).read_text().splitlines()]
        for name in ("reference.txt", "peaks.txt")
    )
    assert [["".join(word) for word in utterance] for utterance in reference] == corpora.word_lists(expected_reference)
    expected = naive.naive_scores(reference, peaks)
    assert table["peaks"][1:] == [f"{expected[key]:.3f}" for key in header[1:]]
    assert table["random"][0] == table["peaks"][0] == table["highest scores"][0]
    best = sweep(folder, "--text-format", "units")["token_fscore"]
    assert f"{best['score']:.3f}" == table["best threshold"][4]


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (["train_segmenter", "--clauses", "9"], "--clauses: expected at least 10, received 9"),
        (["train_segmenter", "--clauses", "99999999"], "the text has"),
        (["segment_by_surprise", "--ratio", "1.5"], "--ratio: expected a number in [0, 1], received 1.5"),
        (["segment_by_surprise", "no such file"], "No such file"),
        (["segment_by_surprise", "{empty}"], "no utterance of two units or more"),
        (["segment_by_surprise", "{long}"], "utterance 2 has 1001 units; expected at most 1000"),
    ],
)
def test_bad_options_are_refused_without_a_traceback(example, tmp_path, capsys, command, message):
    files = {"empty": "\na\n", "long": f"ab\n{'a' * 1001}\n"}
    for title, content in files.items():
        (tmp_path / title).write_text(content, encoding="utf-8")
    name, *arguments = command
    paths = {title: str(tmp_path / title) for title in files}
    with pytest.raises(SystemExit, match="2"):
        example(name).main([*(argument.format(**paths) for argument in arguments), "--output", str(tmp_path / "out")])
    assert message in capsys.readouterr().err
