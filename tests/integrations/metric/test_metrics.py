"""The metric under `evaluate`: added examples, its card, pickled, combined, distributed.

That it scores every form, and refuses bad input without harm, is in `conformance.py` and `test_bad_inputs.py`.
"""

import inspect
import json
import pickle
import re
from typing import Any

import datasets
import dill
import evaluate
import numpy as np
import pandas as pd
import pytest
from packaging.version import Version

import segscores
from segscores.options.table import SELECTIONS
from segscores.scoring.measures.registry import GROUPS

from ...corpora import FORMS, Form, expected_scores, random_corpus_pair
from ...naive import naive_scores
from .running import SCRIPT, SIDES, TOKEN_SCORES, TOKENS, WORDS, run_in_two_processes, stored_files

(REFERENCE,), (PREDICTION,) = SIDES.values()
PAIR = {"reference": REFERENCE, "prediction": PREDICTION}


def written(form: Form) -> tuple[list[Any], list[Any], dict[str, float]]:
    """A corpus pair in a form, and its scores by the naive scorer.

    Blank utterances stand at both ends: the first of a form decides how all are stored.
    """
    references, predictions = ([[], *side, []] for side in random_corpus_pair(40, seed=2))
    scores = expected_scores(form, naive_scores(references, predictions))
    return form.write(references), form.write(predictions), scores


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_ways_of_passing_may_be_mixed(load, form):
    references, predictions, scores = written(form)
    metric = load()
    for _ in range(2):
        metric.add_batch(references=tuple(references[:5]), predictions=iter(predictions[:5]))
        for at in (5, 6):
            metric.add(reference=references[at], prediction=predictions[at])
        metric.add_batch(references=[], predictions=[])
        metric.add_batch(references=pd.Series(references[7:9]), predictions=predictions[7:9])
        metric.add(reference=references[9], prediction=predictions[9])
        found = metric.compute(references=references[10:], predictions=pd.Series(predictions[10:]), **form.options)
        assert list(found.items()) == list(scores.items())
        assert {type(score) for score in found.values()} == {float}
        assert json.loads(json.dumps(found)) == scores


def test_the_length_is_the_number_of_stored_utterances_and_no_file_is_written(load, tmp_path):
    metric = load()
    lengths = [len(metric)]
    metric.add(reference="a", prediction="a")
    lengths.append(len(metric))
    metric.add_batch(references=["a b"] * 31, predictions=["a b"] * 31)
    lengths.append(len(metric))
    assert stored_files(tmp_path) == []
    metric.compute()
    assert ([*lengths, len(metric)], stored_files(tmp_path)) == ([0, 1, 32, 0], [])


@pytest.mark.parametrize("given", [False, True])
def test_compute_works_after_following_a_hint(load, given):
    metric = load()
    metric.add_batch(references=[REFERENCE] * 33, predictions=[PREDICTION] * 33)
    # What is passed to that compute is not added: it is passed again.
    more = SIDES if given else {}
    for _ in range(2):
        with pytest.raises(ValueError, match='did you mean text_format="words"'):
            metric.compute(**more, scores="token")
    assert len(metric) == 33
    assert metric.compute(**more, **TOKENS) == TOKEN_SCORES


def test_recordings_are_refused_with_the_function_that_takes_them(load):
    problem = r'^text_format="times": the metric .* no recordings: use segscores.score'
    with pytest.raises(ValueError, match=problem):
        load(text_format="times")
    metric = load()
    metric.add_batch(references=["a b"], predictions=["a b"])
    with pytest.raises(ValueError, match=problem):
        metric.compute(text_format="times")
    assert len(metric) == 1


def test_the_order_of_added_examples_is_kept_beyond_one_write(load):
    metric = load()
    for _ in range(1005):
        metric.add(reference="a b", prediction="a b")
    metric.add_batch(references=["a", "x"], predictions=["a", "y"])
    metric.add(reference="a", prediction="a")
    with pytest.raises(ValueError, match=r"^utterance 1006: the units differ"):
        metric.compute(**WORDS)


@pytest.mark.parametrize(
    ("utterances", "options"),
    [([[1, 0, 0], [], [1], [0, 1], [1] * 300], {"label_scheme": "start"}), ([["the", "dog"], [], ["狗"]], {})],
)
@pytest.mark.parametrize("places", [[0], [2], [0, 1], [0, 1, 2]], ids=str)
def test_blank_batches_are_of_any_form_that_has_lists(load, utterances, options, places):
    metric = load(scores="token")
    batches = [[[]] if place in places else utterances[:1] for place in range(3)]
    for batch in batches:
        metric.add_batch(references=batch, predictions=batch)
    both = [utterance for batch in batches for utterance in batch]
    options = options if len(places) < 3 else {}
    assert metric.compute(**options) == segscores.score(both, both, scores="token", **options)


def test_added_labels_do_not_change_with_the_callers_array(load):
    metric, labels = load(), np.array([[1, 0], [1, 1]])
    metric.add_batch(references=labels, predictions=labels[::-1])
    metric.add_batch(references=labels[:1], predictions=labels[:1])
    labels[:] = 0
    assert metric.compute(label_scheme="start", scores="token")["token_recall"] == 1 / 4


# The options that checks and users' code depend on.
OPTIONS = {
    "predictions": None, "references": None, "scores": ("boundary_all", "boundary_noedge", "token", "type", "tnr"),
    "text_format": "units", "word_boundary": "WORD_BOUNDARY", "ignored_tokens": (), "label_scheme": None,
    "zero_division": 0.0,
}  # fmt: skip


def defaults(function: Any) -> dict[str, Any]:
    return {name: parameter.default for name, parameter in inspect.signature(function).parameters.items()}


def test_the_card_says_what_the_metric_is_and_describes_every_option_and_group(load):
    metric = load()
    assert OPTIONS.items() <= defaults(metric.compute).items()
    arguments = metric.inputs_description.split("Returns:")[0]
    assert re.findall(r"^    (\w+): \S", arguments, re.MULTILINE) == list(inspect.signature(metric.compute).parameters)
    assert all(f'"{name}"' in metric.inputs_description for name in (*GROUPS, *SELECTIONS))
    assert metric.inputs_description == inspect.getdoc(metric.compute)
    assert "word segmentation" in metric.description
    entries = re.findall(r"^@\w+\{(\w+),$", metric.citation, re.MULTILINE)
    assert len(entries) == len(set(entries)) > 0
    assert metric.citation.count("{") == metric.citation.count("}")
    assert metric.reference_urls
    assert all(url.startswith("https://") for url in metric.reference_urls)
    assert str(metric.version) == segscores.__version__


@pytest.mark.parametrize("pickler", [pickle, dill], ids=lambda module: module.__name__)
@pytest.mark.parametrize("used", [False, True], ids=["new", "used"])
def test_a_pickled_metric_scores_as_before(load, pickler, used):
    metric = load(**TOKENS)
    if used:
        metric.add_batch(references=["a b"] * 31, predictions=["a b"] * 31)
        metric.compute()
    copy = pickler.loads(pickler.dumps(metric))
    assert defaults(copy.compute) == defaults(metric.compute)
    assert copy.compute(**SIDES) == TOKEN_SCORES
    copy.add(**PAIR)
    assert copy.compute() == TOKEN_SCORES


@pytest.mark.skipif(
    Version(evaluate.__version__) < Version("0.4.2"), reason="combine drops options before evaluate 0.4.2"
)
def test_combine_loads_the_metric_by_its_path_and_passes_options_on():
    combined = evaluate.combine([str(SCRIPT)], force_prefix=True)
    assert combined.compute(**SIDES, **TOKENS) == {
        f"segmentation_scores_{key}": score for key, score in TOKEN_SCORES.items()
    }


class Lengths(evaluate.Metric):  # type: ignore[misc]
    """Another metric, which knows none of our options."""

    def _info(self) -> evaluate.MetricInfo:
        text = {"predictions": datasets.Value("string"), "references": datasets.Value("string")}
        return evaluate.MetricInfo(description="", citation="", features=datasets.Features(text))

    def _compute(self, predictions: list[str], references: list[str]) -> dict[str, int]:
        return {"characters": sum(map(len, predictions)) - sum(map(len, references))}


def test_a_combination_takes_the_options_of_each_metric_when_it_is_loaded():
    ours = segscores.load(text_format="words", scores="token")
    combined = evaluate.combine({"words": ours, "length": Lengths()})
    combined.add_batch(references=["the dog"], predictions=["thedog"])
    combined.add(reference="sit", prediction="sit")
    expected = naive_scores([["the", "dog"], ["sit"]], [["thedog"], ["sit"]])
    assert combined.compute() == {**{key: expected[key] for key in TOKEN_SCORES}, "characters": -1}


#: Who has which of 42 utterances, and how they are passed.
SHARES = {
    "halves": ("add", range(21), range(21, 42)),
    "first_has_none": ("add_batch", range(0), range(42)),
    "second_has_none": ("compute", range(42), range(0)),
    "first_has_blank_alone": ("add", range(1), range(1, 42)),
    "second_has_blank_alone": ("add_batch", range(41), range(41, 42)),
}


def distributed_runs() -> dict[str, dict[str, Any]]:
    """Runs by name: every form in every way."""
    runs = {}
    # Texts and integers in every way, the others in one.
    splits = dict.fromkeys(("words_text", "start"), SHARES) | {
        name: {"halves": SHARES["halves"]} for name in ("units_text", "word_lists", "BMES")
    }
    for form_name, shared in splits.items():
        references, predictions, scores = written(FORMS[form_name])
        for split, (way, *shares) in shared.items():
            sides = {"references": references, "predictions": predictions}
            runs[f"{form_name}-{split}"] = {
                "shares": [{name: [side[i] for i in share] for name, side in sides.items()} for share in shares],
                "way": way,
                "options": FORMS[form_name].options,
                "rounds": 2 if split == "halves" else 1,
                "expected": scores,
            }
    # After a computation every process takes another form.
    texts, lists = (runs[f"{name}-halves"] for name in ("units_text", "word_lists"))
    runs["another_form"] = texts | {"shares": texts["shares"] + lists["shares"]}
    return runs


def failing_runs() -> dict[str, dict[str, Any]]:
    """Runs that end in an error of the first process, by name; `expected` is a pattern of it."""
    good = {"references": ["a b", ""], "predictions": ["ab", ""]}
    bad = {"references": ["a", "b c"], "predictions": ["a", "b d"]}
    lists, labels, blanks = ({"references": [row], "predictions": [row]} for row in (["a"], [1], []))
    nothing = {"references": [], "predictions": []}
    start, mixed = (
        {"label_scheme": "start"},
        "TypeError: mixed forms: the processes have {}; expected the same form in all",
    )
    rows = {
        "bad_utterance": (WORDS, [good, bad], r"UtteranceError: utterance 3: the units differ"),
        "no_utterance": (WORDS, [nothing, nothing], "ValueError: there is nothing to score"),
        "two_forms": (WORDS, [good, lists], mixed.format("strings and lists of strings")),
        "labels_and_words": (start, [labels, lists], mixed.format("lists of integers and lists of strings")),
        "text_and_blanks": (WORDS, [good, blanks], mixed.format("strings and empty lists")),
    }
    keys = ("options", "shares", "expected")
    return {name: {"way": "add_batch", "rounds": 1, **dict(zip(keys, row, strict=True))} for name, row in rows.items()}


@pytest.fixture(scope="module")
def distributed(tmp_path_factory) -> list[dict[str, Any]]:
    return run_in_two_processes(tmp_path_factory.mktemp("distributed"), distributed_runs() | failing_runs())


@pytest.mark.slow
@pytest.mark.parametrize("name", distributed_runs())
def test_two_processes_give_the_scores_of_the_whole_to_the_first(distributed, name):
    given = distributed_runs()[name]
    assert [outcomes[name] for outcomes in distributed] == [
        [each] * given["rounds"] for each in (given["expected"], None)
    ]


@pytest.mark.slow
@pytest.mark.parametrize("name", failing_runs())
def test_two_processes_give_an_error_to_the_first(distributed, name):
    first, second = (outcomes[name] for outcomes in distributed)
    assert re.match(failing_runs()[name]["expected"], str(first[0])), first
    assert second == [None]
