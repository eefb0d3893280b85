"""How the metric is loaded: by the script, from the Hub, without the package, with an older one, and by `segscores.load`."""

from __future__ import annotations

import json
import os
import pickle
import re
import shutil
import subprocess
import sys
import venv
from pathlib import Path
from typing import Any

import evaluate
import pytest
from packaging.version import Version

import segscores
from segscores.metric import AlignmentScores, DifficultyScores, SegmentationScores

from ..hub import serve_hub

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "segmentation_scores.py"
PIP = "pip install git+https://huggingface.co/spaces/transformersegmentation/segmentation_scores"
SPACE = "somebody/segmentation_scores"

# The card's example: four of five predicted words are among the six of the reference.
EXAMPLE = {
    "references": ["the dog is on the boat"],
    "predictions": ["thedog is on the boat"],
    "text_format": "words",
    "scores": "token",
}
EXPECTED = {"token_precision": 4 / 5, "token_recall": 4 / 6, "token_fscore": 8 / 11}


@pytest.fixture(scope="module")
def without_package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An interpreter that has everything which is installed here except for this package."""
    folder = tmp_path_factory.mktemp("venv")
    venv.create(folder, symlinks=True)
    # Links to the packages, in a folder on a path file: path files in there, as of editable installs, are not read.
    packages = folder / "packages"
    packages.mkdir()
    for site in map(Path, sys.path):
        for entry in site.iterdir() if site.name == "site-packages" else ():
            if not entry.name.startswith(("segscores", "segmentation_scores")) and not (packages / entry.name).exists():
                (packages / entry.name).symlink_to(entry)
    (own,) = folder.glob("lib/python*/site-packages")
    (own / "packages.pth").write_text(f"{packages}\n")
    return folder / "bin" / "python"


def run(code: str, *arguments: object, python: Path | str = sys.executable, cwd: Path, **environment: str) -> Any:
    """Run a program, which prints JSON, in a folder."""
    ran = subprocess.run(
        [str(python), "-c", code, *map(str, arguments)],
        env={name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | environment,
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout.splitlines()[-1])


LOAD = """
import json, sys
import evaluate
try:
    print(json.dumps(evaluate.load(sys.argv[1]).compute(**json.loads(sys.argv[2]))))
except Exception as error:
    print(json.dumps(f"{type(error).__name__}: {error}"))
"""


def caches(folder: Path) -> dict[str, str]:
    return {"HF_HOME": str(folder / "home"), "HF_MODULES_CACHE": str(folder / "modules")}


def load_from_hub(folder: Path, times: int = 1, python: Path | str = sys.executable) -> tuple[list[Any], Any]:
    """What was asked of the space's main revision at each load, in a folder where nothing is, and what came of the last.

    `evaluate` looks for a revision that is named after its own version first; that is left out.
    """
    empty = folder / "empty"
    empty.mkdir()
    main = f"/spaces/{SPACE}/resolve/main/"
    requests, outcome = [], None
    with serve_hub({SPACE: {path.name: path.read_bytes() for path in ROOT.glob("*.py")}}) as hub:
        for _ in range(times):
            hub.requests.clear()
            outcome = run(
                LOAD,
                SPACE,
                json.dumps(EXAMPLE),
                python=python,
                cwd=empty,
                **caches(folder),
                HF_ENDPOINT=hub.endpoint,
                HF_HUB_OFFLINE="0",
                HF_EVALUATE_OFFLINE="0",
                HF_UPDATE_DOWNLOAD_COUNTS="0",  # or it would report the download to a server elsewhere
                HF_HUB_DISABLE_IMPLICIT_TOKEN="1",
                NO_PROXY="127.0.0.1",
                no_proxy="127.0.0.1",
            )
            requests.append([(method, path.removeprefix(main)) for method, path in hub.requests if main in path])
    return requests, outcome


def test_from_the_hub_it_is_one_download_and_later_none(tmp_path: Path) -> None:
    requests, outcome = load_from_hub(tmp_path, times=2)
    assert outcome == EXPECTED
    assert requests == [[("HEAD", SCRIPT.name), ("GET", SCRIPT.name)], [("HEAD", SCRIPT.name)]]


def test_from_the_hub_without_the_package_the_error_names_the_pip_command(
    tmp_path: Path, without_package: Path
) -> None:
    _, outcome = load_from_hub(tmp_path, python=without_package)
    assert outcome.startswith(f"ImportError: To be able to use {SPACE}, you need to install")
    assert f"['segscores'] using '{PIP}'" in outcome


@pytest.mark.parametrize("target", [SCRIPT, ROOT], ids=["script", "folder"])
def test_by_path_without_the_package_the_error_names_the_pip_command(
    tmp_path: Path, without_package: Path, target: Path
) -> None:
    if target == ROOT:  # a folder is loaded where it is named as its script
        target = tmp_path / SCRIPT.stem
        target.mkdir()
        shutil.copy(SCRIPT, target)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    outcome = run(LOAD, target, json.dumps(EXAMPLE), python=without_package, cwd=elsewhere, **caches(tmp_path))
    assert f"['segscores'] using '{PIP}'" in outcome


def test_in_the_folder_of_a_checkout_nothing_needs_installing(tmp_path: Path, without_package: Path) -> None:
    checkout = tmp_path / SCRIPT.stem
    checkout.mkdir()
    shutil.copy(SCRIPT, checkout)
    shutil.copytree(ROOT / "segscores", checkout / "segscores", ignore=shutil.ignore_patterns("__pycache__"))
    for target in (SCRIPT.name, checkout):
        outcome = run(LOAD, target, json.dumps(EXAMPLE), python=without_package, cwd=checkout, **caches(tmp_path))
        assert outcome == EXPECTED


def test_an_older_package_is_an_error_that_names_the_pip_command(tmp_path: Path, without_package: Path) -> None:
    (tmp_path / "segscores").mkdir()
    (tmp_path / "segscores" / "__init__.py").write_text('__version__ = "0.1.10"\n')
    outcome = run(LOAD, SCRIPT, json.dumps(EXAMPLE), python=without_package, cwd=tmp_path, **caches(tmp_path))
    assert outcome.startswith("ImportError: this script needs segscores 0.2.0 or later, and 0.1.10 is installed")
    assert f"'{PIP.replace('install', 'install --upgrade')}'" in outcome


def test_the_script_needs_no_later_version_than_this_one() -> None:
    needed = re.search(r'^NEEDED = "(.+)"$', SCRIPT.read_text(), re.MULTILINE)
    assert needed is not None
    assert Version(needed[1]) <= Version(segscores.__version__)


def test_the_script_names_the_command_on_the_line_that_evaluate_reads() -> None:
    imports = [line for line in SCRIPT.read_text().splitlines() if re.match("import |from ", line)]
    assert [line for line in imports if "#" in line] == [f"import segscores  # From: {PIP.rsplit(maxsplit=1)[-1]}"]


@pytest.mark.parametrize(
    ("name", "kind"),
    [(None, SegmentationScores), ("difficulty", DifficultyScores), ("alignment", AlignmentScores)],
    ids=["default", "difficulty", "alignment"],
)
def test_each_class_exists_once(name: str | None, kind: type, tmp_path: Path) -> None:
    loaded = evaluate.load(str(SCRIPT), name, cache_dir=str(tmp_path))
    assert type(loaded) is kind is getattr(segscores, kind.__name__)
    assert type(segscores.load(name, cache_dir=str(tmp_path))) is kind
    assert type(pickle.loads(pickle.dumps(loaded))) is kind


def test_the_errors_of_the_loaded_metric_are_those_of_the_package(tmp_path: Path) -> None:
    metric = evaluate.load(str(SCRIPT), cache_dir=str(tmp_path))
    with pytest.raises(segscores.UtteranceError, match="utterance 0: the units differ"):
        metric.compute(references=["a b"], predictions=["a c"])


TALLY = """
import json, pickle, sys
import evaluate
metric = evaluate.load(sys.argv[1])
part = metric.tally(references=["a b"], predictions=["ab"], text_format="words")
print(json.dumps(pickle.dumps(part).hex()))
"""


def test_tallies_of_the_loaded_metric_add_up_with_those_of_the_package(tmp_path: Path) -> None:
    sent = pickle.loads(bytes.fromhex(run(TALLY, SCRIPT, cwd=tmp_path, **caches(tmp_path))))
    assert type(sent) is segscores.CorpusTally
    total = sent + segscores.tally(["c"], ["c"], text_format="words")
    assert total.scores() == segscores.score(["a b", "c"], ["ab", "c"], text_format="words")
