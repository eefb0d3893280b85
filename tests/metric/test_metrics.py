"""The metric under `evaluate`: loaded from a file, a folder or the Hub, with every kind of input, pickled, combined,
distributed.
"""

from __future__ import annotations

import inspect
import json
import os
import pickle
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import dill
import evaluate
import numpy as np
import pandas as pd
import pytest
from packaging.version import Version

from segscores.measures.registry import GROUPS, SELECTIONS

from ..naive import DEFAULT_KEYS, FORMS, Form, expected_scores, naive_scores, random_corpus_pair
from .distributed import SCRIPT, run_in_two_processes

# The card's example: four of five predicted words are among the six of the reference.
REFERENCE = "the dog is on the boat"
PREDICTION = "thedog is on the boat"
TOKEN_SCORES = {"token_precision": 4 / 5, "token_recall": 4 / 6, "token_fscore": 8 / 11}
WORDS = {"text_format": "words"}
TOKENS = {**WORDS, "scores": "token"}

Load = Callable[..., Any]


def example_scores() -> dict[str, float]:
    return naive_scores([REFERENCE.split()], [PREDICTION.split()])


def corpus_pair(count: int = 40) -> tuple[list[Any], list[Any]]:
    """Blank utterances stand at both ends: the first of a form decides how all are stored."""
    references, predictions = random_corpus_pair(count, seed=2)
    return [[], *references, []], [[], *predictions, []]


def written(form: Form) -> tuple[list[Any], list[Any], dict[str, float]]:
    """The corpus pair in a form, and its scores by the naive scorer."""
    references, predictions = corpus_pair()
    scores = expected_scores(form, naive_scores(references, predictions))
    return form.write(references), form.write(predictions), scores


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


@pytest.fixture
def load(cache: Path) -> Load:
    def load_metric(path: Path = SCRIPT, **options: Any) -> Any:
        return evaluate.load(str(path), cache_dir=str(cache), **options)

    return load_metric


def stored_files(cache: Path) -> list[str]:
    """What is stored. A lock's file stays, as it is `filelock`'s: a file lock that deletes its file is none."""
    return [path.name for path in cache.rglob("*") if path.is_file() and path.suffix != ".lock"]


def run_python(code: str, *arguments: str, **environment: str) -> Any:
    """Run a program in a fresh interpreter; what it prints is JSON."""
    ran = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)


def at_once(metric: Any, references: list[Any], predictions: list[Any], options: dict[str, Any]) -> dict[str, float]:
    return metric.compute(references=references, predictions=predictions, **options)


def one_by_one(metric: Any, references: list[Any], predictions: list[Any], options: dict[str, Any]) -> dict[str, float]:
    for reference, prediction in zip(references, predictions, strict=True):
        metric.add(reference=reference, prediction=prediction)
    return metric.compute(**options)


def in_batches(metric: Any, references: list[Any], predictions: list[Any], options: dict[str, Any]) -> dict[str, float]:
    for start, stop in ((0, 1), (1, 1), (1, 9), (9, 30), (30, len(references))):
        metric.add_batch(references=references[start:stop], predictions=predictions[start:stop])
    return metric.compute(**options)


def mixed_ways(metric: Any, references: list[Any], predictions: list[Any], options: dict[str, Any]) -> dict[str, float]:
    metric.add_batch(references=tuple(references[:5]), predictions=iter(predictions[:5]))
    metric.add(reference=references[5], prediction=predictions[5])
    metric.add(reference=references[6], prediction=predictions[6])
    metric.add_batch(references=pd.Series(references[7:9]), predictions=predictions[7:9])
    metric.add(reference=references[9], prediction=predictions[9])
    return metric.compute(references=references[10:], predictions=pd.Series(predictions[10:]), **options)


@pytest.mark.parametrize("way", [at_once, one_by_one, in_batches, mixed_ways])
@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_every_way_of_passing_gives_the_naive_scores(load: Load, form: Form, way: Any) -> None:
    references, predictions, scores = written(form)
    metric = load()
    for _ in range(2):
        found = way(metric, references, predictions, form.options)
        assert list(found.items()) == list(scores.items())
        assert {type(score) for score in found.values()} == {float}
        assert json.loads(json.dumps(found)) == scores


def test_two_metrics_that_store_at_the_same_time_do_not_mix(load: Load) -> None:
    one, other = load(), load()
    one.add(reference=REFERENCE, prediction=PREDICTION)
    other.add(reference="a b", prediction="a b")
    assert one.compute(**TOKENS) == TOKEN_SCORES
    assert set(other.compute(**TOKENS).values()) == {1.0}


def test_the_length_is_the_number_of_stored_utterances(load: Load) -> None:
    metric = load()
    assert len(metric) == 0
    metric.add(reference="a", prediction="a")
    assert len(metric) == 1
    metric.add_batch(references=["a", ""], predictions=["a", ""])
    assert len(metric) == 3
    metric.compute()
    assert len(metric) == 0


@pytest.mark.parametrize("way", [at_once, in_batches])
def test_no_file_is_written_in_one_process(load: Load, cache: Path, way: Any) -> None:
    metric = load()
    seen = []
    compute = metric.compute
    metric.compute = lambda **options: seen.append(stored_files(cache)) or compute(**options)
    way(metric, ["a"] * 31, ["a"] * 31, {})
    assert [*seen, stored_files(cache)] == [[], []]


class Bad(NamedTuple):
    """What is wrong in a call, and the error that says so."""

    arguments: dict[str, Any]
    error: type[Exception]
    message: str

    def is_refused_by(self, method: Callable[..., Any], **others: Any) -> None:
        with pytest.raises(self.error, match=self.message):
            method(**others, **self.arguments)


SURROGATE = r"^predictions, utterance 0: .*lone surrogate"
BAD_INPUTS = {
    "compute-one_side": Bad({"references": ["a"]}, TypeError, "^predictions: received None"),
    "compute-counts": Bad({"references": ["a"], "predictions": []}, ValueError, "^1 references and 0 predictions"),
    "compute-forms": Bad({"references": ["a"], "predictions": [["a"]]}, TypeError, "^mixed forms: the references"),
    "add_batch-one_side": Bad({"references": ["a"]}, TypeError, "^predictions: received None"),
    "add_batch-nothing": Bad({}, TypeError, "^references: received None"),
    "add_batch-surrogate": Bad({"references": ["a"], "predictions": ["\ud800"]}, ValueError, SURROGATE),
    "add_batch-unknown": Bad({"reference": ["a"]}, TypeError, "unexpected keyword argument 'reference'"),
    "add-other_side": Bad({"prediction": "a"}, TypeError, "^references: received None"),
    "add-forms": Bad({"reference": "a", "prediction": ["a"]}, TypeError, "^mixed forms: the references"),
    "add-unknown": Bad({"nope": "a"}, TypeError, "unexpected keyword argument 'nope'"),
}
OTHER_FORMS = {
    "compute-words": Bad({"references": [["a"]], "predictions": [["a"]]}, TypeError, "^mixed forms: this batch has"),
    "add_batch-labels": Bad({"references": [[1]], "predictions": [[1]]}, TypeError, "^mixed forms: this batch has"),
    "add-words": Bad({"reference": ["a"], "prediction": ["a"]}, TypeError, "^mixed forms: this batch has"),
}


@pytest.fixture
def storing(load: Load) -> Any:
    """A metric with three utterances."""
    metric = load()
    metric.add(reference=REFERENCE, prediction=PREDICTION)
    metric.add_batch(references=["", REFERENCE], predictions=["", PREDICTION])
    return metric


@pytest.mark.parametrize("name", OTHER_FORMS)
def test_a_batch_of_another_form_does_not_change_stored_rows(storing: Any, name: str) -> None:
    OTHER_FORMS[name].is_refused_by(getattr(storing, name.split("-", maxsplit=1)[0]))
    assert len(storing) == 3
    assert storing.compute(**TOKENS) == TOKEN_SCORES


@pytest.mark.parametrize("name", BAD_INPUTS)
def test_a_metric_is_usable_after_a_bad_first_batch(load: Load, cache: Path, name: str) -> None:
    metric = load()
    BAD_INPUTS[name].is_refused_by(getattr(metric, name.split("-", maxsplit=1)[0]))
    assert stored_files(cache) == []
    # Another form than that of the refused batch, which must not have been kept in mind.
    assert one_by_one(metric, [[REFERENCE[:3]]], [[REFERENCE[:3]]], {"scores": "tnr"}) == {"token_tnr": 1.0}
    assert at_once(metric, [REFERENCE], [PREDICTION], TOKENS) == TOKEN_SCORES


BAD_PAIRS = {
    "units": ("a b", "a c", "^utterance 33: the units differ at offset 1"),
    "blank": ("a b", " ", "^utterance 33: the prediction is blank and the reference is not"),
    "nul": ("a\0b", "a\0b", "^references, utterance 33: there is a NUL character"),
}


@pytest.mark.parametrize("pair", BAD_PAIRS.values(), ids=BAD_PAIRS)
@pytest.mark.parametrize("way", [at_once, one_by_one, in_batches, mixed_ways])
def test_an_error_names_the_bad_utterance_and_keeps_added_examples(
    load: Load, cache: Path, way: Any, pair: tuple[str, str, str]
) -> None:
    metric = load()
    references, predictions = [REFERENCE] * 40, [PREDICTION] * 40
    references[33], predictions[33], message = pair
    added = {at_once: 0, mixed_ways: 10}.get(way, 40)
    for _ in range(2):
        with pytest.raises(ValueError, match=message):
            way(metric, references, predictions, TOKENS)
        assert len(metric) == added
        metric.reset()
        assert len(metric) == 0
        assert stored_files(cache) == []
    assert way(metric, [REFERENCE] * 40, [PREDICTION] * 40, TOKENS) == TOKEN_SCORES


@pytest.mark.parametrize("way", [one_by_one, in_batches, mixed_ways])
def test_compute_works_after_following_a_hint(load: Load, way: Any) -> None:
    metric = load()
    references, predictions = [REFERENCE] * 40, [PREDICTION] * 40
    with pytest.raises(ValueError, match='did you mean text_format="words"'):
        way(metric, references, predictions, {"scores": "token"})
    # What was passed to that compute was not added: it is passed again.
    left = slice(len(metric), None)
    given = {"references": references[left], "predictions": predictions[left]} if way is mixed_ways else {}
    assert metric.compute(**given, **TOKENS) == TOKEN_SCORES
    assert len(metric) == 0


def test_the_order_of_added_examples_is_kept_beyond_one_write(load: Load) -> None:
    metric = load()
    for _ in range(1005):
        metric.add(reference="a b", prediction="a b")
    metric.add_batch(references=["a", "x"], predictions=["a", "y"])
    metric.add(reference="a", prediction="a")
    with pytest.raises(ValueError, match=r"^utterance 1006: the units differ"):
        metric.compute(**WORDS)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "there is nothing to score: pass predictions and references"),
        ({"references": [], "predictions": []}, "there is nothing to score: expected at least one utterance"),
    ],
    ids=["no_input", "no_utterance"],
)
@pytest.mark.parametrize("empty_batches", [0, 2])
def test_an_empty_call_is_an_error(load: Load, empty_batches: int, arguments: dict[str, Any], message: str) -> None:
    metric = load()
    for _ in range(empty_batches):
        metric.add_batch(references=[], predictions=[])
    assert len(metric) == 0
    with pytest.raises(ValueError, match=message):
        metric.compute(**arguments)
    assert one_by_one(metric, [REFERENCE], [PREDICTION], TOKENS) == TOKEN_SCORES


# The options that checks and users' code depend on.
OPTIONS = {
    "predictions": None,
    "references": None,
    "scores": ("boundary_all", "boundary_noedge", "token", "type", "tnr"),
    "text_format": "units",
    "word_boundary": "WORD_BOUNDARY",
    "ignored_tokens": (),
    "label_scheme": None,
    "zero_division": 0.0,
}


def defaults(function: Callable[..., Any]) -> dict[str, Any]:
    return {name: parameter.default for name, parameter in inspect.signature(function).parameters.items()}


@pytest.mark.parametrize("method", ["compute", "add", "add_batch"])
def test_arguments_are_passed_by_name_and_no_other_is_taken(load: Load, method: str) -> None:
    function = getattr(load(), method)
    kinds = [parameter.kind for parameter in inspect.signature(function).parameters.values()]
    assert set(kinds) <= {inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.VAR_KEYWORD}
    with pytest.raises(TypeError, match=r"by name|positional argument"):
        function(["a"], ["a"])


def test_the_options_and_their_defaults_are_the_public_ones(load: Load) -> None:
    assert OPTIONS.items() <= defaults(load().compute).items()


def test_the_card_describes_every_option_and_no_other(load: Load) -> None:
    metric = load()
    arguments = metric.inputs_description.split("Returns:")[0]
    options = list(inspect.signature(metric.compute).parameters)
    assert re.findall(r"^    (\w+): \S", arguments, re.MULTILINE) == options


@pytest.mark.parametrize("name", [*GROUPS, *SELECTIONS])
def test_the_card_names_every_score_group(load: Load, name: str) -> None:
    assert f'"{name}"' in load().inputs_description


def test_the_card_says_what_the_metric_is_and_where_it_comes_from(load: Load) -> None:
    metric = load()
    assert "word segmentation" in metric.description
    entries = re.findall(r"^@\w+\{(\w+),$", metric.citation, re.MULTILINE)
    assert len(entries) == len(set(entries)) > 0
    assert metric.citation.count("{") == metric.citation.count("}")
    assert metric.reference_urls
    assert all(url.startswith("https://") for url in metric.reference_urls)
    assert metric.inputs_description == inspect.getdoc(metric.compute)


def test_the_metric_describes_its_score_groups(load: Load) -> None:
    groups = load().score_groups()
    assert set(OPTIONS["scores"]) <= set(groups)
    assert set(DEFAULT_KEYS) <= {key for group in groups.values() for key in group["keys"]}
    assert all(all(group.values()) for group in groups.values()), "no text is empty"


@pytest.mark.parametrize("way", [at_once, in_batches])
def test_the_random_state_is_the_same_after_compute(load: Load, way: Any) -> None:
    references, predictions, scores = written(FORMS["word_lists"])
    metric = load(seed=7)
    before = np.random.get_state()
    assert way(metric, references, predictions, {}) == scores
    after = np.random.get_state()
    assert before[2:] == after[2:]
    np.testing.assert_array_equal(before[1], after[1])


@pytest.mark.parametrize("pickler", [pickle, dill], ids=lambda module: module.__name__)
@pytest.mark.parametrize("used", [False, True], ids=["new", "used"])
def test_a_pickled_metric_scores_as_before(load: Load, pickler: Any, used: bool) -> None:
    metric = load(**TOKENS)
    if used:
        in_batches(metric, ["a"] * 31, ["a"] * 31, {})
    copy = pickler.loads(pickler.dumps(metric))
    assert defaults(copy.compute) == defaults(metric.compute)
    assert at_once(copy, [REFERENCE], [PREDICTION], {}) == TOKEN_SCORES
    assert one_by_one(copy, [REFERENCE], [PREDICTION], {}) == TOKEN_SCORES


UNPICKLE = """
import json, pickle, sys
metric = pickle.loads(bytes.fromhex(sys.argv[1]))
given = metric.compute(**json.loads(sys.argv[2]))
metric.add_batch(**{side: value for side, value in json.loads(sys.argv[2]).items() if side in ("references", "predictions")})
print(json.dumps([given, metric.compute(text_format="words")]))
"""


def test_a_pickled_metric_scores_in_another_process(load: Load) -> None:
    metric = load()
    arguments = json.dumps({"references": [REFERENCE], "predictions": [PREDICTION], **WORDS})
    scores = run_python(UNPICKLE, pickle.dumps(metric).hex(), arguments)
    assert scores == [example_scores()] * 2


def prefixed(*names: str) -> dict[str, float]:
    return {f"{name}_{key}": score for name in names for key, score in TOKEN_SCORES.items()}


passes_options_on = pytest.mark.skipif(
    Version(evaluate.__version__) < Version("0.4.2"), reason="evaluate's combine drops options before 0.4.2"
)


@passes_options_on
def test_combine_loads_the_metric_by_its_path_and_passes_options_on() -> None:
    combined = evaluate.combine([str(SCRIPT)], force_prefix=True)
    scores = combined.compute(references=[REFERENCE], predictions=[PREDICTION], **TOKENS)
    assert scores == prefixed("segmentation_scores")


def test_combined_metrics_score_added_examples(load: Load) -> None:
    combined = evaluate.combine({"one": load(keep_in_memory=True, **TOKENS), "other": load(**TOKENS)})
    combined.add(reference=REFERENCE, prediction=PREDICTION)
    combined.add(references="", predictions="")
    combined.add_batch(references=[REFERENCE], predictions=[PREDICTION])
    scores = combined.compute(references=[REFERENCE], predictions=[PREDICTION])
    assert scores == prefixed("one", "other")


SHARED_FORMS = ("units_text", "words_text", "word_lists", "start", "BMES")


def distributed_runs() -> dict[str, dict[str, Any]]:
    """Runs by name: who has which utterances of the corpus in which form, and how they are passed."""
    count = len(corpus_pair()[0])
    places = {
        "halves": (range(count // 2), range(count // 2, count)),
        "first_has_none": (range(0), range(count)),
        "second_has_none": (range(count), range(0)),
        "first_has_blank_alone": (range(1), range(1, count)),
        "second_has_blank_alone": (range(count - 1), range(count - 1, count)),
    }
    ways = ("add", "add_batch", "compute")
    runs = {}
    for form_name in SHARED_FORMS:
        references, predictions, scores = written(FORMS[form_name])
        for number, (split, shares) in enumerate(places.items()):
            runs[f"{form_name}-{split}"] = {
                "shares": [
                    {"references": [references[i] for i in share], "predictions": [predictions[i] for i in share]}
                    for share in shares
                ],
                "way": ways[number % len(ways)],
                "options": FORMS[form_name].options,
                "rounds": 2 if split == "halves" else 1,
                "expected": scores,
            }
    return runs


def failing_runs() -> dict[str, dict[str, Any]]:
    """Runs that end in an error of the first process, by name; `expected` is a pattern of it."""
    good = {"references": ["a b", ""], "predictions": ["ab", ""]}
    base = {"way": "add_batch", "options": WORDS, "rounds": 1}
    bad = {"references": ["a", "b c"], "predictions": ["a", "b d"]}
    lists, labels, blanks = ({"references": [row], "predictions": [row]} for row in (["a"], [1], []))
    nothing = {"references": [], "predictions": []}
    return {
        "bad_utterance": {**base, "shares": [good, bad], "expected": r"UtteranceError: utterance 3: the units differ"},
        "no_utterance": {**base, "shares": [nothing, nothing], "expected": "ValueError: there is nothing to score"},
    } | {
        name: {
            **base,
            "options": options,
            "shares": shares,
            "expected": f"TypeError: mixed forms: the processes have {kinds}; expected the same form in all",
        }
        for name, options, shares, kinds in (
            ("two_forms", WORDS, [good, lists], "strings and lists of strings"),
            ("labels_and_words", {"label_scheme": "start"}, [labels, lists], "lists of integers and lists of strings"),
            ("text_and_blanks", WORDS, [good, blanks], "strings and empty lists"),
        )
    }


@pytest.fixture(scope="module")
def distributed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[dict[str, Any]]]:
    return run_in_two_processes(tmp_path_factory.mktemp("distributed"), distributed_runs() | failing_runs())


@pytest.mark.parametrize("name", distributed_runs())
def test_two_processes_give_the_scores_of_the_whole_to_the_first(distributed: Any, name: str) -> None:
    cache, (first, second) = distributed
    run = distributed_runs()[name]
    assert first[name] == [run["expected"]] * run["rounds"]
    assert second[name] == [None] * run["rounds"]
    assert [file for file in stored_files(cache) if file.startswith(f"{name}-")] == []


@pytest.mark.parametrize("name", failing_runs())
def test_two_processes_leave_nothing_behind_after_an_error(distributed: Any, name: str) -> None:
    cache, (first, second) = distributed
    assert re.match(failing_runs()[name]["expected"], str(first[name][0])), first[name]
    assert second[name] == [None]
    assert [file for file in stored_files(cache) if file.startswith(f"{name}-")] == []


def test_methods_of_the_metric_pass_their_arguments_on(load: Load) -> None:
    """What they compute is tested beside the functions; here, by hand, that sides are not swapped and options reach them."""
    metric = load()
    both = {"references": ["the dog barks"], "predictions": ["thedog barks"], "text_format": "words"}
    curve = metric.sweep(references=["ab c"], boundary_scores=[[0.1, 0.8]], text_format="words")
    assert curve["token_recall"].tolist() == [0.0, 1.0, 0.5]
    (rated,) = metric.rate_difficulty(references=["the dog barks"], committee=[["thedog barks"]], text_format="words")
    assert rated.tolist() == [1.0, 1.0, 0.0]
    assert metric.score_difficulty(**both, difficulties=[[0.5, 0.5, 0.0]])["punishment_precision"] == 2 / 3
    deciles = metric.recovered_by_decile(**both, difficulties=[[0.5, 0.5, 0.0]])
    assert [(decile["words"], decile["recovered"]) for decile in deciles if decile["words"]] == [(1, 1), (2, 0)]
    aligned = metric.score_alignment(
        references=[[([0], [0]), ([1], [1])]], predictions=[[([0], [0])]], scores="alignment"
    )
    assert aligned == {"alignment_precision": 1.0, "alignment_recall": 0.5, "alignment_fscore": 2 / 3}
