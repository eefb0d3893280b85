"""The examples in the docstrings and in the card's texts hold."""

import doctest
import importlib
import sys

import pyarrow as pa
import pytest

from .docs.pages import MODULES, ROOT, failures_of

#: What the extra evaluate brings, and the metric, which needs it. Python finds no module where None stands for it.
EXTRA = ("evaluate", "datasets", "pandas", "huggingface_hub", "segscores.integrations.metric")


def has_examples(module: str) -> bool:
    folder = ROOT / module.replace(".", "/")
    path = folder / "__init__.py" if folder.is_dir() else folder.with_suffix(".py")
    return ">>> " in path.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", list(filter(has_examples, MODULES)))
def test_the_examples_of_the_docstrings_hold(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """They hold without the extra evaluate; those of the metric, which `segscores` itself has too, are the exceptions."""
    # pyarrow looks for pandas at its first scalar; version 18 would take None for the module.
    pa.scalar(0)
    if name != "segscores" and not name.startswith(EXTRA[-1]):
        for absent in EXTRA:
            monkeypatch.setitem(sys.modules, absent, None)
    assert failures_of(name) == 0


def test_the_modules_with_examples_are_found() -> None:
    assert {"segscores", "segscores.reading.readers", "segscores.scoring.plan"} <= set(filter(has_examples, MODULES))


def test_the_example_of_the_metric_holds() -> None:
    metric = importlib.import_module("segscores.integrations.metric")
    text = metric.SegmentationScores().inputs_description
    import evaluate

    example = doctest.DocTestParser().get_doctest(text, {"evaluate": evaluate}, "inputs_description", None, None)
    assert example.examples
    assert doctest.DocTestRunner().run(example).failed == 0
