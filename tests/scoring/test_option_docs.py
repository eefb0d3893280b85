"""Options as `help()` and `inspect.signature` show them: all of them, with their defaults, in one order."""

from __future__ import annotations

import inspect
import re
from dataclasses import fields

import pytest

import segscores
from segscores.scoring.option_docs import DEFAULTS, HELP
from segscores.statistics.corpus_scores import ComputeOptions
from segscores.statistics.resampling import Resampling

FUNCTIONS = [
    "score",
    "tally",
    "compare",
    "per_utterance",
    "signature",
    "score_dataset",
    "score_levels",
    "analyse_errors",
]


def test_every_option_is_described_and_has_its_default() -> None:
    assert set(HELP) == set(DEFAULTS) == set(ComputeOptions.__annotations__)
    for option in fields(Resampling):
        assert DEFAULTS[option.name] == option.default
    assert all(text.endswith(".") for text in HELP.values())


@pytest.mark.parametrize("name", [name for name, text in HELP.items() if "Default " in text])
def test_the_default_that_is_described_is_the_default(name: str) -> None:
    described = re.findall(r"Default (\S+?)[.,:]( |$)", HELP[name])[-1][0]
    assert described in (repr(DEFAULTS[name]), f'"{DEFAULTS[name]}"')


@pytest.mark.parametrize("name", FUNCTIONS)
def test_signature_and_docstring_name_the_same_arguments(name: str) -> None:
    function = getattr(segscores, name)
    parameters = inspect.signature(function).parameters
    assert not [each for each in parameters.values() if each.kind is inspect.Parameter.VAR_KEYWORD]
    arguments = (inspect.getdoc(function) or "").split("Args:")[1].split("\n\n")[0]
    described = ", ".join(re.findall(r"^    (\w[\w, ]*):", arguments, re.MULTILINE)).split(", ")
    assert sorted(described) == sorted(parameters)


def test_the_options_of_compute_are_those_of_score() -> None:
    score = inspect.signature(segscores.score).parameters
    compute = inspect.signature(segscores.SegmentationScores.compute).parameters
    assert {name: each.default for name, each in score.items() if name in HELP} == {
        name: each.default for name, each in compute.items() if name in HELP
    }
