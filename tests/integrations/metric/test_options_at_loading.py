"""Options given at loading are the defaults of `compute`."""

import evaluate
import pytest

import segscores

from .running import SCRIPT, SIDES, TOKEN_SCORES, TOKENS


@pytest.fixture(params=["evaluate.load", "segscores.load"])
def load(request, tmp_path, monkeypatch):
    """Both ways of loading; the second from a folder in which there is nothing."""
    if request.param == "evaluate.load":
        return lambda name=None, **options: evaluate.load(str(SCRIPT), name, cache_dir=str(tmp_path), **options)
    empty = tmp_path / "empty"
    empty.mkdir()
    monkeypatch.chdir(empty)
    return lambda name=None, **options: segscores.load(name, cache_dir=str(tmp_path), **options)


def test_they_are_the_defaults_of_compute(load):
    metric = load(**TOKENS)
    assert metric.compute(**SIDES) == TOKEN_SCORES
    assert list(metric.compute(**SIDES, scores="tnr")) == ["token_tnr"]
    assert metric.compute(**SIDES) == TOKEN_SCORES, "an option of a call holds for that call"
    metric.add_batch(**SIDES)
    assert metric.compute() == TOKEN_SCORES


def test_an_iterator_is_read_once_and_kept(load):
    metric = load(text_format="words", vocabulary=iter(["the", "dog"]), scores="oov")
    first = metric.compute(**SIDES)
    assert metric.compute(**SIDES) == first
    assert first == segscores.score(**SIDES, text_format="words", vocabulary=["the", "dog"], scores="oov")


def test_they_ask_for_nothing(load):
    """In a call, an option that no score uses is an error; what is given at loading is for the calls that use it."""
    metric = load(**TOKENS, tolerance=2, transposition_span=3)
    assert metric.compute(**SIDES) == TOKEN_SCORES
    expected = segscores.score(**SIDES, text_format="words", scores="tolerance", tolerance=2)
    assert metric.compute(**SIDES, scores="tolerance") == expected
    with pytest.raises(ValueError, match='window_size: it needs scores="windows", received scores='):
        metric.compute(**SIDES, window_size=2)
    with pytest.raises(ValueError, match="tolerance: expected a whole number of units"):
        load(tolerance=-1)


def test_labels_that_differ_in_number_are_skipped_when_they_are_added():
    metric = segscores.load(label_scheme="start", scores="token", on_error="skip")
    metric.add_batch(references=[[1, -100, 0], [1, -100]], predictions=[[1, 1, 1], [1, 0, 1]], ignore_index=-100)
    with pytest.warns(UserWarning, match="1 of 2 utterances"):
        assert metric.compute()["token_recall"] == 0.0
    strict = segscores.load(label_scheme="start", scores="token")
    with pytest.raises(ValueError, match="utterance 0: the reference has 2 labels and the prediction 3"):
        strict.add_batch(references=[[1, -100]], predictions=[[1, 0, 1]], ignore_index=-100)


def test_the_configurations_take_them_too(load):
    metric = load("difficulty", text_format="words")
    rated = {"references": ["a b"], "predictions": ["ab"], "difficulties": [[0.5, 0.25]]}
    assert metric.compute(**rated) == load("difficulty").compute(**rated, text_format="words")
    bitext = {"references": [[([0], [0])]], "predictions": [[([0], [0])]]}
    keys = ["strict_precision", "strict_recall", "strict_fscore"]
    assert list(load("alignment", scores="strict").compute(**bitext)) == keys


def test_an_error_names_the_unknown_and_the_known_configurations(load):
    message = "no configuration 'nope': load the metric without one, or one of difficulty, alignment"
    with pytest.raises(ValueError, match=message):
        load("nope")


def test_arguments_of_evaluate_are_taken(load, tmp_path):
    metric = load(experiment_id="mine", seed=3, keep_in_memory=True, text_format="words")
    assert (metric.experiment_id, metric.seed, metric.keep_in_memory) == ("mine", 3, True)
    assert metric.defaults == {"text_format": "words", "seed": 3}


def test_the_seed_at_loading_is_used_for_resamples(load):
    sides = {"references": ["a b c", "d e", "f g"] * 12, "predictions": ["ab c", "d e", "fg"] * 12}
    options = {**TOKENS, "confidence": 0.9, "interval_method": "percentile", "n_resamples": 200}
    expected = segscores.score(**sides, **options, seed=3)
    assert expected != segscores.score(**sides, **options)
    metric = load(seed=3, **options)
    assert metric.compute(**sides) == expected
    assert metric.compute(**sides, seed=0) == segscores.score(**sides, **options)
