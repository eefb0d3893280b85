"""The docstrings of the integrations, and the example for Lightning."""

import doctest
import importlib
from pathlib import Path

import pytest

pytestmark = pytest.mark.frameworks

FOLDER = Path(__file__).resolve().parents[2] / "segscores/integrations"


def test_the_examples_of_the_docstrings_hold():
    for path in FOLDER.glob("[a-z]*.py"):
        # The tests of Spark have its examples: it needs Java. The module of LightEval only raises an error.
        if path.stem not in ("spark", "lighteval"):
            results = doctest.testmod(importlib.import_module(f"segscores.integrations.{path.stem}"))
            assert (results.attempted > 0, results.failed) == (True, 0)


@pytest.mark.filterwarnings("ignore")
def test_the_example_for_lightning_learns(example):
    program = example("train_with_lightning")
    first, later = (program.main(["--clauses", "600", "--epochs", str(epochs)]) for epochs in (1, 4))
    assert 0 < first["token_fscore"] < later["token_fscore"] < 1
