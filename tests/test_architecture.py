"""The layers of the package: which folder may import which, and no import cycles."""

from __future__ import annotations

import ast
import sys
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import segscores

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "segscores"
#: From the lowest layer to the highest. Folders of one layer do not import each other.
LAYERS = (
    {"support"},
    {"options"},
    {"kernel"},
    {"reading"},
    {"measures"},
    {"scoring"},
    {"sources"},
    {"results"},
    {"statistics", "analysis", "bitext"},
    {"training", "report"},
    {"metric", "integrations"},
    {"command", "demo"},
)
RANKS = {folder: rank for rank, folders in enumerate(LAYERS) for folder in folders}
#: Packages that the folders up to `report` never import: they belong to the metric, the demo and the pictures.
FOREIGN = {"evaluate", "gradio", "matplotlib"}
PICTURES = "segscores.results.pictures"
ABOVE = {"metric", "command", "demo"}
BASE_PACKAGES = {"numpy", "pyarrow", "rapidfuzz"}
MODULES = {".".join(path.relative_to(ROOT).with_suffix("").parts): path for path in PACKAGE.rglob("*.py")}


def imports_of(module: str) -> tuple[set[str], set[str]]:
    """The modules of the package that a module imports, and the packages from elsewhere, wherever the import stands."""
    parts, own, foreign = module.split("."), set(), set()
    for node in ast.walk(ast.parse(MODULES[module].read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            foreign |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            foreign.add(str(node.module).split(".")[0])
        elif isinstance(node, ast.ImportFrom):
            base = ".".join([*parts[: -node.level], *([node.module] if node.module else [])])
            for alias in node.names:
                own.add(f"{base}.{alias.name}" if f"{base}.{alias.name}" in MODULES else base)
    return {name if name in MODULES else f"{name}.__init__" for name in own}, foreign


def folder_of(module: str) -> str:
    return module.split(".")[1]


IMPORTS = {module: imports_of(module) for module in MODULES}


def test_every_folder_has_a_layer_and_a_description() -> None:
    folders = {path.name for path in PACKAGE.iterdir() if path.is_dir() and any(path.glob("*.py"))}
    assert folders == set(RANKS)
    for folder in folders:
        assert ast.get_docstring(ast.parse((PACKAGE / folder / "__init__.py").read_text(encoding="utf-8"))), folder


@pytest.mark.parametrize("module", sorted(name for name in MODULES if folder_of(name) in RANKS))
def test_imports_point_down(module: str) -> None:
    own, foreign = IMPORTS[module]
    folder = folder_of(module)
    # The package itself holds the version, and imports the rest lazily.
    imported = {folder_of(name) for name in own} - {folder, "__init__"}
    assert {other for other in imported if RANKS[other] >= RANKS[folder]} == set()
    if folder not in ABOVE:
        allowed = {"matplotlib"} if module == PICTURES else set()
        assert foreign & FOREIGN <= allowed


def test_the_adapter_for_spark_imports_what_a_folder_above_report_may() -> None:
    own, foreign = IMPORTS["segscores.spark"]
    assert all(RANKS[folder_of(name)] <= RANKS["report"] for name in own)
    assert foreign & FOREIGN == set()


@pytest.mark.parametrize("module", sorted(name for name in MODULES if folder_of(name) in {"support", "kernel"}))
def test_the_lowest_layers_know_numpy_and_arrow_alone(module: str) -> None:
    assert IMPORTS[module][1] - set(sys.stdlib_module_names) <= BASE_PACKAGES


def test_no_module_imports_itself_by_way_of_others() -> None:
    graph = {module: own - {module, "segscores.__init__"} for module, (own, _) in IMPORTS.items()}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        raise AssertionError(f"an import cycle: {' → '.join(error.args[1])}") from None


def test_a_score_passes_through_few_modules() -> None:
    """Those that design.md names, and what reads lists, cuts them into parts, and checks options."""
    files = set()

    def score() -> None:
        segscores.score(["the dog is on"], ["thedog is on"], text_format="words", scores="token")

    score()
    before = sys.getprofile()
    sys.setprofile(lambda frame, *_: files.add(frame.f_code.co_filename))
    try:
        score()
    finally:
        sys.setprofile(before)
    assert len({file for file in files if Path(file).is_relative_to(PACKAGE)}) <= 12


def test_the_root_has_two_scripts() -> None:
    assert {path.name for path in ROOT.glob("*.py")} == {"app.py", "segmentation_scores.py"}
