"""The public names of `import segscores`, and the modules that it imports only on use."""

import ast
import inspect
import json
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import segscores

from .surface import FILE, FUNCTIONS, surface

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
    further = set(dir(segscores)) - set(segscores.__all__)
    assert set(dir(segscores)) >= set(segscores.__all__)
    assert all(name.startswith("__") for name in further)
    assert len(segscores.__all__) == len(set(segscores.__all__)), "ruff sorts them"


def test_the_imports_for_type_checkers_equal_the_imports_on_first_use() -> None:
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


def test_the_public_surface_is_the_one_that_is_promised() -> None:
    promised, here = FILE.read_text(encoding="utf-8").splitlines(), surface().splitlines()
    gone, new = ("\n".join(sorted({*lines} - {*others})) for lines, others in ((promised, here), (here, promised)))
    assert not gone, (
        f"these lines of the public surface are gone or changed, and break code of users:\n{gone}\nKeep what they name for one "
        "minor release, with a DeprecationWarning that names the remedy (docs/reference/stability.md). What may go is written "
        "down under Migration in CHANGELOG.md; then run: python -m tests.surface"
    )
    assert here == promised, f"new in the public surface:\n{new}\nPromise it with: python -m tests.surface"


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_classes_of_results_are_public(name: str) -> None:
    returned = set(re.findall(r"[A-Z]\w+", inspect.signature(getattr(segscores, name)).return_annotation))
    assert returned - {"Any", "Files", "Floats", "Runs", "Tokenized"} <= set(segscores.__all__), (
        "only files, runs and tokenizers are opaque"
    )


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_function_documents_arguments_results_and_an_example(name: str) -> None:
    doc = inspect.getdoc(getattr(segscores, name))
    assert doc is not None
    assert "Args:" in doc or not inspect.signature(getattr(segscores, name)).parameters
    assert "Returns:" in doc or "Raises:" in doc
    assert ">>>" in doc or name == "score_dataframe", "it needs Spark"


@pytest.mark.parametrize("name", ["split_half", "HalfAgreement"])
def test_a_removed_name_says_what_takes_its_place(name: str) -> None:
    with pytest.raises(AttributeError, match=rf"no attribute '{name}': it was removed.*compare-systems\.md"):
        getattr(segscores, name)


def test_a_removed_integration_says_what_takes_its_place() -> None:
    with pytest.raises(ImportError, match=r"lighteval was removed.*segscores\.score.*lm_eval"):
        import_module("segscores.integrations.lighteval")
