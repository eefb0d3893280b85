"""The public names of `import segscores`, and the modules that it imports only on use."""

from __future__ import annotations

import ast
import inspect
import json
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import segscores

#: The names that users' code and external checks depend on.
FIXED = {
    "UtteranceError", "__version__", "analyse_errors", "as_compute_metrics", "compare", "load", "per_utterance", "score",
    "score_dataframe", "score_dataset", "signature", "sweep", "tally",
}  # fmt: skip
FUNCTIONS = [name for name in segscores.__all__ if inspect.isfunction(getattr(segscores, name))]

IMPORTED = """
import json, sys
import segscores
seen = {"nothing": sorted(sys.modules)}
for name in segscores.__all__:
    getattr(segscores, name)
    seen[name] = sorted(sys.modules)
dir(segscores), segscores.score(["a b"], ["ab"], text_format="words")
seen["score, called"] = sorted(sys.modules)
print(json.dumps(seen))
"""


@pytest.fixture(scope="module")
def imported() -> dict[str, list[str]]:
    """The modules that a fresh interpreter has after the use of each name, in order."""
    ran = subprocess.run([sys.executable, "-c", IMPORTED], capture_output=True, text=True, timeout=300, check=True)
    seen: dict[str, list[str]] = json.loads(ran.stdout)
    return seen


def test_importing_the_package_imports_nothing_large(imported: dict[str, list[str]]) -> None:
    large = "numpy pyarrow evaluate datasets pandas torch pyspark gradio argparse dataclasses"
    assert not {*large.split()} & set(imported["nothing"])
    assert [name for name in imported["nothing"] if name.startswith("segscores")] == ["segscores"]


@pytest.mark.parametrize("name", [*segscores.__all__, "score, called"])
def test_no_name_imports_evaluate(imported: dict[str, list[str]], name: str) -> None:
    assert not {"evaluate", "datasets", "torch", "pyspark", "gradio"} & set(imported[name])


def test_every_public_name_is_in_all_and_in_dir() -> None:
    assert set(segscores.__all__) >= FIXED
    assert set(dir(segscores)) >= set(segscores.__all__)
    assert segscores.__all__ == sorted(set(segscores.__all__))


def test_the_imports_for_type_checkers_are_those_on_first_use() -> None:
    tree = ast.parse(Path(segscores.__file__).read_text())
    (block,) = [node for node in tree.body if isinstance(node, ast.If) and "ImportFrom" in ast.dump(node)]
    for node in block.body:
        if isinstance(node, ast.ImportFrom) and node.level:
            module = import_module(f"segscores.{node.module}")
            for alias in node.names:
                assert getattr(segscores, alias.asname or alias.name) is getattr(module, alias.name)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'segscores' has no attribute 'scroe'"):
        segscores.scroe  # noqa: B018


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_function_documents_arguments_results_and_an_example(name: str) -> None:
    doc = inspect.getdoc(getattr(segscores, name))
    assert doc is not None
    assert "Args:" in doc
    assert "Returns:" in doc or "Raises:" in doc
    assert ">>>" in doc or name == "score_dataframe", "it needs Spark"
