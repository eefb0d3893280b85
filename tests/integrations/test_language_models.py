"""The harnesses for language models: their own programs print what `segscores.score` gives for the answers of a model."""

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import segscores
from segscores.integrations.lm_eval import SegmentationTask

from .conftest import ROOT, SENTENCES

OPTIONS: dict[str, Any] = {"text_format": "words", "scores": ["token", "boundary_noedge"], "on_mismatch": "align"}


def run(*arguments: object, folder: Path = ROOT) -> None:
    ended = subprocess.run(
        [sys.executable, *map(str, arguments)],
        check=False,
        cwd=folder,
        env=os.environ | {"CUDA_VISIBLE_DEVICES": ""},
        capture_output=True,
        text=True,
    )
    assert ended.returncode == 0, ended.stderr[-3000:]


def scores_of(references: list[str], answers: list[str]) -> dict[str, float]:
    """The scores of the answers, of which some boundaries are right."""
    assert sorted(references) == sorted(row["segmented"] for row in SENTENCES)
    scores = segscores.score(references, [answer.strip() for answer in answers], **OPTIONS)
    assert 0.5 < scores["boundary_noedge_fscore"] < 1
    return scores


@pytest.mark.frameworks
def test_the_harness_prints_the_scores_of_the_answers(language_model: Path, tmp_path: Path):
    task = ("--tasks", "chinese_segmentation", "--include_path", "examples/language_models")
    model = ("--model", "hf", "--model_args", f"pretrained={language_model}", "--device", "cpu")
    run("-m", "lm_eval", *model, *task, "--log_samples", "--output_path", tmp_path)
    (results,), (samples,) = tmp_path.glob("*/results_*.json"), tmp_path.glob("*/samples_*.jsonl")
    found = json.loads(results.read_text())["results"]["chinese_segmentation"]
    rows = list(map(json.loads, samples.read_text().splitlines()))
    expected = scores_of([row["target"] for row in rows], [row["filtered_resps"][0] for row in rows])
    for key in ("token_fscore", "boundary_noedge_fscore", "unit_error_rate"):
        assert found[f"{key},none"] == expected[key]


def test_the_functions_of_a_task_score_all_documents_at_once():
    """The module needs no harness."""
    task = SegmentationTask("gold", **OPTIONS)
    answers = [" thedog barks\n", "a dog", "dogs"]
    references = ["the dog barks", "a dog", "dog s"]
    aggregations = {key: task.aggregation(key) for key in ("token_fscore", "unit_error_rate")}
    pairs = zip(references, answers, strict=True)
    results = [task.process_results({"gold": reference}, [answer, "second"]) for reference, answer in pairs]
    expected = segscores.score(references, [answer.strip() for answer in answers], **OPTIONS)
    for key, aggregate in aggregations.items():
        assert aggregate(result[key] for result in results) == expected[key]
    assert set(results[0]) == aggregations.keys()


def test_a_score_that_the_options_lack_is_an_error():
    task = SegmentationTask("segmented", text_format="words", scores="token")
    with pytest.raises(ValueError, match=r"there is no score 'token_f'\. Did you mean 'token_fscore'"):
        task.aggregation("token_f")
    with pytest.raises(ValueError, match="utterance 0"):
        task.process_results({"segmented": "a b"}, ["a c"])
    with pytest.raises(ValueError, match=r"^reference: there is no column 'segmented'; the columns are id, text\.$"):
        task.process_results({"id": 1, "text": "a b"}, ["a b"])


@pytest.mark.frameworks
def test_inspect_prints_the_scores_of_the_answers_of_all_epochs(language_model: Path, tmp_path: Path):
    model = ("--model", f"hf/{language_model}", "-M", "use_chat_template=false")
    task = ("examples/language_models/inspect_task.py", "--epochs", 2)
    log = ("--log-dir", tmp_path, "--log-format", "json", "--display", "none")
    run("-m", "inspect_ai", "eval", *task, *model, *log)
    (file,) = tmp_path.glob("*.json")
    logged = json.loads(file.read_text())
    scores = {key: metric["value"] for key, metric in logged["results"]["scores"][0]["metrics"].items()}
    pairs = [(row["target"], row["output"]["completion"].strip()) for row in logged["samples"]]
    assert len(set(pairs)) > len(SENTENCES)
    assert scores == segscores.score(*map(list, zip(*pairs, strict=True)), **OPTIONS)
    # The same scorer by the name of its entry point. Inspect gives it to scorers that are installed, and in the folder
    # of the checkout Python would find the checkout.
    scorer = ["--scorer", "segscores/segmentation", "--action", "overwrite", "--overwrite"]
    for name, option in OPTIONS.items():
        scorer += ["-S", f"{name}={option if isinstance(option, str) else ','.join(option)}"]
    run("-m", "inspect_ai", "score", file, *scorer, "--display", "none", folder=tmp_path)
    scored = json.loads(file.read_text())["results"]["scores"][0]["metrics"]
    assert {key: metric["value"] for key, metric in scored.items()} == scores


@pytest.mark.frameworks
def test_a_sample_that_inspect_skips_has_no_scores():
    from inspect_ai.scorer import Target

    from segscores.integrations.inspect_ai import segmentation

    scorer = segmentation(**{**OPTIONS, "on_mismatch": "error", "on_error": "skip"})
    state: Any = SimpleNamespace(output=SimpleNamespace(completion="a dog"))
    with pytest.warns(UserWarning, match="1 of 1 utterances"):
        assert asyncio.run(scorer(state, Target("the dog"))).value == {}
    with pytest.raises(ValueError, match="Did you mean 'token"):
        segmentation(scores="tokens")
