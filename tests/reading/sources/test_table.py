"""Kinds of input × tasks × options: all give the numbers of the naive scorer."""

from collections.abc import Callable, Iterator
from typing import Any

import datasets
import pyarrow as pa
import pytest

import segscores
from segscores.analysis.alternatives import score_alternatives

from ...corpora import FORMS, Corpus, Form, expected_scores, random_corpus_pair
from ...naive import naive_scores, naive_windows_scores

REFERENCES, PREDICTIONS = random_corpus_pair(40, seed=11, units="abc", max_units=12)
#: Utterances that are skipped where their units may differ.
DIFFERENT = (0, 17, 39)
SKIPPED = [[["d"]] if row in DIFFERENT else words for row, words in enumerate(PREDICTIONS)]
WORDS = [word for utterance in REFERENCES for word in utterance]
WINDOW_SIZE = max(2, round(sum(map(len, WORDS)) / (2 * len(WORDS))))


#: What makes an input of a list of utterances; all others are in `reading/test_inputs.py`.
KINDS: dict[str, Callable[[list[Any]], Any]] = {
    "list": list,
    "iterator": iter,
    "chunks": lambda values: pa.chunked_array([pa.array(values[:7]), pa.array(values[7:])]),
}
#: What makes a dataset of the lists of two columns.
DATASETS: dict[str, Callable[[dict[str, list[Any]]], Any]] = {
    "table": pa.table,
    "dataset": datasets.Dataset.from_dict,
    "stream": lambda columns: datasets.Dataset.from_dict(columns).to_iterable_dataset(),
    "examples": lambda columns: datasets.IterableDataset.from_generator(
        lambda: (dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True))
    ),
}
Scores = dict[str, float]
#: What scores the second argument against the first, by the kind of input.
Task = Callable[..., Scores]


def of_compare(references: Any, predictions: Any, **options: Any) -> Scores:
    predictions = list(predictions) if isinstance(predictions, Iterator) else predictions
    found = segscores.compare(references, {"first": predictions, "second": predictions}, **options)
    assert found.scores["first"] == pytest.approx(found.scores["second"], abs=0)
    return found.scores["first"]


def of_clusters(references: Any, predictions: Any, **options: Any) -> Scores:
    ids = [row // 2 for row in range(len(REFERENCES))]
    found = segscores.score(references, predictions, confidence=0.9, clusters=ids, **options)
    return {key: value for key, value in found.items() if not key.endswith(("_low", "_high"))}


def of_alternatives(references: Any, predictions: Any, **options: Any) -> Scores:
    references = list(references) if isinstance(references, Iterator) else references
    return score_alternatives([references, references], predictions, **options)


TASKS: dict[str, Task] = {
    "score": segscores.score,
    "tally": lambda *sides, **options: segscores.tally(*sides, **options).scores(),
    "clusters": of_clusters,
    "compare": of_compare,
    "alternatives": of_alternatives,
    "metric": lambda references, predictions, **options: segscores.load(**options).compute(
        references=references, predictions=predictions
    ),
}
INPUTS: dict[str, Callable[[Task, list[Any], list[Any], dict[str, Any]], Scores]] = {
    **{
        f"{task}, {kind}": lambda references, predictions, options, make=make, work=work: work(
            make(references), make(predictions), **options
        )
        for task, work in TASKS.items()
        for kind, make in KINDS.items()
    },
    **{
        f"dataset, {kind}": lambda references, predictions, options, make=make: segscores.score_dataset(
            make({"reference": references, "prediction": predictions}), batch_size=9, **options
        )
        for kind, make in DATASETS.items()
    },
}

#: Sides of different forms, and the options that say so.
SIDES: dict[tuple[str, str], dict[str, Any]] = {
    ("units_text", "words_text"): {"text_format": "units", "prediction_format": "words"},
    ("words_text", "units_text"): {"text_format": "words", "prediction_format": "units"},
    ("units_text", "word_lists"): {"text_format": "units", "prediction_format": "words"},
    ("wordseg", "words_text"): {"text_format": "words", "reference_format": "units", **FORMS["wordseg"].options},
    ("word_lists", "wordseg"): {"text_format": "words", "prediction_format": "units", **FORMS["wordseg"].options},
}


@pytest.mark.parametrize("forms", SIDES)
# A metric stores examples of one form.
@pytest.mark.parametrize("name", [name for name in INPUTS if not name.startswith("metric")])
def test_sides_of_different_forms_are_scored_by_their_characters(name: str, forms: tuple[str, str]) -> None:
    sides = [FORMS[form].write(corpus) for form, corpus in zip(forms, (REFERENCES, PREDICTIONS), strict=True)]
    expected = pytest.approx(naive_scores(REFERENCES, PREDICTIONS), abs=2**-30)
    assert INPUTS[name](*sides, SIDES[forms]) == expected
    if "word_lists" not in forms:
        assert INPUTS["metric, list"](*sides, SIDES[forms]) == expected


def test_systems_with_and_without_the_units_of_the_reference_are_not_compared() -> None:
    systems = {"a": ["a b WORD_BOUNDARY c", "a"], "b": [["ab", "c"], ["a"]]}
    message = r"^system 'a' has the units of the references, and system 'b' has words without units"
    with pytest.raises(ValueError, match=message):
        segscores.compare(systems["a"], systems, prediction_format="units")


def with_window_size(references: Corpus, predictions: Corpus) -> Scores:
    return naive_windows_scores(references, predictions, WINDOW_SIZE)


#: Options, the prediction, and the numbers: for skipped utterances those of the others, with windows of the whole reference.
OPTIONS: dict[str, tuple[dict[str, Any], Corpus, Callable[[Corpus, Corpus], Scores]]] = {
    "default": ({}, PREDICTIONS, naive_scores),
    "skip": ({"on_mismatch": "skip"}, SKIPPED, naive_scores),
    "windows": ({"scores": "windows", "window_size": WINDOW_SIZE}, PREDICTIONS, with_window_size),
    "default windows, skip": ({"scores": "windows", "on_mismatch": "skip"}, SKIPPED, with_window_size),
}


@pytest.mark.filterwarnings(
    "ignore:.*(of 40 utterances have different units|resampl|no interval|no difference|interval)"
)
@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("form", ["words_text", "word_lists", "start"])
@pytest.mark.parametrize("name", INPUTS)
def test_every_input_and_task_gives_the_numbers_of_the_naive_scorer(name: str, form: str, options: str) -> None:
    chosen: Form = FORMS[form]
    given, predictions, naive = OPTIONS[options]
    if form == "start" and "skip" in options:
        # Labels have no units that differ: their number does.
        given, predictions = {name: value for name, value in given.items() if name != "on_mismatch"}, PREDICTIONS
    if name.startswith("tally") and "default windows" in options:
        given = {**given, "window_size": WINDOW_SIZE}
    kept = [row for row in range(40) if predictions is PREDICTIONS or row not in DIFFERENT]
    expected = expected_scores(chosen, naive(*([side[row] for row in kept] for side in (REFERENCES, predictions))))
    found = INPUTS[name](chosen.write(REFERENCES), chosen.write(predictions), {**given, **chosen.options})
    if predictions is SKIPPED:
        assert found.pop("skipped_utterances", 3.0) == 3.0
        found = {key: value for key, value in found.items() if key in expected}
    assert found == pytest.approx(expected, abs=2**-30)
