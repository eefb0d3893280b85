"""The examples in the docstrings and in the card's texts hold."""

from __future__ import annotations

import doctest
import importlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
MODULES = sorted(
    ".".join(("segscores", *path.relative_to(ROOT).with_suffix("").parts)).removesuffix(".__init__")
    for folder in (ROOT, ROOT / "command")
    for path in folder.glob("*.py")
)
# The demo is a script: at its import gradio opens event loops and leaves them so, hence a process of its own.
SCRIPTS = {"segscores.app"} & set(MODULES)


@pytest.mark.parametrize("name", [name for name in MODULES if name not in SCRIPTS])
def test_the_examples_of_the_docstrings_hold(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0


@pytest.mark.parametrize("name", sorted(SCRIPTS))
def test_the_examples_of_a_script_hold(name: str, tmp_path: Path) -> None:
    environment = os.environ | {"HF_HOME": str(tmp_path)}
    command = [sys.executable, "-m", "doctest", str(ROOT / f"{name.removeprefix('segscores.')}.py")]
    run = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (run.returncode, run.stdout) == (0, ""), run.stderr


def test_the_modules_with_examples_are_found() -> None:
    assert {"segscores", "segscores.kernel.segmentation", "segscores.reading.conllu"} <= set(MODULES)


def test_the_example_of_the_metric_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    import evaluate

    monkeypatch.chdir(ROOT)
    text = evaluate.load("segmentation_scores.py").inputs_description
    example = doctest.DocTestParser().get_doctest(text, {"evaluate": evaluate}, "inputs_description", None, None)
    assert example.examples
    assert doctest.DocTestRunner().run(example).failed == 0
