"""Tests of ways to load the metric: by the script, from the Hub, without the package, with an older one, by `segscores.load`."""

import json
import pickle
import re
import shutil
import sys
import venv
from pathlib import Path
from typing import Any

import pytest
from packaging.version import Version

import segscores
from segscores.integrations.metric import AlignmentScores, DifficultyScores, SegmentationScores

from ...hub import serve_hub
from .running import ROOT, SCRIPT, SIDES, TOKEN_SCORES, TOKENS, caches, run

PIP = "pip install git+https://huggingface.co/spaces/transformersegmentation/segmentation_scores"
#: These packages, and what `evaluate` imports where it is installed and does not need.
LEFT_OUT = ("segscores", "segmentation_scores", "torch", "transformers")
LOAD = """
import json, os, sys

sys.modules["transformers"] = None  # evaluate imports it if it is there, which takes seconds
import evaluate

outcomes = []
for folder, target in zip(sys.argv[2::2], sys.argv[3::2]):
    os.chdir(folder)
    for name in [name for name in sys.modules if name.partition(".")[0] == "segscores"]:
        del sys.modules[name]
    try:
        outcomes.append(evaluate.load(target).compute(**json.loads(sys.argv[1])))
    except Exception as error:
        outcomes.append(f"{type(error).__name__}: {error}")
print(json.dumps(outcomes))
"""


def loaded(
    *loads: tuple[Path, object], python: Path | str = sys.executable, cache: Path, **environment: str
) -> list[Any]:
    """Return what comes of each load, a working folder and what is loaded there, in one process."""
    arguments = [json.dumps(SIDES | TOKENS)]
    for folder, target in loads:
        arguments += [str(folder), str(target)]
    return run(LOAD, *arguments, python=python, **caches(cache), **environment)


@pytest.fixture(scope="module")
def empty(tmp_path_factory) -> Path:
    """A folder in which nothing is."""
    return tmp_path_factory.mktemp("empty")


@pytest.fixture(scope="module")
def python_without_package(tmp_path_factory) -> Path:
    """An interpreter that has everything which is installed here except for this package and what takes `evaluate` seconds."""
    folder = tmp_path_factory.mktemp("venv")
    venv.create(folder, symlinks=True)
    # Links to the packages, in a folder on a path file: path files in there, as of editable installs, are not read.
    packages = folder / "packages"
    packages.mkdir()
    for site in map(Path, sys.path):
        for entry in site.iterdir() if site.name == "site-packages" else ():
            if not entry.name.startswith(LEFT_OUT) and not (packages / entry.name).exists():
                (packages / entry.name).symlink_to(entry)
    (own,) = folder.glob("lib/python*/site-packages")
    (own / "packages.pth").write_text(f"{packages}\n")
    return folder / "bin" / "python"


@pytest.mark.slow
def test_the_hub_is_asked_for_one_download_and_later_for_none(empty, tmp_path):
    space = "somebody/segmentation_scores"
    main = f"/spaces/{space}/resolve/main/"
    with serve_hub(space, {path.name: path.read_bytes() for path in ROOT.glob("*.py")}) as (endpoint, requests):
        outcomes = loaded(
            (empty, space), (empty, space), cache=tmp_path, HF_ENDPOINT=endpoint, HF_HUB_OFFLINE="0", HF_EVALUATE_OFFLINE="0",
            HF_UPDATE_DOWNLOAD_COUNTS="0",  # or it would report the download to a server elsewhere
            HF_HUB_DISABLE_IMPLICIT_TOKEN="1", NO_PROXY="127.0.0.1", no_proxy="127.0.0.1",
        )  # fmt: skip
    assert outcomes == [TOKEN_SCORES] * 2
    # `evaluate` looks for a revision that is named after its own version first.
    assert [(method, path.removeprefix(main)) for method, path in requests if main in path] == [
        ("HEAD", SCRIPT.name),
        ("GET", SCRIPT.name),
        ("HEAD", SCRIPT.name),
    ]


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory, empty, python_without_package) -> dict[str, Any]:
    """Return what comes of loading the script without the package that it needs, by what is there instead.

    One process imports `evaluate`, which takes seconds, for all.
    """
    folder = tmp_path_factory.mktemp("loading")
    alone = folder / "alone" / SCRIPT.stem  # a folder is loaded where it is named as its script
    older = folder / "older"
    checkout = folder / SCRIPT.stem
    alone.mkdir(parents=True)
    shutil.copy(SCRIPT, alone)
    (older / "segscores").mkdir(parents=True)
    (older / "segscores" / "__init__.py").write_text('__version__ = "0.1.10"\n')
    checkout.mkdir()
    shutil.copy(SCRIPT, checkout)
    shutil.copytree(ROOT / "segscores", checkout / "segscores")
    loads = {
        "nothing": (empty, SCRIPT),
        "nothing, for a folder": (empty, alone),
        "an older package": (older, SCRIPT),
        "a checkout": (checkout, SCRIPT.name),
        "a checkout, for a folder": (checkout, checkout),
    }
    results = loaded(*loads.values(), python=python_without_package, cache=folder)
    return dict(zip(loads, results, strict=True))


@pytest.mark.slow
@pytest.mark.parametrize("instead", ["nothing", "nothing, for a folder"])
def test_the_error_without_the_package_names_the_pip_command(outcomes, instead):
    assert f"['segscores'] using '{PIP}'" in outcomes[instead]


@pytest.mark.slow
@pytest.mark.parametrize("instead", ["a checkout", "a checkout, for a folder"])
def test_nothing_needs_installing_in_the_folder_of_a_checkout(outcomes, instead):
    assert outcomes[instead] == TOKEN_SCORES


@pytest.mark.slow
def test_an_older_package_is_an_error_that_names_the_pip_command(outcomes):
    message = outcomes["an older package"]
    assert re.match(r"ImportError: this script needs segscores [\d.]+ or later, and 0\.1\.10 is installed", message)
    assert f"'{PIP.replace('install', 'install --upgrade')}'" in message


def test_the_script_needs_no_later_version_than_this_one():
    needed = re.search(r'^NEEDED = "(.+)"$', SCRIPT.read_text(), re.MULTILINE)
    assert needed is not None
    assert Version(needed[1]) <= Version(segscores.__version__)


def test_the_script_imports_what_evaluate_can_name_and_no_other_file():
    """From the Hub `evaluate` downloads the script and what it imports of its folder, and reads the comments of these lines."""
    imports = re.findall("^(?:import|from) .*", SCRIPT.read_text(), re.MULTILINE)
    command = PIP.rsplit(maxsplit=1)[-1]
    assert imports == ["from packaging.version import Version", f"import segscores  # From: {command}"]


@pytest.mark.parametrize(
    ("name", "kind"), [(None, SegmentationScores), ("difficulty", DifficultyScores), ("alignment", AlignmentScores)]
)
def test_each_class_exists_once(load, tmp_path, name, kind):
    loaded = load(name)
    assert type(loaded) is kind is getattr(segscores, kind.__name__)
    assert type(segscores.load(name, cache_dir=str(tmp_path))) is kind
    assert type(pickle.loads(pickle.dumps(loaded))) is kind
