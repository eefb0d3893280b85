"""How the metric is loaded: by the script, from the Hub, without the package, with an older one, and by `segscores.load`."""

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
#: `evaluate` imports torch and transformers where they are installed, and needs neither.
LEFT_OUT = ("segscores", "segmentation_scores", "torch", "transformers")
LOAD = """
import json, sys
import evaluate
outcomes = []
for target in sys.argv[2:]:
    try:
        outcomes.append(evaluate.load(target).compute(**json.loads(sys.argv[1])))
    except Exception as error:
        outcomes.append(f"{type(error).__name__}: {error}")
print(json.dumps(outcomes))
"""


def loaded(*targets: object, python: Path | str = sys.executable, cwd: Path, **environment: str) -> Any:
    """What comes of each load in a process, with caches in the parent of the folder."""
    arguments = (LOAD, json.dumps(SIDES | TOKENS), *targets)
    return run(*arguments, python=python, cwd=cwd, **caches(cwd.parent), **environment)


@pytest.fixture
def empty(tmp_path) -> Path:
    """A folder in which nothing is."""
    (tmp_path / "empty").mkdir()
    return tmp_path / "empty"


@pytest.fixture(scope="module")
def without_package(tmp_path_factory) -> Path:
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
def test_the_hub_is_asked_for_one_download_and_later_for_none(empty):
    space = "somebody/segmentation_scores"
    main = f"/spaces/{space}/resolve/main/"
    with serve_hub(space, {path.name: path.read_bytes() for path in ROOT.glob("*.py")}) as (endpoint, requests):
        outcomes = loaded(
            space, space, cwd=empty, HF_ENDPOINT=endpoint, HF_HUB_OFFLINE="0", HF_EVALUATE_OFFLINE="0",
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


def test_the_error_without_the_package_names_the_pip_command(tmp_path, empty, without_package):
    folder = tmp_path / SCRIPT.stem  # a folder is loaded where it is named as its script
    folder.mkdir()
    shutil.copy(SCRIPT, folder)
    outcomes = loaded(SCRIPT, folder, cwd=empty, python=without_package)
    assert [f"['segscores'] using '{PIP}'" in outcome for outcome in outcomes] == [True] * 2


def test_nothing_needs_installing_in_the_folder_of_a_checkout(tmp_path, without_package):
    checkout = tmp_path / SCRIPT.stem
    checkout.mkdir()
    shutil.copy(SCRIPT, checkout)
    shutil.copytree(ROOT / "segscores", checkout / "segscores")
    assert loaded(SCRIPT.name, checkout, python=without_package, cwd=checkout) == [TOKEN_SCORES] * 2


def test_an_older_package_is_an_error_that_names_the_pip_command(empty, without_package):
    (empty / "segscores").mkdir()
    (empty / "segscores" / "__init__.py").write_text('__version__ = "0.1.10"\n')
    (outcome,) = loaded(SCRIPT, python=without_package, cwd=empty)
    assert re.match(r"ImportError: this script needs segscores [\d.]+ or later, and 0\.1\.10 is installed", outcome)
    assert f"'{PIP.replace('install', 'install --upgrade')}'" in outcome


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
