"""Tests of every public function: inputs stay as they were; results are the same again, in threads, pickled and copied."""

import copy
import inspect
import pickle
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any

import numpy as np
import pytest
from datasets import Dataset

import segscores

from .corpora import random_corpus_pair, words_text
from .surface import FUNCTIONS

REFERENCES, PREDICTIONS = map(words_text, random_corpus_pair(40, seed=3))
OTHERS = [*words_text(random_corpus_pair(40, seed=3)[0][:39]), "".join(REFERENCES[39].split())]
WORDS: dict[str, Any] = {"text_format": "words"}
SIDES = {"references": REFERENCES, "predictions": PREDICTIONS}
SYSTEMS = {"references": REFERENCES, "systems": {"a": PREDICTIONS, "b": OTHERS}}
KNOWN = sorted({word for text in REFERENCES[5:] for word in text.split()})
TWO = ["the dog", "a b"]
RATES = [[0.5, 1.0], np.array([0.0, 0.25])]
GAPS = [[0.0, 0.0, 0.9, 0.1, 0.2], [0.7]]
LOGITS = np.array([[[0.1, 0.9], [0.8, 0.2]]])

#: A call of each function, as keyword arguments. Lists, arrays, a dict or a data set are inputs that users hold on to.
BITEXTS = [[([0], [0]), ([1], [1, 2])], [([0], [0])]] * 6
CALLS: dict[str, dict[str, Any]] = {
    "analyse_errors": SIDES | WORDS,
    "as_compute_metrics": {"id2label": {0: "B", 1: "I"}},
    "baselines": SIDES | WORDS,
    "cite": {"scores": ["token", "pk"]},
    "compare": SYSTEMS | WORDS | {"confidence": 0.9, "n_trials": 20},
    "compare_alignments": {"references": BITEXTS, "systems": {"a": BITEXTS, "b": [BITEXTS[0], *BITEXTS[:-1]]}},
    "compare_by": SYSTEMS | WORDS | {"by": ["x", "y"] * 20, "n_trials": 20},
    "compare_errors": SYSTEMS | WORDS,
    "conform": {"command": f"{sys.executable} -c 'print(0.5)' {{reference}} {{prediction}}"},
    "correlate": {"scores": {"f": [0.1, 0.2, 0.3, 0.5] * 3, "g": [1, 3, 2, 4] * 3}, "criterion": [1, 2, 4, 3] * 3},
    "differences": SIDES | WORDS,
    "gather_tally": {"tally": segscores.tally(REFERENCES, PREDICTIONS, **WORDS)},
    "groups": {"scores": ["token", "windows"]},
    "identify": {"references": TWO, "predictions": ["thedog", "a b"]} | WORDS | {"value": 0.5, "scores": "token"},
    "load": {"scores": ["token"]},
    "methods": {"scores": ["token"], "signature": "segscores|text:words|avg:micro|v:1"},
    "open_source": {"path": "text.txt"},
    "per_utterance": SIDES | WORDS,
    "preprocess_logits_for_metrics": {"logits": LOGITS, "labels": np.array([[0, 1]])},
    "rate_difficulty": {"references": TWO, "committee": [["thedog", "a b"], ["the dog", "ab"]]} | WORDS,
    "recovered_by_decile": {"references": TWO, "predictions": ["thedog", "a b"], "difficulties": RATES} | WORDS,
    "score": SIDES | WORDS | {"vocabulary": KNOWN, "clusters": ["x", "y"] * 20, "confidence": 0.9},
    "score_agreement": {"annotators": [REFERENCES, PREDICTIONS]} | WORDS,
    "score_alignment": {"references": [[([0], [0]), ([1], [1, 2])]], "predictions": [[([0, 1], [0, 1, 2])]]},
    "score_alternatives": {"references": [REFERENCES, OTHERS], "predictions": PREDICTIONS} | WORDS,
    "score_by": SIDES | WORDS | {"by": ["x", "y"] * 20},
    "score_constituents": {"references": ["ab c"], "morphemes": ["a b c"], "predictions": ["a bc"]} | WORDS,
    "score_dataset": {"dataset": Dataset.from_dict({"reference": REFERENCES, "prediction": PREDICTIONS})} | WORDS,
    "score_difficulty": {"references": TWO, "predictions": ["thedog", "a b"], "difficulties": RATES} | WORDS,
    "segment_at": {"references": ["thedog", "ab"], "boundary_scores": GAPS, "threshold": 0.5} | WORDS,
    "signature": {"references": REFERENCES} | WORDS,
    "sweep": {"references": TWO, "boundary_scores": GAPS} | WORDS,
    "tally": SIDES | WORDS,
}  # fmt: skip
#: Functions with inputs or results of other kinds, and where they are tested.
ELSEWHERE = {
    "conformance_vectors": "has no input, and takes a second: tests/analysis/test_vectors.py",
    "parity": "measures a speed, which differs each time: tests/analysis/test_parity.py",
    "runs": "takes any number of predictions: tests/statistics/test_subsets.py",
    "score_dataframe": "needs Spark: tests/integrations/test_spark.py",
    "tokenized": "opens files: tests/worlds/tokenizers",
}
#: Results that stand for something outside the process.
NOT_STORED = {"load": "the metric has tests of its own: tests/integrations/metric/test_metrics.py"}


def plain(value: Any) -> Any:
    """A result in built-in types, to compare what has no `==` of its own; nan equals nan."""
    if isinstance(value, Mapping):
        return {key: plain(value[key]) for key in value}
    if isinstance(value, np.ndarray):
        return [value.dtype.str, repr(value.tolist())]
    if hasattr(value, "to_dict"):
        return plain(value.to_dict())
    if is_dataclass(value):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, list | tuple | Iterator):
        return [plain(item) for item in value]
    return repr(value)


def called(name: str, arguments: Mapping[str, Any]) -> Callable[[], Any]:
    return lambda: getattr(segscores, name)(**arguments)


@cache
def expected_of(name: str) -> Any:
    """The result of a call, for all tests."""
    return plain(called(name, CALLS[name])())


def test_every_function_has_a_call() -> None:
    assert CALLS.keys() | ELSEWHERE.keys() == set(FUNCTIONS)
    assert not CALLS.keys() & ELSEWHERE.keys()


#: Options whose message has another name than theirs: it has two words, as the table of baselines has.
NAMED = {"second_reference": "second reference"}
#: Options that are checked later, or take any number.
UNCHECKED = {("open_source", "column"), ("segment_at", "threshold")}


@pytest.mark.parametrize("bad", [object(), -7.5], ids=["object", "negative number"])
@pytest.mark.parametrize("name", CALLS)
def test_each_option_refuses_what_it_cannot_be_and_is_named(name: str, bad: object) -> None:
    function = getattr(segscores, name)
    for parameter in inspect.signature(function).parameters.values():
        option = parameter.name
        if parameter.kind is parameter.KEYWORD_ONLY and (name, option) not in UNCHECKED:
            named = re.escape(NAMED.get(option, option))
            with pytest.raises((TypeError, ValueError), match=named):
                function(**CALLS[name] | {option: bad})


@pytest.mark.parametrize("name", CALLS)
def test_inputs_stay_as_they_were_and_results_are_the_same_again(name: str) -> None:
    arguments = copy.deepcopy(CALLS[name])
    again = plain(called(name, arguments)())
    assert plain(arguments) == plain(CALLS[name])
    assert again == expected_of(name)


# `conform` runs a program, and has no input that threads could share.
@pytest.mark.parametrize("name", sorted(CALLS.keys() - {"conform"}))
def test_threads_have_the_result_of_one(name: str) -> None:
    with ThreadPoolExecutor(4) as pool:
        found = [pool.submit(called(name, CALLS[name])) for _ in range(4)]
    assert [plain(each.result()) for each in found] == [expected_of(name)] * 4


@pytest.mark.parametrize("name", sorted(CALLS.keys() - NOT_STORED.keys()))
def test_results_are_pickled_and_copied(name: str) -> None:
    result = called(name, CALLS[name])()
    for again in (pickle.loads(pickle.dumps(result)), copy.deepcopy(result), copy.copy(result)):
        assert type(again) is type(result)
        assert plain(again) == expected_of(name)
